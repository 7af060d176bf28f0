"""What radios use up: every frame once, to the picojoule; who is empty is dead; and how long the busiest would last."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from motecast.check import judge, measure
from motecast.sim import deploy, run, scenario_of
from motecast.trace import Trace
from tests.sim.probes import kinds
from tests.sim.walkers import field

PAIR: list[Any] = [15.0, 5.0, 12.0]
SENT = 100 * (50.0 + 0.010 * 225.0) * 1000  # pJ: 100 bits over 15 m
HEARD = 100 * 50.0 * 1000
AIR = {"kind": "cells", "latency": 0.0, "rate": 100.0}
FLOOD: dict[str, Any] = {
    "name": "flood",
    "stack": "flood",
    "seed": 3,
    "until": 40.0,
    "nodes": {"n": {"count": 20}},
    "workload": {"n": {"publish": {"every": 5.0}, "subscribe": {}}},
    "energy": {},
}


def spent(trace: Trace) -> dict[tuple[int, str], tuple[int, int]]:
    """By node and purpose: frames and picojoules."""
    rows = [row for row in trace.totals.to_pylist() if row["kind"] == "energy"]
    return {(row["node"], row["message"]): (row["count"], row["size"]) for row in rows}


def told(orders: list[tuple[float, int, str]], energy: dict[str, Any], **tables: Any) -> Trace:
    """A field of three nodes that all hear each other."""
    return run(field(PAIR, orders, energy=energy, **{"medium": AIR, **tables}), "full")


@pytest.mark.parametrize("medium", [AIR, {"kind": "cells", "latency": 0.0}], ids=["air time", "no air time"])
def test_a_frame_is_paid_by_who_sends_it_and_by_those_it_is_for(medium: dict[str, Any]) -> None:
    trace = told([(1.0, 0, "say a")], {}, medium=medium)
    assert spent(trace) == {(0, "transmit"): (1, SENT), (1, "receive"): (1, HEARD), (2, "receive"): (1, HEARD)}
    trace = told([(1.0, 0, "tell 2 a")], {}, medium=medium)
    assert spent(trace) == {(0, "transmit"): (1, SENT), (2, "receive"): (1, HEARD)}
    trace = told([(1.0, 0, "tell 2 a")], {"overhearing": 5.0}, medium=medium)
    assert spent(trace)[1, "overhear"] == (1, HEARD / 10)


def test_the_scenario_says_what_is_charged() -> None:
    orders = [(1.0, 0, "say a"), (3.0, 0, "give 1")]
    frames = {charge: {key: n for key, (n, _) in spent(told(orders, {"charge": charge})).items()} for charge in KINDS}
    assert frames["tx"] == {(0, "transmit"): 1}
    assert frames["data"] == {(0, "transmit"): 1, (1, "receive"): 1}
    assert frames["all"] == {(0, "transmit"): 2, (1, "receive"): 2, (2, "receive"): 1}


KINDS = ("tx", "data", "all")


def test_the_actual_distance_is_that_to_the_farthest_addressee() -> None:
    for order, distance in (("say a", 10.0), ("tell 2 a", 3.0)):
        [(_, cost)] = [
            each for key, each in spent(told([(1.0, 0, order)], {"distance": "actual"})).items() if key[0] == 0
        ]
        assert cost == round(100 * (50_000 + 10 * distance**2))


def test_classes_without_limit_are_not_charged_and_never_die() -> None:
    nodes = {"sink": {"count": 1}, "sensor": {"count": 2}}
    trace = told([(1.0, 0, "say a"), (3.0, 1, "say b")], {"unlimited": ["sink"], "initial": 1e-9}, nodes=nodes)
    assert {node for node, _ in spent(trace)} == {1, 2}
    assert {node for _, node, *_ in kinds(trace, "crash")} == {1, 2}


def test_who_is_down_or_asleep_hears_nothing_and_pays_nothing() -> None:
    for fault in ({"do": "crash"}, {"do": "perturb", "lasts": 10.0}):
        faults = {"schedule": [{"when": 0.5, "node": 1, **fault}]}
        assert set(spent(told([(1.0, 0, "say a")], {}, faults=faults))) == {(0, "transmit"), (2, "receive")}


def test_a_frame_is_not_paid_by_who_lost_the_link_under_it() -> None:
    ways: list[Any] = [15.0, [(0.0, 25.0), (1.0, 25.0), (2.0, 55.0)]]
    trace = run(field(ways, [(1.0, 0, "say a")], medium=AIR, energy={}), "full")
    assert set(spent(trace)) == {(0, "transmit")}


def test_acknowledgements_cost_what_their_bits_cost() -> None:
    trace = told([(1.0, 0, "tell 1 a")], {}, medium={**AIR, "acknowledge": True})
    assert spent(trace)[1, "transmit"] == (1, 40 * 52_250)
    assert spent(trace)[0, "receive"] == (1, 40 * 50_000)


def test_an_empty_node_is_dead_for_good_and_says_nothing_more() -> None:
    orders = [(1.0 + 2 * n, 0, f"say a{n}") for n in range(6)]
    trace = told(orders, {"initial": 2.5 * SENT / 1e12})
    assert kinds(trace, "energy") == [(5.0, 0, "energy", "empty")]
    assert kinds(trace, "crash") == [(5.0, 0, "crash", "for good")]
    assert [t for t, node, *_ in kinds(trace, "broadcast")] == [1.0, 3.0, 5.0]
    assert [v.findings for v in judge(trace, ["silence-of-the-dead"])] == [()]
    assert measure(trace)["lifetime_days"] == pytest.approx(5.0 / 86_400 * 2.5 / 3, rel=1e-9)


def test_idle_and_sleeping_nodes_draw_their_power_and_may_die_of_it() -> None:
    faults = {
        "schedule": [{"do": "perturb", "when": 10.0, "node": 1, "lasts": 5.0}, {"do": "crash", "when": 20.0, "node": 2}]
    }
    trace = told([], {"idle": 0.01, "sleep": 0.001}, faults=faults)
    joules = {key: size / 1e12 for key, (_, size) in spent(trace).items()}
    assert joules == {(0, "idle"): 0.3, (1, "idle"): 0.25, (1, "sleep"): 0.005, (2, "idle"): 0.2}
    trace = told([], {"idle": 0.01, "sleep": 0.001, "initial": 0.2}, faults=faults)
    assert [(t, node) for t, node, *_ in kinds(trace, "energy")] == [(20.0, 0), (24.5, 1)]


def test_what_is_drawn_and_what_frames_cost_add_up_to_one_death() -> None:
    trace = told([(5.0, 0, "say a")], {"idle": 1e-6, "initial": 1.5e-5})
    assert kinds(trace, "energy")[0][:2] == (pytest.approx(9.775, abs=1e-3), 0)  # 15 uJ less 5.225 uJ at 1 uW


def test_measures_are_joules_of_all_and_days_of_the_busiest() -> None:
    measures = measure(told([(1.0, 0, "say a"), (3.0, 1, "tell 0 b")], {"initial": 2.0}))
    assert measures["energy_joules"] == pytest.approx((2 * SENT + 3 * HEARD) / 1e12)
    assert measures["lifetime_days"] == pytest.approx(2.0 / ((SENT + HEARD) / 1e12 / 30.0) / 86_400)
    assert measures["load_max"] == 1, "energy is no frame"


def test_without_a_table_of_energy_nothing_is_measured() -> None:
    scenario = {key: value for key, value in FLOOD.items() if key != "energy"}
    for measures in (measure(run(scenario_of(scenario))), measure(told([], {}))):
        assert measures["lifetime_days"] is None
    assert measure(run(scenario_of(scenario)))["energy_joules"] is None
    assert measure(told([], {}))["energy_joules"] == 0.0


@pytest.mark.parametrize(
    "medium", [{"kind": "disk", "range": 40.0}, {"kind": "disk", "range": 40.0, "rate": 1e6, "backoff": 0.01}]
)
def test_rows_of_level_full_add_up_to_the_totals_of_every_level(medium: dict[str, Any]) -> None:
    made = deploy(scenario_of({**FLOOD, "medium": medium}))
    full, plain = run(made, "full"), run(made)
    assert full.totals.equals(plain.totals)
    assert measure(full) == measure(plain)
    bits: Counter[tuple[int, str]] = Counter()
    for row in full.rows.to_pylist():
        if row["kind"] in ("broadcast", "receive"):
            bits[row["node"], row["kind"]] += row["size"] * 8
    found = {key: size for key, (_, size) in spent(full).items()}
    names = {"broadcast": ("transmit", 52_250), "receive": ("receive", 50_000)}
    assert found == {(node, names[kind][0]): count * names[kind][1] for (node, kind), count in bits.items()}
    assert [f for verdict in judge(full) for f in verdict.findings] == []


def test_energy_changes_nothing_else() -> None:
    scenario = {**FLOOD, "medium": {"kind": "disk", "range": 40.0}}
    free = {key: value for key, value in scenario.items() if key != "energy"}
    assert run(scenario_of(scenario)).digest == run(scenario_of(free)).digest
