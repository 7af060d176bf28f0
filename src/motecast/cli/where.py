"""`motecast where check`: what a filter means, before anybody subscribes with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from motecast.cli.shared.output import say, show, show_json

if TYPE_CHECKING:
    from motecast.filters import Box, Event, Filter, Interval, Members
    from motecast.filters.values import Path

app = typer.Typer(add_completion=False, rich_markup_mode=None)
ANSWERS = {True: "TRUE: it matches", False: "FALSE: it does not match", None: "NULL: it does not match"}


@app.callback()
def where() -> None:
    """Filters: the conditions of subscriptions."""


@app.command()
def check(
    text: Annotated[str, typer.Argument(metavar="FILTER", help="The filter, such as: temp > 20 AND kind = 'smoke'.")],
    event: Annotated[str | None, typer.Option(help='Attributes of an event to try, as JSON: {"temp": 21}.')] = None,
    column: Annotated[list[str] | None, typer.Option(help="A column's type for the SQL: temp=int. Repeatable.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Print what becomes of a filter: canonical text, attributes, boxes, residual, SQL.

    \b
    motecast where check 'temp > 20 AND kind IN ("smoke")'
    motecast where check 'temp > 20' --event '{"temp": 21}'
    """
    from motecast.filters import Filter, assumed_columns

    found = Filter(text)
    columns = {**assumed_columns(found.tree), **_columns(column or ())}
    tried = None if event is None else _event(event)
    if as_json:
        show_json(_facts(found, columns, tried))
    else:
        _print(found, columns, tried)
    return 0


def _print(found: Filter, columns: dict[Path, str], tried: Event | None) -> None:
    from motecast.filters import boxes, evaluate, path_key, sql_text

    rows = [("filter", found.text), ("attributes", ", ".join(found.attributes) or "none")]
    for number, box in enumerate(boxes(found.tree).boxes, 1):
        rows += [(f"box {number}", _box_text(box)), ("  residual", _residual(box) or "nothing")]
    if len(rows) == 2:
        rows.append(("boxes", "none: it never matches"))
    if tried is not None:
        rows.append(("event", ANSWERS[evaluate(found.tree, tried)]))
    show(rows)
    types = ", ".join(f"{path_key(path)} {name}" for path, name in columns.items())
    say(f"\nSQL for Spark{f', if the columns are {types}' if types else ''}:\n{sql_text(found.tree, columns)}")


def _facts(found: Filter, columns: dict[Path, str], tried: Event | None) -> dict[str, object]:
    from motecast.filters import boxes, evaluate, path_key, sql_text

    facts: dict[str, object] = {
        "filter": found.text,
        "attributes": list(found.attributes),
        "boxes": [_box_facts(box) for box in boxes(found.tree).boxes],
        "columns": {path_key(path): name for path, name in columns.items()},
        "sql": sql_text(found.tree, columns),
    }
    if tried is not None:
        result = evaluate(found.tree, tried)
        facts["event"] = {"result": result, "matches": result is True}
    return facts


def _box_text(box: Box) -> str:
    from motecast.filters import Members, path_key

    sides = (
        f"{path_key(path)} in {_list_text(side) if isinstance(side, Members) else _interval_text(side)}"
        for path, side in box.sides
    )
    return ", ".join(sides) or "everything"


def _list_text(side: Members) -> str:
    from motecast.filters.spelling import spell_literal

    return "{" + ", ".join(map(spell_literal, side.values)) + "}"


def _interval_text(side: Interval) -> str:
    """`(20, ∞]`: a round bracket leaves the end out."""
    start, end = "(" if side.is_low_open else "[", ")" if side.is_high_open else "]"
    low, high = (str(bound).replace("inf", "∞") for bound in (side.low, side.high))
    return f"{start}{low}, {high}{end}"


def _box_facts(box: Box) -> dict[str, object]:
    from motecast.filters import Members, path_key

    sides = {
        path_key(path): {"in": list(side.values)} if isinstance(side, Members) else _interval_facts(side)
        for path, side in box.sides
    }
    return {"sides": sides, "residual": _residual(box)}


def _interval_facts(side: Interval) -> dict[str, object]:
    low, high = (None if math.isinf(bound) else bound for bound in (side.low, side.high))
    return {"low": low, "low_open": side.is_low_open, "high": high, "high_open": side.is_high_open}


def _residual(box: Box) -> str | None:
    from motecast.filters import text

    return None if box.residual is None else text(box.residual)


def _event(text: str) -> Event:
    """The attributes given on the command line."""
    import json

    from motecast.core import ConfigError

    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f'--event: {error}; a JSON object such as {{"temp": 21}} is wanted') from None
    if not isinstance(found, dict):
        raise ConfigError(f'--event: {text[:40]} is no JSON object such as {{"temp": 21}}')
    return found


def _columns(given: Sequence[str]) -> dict[Path, str]:
    """The types given on the command line."""
    from motecast.core import ConfigError, unknown
    from motecast.filters.columns import TYPES, column_type

    columns = {}
    for text in given:
        name, equals, kind = text.partition("=")
        if not equals:
            raise ConfigError(f"--column: {text!r} is not of the form name=type, such as temp=int")
        if column_type(kind) is None:
            raise ConfigError(f"--column {name}: {unknown('type', kind, TYPES)}")
        columns[_path(name)] = kind.strip()
    return columns


def _path(name: str) -> Path:
    """The attribute, as it is written in a filter."""
    from motecast.core import ConfigError
    from motecast.filters import FilterError, parse
    from motecast.filters.syntax import Missing

    try:
        tree = parse(f"{name} IS NULL")
    except FilterError:
        tree = None
    if not isinstance(tree, Missing):
        raise ConfigError(f"--column: {name!r} is no attribute; one is spelled as in a filter: temp or weather.temp")
    return tree.path
