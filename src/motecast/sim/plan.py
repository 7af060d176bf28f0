"""A contact plan: who can hear whom from when until when. A value that is kept in a file and shared by runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from motecast.core import ConfigError, NodeId
from motecast.sim.parquet import read_parquet

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = "1"  # of a saved plan; another one is refused by name
_SCHEMA = pa.schema([("a", pa.int32()), ("b", pa.int32()), ("up", pa.int64()), ("down", pa.int64())])


@dataclass(frozen=True, eq=False)
class Plan:
    """Contacts in columns, ordered by `up`, `a`, `b`: a < b hear each other in the ticks [up, down)."""

    nodes: int
    until: int  # ticks; a contact that lasts on has a `down` beyond it
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    up: NDArray[np.int64]
    down: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.a)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Plan)
            and (self.nodes, self.until) == (other.nodes, other.until)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _SCHEMA.names)
        )

    def __hash__(self) -> int:
        return hash((self.nodes, self.until, len(self)))

    def links(self) -> list[tuple[NodeId, ...]]:
        """For each node who hears it at the beginning."""
        first = self.up <= 0
        one, other = np.r_[self.a[first], self.b[first]], np.r_[self.b[first], self.a[first]]
        order = np.lexsort((other, one))
        ends = np.searchsorted(one[order], np.arange(1, self.nodes))
        return [tuple(peers.tolist()) for peers in np.split(other[order], ends)] if self.nodes else []

    def save(self, path: str | Path) -> None:
        """Writes a Parquet file."""
        facts = {"motecast plan": FORMAT, "nodes": str(self.nodes), "until": str(self.until)}
        columns = [pa.array(getattr(self, field.name), field.type) for field in _SCHEMA]
        pq.write_table(pa.table(columns, schema=_SCHEMA).replace_schema_metadata(facts), Path(path))


def plan_from(
    contacts: Mapping[str, NDArray[np.int64]] | list[tuple[int, int, int, int]], nodes: int, until: int
) -> Plan:
    """Contacts (a, b, up, down) in any order, those of one pair that touch joined, those of no duration left out."""
    if isinstance(contacts, list):
        table = np.array(contacts, dtype=np.int64).reshape(-1, 4)
        a, b, up, down = table.T
    else:
        a, b, up, down = (contacts[name] for name in _SCHEMA.names)
    kept = (up < down) & (up <= until)
    a, b, up, down = np.minimum(a, b)[kept], np.maximum(a, b)[kept], up[kept], np.minimum(down, until + 1)[kept]
    if not len(a):
        return Plan(nodes, until, a, b, up, down)
    order = np.lexsort((up, b, a))
    a, b, up, down = a[order], b[order], up[order], down[order]
    is_new = np.ones(len(a), dtype=bool)
    is_new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1]) | (up[1:] > _latest(a, b, down)[:-1])
    first = np.flatnonzero(is_new)
    a, b, up, down = a[first], b[first], up[first], np.maximum.reduceat(down, first)
    order = np.lexsort((b, a, up))
    return Plan(nodes, until, a[order], b[order], up[order], down[order])


def _latest(a: NDArray[np.int64], b: NDArray[np.int64], down: NDArray[np.int64]) -> NDArray[np.int64]:
    """The latest end among the contacts of the same pair so far; pairs side by side, in order of their begin."""
    starts = np.r_[0, np.flatnonzero((a[1:] != a[:-1]) | (b[1:] != b[:-1])) + 1]
    group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(a)]))
    height = int(down.max()) + 1
    if len(starts) < 2**62 // height:
        return np.maximum.accumulate(group * height + down) - group * height
    found = [np.maximum.accumulate(part) for part in np.split(down, starts[1:])]
    return np.concatenate(found)


def load_plan(path: str | Path) -> Plan:
    """The plan in a file; `ConfigError` for what is none."""
    file = Path(path)
    table = read_parquet(file, "contact plan")
    facts = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    found = facts.get("motecast plan")
    if found != FORMAT or table.schema.names != _SCHEMA.names:
        raise ConfigError(f"{file}: no contact plan of format {FORMAT}: found {found or 'none'}; write it anew")
    columns = {name: table[name].to_numpy().astype(np.int64) for name in _SCHEMA.names}
    plan = Plan(int(facts["nodes"]), int(facts["until"]), **columns)
    if len(plan) and (plan.a.min() < 0 or plan.b.max() >= plan.nodes or (plan.a >= plan.b).any()):
        raise ConfigError(f"{file}: a contact of nodes that are not 0 to {plan.nodes - 1}, the smaller first")
    return plan
