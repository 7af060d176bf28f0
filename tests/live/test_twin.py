"""Two worlds, one protocol: every stack of the catalogue delivers the same in virtual time and on loopback UDP.

A later stack joins by being in the catalogue. Where chance or patience decides about deliveries, `CERTAIN` gives the
parameters with which it does not: the worlds throw the same dice, but not in the same order.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from motecast import live, sim
from motecast.check import Run
from motecast.stacks import STACKS
from motecast.trace import Trace

EVENTS = 500
# Their subscribers announce where they go, and nobody moves on loopback UDP: hardly anything is delivered.
MOVING = frozenset(name for name in STACKS if name.startswith(("ced", "dg")))
RESTING = [name for name in STACKS if name not in MOVING]
CERTAIN = {
    "gossip": {"p": 1.0},  # every rumour is passed on
    "flood-fifo": {"patience": 1000.0},  # s; nothing is given up because a machine is slow
}
ORDERED = {"fifo", "causal-order"}  # promises that are about sequences


def deployment(stack: str) -> sim.Deployment:
    """20 nodes, each hearing about 6 others; each publishes 25 events, and 10 of them want about half of all events."""
    scenario = {
        "name": "twin",
        "stack": stack,
        "seed": 5,
        "until": 20.0,
        "protocol": {stack: CERTAIN.get(stack, {})},
        "field": {"area": [100.0, 100.0]},
        "nodes": {"sensor": {"count": 10}, "subscriber": {"count": 10}},
        "medium": {"kind": "graph", "generator": "random", "degree": 6, "latency": 0.0005, "acknowledge": True},
        "workload": {
            "sensor": {"publish": _publish()},
            "subscriber": {"publish": _publish(), "subscribe": {"topics": ["field"], "where": "value > 50"}},
        },
    }
    return sim.deploy(sim.scenario_of(scenario))


def _publish() -> dict[str, object]:
    value = {"uniform": [0.0, 100.0]}
    return {"every": 0.02, "arrivals": "periodic", "since": 0.1, "limit": 25, "attributes": {"value": value}}


def hosted(deployed: sim.Deployment, until: float = 10_000.0) -> Trace:
    """The same deployment on real sockets; it ends when nothing can happen any more, long before `until`."""
    return live.run(
        deployed.stack,
        deployed.positions,
        deployed.links,
        deployed.script,
        seed=deployed.scenario.seed,
        until=until,
        classes=deployed.classes,
        about=deployed.about(),
    )


def delivered(trace: Trace) -> dict[int, list[tuple[int, int]]]:
    """Events in the order in which each node got them."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in trace.rows.select(["node", "kind", "publisher", "number"]).to_pylist():
        if row["kind"] == "deliver":
            found[row["node"]].append((row["publisher"], row["number"]))
    return found


def by_publisher(sequence: list[tuple[int, int]]) -> dict[int, list[int]]:
    """The numbers of each publisher in the order in which they came."""
    found: dict[int, list[int]] = defaultdict(list)
    for publisher, number in sequence:
        found[publisher].append(number)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("stack", RESTING)
def test_simulator_and_udp_deliver_the_same(stack):
    deployed = deployment(stack)
    virtual, real = sim.run(deployed), hosted(deployed)
    assert virtual.events.num_rows == real.events.num_rows == EVENTS
    expected, found = delivered(virtual), delivered(real)
    assert len(expected) == 10
    assert sum(map(len, expected.values())) > 2000
    assert {node: sorted(events) for node, events in found.items()} == {
        node: sorted(events) for node, events in expected.items()
    }
    if ORDERED & set(deployed.stack.promises):
        for node, sequence in found.items():
            assert by_publisher(sequence) == by_publisher(expected[node]), node
    assert real.about["datagrams"]["lost"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("stack", RESTING)
def test_the_same_oracles_judge_a_live_run(stack):
    verdicts = Run(hosted(deployment(stack))).check()
    assert [verdict.oracle for verdict in verdicts if verdict.findings] == []
    assert any(verdict.skipped is None for verdict in verdicts)


@pytest.mark.slow
@pytest.mark.parametrize("stack", sorted(MOVING))
def test_a_stack_for_moving_nodes_keeps_its_promises_where_nobody_moves(stack):
    """It ends by the clock: what it keeps has deadlines that are half an hour away."""
    run = Run(hosted(deployment(stack), until=2.0))
    assert run.events.num_rows > 0
    assert [verdict.oracle for verdict in run.check() if verdict.findings and verdict.mode == "always"] == []
