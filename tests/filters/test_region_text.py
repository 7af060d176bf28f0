"""Regions as SQL. That the arithmetic agrees is asked of an engine in test_sql_on_duckdb.py."""

from __future__ import annotations

from motecast.filters import SPARK
from motecast.filters.region_text import region_text
from motecast.filters.syntax import Inside, Within, WithinGeo

TRIANGLE = Inside(((0.0, 0.0), (2.0, 0.0), (0.0, 2.0)))


def test_a_circle_compares_squares() -> None:
    assert (
        region_text(Within(0, 0, 1.5), "a", "b", SPARK) == "(a - 0.0D) * (a - 0.0D) + (b - 0.0D) * (b - 0.0D) <= 2.25D"
    )


def test_a_polygon_counts_the_sides_that_are_not_level() -> None:
    text = region_text(TRIANGLE, "a", "b", SPARK)
    assert text.count("CASE WHEN") == 2
    assert text.endswith(" % 2 = 1")
    assert "0.0D <= b AND b < 2.0D AND a < (-1.0D) * (b - 0.0D) + 2.0D" in text


def test_a_polygon_without_area_holds_nothing() -> None:
    assert region_text(Inside(((0.0, 1.0), (1.0, 1.0), (2.0, 1.0))), "a", "b", SPARK) == "FALSE"


def test_a_circle_on_the_sphere_asks_first_whether_the_place_is_on_earth() -> None:
    text = region_text(WithinGeo(-10, 20, 1000), "a", "b", SPARK)
    assert text.startswith("(CASE WHEN abs(a) <= 90.0D AND abs(b) <= 180.0D THEN sin((a - (-10.0D)) * ")
    assert text.endswith(" ELSE FALSE END)")
