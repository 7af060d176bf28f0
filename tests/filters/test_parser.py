"""From text to tree: every rule of the grammar once, and the words that may stand for others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.filters import FilterError, parse
from motecast.filters.parser import parse_exactly
from motecast.filters.scanner import scan
from motecast.filters.spelling import spell
from motecast.filters.syntax import (
    Among,
    And,
    Between,
    Compare,
    ComparePaths,
    Constant,
    Expression,
    Inside,
    Like,
    Missing,
    Not,
    Or,
    Within,
    WithinGeo,
)

A, B = ("a",), ("b",)


@pytest.mark.parametrize(
    ("where", "tree"),
    [
        ("a > 1", Compare(A, ">", 1)),
        ("1 > a", Compare(A, "<", 1)),
        ("'x' = a", Compare(A, "=", "x")),
        ("a <> 1.5", Compare(A, "!=", 1.5)),
        ("a = -.5e1", Compare(A, "=", -5.0)),
        ("a = +3", Compare(A, "=", 3)),
        ("a = 5.", Compare(A, "=", 5.0)),
        ("a = 'it''s'", Compare(A, "=", "it's")),
        ('a = "say ""x"""', Compare(A, "=", 'say "x"')),
        ('"a" = "b"', Compare(A, "=", "b")),
        ("a = `b`", ComparePaths(A, "=", B)),
        ("a <= b", ComparePaths(A, "<=", B)),
        ("`x``y` = 1", Compare(("x`y",), "=", 1)),
        ('w."odd name".`z` = 1', Compare(("w", "odd name", "z"), "=", 1)),
        ("a", Compare(A, "=", value=True)),
        ("a = FALSE", Compare(A, "=", value=False)),
        ("TRUE", Constant(value=True)),
        ("a BETWEEN 1 AND 2 AND b", And((Between(A, 1, 2), Compare(B, "=", value=True)))),
        ("a NOT BETWEEN 1 AND 2", Not(Between(A, 1, 2))),
        ("a IN (1, 'x', TRUE)", Among(A, (1, "x", True))),
        ("a NOT IN (1)", Not(Among(A, (1,)))),
        ("a LIKE '%x'", Like(A, "%x", None)),
        ('a NOT LIKE "%x"', Not(Like(A, "%x", None))),
        ("a LIKE '%!%' ESCAPE '!'", Like(A, "%!%", "!")),
        ("a NOT LIKE '%!%' ESCAPE '!'", Not(Like(A, "%!%", "!"))),
        ("a IS NULL", Missing(A)),
        ("a IS NOT NULL", Not(Missing(A))),
        ("within(1, 2, 3)", Within(1, 2, 3)),
        ("inside(0,0, 1,0, 0,1)", Inside(((0, 0), (1, 0), (0, 1)))),
        ("inside(1,1, 0,0)", And((Between(("x",), 0, 1), Between(("y",), 0, 1)))),
        ("within_geo(1, 2, 3)", WithinGeo(1, 2, 3)),
        ("a OR b AND NOT a", Or((Compare(A, "=", value=True), And((Compare(B, "=", value=True), Not(parse("a"))))))),
        ("(a OR b) AND a", And((Or((parse("a"), parse("b"))), parse("a")))),
        ("NOT a = 1", Not(Compare(A, "=", 1))),
        ("temperatur_é2 > 1", Compare(("temperatur_é2",), ">", 1)),
        ("within = 1", Compare(("within",), "=", 1)),
    ],
)
def test_every_rule_makes_its_tree(where: str, tree: Expression) -> None:
    assert parse_exactly(where) == tree
    assert parse_exactly(f" \n\t{where}\n ") == tree


@pytest.mark.parametrize("where", ["a and not b or c", "a And nOT b oR c"])
def test_keywords_are_known_in_any_case_and_attributes_are_not(where: str) -> None:
    assert parse(where) == parse("a AND NOT b OR c")
    assert parse("A") != parse("a")


def test_tokens_know_where_they_start() -> None:
    assert [(word.type, word.offset) for word in scan(" a >= 'x y' AND(b)")] == [
        ("NAME", 1),
        ("OPERATOR", 3),
        ("STRING", 6),
        ("AND", 12),
        ("OPEN", 15),
        ("NAME", 16),
        ("CLOSE", 17),
    ]


@pytest.mark.fuzz
@given(
    st.text(max_size=40)
    | st.lists(
        st.sampled_from(
            ["a", "AND", "OR", "NOT", "(", ")", "1", "'x'", "=", "<", "IN", ",", "BETWEEN", "LIKE", "IS", "NULL"]
        ),
        max_size=12,
    ).map(" ".join)
)
def test_any_text_is_a_filter_or_a_filter_error(where: str) -> None:
    error = mistake(where)
    if error is None:
        assert parse(spell(parse(where))) == parse(where)
    else:
        assert 0 <= error.offset <= len(where)
        assert str(error).count("\n") == 2


def mistake(where: str) -> FilterError | None:
    try:
        parse(where)
    except FilterError as error:
        return error
    return None
