"""Types of columns: those of a table, and those that would suit a filter."""

from __future__ import annotations

import pytest

from motecast.filters import assumed_columns, parse
from motecast.filters.columns import BOOLEAN, FLOAT, INTEGER, STRING, VARIANT, column_type


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("bigint", INTEGER),
        ("TINYINT", INTEGER),
        ("real", FLOAT),
        ("varchar(10)", STRING),
        (" string ", STRING),
        ("boolean", BOOLEAN),
        ("json", VARIANT),
        ("decimal(10,2)", None),
        ("array<int>", None),
        ("struct<a:int>", None),
        ("", None),
    ],
)
def test_a_type_is_known_by_the_engines_name_for_it(name: str, kind: str | None) -> None:
    assert column_type(name) == kind


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("a > 1", {"a": "double"}),
        ("a LIKE 'x%'", {"a": "string"}),
        ("NOT a", {"a": "boolean"}),
        ("a BETWEEN 1 AND 'x'", {"a": "variant"}),
        ("a IN (1, TRUE)", {"a": "variant"}),
        ("a IS NULL", {"a": "double"}),
        ("a < b AND b = 'x'", {"a": "double", "b": "string"}),
        ("within(0, 0, 1)", {"x": "double", "y": "double"}),
        ("inside(0,0, 1,1, 0,1)", {"x": "double", "y": "double"}),
        ("within_geo(0, 0, 1)", {"lat": "double", "lon": "double"}),
        ("w.a > 1 AND w.b = 'x'", {"w.a": "double", "w.b": "string"}),
        ("w = 1 OR w.a > 1 OR w.b.c", {"w": "variant"}),
        ("TRUE", {}),
    ],
)
def test_the_columns_that_would_suit_a_filter(where: str, expected: dict[str, str]) -> None:
    assert {".".join(path): name for path, name in assumed_columns(parse(where)).items()} == expected
