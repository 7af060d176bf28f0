"""Anything at all in any place of a scenario is taken or told in one line; nothing is a crash."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from motecast.core import ConfigError
from motecast.sim import deploy, scenario_of
from tests.sim.plain import PLAIN

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-3, 3),
    st.floats(),
    st.sampled_from([0.5, 1e400, 10**400, -(2**63), 2**64, "#", "a/+", "{node}", "x > 1", "flood", "no:where", ""]),
    st.text(max_size=8),
    st.just(datetime.date(2020, 2, 2)),
    st.just(datetime.datetime(2020, 2, 2, 2)),
    st.just(datetime.time(2)),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
RICH = {
    **PLAIN,
    "field": {"area": [10.0, 10.0]},
    "medium": {"kind": "graph", "latency": [0.0, 0.1], "beacon": {"size": 10}},
    "faults": {
        "schedule": [
            {"do": "crash", "when": 1.0},
            {"do": "partition", "when": 1.0, "x": 1.0},
            {"do": "skew", "when": 1.0},
        ],
        "rates": [{"do": "perturb", "rate": 0.5}],
    },
    "workload": {
        "n": {"publish": {"topics": ["a"], "attributes": {"v": {"uniform": [0.0, 1.0]}, "k": 3}}},
        "sub": {"subscribe": {"topics": ["#"], "ranges": {"v": {"domain": [0.0, 1.0], "width": [0.1, 0.2]}}}},
    },
    "protocol": {"gossip": {"p": 0.5}},
}


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in the scenario, tables and lists included."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in items for place in places(item, (*path, key)))]


def told(plain: Any) -> str:
    """What is said about it; nothing if nothing is wrong."""
    try:
        scenario_of(plain)
    except ConfigError as error:
        return str(error)
    return ""


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The scenario with something else in this place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(copy[path[0]], path[1:], new)
    return copy


@pytest.mark.fuzz
@given(st.sampled_from([place for place in places(RICH) if place]), ANYTHING)
@example(("medium",), 5)  # msgspec 0.22 corrupts memory when it sees the struct behind this, so it must not
def test_any_value_in_any_place_is_taken_or_told(place: tuple[Any, ...], value: Any) -> None:
    assert "\n" not in told(replaced(RICH, place, value))


@pytest.mark.fuzz
@given(st.sampled_from([p for p in places(RICH) if isinstance(p, tuple)]), st.text(max_size=8), ANYTHING)
def test_any_key_in_any_table_is_taken_or_told(place: tuple[Any, ...], key: str, value: Any) -> None:
    table: Any = RICH
    for name in place:
        table = table[name]
    if isinstance(table, dict):
        assert "\n" not in told(replaced(RICH, place, {**table, key: value}))


@pytest.mark.fuzz
@given(st.binary(max_size=60))
def test_any_bytes_are_positions_or_told(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "f.csv"
    path.write_bytes(b"x,y\n" + data)
    scenario = scenario_of(PLAIN, path.parent, {"nodes.n": {"file": "f.csv"}})
    try:
        found = len(deploy(scenario).positions)
    except ConfigError as error:
        found = str(error).startswith(str(path))
    assert found
