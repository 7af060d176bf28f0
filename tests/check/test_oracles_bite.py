"""Every oracle bites: a stack that is broken on purpose runs in the simulator and is caught, an honest one is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from motecast.check import ORACLES, judge
from motecast.sim import run, scenario_of
from motecast.trace import Trace
from motecast.trace.kinds import CODE
from motecast.trace.store import kind_codes

WORLD: dict[str, Any] = {
    "name": "bite",
    "until": 30.0,
    "nodes": {"mote": {"count": 12, "placement": "grid"}},
    "field": {"area": [40.0, 40.0]},
    "medium": {"kind": "disk", "range": 15.0, "latency": [0.01, 0.8]},  # slow and uneven, so that events overtake
    "workload": {
        "mote": {
            "publish": {
                "topics": ["a", "b"],
                "every": 2.0,
                "until": 20.0,
                "attributes": {"v": {"uniform": [0.0, 1.0]}},
            },
            "subscribe": {"topics": ["a"], "where": "v > 0.5"},
        }
    },
}
CRASH = {"faults": {"schedule": [{"do": "crash", "when": 5.0, "lasts": 5.0, "node": 3, "state": "kept"}]}}


def trace_of(stack: str, level: str = "full", **tables: Any) -> Trace:
    return run(scenario_of({**WORLD, **tables, "stack": stack}, seed=1), level)


def count(trace: Trace, oracle: str) -> int:
    (verdict,) = judge(trace, [oracle])
    assert verdict.skipped is None
    return verdict.count


BROKEN_STACKS = [
    ("integrity", "twice", "flood"),
    ("integrity", "inventor", "flood"),
    ("validity", "shy", "flood"),
    ("agreement", "hermits", "flood"),
    ("only-subscribed", "careless", "flood"),
    ("fifo", "hasty", "flood-fifo"),
    ("fifo", "liar", "flood-fifo"),
    ("causal-order", "liar", None),
    ("causal-order", "hasty", None),  # no causal stack yet: the trace in which all is in order is in test_oracles
    ("bounded-state", "hoarder", "flood"),
]


@pytest.mark.parametrize(("oracle", "broken", "honest"), BROKEN_STACKS)
def test_a_broken_stack_is_caught_and_an_honest_one_is_not(oracle: str, broken: str, honest: str | None) -> None:
    assert count(trace_of(f"tests.check.broken:{broken}"), oracle) > 0
    if honest is not None:
        assert count(trace_of(honest), oracle) == 0


def test_a_state_that_is_too_large_for_half_a_second_is_caught_at_level_full() -> None:
    """Two nodes publish once each: too few frames for the host to look after so many of them."""
    nodes = {"mote": {"count": 2, "placement": "grid"}}
    workload = {"mote": {"publish": {"every": 10.0, "until": 25.0, "limit": 1}, "subscribe": {}}}
    trace = trace_of("tests.check.broken:bursting", nodes=nodes, workload=workload)
    assert trace.events.num_rows == 2
    assert count(trace, "bounded-state") == 1


def rows_without(trace: Trace, kind: str) -> Trace:
    trace.rows = trace.rows.filter(pa.array(kind_codes(trace.rows) != CODE[kind]))
    return trace


def heavier(trace: Trace, kind: str, column: str) -> Trace:
    """All rows of a kind have one byte more in a column."""
    values = trace.rows[column].fill_null(0).to_numpy() + (kind_codes(trace.rows) == CODE[kind])
    place = trace.rows.column_names.index(column)
    trace.rows = trace.rows.set_column(place, trace.rows.schema.field(column), pa.array(values, pa.int32()))
    return trace


def richer(trace: Trace) -> Trace:
    counts = trace.totals["count"].to_numpy() + 1
    trace.totals = trace.totals.set_column(3, trace.totals.schema.field("count"), pa.array(counts))
    return trace


def earlier(trace: Trace) -> Trace:
    """The first delivery comes before everything."""
    first = int(np.flatnonzero(kind_codes(trace.rows) == CODE["deliver"])[0])
    order = [first, *(row for row in range(trace.rows.num_rows) if row != first)]
    trace.rows = trace.rows.take(pa.array(order))
    return trace


BROKEN_HOSTS = [
    ("silence-of-the-dead", lambda trace: rows_without(trace, "recover")),
    ("bytes-conserved", lambda trace: rows_without(trace, "broadcast")),
    ("bytes-conserved", lambda trace: heavier(trace, "receive", "size")),
    ("bytes-conserved", lambda trace: heavier(trace, "broadcast", "metadata")),
    ("bytes-conserved", richer),
    ("integrity", earlier),
    ("something-published", lambda trace: Trace(**{**vars(trace), "events": trace.events.slice(0, 0)})),
    ("something-delivered", lambda trace: rows_without(trace, "deliver")),
    ("something-wanted", lambda trace: Trace(**{**vars(trace), "subscriptions": trace.subscriptions.slice(0, 0)})),
    ("something-crashed", lambda trace: rows_without(trace, "crash")),
    ("something-lost", lambda trace: rows_without(trace, "lose")),
]


@pytest.mark.parametrize(("oracle", "tamper"), BROKEN_HOSTS)
def test_a_host_that_writes_what_cannot_be_is_caught(oracle: str, tamper: Any) -> None:
    """What no stack can do, because its host does it: the rows of an honest run are changed by hand."""
    medium = {**WORLD["medium"], "loss": 0.1}
    assert count(trace_of("flood", medium=medium, **CRASH), oracle) == 0
    assert count(tamper(trace_of("flood", medium=medium, **CRASH)), oracle) > 0


def test_every_oracle_is_bitten_here() -> None:
    assert {oracle for oracle, *_ in (*BROKEN_STACKS, *BROKEN_HOSTS)} == ORACLES.keys()


@pytest.mark.parametrize("stack", ["flood", "flood-fifo", "gossip"])
def test_honest_stacks_keep_all_their_promises_under_faults(stack: str) -> None:
    faults = {
        "rates": [{"do": "crash", "every": 8.0, "lasts": 2.0, "state": "lost", "of": "mote"}],
        "schedule": [{"do": "leave", "when": 12.0, "node": 5}, {"do": "join", "when": 6.0, "node": 7}],
    }
    trace = trace_of(stack, faults=faults, medium={**WORLD["medium"], "loss": 0.1})
    for verdict in judge(trace):
        assert verdict.holds, (verdict.oracle, verdict.count, verdict.findings[:3])
    assert {v.oracle for v in judge(trace) if v.skipped} <= {"bounded-state"}
