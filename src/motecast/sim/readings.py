"""Readings of real sensors from a file: one line an event."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from motecast.core import ConfigError, NodeId
from motecast.filters import FilterError, check_topic
from motecast.sim.field import number_in, read_csv
from motecast.sim.scenario import LONGEST

if TYPE_CHECKING:
    from motecast.core import Value

_FIXED = ("node", "when", "topic")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")  # longer ones do not fit into 64 bits, and are floats


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
        if not 0 <= when <= LONGEST:
            raise ConfigError(f"{path}:{line}: when = {row['when']!r}: expected seconds, 0 or more")
        cells = {key: value_of(text) for key, text in row.items() if key not in _FIXED}
        attributes = {key: value for key, value in cells.items() if value is not None}
        found.setdefault(int(node), []).append(Reading(when, _topic(path, line, row), attributes))
    for readings in found.values():
        readings.sort(key=lambda reading: reading.when)
    return found


def _topic(path: Path, line: int, row: dict[str, str]) -> str | None:
    topic = row.get("topic") or None
    if topic is not None:
        try:
            check_topic(topic)
        except FilterError as error:
            raise ConfigError(f"{path}:{line}: topic = {topic!r}: {error.message}") from None
    return topic


def value_of(text: str) -> Value | None:
    """A cell as a number or a boolean where it reads as one, else as text; an empty one and NaN are no reading.

    >>> [value_of(text) for text in ("21", "2.5", "true", "smoke", "1_000", "", "NaN")]
    [21, 2.5, True, 'smoke', '1_000', None, None]
    """
    if text.lower() in ("", "nan"):
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if not _NUMBER.fullmatch(text):
        return text
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if math.isfinite(float(text)) else text
