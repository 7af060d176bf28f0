"""Whether one filter is at least as wide as another, so that a broker need forward only one of two subscriptions."""

from __future__ import annotations

from collections.abc import Iterator

from motecast.filters.box import Box, boxes
from motecast.filters.canonical import canonical
from motecast.filters.interpreter import evaluate, value_at
from motecast.filters.intervals import Members, Side, includes
from motecast.filters.limits import MAX_BOXES
from motecast.filters.spelling import spell
from motecast.filters.syntax import And, Between, Compare, Expression, Missing, Not, paths
from motecast.filters.values import COMPARISONS, Path


def covers(a: Expression, b: Expression) -> bool:
    """True only if every event that matches b matches a; False may mean that it could not be shown.

    It is shown wherever each box of b (each of its conjunctions) lies in a single box of a.
    """
    wide, narrow = canonical(a), canonical(b)
    if spell(wide) == spell(narrow):
        return True
    around = boxes(wide).boxes
    return all(_covered(box, around) for box in boxes(narrow).boxes)


def _covered(box: Box, around: tuple[Box, ...]) -> bool:
    if any(_holds(one, box) for one in around):
        return True
    pieces = list(_pieces(box))
    return bool(pieces) and all(any(_holds(one, piece) for one in around) for piece in pieces)


def _pieces(box: Box) -> Iterator[Box]:
    """The box value by value of its one list, if it has a short one: each may lie in another box."""
    for path, side in box.sides:
        if isinstance(side, Members) and 1 < len(side.values) <= MAX_BOXES:
            for value in side.values:
                yield Box(
                    tuple((own, Members((value,)) if own == path else old) for own, old in box.sides), box.residual
                )
            return


def _holds(outer: Box, inner: Box) -> bool:
    """Whether everything that matches the inner box matches the outer one."""
    sides = dict(inner.sides)
    fits = all(path in sides and includes(side, sides[path]) for path, side in outer.sides)
    known = _parts(inner.residual)
    return fits and all(_implied(part, known, sides) for part in _parts(outer.residual))


def _parts(residual: Expression | None) -> tuple[Expression, ...]:
    if residual is None:
        return ()
    return residual.operands if isinstance(residual, And) else (residual,)


def _implied(wanted: Expression, known: tuple[Expression, ...], sides: dict[Path, Side]) -> bool:
    """Whether a predicate is TRUE wherever the known ones are and the attributes are in their sides."""
    text = spell(wanted)
    return any(spell(part) == text or _stronger(part, wanted) for part in known) or _decided(wanted, sides)


def _decided(wanted: Expression, sides: dict[Path, Side]) -> bool:
    """Whether the sides alone make it TRUE: one attribute, tried with each value that it may have."""
    if isinstance(wanted, Not) and isinstance(wanted.operand, Missing):
        return wanted.operand.path in sides
    asked = paths(wanted)
    side = sides.get(next(iter(asked))) if len(asked) == 1 else None
    if not isinstance(side, Members) or not side.values:
        return False
    path = next(iter(asked))
    return all(evaluate(wanted, value_at(path, value)) is True for value in side.values)


def _stronger(known: Expression, wanted: Expression) -> bool:
    """Whether a comparison of an attribute with a string says all that another says."""
    if isinstance(wanted, Not) and isinstance(wanted.operand, Missing):
        return _is_null_free(known, wanted.operand.path)
    if not (isinstance(known, Compare) and isinstance(wanted, Compare) and known.path == wanted.path):
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


def _is_null_free(known: Expression, path: Path) -> bool:
    """Whether the predicate can only be TRUE if the attribute is not NULL."""
    inner = known.operand if isinstance(known, Not) else known
    return isinstance(inner, Compare | Between) and inner.path == path
