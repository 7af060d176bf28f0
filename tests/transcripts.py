"""Small lives written down so that people read them: a line a happening, a line a verb."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from motecast.core import Event, EventId, Recorder, Subscription
from motecast.core.recorder import Happening

CLEAR = {"signal", "message", "timer", "event", "subscription", "what", "facts"}  # these need no name
Script = Iterable[tuple[float, Happening] | str]


def transcript(recorder: Recorder, script: Script) -> str:
    """What the node does with the script; a string in it is a heading."""
    lines = []
    for entry in script:
        if isinstance(entry, str):
            lines += ["", f"# {entry}"]
            continue
        when, happening = entry
        lines.append(f"{when:7.3f}  {written(happening)}")
        lines += [f"             {written(verb)}" for verb in recorder.handle(when, happening)] or ["             -"]
    return "\n".join(lines).strip("\n")


def written(value: object) -> str:
    """A value as a reader wants it: an event by its id, and no field that says nothing."""
    match value:
        case Event():
            stamp = "" if value.stamp is None else f" stamped {value.stamp.hex()}"
            return f"{value.id}{stamp}"
        case EventId():
            return str(value)
        case Subscription(topic=topic, where=where):
            return f"{topic!r}" + (f" where {where!r}" if where else "")
        case msgspec.Struct():
            named = zip(value.__struct_fields__, msgspec.structs.astuple(value), strict=True)
            said = [
                _said(name, field) for name, field in named if field is not None and field is not False and field != {}
            ]
            return f"{type(value).__name__}({', '.join(said)})"
        case dict():
            return ", ".join(f"{name}={written(field)}" for name, field in value.items())
        case _:
            return repr(value)


def _said(name: str, field: object) -> str:
    if name == "port":
        return str(field)
    if name == "after":
        return f"after={field:.3f}"
    return written(field) if name in CLEAR else f"{name}={written(field)}"
