"""Bounds against a prototype's numbers, against a program that tries every moment, and against each other."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.check.bounds import (
    NEVER,
    REACHES,
    Contacts,
    Plan,
    Reach,
    bound,
    cell_communities,
    cell_contacts,
    earliest,
    impossible,
)
from tests.check.ced_worlds import WORLDS, columns, expected, plan_of

END = 12  # µs; small, so that contacts and events meet
SENSORS, SUBSCRIBERS = 4, 3


@pytest.mark.parametrize("world", WORLDS)
def test_bounds_are_those_of_the_prototype_to_the_last_pair(world: int) -> None:
    """specs/ced.md, section 9. The prototype printed five digits: less than one pair of 17,000."""
    plan, found = plan_of(world), expected(world)
    assert bound(plan, "direct").expected == found["expected_pairs"]
    for reach, name in (("community", "no_carriers"), ("interested", "interested"), ("epidemic", "epidemic")):
        assert round(bound(plan, reach).delivery_ratio or 0, 5) == found["bounds"][name]


@pytest.mark.parametrize("world", WORLDS)
def test_no_stack_of_the_prototype_beats_the_bound_of_its_class(world: int) -> None:
    """ "0 violations in 630 comparisons, nor in 160 later ones": section 9."""
    plan, found = plan_of(world), expected(world)
    classes: dict[str, Reach] = {
        "dg": "direct",
        "ced": "community",
        "ced-ride none": "community",
        "ced-ride interested": "interested",
        "ced-ride ticket": "epidemic",
    }
    for stack, reach in classes.items():
        assert found[stack]["delivery_ratio"] <= (bound(plan, reach).delivery_ratio or 0)


@pytest.mark.parametrize("world", WORLDS)
def test_each_class_delivers_what_the_one_before_does_and_no_later(world: int) -> None:
    plan = plan_of(world)
    times = [earliest(plan, reach) for reach in REACHES]
    assert all((later <= earlier).all() for earlier, later in pairwise(times))


@pytest.mark.parametrize("world", WORLDS)
def test_communities_of_cells_are_those_of_the_world(world: int) -> None:
    sensors = columns(world, "sensors")
    ours = cell_communities(np.stack([sensors["cell_x"], sensors["cell_y"]], axis=1))
    pairs = set(zip(ours.tolist(), sensors["community"].tolist(), strict=True))
    assert len(pairs) == len(set(ours.tolist())) == len(set(sensors["community"].tolist()))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """A few sensors and subscribers that meet often."""
    numbers, times = st.integers(0, SENSORS - 1), st.integers(0, END)
    rows = draw(st.lists(st.tuples(st.integers(0, SUBSCRIBERS - 1), numbers, times, times), max_size=12))
    met = np.array([(u, s, min(a, b), max(a, b)) for u, s, a, b in rows if a != b], dtype=np.int64).reshape(-1, 4)
    events = draw(st.lists(st.tuples(numbers, times, st.integers(1, 9)), max_size=5))
    wants = st.lists(st.booleans(), min_size=SUBSCRIBERS, max_size=SUBSCRIBERS)
    table = np.array(events, dtype=np.int64).reshape(-1, 3)
    return Plan(
        np.array(draw(st.lists(st.integers(0, 2), min_size=SENSORS, max_size=SENSORS))),
        Contacts(*met.T),
        table[:, 0],
        table[:, 1],
        table[:, 1] + table[:, 2],
        np.array([draw(wants) for _ in events], dtype=bool).reshape(-1, SUBSCRIBERS),
    )


def tried_out(plan: Plan, reach: Reach) -> Any:
    """The dumb twin: at every microsecond, hand everything on until nothing changes."""
    first = np.full(plan.wanted.shape, NEVER)
    place = list(range(SENSORS)) if reach == "direct" else plan.community.tolist()
    for event, (sensor, when) in enumerate(zip(plan.sensor.tolist(), plan.when.tolist(), strict=True)):
        has: set[tuple[str, int]] = {("place", place[sensor])}
        for now in range(when, END + 1):
            for _ in range(SENSORS + SUBSCRIBERS):
                for u, s, since, until in zip(*(column.tolist() for column in plan.contacts), strict=True):
                    if since <= now < until:
                        hand_on(has, ("node", u), ("place", place[s]), reach, bool(plan.wanted[event, u]))
            for _, u in (one for one in has if one[0] == "node"):
                if plan.wanted[event, u]:
                    first[event, u] = min(first[event, u], now)
    return first


def hand_on(has: set[tuple[str, int]], node: tuple[str, int], place: tuple[str, int], reach: str, wanted: bool) -> None:
    """One contact, both ways."""
    if place in has and (wanted or reach == "epidemic"):
        has.add(node)
    if node in has and reach in ("interested", "epidemic"):
        has.add(place)


@given(plans(), st.sampled_from(REACHES))
def test_the_earliest_delivery_is_what_trying_every_moment_finds(plan: Plan, reach: Reach) -> None:
    assert earliest(plan, reach).tolist() == tried_out(plan, reach).tolist()


@given(plans(), st.sampled_from(REACHES))
def test_a_bound_counts_the_wanted_pairs_that_come_before_they_expire(plan: Plan, reach: Reach) -> None:
    first, found = tried_out(plan, reach), bound(plan, reach)
    delays = [
        int(first[e, u] - plan.when[e])
        for e, u in zip(*np.nonzero(plan.wanted), strict=True)
        if first[e, u] <= plan.expires[e]
    ]
    assert (found.expected, found.delivered) == (plan.wanted.sum(), len(delays))
    assert found.delay_mean == (pytest.approx(sum(delays) / len(delays) / 1e6) if delays else None)
    assert (found.delivery_ratio is None) == (found.expected == 0)


def test_a_delivery_before_its_bound_is_found_and_one_in_time_is_not() -> None:
    contacts = Contacts(np.array([0]), np.array([0]), np.array([5]), np.array([9]))
    wanted = np.array([[True, False]])
    plan = Plan(np.array([0]), contacts, np.array([0]), np.array([1]), np.array([20]), wanted)
    event, subscriber, when = np.array([0, 0, 0]), np.array([0, 0, 1]), np.array([4, 5, 1])
    assert impossible(plan, "epidemic", event, subscriber, when).tolist() == [0]


def test_a_carrier_brings_nothing_from_the_community_it_enters_to_the_one_it_leaves() -> None:
    """Both happen in one microsecond. A sum over closed contacts found 24 pairs too many in one world."""
    contacts = Contacts(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 5, 6]), np.array([5, 9, 9]))
    wanted = np.array([[True, True]])
    plan = Plan(np.array([0, 1]), contacts, np.array([1]), np.array([0]), np.array([20]), wanted)
    assert earliest(plan, "epidemic").tolist() == [[5, NEVER]]


def test_contacts_of_cells_reach_the_eight_around_and_have_no_empty_ones() -> None:
    cells = np.array([[3, 3], [5, 3]])
    passed = np.array([[2, 2], [4, 4], [1, 3], [4, 4]])
    since, until = np.array([0, 10, 20, 30]), np.array([10, 20, 30, 30])
    found = cell_contacts(cells, np.zeros(4, dtype=np.int64), passed, since, until)
    assert list(zip(*(column.tolist() for column in found), strict=True)) == [
        (0, 0, 0, 10),
        (0, 0, 10, 20),
        (0, 1, 10, 20),
    ]


def test_a_field_without_contacts_delivers_nothing() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    contacts = Contacts(nothing, nothing, nothing, nothing)
    plan = Plan(np.array([0]), contacts, np.array([0]), np.array([1]), np.array([9]), np.array([[True]]))
    assert [bound(plan, reach).delivery_ratio for reach in REACHES] == [0.0] * 4
