"""Oracles that guard against runs that show nothing: what each looks for should happen at least once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from motecast.check.columns import NONE
from motecast.check.oracle import Finding, level_full, sometimes
from motecast.check.view import View


@sometimes("non-triviality")
def something_published(view: View) -> Iterator[Finding]:
    """An event is published."""
    for event in range(len(view.publisher)):
        yield Finding(f"event {view.named(event)}")


@sometimes("non-triviality")
def something_wanted(view: View) -> Iterator[Finding]:
    """An event is published that somebody subscribed to."""
    for event, node in zip(view.pairs.event, view.pairs.node, strict=True):
        yield Finding(f"node {node} wants event {view.named(event)}")


@sometimes("non-triviality")
def something_delivered(view: View) -> Iterator[Finding]:
    """An event is delivered at a node other than its publisher."""
    copies = view.deliveries
    known = np.flatnonzero(copies.event != NONE)
    for place in known[view.publisher[copies.event[known]] != copies.node[known]]:
        yield Finding(f"node {copies.node[place]}", (int(copies.row[place]),))


def _lossy(view: View) -> str | None:
    medium = (view.about.get("scenario") or {}).get("medium") or {}
    return level_full(view) if medium.get("loss") else "the medium of this run loses nothing"


@sometimes("non-triviality: loss", need=_lossy)
def something_lost(view: View) -> Iterator[Finding]:
    """A frame is lost, since the medium loses some."""
    for row in view.where("lose").tolist():
        yield Finding(f"node {view.node[row]}", (row,))


def _faulty(view: View) -> str | None:
    faults = (view.about.get("scenario") or {}).get("faults") or {}
    planned = [*(faults.get("schedule") or ()), *(faults.get("rates") or ())]
    return None if any(fault.get("do") == "crash" for fault in planned) else "the scenario crashes no node"


@sometimes("non-triviality: faults", need=_faulty)
def something_crashed(view: View) -> Iterator[Finding]:
    """A node crashes, since the scenario has crashes."""
    for row in view.where("crash").tolist():
        yield Finding(f"node {view.node[row]}", (row,))
