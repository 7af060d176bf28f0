"""Write docs/reference/scenario.md: every table and key of a scenario, read off src/motecast/sim/scenario.py.

.venv/bin/python tools/scenario_page.py

A key's comment begins with its unit, if it has one, and a semicolon; the rest is its meaning.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Iterator
from pathlib import Path

import msgspec

from motecast.core import allowed
from motecast.sim import scenario as tables

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "scenario.md"
UNITS = ("s", "m", "m/s", "J", "W", "nJ a bit", "bytes", "bits a second", "s a second", "nodes", "frames")
HIDDEN = {"folder", "parameters"}  # filled in by the reader

INTRO = """\
# Scenario

<!-- Written by tools/scenario_page.py from src/motecast/sim/scenario.py; do not edit by hand. -->

A scenario is a TOML file that says everything a run depends on. `motecast sim FILE --explain` prints it with every
default filled in; `--set KEY=VALUE` takes any dotted key of these tables, such as `--set medium.loss=0.1`, and
`--set faults.schedule.0.when=5` for a table in a list. An unknown key, a wrong type, an impossible value or a missing
file is one line with the place, the value, what is allowed and the nearest name, and exit code 2.

Times are seconds (at most 10⁹), lengths metres, sizes bytes. Files are looked for beside the scenario. What chance
means, and what a fault does to a node, is told in [Time, chance and faults](../concepts/time-chance-and-faults.md).

```toml
name = "small"
stack = "flood"
until = 60.0

[nodes.sensor]
count = 50

[medium]
kind = "disk"
range = 25.0

[workload.sensor.publish]
every = 10.0
attributes = { temp = { normal = [21.0, 4.0] } }

[workload.sensor.subscribe]
where = "temp > 25"
```
"""

PROTOCOL = """\
## `[protocol.<stack>]`

The parameters of each stack that the file knows; `motecast stacks NAME` lists them. Only the table of the chosen stack
is applied, but all are checked, so that a typing mistake shows before it matters. `--set protocol.p=0.5` means the
chosen stack's table. The parameters of a stack of your own, `stack = "package.module:function"`, are in
`[protocol."package.module:function"]`.
"""

NOTES: dict[type[msgspec.Struct], str] = {
    tables.Nodes: """\
Nodes are numbered from 0, class by class in the order of the file. A CSV of positions begins with a line that names its
columns. Degrees become metres east and north of the south-western corner, and `lat` and `lon` become attributes of what
the node publishes.""",
    tables.Disk: """\
The default. Everybody within `range` hears, the end included. The keys of the next table belong to it too.""",
    tables.Waypoint: """\
A node sets off at the beginning, travels straight to a uniform point, pauses, and so on [random waypoint]. How movement
becomes contacts, and what a layer learns of both, is told in [Movement, contacts and energy](mobility.md).""",
    tables.Recorded: """\
