"""Oracles about what nodes and frames do, whatever they carry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from motecast.check.columns import NEVER, NONE, Bools, Ints, ints
from motecast.check.oracle import Finding, always, level_full
from motecast.check.view import View

HOST = "world"  # the port of rows that the host writes about a node, alive or not
COSTS = ("count", "size", "payload", "metadata")

Costs: TypeAlias = "tuple[int, int, int, int]"  # in the order of COSTS
Key: TypeAlias = "tuple[int, str, str, bool]"  # node, kind, message, whether the frames have content


def _bounds(view: View) -> str | None:
    return None if view.about.get("bounds") else "no layer of this stack says how large its state may become"


def _unwatched(view: View) -> str | None:
    names = view.about.get("unwatched")
    return f"not watched: {', '.join(map(str, names))}" if isinstance(names, list) and names else None


@always("limits of the layers", need=_bounds, remark=_unwatched)
def bounded_state(view: View) -> Iterator[Finding]:
    """No layer's state is larger than the limit that the layer states, at any moment at which the host looked."""
    for name, (largest, limit) in sorted(view.about["bounds"].items()):
        if largest > limit:
            yield Finding(f"{name} held {largest}; its limit is {limit}")


@always("Kim & Ahn §2.1, crash failures")
def silence_of_the_dead(view: View) -> Iterator[Finding]:
    """A node does nothing between a crash and its recovery, before it joins, and after it has left."""
    rows = np.arange(len(view.kind), dtype=np.int64)
    down = rows[view.life.is_down(view.node, rows)] if len(view.life.keys) else rows[:0]
    loses = view.kind[down] == view.code("lose")  # done to the node, not by it
    port = view.texts("port", down).cast(pa.string())
    by_host = np.asarray(pc.equal(port, HOST).to_numpy(), dtype=np.bool_)
    for row in down[~loses & ~by_host].tolist():
        kind = view.trace.rows["kind"][row].as_py()
        yield Finding(f"node {view.node[row]} is down at {view.t[row] / 1e6:g} s and yet there is a {kind} row", (row,))


@always("conservation", need=level_full)
def bytes_conserved(view: View) -> Iterator[Finding]:
    """What is received was sent before by that peer (same message, size and event, to this node or to all); content
    and headers fit into their frame; the totals are the sums of the rows."""
    yield from _received_from_nowhere(view)
    yield from _too_full(view)
    yield from _wrong_totals(view)


def _received_from_nowhere(view: View) -> Iterator[Finding]:
    sent, got = view.where("send", "broadcast"), view.where("receive", "lose")
    both = np.concatenate([sent, got])
    sender = np.concatenate([view.node[sent], view.column("peer", got)])
    listener = np.concatenate([view.column("peer", sent), view.node[got]])
    message = ints(view.texts("message", both).cast(pa.string()).combine_chunks().dictionary_encode().indices)
    facts = [sender, message, *(view.column(name, both) for name in ("size", "publisher", "number"))]
    to_all = _earliest(facts, both, len(sent), listener == NONE)
    to_one = _earliest([*facts, listener], both, len(sent), listener != NONE)
    for place in np.flatnonzero(np.minimum(to_all, to_one)[len(sent) :] > got).tolist():
        row, peer = int(got[place]), sender[len(sent) + place]
        kind, name = (view.trace.rows[column][row].as_py() for column in ("kind", "message"))
        text = f"node {view.node[row]}: {kind} of a {name} that node {peer} has not sent like this before"
        yield Finding(text, (row,))


def _earliest(facts: list[Ints], rows: Ints, sent: int, counts: Bools) -> Ints:
    """For each row the earliest of the first `sent` ones that has the same facts and counts; beyond all if none has."""
    group = np.zeros(len(rows), dtype=np.int64)
    for fact in facts:
        values = np.unique(fact, return_inverse=True)[1]
        group = np.unique(group * (values.max(initial=0) + 1) + values, return_inverse=True)[1].astype(np.int64)
    first = np.full(group.max(initial=0) + 1, NEVER)
    chosen = np.flatnonzero(counts[:sent])
    np.minimum.at(first, group[chosen], rows[chosen])
    return first[group]


def _too_full(view: View) -> Iterator[Finding]:
    rows = view.where("send", "broadcast")
    size, payload, metadata = (np.maximum(view.column(name, rows), 0) for name in ("size", "payload", "metadata"))
    for place in np.flatnonzero(payload + metadata > size).tolist():
        inside = f"{payload[place]} bytes of content and {metadata[place]} of headers"
        yield Finding(f"node {view.node[rows[place]]}: {inside} in a frame of {size[place]}", (int(rows[place]),))


def _wrong_totals(view: View) -> Iterator[Finding]:
    kept, summed = _kept(view), _summed(view)
    for key in sorted({*kept, *summed}, key=str):
        if kept.get(key) != summed.get(key):
            node, kind, message, _has_content = key
            said, found = _costs(kept.get(key)), _costs(summed.get(key))
            yield Finding(f"node {node}, {kind} {message}: the totals say {said}; the rows add up to {found}")


def _kept(view: View) -> dict[Key, Costs]:
    totals = view.trace.totals
    columns = totals.filter(pc.not_equal(totals["kind"].cast(pa.string()), "energy")).to_pydict()
    has_content = (payload > 0 for payload in columns["payload"])
    keys = zip(columns["node"], columns["kind"], columns["message"], has_content, strict=True)
    return dict(zip(keys, zip(*(columns[name] for name in COSTS), strict=True), strict=True))


def _summed(view: View) -> dict[Key, Costs]:
    rows = view.where("send", "broadcast")
    table = pa.table(
        {
            "node": view.node[rows],
            "kind": view.texts("kind", rows).cast(pa.string()),
            "message": view.texts("message", rows).cast(pa.string()),
            "has_content": view.column("payload", rows) > 0,
            **{name: np.maximum(view.column(name, rows), 0) for name in COSTS[1:]},
        }
    )
    grouped = table.group_by(["node", "kind", "message", "has_content"]).aggregate(
        [([], "count_all"), *((name, "sum") for name in COSTS[1:])]
    )
    columns = grouped.to_pydict()
    keys = zip(*(columns[name] for name in ("node", "kind", "message", "has_content")), strict=True)
    values = zip(columns["count_all"], *(columns[f"{name}_sum"] for name in COSTS[1:]), strict=True)
    return dict(zip(keys, values, strict=True))


def _costs(costs: Costs | None) -> str:
    return "nothing" if costs is None else ", ".join(f"{name} {cost}" for name, cost in zip(COSTS, costs, strict=True))
