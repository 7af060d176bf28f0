"""The meaning of a filter, in the plainest words: three-valued logic (Kleene) over one event."""

from __future__ import annotations

from collections.abc import Iterable

from motecast.filters import regions
from motecast.filters.like import matcher
from motecast.filters.syntax import (
    LAT,
    LON,
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
    X,
    Y,
)
from motecast.filters.values import Event, Path, Scalar, compare, lookup


def evaluate(expression: Expression, event: Event) -> bool | None:
    """TRUE, FALSE or NULL (None). An event matches a filter only if this is True."""
    match expression:
        case Constant(value):
            return value
        case Compare(path, symbol, value):
            return compare(lookup(event, path), symbol, value)
        case ComparePaths(left, symbol, right):
            return compare(lookup(event, left), symbol, lookup(event, right))
        case Between(path, low, high):
            found = lookup(event, path)
            return all_of((compare(found, ">=", low), compare(found, "<=", high)))
        case Among(path, values):
            found = lookup(event, path)
            return any_of(compare(found, "=", item) for item in values)
        case Like(path, pattern, escape):
            return _like(lookup(event, path), pattern, escape)
        case Missing(path):
            return lookup(event, path) is None
        case Within() | Inside():
            return regions.holds(expression, lookup(event, X), lookup(event, Y))
        case WithinGeo():
            return regions.holds(expression, lookup(event, LAT), lookup(event, LON))
        case Not(operand):
            result = evaluate(operand, event)
            return None if result is None else not result
        case And(operands):
            return all_of(evaluate(operand, event) for operand in operands)
        case Or(operands):
            return any_of(evaluate(operand, event) for operand in operands)


def all_of(results: Iterable[bool | None]) -> bool | None:
    """AND: one FALSE decides, otherwise one NULL does."""
    found = list(results)
    return False if False in found else None if None in found else True


def any_of(results: Iterable[bool | None]) -> bool | None:
    """OR: one TRUE decides, otherwise one NULL does."""
    found = list(results)
    return True if True in found else None if None in found else False


def _like(value: Scalar | None, pattern: str, escape: str | None) -> bool | None:
    return matcher(pattern, escape)(value) if isinstance(value, str) else None


def value_at(path: Path, value: Scalar) -> Event:
    """The smallest event that has the value at the path."""
    event: Event = {path[-1]: value}
    for name in reversed(path[:-1]):
        event = {name: event}
    return event
