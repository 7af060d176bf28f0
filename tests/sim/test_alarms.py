"""Alarms that are moved: when they ring, and what they cost."""

from __future__ import annotations

import pytest

from motecast.sim import World
from tests.sim.probes import said, world


def test_an_equal_alarm_moves_and_rings_once() -> None:
    orders = [(1.0, 0, "alarm a 5.0"), (2.0, 0, "alarm a 4.0"), (3.0, 0, "alarm b 3.0"), (4.0, 0, "alarm a 1.5")]
    assert said(orders, "rings") == [(5.5, 0, "rings a"), (6.0, 0, "rings b")]


def test_an_alarm_that_is_put_off_again_and_again_is_one_entry_of_the_calendar() -> None:
    orders = [(when / 100, 0, "alarm a 50.0") for when in range(100, 600)]
    made = World(world(orders))
    made.run()
    left = [bucket[3] for bucket in made.kernel.calendar.values()]
    assert len(left) == 1, left


@pytest.mark.parametrize("after, rings", [(4.0, 10.0), (9.0, 13.5)])
def test_an_alarm_that_was_put_off_rings_when_its_node_wakes_or_later_if_it_is_due_later(
    after: float, rings: float
) -> None:
    orders = [(4.0, 1, "alarm a 2.0"), (4.5, 1, f"alarm a {after}")]
    faults = {"schedule": [{"do": "perturb", "when": 5.0, "lasts": 5.0, "node": 1}]}
    assert said(orders, "rings", faults=faults) == [(rings, 1, "rings a")]
