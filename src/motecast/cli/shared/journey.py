"""One event's way through the field, read off a trace: who had it when, from whom, and who wanted it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motecast.check import View
from motecast.check.columns import NONE, Ints
from motecast.core import EventId

SECOND = 1_000_000


@dataclass
class Journey:
    """`arrivals`: node -> (seconds after publication, hops or None); `tree`: node -> who it first heard it from."""

    event: EventId
    arrivals: dict[int, tuple[float, int | None]]
    tree: dict[int, int]
    wanted: set[int]
    delivered: set[int]

    @property
    def depths(self) -> dict[int, int]:
        """Hops of each node that is known to have it: those of its delivery, else its depth in the tree."""
        found = {self.event.publisher: 0}
        for node in sorted(self.arrivals, key=lambda each: self.arrivals[each][0]):
            hops = self.arrivals[node][1]
            if hops is not None:
                found[node] = hops
            elif node in self.tree and self.tree[node] in found:
                found.setdefault(node, found[self.tree[node]] + 1)
        return found


def journey(view: View, event: int) -> Journey:
    """The way of the event in this row of the table of events."""
    name = EventId(int(view.publisher[event]), int(view.number[event]))
    arrivals: dict[int, tuple[float, int | None]] = {}
    tree: dict[int, int] = {}
    began = int(view.when[event])
    for t, node, peer in _receptions(view, name):
        if node != name.publisher and node not in arrivals:
            arrivals[node] = ((t - began) / SECOND, None)
            tree[node] = peer
    mine = np.flatnonzero(view.deliveries.event == event)
    delivered: set[int] = set()
    for place in mine.tolist():
        node, hops = int(view.deliveries.node[place]), int(view.hops[place])
        if node not in delivered:
            seconds = arrivals[node][0] if node in arrivals else (int(view.deliveries.t[place]) - began) / SECOND
            arrivals[node] = (seconds, hops if hops >= 0 else None)
            delivered.add(node)
    wanted = set(view.pairs.node[view.pairs.event == event].tolist())
    return Journey(name, arrivals, tree, wanted, delivered)


def farthest(view: View) -> int | None:
    """The event that went over most hops to one who wants it; of several the one with most such; None if there is none.

    If nothing that is wanted was delivered it is the first that somebody wants, or else the first.
    """
    count = len(view.publisher)
    if not count:
        return None
    pairs = view.pairs
    hops, wishes, deliveries = np.full(count, NONE), np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    np.maximum.at(hops, pairs.event[pairs.delivered], view.hops[view.first_delivery])
    np.add.at(wishes, pairs.event, 1)
    np.add.at(deliveries, pairs.event[pairs.delivered], 1)
    return int(np.lexsort((-np.arange(count), wishes > 0, deliveries, hops))[-1])


def _receptions(view: View, event: EventId) -> list[tuple[int, int, int]]:
    """(µs, node, sender) of every frame that carried this event alone; none below level `full`."""
    rows: Ints = view.where("receive")
    mine = (view.column("publisher", rows) == event.publisher) & (view.column("number", rows) == event.number)
    rows = rows[mine]
    columns = (view.t[rows], view.node[rows], view.column("peer", rows))
    return list(zip(*(column.tolist() for column in columns), strict=True))
