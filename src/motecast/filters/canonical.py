"""The canonical tree: NOT only before single predicates, operands and lists sorted and without repetition.

Every step keeps the three-valued result: NOT (a > 1) and a <= 1 are NULL for the same events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from motecast.filters.like import fixed, normal
from motecast.filters.spelling import normal_number, spell, spell_literal
from motecast.filters.syntax import (
    Among,
    And,
    Between,
    Compare,
    ComparePaths,
    Constant,
    Expression,
    Like,
    Not,
    Or,
    Predicate,
)
from motecast.filters.values import BOOLEAN, MIRRORED, OPPOSITE, Path, Scalar, kind


def canonical(expression: Expression) -> Expression:
    """The canonical tree of a filter that is TRUE, FALSE and NULL for the same events."""
    match expression:
        case And(operands):
            return _joined(And, (canonical(part) for part in operands))
        case Or(operands):
            return _joined(Or, (canonical(part) for part in operands))
        case Not(operand):
            return _negated(operand)
        case _:
            return _predicate(expression)


def _negated(expression: Expression) -> Expression:
    match expression:
        case And(operands):
            return _joined(Or, (_negated(part) for part in operands))
        case Or(operands):
            return _joined(And, (_negated(part) for part in operands))
        case Not(operand):
            return canonical(operand)
        case _:
            return _opposite(_predicate(expression))


def _opposite(expression: Expression) -> Expression:
    """NOT of a tree that is canonical."""
    match expression:
        case Constant(value):
            return Constant(not value)
        case Compare(path, symbol, value):
            return _predicate(Compare(path, OPPOSITE[symbol], value))
        case ComparePaths(left, symbol, right):
            return ComparePaths(left, OPPOSITE[symbol], right)
        case And() | Or() | Not():
            return _negated(expression)  # a list of two kinds has become a tree
        case _:
            return Not(expression)


def _predicate(predicate: Predicate) -> Expression:
    match predicate:
        case Compare(path, symbol, value):
            return _comparison(path, symbol, value)
        case ComparePaths(left, symbol, right) if right < left:
            return ComparePaths(right, MIRRORED[symbol], left)
        case Between(path, low, high):
            return _between(path, low, high)
        case Among(path, values):
            return _among(path, values)
        case Like(path, pattern, escape):
            only = fixed(pattern, escape)
            return Like(path, *normal(pattern, escape)) if only is None else Compare(path, "=", only)
        case _:
            return predicate


def _comparison(path: Path, symbol: str, value: Scalar) -> Expression:
    if isinstance(value, bool) and symbol == "!=":
        return Compare(path, "=", not value)
    return Compare(path, symbol, _normal(value))


def _between(path: Path, low: Scalar, high: Scalar) -> Expression:
    if kind(low) != kind(high) or kind(low) == BOOLEAN:
        return canonical(And((Compare(path, ">=", low), Compare(path, "<=", high))))
    return Between(path, _normal(low), _normal(high))


def _among(path: Path, values: Iterable[Scalar]) -> Expression:
    """One list for each kind of value: x IN (1, 'a') is x = 1 OR x = 'a'."""
    by_kind: dict[str, dict[str, Scalar]] = {}
    for value in map(_normal, values):
        by_kind.setdefault(kind(value), {})[spell_literal(value)] = value
    lists = [_list(path, tuple(same[text] for text in sorted(same))) for same in by_kind.values()]
    return _joined(Or, lists)


def _list(path: Path, values: tuple[Scalar, ...]) -> Expression:
    return _comparison(path, "=", values[0]) if len(values) == 1 else Among(path, values)


def _normal(value: Scalar) -> Scalar:
    return value if isinstance(value, bool | str) else normal_number(value)


def _joined(kind_of_node: type[And] | type[Or], operands: Iterable[Expression]) -> Expression:
    """The operands joined flat, each once, in the order of their text; TRUE and FALSE are worked out."""
    neutral = kind_of_node is And
    parts = {spell(part): part for part in _flat(kind_of_node, operands)}
    if spell_literal(not neutral) in parts:
        return Constant(not neutral)
    parts.pop(spell_literal(neutral), None)
    if len(parts) == 1:
        return next(iter(parts.values()))
    return kind_of_node(tuple(parts[text] for text in sorted(parts))) if parts else Constant(neutral)


def _flat(kind_of_node: type[And] | type[Or], operands: Iterable[Expression]) -> Iterator[Expression]:
    for part in operands:
        if isinstance(part, kind_of_node):
            yield from part.operands
        else:
            yield part


def text(expression: Expression) -> str:
    """The canonical text: two filters that differ only in order and spelling have the same."""
    return spell(canonical(expression))
