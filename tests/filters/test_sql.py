"""The text for Spark, rule by rule. A real engine is asked in test_sql_on_duckdb.py."""

from __future__ import annotations

import pytest

from motecast.filters import DUCKDB, SPARK, Columns, parse, sql_text
from motecast.filters.sql import NULL
from motecast.filters.syntax import Among, Compare

COLUMNS: Columns = {
    ("d",): "double",
    ("f",): "float",
    ("i",): "int",
    ("b",): "bigint",
    ("s",): "string",
    ("m",): "boolean",
    ("odd`name",): "double",
    ("w", "temp"): "double",
    ("w", "a.b"): "string",
    ("when",): "timestamp",
    ("list",): "array<int>",
    ("price",): "decimal(10,2)",
    ("v",): "variant",
    ("code",): "varchar(10)",
    ("x",): "double",
    ("y",): "int",
}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("d > 20", "(nanvl(`d`, NULL) > 20.0D)"),
        ("f > 20", "(nanvl(`f`, NULL) > 20.0D)"),
        ("i > 20", "(`i` > 20L)"),
        ("b >= 2.5", "(`b` >= 3L)"),
        ("s > 'a'", "(`s` > 'a')"),
        ("code = 'x'", "(`code` = 'x')"),
        ("m", "(`m` = TRUE)"),
        ("NOT m", "(`m` = FALSE)"),
        ("d IS NULL", "(nanvl(`d`, NULL) IS NULL)"),
        ("d IS NOT NULL", "(NOT (nanvl(`d`, NULL) IS NULL))"),
        ("i BETWEEN 1 AND 2.5", "((`i` >= 1L) AND (`i` <= 2L))"),
        ("i IN (1, 2.5, 3)", "(`i` IN (1L, 3L))"),
        ("s NOT IN ('a', 'b')", "(NOT (`s` IN ('a', 'b')))"),
        ("d = 1 OR m", "((nanvl(`d`, NULL) = 1.0D) OR (`m` = TRUE))"),
        ("i < b", "(`b` > `i`)"),
        ("d < f", "(nanvl(`d`, NULL) < nanvl(`f`, NULL))"),
        ("w.temp > 1", "(nanvl(`w`.`temp`, NULL) > 1.0D)"),
        ("w.`a.b` = 'x'", "(`w`.`a.b` = 'x')"),
        ("`odd``name` = 1", "(nanvl(`odd``name`, NULL) = 1.0D)"),
        ("TRUE", "TRUE"),
        ("FALSE", "FALSE"),
    ],
)
def test_each_type_of_column_is_read_in_its_own_way(where: str, expected: str) -> None:
    assert sql_text(parse(where), COLUMNS) == expected


@pytest.mark.parametrize(
    "where",
    [
        "s > 20",
        "s IN (1, 2)",
        "s BETWEEN 1 AND 2",
        "d = 'x'",
        "d LIKE '1%'",
        "m = 1",
        "m = 'TRUE'",
        "i",
        "s = d",
        "m = i",
    ],
)
def test_values_of_two_kinds_are_null_and_never_brought_together(where: str) -> None:
    """'A comparison of a string column with a number is emitted as NULL'"""
    text = sql_text(parse(where), COLUMNS)
    assert text.replace("(", "").replace(")", "").replace(" AND ", "") in (
        bare := NULL.replace("(", "").replace(")", ""),
        bare * 2,
    )


@pytest.mark.parametrize("name", ["gone", "when", "list", "price", "w", "w.gone", "d.inner", "D"])
def test_what_is_no_column_of_a_known_type_is_null(name: str) -> None:
    for where in (f"{name} > 1", f"{name} = 'x'", f"{name} IN (1, 2)", f"{name} LIKE 'a%'", f"{name} = {name}"):
        assert sql_text(parse(where), COLUMNS) == NULL
    assert sql_text(parse(f"{name} IS NULL"), COLUMNS) == "TRUE"
    assert sql_text(parse(f"{name} IS NOT NULL"), COLUMNS) == "(NOT TRUE)"


def test_a_region_without_its_columns_is_null() -> None:
    assert sql_text(parse("within_geo(1, 2, 3)"), COLUMNS) == NULL
    assert sql_text(parse("within(1, 2, 3)"), {("x",): "double", ("y",): "string"}) == NULL


