"""The grammar of `where`, and the tree that each of its rules makes. Imported at the first parse, for Lark's sake."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable

from lark import Lark, Token, Transformer, v_args

from motecast.filters.errors import Mistake, quoted
from motecast.filters.like import PatternError, tokens
from motecast.filters.limits import MAX_COORDINATE, MAX_POINTS
from motecast.filters.regions import edges
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
    Within,
    WithinGeo,
    X,
    Y,
)
from motecast.filters.values import MIRRORED, Path, Scalar

# `path` may begin with double quotes, `plain_path` may not: to the right of a comparison they hold a string.
GRAMMAR = r"""
?start: disjunction
?disjunction: conjunction (_OR conjunction)*
?conjunction: negation (_AND negation)*
?negation: _NOT negation                      -> negation
    | predicate
?predicate: _OPEN disjunction _CLOSE
    | path                                    -> flag
    | TRUE                                    -> true
    | FALSE                                   -> false
    | path OPERATOR literal                   -> compare
    | path OPERATOR plain_path                -> compare_paths
    | left_literal OPERATOR path              -> compare_turned
    | path _BETWEEN literal _AND literal      -> between
    | path _NOT _BETWEEN literal _AND literal -> not_between
    | path _IN _OPEN literals _CLOSE          -> among
    | path _NOT _IN _OPEN literals _CLOSE     -> not_among
    | path _LIKE text                         -> like
    | path _NOT _LIKE text                    -> not_like
    | path _LIKE text ESCAPE text             -> like_escape
    | path _NOT _LIKE text ESCAPE text        -> not_like_escape
    | path _IS _NULL                          -> missing
    | path _IS _NOT _NULL                     -> present
    | NAME _OPEN numbers _CLOSE               -> region
path: (NAME | QUOTED | BACKQUOTED) (_DOT (NAME | QUOTED | BACKQUOTED))*
plain_path: (NAME | BACKQUOTED) (_DOT (NAME | QUOTED | BACKQUOTED))* -> path
literals: literal (_COMMA literal)*
literal: NUMBER | STRING | QUOTED | TRUE | FALSE
left_literal: (NUMBER | STRING | TRUE | FALSE) -> literal
text: STRING | QUOTED
numbers: NUMBER (_COMMA NUMBER)*
%declare _OR _AND _NOT _OPEN _CLOSE _BETWEEN _IN _LIKE ESCAPE _IS _NULL _DOT _COMMA
%declare TRUE FALSE NAME QUOTED BACKQUOTED NUMBER STRING OPERATOR
"""
KEPT = frozenset(("TRUE", "FALSE", "NAME", "QUOTED", "BACKQUOTED", "NUMBER", "STRING", "OPERATOR", "ESCAPE"))


def terminal(word_type: str) -> str:
    """The grammar's name for a kind of token; an underscore keeps it out of the tree."""
    return word_type if word_type in KEPT else f"_{word_type}"


def build() -> Lark:
    """The parser; its rules make our tree while it reads."""
    return Lark(GRAMMAR, parser="lalr", lexer="basic", transformer=Builder(), maybe_placeholders=False)


@v_args(inline=True)
class Builder(Transformer[Token, Expression]):
    """One method a rule."""

    def disjunction(self, *operands: Expression) -> Expression:
        return Or(operands)

    def conjunction(self, *operands: Expression) -> Expression:
        return And(operands)

    def negation(self, operand: Expression) -> Expression:
        return Not(operand)

    def true(self, _word: Token) -> Expression:
        return Constant(value=True)

    def false(self, _word: Token) -> Expression:
        return Constant(value=False)

    def flag(self, path: Path) -> Expression:
        return Compare(path, "=", value=True)

    def compare(self, path: Path, symbol: Token, value: Scalar) -> Expression:
        return Compare(path, _symbol(symbol), value)

    def compare_turned(self, value: Scalar, symbol: Token, path: Path) -> Expression:
        return Compare(path, MIRRORED[_symbol(symbol)], value)

    def compare_paths(self, left: Path, symbol: Token, right: Path) -> Expression:
        return ComparePaths(left, _symbol(symbol), right)

    def between(self, path: Path, low: Scalar, high: Scalar) -> Expression:
        return Between(path, low, high)

    def not_between(self, path: Path, low: Scalar, high: Scalar) -> Expression:
        return Not(Between(path, low, high))

    def among(self, path: Path, values: tuple[Scalar, ...]) -> Expression:
        return Among(path, values)

    def not_among(self, path: Path, values: tuple[Scalar, ...]) -> Expression:
        return Not(Among(path, values))

    def like(self, path: Path, pattern: Token) -> Expression:
        return Like(path, _unquoted(pattern), None)

    def not_like(self, path: Path, pattern: Token) -> Expression:
        return Not(self.like(path, pattern))

    def like_escape(self, path: Path, pattern: Token, _word: Token, escape: Token) -> Expression:
        return _escaped(path, pattern, escape)

    def not_like_escape(self, path: Path, pattern: Token, _word: Token, escape: Token) -> Expression:
        return Not(_escaped(path, pattern, escape))

    def missing(self, path: Path) -> Expression:
        return Missing(path)

    def present(self, path: Path) -> Expression:
        return Not(Missing(path))

    def region(self, name: Token, numbers: tuple[float, ...]) -> Expression:
        return _region(name, numbers)

    def path(self, *names: Token) -> Path:
        return tuple(str(name) if name.type == "NAME" else _unquoted(name) for name in names)

    def literals(self, *values: Scalar) -> tuple[Scalar, ...]:
        return values

    def literal(self, word: Token) -> Scalar:
        if word.type == "NUMBER":
            return _number(word)
        return word.type == "TRUE" if word.type in ("TRUE", "FALSE") else _unquoted(word)

    def text(self, word: Token) -> Token:
        return word

    def numbers(self, *words: Token) -> tuple[float, ...]:
        return tuple(_coordinate(word) for word in words)


