"""Whether one filter is at least as wide as another, so that a broker need forward only one of two subscriptions."""

from __future__ import annotations

from typing import NamedTuple

from motecast.filters.box import Box, boxes
from motecast.filters.canonical import canonical
from motecast.filters.interpreter import evaluate, value_at
from motecast.filters.intervals import Members, Side, includes
from motecast.filters.limits import MAX_BOXES, MAX_STEPS
from motecast.filters.spelling import spell
from motecast.filters.syntax import Among, And, Between, Compare, Expression, Like, Missing, Not, paths
from motecast.filters.values import COMPARISONS, Path


def covers(a: Expression, b: Expression) -> bool:
    """True only if every event that matches b matches a; False may mean that it could not be shown.

    It is shown wherever each box of b (each of its conjunctions) lies in a single box of a, in MAX_STEPS at most.
    """
    wide, narrow = canonical(a), canonical(b)
    if spell(wide) == spell(narrow):
        return True
    proof = _Proof([_facts(box) for box in boxes(wide).boxes])
    try:
        return all(proof.covers(_facts(box)) for box in boxes(narrow).boxes)
    except _TooLongError:
        return False


class _Facts(NamedTuple):
    """What holds in a box: the sides of its attributes, and the parts of its residual, by text and by attribute."""

    sides: dict[Path, Side]
    parts: dict[str, Expression]
    about: dict[Path, list[Expression]]


def _facts(box: Box) -> _Facts:
    rest = box.residual
    parts = () if rest is None else rest.operands if isinstance(rest, And) else (rest,)
    about: dict[Path, list[Expression]] = {}
    for part in parts:
        inner = part.operand if isinstance(part, Not) else part
        if isinstance(inner, Compare | Between | Among | Like):
            about.setdefault(inner.path, []).append(part)
    return _Facts(dict(box.sides), {spell(part): part for part in parts}, about)


class _TooLongError(Exception):
    """MAX_STEPS are used up."""


class _Proof:
    """Looks for boxes inside others, and counts what it costs."""

    def __init__(self, around: list[_Facts]) -> None:
        self.around = around
        self.steps = 0

    def covers(self, box: _Facts) -> bool:
        if any(self._holds(one, box) for one in self.around):
            return True
        pieces = _pieces(box)
        return bool(pieces) and all(any(self._holds(one, piece) for one in self.around) for piece in pieces)

    def _holds(self, outer: _Facts, inner: _Facts) -> bool:
        """Whether everything that matches the inner box matches the outer one."""
        self._spend(1)
        fits = all(
            path in inner.sides and self._includes(side, inner.sides[path]) for path, side in outer.sides.items()
        )
        return fits and all(self._implied(text, part, inner) for text, part in outer.parts.items())

    def _includes(self, outer: Side, inner: Side) -> bool:
        self._spend(1 + len(inner.values) // 16 if isinstance(inner, Members) else 1)
        return includes(outer, inner)

    def _implied(self, text: str, wanted: Expression, inner: _Facts) -> bool:
        """Whether a predicate is TRUE wherever the inner box has an event."""
        self._spend(1)
        if text in inner.parts:
            return True
        for path in paths(wanted):
            for part in inner.about.get(path, ()):
                self._spend(1)
                if _stronger(part, wanted):
                    return True
        return self._decided(text, wanted, inner.sides)

    def _decided(self, text: str, wanted: Expression, sides: dict[Path, Side]) -> bool:
        """Whether the sides alone make it TRUE: one attribute, tried with each value that it may have."""
        if isinstance(wanted, Not) and isinstance(wanted.operand, Missing):
            return wanted.operand.path in sides
        asked = paths(wanted)
        side = sides.get(next(iter(asked))) if len(asked) == 1 else None
        if not isinstance(side, Members) or not side.values:
            return False
        self._spend(len(side.values) * (1 + len(text) // 16))  # a long predicate takes longer to evaluate
        path = next(iter(asked))
        return all(evaluate(wanted, value_at(path, value)) is True for value in side.values)

    def _spend(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise _TooLongError


def _pieces(box: _Facts) -> list[_Facts]:
    """The box value by value of its one list, if it has a short one: each may lie in another box."""
    for path, side in box.sides.items():
        if isinstance(side, Members) and 1 < len(side.values) <= MAX_BOXES:
            return [_Facts({**box.sides, path: Members((value,))}, box.parts, box.about) for value in side.values]
    return []


def _stronger(known: Expression, wanted: Expression) -> bool:
    """Whether a predicate of an attribute, which is not NULL where it is TRUE, says all that another says of it."""
    if isinstance(wanted, Not) and isinstance(wanted.operand, Missing):
        return True
    if not (isinstance(known, Compare) and isinstance(wanted, Compare)):
        return False
    if not (isinstance(known.value, str) and isinstance(wanted.value, str)):
        return False
    if wanted.symbol == "!=":
        return not COMPARISONS[known.symbol](wanted.value, known.value)
    if known.symbol[0] != wanted.symbol[0]:
        return False  # one bounds from above, the other from below
    if known.value == wanted.value:
        return known.symbol == wanted.symbol or len(known.symbol) == 1
    return COMPARISONS[wanted.symbol[0]](known.value, wanted.value)
