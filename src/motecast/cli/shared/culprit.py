"""An exception in a user's own code: told by the line that raised it, without the frames of motecast above it."""

from __future__ import annotations

import sys
import traceback
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import motecast
from motecast.cli.shared.blame import needs

if TYPE_CHECKING:
    from types import TracebackType

PACKAGE = Path(motecast.__file__).parent


class Culprit(NamedTuple):
    """`place`: file, line and function of the user's that was last called; `frames`: what follows its first call."""

    place: str
    frames: list[str]


def culprit(error: BaseException) -> Culprit | None:
    """Where the user's code raised this, or called what did; None if none of it was running."""
    frames = _frames(error.__traceback__)
    own = [index for index, frame in enumerate(frames) if _is_own(frame)]
    if not own:
        return None
    last = frames[own[-1]]
    code = last.tb_frame.f_code
    place = f"{Path(code.co_filename).name} line {last.tb_lineno}, {code.co_qualname}"
    notes = (f" {note}" for note in getattr(error, "__notes__", ()))
    return Culprit(place + "".join(notes), traceback.format_tb(frames[own[0]]))


def told_of(error: Exception, found: Culprit) -> str:
    """The line about it."""
    return f"{found.place}: {type(error).__name__}{f': {error}' if str(error) else ''}".replace("\n", " ")


def _frames(trace: TracebackType | None) -> list[TracebackType]:
    """The frames that the last one of the command line called."""
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    commands = [index for index, frame in enumerate(frames) if _file(frame).is_relative_to(PACKAGE / "cli")]
    return frames[commands[-1] + 1 :] if commands else frames


def _is_own(frame: TracebackType) -> bool:
    """True for what belongs neither to motecast nor to Python nor to what motecast needs."""
    module = str(frame.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
    file = _file(frame)
    return file.suffix == ".py" and not file.is_relative_to(PACKAGE) and module not in _known()


def _file(frame: TracebackType) -> Path:
    return Path(frame.tb_frame.f_code.co_filename)


@cache
def _known() -> frozenset[str]:
    return frozenset({*sys.stdlib_module_names, *(need.replace("-", "_") for need, _ in needs())} - {"__main__"})
