"""Sides of boxes: their algebra against plain membership."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.filters import Interval, Members, Scalar
from motecast.filters.intervals import Side, hull, includes, intersection, members
from tests.strategies_filters import BIG, NUMBERS, STRINGS

BOUNDS = st.sampled_from([-math.inf, math.inf, 0, 1, 2, 0.5, BIG, BIG + 1]) | st.integers(-2, 3)
INTERVALS = st.builds(Interval, BOUNDS, BOUNDS, st.booleans(), st.booleans())
VALUES = st.one_of(BOUNDS, NUMBERS, st.booleans(), STRINGS)
SIDES: st.SearchStrategy[Side] = INTERVALS | st.lists(VALUES, max_size=4).map(members)


@pytest.mark.fuzz
@given(SIDES, SIDES, VALUES)
def test_the_intersection_holds_exactly_what_both_hold(a: Side, b: Side, value: Scalar) -> None:
    assert (value in intersection(a, b)) is (value in a and value in b)


@pytest.mark.fuzz
@given(SIDES, SIDES, VALUES)
def test_the_hull_holds_at_least_what_either_holds(a: Side, b: Side, value: Scalar) -> None:
    around = hull(a, b)
    assert around is None or value in around or (value not in a and value not in b)


@pytest.mark.fuzz
@given(SIDES, SIDES, VALUES)
def test_a_side_that_includes_another_holds_all_of_it(a: Side, b: Side, value: Scalar) -> None:
    if includes(a, b):
        assert value in a or value not in b
    assert includes(a, a)


@pytest.mark.fuzz
@given(INTERVALS, st.floats(allow_nan=False) | NUMBERS)
def test_the_closed_interval_of_floats_holds_the_same_floats(side: Interval, value: float) -> None:
    low, high = side.closed()
    try:
        nearest = float(value)
    except OverflowError:
        return
    if value in side:
        assert low <= nearest <= high
    if side.is_exact and isinstance(value, float):
        assert (value in side) is (low <= value <= high)


@pytest.mark.parametrize(
    ("side", "closed"),
    [
        (Interval(1, 2), (1.0, 2.0)),
        (Interval(1, 2, is_low_open=True, is_high_open=True), (1.0000000000000002, 1.9999999999999998)),
        (Interval(), (-math.inf, math.inf)),
        (Interval(is_low_open=True, is_high_open=True), (-1.7976931348623157e308, 1.7976931348623157e308)),
        (Interval(BIG + 1, BIG + 1), (float(BIG), float(BIG + 2))),  # outwards, for the integer itself
        (Interval(BIG, BIG, is_low_open=True, is_high_open=True), (float(BIG), float(BIG))),
    ],
)
def test_the_closed_interval_for_an_index(side: Interval, closed: tuple[float, float]) -> None:
    assert side.closed() == closed
    assert side.is_exact is (abs(side.low) != BIG and abs(side.low) != BIG + 1)


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        (Interval(0, 5), Interval(1, 5), True),
        (Interval(0, 5, is_high_open=True), Interval(1, 5), False),
        (Interval(0, 5), Members((0, 5)), True),
        (Interval(0, 5), Members((0, True)), False),
        (Members((1, 2)), Interval(1, 1), True),
        (Members((1, 2)), Interval(1, 2), False),
        (Members((1, "a")), Members(("a",)), True),
        (Members((1,)), Members((True,)), False),
        (Members(()), Interval(2, 1), True),
    ],
)
def test_whether_one_side_includes_another(a: Side, b: Side, answer: bool) -> None:
    assert includes(a, b) is answer


@pytest.mark.parametrize(
    ("side", "is_empty"),
    [
        (Interval(), False),
        (Interval(1, 1), False),
        (Interval(1, 1, is_low_open=True), True),
        (Interval(1, 1, is_high_open=True), True),
        (Interval(2, 1), True),
        (Members(()), True),
        (Members((False,)), False),
    ],
)
def test_an_empty_side_is_known_as_one(side: Side, is_empty: bool) -> None:
    assert side.is_empty is is_empty


def test_hulls_of_lists_and_intervals() -> None:
    assert hull(Members((1,)), Members(("a",))) == Members((1, "a"))
    assert hull(Members((1, 7)), Interval(2, 3, is_low_open=True)) == Interval(1, 7)
    assert hull(Members(("a",)), Interval(2, 3)) is None
    assert hull(Members((1, "a")), Interval(2, 3)) is None
    half = Interval(1, 2, is_low_open=True, is_high_open=True)
    assert hull(half, Interval(1, 3, is_low_open=True)) == Interval(1, 3, is_low_open=True)
    assert hull(half, half) == half
    assert hull(Interval(1, 2, is_low_open=True), Interval(1, 2)) == Interval(1, 2)


def test_members_are_sorted_and_distinct_by_kind() -> None:
    assert members([2, "b", True, 1, "a", 2.0, False]).values == (False, True, 1, 2.0, "a", "b")
    assert True not in members([1])
    assert 1.0 in members([1])
    assert [1] not in members([1])