`kind` is `"file"` (a CSV with columns node, t in seconds, x, y), `"one"` (The ONE's external movement), `"bonnmotion"`
(a .movements file), `"setdest"` (ns-2) or `"passages"` (which cell when; needs `[field] cells`). See
[Import movement and contacts](../howto/import-movement.md).""",
    tables.Cells: """\
Who is in the same cell of `[field] cells`, or in one of the eight around it, hears.""",
    tables.Contacts: """\
Links go up and down as a file says, wherever the nodes are.""",
    tables.Energy: """\
Sending k bits over d metres costs k (electronics + amplifier d²), receiving them k electronics. `charge` says which
frames count: sending those with events, also receiving them, or all. See
[Movement, contacts and energy](mobility.md).""",
    tables.Air: """\
With a rate, a node has one frame in the air and a queue behind it; `sent` tells its layer when the frame has left.
Acknowledgements cost 5 bytes each and are lost like frames, but take no air time and collide with nothing. All
receivers of a transmission hear it after the same latency.""",
    tables.Beacon: """\
Sent by every node when `links = "beacons"`, through the same radio, and charged as `Beacon`.""",
    tables.Graph: """\
These keys, and those that the media of a radio share. With `directed`, a node is told (`linked`) of those whom its
frames reach.""",
    tables.Rounds: """\
Whatever is sent in a round arrives just before the next begins. Any node can reach any other, and a broadcast goes to
all.""",
    tables.Publish: """\
What a file of readings leaves empty or calls NaN the event does not have; numbers, true and false are read as such,
everything else is text. A node that is down publishes nothing, and numbers count what was published.""",
    tables.Draw: """\
An attribute is a value, or a table with exactly one of uniform, integers, normal, choice and walk.""",
    tables.Target: """\
These keys belong to every fault but a partition.""",
    tables.Rate: """\
Whom (the keys above), and:""",
}

SECTIONS: tuple[tuple[str, type[msgspec.Struct]], ...] = (
    ("Top of the file", tables.Scenario),
    ("`[field]`", tables.Field),
    ("`[nodes.<class>]`", tables.Nodes),
    ('`[nodes.<class>.mobility]`, kind = "waypoint"', tables.Waypoint),
    ("`[nodes.<class>.mobility]`, from a file", tables.Recorded),
    ('`[medium]`, kind = "disk"', tables.Disk),
    ('`[medium]`, kind = "cells"', tables.Cells),
    ('`[medium]`, kind = "contacts"', tables.Contacts),
    ("`[medium]`, disk, cells, contacts and graph", tables.Air),
    ("`[medium.beacon]`", tables.Beacon),
    ('`[medium]`, kind = "graph"', tables.Graph),
    ('`[medium]`, kind = "rounds"', tables.Rounds),
    ("`[energy]`", tables.Energy),
    ("`[workload.<class>.publish]`", tables.Publish),
    ("`[workload.<class>.publish.attributes.<name>]`", tables.Draw),
    ("`[workload.<class>.subscribe]`", tables.Subscribe),
    ("`[workload.<class>.subscribe.ranges.<attribute>]`", tables.Range),
    ("`[[faults.schedule]]`: whom", tables.Target),
    *(
        (f'`[[faults.schedule]]`, do = "{fault.__struct_config__.tag}"', fault)
        for fault in (tables.Crash, tables.Join, tables.Leave, tables.Perturb, tables.Partition, tables.Skew)
    ),
    ("`[[faults.rates]]`", tables.Rate),
)


def page() -> str:
    """The whole page."""
    parts = [INTRO]
    for title, table in SECTIONS:
        parts.append(section(title, table))
        if table is tables.Scenario:
            parts.append(PROTOCOL)
    return "\n".join(parts)


def section(title: str, table: type[msgspec.Struct]) -> str:
    """One table: what it is, and its keys."""
    rows = [f"| `{name}` | {' | '.join(cells)} |" for name, *cells in keys(table)]
    header = ["| key | value | default | unit | meaning |", "|---|---|---|---|---|"]
    texts = [text for text in (_sentence(table), NOTES.get(table, "")) if text]
    return "\n\n".join([f"## {title}", *texts, "\n".join(header + rows)]) + "\n"


def _sentence(table: type[msgspec.Struct]) -> str:
    """The docstring without the table's name, which is the heading."""
    text = inspect.cleandoc(table.__doc__ or "")
    _, colon, rest = text.partition("]: ") if text.startswith("[") else ("", "", text)
    is_name = text.startswith("[") and not colon
    return "" if is_name or "kind =" in text or table is tables.Draw else rest[:1].upper() + rest[1:]


def keys(table: type[msgspec.Struct]) -> Iterator[tuple[str, str, str, str, str]]:
    """Key, value, default, unit and meaning of the table's own keys and those that only scheduled faults share."""
    comments = _comments(table)
    hints = typing.get_type_hints(table, include_extras=True)
    shared = {"when": _comments(tables.Fault)["when"]} if issubclass(table, tables.Fault) else {}
    for field in msgspec.structs.fields(table):
        if (field.name in comments or field.name in shared) and field.name not in HIDDEN:
            unit, meaning = _unit({**shared, **comments}[field.name])
            yield field.name, value_of(hints[field.name]), _default(field), unit, meaning


def _comments(table: type[msgspec.Struct]) -> dict[str, str]:
    """What the source says beside each of the table's own keys."""
    found = re.findall(r"^    (\w+): (?:.*?)(?:  # (.*))?$", inspect.getsource(table), re.MULTILINE)
    return {name: comment for name, comment in found if name in table.__annotations__}


def _unit(comment: str) -> tuple[str, str]:
    unit, _, meaning = comment.partition("; ")
    return (unit, meaning.replace("|", r"\|")) if unit in UNITS else ("", comment.replace("|", r"\|"))


def value_of(hint: object) -> str:
    """What may be written, in words; the bounds that only keep a run finite are left out."""
    parts = typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)
    parts = tuple(part for part in parts if part is not type(None))
    structs = [part for part in parts if isinstance(part, type) and issubclass(part, msgspec.Struct)]
    if structs and len(structs) == len(parts):
        return "a table"
    if typing.get_origin(hint) is dict:
        return "a table"
    if typing.get_origin(hint) is tuple and any(s in str(hint) for s in ("Crash", "Rate")):
        return "a list of tables"
    words = [_words(part) for part in parts if part not in structs]
    return " or ".join(dict.fromkeys(words))


def _words(hint: object) -> str:
    if typing.get_origin(hint) is typing.Literal:
        return ", ".join(f'`"{word}"`' for word in typing.get_args(hint))
    text = re.sub(r" from (\S+) to 1e\+\d+", r", at least \1", allowed(hint))
    text = re.sub(r" at least -1e\+\d+ and at most 1e\+\d+| from -1e\+\d+ to 1e\+\d+|, at least -1e\+\d+", "", text)
    return re.sub(r"^a list of (.*)$", r"[\1]", text)


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.default_factory is not msgspec.NODEFAULT:
        return ""
    value = field.default
    if value is msgspec.NODEFAULT:
        return "required"
    if value is None or isinstance(value, msgspec.Struct) or value == ():
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{list(value) if isinstance(value, tuple) else value!r}`".replace("'", '"')


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
