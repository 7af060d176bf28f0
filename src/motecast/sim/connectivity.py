"""Contacts in The ONE's format: `<seconds> CONN <node> <node> up|down`, a line an event."""

from __future__ import annotations

import re
from pathlib import Path

from motecast.core import ConfigError
from motecast.sim.formats import moment_in, read_lines, seconds_of, write_lines
from motecast.sim.plan import Plan, plan_from

_EVENT = re.compile(r"(\S+)\s+CONN\s+[^\s0-9]*([0-9]{1,18})\s+[^\s0-9]*([0-9]{1,18})\s+(up|down)", re.IGNORECASE)


def read_connectivity(path: Path, nodes: int, until: int) -> Plan:
    """The contacts of nodes 0, 1 and so on; what is still up at the end lasts."""
    found: list[tuple[int, int, int, int]] = []
    up: dict[tuple[int, int], int] = {}
    last = 0
    for line, text in read_lines(path):
        if text.lstrip().startswith("#"):
            continue
        event = _EVENT.fullmatch(text.strip())
        if event is None:
            raise ConfigError(f"{path}:{line}: {text.strip()!r}: expected time, CONN, two nodes, and up or down")
        tick, pair = moment_in(path, line, event[1]), (int(event[2]), int(event[3]))
        one, other = min(pair), max(pair)
        if one == other or other >= nodes:
            raise ConfigError(f"{path}:{line}: nodes {pair[0]} and {pair[1]}: expected two from 0 to {nodes - 1}")
        if tick < last:
            raise ConfigError(f"{path}:{line}: time {event[1]} is before that of the line above")
        last = tick
        if event[4].lower() == "up":
            up.setdefault((one, other), tick)
        elif (one, other) not in up:
            raise ConfigError(f"{path}:{line}: the link of {pair[0]} and {pair[1]} goes down but was not up")
        else:
            found.append((one, other, up.pop((one, other)), tick))
    found += [(*pair, tick, until + 1) for pair, tick in up.items()]
    return plan_from(found, nodes, until)


def write_connectivity(path: Path, plan: Plan) -> None:
    """The events of a plan in order of time; of one time those that end first."""
    columns = (plan.up.tolist(), plan.down.tolist(), plan.a.tolist(), plan.b.tolist())
    events = []
    for up, down, a, b in zip(*columns, strict=True):
        events.append((up, 1, a, b))
        if down <= plan.until:
            events.append((down, 0, a, b))
    words = ("down", "up")
    write_lines(path, [f"{seconds_of(tick)} CONN {a} {b} {words[is_up]}" for tick, is_up, a, b in sorted(events)])
