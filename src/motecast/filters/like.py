"""LIKE patterns: taken apart once, matched by finding their pieces from left to right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

CACHED = 1024  # patterns whose matchers are kept


class Wildcard(Enum):
    """What a pattern holds besides plain characters."""

    ANY = "%"
    ONE = "_"


Token: TypeAlias = str | Wildcard
Segment: TypeAlias = tuple[Token, ...]  # what stands between two %


class PatternError(ValueError):
    """An escape character that escapes nothing."""


def tokens(pattern: str, escape: str | None) -> Iterator[Token]:
    """The pattern as plain characters and wildcards."""
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            escaped = next(characters, "")
            if escaped not in ("%", "_", escape) or not escaped:
                raise PatternError(f"after the escape character comes %, _ or itself, not {escaped or 'the end'}")
            yield escaped
        elif character in "%_":
            yield Wildcard(character)
        else:
            yield character


def normal(pattern: str, escape: str | None, wanted: str = "\\") -> tuple[str, str | None]:
    """The same pattern with the wanted escape character, or with none if nothing needs it; `%%` becomes `%`."""
    found = list(tokens(pattern, escape))
    needed = any(token in ("%", "_") for token in found)
    special = ("%", "_", wanted) if needed else ()
    spelled: list[str] = []
    for token in found:
        if isinstance(token, Wildcard):
            if token is Wildcard.ONE or spelled[-1:] != ["%"]:
                spelled.append(token.value)
        else:
            spelled.append(wanted + token if token in special else token)
    return "".join(spelled), wanted if needed else None


def fixed(pattern: str, escape: str | None) -> str | None:
    """The only string that matches, if the pattern has no wildcard."""
    found = list(tokens(pattern, escape))
    plain = [token for token in found if isinstance(token, str)]
    return "".join(plain) if len(plain) == len(found) else None


@lru_cache(CACHED)
def matcher(pattern: str, escape: str | None) -> Callable[[str], bool]:
    """A function that says whether a string has the form of the pattern.

    A regular expression for `%a%a%a%` may take time of a high power of the string's length. Here every segment is
    taken at the first place where it fits, which is as good as any other place, so nothing is tried twice.
    """
    segments = _segments(pattern, escape)
    first, last = _matching(segments[0]), _matching(segments[-1])
    if len(segments) == 1:
        length = len(segments[0])
        return lambda text: len(text) == length and first(text, 0)
    middle = [(_finder(segment), len(segment)) for segment in segments[1:-1] if segment]
    head, tail = len(segments[0]), len(segments[-1])

    def matches(text: str) -> bool:
        end = len(text) - tail
        if end < head or not first(text, 0) or not last(text, end):
            return False
        position = head
        for find, length in middle:
            position = find(text, position, end)
            if position < 0:
                return False
            position += length
        return True

    return matches


def _segments(pattern: str, escape: str | None) -> list[Segment]:
    segments: list[list[Token]] = [[]]
    for token in tokens(pattern, escape):
        if token is Wildcard.ANY:
            segments.append([])
        else:
            segments[-1].append(token)
    return [tuple(segment) for segment in segments]


def _expression(segment: Segment) -> re.Pattern[str]:
    # Of fixed length and without repetition: matching it at one place costs at most its length.
    source = "".join("." if isinstance(token, Wildcard) else re.escape(token) for token in segment)
    return re.compile(source, re.DOTALL)


def _matching(segment: Segment) -> Callable[[str, int], bool]:
    """Whether the segment stands at a position."""
    if all(isinstance(token, str) for token in segment):
        literal = "".join(token for token in segment if isinstance(token, str))
        return lambda text, position: text.startswith(literal, position)
    match = _expression(segment).match
    return lambda text, position: match(text, position) is not None


def _finder(segment: Segment) -> Callable[[str, int, int], int]:
    """The first position, from a start and ending before an end, where the segment stands, or -1."""
    if all(isinstance(token, str) for token in segment):
        literal = "".join(token for token in segment if isinstance(token, str))
        return lambda text, start, end: text.find(literal, start, end)
    search = _expression(segment).search

    def find(text: str, start: int, end: int) -> int:
        found = search(text, start, end)
        return found.start() if found else -1

    return find
