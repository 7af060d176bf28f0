"""Attribute values: what counts as a number, a string, a boolean or NULL, and how two of them compare."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Mapping
from typing import TypeAlias

Scalar: TypeAlias = bool | int | float | str
Value: TypeAlias = "Scalar | Mapping[str, Value] | None"
Event: TypeAlias = Mapping[str, Value]
Path: TypeAlias = tuple[str, ...]  # ("weather", "temp") for weather.temp

PLAIN = frozenset({bool, int, float, str, type(None)})

NUMBER = "number"
STRING = "string"
BOOLEAN = "boolean"

COMPARISONS: dict[str, Callable[[Scalar, Scalar], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}  # NOT (a < b) is a >= b
MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}  # a < b is b > a


def kind(value: Scalar) -> str:
    """NUMBER, STRING or BOOLEAN; values of two kinds never compare."""
    if isinstance(value, bool):
        return BOOLEAN
    return STRING if isinstance(value, str) else NUMBER


def plain(value: object) -> Scalar | None:
    """The value as exactly a bool, int, float or str; None for NULL and for everything a filter does not know."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    return _plain_number(value)


def _plain_number(value: object) -> Scalar | None:
    # A subclass of float or a NumPy scalar is a number too: a filter that silently never matched would be a trap.
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    item = getattr(value, "item", None)  # NumPy's boolean is no bool, but says what it is
    single = item() if callable(item) and getattr(value, "shape", None) == () else None
    return single if isinstance(single, bool) else None


def known(value: Scalar | None) -> Scalar | None:
    """The value, None instead of NaN."""
    return None if value is None or value != value else value


def lookup(event: Event, path: Path) -> Scalar | None:
    """The plain value at a path of an event; None if it is missing, NULL or NaN."""
    return known(plain(descend(event, path)))


def descend(event: Event, path: Path) -> object:
    """What is at a path of nested mappings, None if the way ends before."""
    found: object = event
    for name in path:
        if not isinstance(found, Mapping):
            return None
        found = found.get(name)
    return found


def compare(left: Scalar | None, symbol: str, right: Scalar | None) -> bool | None:
    """The comparison of two plain values, None if one is NULL or they are of two kinds."""
    if left is None or right is None or kind(left) != kind(right):
        return None
    return COMPARISONS[symbol](left, right)


def as_float(number: float) -> float:
    """The nearest float, infinite for an integer beyond all floats."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