def test_a_circle_is_the_same_arithmetic_as_in_python() -> None:
    x, y = "(CAST(nanvl(`x`, NULL) AS DOUBLE))", "(CAST(`y` AS DOUBLE))"
    squares = f"({x} - 1.0D) * ({x} - 1.0D) + ({y} - (-2.0D)) * ({y} - (-2.0D)) <= 9.0D"
    expected = f"(CASE WHEN {x} IS NULL OR {y} IS NULL THEN NULL ELSE {squares} END)"
    assert sql_text(parse("within(1, -2, 3)"), COLUMNS) == expected


def test_a_comparison_that_is_the_same_for_all_numbers_still_knows_null() -> None:
    assert sql_text(parse("b > 1e300"), COLUMNS) == "((CASE WHEN `b` IS NOT NULL THEN FALSE END))"
    assert sql_text(parse("b < 1e300"), COLUMNS) == "((CASE WHEN `b` IS NOT NULL THEN TRUE END))"
    assert sql_text(parse("b IN (0.5, 1.5)"), COLUMNS) == "((CASE WHEN `b` IS NOT NULL THEN FALSE END))"


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("s LIKE 'a%'", "(`s` LIKE 'a%' ESCAPE '!')"),
        ("s LIKE 'a\\b%'", "(`s` LIKE 'a\\\\b%' ESCAPE '!')"),
        ("s LIKE 'a#%%' ESCAPE '#'", "(`s` LIKE 'a!%%' ESCAPE '!')"),
        ("s LIKE '!%'", "(`s` LIKE '!!%' ESCAPE '!')"),
        ("s LIKE '%a%b%'", "(`s` RLIKE '(?s)\\\\A(?>.*?a)(?>.*?b).*\\\\z')"),
        ("s LIKE '%.%_%'", "(`s` RLIKE '(?s)\\\\A(?>.*?\\\\.)(?>.*?.).*\\\\z')"),
    ],
)
def test_like_has_an_explicit_escape_and_many_wildcards_cost_no_more_than_the_string(where: str, expected: str) -> None:
    """'`LIKE` with an explicit escape'"""
    assert sql_text(parse(where), COLUMNS) == expected


def test_a_variant_is_read_as_the_type_that_the_row_has() -> None:
    """'A column of unknown type (JSON) goes through `try_cast`'"""
    own = "schema_of_variant(`v`)"
    assert sql_text(parse("v > 20"), COLUMNS) == (
        f"(CASE WHEN {own} = 'BIGINT' THEN try_cast(`v` AS BIGINT) > 20L "
        f"WHEN {own} RLIKE '^(DOUBLE|FLOAT|DECIMAL)' THEN nanvl(try_cast(`v` AS DOUBLE), NULL) > 20.0D ELSE {NULL} END)"
    )
    text = sql_text(parse("v.deep.`a.b` = 'x'"), COLUMNS)
    inner = "try_variant_get(`v`, '\\u0024[\"deep\"][\"a.b\"]', 'variant')"
    assert (
        text
        == f"(CASE WHEN schema_of_variant({inner}) = 'STRING' THEN try_cast({inner} AS STRING) = 'x' ELSE {NULL} END)"
    )


def test_no_variable_of_spark_is_ever_filled_into_a_strangers_text() -> None:
    text = sql_text(parse("s = '${env:HOME}' OR s LIKE '%${env:HOME}' OR s LIKE '%$%{x}%'"), COLUMNS)
    assert "$" not in text


@pytest.mark.parametrize("evil", ["' OR TRUE --", "\\' OR TRUE --", "\\", "'", "\n", "\0", "`"])
def test_a_strangers_string_stays_inside_its_literal(evil: str) -> None:
    spark = sql_text(Compare(("s",), "=", evil), COLUMNS)
    inner = spark.removeprefix("(`s` = '").removesuffix("')")
    plain = inner.replace("\\\\", "").replace("\\'", "")
    assert "'" not in plain
    assert all(character >= " " for character in spark)
    duck = sql_text(Compare(("s",), "=", evil), COLUMNS, DUCKDB)
    assert duck.count("'") % 2 == 0
    assert "\0" not in duck


def test_a_list_never_holds_null_and_a_tree_need_not_be_canonical() -> None:
    """'`IN` without NULL elements'"""
    text = sql_text(Among(("d",), (2, 1, "x")), COLUMNS, SPARK)
    assert text == f"({NULL} OR (nanvl(`d`, NULL) IN (1.0D, 2.0D)))"
