"""How an SQL engine spells names, literals, patterns and the reading of a column. Text only: no engine is imported."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from motecast.filters.columns import FLOAT, INTEGER, VARIANT
from motecast.filters.like import Token, Wildcard
from motecast.filters.values import BOOLEAN, STRING, Path

ESCAPE = "!"  # of the patterns that we write: unlike a backslash it means nothing to a string literal
FEW = 2  # so many % may stand in a LIKE; Java's regular expressions, which Spark uses, try all their combinations


class Reading(NamedTuple):
    """A column read as one type, NaN as NULL."""

    type: str  # INTEGER, FLOAT, STRING or BOOLEAN
    text: str
    when: str | None = None  # SQL that says whether the row's value has this type; None: always


class Dialect(Protocol):
    """What differs between engines."""

    def column(self, path: Path) -> str:
        """The column, or the field of a struct."""

    def inner(self, text: str, path: Path) -> str:
        """The variant at a path of a variant."""

    def readings(self, text: str, type_name: str) -> list[Reading]:
        """The types that a column of this type may have in a row, and how it is read then."""

    def integer(self, number: int) -> str:
        """A literal of 64 bits."""

    def double(self, number: float) -> str:
        """A literal of exactly this value."""

    def string(self, text: str) -> str:
        """A literal that no setting and no variable of the engine changes."""

    def like(self, text: str, pattern: Sequence[Token]) -> str:
        """Whether a string has the form of a pattern."""


class SparkSql:
    """Spark 4, ANSI or not."""

    def column(self, path: Path) -> str:
        return ".".join("`" + name.replace("`", "``") + "`" for name in path)

    def inner(self, text: str, path: Path) -> str:
        steps = "".join(f'["{name}"]' for name in path)
        return f"try_variant_get({text}, {self.string('$' + steps)}, 'variant')"

    def readings(self, text: str, type_name: str) -> list[Reading]:
        if type_name == FLOAT:
            return [Reading(FLOAT, f"nanvl({text}, NULL)")]
        if type_name != VARIANT:
            return [Reading(type_name, text)]
        own = f"schema_of_variant({text})"
        return [
            Reading(INTEGER, f"try_cast({text} AS BIGINT)", f"{own} = 'BIGINT'"),
            Reading(FLOAT, f"nanvl(try_cast({text} AS DOUBLE), NULL)", f"{own} RLIKE '^(DOUBLE|FLOAT|DECIMAL)'"),
            Reading(STRING, f"try_cast({text} AS STRING)", f"{own} = 'STRING'"),
            Reading(BOOLEAN, f"try_cast({text} AS BOOLEAN)", f"{own} = 'BOOLEAN'"),
        ]

    def integer(self, number: int) -> str:
        return f"{number}L"

    def double(self, number: float) -> str:
        return f"{number!r}D"

    def string(self, text: str) -> str:
        # Spark fills in variables such as ${env:HOME} before it reads a query: no $ of a stranger's may stand there.
        return "'" + "".join(_spark_character(character) for character in text) + "'"

    def like(self, text: str, pattern: Sequence[Token]) -> str:
        if pattern.count(Wildcard.ANY) <= FEW:
            return f"{text} LIKE {self.string(_spelled(pattern))} ESCAPE '{ESCAPE}'"
        return f"{text} RLIKE {self.string(atomic(pattern))}"


class DuckDbSql:
    """DuckDB, the peer in tests and benchmarks."""

    def column(self, path: Path) -> str:
        found = '"' + path[0].replace('"', '""') + '"'
        for name in path[1:]:
            found = f"struct_extract({found}, {self.string(name)})"
        return found

    def inner(self, text: str, path: Path) -> str:
        steps = "".join('."' + name.replace('"', '\\"') + '"' for name in path)
        return f"json_extract({text}, {self.string('$' + steps)})"

    def readings(self, text: str, type_name: str) -> list[Reading]:
        if type_name == FLOAT:
            return [Reading(FLOAT, f"(CASE WHEN isnan({text}) THEN NULL ELSE {text} END)")]
        if type_name != VARIANT:
            return [Reading(type_name, text)]
        own, whole = f"json_type({text})", f"try_cast({text} AS BIGINT)"
        return [
            Reading(INTEGER, whole, f"{own} IN ('BIGINT', 'UBIGINT') AND {whole} IS NOT NULL"),
            Reading(FLOAT, f"try_cast({text} AS DOUBLE)", f"{own} IN ('DOUBLE', 'UBIGINT')"),
            Reading(STRING, f"({text} ->> '$')", f"{own} = 'VARCHAR'"),
            Reading(BOOLEAN, f"try_cast({text} AS BOOLEAN)", f"{own} = 'BOOLEAN'"),
        ]

    def integer(self, number: int) -> str:
        return str(number)

    def double(self, number: float) -> str:
        text = repr(number)
        return text if "e" in text else f"{text}e0"  # without an exponent it would be a decimal

    def string(self, text: str) -> str:
        parts = ["'" + part.replace("'", "''") + "'" for part in text.split("\0")]  # a NUL would end the query
        return parts[0] if len(parts) == 1 else "(" + " || chr(0) || ".join(parts) + ")"

    def like(self, text: str, pattern: Sequence[Token]) -> str:
        return f"{text} LIKE {self.string(_spelled(pattern))} ESCAPE '{ESCAPE}'"


SPARK = SparkSql()
DUCKDB = DuckDbSql()


def atomic(pattern: Sequence[Token]) -> str:
    """The pattern as a regular expression that never takes back what a % has found: its time grows with the string.

    >>> atomic([Wildcard.ANY, "a", Wildcard.ANY, "b", Wildcard.ONE, Wildcard.ANY])
    '(?s)\\\\A(?>.*?a)(?>.*?b.).*\\\\z'
    """
    segments = [""]
    for token in pattern:
        if token is Wildcard.ANY:
            segments.append("")
        else:
            segments[-1] += "." if isinstance(token, Wildcard) else re.sub(r"([^\w\s])", r"\\\1", token)
    first, *middle, last = segments
    return "(?s)\\A" + first + "".join(f"(?>.*?{segment})" for segment in middle if segment) + f".*{last}\\z"


def _spelled(pattern: Sequence[Token]) -> str:
    return "".join(
        token.value if isinstance(token, Wildcard) else ESCAPE + token if token in ("%", "_", ESCAPE) else token
        for token in pattern
    )


def _spark_character(character: str) -> str:
    if character in "\\'":
        return "\\" + character
    return f"\\u{ord(character):04x}" if character < " " or character in "$\x7f" else character
