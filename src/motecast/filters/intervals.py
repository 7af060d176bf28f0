"""What one side of a box is: an interval of numbers, or a set of values to equal one of."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from motecast.filters.values import NUMBER, Scalar, as_float, kind

_EXACT = 2**53  # below it every integer is a float


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers from low to high, each end included unless it is open; infinite values are numbers too."""

    low: float = -math.inf
    high: float = math.inf
    is_low_open: bool = False
    is_high_open: bool = False

    def __contains__(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        above = self.low < value or (self.low == value and not self.is_low_open)
        return above and (value < self.high or (value == self.high and not self.is_high_open))

    @property
    def is_empty(self) -> bool:
        """Whether no number is inside."""
        return self.low > self.high or (self.low == self.high and (self.is_low_open or self.is_high_open))

    def closed(self) -> tuple[float, float]:
        """A closed interval of floats for an index: of the floats, it holds exactly those that are inside.

        A bound beyond 2**53 is rounded outwards, so that no integer is lost; there the index finds candidates only.
        """
        return self._end(self.low, math.inf, self.is_low_open), self._end(self.high, -math.inf, self.is_high_open)

    @property
    def is_exact(self) -> bool:
        """Whether `closed()` decides for integers too, converted to the nearest float."""
        return all(math.isinf(bound) or abs(bound) < _EXACT for bound in (self.low, self.high))

    @staticmethod
    def _end(bound: float, inwards: float, is_open: bool) -> float:  # noqa: FBT001 - a private helper of closed()
        nearest = as_float(bound)
        if math.isinf(bound) or abs(bound) < _EXACT:
            return math.nextafter(nearest, inwards) if is_open else nearest
        return nearest if nearest == bound or (nearest < bound) == (inwards > 0) else math.nextafter(nearest, -inwards)


@dataclass(frozen=True, slots=True)
class Members:
    """A few values of any kind, in the order of their kind and size."""

    values: tuple[Scalar, ...]
    keys: frozenset[tuple[str, Scalar]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # To Python 1 equals TRUE; with its kind it does not.
        object.__setattr__(self, "keys", frozenset((kind(value), value) for value in self.values))

    def __contains__(self, value: object) -> bool:
        return isinstance(value, bool | int | float | str) and (kind(value), value) in self.keys

    @property
    def is_empty(self) -> bool:
        """Whether no value is inside."""
        return not self.values


Side: TypeAlias = Interval | Members


def members(values: Iterable[Scalar]) -> Members:
    """The values as a set, sorted."""
    distinct = {(kind(value), value): value for value in values}
    return Members(tuple(distinct[key] for key in sorted(distinct, key=_order)))


def _order(key: tuple[str, Scalar]) -> tuple[str, str, float]:
    name, value = key
    return (name, value, 0) if isinstance(value, str) else (name, "", value)


def intersection(a: Side, b: Side) -> Side:
    """What lies in both."""
    if isinstance(a, Members):
        return _few(a, b)
    if isinstance(b, Members):
        return _few(b, a)
    low, is_low_open = max((a.low, a.is_low_open), (b.low, b.is_low_open))
    high, is_high_closed = min((a.high, not a.is_high_open), (b.high, not b.is_high_open))
    return Interval(low, high, is_low_open, not is_high_closed)


def _few(few: Members, other: Side) -> Members:
    return Members(tuple(value for value in few.values if value in other))


def hull(a: Side, b: Side) -> Side | None:
    """A side that holds both; None if only "anything" would."""
    if isinstance(a, Members) and isinstance(b, Members):
        return members(a.values + b.values)
    spans = [_span(side) for side in (a, b)]
    if spans[0] is None or spans[1] is None:
        return None
    low, is_low_open = min((side.low, side.is_low_open) for side in spans if side)
    high, is_high_closed = max((side.high, not side.is_high_open) for side in spans if side)
    return Interval(low, high, is_low_open, not is_high_closed)


def _span(side: Side) -> Interval | None:
    if isinstance(side, Interval):
        return side
    found = [value for value in side.values if kind(value) == NUMBER and not isinstance(value, str)]
    return Interval(min(found), max(found)) if found and len(found) == len(side.values) else None


def includes(a: Side, b: Side) -> bool:
    """Whether everything of b is in a."""
    if isinstance(b, Members):
        return b.keys <= a.keys if isinstance(a, Members) else all(value in a for value in b.values)
    if b.is_empty:
        return True
    if isinstance(a, Members):
        return b.low == b.high and b.low in a
    return intersection(a, b) == b
