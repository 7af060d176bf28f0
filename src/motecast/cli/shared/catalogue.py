"""What the catalogue says of a stack: layers, parameters with unit and source, promises. Read off the source itself."""

from __future__ import annotations

import ast
import inspect
import io
import textwrap
import tokenize
import typing
from importlib.util import find_spec
from typing import NamedTuple

from motecast.core import Layer, Stack, allowed, parameters_of
from motecast.stacks import build_stack, find_stack

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Parameter(NamedTuple):
    """A parameter of a stack."""

    name: str
    default: object
    unit: str
    source: str
    allowed: str
    layer: str  # the layer that takes it, "" if none says so


class Entry(NamedTuple):
    """A stack of the catalogue."""

    name: str
    about: str
    layers: tuple[tuple[str, str], ...]  # name and first line of its docstring, from the top down
    parameters: tuple[Parameter, ...]
    promises: tuple[str, ...]


def source_of(documented: object) -> str:
    """The text of a class or a function; "" where it has none, as in a session."""
    try:
        return inspect.getsource(typing.cast("type", documented))  # a class or a function: both have a source
    except (OSError, TypeError):
        return ""


def comments_of(source: str) -> dict[str, str]:
    """The comment beside each annotated name of a class body or a signature; lines that follow with nothing else go on.

    >>> comments_of("class A:\\n    age: float = 2.0   # s; Table 1,\\n    # 'delay'\\n    p: int = 1")
    {'age': "s; Table 1, 'delay'"}
    """
    text = textwrap.dedent(source)
    lines = text.splitlines()
    at = {
        token.start[0]: token.string.lstrip("# ").strip()
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    }
    last = {line: name for name, line in _annotated(text)}  # of several names on a line the comment is the last one's
    return {name: " ".join((at[line], *_following(lines, at, line))) for line, name in last.items() if line in at}


def _annotated(text: str) -> Iterator[tuple[str, int]]:
    """Annotated names with the line on which each ends."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node.end_lineno or 0
        elif isinstance(node, ast.arguments):
            yield from ((each.arg, each.end_lineno or 0) for each in (*node.args, *node.kwonlyargs))


def _following(lines: list[str], at: dict[int, str], line: int) -> Iterator[str]:
    while line + 1 in at and lines[line].lstrip().startswith("#"):
        line += 1
        yield at[line]


def read_comment(comment: str) -> tuple[str, str]:
    """Unit and source: what stands before the first semicolon, and what stands behind it.

    >>> read_comment('s; Table 1, "maximum delay"'), read_comment("events")
    (('s', 'Table 1, "maximum delay"'), ('events', ''))
    """
    unit, _, source = comment.partition(";")
    return unit.strip(), source.strip()


def first_line(documented: object) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def describe(name: str) -> Entry:
    """What there is to know of a stack, with its defaults."""
    builder, stack = find_stack(name), build_stack(name)
    if find_spec("pyarrow"):  # without it there is nothing to judge by, as on a board
        from motecast.check import check_promises

        check_promises(name, stack.promises)
    return Entry(
        name,
        first_line(builder),
        tuple((port, first_line(type(layer))) for port, layer in zip(stack.ports, stack.layers, strict=True)),
        tuple(_parameters(builder, stack)),
        stack.promises,
    )


def _parameters(builder: Callable[..., Stack], stack: Stack) -> Iterator[Parameter]:
    own = comments_of(source_of(builder))
    places = {name: place for layer in reversed(stack.layers) for name, place in _fields(layer).items()}
    hints = typing.get_type_hints(builder, include_extras=True)
    for each in inspect.signature(builder).parameters.values():
        layer, comment, hint = places.get(each.name, ("", "", hints.get(each.name, object)))
        unit, source = read_comment(own.get(each.name) or comment)
        yield Parameter(each.name, each.default, unit, source, allowed(hint), layer)


def _fields(owner: object, layer: str = "") -> dict[str, tuple[str, str, object]]:
    """The fields of a layer, and of the policy values that are its parameters: (layer, comment, annotation)."""
    kind = type(owner)
    layer = layer or kind.__name__
    comments = comments_of(source_of(kind))
    hints = typing.get_type_hints(kind, include_extras=True)
    found: dict[str, tuple[str, str, object]] = {}
    for field in parameters_of(kind):
        value = getattr(owner, field.name)
        if not isinstance(value, Layer) and parameters_of(type(value)):
            found |= _fields(value, layer)
        found[field.name] = (layer, comments.get(field.name, ""), hints[field.name])
    return found
