"""Readings of real sensors from a file: one line an event."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from motecast.core import ConfigError, NodeId
from motecast.filters import check_topic
from motecast.sim.field import number_in, read_csv

if TYPE_CHECKING:
    from motecast.core import Value

_FIXED = ("node", "when", "topic")


class Reading(NamedTuple):
    """What one line says."""

    when: float  # s
    topic: str | None
    attributes: dict[str, Value]


def read_readings(path: Path, count: int) -> dict[NodeId, list[Reading]]:
    """A CSV with columns node, when (s), topic (if it has one) and one an attribute; by node, in order of time."""
    found: dict[NodeId, list[Reading]] = {}
    for line, row in read_csv(path):
        if not {"node", "when"} <= row.keys():
            raise ConfigError(f"{path}: columns {', '.join(row)}; a file of readings has node, when and the attributes")
        node, when = number_in(path, line, row, "node"), number_in(path, line, row, "when")
        if node != int(node) or not 0 <= node < count:
            raise ConfigError(f"{path}:{line}: node = {row['node']!r}: expected a node from 0 to {count - 1}")
        if when < 0:
            raise ConfigError(f"{path}:{line}: when = {row['when']!r}: expected seconds, 0 or more")
        topic = row.get("topic") or None
        if topic is not None:
            check_topic(topic)
        attributes = {key: value_of(text) for key, text in row.items() if key not in _FIXED and text != ""}
        found.setdefault(int(node), []).append(Reading(when, topic, attributes))
    for readings in found.values():
        readings.sort(key=lambda reading: reading.when)
    return found


def value_of(text: str) -> Value:
    """A cell as a number or a boolean where it reads as one, else as text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if math.isfinite(number):
            return number
    return text
