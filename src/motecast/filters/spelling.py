"""The canonical text of a tree: the form that travels and by which two filters are known to be the same."""

from __future__ import annotations

import re

from motecast.filters.scanner import KEYWORDS, NAME, NOT_FINITE
from motecast.filters.syntax import (
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
    Predicate,
    Within,
    WithinGeo,
)
from motecast.filters.values import Path, Scalar

_RESERVED = frozenset(KEYWORDS + NOT_FINITE)
_BARE = re.compile(NAME)


def spell(expression: Expression) -> str:
    """The text of exactly this tree, with as few parentheses as it takes."""
    match expression:
        case And(operands):
            return " AND ".join(f"({spell(part)})" if isinstance(part, Or) else spell(part) for part in operands)
        case Or(operands):
            return " OR ".join(spell(part) for part in operands)
        case Not(operand):
            return _spell_not(operand)
        case _:
            return _spell_predicate(expression, "")


def _spell_not(operand: Expression) -> str:
    if isinstance(operand, And | Or):
        return f"NOT ({spell(operand)})"
    if isinstance(operand, Between | Among | Like | Missing):
        return _spell_predicate(operand, "NOT ")
    return f"NOT {spell(operand)}"


def _spell_predicate(predicate: Predicate, negation: str) -> str:
    match predicate:
        case Constant(value):
            return spell_literal(value)
        case Compare(path, "=", value) if value is True:
            return spell_path(path)
        case Compare(path, "=", value) if value is False:
            return f"NOT {spell_path(path)}"
        case Compare(path, symbol, value):
            return f"{spell_path(path)} {symbol} {spell_literal(value)}"
        case ComparePaths(left, symbol, right):
            return f"{spell_path(left)} {symbol} {spell_path(right)}"
        case Between(path, low, high):
            return f"{spell_path(path)} {negation}BETWEEN {spell_literal(low)} AND {spell_literal(high)}"
        case Among(path, values):
            return f"{spell_path(path)} {negation}IN ({', '.join(map(spell_literal, values))})"
        case Like(path, pattern, escape):
            ending = "" if escape is None else f" ESCAPE {spell_literal(escape)}"
            return f"{spell_path(path)} {negation}LIKE {spell_literal(pattern)}{ending}"
        case Missing(path):
            return f"{spell_path(path)} IS {negation}NULL"
        case Within(x, y, radius):
            return f"within({_numbers(x, y, radius)})"
        case WithinGeo(lat, lon, metres):
            return f"within_geo({_numbers(lat, lon, metres)})"
        case Inside(corners):
            return f"inside({_numbers(*(number for corner in corners for number in corner))})"


def _numbers(*numbers: float) -> str:
    return ", ".join(spell_literal(normal_number(number)) for number in numbers)


def spell_path(path: Path) -> str:
    """The path as it stands in a filter; a name that is no plain word stands in back quotes, which work everywhere."""
    return ".".join(name if _is_bare(name) else "`" + name.replace("`", "``") + "`" for name in path)


def _is_bare(name: str) -> bool:
    return _BARE.fullmatch(name) is not None and name.isidentifier() and name.upper() not in _RESERVED


def spell_literal(value: Scalar) -> str:
    """The literal as it stands in a filter."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def normal_number(number: float) -> int | float:
    """The one spelling of a number: an integer if it is one below 10**16, a float if one holds it exactly."""
    if isinstance(number, int):
        return _normal_integer(number)
    return int(number) if number.is_integer() and abs(number) < 1e16 else number


def _normal_integer(number: int) -> int | float:
    if abs(number) < 10**16:
        return number
    try:
        return float(number) if float(number) == number else number
    except OverflowError:
        return number
