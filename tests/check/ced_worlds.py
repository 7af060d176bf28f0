"""The worlds of tests/data/ced as plain columns: 15 x 15 cells, 100 sensors, 10 subscribers, 7,200 s.

`expected.json` holds what a prototype that shares no code with motecast found in them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from motecast.check import View
from motecast.check.bounds import Plan, cell_communities, cell_contacts
from tests.check.worlds import World

FOLDER = Path(__file__).parents[1] / "data" / "ced"
WORLDS = (0, 1)
UNTIL = 7_200_000_000  # µs
MAX_AGE = 2_000_000_000  # µs


def expected(world: int) -> dict[str, Any]:
    """What the prototype found: per stack its measures, and `bounds`, each a delivery ratio."""
    found: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text())
    return found[str(world)]


def columns(world: int, table: str) -> dict[str, Any]:
    """One of `sensors`, `passages`, `events`, `subscriptions`, as NumPy columns."""
    frame = pq.read_table(FOLDER / f"world-{world}" / f"{table}.parquet")
    return {name: frame[name].to_numpy() for name in frame.column_names}


def plan_of(world: int) -> Plan:
    """What the bounds need: contacts last while a subscriber travels, as in the measured set-up."""
    sensors, passages, events, wants = (columns(world, t) for t in ("sensors", "passages", "events", "subscriptions"))
    cells = np.stack([sensors["cell_x"], sensors["cell_y"]], axis=1)
    contacts = cell_contacts(
        cells,
        passages["subscriber"],
        np.stack([passages["cell_x"], passages["cell_y"]], axis=1),
        _microseconds(passages["t_in"]),
        np.minimum(_microseconds(passages["moving_until"]), UNTIL),
    )
    when = _microseconds(events["when"])
    wanted = (events["A1"][:, None] < wants["A1_below"]) & (events["A2"][:, None] < wants["A2_below"])
    return Plan(cell_communities(cells), contacts, events["sensor"], when, when + MAX_AGE, wanted)


def traced(world: int) -> View:
    """A world of tests/data/ced as the trace of a run that delivers nothing: sensors 0-99, subscribers 100-109."""
    writer = World("deliveries", nodes=110)
    wants, events = columns(world, "subscriptions"), columns(world, "events")
    for subscriber, first, second in zip(*wants.values(), strict=True):
        writer.subscribe(100 + int(subscriber), "#", f"A1 < {float(first)!r} AND A2 < {float(second)!r}")
    for sensor, when, first, second in zip(*events.values(), strict=True):
        writer.t = round(when * 1e6) - 1
        writer.publish(int(sensor), life=MAX_AGE / 1e6, A1=float(first), A2=float(second))
    return View(writer.trace())


def _microseconds(seconds: Any) -> Any:
    return np.round(seconds * 1e6).astype(np.int64)
