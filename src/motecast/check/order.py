"""Oracles about the order of deliveries at one node.

A flag `gap` says that something before is missing for good: if it comes after all, the flag excuses nothing.
A node that loses its memory in a crash starts anew: order is judged within one memory, on first deliveries.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from motecast.check.clocks import CLOCK_LIMIT, Clocks, clocks
from motecast.check.columns import Ints, slices
from motecast.check.oracle import Finding, always
from motecast.check.sequences import Sequences
from motecast.check.view import View


@always("per-publisher FIFO")
def fifo(view: View) -> Iterator[Finding]:
    """A node delivers the events of one publisher in the order in which they were published; what it says is missing
    does not come later, unless it is sought as history."""
    some = view.sequences
    publisher = np.searchsorted(view.publishers, view.publisher[some.event])
    group = some.line * max(1, len(view.publishers)) + publisher
    order = np.argsort(group, kind="stable")
    size = len(view.publisher) + 1
    base = np.unique(group[order], return_inverse=True)[1] * size
    # A running maximum over all groups at once: a later group's base exceeds all of an earlier one.
    value = base + some.event[order] + 1
    highest = np.maximum.accumulate(value)
    holder = np.maximum.accumulate(np.where(value == highest, np.arange(len(value)), 0))
    for place in (np.flatnonzero(highest[:-1] > value[1:]) + 1).tolist():
        yield _inversion(view, some, order[holder[place - 1]], order[place], "which was published before it")


def _too_many(view: View) -> str | None:
    cells = len(view.publisher) * len(view.publishers)
    return f"{cells} clock entries (events × publishers); the limit is {CLOCK_LIMIT}" if cells > CLOCK_LIMIT else None


@always("Lamport 1978; Kim & Ahn §1, causal order", need=_too_many)
def causal_order(view: View) -> Iterator[Finding]:
    """A node that delivers two events, one of which happened before the other (same publisher, or its publisher had
    delivered the one before it published the other, or through others), delivers them in that order; what it says is
    missing does not come later, unless it is sought as history."""
    some = view.sequences
    clock = clocks(view)
    of = np.searchsorted(view.publishers, view.publisher)  # the column of each event's publisher
    for a, b in slices(some.line):
        event = some.event[a:b]
        late = np.flatnonzero(np.maximum.accumulate(event) > event)  # a cause is published, so numbered, earlier
        if len(late):
            yield from _overtaken(view, some, clock, of, a, b, late)


def _overtaken(view: View, some: Sequences, clock: Clocks, of: Ints, a: int, b: int, late: Ints) -> Iterator[Finding]:
    """In one sequence: late events that are known to a clock of an earlier delivery."""
    event = some.event[a:b]
    columns = np.unique(of[event[late]])
    known = clock[np.ix_(event, columns)]
    highest = np.maximum.accumulate(known, axis=0)
    column = np.searchsorted(columns, of[event[late]])
    rank = view.rank[event[late]]
    is_wrong = highest[late - 1, column] >= rank
    for place, c, r in zip(late[is_wrong].tolist(), column[is_wrong].tolist(), rank[is_wrong].tolist(), strict=True):
        early = int(np.argmax(known[:place, c] >= r))
        yield _inversion(view, some, a + early, a + place, "which happened before it")


def _inversion(view: View, some: Sequences, early: int, late: int, how: str) -> Finding:
    first, second = view.named(some.event[early]), view.named(some.event[late])
    text = f"node {some.node[late]} delivers event {first} before event {second}, {how}"
    return Finding(text, (int(some.row[early]), int(some.row[late])))
