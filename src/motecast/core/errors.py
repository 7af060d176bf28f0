"""Errors by blame: your stack, your parameter, your bytes."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

SHOWN = 16  # allowed names in a message; more are cut


class MotecastError(Exception):
    """Anything that is somebody's mistake and can be said in one line."""


class StackError(MotecastError):
    """Layers that do not fit together, or a layer whose marks contradict each other."""


class ConfigError(MotecastError):
    """A parameter or a scenario value outside what is allowed; names place, value and allowed range."""


class WireError(MotecastError):
    """Bytes that are no frame of this stack, or a message too long to be one; raised by the codec only."""


def unknown(what: str, name: str, allowed: Iterable[str]) -> str:
    """The line about a name that does not exist.

    >>> unknown("stack", "floood", ["gossip", "flood"])
    "no stack 'floood'; did you mean 'flood'? known: flood, gossip"
    """
    names = sorted(allowed)
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    return f"no {what} {name!r}; {nearest(name, names)}known: {shown or 'none'}"


def nearest(name: str, allowed: Iterable[str]) -> str:
    """The question whether another one was meant, or "".

    >>> nearest("gird", ["uniform", "grid"]), nearest("x", ["uniform", "grid"])
    ("did you mean 'grid'? ", '')
    """
    near = get_close_matches(name, allowed, n=1)
    return f"did you mean {near[0]!r}? " if near else ""
