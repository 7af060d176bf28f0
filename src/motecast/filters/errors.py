"""What a user is told about a bad filter: where, what is wrong there, and what would be right."""

from __future__ import annotations

from typing import NamedTuple

WINDOW = 72  # characters of an offending line that are shown


class Place(NamedTuple):
    """Where in a text, both counted from 1."""

    line: int
    column: int


class FilterError(ValueError):
    """A filter that cannot be used. `str()` shows the place with a caret; `.line` says the same in one line."""

    def __init__(self, where: str, offset: int, problem: str, expected: str = "") -> None:
        super().__init__(problem)
        self.where = where
        self.offset = offset
        self.problem = problem
        self.expected = expected

    def __reduce__(self) -> tuple[type[FilterError], tuple[str, int, str, str]]:
        return FilterError, (self.where, self.offset, self.problem, self.expected)

    @property
    def place(self) -> Place:
        """The line and the column of the offending character."""
        before = self.where[: self.offset]
        return Place(before.count("\n") + 1, self.offset - (before.rfind("\n") + 1) + 1)

    @property
    def message(self) -> str:
        """What is wrong and what is allowed."""
        return f"{self.problem}; expected {self.expected}" if self.expected else self.problem

    @property
    def line(self) -> str:
        """The whole report in one line."""
        return f"line {self.place.line}, column {self.place.column}: {self.message}"

    def __str__(self) -> str:
        shown, caret = self._excerpt()
        return f"{shown}\n{' ' * caret}^\n{self.message}"

    def _excerpt(self) -> tuple[str, int]:
        """The offending line, cut to a window, and the caret's position under it."""
        line, column = self.place
        text = _printable(self.where.split("\n")[line - 1])
        start = max(0, min(column - 1 - WINDOW // 2, len(text) - WINDOW))
        shown = text[start : start + WINDOW]
        before = "…" if start else ""
        after = "…" if start + WINDOW < len(text) else ""
        return before + shown + after, column - 1 - start + len(before)


class Mistake(Exception):
    """A problem at an offset, before it is known which text it belongs to."""

    def __init__(self, offset: int, problem: str, expected: str = "") -> None:
        super().__init__(problem)
        self.offset = offset
        self.problem = problem
        self.expected = expected

    def within(self, where: str) -> FilterError:
        """The error to raise for this text."""
        return FilterError(where, self.offset, self.problem, self.expected)


def quoted(text: str) -> str:
    """A short printable rendering of a piece of the user's text."""
    shown = _printable(text if len(text) <= 24 else text[:23] + "…")
    return f'"{shown}"' if "'" in shown else f"'{shown}'"


def _printable(text: str) -> str:
    # One character each, so that the caret stays under its place.
    return "".join(character if character.isprintable() else "·" for character in text)
