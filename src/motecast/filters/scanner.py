"""A filter's text cut into tokens. What would make later steps costly or recurse deeply is refused here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from motecast.filters.errors import Mistake, quoted
from motecast.filters.limits import MAX_DEPTH, MAX_LENGTH, MAX_TERMS, MAX_VALUES

KEYWORDS = ("AND", "OR", "NOT", "BETWEEN", "IN", "LIKE", "ESCAPE", "IS", "NULL", "TRUE", "FALSE")
NOT_FINITE = ("INF", "INFINITY", "NAN")  # refused: `x > nan` would otherwise compare with an attribute called nan
NAME = r"[^\W\d]\w*"

_SPACE = re.compile(r"\s*")
_TOKEN = re.compile(
    rf"""
      (?P<STRING>   '(?:[^']|'')*' )
    | (?P<QUOTED>   "(?:[^"]|"")*" )
    | (?P<BACKQUOTED> `(?:[^`]|``)+` )
    | (?P<NUMBER>   [+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)? )
    | (?P<NAME>     {NAME} )
    | (?P<OPERATOR> <= | >= | <> | != | = | < | > )
    | (?P<OPEN> \( ) | (?P<CLOSE> \) ) | (?P<COMMA> , ) | (?P<DOT> \. )
    """,
    re.VERBOSE,
)
_OPENERS = {"'": "string", '"': "double-quoted text", "`": "back-quoted name"}


class Word(NamedTuple):
    """A token: its kind, its text and where it starts."""

    type: str
    text: str
    offset: int


def scan(where: str) -> list[Word]:
    """The tokens of a filter, after checking every limit that can be seen without a grammar."""
    _check_length(where)
    words = list(_words(where))
    _check_depth(words)
    _check_terms(words)
    _check_values(words)
    return words


def _words(where: str) -> Iterator[Word]:
    position = _skip_space(where, 0)
    while position < len(where):
        found = _TOKEN.match(where, position)
        if found is None or found.lastgroup is None:
            raise _unreadable(where, position)
        yield Word(_type(found.lastgroup, found.group(), position), found.group(), position)
        position = _skip_space(where, found.end())


def _skip_space(where: str, position: int) -> int:
    found = _SPACE.match(where, position)
    return found.end() if found else position


def _type(group: str, text: str, offset: int) -> str:
    if group != "NAME":
        return group
    if not text.isidentifier():  # x > ½ would compare with an attribute called ½
        raise Mistake(
            offset, f"{quoted(text)} is neither a number nor a name", f"a name such as `{text}` in back quotes"
        )
    upper = text.upper()
    if upper in NOT_FINITE:
        raise Mistake(
            offset, f"{quoted(text)} is not a finite number", f"a number such as 1e9; an attribute is spelled `{text}`"
        )
    return upper if upper in KEYWORDS else group


def _unreadable(where: str, position: int) -> Mistake:
    character = where[position]
    if character in _OPENERS:
        empty = where.startswith("``", position)
        problem = "a back-quoted name is empty" if empty else f"this {_OPENERS[character]} is not closed"
        return Mistake(position, problem, "a name between back quotes" if empty else f"a closing {character}")
    for wrong, right in (("&", "AND"), ("|", "OR"), ("!", "NOT, or != for 'differs from'")):
        if character == wrong:
            return Mistake(position, f"{quoted(character)} is not part of the language", right)
    if character in "+-*/%^":
        return Mistake(position, f"{quoted(character)}: a filter does not calculate", "a comparison with a literal")
    return Mistake(position, f"{quoted(character)} is not part of the language", "an attribute, a literal or '('")


def _check_length(where: str) -> None:
    try:
        length = len(where.encode())
    except UnicodeEncodeError as error:
        raise Mistake(error.start, "half a character (a lone surrogate)", "text that UTF-8 can hold") from None
    if length > MAX_LENGTH:
        raise Mistake(0, f"the filter has {length} bytes", f"at most {MAX_LENGTH}")


def _check_depth(words: list[Word]) -> None:
    levels = [0]  # for every open parenthesis, the NOTs that still wait for the end of their operand
    for word in words:
        match word.type:
            case "OPEN":
                levels.append(0)
            case "CLOSE" if len(levels) > 1:
                levels.pop()
            case "NOT":
                levels[-1] += 1
            case "AND" | "OR":
                levels[-1] = 0
        if len(levels) - 1 + sum(levels) > MAX_DEPTH:
            raise Mistake(word.offset, "the filter is nested too deeply", f"at most {MAX_DEPTH} open '(' and NOT")


def _check_terms(words: list[Word]) -> None:
    terms = 1
    for word in words:
        terms += (word.type in ("AND", "OR")) - (word.type == "BETWEEN")  # a BETWEEN has an AND of its own
        if terms > MAX_TERMS:
            raise Mistake(word.offset, "the filter has too many terms", f"at most {MAX_TERMS} joined by AND and OR")


def _check_values(words: list[Word]) -> None:
    values = 1  # there is no list within a list
    for word in words:
        values = 1 if word.type == "OPEN" else values + (word.type == "COMMA")
        if values > MAX_VALUES:
            raise Mistake(word.offset, "the list has too many values", f"at most {MAX_VALUES}")
