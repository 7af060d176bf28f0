"""What each node delivered, one event after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from motecast.check.columns import NONE, Bools, Ints

if TYPE_CHECKING:
    from motecast.check.view import View


class Sequences(NamedTuple):
    """First deliveries, in the order of (node, memory, row)."""

    line: Ints  # which node and memory: equal within one sequence, growing
    node: Ints
    event: Ints
    row: Ints
    has_gap: Bools


def sequences(view: View) -> Sequences:
    """What each node delivered, one after the other."""
    copies = view.deliveries
    known = np.flatnonzero(copies.event != NONE)
    node, event, row = copies.node[known], copies.event[known], copies.row[known]
    memory = view.life.incarnation(node, row)
    line = np.unique(node * (memory.max(initial=0) + 1) + memory, return_inverse=True)[1].astype(np.int64)
    first = np.unique(line * max(1, len(view.publisher)) + event, return_index=True)[1]
    order = first[np.lexsort((row[first], line[first]))]
    return Sequences(line[order], node[order], event[order], row[order], view.has_gap[known[order]])
