"""How many nodes store a subscription: the rows `store` and `unstore`, read to the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from motecast.check.columns import NONE, Ints, find, ints

if TYPE_CHECKING:
    from motecast.check.view import View


def stored(view: View) -> float | None:
    """Nodes that store a subscription at the end, mean over those still active; None where nothing says so."""
    rows = view.where("store", "unstore")
    subscription = view.column("subscription", rows)
    rows, subscription = rows[subscription != NONE], subscription[subscription != NONE]
    table = view.trace.subscriptions
    active = np.unique(ints(table["subscription"])[ints(table["until"]) == NONE])
    if not (view.is_full and len(rows) and len(active)):
        return None
    last = _last_of_each(view.node[rows], subscription)
    rows, subscription = rows[last], subscription[last]
    ends = np.full(len(rows), len(view.kind), dtype=np.int64)
    remembered = view.life.incarnation(view.node[rows], rows) == view.life.incarnation(view.node[rows], ends)
    held = (view.kind[rows] == view.code("store")) & remembered & (find(active, subscription) != NONE)
    return int(held.sum()) / len(active)


def _last_of_each(node: Ints, subscription: Ints) -> Ints:
    """The places of the last row of each (node, subscription)."""
    order = np.lexsort((np.arange(len(node)), subscription, node))
    ends = (np.diff(node[order]) != 0) | (np.diff(subscription[order]) != 0)
    return np.asarray(order[np.append(ends, True)], dtype=np.int64)
