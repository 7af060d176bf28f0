"""Oracles about what is delivered to whom [Kim & Ahn, causal-push §2.1]."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from motecast.check.columns import NONE, Bools, Ints, find
from motecast.check.oracle import Finding, always, eventually
from motecast.check.view import View

NAMED = 8  # nodes that a finding lists


@always("Kim & Ahn §2.1, Integrity")
def integrity(view: View) -> Iterator[Finding]:
    """Every node delivers an event at most once (once a memory: a crash may lose it), and only if its publisher
    published it before."""
    yield from _never_published(view)
    yield from _delivered_again(view)


@eventually("Kim & Ahn §2.1, Validity")
def validity(view: View) -> Iterator[Finding]:
    """A correct publisher that wants its own event delivers it."""
    pairs = view.pairs
    own = (view.publisher[pairs.event] == pairs.node) & (pairs.first == NONE)
    for event in pairs.event[own & _is_correct(view, pairs.node)].tolist():
        row = int(view.published_row[event])
        yield Finding(f"event {view.named(event)} is wanted by its own publisher, which never delivers it", _rows(row))


@eventually("Kim & Ahn §2.1, Probabilistic Agreement")
def agreement(view: View) -> Iterator[Finding]:
    """What one correct node delivers, with probability alpha every other correct node that wants it delivers too."""
    correct = _is_correct(view, view.pairs.node)
    event, node, first = (column[correct] for column in (view.pairs.event, view.pairs.node, view.pairs.first))
    events, start, wanted = np.unique(event, return_index=True, return_counts=True)
    reached = np.add.reduceat((first != NONE).astype(np.int64), start) if len(start) else wanted
    seen = reached > 0  # by somebody, who does not count among those that should follow
    if (reached - 1)[seen].sum() >= view.alpha * (wanted - 1)[seen].sum():
        return
    for e, a, n, r in zip(*(c[seen].tolist() for c in (events, start, wanted, reached)), strict=True):
        if r < n:
            missing = node[a : a + n][first[a : a + n] == NONE]
            row = view.deliveries.row[first[a : a + n][first[a : a + n] != NONE].min()]
            yield Finding(f"event {view.named(e)}: {r} of {n} delivered it; missing {_listed(missing)}", _rows(row))


@always("vocabulary: delivery")
def only_subscribed(view: View) -> Iterator[Finding]:
    """An event is delivered only to nodes with a subscription that matches it and was active some time between
    publication and delivery."""
    copies = view.deliveries
    for place in np.flatnonzero(~copies.wanted & (copies.event != NONE)).tolist():
        event, node = view.named(copies.event[place]), copies.node[place]
        yield Finding(
            f"node {node} delivers event {event}, which no subscription of it wants", _rows(copies.row[place])
        )


def _never_published(view: View) -> Iterator[Finding]:
    copies = view.deliveries
    row = view.published_row[copies.event] if len(view.publisher) else np.full(len(copies.row), NONE)
    for place in np.flatnonzero((copies.event == NONE) | (row == NONE)).tolist():
        event = _id_in_row(view, copies.row[place])
        yield Finding(
            f"node {copies.node[place]} delivers event {event}, which its publisher never published",
            _rows(copies.row[place]),
        )
    for place in np.flatnonzero((copies.event != NONE) & (row > copies.row)).tolist():
        yield Finding(
            f"node {copies.node[place]} delivers event {view.named(copies.event[place])} before it is published",
            _rows(copies.row[place], row[place]),
        )


def _delivered_again(view: View) -> Iterator[Finding]:
    copies = view.deliveries
    known = np.flatnonzero(copies.event != NONE)
    node, event = copies.node[known], copies.event[known]
    memory = view.life.incarnation(node, copies.row[known])
    order = np.lexsort((copies.row[known], memory, node, event))
    same = np.ones(max(0, len(order) - 1), dtype=np.bool_)
    for column in (memory, node, event):
        same &= np.diff(column[order]) == 0
    for later in (np.flatnonzero(same) + 1).tolist():
        rows = _rows(copies.row[known[order[later - 1]]], copies.row[known[order[later]]])
        place = order[later]
        yield Finding(f"node {node[place]} delivers event {view.named(event[place])} again", rows)


def _is_correct(view: View, nodes: Ints) -> Bools:
    """Processes that survive are correct; the paper's model knows no recovery, so one that came back is not."""
    return np.asarray(find(view.life.faulty(), nodes) == NONE)


def _id_in_row(view: View, row: int) -> str:
    some = np.array([row], dtype=np.int64)
    return f"{view.column('publisher', some)[0]}/{view.column('number', some)[0]}"


def _listed(nodes: Ints) -> str:
    more = f" and {len(nodes) - NAMED} more" if len(nodes) > NAMED else ""
    return f"node{'s' if len(nodes) > 1 else ''} {', '.join(map(str, nodes[:NAMED].tolist()))}{more}"


def _rows(*rows: int) -> tuple[int, ...]:
    return tuple(int(row) for row in rows if row != NONE)
