"""The canonical tree: one text for all spellings. That it keeps the three values is in test_agreement.py."""

from __future__ import annotations

import pytest

from motecast.filters import canonical, parse, text
from motecast.filters.parser import parse_exactly
from motecast.filters.syntax import And, Compare, Constant, Or

SAME = [
    ("b = 2 and A = 1 AND b = 2", "A = 1 AND b = 2"),
    ("(a > 1 OR b) OR (c OR a > 1)", "a > 1 OR b OR c"),
    ("NOT (a > 1 AND NOT b)", "a <= 1 OR b"),
    ("NOT (a > 1 OR b)", "NOT b AND a <= 1"),
    ("NOT NOT a", "a"),
    ("20 < temp", "temp > 20"),
    ("b > a", "a < b"),
    ("NOT a < b", "a >= b"),
    ("a <> 1", "a != 1"),
    ("a != TRUE", "NOT a"),
    ("a = TRUE", "a"),
    ("a IN (3, 1, 3.0, 2)", "a IN (1, 2, 3)"),
    ("a IN (1)", "a = 1"),
    ("a NOT IN (1)", "a != 1"),
    ("a IN (1, 'x', TRUE)", "a OR a = 'x' OR a = 1"),
    ("a NOT IN (1, 'x')", "a != 'x' AND a != 1"),
    ("a BETWEEN 1 AND 'x'", "a <= 'x' AND a >= 1"),
    ("a BETWEEN FALSE AND TRUE", "a <= TRUE AND a >= FALSE"),
    ("a BETWEEN 1.0 AND 2.50", "a BETWEEN 1 AND 2.5"),
    ("s LIKE 'smoke'", "s = 'smoke'"),
    ("s NOT LIKE 'smoke'", "s != 'smoke'"),
    ("s LIKE 'a%%b' ESCAPE '!'", "s LIKE 'a%b'"),
    ("s LIKE '50!%%' ESCAPE '!'", "s LIKE '50\\%%' ESCAPE '\\'"),
    ("a = -0.0", "a = 0"),
    ("a = 1e3", "a = 1000"),
    ("a = 10000000000000000", "a = 1e+16"),
    ("a = 10000000000000001", "a = 10000000000000001"),
    ("a AND TRUE", "a"),
    ("a AND FALSE", "FALSE"),
    ("a OR TRUE", "TRUE"),
    ("a OR FALSE", "a"),
    ("NOT TRUE", "FALSE"),
    ('"temp" > 1', "temp > 1"),
    ("`and` > 1", "`and` > 1"),
    ("`nan` = 1", "`nan` = 1"),
    ("`½` = 1", "`½` = 1"),
    ("inside(1, 1, 0, 0)", "x BETWEEN 0 AND 1 AND y BETWEEN 0 AND 1"),
    ("WITHIN(1.0, 2, 3)", "within(1, 2, 3)"),
    ("kind IN (\"smoke\", 'it''s')", "kind IN ('it''s', 'smoke')"),
]


@pytest.mark.parametrize(("where", "expected"), SAME)
def test_filters_that_differ_only_in_spelling_have_one_text(where: str, expected: str) -> None:
    tree = parse(where)
    assert text(tree) == expected
    assert parse(expected) == tree
    assert text(parse_exactly(where)) == expected


def test_a_tree_that_is_made_by_hand_becomes_canonical_too() -> None:
    one = Compare(("a",), "=", 1.0)
    assert canonical(And((one, And((one, Constant(value=True)))))) == Compare(("a",), "=", 1)
    assert canonical(And(())) == Constant(value=True)
    assert canonical(Or(())) == Constant(value=False)


def test_one_and_true_stay_apart_in_a_list() -> None:
    assert text(parse("a IN (1, TRUE)")) == "a OR a = 1"
    assert text(parse("a IN (0, FALSE)")) == "NOT a OR a = 0"
