"""The tree: which attributes it reads, and how a path is named."""

from __future__ import annotations

import pytest

from motecast.filters import parse, path_key, paths


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("TRUE", set()),
        ("a > 1 OR NOT (b IN (1, 2) AND w.c LIKE 'x%')", {("a",), ("b",), ("w", "c")}),
        ("a < b", {("a",), ("b",)}),
        ("a IS NULL AND b BETWEEN 1 AND 2", {("a",), ("b",)}),
        ("within(0, 0, 1)", {("x",), ("y",)}),
        ("inside(0,0, 1,0, 0,1)", {("x",), ("y",)}),
        ("within_geo(0, 0, 1)", {("lat",), ("lon",)}),
    ],
)
def test_the_attributes_that_a_filter_reads(where: str, expected: set[tuple[str, ...]]) -> None:
    assert paths(parse(where)) == expected


def test_two_paths_never_have_the_same_key() -> None:
    assert path_key(("w", "temp")) == "w.temp"
    assert path_key(("w.temp",)) == '"w.temp"'
    assert path_key(('say "x"', "t")) == '"say ""x""".t'
    assert path_key(('a.b"."c.d',)) != path_key(("a.b", "c.d"))
