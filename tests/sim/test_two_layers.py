"""Brokers on a routing layer in the simulated world: payloads stop, are stored and sent on along a line of nodes."""

from __future__ import annotations

from motecast.check import Run
from motecast.sim import deploy, run, scenario_of

SCENARIO = {
    "name": "line",
    "stack": "tests.routing:brokered",
    "until": 30.0,
    "nodes": {"node": {"count": 5}},
    "medium": {"kind": "graph", "latency": 0.01},
    "workload": {"node": {"subscribe": {"since": 1.0}, "publish": {"every": 4.0, "since": 5.0, "until": 25.0}}},
}


def walked() -> Run:
    """Five nodes in a line, each of which wants everything and publishes."""
    deployed = deploy(scenario_of(SCENARIO))
    deployed.links = [(1,), (0, 2), (1, 3), (2, 4), (3,)]
    return Run(run(deployed, "full"))


def test_everybody_gets_everything_along_the_paths_that_subscriptions_left() -> None:
    result = walked()
    assert result.measures["published"] > 10
    assert result.measures["delivered"] == result.measures["expected"] == 5 * result.measures["published"]
    assert result.measures["duplicates"] == 0


def test_hops_are_counted_through_every_stop() -> None:
    rows = walked().rows.to_pylist()
    registered = [(row["subscription"], row["hops"]) for row in rows if row["detail"] == "what=registered"]
    assert registered == [(node + 1, node) for node in range(5)]
