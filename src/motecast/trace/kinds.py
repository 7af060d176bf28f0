"""The closed set of row kinds and the columns of the four tables: `vocabulary` in code."""

from __future__ import annotations

import pyarrow as pa

FORMAT = 1  # of a saved trace; another number is refused by name

KINDS = (
    "start", "subscribe", "unsubscribe", "publish", "send", "broadcast", "receive", "lose", "deliver", "duplicate",
    "drop", "gap", "reject", "store", "unstore", "timer", "linkup", "linkdown", "move", "crash", "recover", "energy",
    "note",
)  # fmt: skip
CODE = {kind: code for code, kind in enumerate(KINDS)}

LEVELS = {
    "deliveries": frozenset(
        {"publish", "subscribe", "unsubscribe", "deliver", "duplicate", "drop", "gap", "crash", "recover"}
    ),
    "full": frozenset(KINDS),
}

_NAME = pa.dictionary(pa.int32(), pa.string())

ROWS = pa.schema(
    [
        ("t", pa.int64()),  # microseconds
        ("node", pa.int32()),
        ("port", _NAME),
        ("kind", _NAME),
        ("peer", pa.int32()),
        ("message", _NAME),
        ("publisher", pa.int32()),
        ("number", pa.int64()),
        ("subscription", pa.int32()),
        ("hops", pa.int32()),
        ("size", pa.int32()),
        ("payload", pa.int32()),
        ("metadata", pa.int32()),
        ("detail", pa.string()),
    ]
)

EVENTS = pa.schema(
    [
        ("publisher", pa.int32()),
        ("number", pa.int64()),
        ("topics", pa.list_(pa.string())),
        ("when", pa.int64()),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("size", pa.int32()),
        ("expires", pa.int64()),
    ]
)  # and one nullable column an attribute, named a.<name>

SUBSCRIPTIONS = pa.schema(
    [
        ("subscription", pa.int32()),
        ("subscriber", pa.int32()),
        ("topic", pa.string()),
        ("where", pa.string()),
        ("since", pa.int64()),
        ("until", pa.int64()),
    ]
)

TOTALS = pa.schema(
    [
        ("node", pa.int32()),
        ("kind", _NAME),
        ("message", _NAME),
        ("count", pa.int64()),
        ("size", pa.int64()),
        ("payload", pa.int64()),
        ("metadata", pa.int64()),
    ]
)

FIELD = pa.schema(
    [
        ("node", pa.int32()),
        ("class", _NAME),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("links", pa.list_(pa.int32())),
    ]
)

SCHEMAS = {"rows": ROWS, "events": EVENTS, "subscriptions": SUBSCRIPTIONS, "totals": TOTALS, "field": FIELD}

# Columns in which a null has a meaning; in all others it is damage.
NULLABLE = {
    "rows": frozenset(ROWS.names) - {"t", "node", "port", "kind"},
    "events": frozenset({"x", "y", "expires"}),
    "subscriptions": frozenset({"where", "until"}),
    "totals": frozenset[str](),
    "field": frozenset({"x", "y", "links"}),
}

JSON_TEXT = {"encoding": "json"}  # what the field of an attribute's column says when its values are JSON texts
