"""Boxes: what they are for typical filters. That they match exactly is in test_agreement.py."""

from __future__ import annotations

import math

import pytest

from motecast.filters import Box, Interval, Members, boxes, parse, text
from motecast.filters.intervals import Side
from motecast.filters.limits import MAX_BOXES


def sides(where: str) -> list[dict[str, Side]]:
    return [{path[0]: side for path, side in box.sides} for box in boxes(parse(where)).boxes]


def residuals(where: str) -> list[str | None]:
    return [None if box.residual is None else text(box.residual) for box in boxes(parse(where)).boxes]


def test_a_conjunction_is_one_box_with_open_and_closed_bounds() -> None:
    assert sides("a > 1 AND a <= 5 AND b IN ('x', 'y') AND NOT m") == [
        {"a": Interval(1, 5, is_low_open=True), "b": Members(("x", "y")), "m": Members((False,))}
    ]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("a = 3", [Members((3,))]),
        ("a != 3", [Interval(high=3, is_high_open=True), Interval(3, is_low_open=True)]),
        ("a NOT BETWEEN 1 AND 2", [Interval(high=1, is_high_open=True), Interval(2, is_low_open=True)]),
        ("a < TRUE", [Members((False,))]),
        ("a >= FALSE", [Members((False, True))]),
        ("a < FALSE", []),
        ("a NOT IN (TRUE, FALSE)", []),
        ("a BETWEEN 2 AND 1", []),
        ("a > 3 AND a < 3", []),
        ("a = 1 AND a = 'x'", []),
        ("a = 1 OR a = 2 OR a = 'x'", [Members((1, 2, "x"))]),
        ("a > 1 AND a IN (0, 1, 2)", [Members((2,))]),
    ],
)
def test_the_sides_of(where: str, expected: list[object]) -> None:
    assert [side for box in sides(where) for side in box.values()] == expected


def test_a_list_of_excluded_numbers_becomes_the_gaps_between_them() -> None:
    gaps = sides("a NOT IN (2, 1)")
    assert [(gap["a"].low, gap["a"].high) for gap in gaps] == [(-math.inf, 1), (1, 2), (2, math.inf)]
    union = boxes(parse("a NOT IN (2, 1)"))
    assert [union.matches({"a": value}) for value in (1, 1.5, 2, math.inf, -math.inf)] == [
        False,
        True,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    "where", ["s LIKE 'a%'", "s > 'a'", "a < b", "a IS NULL", "s NOT IN ('x')", "NOT within(0, 0, 1)"]
)
def test_what_no_box_can_say_stays_as_the_residual(where: str) -> None:
    assert sides(where) == [{}]
    assert residuals(where) == [text(parse(where))]
    assert boxes(parse(where)).boxes[0].is_everything


def test_a_region_has_a_box_around_it_and_stays_as_the_residual() -> None:
    (box,) = boxes(parse("within(10, 20, 5)")).boxes
    x, y = (side for _, side in box.sides)
    assert isinstance(x, Interval)
    assert isinstance(y, Interval)
    assert (x.low, x.high, y.low, y.high) == pytest.approx((5, 15, 15, 25))
    assert residuals("within(10, 20, 5)") == ["within(10, 20, 5)"]


def test_a_circle_over_the_date_line_has_two_boxes() -> None:
    assert len(sides("within_geo(0, 179.99, 5000)")) == 2
    assert len(sides("within_geo(0, 0, 5000)")) == 1
    assert len(sides("within_geo(89.99, 0, 5000)")) == 1  # a pole has every longitude


def test_a_never_true_filter_has_no_box_and_an_always_true_one_has_one_without_sides() -> None:
    assert boxes(parse("FALSE")).boxes == ()
    assert boxes(parse("TRUE")).boxes == (Box(),)
    assert boxes(parse("TRUE")).boxes[0].is_everything


def test_too_many_alternatives_become_one_box_around_them_and_the_filter_itself() -> None:
    where = " OR ".join(f"a{number % 2} > {number} AND b = {number}" for number in range(MAX_BOXES + 1))
    (box,) = boxes(parse(where)).boxes
    assert box.sides == ((("b",), Members(tuple(range(MAX_BOXES + 1)))),)
    assert residuals(where) == [text(parse(where))]
    exact = " OR ".join(f"a{number % 2} > {number} AND b = {number}" for number in range(MAX_BOXES))
    assert len(sides(exact)) == MAX_BOXES
    assert residuals(exact) == [None] * MAX_BOXES


def test_a_product_that_would_be_too_large_keeps_its_first_factors_apart() -> None:
    where = " AND ".join(f"(a{number} > 1 OR b{number} > 1)" for number in range(20))
    found = boxes(parse(where)).boxes
    assert len(found) == MAX_BOXES
    assert all(box.residual is not None for box in found)
    yes = {f"a{number}": 2 for number in range(20)}
    assert boxes(parse(where)).matches(yes)
    assert not boxes(parse(where)).matches({**yes, "a7": 1})


def test_equal_boxes_are_one_and_a_box_around_true_is_not_one_around_one() -> None:
    assert len(sides("a > 1 AND b > 1 OR a > 1 AND b > 1 AND TRUE")) == 1
    assert len(sides("a = 1 AND b > 1 OR a = TRUE AND b > 1")) == 2


def test_null_and_nan_are_in_no_side_and_do_not_matter_without_one() -> None:
    (box,) = boxes(parse("a > 1")).boxes
    assert not box.contains({"a": None})
    assert not box.contains({"a": math.nan})
    assert box.contains({"a": 2, "b": math.nan})


def test_a_box_says_where_an_event_lies_and_its_residual_whether_it_matches() -> None:
    (box,) = boxes(parse("a > 1 AND s LIKE 'x%'")).boxes
    assert box.contains({"a": 2, "s": "y"})
    assert not box.matches({"a": 2, "s": "y"})
    assert box.matches({"a": 2, "s": "xy"})
