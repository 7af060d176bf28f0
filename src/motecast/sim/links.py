"""Who hears whom in a field at rest: all within a range, the edges of a graph, or everybody."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, overload

import numpy as np

from motecast.core import ConfigError, NodeId, Position
from motecast.sim import scenario as tables
from motecast.sim.field import read_csv

if TYPE_CHECKING:
    from numpy.typing import NDArray

Links = Sequence[Sequence[NodeId]]
MOST_CELLS = 1e6  # on a side of the field
_DIGITS = 19  # no number of a node is longer


def links_of(scenario: tables.Scenario, positions: Sequence[Position]) -> Links:
    """For each node who hears it, in order."""
    medium = scenario.medium
    match medium:
        case tables.Disk():
            return disk(positions, medium.range)
        case tables.Rounds():
            return Everyone(len(positions))
        case tables.Graph(file=str(file)):
            return read_graph(Path(scenario.folder) / file, len(positions), is_directed=medium.directed)
        case tables.Graph():
            return generated(medium, len(positions), Random(f"{scenario.seed}/links"))
        case _:
            raise AssertionError(f"the links of {medium} are those of its plan")


def disk(positions: Sequence[Position], reach: float) -> list[tuple[NodeId, ...]]:
    """All within `reach`, the end included: a grid of cells as wide, and only the nine cells around are looked at."""
    places = np.array(positions, dtype=float).reshape(-1, 2)
    shifted = places - places.min(axis=0)
    # A little wider, lest rounding put two at exactly `reach` two cells apart; and not too many for 64 bits.
    cell = max(reach * (1 + 1e-9), float(shifted.max()) / MOST_CELLS)
    cells = np.floor(shifted / cell).astype(np.int64) + 1
    width = int(cells[:, 1].max()) + 2
    keys = cells[:, 0] * width + cells[:, 1]
    order = np.argsort(keys, kind="stable")
    pairs = [_near(places, reach, keys, order, dx * width + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    return _grouped(np.concatenate(pairs), len(places))


def _near(
    places: NDArray[np.float64], reach: float, keys: NDArray[np.int64], order: NDArray[np.int64], offset: int
) -> NDArray[np.int64]:
    """Pairs (node, hearer) whose hearer is in the cell at this offset from the node's."""
    ordered = keys[order]
    first = np.searchsorted(ordered, keys + offset, side="left")
    counts = np.searchsorted(ordered, keys + offset, side="right") - first
    nodes = np.repeat(np.arange(len(keys)), counts)
    within = np.arange(len(nodes)) - np.repeat(np.cumsum(counts) - counts, counts)
    peers = order[np.repeat(first, counts) + within]
    distance = places[nodes] - places[peers]
    kept = (np.einsum("ij,ij->i", distance, distance) <= reach * reach) & (nodes != peers)
    return np.stack([nodes[kept], peers[kept]], axis=1)


def _grouped(pairs: NDArray[np.int64], count: int) -> list[tuple[NodeId, ...]]:
    """For each node its peers, sorted."""
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    ends = np.searchsorted(pairs[:, 0], np.arange(1, count))
    return [tuple(peers.tolist()) for peers in np.split(pairs[:, 1], ends)]


def generated(medium: tables.Graph, count: int, rng: Random) -> Links:
    """A random, ring, lattice, small-world or complete graph."""
    match medium.generator:
        case "complete":
            return Everyone(count)
        case "random":
            pairs = _random(count, medium.degree, rng, is_directed=medium.directed)
        case "ring":
            pairs = _ring(count, medium.degree)
        case "lattice":
            pairs = _lattice(count)
        case _:
            pairs = _rewired(_ring(count, medium.degree), count, medium.rewire, rng)
    return _linked(pairs, count, is_directed=medium.directed and medium.generator == "random")


