"""Exact happened-before as one vector clock an event: how many events of each publisher are in its past."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from motecast.check.columns import NONE, Ints

if TYPE_CHECKING:
    from motecast.check.view import View

Clocks: TypeAlias = NDArray[np.int32]  # a line an event, a column a publisher

CLOCK_LIMIT = 250_000_000  # entries: a gigabyte


def clocks(view: View) -> Clocks:
    """The past of every event, itself included: a happened before b where clock[b, publisher of a] >= rank of a.

    a → b if both have one publisher and a came first, or if the publisher of b delivered a before it published b, or
    through others. Events are published in the order of their numbers, so a line is complete when it is needed.
    """
    column = np.searchsorted(view.publishers, view.publisher)
    clock = np.zeros((len(view.publisher), len(view.publishers)), dtype=np.int32)
    learnt = _learnt(view)
    last: dict[int, int] = {}
    for event in range(len(clock)):
        mine = int(column[event])
        now = clock[event]
        if mine in last:
            now[:] = clock[last[mine]]
        _learn(now, clock, learnt[event], column, view.rank)
        now[mine] = view.rank[event]
        last[mine] = event
    return clock


def _learn(now: NDArray[np.int32], clock: Clocks, news: Ints, column: Ints, rank: Ints) -> None:
    """Takes the pasts of delivered events over. The newest is no past of another, so each step settles many."""
    while len(news := news[rank[news] > now[column[news]]]):
        np.maximum(now, clock[news.max()], out=now)


def _learnt(view: View) -> list[Ints]:
    """For every event what its publisher had delivered since its previous event."""
    events = len(view.publisher)
    copies, size = view.deliveries, len(view.kind) + 1
    order = np.lexsort((view.published_row, view.publisher))
    keys = view.publisher[order] * size + view.published_row[order]
    place = np.searchsorted(keys, copies.node * size + copies.row)
    following = np.append(order, NONE)[place]  # the next publication at or after this node's; NONE: no more
    known = (copies.event != NONE) & (following != NONE)
    known[known] &= view.publisher[following[known]] == copies.node[known]
    known &= copies.event < following  # an event delivered before its publication caused nothing
    sorting = np.argsort(following[known], kind="stable")
    edges = np.searchsorted(following[known][sorting], np.arange(events + 1))
    news = copies.event[known][sorting]
    return [news[a:b] for a, b in pairwise(edges.tolist())]
