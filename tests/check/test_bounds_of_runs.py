"""Runs held against their bounds: from a trace and a plan of contacts, and with deliveries that cannot have been."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from motecast.check import View
from motecast.check.bounds import Plan, bound
from motecast.check.bounds_of_runs import Links, Travels, plan_of_run, too_early
from tests.check.ced_worlds import UNTIL, columns, expected, plan_of, traced
from tests.check.worlds import World

FOREVER = 10**12  # µs


def links(*rows: tuple[int, int, int, int]) -> Links:
    return Links(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)


def met(plan: Plan) -> Links:
    """The contacts of a plan, and a chain of links in each community, as a simulator would list them."""
    contacts = plan.contacts
    members = [np.flatnonzero(plan.community == label) for label in np.unique(plan.community)]
    chained = [pair for group in members for pair in pairwise(group.tolist())]
    one, other = np.array(chained).T
    always = np.full(len(chained), FOREVER)
    return Links(
        np.r_[one, contacts.sensor],
        np.r_[other, contacts.subscriber + 100],
        np.r_[np.zeros_like(always), contacts.since],
        np.r_[always, contacts.until],
    )


def test_the_bounds_of_a_trace_are_those_of_its_world() -> None:
    plan, found = plan_of(0), expected(0)
    ours = plan_of_run(traced(0), met(plan))
    assert bound(ours, "direct").expected == found["expected_pairs"]
    for reach, name in (("community", "no_carriers"), ("interested", "interested"), ("epidemic", "epidemic")):
        assert round(bound(ours, reach).delivery_ratio or 0, 5) == found["bounds"][name]


def test_contacts_cut_to_travels_are_those_while_subscribers_move() -> None:
    """Links last on while a subscriber pauses; the measured set-up exchanges nothing then."""
    passages, plan = columns(0, "passages"), plan_of(0)
    leg = passages["subscriber"] * 10**6 + passages["leg"]
    firsts, lasts = np.unique(leg, return_index=True)[1], np.r_[np.flatnonzero(np.diff(leg)), len(leg) - 1]
    ticks = {name: np.round(passages[name] * 1e6).astype(np.int64) for name in ("t_in", "t_out", "moving_until")}
    travels = Travels(
        passages["subscriber"][firsts] + 100, ticks["t_in"][firsts], np.minimum(ticks["moving_until"][lasts], UNTIL)
    )
    pausing = {when: ticks["t_out"][lasts[place]] for place, when in enumerate(ticks["moving_until"][lasts].tolist())}
    while_moving = met(plan)
    staying = while_moving._replace(
        down=np.array([pausing.get(when, when) for when in while_moving.down.tolist()], dtype=np.int64)
    )
    view = traced(0)
    assert (staying.down > while_moving.down).any()
    assert bound(plan_of_run(view, staying), "community") != bound(plan, "community")
    assert bound(plan_of_run(view, staying, travels), "community") == bound(plan, "community")


def small(*deliveries: tuple[int, int]) -> View:
    """Sensors 0 and 1 and subscribers 2 and 3; sensor 0 publishes at 10, then these nodes deliver it at these times."""
    world = World("deliveries")
    for node in (2, 3):
        world.subscribe(node)
    world.t = 9
    event = world.publish(0, life=1.0)
    for node, when in deliveries:
        world.t = when - 1
        world.deliver(node, event)
    return View(world.trace())


def test_a_delivery_before_its_class_allows_it_is_found() -> None:
    """Subscriber 2 meets the publisher at 20; subscriber 3 meets the other sensor after 2 was there, at 40."""
    meetings = links((0, 2, 20, 25), (2, 1, 30, 35), (1, 3, 40, 45))
    view = small((2, 19), (3, 40))
    plan = plan_of_run(view, meetings)
    assert [finding.text for finding in too_early(view, plan, "epidemic")] == [
        "node 2 delivers event 0/1 before any protocol of the class epidemic can: 0.000019 s"
    ]
    assert [finding.rows for finding in too_early(view, plan, "community")] == [(3,), (4,)]


def test_sensors_that_ever_hear_each_other_are_one_community() -> None:
    view = small((2, 20), (3, 40))
    meetings = links((0, 2, 20, 25), (1, 3, 40, 45), (0, 1, 500, 501))
    assert too_early(view, plan_of_run(view, meetings), "community") == []
    assert len(too_early(view, plan_of_run(view, meetings), "direct")) == 1


def test_what_is_delivered_to_nobody_who_wants_it_is_left_to_other_oracles() -> None:
    view = small((0, 11), (1, 12))
    assert too_early(view, plan_of_run(view, links()), "epidemic") == []


def test_without_subscriptions_there_is_nothing_to_deliver() -> None:
    world = World("deliveries")
    world.publish(0)
    plan = plan_of_run(View(world.trace()), links((0, 1, 0, 9)), Travels(*np.zeros((3, 0), dtype=np.int64)))
    assert bound(plan, "epidemic") == (0, 0, None, None)


def test_a_node_that_publishes_and_subscribes_is_refused() -> None:
    world = World("deliveries")
    world.subscribe(1)
    world.publish(1)
    with pytest.raises(AssertionError, match="nodes \\[1\\] publish and subscribe"):
        plan_of_run(View(world.trace()), links())
