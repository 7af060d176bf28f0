"""A filter as one Python function, written as source and compiled.

Only `TRUE` matters to a match, so NULL is never computed: with NOT pushed down to the predicates (canonical.py) every
predicate becomes an expression that is true exactly where the predicate is TRUE. A test of the value's class comes
first; so nothing can raise, and a boolean, an int to Python, is no number here.

Nothing of the user's text reaches the source except as `repr` of a plain str, int, float or bool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from motecast.filters import regions
from motecast.filters.canonical import canonical
from motecast.filters.like import matcher
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
    Predicate,
    Region,
    Within,
    WithinGeo,
    X,
    Y,
    paths,
)
from motecast.filters.values import BOOLEAN, NUMBER, PLAIN, Event, Path, Scalar, descend, kind, plain

Matcher: TypeAlias = Callable[[Event], bool]

_SYMBOLS = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def compiled(expression: Expression) -> Matcher:
    """A fast function that says whether an event matches."""
    writer = _Writer()
    source = writer.function(canonical(expression))
    exec(compile(source, "<filter>", "exec"), writer.names)  # noqa: S102 - see the module's docstring
    return cast("Matcher", writer.names["matches"])  # what the source just defined


class _Writer:
    """The source of one function, and the objects that it names."""

    def __init__(self) -> None:
        self.names: dict[str, object] = {"PLAIN": PLAIN, "plain": plain, "descend": descend}
        self.variables: dict[Path, str] = {}

    def function(self, tree: Expression) -> str:
        """Clause by clause, so that an attribute is looked up only if the clauses before left the result open."""
        joined = isinstance(tree, And | Or)
        clauses = sorted(tree.operands, key=_cost) if isinstance(tree, And | Or) else [tree]
        test, result = ("if not ({})", "False") if isinstance(tree, And) else ("if {}", "True")
        lines = ["def matches(event):"]
        for clause in clauses[:-1] if joined else []:
            lines += [*self._loads(clause), f"    {test.format(self._true(clause))}: return {result}"]
        lines += [*self._loads(clauses[-1]), f"    return {self._true(clauses[-1])}"]
        return "\n".join(lines)

    def _loads(self, clause: Expression) -> list[str]:
        lines = []
        for path in sorted(paths(clause) - self.variables.keys()):
            name = self.variables[path] = f"v{len(self.variables)}"
            found = f"event.get({path[0]!r})" if len(path) == 1 else f"descend(event, {path!r})"
            lines += [f"    {name} = {found}", f"    if type({name}) not in PLAIN: {name} = plain({name})"]
        return lines

    def _constant(self, value: object) -> str:
        name = f"k{len(self.names)}"
        self.names[name] = value
        return name

    def _true(self, tree: Expression) -> str:
        """An expression that is True exactly where the tree is TRUE."""
        match tree:
            case And(operands):
                return "(" + " and ".join(self._true(part) for part in sorted(operands, key=_cost)) + ")"
            case Or(operands):
                return "(" + " or ".join(self._true(part) for part in sorted(operands, key=_cost)) + ")"
            case Not(operand):
                return self._false(operand)
            case _:
                return self._predicate(tree)

    def _predicate(self, predicate: Predicate) -> str:
        match predicate:
            case Constant(value):
                return repr(value)
            case Compare(path, symbol, value):
                return self._comparison(self.variables[path], symbol, value)
            case ComparePaths(left, symbol, right):
                return _paths_compared(self.variables[left], _SYMBOLS[symbol], self.variables[right])
            case Between(path, low, high):
                name = self.variables[path]
                return f"({_is_a(kind(low), name)} and {low!r} <= {name} <= {high!r})"
            case Among(path, values):
                name = self.variables[path]
                return f"({_is_a(kind(values[0]), name)} and {name} in {self._constant(frozenset(values))})"
            case Like(path, pattern, escape):
                name = self.variables[path]
                return f"(type({name}) is str and {self._constant(matcher(pattern, escape))}({name}))"
            case Missing(path):
                return "({0} is None or {0} != {0})".format(self.variables[path])
            case _:
                return f"({self._region(predicate)} is True)"

    def _false(self, operand: Expression) -> str:
        """An expression that is True exactly where a predicate is FALSE."""
        match operand:
            case Between(path, low, high):
                name = self.variables[path]
                return f"({_is_a(kind(low), name)} and ({name} < {low!r} or {name} > {high!r}))"
            case Among(path, values):
                name = self.variables[path]
                test = f"{name} == {name} and {name} not in {self._constant(frozenset(values))}"
                return f"({_is_a(kind(values[0]), name)} and {test})"
            case Like(path, pattern, escape):
                name = self.variables[path]
                return f"(type({name}) is str and not {self._constant(matcher(pattern, escape))}({name}))"
            case Missing(path):
                return "({0} is not None and {0} == {0})".format(self.variables[path])
            case Within() | Inside() | WithinGeo():
                return f"({self._region(operand)} is False)"
            case _:
                raise AssertionError(f"not canonical: NOT before {operand!r}")

    def _comparison(self, name: str, symbol: str, value: Scalar) -> str:
        if isinstance(value, bool) and symbol == "=":
            return f"{name} is {value!r}"
        test = f"{name} {_SYMBOLS[symbol]} {value!r}"
        if symbol == "!=" and kind(value) == NUMBER:
            test += f" and {name} == {name}"  # NaN differs from everything in Python, and is NULL here
        return f"({_is_a(kind(value), name)} and {test})"

    def _region(self, region: Region) -> str:
        first, second = (LAT, LON) if isinstance(region, WithinGeo) else (X, Y)
        return f"{self._constant(regions.tester(region))}({self.variables[first]}, {self.variables[second]})"


def _is_a(wanted: str, name: str) -> str:
    if wanted == NUMBER:
        return f"(type({name}) is float or type({name}) is int)"
    return f"type({name}) is {'bool' if wanted == BOOLEAN else 'str'}"


def _paths_compared(left: str, symbol: str, right: str) -> str:
    same = f"type({left}) is type({right}) and {left} is not None"
    numeric = f"{_is_a(NUMBER, left)} and {_is_a(NUMBER, right)}"
    return f"(({same} or {numeric}) and {left} == {left} and {right} == {right} and {left} {symbol} {right})"


def _cost(tree: Expression) -> int:
    """What to try first: comparisons, then lists and patterns, then regions."""
    match tree:
        case And(operands) | Or(operands):
            return 1 + max(_cost(part) for part in operands)
        case Not(operand):
            return _cost(operand)
        case Like():
            return 2
        case Within() | Inside() | WithinGeo():
            return 3
        case _:
            return 0