def _symbol(word: Token) -> str:
    return "!=" if word == "<>" else str(word)


def _unquoted(word: Token) -> str:
    mark = word[0]
    return word[1:-1].replace(mark * 2, mark)


def _number(word: Token) -> int | float:
    if word.lstrip("+-").isdigit():
        return int(word)
    number = float(word)
    if math.isinf(number):
        raise Mistake(_offset(word), f"{quoted(word)} is not a finite number", "at most 1.7976931348623157e308")
    return number


def _coordinate(word: Token) -> float:
    try:
        number = float(_number(word))
    except OverflowError:
        number = math.inf
    if abs(number) > MAX_COORDINATE:
        raise Mistake(_offset(word), f"{quoted(word)} is too far away", f"at most {MAX_COORDINATE:g}")
    return number


def _offset(word: Token) -> int:
    return word.start_pos or 0


def _escaped(path: Path, pattern: Token, escape: Token) -> Expression:
    character = _unquoted(escape)
    if len(character) != 1 or character in "%_":
        raise Mistake(_offset(escape), f"{quoted(escape)} cannot be an escape", "one character, not % and not _")
    try:
        list(tokens(_unquoted(pattern), character))
    except PatternError as error:
        raise Mistake(_offset(pattern), f"{quoted(pattern)}: {error}") from None
    return Like(path, _unquoted(pattern), character)


def _region(name: Token, numbers: tuple[float, ...]) -> Expression:
    maker = REGIONS.get(name.lower())
    if maker is None:
        close = difflib.get_close_matches(name.lower(), REGIONS, n=1)
        wanted = f"{close[0]}(...)" if close else ", ".join(f"{known}(...)" for known in REGIONS)
        raise Mistake(_offset(name), f"there is no function {quoted(name)}", wanted)
    return maker(_offset(name), numbers)


def _within(offset: int, numbers: tuple[float, ...]) -> Expression:
    if len(numbers) != 3 or numbers[2] < 0:
        raise Mistake(offset, _misuse("within", numbers), "within(x, y, radius) with a radius of 0 or more")
    return Within(*numbers)


def _inside(offset: int, numbers: tuple[float, ...]) -> Expression:
    if len(numbers) == 4:
        left, right = sorted(numbers[::2])
        low, high = sorted(numbers[1::2])
        return And((Between(X, left, right), Between(Y, low, high)))
    if len(numbers) < 6 or len(numbers) % 2 or len(numbers) > 2 * MAX_POINTS:
        wanted = f"inside(x0, y0, x1, y1) for a rectangle, or 3 to {MAX_POINTS} corners x, y of a polygon"
        raise Mistake(offset, _misuse("inside", numbers), wanted)
    polygon = Inside(tuple(zip(numbers[::2], numbers[1::2], strict=True)))
    if not all(math.isfinite(side.slope) for side in edges(polygon)):
        raise Mistake(
            offset, "two corners of the polygon are too close to tell which is lower", "corners further apart"
        )
    return polygon


def _within_geo(offset: int, numbers: tuple[float, ...]) -> Expression:
    lat, lon, metres = numbers if len(numbers) == 3 else (math.inf, math.inf, -1.0)
    if abs(lat) > 90 or abs(lon) > 180 or metres < 0:
        wanted = "within_geo(lat, lon, metres) with -90 <= lat <= 90, -180 <= lon <= 180, metres >= 0"
        raise Mistake(offset, _misuse("within_geo", numbers), wanted)
    return WithinGeo(lat, lon, metres)


def _misuse(name: str, numbers: tuple[float, ...]) -> str:
    if len(numbers) > 6:
        return f"{name} does not take {len(numbers)} numbers"
    return f"{name}({', '.join(f'{number:g}' for number in numbers)}) makes no sense"


REGIONS: dict[str, Callable[[int, tuple[float, ...]], Expression]] = {
    "within": _within,
    "inside": _inside,
    "within_geo": _within_geo,
}
