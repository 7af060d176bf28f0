"""The life of a node or of an event, row by row, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from motecast.check.columns import NONE, Ints, ints
from motecast.check.view import View
from motecast.core import ConfigError, EventId

SECOND = 1_000_000
LISTED = 12  # publishers that a message names

Row = dict[str, Any]


class Line(NamedTuple):
    """One row in words; `row` is its number, by which findings name it."""

    row: int
    seconds: float
    node: int
    what: str
    event: str
    peer: int | None
    hops: int | None
    more: str


class Story(NamedTuple):
    """Some lines of a life, and how many there are in all."""

    title: tuple[str, ...]
    lines: list[Line]
    total: int
    folded: tuple[int, int] = (0, 0)  # rows that are only counted, and at how many nodes they are


def story(view: View, node: int | None, event: EventId | None, limit: int, fold: str = "") -> Story:
    """What happened at the node, to the event, or to the event at the node; `limit` 0: all of it.

    Rows of the kind `fold` are counted and not told.
    """
    title: list[str] = []
    chosen = np.ones(len(view.kind), dtype=np.bool_)
    if event is not None:
        place = find_event(view, event)
        title.append(_about_event(view, place))
        chosen &= ints(view.trace.rows["publisher"]) == event.publisher
        chosen &= ints(view.trace.rows["number"]) == event.number
    if node is not None:
        title.append(_about_node(view, node))
        chosen &= view.node == node
    is_folded = chosen & (view.kind == view.code(fold)) if fold else np.zeros_like(chosen)
    rows = np.flatnonzero(chosen & ~is_folded).astype(np.int64)
    shown = rows[:limit] if limit else rows
    folded = (int(is_folded.sum()), len(np.unique(view.node[is_folded])))
    return Story(tuple(title), [_line(view, int(row)) for row in shown], len(rows), folded)


def parse_event(text: str) -> EventId:
    """`3/41` as an event's id."""
    publisher, slash, number = text.partition("/")
    if not (slash and publisher.isdecimal() and number.isdecimal()):
        raise ConfigError(f"--event {text!r}: an event is publisher/number, such as 3/41")
    return EventId(int(publisher), int(number))


def find_event(view: View, event: EventId) -> int:
    """The event's row in the table of events; `ConfigError` says which there are."""
    mine = view.publisher == event.publisher
    found = np.flatnonzero(mine & (view.number == event.number))
    if len(found):
        return int(found[0])
    if mine.any():
        numbers = view.number[mine]
        exists = f"node {event.publisher} published {_span(numbers)}"
    else:
        names = ", ".join(map(str, view.publishers[:LISTED].tolist())) or "none"
        more = f" and {len(view.publishers) - LISTED} more" if len(view.publishers) > LISTED else ""
        exists = f"publishers are {names}{more}"
    raise ConfigError(f"no event {event} in this run; {exists}")


def _about_event(view: View, place: int) -> str:
    row = view.trace.events.slice(place, 1).to_pylist()[0]
    values = {name.removeprefix("a."): value for name, value in row.items() if name.startswith("a.")}
    attributes = ", ".join(f"{name}={_short(value)}" for name, value in values.items() if value is not None)
    expires = "" if row["expires"] is None else f", expires at {row['expires'] / SECOND:g} s"
    mine = view.pairs.event == place
    return (
        f"event {view.named(place)} on {', '.join(row['topics'])}{f' ({attributes})' if attributes else ''}: published "
        f"at {row['when'] / SECOND:g} s{expires}; expected at {int(mine.sum())} nodes, "
        f"delivered to {int(view.pairs.delivered[mine].sum())} of them"
    )


def _about_node(view: View, node: int) -> str:
    known = view.trace.field["node"].to_numpy()
    place = np.flatnonzero(known == node)
    if not len(place):
        raise ConfigError(f"no node {node} in this run; nodes are {_span(known)}")
    row = view.trace.field.slice(int(place[0]), 1).to_pylist()[0]
    at = "" if row["x"] is None else f" at ({row['x']:g}, {row['y']:g})"
    published = int((view.publisher == node).sum())
    delivered = int((view.deliveries.node == node).sum())
    return f"node {node}, {row['class']}{at}: published {published} events, delivered {delivered}"


def _line(view: View, number: int) -> Line:
    row = view.trace.rows.slice(number, 1).to_pylist()[0]
    event = "" if row["publisher"] is None else f"{row['publisher']}/{row['number']}"
    words = _WORDS.get(row["kind"])
    parts = [words(view, row) if words else "", row["detail"] or ""]
    more = "; ".join(part for part in parts if part)
    return Line(number, row["t"] / SECOND, row["node"], row["kind"], event, row["peer"], row["hops"], more)


def _publication(view: View, row: Row) -> str:
    place = _place(view, row)
    return "" if place == NONE else f"on {', '.join(view.trace.events['topics'][place].as_py())}"


def _delivery(view: View, row: Row) -> str:
    place = _place(view, row)
    return (
        "of nothing published" if place == NONE else f"{(row['t'] - view.when[place]) / SECOND:g} s after publication"
    )


def _subscription(view: View, row: Row) -> str:
    table = view.trace.subscriptions
    found = np.flatnonzero(table["subscription"].to_numpy() == row["subscription"])
    if not len(found):
        return ""
    wish = table.slice(int(found[0]), 1).to_pylist()[0]
    where = f" WHERE {wish['where']}" if wish["where"] else ""
    return f"subscription {row['subscription']}: {wish['topic']}{where}"


def _frame(_view: View, row: Row) -> str:
    content = f" ({row['payload']} content, {row['metadata']} headers)" if row["payload"] else ""
    return f"{row['message']}, {row['size']} bytes{content}"


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _place(view: View, row: Row) -> int:
    found = np.flatnonzero((view.publisher == row["publisher"]) & (view.number == row["number"]))
    return int(found[0]) if len(found) else NONE


def _span(numbers: Ints) -> str:
    return f"{int(numbers.min())} to {int(numbers.max())}" if len(numbers) else "none"


_WORDS: dict[str, Callable[[View, Row], str]] = {
    "publish": _publication,
    "deliver": _delivery,
    **dict.fromkeys(("subscribe", "unsubscribe", "store", "unstore"), _subscription),
    **dict.fromkeys(("send", "broadcast", "receive", "lose"), _frame),
}
