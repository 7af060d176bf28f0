"""The cells of the field, as every host tells its nodes of them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from motecast.core import (
    Advertise,
    Context,
    Grid,
    Layer,
    Publish,
    PubSub,
    Radio,
    Recorder,
    Seek,
    Stack,
    Subscribe,
    Unsubscribe,
    asked,
    started,
)
from motecast.core.recorder import Note, Started
from motecast.live import run as run_live
from motecast.sim import deploy, run, scenario_of
from motecast.trace import Trace


@dataclass
class Surveyor(Layer):
    """Says what grid it knows."""

    above = PubSub
    below = Radio
    ignores = (Seek, Subscribe, Unsubscribe, Advertise)

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None: ...

    @started
    def start(self, ctx: Context) -> None:
        ctx.note("grid", detail=str(ctx.grid))


def said(trace: Trace) -> list[str]:
    return [row["detail"] for row in trace.rows.to_pylist() if row["kind"] == "note"]


@pytest.mark.parametrize(("cells", "grid"), [(15, "Grid(width=200.0, height=100.0, cells=15)"), (None, "None")])
def test_a_simulated_node_knows_the_cells_of_its_scenario(cells: int | None, grid: str) -> None:
    field = {"area": [200.0, 100.0]} | ({} if cells is None else {"cells": cells})
    scenario = {"name": "x", "stack": "flood", "until": 1.0, "field": field, "nodes": {"node": {"count": 1}}}
    made = deploy(scenario_of({**scenario, "medium": {"kind": "disk", "range": 1.0}}))
    made.stack = Stack(Surveyor())
    assert said(run(made, "full")) == [f"{grid}; what=grid"]


def test_a_recorded_node_knows_the_cells_that_a_test_gives() -> None:
    grid = Grid(30.0, 30.0, 3)
    assert Recorder(Stack(Surveyor()), grid=grid).handle(0.0, Started()) == [
        Note("Surveyor", "grid", None, {"detail": str(grid)})
    ]
    assert Recorder(Stack(Surveyor())).handle(0.0, Started()) == [Note("Surveyor", "grid", None, {"detail": "None"})]


def test_a_live_node_knows_of_none() -> None:
    trace = run_live(Stack(Surveyor()), [(0.0, 0.0)], [()], [], seed=1, until=0.1, level="full")
    assert said(trace) == ["None; what=grid"]