def _random(count: int, degree: int, rng: Random, *, is_directed: bool) -> Iterator[tuple[int, int]]:
    """Directed: `degree` hearers each. Otherwise as many edges as give this degree on average."""
    degree = min(degree, count - 1)
    for node in range(count if is_directed else 0):
        for peer in rng.sample(range(count - 1), degree):
            yield node, peer + (peer >= node)
    edges: set[tuple[int, int]] = set()
    while not is_directed and len(edges) < min(count * degree // 2, count * (count - 1) // 2):
        node, peer = rng.randrange(count), rng.randrange(count)
        edge = (min(node, peer), max(node, peer))
        if node != peer and edge not in edges:
            edges.add(edge)
            yield edge


def _ring(count: int, degree: int) -> Iterator[tuple[int, int]]:
    """Each node and its next `degree / 2` (at least one) on each side."""
    for node in range(count):
        for step in range(1, min(max(1, degree // 2), count - 1) + 1):
            yield node, (node + step) % count


def _lattice(count: int) -> Iterator[tuple[int, int]]:
    """A square lattice, row by row."""
    width = max(1, round(count**0.5))
    for node in range(count):
        if (node + 1) % width and node + 1 < count:
            yield node, node + 1
        if node + width < count:
            yield node, node + width


def _rewired(edges: Iterator[tuple[int, int]], count: int, share: float, rng: Random) -> Iterator[tuple[int, int]]:
    """Each edge leads somewhere else with this probability [Watts and Strogatz 1998]."""
    for node, peer in edges:
        if rng.random() < share and count > 2:
            peer = rng.randrange(count - 1)
            peer += peer >= node
        yield node, peer


def _linked(pairs: Iterator[tuple[int, int]], count: int, *, is_directed: bool) -> list[tuple[NodeId, ...]]:
    peers: list[set[int]] = [set() for _ in range(count)]
    for node, peer in pairs:
        if node != peer:
            peers[node].add(peer)
            if not is_directed:
                peers[peer].add(node)
    return [tuple(sorted(found)) for found in peers]


def read_graph(path: Path, count: int, *, is_directed: bool) -> list[tuple[NodeId, ...]]:
    """A CSV with columns a, b: b hears a, and a hears b unless the graph is directed."""
    rows = read_csv(path)
    if not {"a", "b"} <= rows[0][1].keys():
        raise ConfigError(f"{path}: columns {', '.join(rows[0][1])}; a file of links has a and b")
    pairs = [(_node(path, line, row, "a", count), _node(path, line, row, "b", count)) for line, row in rows]
    return _linked(iter(pairs), count, is_directed=is_directed)


def _node(path: Path, line: int, row: dict[str, str], key: str, count: int) -> int:
    text = row[key]
    if not (text.isdecimal() and len(text) < _DIGITS and int(text) < count):
        raise ConfigError(f"{path}:{line}: {key} = {text!r}: expected a node from 0 to {count - 1}")
    return int(text)


class AllBut(Sequence[NodeId]):
    """Every node of a sorted group but one, without a list of them."""

    __slots__ = ("group", "place")

    def __init__(self, group: Sequence[NodeId], place: int) -> None:
        self.group = group
        self.place = place  # of the one that is left out

    def __len__(self) -> int:
        return len(self.group) - 1

    def __contains__(self, peer: object) -> bool:
        if not isinstance(peer, int):
            return False
        place = bisect_left(self.group, peer)
        return place != self.place and place < len(self.group) and self.group[place] == peer

    @overload
    def __getitem__(self, index: int) -> NodeId: ...
    @overload
    def __getitem__(self, index: slice) -> list[NodeId]: ...
    def __getitem__(self, index: int | slice) -> NodeId | list[NodeId]:
        if isinstance(index, slice):
            return list(self)[index]
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.group[index + (index >= self.place)]

    def __iter__(self) -> Iterator[NodeId]:
        yield from self.group[: self.place]
        yield from self.group[self.place + 1 :]


class Everyone(Sequence[AllBut]):
    """The links of a complete graph."""

    def __init__(self, count: int) -> None:
        self.nodes = [AllBut(range(count), node) for node in range(count)]

    def __len__(self) -> int:
        return len(self.nodes)

    @overload
    def __getitem__(self, index: int) -> AllBut: ...
    @overload
    def __getitem__(self, index: slice) -> list[AllBut]: ...
    def __getitem__(self, index: int | slice) -> AllBut | list[AllBut]:
        return self.nodes[index]


def without_cuts(links: Links, sides: Sequence[Hashable]) -> Links:
    """The links that stay on one side; `sides[n]` is the side of node n."""
    if len(set(sides)) == 1:
        return links
    if not isinstance(links, Everyone):
        return [tuple(p for p in peers if sides[p] == sides[node]) for node, peers in enumerate(links)]
    groups: dict[Hashable, list[NodeId]] = {}
    places = []
    for node, side in enumerate(sides):
        group = groups.setdefault(side, [])
        places.append(len(group))
        group.append(node)
    return [AllBut(groups[side], place) for side, place in zip(sides, places, strict=True)]
