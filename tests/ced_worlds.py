"""Worlds of CED's scenario that another program has run, as deployments: any stack can be compared world by world.

Two of them are in tests/data/ced, with what was found in them in expected.json. Sensors are nodes 0 to 99, subscribers
100 to 109. Subscribers are only known by their cells: they are made to walk so that every cell is entered to the tick.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from motecast.core import Context, Event, EventId, Layer, Publish, PubSub, Radio, Stack, Subscribe, Subscription, asked
from motecast.core.pubsub import Advertise, Seek, Unsubscribe
from motecast.sim import Deployment, deploy, scenario_of
from motecast.sim.planning import plan_of
from motecast.sim.read import plain_of, read_scenario
from motecast.sim.workload import Act

DATA = Path(__file__).parent / "data" / "ced"
SCENARIO = Path(__file__).parents[1] / "examples" / "ced.toml"
WORLDS = (0, 1)
SECOND = 1_000_000
MAX_AGE = 2000.0  # s


def expected(world: int) -> dict[str, Any]:
    """What the other program found: events, expected_pairs, bounds, and measures by stack."""
    found: dict[str, Any] = json.loads((DATA / "expected.json").read_text())[str(world)]
    return found


def deployment_of(
    world: int, stack: str = "flood", settings: Mapping[str, object] | None = None, folder: Path = DATA
) -> Deployment:
    """A world with this stack; `settings` are dotted keys of the scenario, such as {"protocol.alpha": 10}."""
    place = folder / f"world-{world}"
    scenario = read_scenario(SCENARIO, {**(settings or {}), "stack": stack})
    plain = plain_of(scenario)
    mobility = {"kind": "passages", "file": str(place / "passages.parquet")}
    plain["nodes"]["subscriber"]["mobility"] = mobility
    made = deploy(scenario_of({**plain, "name": f"world-{world}"}))
    side = made.scenario.field.area[0] / (made.scenario.field.cells or 1)
    for row in pq.read_table(place / "sensors.parquet").to_pylist():
        made.positions[row["sensor"]] = ((row["cell_x"] + 0.5) * side, (row["cell_y"] + 0.5) * side)
    made.plan = plan_of(made.scenario, made.positions, made.classes, made.tracks)
    assert made.plan is not None
    made.links = made.plan.links()
    made.script = [*_subscriptions(place), *_events(place, made)]
    return made


def _subscriptions(place: Path) -> list[Act]:
    found: list[Act] = []
    for number, row in enumerate(pq.read_table(place / "subscriptions.parquet").to_pylist(), 1):
        node = 100 + row["subscriber"]
        where = f"A1 < {row['A1_below']!r} AND A2 < {row['A2_below']!r}"
        found.append((0, node, Subscribe(Subscription(number, node, "field", where))))
    return found


def _events(place: Path, made: Deployment) -> list[Act]:
    found: list[Act] = []
    numbers: dict[int, int] = {}
    for row in sorted(pq.read_table(place / "events.parquet").to_pylist(), key=lambda row: float(row["when"])):
        node, tick = row["sensor"], round(row["when"] * SECOND)
        numbers[node] = numbers.get(node, 0) + 1
        when, values = tick / SECOND, {"A1": row["A1"], "A2": row["A2"]}
        identity = EventId(node, numbers[node])
        event = Event(identity, ("field",), values, when, made.positions[node], b"", None, when + MAX_AGE)
        found.append((tick, node, Publish(event)))
    return found


@dataclass
class Silent(Layer):
    """Delivers nothing: for what a world is, whatever the stack."""

    above = PubSub
    below = Radio
    ignores = (Subscribe, Unsubscribe, Advertise, Seek)

    @asked(Publish)
    def forget(self, ctx: Context, publish: Publish) -> None:
        pass


def silent() -> Stack:
    """What scenarios name."""
    return Stack(Silent())
