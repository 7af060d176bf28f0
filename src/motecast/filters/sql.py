"""A filter as SQL text: TRUE, FALSE and NULL for the same rows as the interpreter, whatever the engine thinks itself.

To Spark NaN equals NaN and is above all numbers, 'abc' > 20 is an error, and a big integer is rounded before it meets
a fraction. So floats are read with NaN as NULL, values of two kinds are never brought together, and a literal becomes
one of the column's own type that gives the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from motecast.filters.canonical import canonical
from motecast.filters.columns import FLOAT, INTEGER, VARIANT, Columns, column_type
from motecast.filters.dialects import SPARK, Dialect, Reading
from motecast.filters.fitting import fitted
from motecast.filters.like import tokens
from motecast.filters.region_text import region_text
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
    Like,
    Missing,
    Not,
    Or,
    Predicate,
    Region,
    WithinGeo,
    X,
    Y,
)
from motecast.filters.values import MIRRORED, NUMBER, STRING, Path, Scalar, kind

NULL = "CAST(NULL AS BOOLEAN)"


def sql_text(expression: Expression, columns: Columns, dialect: Dialect = SPARK) -> str:
    """The filter as a condition on a table with these columns; an attribute that is no column is NULL.

    >>> from motecast.filters import parse
    >>> sql_text(parse("temp > 20 and gone is null"), {("temp",): "double"})
    '(TRUE AND (nanvl(`temp`, NULL) > 20.0D))'
    """
    return _Writer(columns, dialect).condition(canonical(expression))


class _Writer:
    """Every text that it makes can stand anywhere in a condition."""

    def __init__(self, columns: Columns, dialect: Dialect) -> None:
        self.columns = columns
        self.dialect = dialect

    def condition(self, tree: Expression) -> str:
        match tree:
            case And(operands):
                return "(" + " AND ".join(self.condition(part) for part in operands) + ")"
            case Or(operands):
                return "(" + " OR ".join(self.condition(part) for part in operands) + ")"
            case Not(operand):
                return f"(NOT {self.condition(operand)})"
            case _:
                return self._predicate(tree)

    def _predicate(self, predicate: Predicate) -> str:
        match predicate:
            case Constant(value):
                return "TRUE" if value else "FALSE"
            case Compare(path, symbol, value):
                return self._by_type(path, lambda reading: self._comparison(reading, symbol, value))
            case ComparePaths(left, symbol, right):
                return self._paths_compared(left, symbol, right)
            case Between(path, low, high):
                return self.condition(And((Compare(path, ">=", low), Compare(path, "<=", high))))
            case Among(path, values):
                return self._by_type(path, lambda reading: self._list(reading, values))
            case Like(path, pattern, escape):
                form = list(tokens(pattern, escape))
                return self._by_type(
                    path, lambda reading: self.dialect.like(reading.text, form) if reading.type == STRING else None
                )
            case Missing(path):
                return self._by_type(path, lambda reading: f"{reading.text} IS NULL", "TRUE")
            case _:
                return self._region(predicate)

    def _readings(self, path: Path) -> list[Reading]:
        """The types that an attribute may have; none if there is no such column."""
        for length in range(len(path), 0, -1):
            found = column_type(self.columns.get(path[:length], ""))
            if found == VARIANT and length < len(path):
                inner = self.dialect.inner(self.dialect.column(path[:length]), path[length:])
                return self.dialect.readings(inner, VARIANT)
            if found is not None and length == len(path):
                return self.dialect.readings(self.dialect.column(path), found)
        return []

    def _by_type(self, path: Path, write: Callable[[Reading], str | None], otherwise: str = NULL) -> str:
        """What is written for the type that the column has in a row; `otherwise` where nothing is."""
        return _cases([(reading.when, write(reading)) for reading in self._readings(path)], otherwise)

    def _comparison(self, reading: Reading, symbol: str, value: Scalar) -> str | None:
        if kind(value) != _kind(reading):
            return None
        if isinstance(value, bool | str):
            return f"{reading.text} {symbol} {self._literal(value)}"
        fit = fitted(reading.type, symbol, value)
        return (
            _always(reading.text, str(fit).upper())
            if isinstance(fit, bool)
            else f"{reading.text} {fit[0]} {self._literal(fit[1])}"
        )

    def _list(self, reading: Reading, values: tuple[Scalar, ...]) -> str | None:
        if kind(values[0]) != _kind(reading):
            return None
        found = [value for value in values if isinstance(value, bool | str)]
        fits = [fitted(reading.type, "=", value) for value in values if not isinstance(value, bool | str)]
        items = found + [fit[1] for fit in fits if not isinstance(fit, bool)]
        return (
            f"{reading.text} IN ({', '.join(map(self._literal, items))})" if items else _always(reading.text, "FALSE")
        )

    def _literal(self, value: Scalar) -> str:
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            return self.dialect.string(value)
        return self.dialect.integer(value) if isinstance(value, int) else self.dialect.double(value)

    def _paths_compared(self, left: Path, symbol: str, right: Path) -> str:
        rights = self._readings(right)
        cases = [
            (
                " AND ".join(when for when in (one.when, other.when) if when) or None,
                self._both_compared(one, symbol, other),
            )
            for one in self._readings(left)
            for other in rights
        ]
        return _cases(cases, NULL)

    def _both_compared(self, left: Reading, symbol: str, right: Reading) -> str | None:
        if _kind(left) != _kind(right):
            return None
        if left.type == right.type:
            return f"{left.text} {symbol} {right.text}"
        if left.type == INTEGER:
            return self._mixed(left.text, symbol, right.text)
        return self._mixed(right.text, MIRRORED[symbol], left.text)

    def _mixed(self, whole: str, symbol: str, fraction: str) -> str:
        """An integer against a float, neither of them rounded to the other's type."""
        down, up = f"try_cast(floor({fraction}) AS BIGINT)", f"try_cast(ceil({fraction}) AS BIGINT)"
        inside = {
            "=": f"({down} = {up} AND {whole} = {down})",
            "!=": f"({down} != {up} OR {whole} != {down})",
        }.get(symbol, f"{whole} {symbol} {down if symbol in ('<=', '>') else up}")
        above, below = ("TRUE" if symbol in found else "FALSE" for found in (("<", "<=", "!="), (">", ">=", "!=")))
        return (
            f"(CASE WHEN {whole} IS NULL OR {fraction} IS NULL THEN NULL "
            f"WHEN {fraction} >= {self._literal(2.0**63)} THEN {above} "
            f"WHEN {fraction} < {self._literal(-(2.0**63))} THEN {below} ELSE {inside} END)"
        )

    def _region(self, region: Region) -> str:
        first, second = (LAT, LON) if isinstance(region, WithinGeo) else (X, Y)
        a, b = self._coordinate(first), self._coordinate(second)
        if a is None or b is None:
            return NULL
        test = region_text(region, a, b, self.dialect)
        return f"(CASE WHEN {a} IS NULL OR {b} IS NULL THEN NULL ELSE {test} END)"

    def _coordinate(self, path: Path) -> str | None:
        """The attribute as a double, NULL if it is no number; None if it never is one."""
        cases = [
            (reading.when, f"CAST({reading.text} AS DOUBLE)")
            for reading in self._readings(path)
            if _kind(reading) == NUMBER
        ]
        return _cases(cases, "NULL") if cases else None


def _cases(cases: Sequence[tuple[str | None, str | None]], otherwise: str) -> str:
    """The text of the first case that holds; what has no text is as good as no case."""
    found = [(when, text) for when, text in cases if text is not None]
    if not found:
        return otherwise
    if found[0][0] is None:
        return f"({found[0][1]})"
    return "(CASE " + " ".join(f"WHEN {when} THEN {text}" for when, text in found) + f" ELSE {otherwise} END)"


def _kind(reading: Reading) -> str:
    return NUMBER if reading.type in (INTEGER, FLOAT) else reading.type


def _always(text: str, answer: str) -> str:
    """TRUE or FALSE wherever the attribute is known."""
    return f"(CASE WHEN {text} IS NOT NULL THEN {answer} END)"
