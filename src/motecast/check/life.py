"""When each node was up: crash and recover rows as an index that rows are looked up in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from motecast.check.columns import NEVER, Bools, Ints, find, ints, texts_equal
from motecast.trace.kinds import CODE

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass
class Life:
    """The crash and recover rows, sorted by node and then by row. A key is `node * size + row`."""

    size: int  # of the whole trace, plus one
    keys: Ints
    node: Ints
    is_crash: Bools
    is_join: Bools
    forgets: Bools  # a crash after which nothing is remembered
    deaths: dict[int, int]  # when a node died for good

    @classmethod
    def of(cls, rows: pa.Table, kind: Ints) -> Life:
        """Read off the rows."""
        chosen = np.flatnonzero(np.isin(kind, [CODE["crash"], CODE["recover"]])).astype(np.int64)
        some = rows.take(chosen)
        order = np.lexsort((chosen, ints(some["node"])))
        some, chosen = some.take(order), chosen[order]
        node, is_crash = ints(some["node"]), kind[chosen] == CODE["crash"]
        for_good = is_crash & texts_equal(some["detail"], "for good")
        return cls(
            size=len(kind) + 1,
            keys=node * (len(kind) + 1) + chosen,
            node=node,
            is_crash=is_crash,
            is_join=~is_crash & texts_equal(some["detail"], "join"),
            forgets=is_crash & ~texts_equal(some["detail"], "state kept"),
            deaths=dict(zip(node[for_good].tolist(), ints(some["t"])[for_good].tolist(), strict=True)),
        )

    def death(self, nodes: Ints) -> Ints:
        """When each of these nodes died for good; `NEVER` for most."""
        dead = np.array(sorted(self.deaths), dtype=np.int64)
        when = np.array([*(self.deaths[node] for node in dead.tolist()), NEVER], dtype=np.int64)
        return when[find(dead, nodes)]  # not among them: the last, which is NEVER

    def is_down(self, nodes: Ints, rows: Ints) -> Bools:
        """Whether each node was dead, or had not joined yet, just before that row."""
        if not len(self.keys):
            return np.zeros(len(rows), dtype=np.bool_)
        after = np.searchsorted(self.keys, nodes * self.size + rows)
        before = np.maximum(after - 1, 0)
        has_past = (after > 0) & (self.node[before] == nodes)
        coming = np.minimum(after, len(self.keys) - 1)
        joins_later = (after < len(self.keys)) & (self.node[coming] == nodes) & self.is_join[coming]
        return np.where(has_past, self.is_crash[before], joins_later)

    def incarnation(self, nodes: Ints, rows: Ints) -> Ints:
        """How often anybody's state was lost before that row of that node: equal only within one memory of one node."""
        lost = np.concatenate([[0], np.cumsum(self.forgets)])
        return np.asarray(lost[np.searchsorted(self.keys, nodes * self.size + rows)], dtype=np.int64)

    def faulty(self) -> Ints:
        """The nodes that crashed at least once; all others are the papers' correct processes."""
        return np.unique(self.node[self.is_crash])
