"""The recorder of a run: rows as a flat list of small integers, emptied into typed arrays in blocks."""

from __future__ import annotations

import json
import struct
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from motecast.trace.kinds import CODE, EVENTS, JSON_TEXT, KINDS, LEVELS, ROWS, SUBSCRIPTIONS, TOTALS
from motecast.trace.store import Trace, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from motecast.core import Event, Subscription

WIDTH = 6  # integers a row: t, node, code, publisher, number, extra
BLOCK = WIDTH * 20_000  # integers that wait in the list before they become arrays, small enough to stay in the cache
CHUNK = 1_000_000  # rows that become one chunk of the table, or some more
NONE = -1  # no publisher, no number, no extra
PORT = len(KINDS)  # code = port index * PORT + kind
MICROSECONDS = 1_000_000

_WIDTHS = ("i8", "i4", "i4", "i4", "i8", "i8")  # of the six integers, as the columns of the table have them
_PLAIN = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}


Columns = list[NDArray[np.integer[Any]]]


class Extra(NamedTuple):
    """The columns that most rows do not have."""

    peer: int | None = None
    message: str | None = None
    subscription: int | None = None
    hops: int | None = None
    size: int | None = None
    payload: int | None = None
    metadata: int | None = None
    detail: str | None = None


class TraceBuilder:
    """Takes rows while a run goes on and makes the four tables of it.

    `rows` is open to hosts: they add six integers at a time and call `flush` when it is longer than `BLOCK`.
    The last integer is `NONE`, an index into the extras (`extra`), or, for a delivery, `hops_code(hops)`.
    """

    def __init__(self, ports: Sequence[str], level: str = "deliveries") -> None:
        self.ports = tuple(ports)
        self.level = level
        self.rows: list[int] = []
        self._blocks: list[Columns] = []
        self._chunks: list[pa.RecordBatch] = []  # of the table, so that no row is kept twice
        self._extras: list[Extra] = []
        self._events: list[Event] = []
        self._sizes: list[int] = []
        self._times: list[int] = []
        self._subscriptions: list[list[object]] = []
        self._active: dict[int, list[object]] = {}

    def codes(self, port: int) -> dict[str, int]:
        """The code of every kind that this level records, for rows of one port."""
        return {kind: port * PORT + code for kind, code in CODE.items() if kind in LEVELS[self.level]}

    def extra(self, extra: Extra) -> int:
        """The number by which a row names these columns."""
        self._extras.append(extra)
        return len(self._extras) - 1

    def flush(self) -> None:
        """Empties the list of rows into arrays, one a column."""
        if self.rows:
            block = np.frombuffer(struct.pack(f"{len(self.rows)}q", *self.rows), dtype=np.int64).reshape(-1, WIDTH)
            self._blocks.append([block[:, i].astype(width) for i, width in enumerate(_WIDTHS)])
            self.rows.clear()
            if sum(len(columns[0]) for columns in self._blocks) >= CHUNK:
                self._gather()

    def published(self, event: Event, size: int, t: int) -> None:
        """An event, the bytes of its content, and the true time: the publisher's clock may be wrong."""
        self._events.append(event)
        self._sizes.append(size)
        self._times.append(t)

    def subscribed(self, subscription: Subscription, t: int) -> None:
        """A subscription is active from now on; one that is active already (a node that came back) stays so."""
        s = subscription
        if s.id not in self._active:
            self._active[s.id] = [s.id, s.subscriber, s.topic, s.where, t, None]
            self._subscriptions.append(self._active[s.id])

    def unsubscribed(self, subscription: Subscription, t: int) -> None:
        """It is not any more; saying so twice changes nothing."""
        row = self._active.pop(subscription.id, None)
        if row is not None:
            row[-1] = t

    def build(
        self,
        totals: Iterable[tuple[int, str, str, int, int, int, int]],
        field: pa.Table,
        about: Mapping[str, object],
    ) -> Trace:
        """The trace; `totals` are (node, kind, message, count, size, payload, metadata)."""
        self.flush()
        self._gather()
        rows = pa.Table.from_batches(self._chunks, schema=ROWS).unify_dictionaries()
        columns: list[Sequence[object]] = list(zip(*sorted(totals), strict=True)) or [[] for _ in TOTALS]
        return Trace(
            rows=rows,
            events=_events_table(self._events, self._sizes, self._times),
            subscriptions=_table(zip(*self._subscriptions, strict=True), SUBSCRIPTIONS),
            totals=_table(columns, TOTALS),
            field=field,
            about={**about, "level": self.level, "ports": list(self.ports), "digest": digest_of(rows)},
        )

    def _gather(self) -> None:
        """Makes a chunk of the table of the blocks there are, and lets them go."""
        if self._blocks:
            columns = [np.concatenate(column) for column in zip(*self._blocks, strict=True)]
            self._blocks.clear()
            self._chunks.append(_chunk(columns, self.ports, self._extras))


def hops_code(hops: int | None) -> int:
    """A delivery's hops as the last integer of its row, so that the commonest extra costs nothing."""
    return NONE if hops is None else -2 - hops


