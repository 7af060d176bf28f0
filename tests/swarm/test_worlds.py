"""One seed draws stack, field, medium, faults and workload; whatever happens, what stacks promise holds."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motecast.check import judge
from motecast.sim import run, scenario_of
from motecast.stacks import STACKS, build_stack

SAFE = ["integrity", "only-subscribed", "silence-of-the-dead", "bytes-conserved", "bounded-state"]
USUAL, FEW = (
    100,
    25,
)  # examples of a hypothesis test, and how many of these a usual run can afford; make swarm says more
EVENTUAL = {"validity", "agreement"}  # promises that need faults to end
FAULTS = ("crash", "crash", "join", "leave", "perturb", "perturb", "partition", "skew")


def drawn(seed: int) -> dict[str, Any]:
    """A scenario."""
    rng = Random(seed)
    count = rng.choice([1, 2, 3, 8, 20])
    publish = {"every": rng.choice([1.0, 5.0]), "topics": ["a", "b/{node}"], "per_event": rng.choice([1, 2])}
    subscribe = {"since": rng.choice([0.0, 5.0]), **rng.choice([{}, {"until": 10.0}])}
    return {
        "name": "swarm",
        "seed": seed,
        "until": 20.0,
        "stack": rng.choice(sorted(STACKS)),
        "nodes": {"n": {"count": count, "placement": rng.choice(["uniform", "grid", "clustered"])}},
        "medium": rounds(rng) if rng.random() < 0.3 else air(rng),
        "workload": {"n": {"publish": {**publish, "expires": rng.choice([1.0, 9.0])}, "subscribe": subscribe}},
        "faults": {
            "schedule": [fault(rng, count) for _ in range(rng.randrange(8))],
            "rates": [rate(rng, count) for _ in range(rng.randrange(3))],
        },
    }


def rounds(rng: Random) -> dict[str, Any]:
    """Datagrams."""
    medium = {"kind": "rounds", "round": rng.choice([0.000001, 0.1, 1.0]), "loss": rng.choice([0.0, 0.3])}
    return {**medium, "duplicate": rng.choice([0.0, 0.3]), **rng.choice([{}, {"known": rng.randrange(4)}])}


def air(rng: Random) -> dict[str, Any]:
    """A disk or a graph with some of what a radio has."""
    generator = rng.choice(["random", "ring", "lattice", "small-world", "complete"])
    directed = generator != "complete" and rng.random() < 0.3
    rate = rng.choice([0.0, 1000.0, 1e6])
    return {
        **rng.choice([{"range": rng.choice([1.0, 40.0, 500.0])}, graph_of(generator, directed=directed)]),
        "loss": rng.choice([0.0, 0.2, 1.0]),
        "latency": rng.choice([0.0, 0.01, [0.0, 0.05]]),
        "slot": rng.choice([0.0, 0.01]),
        "rate": rate,
        "queue": rng.randrange(4),
        "acknowledge": rng.random() < 0.5,
        "retries": rng.randrange(3),
        "backoff": rng.choice([0.0, 0.05]),
        "collisions": bool(rate) and rng.random() < 0.5,
        "links": rng.choice(["given", "beacons"]),
    }


def graph_of(generator: str, *, directed: bool) -> dict[str, Any]:
    """A generated graph."""
    return {"kind": "graph", "generator": generator, "directed": directed}


def fault(rng: Random, count: int) -> dict[str, Any]:
    """One of the schedule; times often coincide."""
    do, lasts = rng.choice(FAULTS), rng.choice([1.0, rng.uniform(0.1, 9.0)])
    found: dict[str, Any] = {"do": do, "when": rng.choice([0.0, 1.0, rng.uniform(0.0, 20.0)])}
    match do:
        case "partition":
            side = rng.choice([{"x": 50.0}, {"groups": [[rng.randrange(count)]]}])
            return {**found, **side, **rng.choice([{}, {"lasts": lasts}])}
        case "crash":
            found |= {"state": rng.choice(["kept", "lost"]), **rng.choice([{}, {"lasts": lasts}])}
        case "perturb":
            found |= {"lasts": lasts, "buffer": rng.random() < 0.5}
        case "skew":
            found |= {"offset": rng.uniform(-5.0, 5.0), "drift": rng.uniform(-0.1, 0.1)}
    return {**found, **target(rng, count)}


def rate(rng: Random, count: int) -> dict[str, Any]:
    """Faults again and again."""
    how = {"do": rng.choice(["crash", "perturb"]), "rate": rng.choice([0.1, 0.9, 1.0]), "lasts": rng.choice([0.5, 3.0])}
    return {**how, "state": rng.choice(["kept", "lost"]), "buffer": rng.random() < 0.5, **target(rng, count)}


def target(rng: Random, count: int) -> dict[str, Any]:
    """All, one, or some."""
    return rng.choice([{}, {"node": rng.randrange(count)}, {"share": rng.random()}])


@pytest.mark.slow
@settings(max_examples=settings().max_examples if settings().max_examples > USUAL else FEW)
@given(st.integers(0, 10**9))
def test_whatever_happens_no_safety_oracle_finds_anything_and_levels_agree(seed: int) -> None:
    scenario = scenario_of(drawn(seed))
    short, full = run(scenario), run(scenario, "full")
    assert short.about["digest"] == full.about["digest"]
    assert short.totals.equals(full.totals)
    promised = set(build_stack(scenario.stack).promises) - EVENTUAL
    found = {verdict.oracle: [f.text for f in verdict.findings] for verdict in judge(full, {*SAFE, *promised})}
    assert {name: texts for name, texts in found.items() if texts} == {}
