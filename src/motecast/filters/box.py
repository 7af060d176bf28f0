"""A filter as a union of boxes, for an index: which values the attributes may have, and what is left to ask."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from motecast.filters.canonical import canonical
from motecast.filters.interpreter import evaluate
from motecast.filters.intervals import Interval, Members, Side, hull, intersection, members
from motecast.filters.limits import MAX_BOXES
from motecast.filters.regions import bounds, geo_bounds
from motecast.filters.syntax import (
    LAT,
    LON,
    Among,
    And,
    Between,
    Compare,
    Constant,
    Expression,
    Inside,
    Not,
    Or,
    Within,
    WithinGeo,
    X,
    Y,
)
from motecast.filters.values import BOOLEAN, COMPARISONS, STRING, Event, Path, Scalar, kind, lookup


@dataclass(frozen=True, slots=True)
class Box:
    """An event is in the box if every attribute with a side has a value inside; it matches if the residual is TRUE too.

    A NULL is in no side; an attribute without a side may be anything. No residual: the box alone decides.
    """

    sides: tuple[tuple[Path, Side], ...] = ()  # sorted by path
    residual: Expression | None = None

    def contains(self, event: Event) -> bool:
        """Whether the event lies in the box, whatever the residual says."""
        return all(lookup(event, path) in side for path, side in self.sides)

    def matches(self, event: Event) -> bool:
        """Whether the event lies in the box and the residual is TRUE."""
        return self.contains(event) and (self.residual is None or evaluate(self.residual, event) is True)

    @property
    def is_everything(self) -> bool:
        """Whether every event is in the box."""
        return not self.sides


@dataclass(frozen=True, slots=True)
class Boxes:
    """An event matches the filter exactly if it matches one of the boxes. None: the filter never matches."""

    boxes: tuple[Box, ...]

    def matches(self, event: Event) -> bool:
        """Whether the event matches one of the boxes."""
        return any(box.matches(event) for box in self.boxes)


class _Draft(NamedTuple):
    """A box in the making: its residual is joined once, at the end."""

    sides: dict[Path, Side]
    rest: tuple[Expression, ...] = ()

    def done(self) -> Box:
        return Box(tuple(sorted(self.sides.items())), canonical(And(self.rest)) if self.rest else None)


def boxes(expression: Expression) -> Boxes:
    """The boxes of a filter, at most MAX_BOXES; when there would be more, some are merged and get a residual."""
    found = [draft.done() for draft in _boxes(canonical(expression))]
    # By their spelling: to Python a box around TRUE equals a box around 1.
    return Boxes(tuple({repr(box): box for box in found}.values()))


def _boxes(tree: Expression) -> list[_Draft]:
    match tree:
        case And(operands):
            return _product(operands)
        case Or(operands):
            return _union(tree, operands)
        case _:
            return _predicate(tree)


def _union(tree: Expression, operands: Sequence[Expression]) -> list[_Draft]:
    found = _merged([draft for part in operands for draft in _boxes(part)])
    return found if len(found) <= MAX_BOXES else [_hull(found, tree)]


def _merged(found: list[_Draft]) -> list[_Draft]:
    """Boxes that only ask one attribute to equal something become one box."""
    lists: dict[Path, list[Scalar]] = {}
    others: list[_Draft] = []
    for draft in found:
        match [*draft.sides.items()]:
            case [(path, Members(values))] if not draft.rest:
                lists.setdefault(path, []).extend(values)
            case _:
                others.append(draft)
    return [_Draft({path: members(values)}) for path, values in lists.items()] + others


def _product(operands: Sequence[Expression]) -> list[_Draft]:
    """Every way to take one box of each operand; few-boxed operands first, merged where there would be too many."""
    factors = sorted(((_boxes(part), part) for part in operands), key=lambda factor: len(factor[0]))
    found = [_Draft({})]
    for factor, part in factors:
        if len(found) * len(factor) > MAX_BOXES:
            factor = [_hull(factor, part)]
        pairs = (_both(one, other) for one in found for other in factor)
        found = [draft for draft in pairs if draft is not None]
    return found


def _both(a: _Draft, b: _Draft) -> _Draft | None:
    """What lies in both boxes, None if nothing does."""
    sides = dict(a.sides)
    for path, side in b.sides.items():
        sides[path] = intersection(sides[path], side) if path in sides else side
        if sides[path].is_empty:
            return None
    return _Draft(sides, a.rest + b.rest)


def _hull(found: Sequence[_Draft], exact: Expression) -> _Draft:
    """One box around all of them, with the filter that they stand for as its residual."""
    return _Draft(reduce(_around, (draft.sides for draft in found)), (exact,))


def _around(a: dict[Path, Side], b: dict[Path, Side]) -> dict[Path, Side]:
    hulls = {path: hull(side, b[path]) for path, side in a.items() if path in b}
    return {path: side for path, side in hulls.items() if side is not None}


def _predicate(tree: Expression) -> list[_Draft]:
    match tree:
        case Constant(value):
            return [_Draft({})] if value else []
        case Compare(path, symbol, value):
            return _comparison(path, symbol, value)
        case Between(path, low, high) if not isinstance(low, str) and not isinstance(high, str):
            return _nonempty(path, [Interval(low, high)])
        case Among(path, values):
            return [_Draft({path: members(values)})]
        case Not(Between(path, low, high)) if not isinstance(low, str) and not isinstance(high, str):
            return _nonempty(path, [Interval(high=low, is_high_open=True), Interval(low=high, is_low_open=True)])
        case Not(Among(path, values)) if kind(values[0]) != STRING:
            return _others(tree, path, values)
        case Within() | Inside():
            x0, y0, x1, y1 = bounds(tree)
            return [_Draft({X: Interval(x0, x1), Y: Interval(y0, y1)}, (tree,))]
        case WithinGeo():
            return _geo(tree)
        case _:
            return [_Draft({}, (tree,))]


def _comparison(path: Path, symbol: str, value: Scalar) -> list[_Draft]:
    if symbol == "=":
        return [_Draft({path: Members((value,))})]
    if isinstance(value, str):
        return [_Draft({}, (Compare(path, symbol, value),))]
    if isinstance(value, bool):
        return _nonempty(path, [members(own for own in (False, True) if COMPARISONS[symbol](own, value))])
    below = Interval(high=value, is_high_open=symbol != "<=")
    above = Interval(low=value, is_low_open=symbol != ">=")
    return _nonempty(path, [below] * (symbol in ("<", "<=", "!=")) + [above] * (symbol in (">", ">=", "!=")))


def _others(tree: Expression, path: Path, values: tuple[Scalar, ...]) -> list[_Draft]:
    """The numbers or booleans that are not in the list."""
    if kind(values[0]) == BOOLEAN:
        return _nonempty(path, [members(own for own in (False, True) if own not in values)])
    numbers = sorted(value for value in values if not isinstance(value, str))
    ends = [-math.inf, *numbers, math.inf]
    if len(numbers) >= MAX_BOXES:
        return [_Draft({path: Interval()}, (tree,))]
    gaps = [Interval(low, high, low != -math.inf, high != math.inf) for low, high in pairwise(ends)]
    return _nonempty(path, gaps)


def _nonempty(path: Path, sides: Iterable[Side]) -> list[_Draft]:
    return [_Draft({path: side}) for side in sides if not side.is_empty]


def _geo(tree: WithinGeo) -> list[_Draft]:
    (south, north), ranges = geo_bounds(tree)
    return [_Draft({LAT: Interval(south, north), LON: Interval(west, east)}, (tree,)) for west, east in ranges]
