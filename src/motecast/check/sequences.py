"""What each node delivered, one event after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from motecast.check.columns import NONE, Bools, Ints

if TYPE_CHECKING:
    from motecast.check.view import View


class Sequences(NamedTuple):
    """First deliveries, in the order of (node, memory, row), without sought history."""

    line: Ints  # which node and memory: equal within one sequence, growing
    node: Ints
    event: Ints
    row: Ints


def sequences(view: View) -> Sequences:
    """What each node delivered, one after the other. History is left out where it is history: something newer of its
    publisher was delivered here before, in the order. Any other delivery counts, whatever it is called.
    """
    copies = view.deliveries
    known = np.flatnonzero(copies.event != NONE)
    node, event, row = copies.node[known], copies.event[known], copies.row[known]
    memory = view.life.incarnation(node, row)
    line = np.unique(node * (memory.max(initial=0) + 1) + memory, return_inverse=True)[1].astype(np.int64)
    first = np.unique(line * max(1, len(view.publisher)) + event, return_index=True)[1]
    order = first[np.lexsort((row[first], line[first]))]
    is_history = view.is_history[known[order]]
    if is_history.any():
        order = order[~(is_history & _is_behind(view, line[order], event[order], ~is_history))]
    return Sequences(line[order], node[order], event[order], row[order])


def _is_behind(view: View, line: Ints, event: Ints, is_live: Bools) -> Bools:
    """Where a live delivery of a newer event of the same publisher came earlier in the same line."""
    group = line * max(1, len(view.publishers)) + np.searchsorted(view.publishers, view.publisher[event])
    order = np.argsort(group, kind="stable")
    base = np.unique(group[order], return_inverse=True)[1] * (len(view.publisher) + 1)
    newest = np.maximum.accumulate(base + np.where(is_live[order], event[order] + 1, 0))
    found = np.zeros(len(line), dtype=np.bool_)
    found[order] = newest > base + event[order] + 1
    return found
