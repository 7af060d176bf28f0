"""What a hostile filter may cost: sizes and counts, never clocks."""

from __future__ import annotations

import pytest

from motecast.filters import (
    DUCKDB,
    MAX_BOXES,
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_POINTS,
    MAX_TERMS,
    MAX_VALUES,
    SPARK,
    Expression,
    FilterError,
    assumed_columns,
    boxes,
    parse,
    sql_text,
)
from motecast.filters.closure import _Writer
from motecast.filters.parser import CACHED
from motecast.filters.syntax import And, Not, Or


def refusal(where: str) -> str:
    with pytest.raises(FilterError) as caught:
        parse(where)
    return caught.value.line


def terms(tree: Expression) -> int:
    match tree:
        case And(operands) | Or(operands):
            return sum(terms(part) for part in operands)
        case Not(operand):
            return terms(operand)
        case _:
            return 1


def test_the_longest_filter_is_read_and_a_longer_one_is_not() -> None:
    fits = f"a = '{'x' * (MAX_LENGTH - 6)}'"
    assert len(fits) == MAX_LENGTH
    parse(fits)
    assert (
        refusal(fits + " ") == f"line 1, column 1: the filter has {MAX_LENGTH + 1} bytes; expected at most {MAX_LENGTH}"
    )
    assert "has 4100 bytes" in refusal(f"a = '{'é' * 2047}'")


def test_a_filter_whose_canonical_text_would_be_too_long_to_travel_is_refused() -> None:
    where = f"a IN ({','.join(f'1e15,{n}' for n in range(600))})"
    assert len(where) < MAX_LENGTH * 2
    many = f"a IN ({','.join(f'{n}e12' for n in range(1, 550))})"
    assert len(many) < MAX_LENGTH
    assert refusal(many).startswith("line 1, column 1: in canonical form the filter has ")


@pytest.mark.parametrize("opener", ["(", "NOT ", "NOT("])
def test_depth_is_limited_before_anything_recurses(opener: str) -> None:
    deep = MAX_DEPTH // (2 if opener == "NOT(" else 1)
    close = ")" * opener.count("(")
    parse(opener * deep + "a" + close * deep)
    message = refusal(opener * (deep + 1) + "a" + close * (deep + 1))
    assert message.endswith(f"the filter is nested too deeply; expected at most {MAX_DEPTH} open '(' and NOT")
    assert "nested too deeply" in refusal((opener * 4000)[:MAX_LENGTH])


@pytest.mark.parametrize("joint", [" AND ", " OR "])
def test_nots_and_parentheses_that_are_closed_no_longer_count(joint: str) -> None:
    parse(joint.join(f"NOT a{number}" for number in range(MAX_DEPTH * 3)))
    parse(joint.join(f"NOT (NOT a{number} > 1)" for number in range(MAX_DEPTH * 3)))


def test_terms_are_limited() -> None:
    parse(" OR ".join(["a"] * MAX_TERMS))
    parse(" OR ".join(["a BETWEEN 1 AND 2"] * 190))
    message = refusal(" OR ".join(["a"] * (MAX_TERMS + 1)))
    assert message.endswith(f"the filter has too many terms; expected at most {MAX_TERMS} joined by AND and OR")


def test_values_of_a_list_are_limited() -> None:
    parse(f"a IN ({','.join(['1'] * MAX_VALUES)})")
    message = refusal(f"a IN ({','.join(['1'] * (MAX_VALUES + 1))})")
    assert message.endswith(f"the list has too many values; expected at most {MAX_VALUES}")


def test_corners_of_a_polygon_are_limited() -> None:
    corners = [f"{number},{number * number}" for number in range(MAX_POINTS + 1)]
    parse(f"inside({','.join(corners[:-1])})")
    assert "inside does not take 130 numbers" in refusal(f"inside({','.join(corners)})")


def product(factors: int, alternatives: int) -> str:
    parts = [" OR ".join(f"a{f}>{n}" for n in range(alternatives)) for f in range(factors)]
    return " AND ".join(f"({part})" for part in parts)


HOSTILE = [
    product(60, 4),  # 4**60 boxes, if they were multiplied out
    product(8, 30),
    f"NOT ({product(8, 30)})",
    " OR ".join(f"s LIKE '%{'a%' * 5}{number}'" for number in range(120)),
    " OR ".join(f"within({number},1,1)" for number in range(200)),
    " AND ".join(f"a{number} != {number}" for number in range(200)),
    f"a NOT IN ({','.join(map(str, range(500)))}) AND b NOT IN ({','.join(map(str, range(300)))})",
    f"inside({','.join(f'{n},{n * n % 61}' for n in range(MAX_POINTS))})",
]


@pytest.mark.parametrize("where", HOSTILE)
def test_what_a_hostile_filter_becomes_is_bounded(where: str) -> None:
    tree = parse(where)
    union = boxes(tree).boxes
    assert len(union) <= MAX_BOXES
    # A residual is at most the filter; a product keeps the parts that it could not multiply out.
    assert all(box.residual is None or terms(box.residual) <= terms(tree) for box in union)
    assert len(_Writer().function(tree)) <= 50 * MAX_LENGTH
    columns = assumed_columns(tree)
    for dialect in (SPARK, DUCKDB):
        assert len(sql_text(tree, columns, dialect)) <= 100 * MAX_LENGTH
        # A column that brings its own types is the longest to read.
        assert len(sql_text(tree, dict.fromkeys(columns, "variant"), dialect)) <= 1000 * MAX_LENGTH


def test_strangers_cannot_fill_the_memory_with_parsed_filters() -> None:
    for number in range(CACHED + 50):
        parse(f"a = {number}")
    assert parse.cache_info().currsize == CACHED
