"""SQL text asked of a real engine: the same TRUE, FALSE and NULL as the interpreter's, row by row."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.filters import DUCKDB, Event, Expression, Scalar, evaluate, parse, sql_text
from motecast.filters.columns import Columns
from motecast.filters.syntax import ComparePaths
from tests.strategies_filters import BIG, PATHS, SYMBOLS, TYPES, documents, filters, predicates, rows

COLUMNS: Columns = {(name,): kind for name, kind in TYPES.items() if kind != "missing"}
STORED = {"string": "varchar"}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as connection:
        columns = ", ".join(f"{quoted(path[0])} {STORED.get(kind, kind)}" for path, kind in COLUMNS.items())
        connection.execute(f"CREATE TABLE events (place int, {columns})")
        connection.execute("CREATE TABLE documents (place int, w json)")
        yield connection


def answers(
    engine: duckdb.DuckDBPyConnection, tree: Expression, some: list[dict[str, Scalar | None]]
) -> list[bool | None]:
    engine.execute("TRUNCATE events")
    marks = ", ".join("?" * (len(COLUMNS) + 1))
    stored = [[place, *(row.get(path[0]) for path in COLUMNS)] for place, row in enumerate(some)]
    engine.executemany(f"INSERT INTO events VALUES ({marks})", stored)
    found = engine.execute(f"SELECT {sql_text(tree, COLUMNS, DUCKDB)} FROM events ORDER BY place").fetchall()
    return [answer for (answer,) in found]


@pytest.mark.fuzz
@given(tree=filters(PATHS), some=st.lists(rows(), min_size=1, max_size=5))
def test_duckdb_finds_the_same_three_values_in_typed_columns(
    engine: duckdb.DuckDBPyConnection, tree: Expression, some: list[dict[str, Scalar | None]]
) -> None:
    assert answers(engine, tree, some) == [evaluate(tree, row) for row in some]


@pytest.mark.fuzz
@given(tree=predicates(PATHS), some=st.lists(rows(), min_size=1, max_size=10))
def test_duckdb_finds_the_same_three_values_for_each_predicate(
    engine: duckdb.DuckDBPyConnection, tree: Expression, some: list[dict[str, Scalar | None]]
) -> None:
    assert answers(engine, tree, some) == [evaluate(tree, row) for row in some]


WHOLE = [0, 1, -1, 3, BIG, BIG + 1, -BIG - 1, 2**63 - 1, -(2**63), None]
FRACTIONS = [
    0.0,
    0.5,
    -0.5,
    1.0,
    2.5,
    float(BIG),
    float(BIG + 2),
    2.0**63,
    -(2.0**63),
    1e300,
    math.inf,
    -math.inf,
    math.nan,
    None,
]


@pytest.mark.parametrize("symbol", SYMBOLS)
@pytest.mark.parametrize("names", ["bd", "db", "di", "id"])
def test_duckdb_rounds_no_integer_to_compare_it_with_a_fraction(
    engine: duckdb.DuckDBPyConnection, symbol: str, names: str
) -> None:
    pairs: list[dict[str, Scalar | None]] = [
        {"b": whole, "d": fraction, "i": whole if whole in (0, 1, -1, 3) else None}
        for whole in WHOLE
        for fraction in FRACTIONS
    ]
    tree = ComparePaths((names[0],), symbol, (names[1],))
    assert answers(engine, tree, pairs) == [evaluate(tree, pair) for pair in pairs]


INNER = st.sampled_from([("w", "d"), ("w", "s"), ("w", "m"), ("w", "odd.name", "d"), ("w", "odd.name"), ("w",)])


@pytest.mark.fuzz
@given(tree=filters(INNER), some=st.lists(documents(), min_size=1, max_size=5))
def test_duckdb_finds_the_same_three_values_in_json(
    engine: duckdb.DuckDBPyConnection, tree: Expression, some: list[Event]
) -> None:
    engine.execute("TRUNCATE documents")
    stored = [[place, json.dumps(event["w"]) if "w" in event else None] for place, event in enumerate(some)]
    engine.executemany("INSERT INTO documents VALUES (?, ?)", stored)
    text = sql_text(tree, {("w",): "json"}, DUCKDB)
    found = engine.execute(f"SELECT {text} FROM documents ORDER BY place").fetchall()
    assert [answer for (answer,) in found] == [evaluate(tree, event) for event in some]


def test_duckdb_reads_the_fields_of_a_struct(engine: duckdb.DuckDBPyConnection) -> None:
    columns = {("w", "it's"): "double", ("w", "deep", "kind"): "string"}
    tree = parse("w.`it's` > 20 AND w.deep.kind = 'smoke' AND w.gone IS NULL")
    value = "{'it''s': 21.0, 'deep': {'kind': 'smoke'}}"
    found = engine.execute(f"SELECT {sql_text(tree, columns, DUCKDB)} FROM (SELECT {value} AS w)").fetchall()
    assert found == [(True,)]


@pytest.mark.parametrize("text", ["it's", "back\\slash", "${env:HOME}", "nul\0nul", "\0", "line\nbreak", "😀", "'; --"])
def test_a_string_reaches_duckdb_as_it_is(engine: duckdb.DuckDBPyConnection, text: str) -> None:
    found = engine.execute(f"SELECT {DUCKDB.string(text)}").fetchall()
    assert found == [(text,)]


@pytest.mark.parametrize("number", [0.1, -2.5, 5e-324, 1.7976931348623157e308, 1e16, 123456789012345680.0])
def test_a_number_reaches_duckdb_as_it_is(engine: duckdb.DuckDBPyConnection, number: float) -> None:
    found = engine.execute(f"SELECT {DUCKDB.double(number)}, typeof({DUCKDB.double(number)})").fetchall()
    assert found == [(number, "DOUBLE")]
