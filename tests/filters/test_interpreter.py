"""What a filter means: three-valued logic, NULL, and kinds of values that never meet: the model of all other forms."""

from __future__ import annotations

import math

import pytest

from motecast.filters import Event, evaluate, parse
from motecast.filters.interpreter import all_of, any_of, value_at
from motecast.filters.parser import parse_exactly

NAN = math.nan
# t is TRUE, f is FALSE, n is NULL.
TRUTH: Event = {"t": True, "f": False, "n": None}


@pytest.mark.parametrize(
    ("left", "right", "both", "either"),
    [
        ("t", "t", True, True),
        ("t", "f", False, True),
        ("t", "n", None, True),
        ("f", "f", False, False),
        ("f", "n", False, None),
        ("n", "n", None, None),
    ],
)
def test_and_and_or_follow_kleene(left: str, right: str, both: bool | None, either: bool | None) -> None:
    for a, b in ((left, right), (right, left)):
        assert evaluate(parse_exactly(f"{a} AND {b}"), TRUTH) is both
        assert evaluate(parse_exactly(f"{a} OR {b}"), TRUTH) is either
        assert evaluate(parse_exactly(f"NOT ({a} AND {b})"), TRUTH) is (None if both is None else not both)


def test_no_operands_are_the_neutral_value() -> None:
    assert all_of([]) is True
    assert any_of([]) is False


@pytest.mark.parametrize("nothing", [{}, {"a": None}, {"a": NAN}, {"a": [1]}, {"a": {"b": 1}}, {"a": b"1"}])
def test_missing_nan_and_values_of_other_types_are_null(nothing: Event) -> None:
    for where in ("a > 1", "a = 1", "a != 1", "NOT a = 1", "a BETWEEN 0 AND 2", "a IN (1)", "a NOT IN (1)", "a = a"):
        assert evaluate(parse_exactly(where), nothing) is None, where
    for where in ("a LIKE '%'", "a NOT LIKE 'x'", "a", "NOT a", "within(0, 0, 1)", "a = 'x'"):
        assert evaluate(parse_exactly(where), nothing) is None, where
    assert evaluate(parse("a IS NULL"), nothing) is True
    assert evaluate(parse("a IS NOT NULL"), nothing) is False


def test_null_does_not_matter_where_the_rest_decides() -> None:
    assert evaluate(parse("a > 1 OR b = 2"), {"a": NAN, "b": 2}) is True
    assert evaluate(parse("a > 1 AND b = 2"), {"a": NAN, "b": 3}) is False


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("a = 1", "1"),
        ("a > 0", "1"),
        ("a = '1'", 1),
        ("a = 1", True),
        ("a = 0", False),
        ("a", 1),
        ("a = 'true'", True),
        ("a IN (1, 2)", "1"),
        ("a IN (1, 2)", True),
        ("a BETWEEN 0 AND 2", True),
        ("a BETWEEN 0 AND 2", "1"),
        ("a LIKE '1'", 1),
        ("a != 1", "x"),
        ("a NOT IN (1)", "x"),
    ],
)
def test_values_of_two_kinds_never_compare(where: str, value: str | int) -> None:
    """'Strings are never coerced', and a boolean is no number."""
    assert evaluate(parse(where), {"a": value}) is None
    assert evaluate(parse_exactly(where), {"a": value}) is None


@pytest.mark.parametrize(
    ("where", "value", "answer"),
    [
        ("a > 20", 20, False),
        ("a >= 20", 20.0, True),
        ("a < 20", -math.inf, True),
        ("a > 9007199254740992", 9007199254740993, True),  # one apart, beyond what a float tells apart
        ("a = 9007199254740993", float(2**53), False),
        ("a = 0", -0.0, True),
        ("a BETWEEN 0.2 AND 0.4", 0.2, True),
        ("a BETWEEN 0.2 AND 0.4", 0.4, True),
        ("a NOT BETWEEN 0.2 AND 0.4", 0.5, True),
        ("a BETWEEN 2 AND 1", 1.5, False),
        ("a IN (1, 'x')", "x", True),
        ("a IN (1, 'x')", "y", None),  # a = 1 is NULL, a = 'x' is FALSE
        ("a < 'b'", "a", True),
        ("a < 'a'", "B", True),  # by code point: capitals first
        ("a LIKE 'sm_ke%'", "smoke!", True),
        ("a LIKE '50!%' ESCAPE '!'", "50%", True),
        ("a LIKE '50!%' ESCAPE '!'", "500", False),
        ("a != TRUE", False, True),
        ("a < TRUE", False, True),
        ("TRUE", 1, True),
        ("NOT TRUE", 1, False),
    ],
)
def test_a_predicate_says(where: str, value: float | str, answer: bool | None) -> None:
    assert evaluate(parse_exactly(where), {"a": value}) is answer
    assert evaluate(parse(where), {"a": value}) is answer


def test_two_attributes_compare_if_they_are_of_one_kind() -> None:
    tree = parse("a < b")
    assert evaluate(tree, {"a": 1, "b": 1.5}) is True
    assert evaluate(tree, {"a": "x", "b": "x"}) is False
    assert evaluate(tree, {"a": 1, "b": "x"}) is None
    assert evaluate(tree, {"a": 0, "b": True}) is None


def test_a_path_leads_into_nested_mappings() -> None:
    tree = parse("w.temp > 20 AND `w`.`odd.name` = 1")
    assert evaluate(tree, {"w": {"temp": 21, "odd.name": 1}}) is True
    assert evaluate(tree, {"w.temp": 21, "w": {"odd.name": 1}}) is None  # a name with a dot is no path
    assert evaluate(tree, {"w": 3}) is None


def test_the_smallest_event_holds_the_value_at_its_path() -> None:
    assert value_at(("a", "b", "c"), 1) == {"a": {"b": {"c": 1}}}
