"""From text to tree, and from Lark's complaints to sentences."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Protocol

from motecast.filters.canonical import canonical
from motecast.filters.errors import FilterError, Mistake, quoted
from motecast.filters.scanner import Word, scan
from motecast.filters.spelling import spell
from motecast.filters.syntax import Expression

if TYPE_CHECKING:
    from lark import Lark, Token

CACHED = 1024  # parsed filters that are kept; they travel as text and come back often

# How terminals are called in messages, in the order in which they are listed there.
_PHRASES = (
    ("NAME", "an attribute"),
    ("STRING", "a literal"),
    ("NUMBER", "a number"),
    ("OPERATOR", "a comparison (= != < <= > >=)"),
    ("_BETWEEN", "BETWEEN"),
    ("_IN", "IN"),
    ("_LIKE", "LIKE"),
    ("_IS", "IS"),
    ("_NULL", "NULL"),
    ("ESCAPE", "ESCAPE"),
    ("_COMMA", "','"),
    ("_AND", "AND"),
    ("_OR", "OR"),
    ("_NOT", "NOT"),
    ("_OPEN", "'('"),
    ("_CLOSE", "')'"),
    ("$END", "the end"),
)
_SYMBOLS = {"==": "=", "> =": ">=", "< =": "<=", "! =": "!=", "< >": "<>", "=>": ">=", "=<": "<="}


class _State(Protocol):
    """What we use of Lark's parser, which comes without types."""

    def feed_token(self, token: Token, /) -> object: ...

    def feed_eof(self) -> Expression: ...

    def accepts(self) -> set[str]: ...


@lru_cache(CACHED)
def parse(where: str) -> Expression:
    """The canonical tree of a filter; FilterError says where and why a text is none."""
    tree = canonical(parse_exactly(where))
    try:
        scan(spell(tree))
    except Mistake as mistake:
        # The canonical text travels, so whoever receives it must be able to read it.
        raise FilterError(where, 0, f"in canonical form {mistake.problem}", mistake.expected) from None
    return tree


def parse_exactly(where: str) -> Expression:
    """The tree of a filter as it is written."""
    try:
        return _read(where, scan(where))
    except Mistake as mistake:
        raise mistake.within(where) from None


@cache
def _parser() -> Lark:
    from motecast.filters.grammar import build  # Lark takes longer to import than most programs need filters

    return build()


def _read(where: str, words: list[Word]) -> Expression:
    from lark import Token, UnexpectedToken

    from motecast.filters.grammar import terminal

    state: _State = _parser().parse_interactive()
    previous: Word | None = None
    for word in words:
        try:
            state.feed_token(Token(terminal(word.type), word.text, start_pos=word.offset))
        except UnexpectedToken:
            raise _misplaced(where, previous, word, state.accepts()) from None
        previous = word
    try:
        return state.feed_eof()
    except UnexpectedToken:
        raise _unfinished(where, previous, state.accepts()) from None


def _misplaced(where: str, previous: Word | None, word: Word, accepted: set[str]) -> Mistake:
    if previous is not None:
        between = where[previous.offset : word.offset + len(word.text)]
        for wrong, right in _SYMBOLS.items():
            if "".join(between.split()) == "".join(wrong.split()):
                return Mistake(previous.offset, f"{quoted(between)} is not a comparison", f"'{right}'")
    if word.type == "NULL" and "STRING" in accepted:
        return Mistake(word.offset, "nothing equals NULL", "IS NULL or IS NOT NULL")
    return Mistake(word.offset, f"{quoted(word.text)} is out of place", _friendly(accepted))


def _unfinished(where: str, previous: Word | None, accepted: set[str]) -> Mistake:
    if previous is None:
        return Mistake(0, "the filter is empty", _friendly(accepted))
    return Mistake(len(where.rstrip()), f"the filter ends after {quoted(previous.text)}", _friendly(accepted))


def _friendly(accepted: set[str]) -> str:
    """What may stand at a place, in words: "an attribute, a literal, NOT or '('"."""
    hidden = {"NUMBER"} if "STRING" in accepted else set()
    if "OPERATOR" in accepted:
        hidden = {"_OPEN"}  # only a function has it there, and functions have a message of their own
    found = [phrase for name, phrase in _PHRASES if name in accepted - hidden]
    if "STRING" in accepted and "NUMBER" not in accepted:
        found = ["a string"]  # the pattern of LIKE and its escape character
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} or {found[-1]}"
