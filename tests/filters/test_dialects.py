"""Literals, names and readings as each engine wants them."""

from __future__ import annotations

import pytest

from motecast.filters import DUCKDB, SPARK, Dialect
from motecast.filters.columns import BOOLEAN, FLOAT, INTEGER, STRING, VARIANT
from motecast.filters.like import Wildcard


def test_names_are_quoted_as_each_engine_quotes() -> None:
    assert SPARK.column(("a`b", "c.d")) == "`a``b`.`c.d`"
    assert DUCKDB.column(('a"b', "it's")) == "struct_extract(\"a\"\"b\", 'it''s')"


def test_fields_of_a_variant_are_named_by_a_path() -> None:
    assert SPARK.inner("`v`", ("a", "b.c")) == "try_variant_get(`v`, '\\u0024[\"a\"][\"b.c\"]', 'variant')"
    assert DUCKDB.inner('"v"', ("a", "b.c")) == 'json_extract("v", \'$."a"."b.c"\')'


@pytest.mark.parametrize("dialect", [SPARK, DUCKDB])
def test_a_column_has_one_reading_and_a_variant_four(dialect: Dialect) -> None:
    for kind in (INTEGER, FLOAT, STRING, BOOLEAN):
        (reading,) = dialect.readings("c", kind)
        assert (reading.type, reading.when) == (kind, None)
        assert ("nan" in reading.text) is (kind == FLOAT)
    several = dialect.readings("c", VARIANT)
    assert [reading.type for reading in several] == [INTEGER, FLOAT, STRING, BOOLEAN]
    assert all(reading.when for reading in several)


def test_numbers_are_never_decimals() -> None:
    assert [SPARK.double(number) for number in (0.1, -2.0, 1e16)] == ["0.1D", "-2.0D", "1e+16D"]
    assert [DUCKDB.double(number) for number in (0.1, -2.0, 1e16)] == ["0.1e0", "-2.0e0", "1e+16"]
    assert (SPARK.integer(-(2**63)), DUCKDB.integer(7)) == ("-9223372036854775808L", "7")


def test_strings_for_spark_hold_no_dollar_and_no_control_character() -> None:
    assert SPARK.string("a$b'c\\d\ne😀\x7f") == "'a\\u0024b\\'c\\\\d\\u000ae😀\\u007f'"


def test_strings_for_duckdb_hold_no_nul() -> None:
    assert DUCKDB.string("it's") == "'it''s'"
    assert DUCKDB.string("a\0b") == "('a' || chr(0) || 'b')"


def test_a_plain_pattern_is_a_like_and_one_with_many_wildcards_is_none_on_spark() -> None:
    two, three = [Wildcard.ANY, "a"] * 2, [Wildcard.ANY, "a"] * 3
    assert SPARK.like("s", two) == "s LIKE '%a%a' ESCAPE '!'"
    assert SPARK.like("s", three).startswith("s RLIKE ")
    assert DUCKDB.like("s", three) == "s LIKE '%a%a%a' ESCAPE '!'"
