"""What types a table's columns have, as far as a filter cares: what is no number, string or boolean is NULL to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

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
from motecast.filters.values import BOOLEAN, NUMBER, STRING, Path, kind

INTEGER = "integer"  # 64 bits or fewer
FLOAT = "float"
VARIANT = "variant"  # a value that brings its own type, as in JSON

# The names that Spark and DuckDB give to types, in lower case and without what stands in parentheses.
TYPES = {
    **dict.fromkeys(("tinyint", "smallint", "int", "integer", "bigint"), INTEGER),
    **dict.fromkeys(("float", "double", "real"), FLOAT),
    **dict.fromkeys(("string", "varchar", "char"), STRING),
    **dict.fromkeys(("variant", "json"), VARIANT),
    "boolean": BOOLEAN,
}

# A nested field has an entry of its own: {("temp",): "double", ("weather", "wind"): "float"}. What has none is missing.
Columns: TypeAlias = Mapping[Path, str]

_DEFAULT = {NUMBER: "double", STRING: "string", BOOLEAN: "boolean"}


def column_type(name: str) -> str | None:
    """INTEGER, FLOAT, STRING, BOOLEAN or VARIANT; None for a type that a filter does not know (a date, a list)."""
    return TYPES.get(name.partition("(")[0].strip().lower())


def assumed_columns(expression: Expression) -> dict[Path, str]:
    """Columns that would suit a filter: of the type of the literals, double where none tells, variant where two differ.

    >>> from motecast.filters import parse
    >>> assumed_columns(parse("temp > 20 AND kind IN ('smoke') AND id IN (1, 'a')"))
    {('id',): 'variant', ('kind',): 'string', ('temp',): 'double'}
    """
    found: dict[Path, set[str]] = {}
    for path, name in _uses(expression):
        found.setdefault(path, set()).update({name} if name else ())
    outer = {path[:length] for path in found for length in range(1, len(path))} & found.keys()
    return {
        path: "variant" if path in outer or len(names) > 1 else _DEFAULT[min(names, default=NUMBER)]
        for path, names in sorted(found.items())
        if not any(path[:length] in outer for length in range(1, len(path)))  # it is a field of a variant
    }


def _uses(expression: Expression) -> Iterator[tuple[Path, str | None]]:
    """Every attribute with the kind of value that it is compared with, None if nothing tells."""
    match expression:
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _uses(operand)
        case Not(operand):
            yield from _uses(operand)
        case Compare(path, _, value):
            yield path, kind(value)
        case Between(path, low, high):
            yield from ((path, kind(low)), (path, kind(high)))
        case Among(path, values):
            yield from ((path, kind(value)) for value in values)
        case Like(path):
            yield path, STRING
        case Missing(path):
            yield path, None
        case ComparePaths(left, _, right):
            yield from ((left, None), (right, None))
        case Within() | Inside():
            yield from ((X, NUMBER), (Y, NUMBER))
        case WithinGeo():
            yield from ((LAT, NUMBER), (LON, NUMBER))
        case Constant():
            pass
