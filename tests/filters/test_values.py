"""What counts as a value, and how two of them compare."""

from __future__ import annotations

import decimal
import enum
import fractions
import math

import numpy
import pytest

from motecast.filters.values import (
    COMPARISONS,
    MIRRORED,
    OPPOSITE,
    PLAIN,
    as_float,
    compare,
    descend,
    kind,
    known,
    lookup,
    plain,
)


class Colour(enum.StrEnum):
    """A string in disguise."""

    RED = "red"


class Level(enum.IntEnum):
    """An integer in disguise."""

    HIGH = 3


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        (3, 3),
        (2.5, 2.5),
        ("x", "x"),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (numpy.float32(0.5), 0.5),
        (numpy.int64(7), 7),
        (numpy.bool_(True), True),
        (fractions.Fraction(1, 2), 0.5),
    ],
)
def test_disguised_values_count_as_what_they_are(value: object, expected: object) -> None:
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)
    assert type(found) in PLAIN


@pytest.mark.parametrize("value", [None, [1], {"a": 1}, b"x", decimal.Decimal(1), 1j, numpy.array([True]), object()])
def test_everything_else_is_null(value: object) -> None:
    assert plain(value) is None


def test_nan_is_null_and_infinity_is_a_number() -> None:
    assert known(math.nan) is None
    assert known(math.inf) == math.inf
    assert lookup({"a": numpy.float64("nan")}, ("a",)) is None


def test_a_path_ends_at_the_first_thing_that_is_no_mapping() -> None:
    assert descend({"a": {"b": 1}}, ("a", "b")) == 1
    assert descend({"a": "text"}, ("a", "b")) is None
    assert descend({}, ("a", "b")) is None


def test_kinds_tell_booleans_from_numbers() -> None:
    assert [kind(value) for value in (True, 1, 1.0, "1")] == ["boolean", "number", "number", "string"]


@pytest.mark.parametrize("symbol", COMPARISONS)
def test_the_opposite_and_the_mirror_image_of_a_comparison(symbol: str) -> None:
    for left in (0, 1, 2):
        assert compare(left, OPPOSITE[symbol], 1) is (not compare(left, symbol, 1))
        assert compare(1, MIRRORED[symbol], left) is compare(left, symbol, 1)


@pytest.mark.parametrize(("left", "right"), [(None, 1), (1, None), (1, "1"), (True, 1), ("a", False)])
def test_no_comparison_with_null_or_another_kind(left: object, right: object) -> None:
    assert all(compare(left, symbol, right) is None for symbol in COMPARISONS)


def test_an_integer_beyond_all_floats_becomes_infinite() -> None:
    assert (as_float(10**400), as_float(-(10**400)), as_float(3)) == (math.inf, -math.inf, 3.0)