def _events_table(events: Sequence[Event], sizes: Sequence[int], times: Sequence[int]) -> pa.Table:
    """The table of events: the fixed columns and one column an attribute."""
    fixed = {
        "publisher": [e.id.publisher for e in events],
        "number": [e.id.number for e in events],
        "topics": [list(e.topics) for e in events],
        "when": list(times),
        "x": [e.position[0] if e.position else None for e in events],
        "y": [e.position[1] if e.position else None for e in events],
        "size": list(sizes),
        "expires": [t + _lifetime(e) if e.expires is not None else None for e, t in zip(events, times, strict=True)],
    }
    table = pa.table({name: pa.array(values, EVENTS.field(name).type) for name, values in fixed.items()})
    for name in sorted({name for event in events for name in event.attributes}):
        table = table.append_column(*_attribute(name, [event.attributes.get(name) for event in events]))
    return table


def _lifetime(event: Event) -> int:
    """Microseconds from publication to expiry, by whatever clock stamped both."""
    assert event.expires is not None, f"{event.id} never expires"
    return round((event.expires - event.when) * MICROSECONDS)


def _attribute(name: str, values: list[object]) -> tuple[pa.Field, pa.Array]:
    """One attribute's column; what no single type holds exactly is kept as JSON text, and the field says so."""
    kinds = {type(value) for value in values if value is not None}
    plain = _PLAIN.get(next(iter(kinds))) if len(kinds) == 1 else pa.float64() if kinds == {int, float} else None
    if plain is not None:
        try:
            return pa.field(f"a.{name}", plain), pa.array(values, plain, from_pandas=False)
        except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError):
            pass  # an integer beyond the column's width, or half a character
    texts = [None if value is None else json.dumps(value) for value in values]
    return pa.field(f"a.{name}", pa.string(), metadata=JSON_TEXT), pa.array(texts, pa.string())


def _table(columns: Iterable[Sequence[object]], schema: pa.Schema) -> pa.Table:
    lists = list(columns) or [[] for _ in schema]
    return pa.table([pa.array(c, f.type) for c, f in zip(lists, schema, strict=True)], schema=schema)


def _chunk(block: Columns, ports: Sequence[str], extras: Sequence[Extra]) -> pa.RecordBatch:
    t, node, code, publisher, number, extra = block
    used = np.unique(extra[extra >= 0])
    chosen = np.where(extra >= 0, np.searchsorted(used, extra), len(used))  # one place more than there are: null
    columns = {
        "t": pa.array(t),
        "node": pa.array(node, pa.int32()),
        "port": _names(code // PORT, ports),
        "kind": _names(code % PORT, KINDS),
        "publisher": pa.array(publisher, pa.int32(), mask=publisher == NONE),
        "number": pa.array(number, mask=number == NONE),
    }
    some = [extras[place] for place in used.tolist()] or [Extra()]
    for name, values in zip(Extra._fields, zip(*some, strict=True), strict=True):
        columns[name] = _chosen(values, chosen, ROWS.field(name).type)
    columns["hops"] = _hops(extra, columns["hops"])
    return pa.record_batch([columns[name] for name in ROWS.names], schema=ROWS)


def _chosen(values: Sequence[object], chosen: NDArray[np.integer[Any]], kind: pa.DataType) -> pa.Array:
    """The column of `values[chosen[k]]` in row k, null where that is None or beyond the end."""
    if all(value is None for value in values):
        return _nulls(kind, len(chosen))
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind):
        texts = pa.array([*values, None], pa.string()).dictionary_encode()
        codes, names = texts.indices, texts.dictionary
    else:
        codes, names = pa.array([*values, None], kind), None
    is_null = codes.is_null().to_numpy(zero_copy_only=False)
    column = pa.array(codes.fill_null(0).to_numpy()[chosen], pa.int32(), mask=is_null[chosen])
    if names is None:
        return column
    column = pa.DictionaryArray.from_arrays(column, names)
    return column if pa.types.is_dictionary(kind) else column.cast(kind)


@cache
def _nothing(kind: pa.DataType) -> pa.Array:
    return pa.nulls(CHUNK + BLOCK, kind)


def _nulls(kind: pa.DataType, length: int) -> pa.Array:
    """So many nulls; all chunks of all traces share theirs."""
    return _nothing(kind)[:length] if length <= len(_nothing(kind)) else pa.nulls(length, kind)


def _hops(extra: NDArray[np.integer[Any]], others: pa.Array) -> pa.Array:
    """The hops that deliveries say in their last integer, and those of the rows with extras."""
    is_coded = extra < NONE
    if not is_coded.any():
        return others
    if others.null_count == len(others):
        return pa.array(-2 - extra, pa.int32(), mask=~is_coded)
    mask = ~is_coded & others.is_null().to_numpy(zero_copy_only=False)
    return pa.array(np.where(is_coded, -2 - extra, others.fill_null(NONE).to_numpy()), pa.int32(), mask=mask)


def _names(codes: NDArray[np.integer[Any]], names: Sequence[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(list(names), pa.string()))
