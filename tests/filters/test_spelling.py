"""The text of a tree: as few parentheses as it takes, names and numbers in one spelling."""

from __future__ import annotations

import pytest

from motecast.filters import parse
from motecast.filters.parser import parse_exactly
from motecast.filters.spelling import normal_number, spell, spell_literal, spell_path
from motecast.filters.syntax import And, Compare, Not, Or

A, B, C = (Compare((name,), ">", 1) for name in "abc")


def test_parentheses_stand_only_where_they_are_needed() -> None:
    assert spell(Or((And((A, B)), C))) == "a > 1 AND b > 1 OR c > 1"
    assert spell(And((Or((A, B)), C))) == "(a > 1 OR b > 1) AND c > 1"
    assert spell(Not(And((A, B)))) == "NOT (a > 1 AND b > 1)"
    assert spell(Not(Not(A))) == "NOT NOT a > 1"


@pytest.mark.parametrize(
    "where",
    [
        "a NOT BETWEEN 1 AND 2",
        "a NOT IN (1, 2)",
        "a NOT LIKE '%x' ESCAPE '!'",
        "a IS NOT NULL",
        "NOT within(0, 0, 1.5)",
        "NOT a",
        "a = b",
        "inside(0, 0, 1, 0, 0, 1)",
        "within_geo(-1.5, 2, 1e+20)",
        "FALSE",
    ],
)
def test_a_text_that_is_spelled_right_stays_as_it_is(where: str) -> None:
    assert spell(parse_exactly(where)) == where


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("a", "b_2"), "a.b_2"),
        (("a.b",), "`a.b`"),
        (("a`b",), "`a``b`"),
        (("select",), "select"),
        (("And",), "`And`"),
        (("inf",), "`inf`"),
        (("2a",), "`2a`"),
        (("½",), "`½`"),
        (("é",), "é"),
    ],
)
def test_a_name_is_quoted_only_where_it_must_be(path: tuple[str, ...], expected: str) -> None:
    assert spell_path(path) == expected
    assert parse(f"{expected} > 1") == Compare(path, ">", 1)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (1e15, "1000000000000000"),
        (1e16, "1e+16"),
        (10**16, "1e+16"),
        (10**16 + 1, "10000000000000001"),
    ],
)
def test_equal_numbers_have_one_spelling(number: float, expected: str) -> None:
    assert spell_literal(normal_number(number)) == expected
    assert normal_number(number) == number


def test_an_integer_beyond_all_floats_keeps_its_digits() -> None:
    assert normal_number(10**400) == 10**400
    assert len(spell_literal(10**400)) == 401
