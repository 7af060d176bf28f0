"""Shortest ways in the field as deployed: what hops are compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from motecast.check.columns import NONE, Bools, Ints, find, ranges

if TYPE_CHECKING:
    import pyarrow as pa

    from motecast.check.view import View

BATCH = 8_000_000  # (source, node) pairs that are searched at once: 8 bytes each


class Links:
    """Who hears whom, as one array of neighbours a node."""

    def __init__(self, field: pa.Table) -> None:
        listed = field["links"].combine_chunks()
        self.nodes = np.unique(field["node"].to_numpy()).astype(np.int64)
        place = find(self.nodes, field["node"].to_numpy().astype(np.int64))
        owner = place[listed.value_parent_indices().to_numpy()]
        heard = find(self.nodes, listed.flatten().to_numpy().astype(np.int64))
        order = np.argsort(owner[heard != NONE], kind="stable")
        self._heard = heard[heard != NONE][order]
        self._start = np.searchsorted(owner[heard != NONE][order], np.arange(len(self.nodes) + 1)).astype(np.int64)

    def __len__(self) -> int:
        return len(self._heard)

    def shortest(self, sources: Ints, targets: Ints) -> Ints:
        """The fewest hops from each source to its target; `NONE` where there is no way."""
        distinct = np.unique(sources)
        hops = np.full(len(sources), NONE, dtype=np.int64)
        size = max(1, BATCH // max(1, len(self.nodes)))
        for start in range(0, len(distinct), size):
            batch = distinct[start : start + size]
            line = find(batch, sources)
            mine = line != NONE
            hops[mine] = self._search(batch)[line[mine], find(self.nodes, targets[mine])]
        return hops

    def _search(self, sources: Ints) -> Ints:
        """Hops from every source (a line) to every node (a column); one more column for unknown nodes."""
        width = len(self.nodes) + 1
        hops: Ints = np.full(len(sources) * width, NONE, dtype=np.int64)
        place = find(self.nodes, sources)
        front = (np.arange(len(sources)) * width + place)[place != NONE]
        hops[front] = far = 0
        while len(front):
            far += 1
            front = self._next(front, width, hops == NONE)
            hops[front] = far
        lines: Ints = hops.reshape(len(sources), width)
        lines[:, -1] = NONE
        return lines

    def _next(self, front: Ints, width: int, is_new: Bools) -> Ints:
        node = front % width
        counts = self._start[node + 1] - self._start[node]
        reached = self._heard[ranges(self._start[node], counts)] + np.repeat(front - node, counts)
        return np.unique(reached[is_new[reached]])


def ways(view: View) -> tuple[Ints, Ints]:
    """Of delivered pairs of two nodes with a known path: their hops and the fewest possible."""
    links = Links(view.trace.field)
    if not len(links) or _moves(view):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    first = view.first_delivery
    hops, source, node = view.hops[first], view.publisher[view.deliveries.event[first]], view.deliveries.node[first]
    far = (hops != NONE) & (source != node)
    shortest = links.shortest(source[far], node[far])
    return hops[far][shortest > 0], shortest[shortest > 0]


def _moves(view: View) -> bool:
    classes = (view.about.get("scenario") or {}).get("nodes") or {}
    return any(nodes.get("mobility") for nodes in classes.values()) or len(view.where("move")) > 0
