"""The catalogue: one function a named system. A scenario says `stack = "flood"`; parameters go into [protocol.flood]."""

from __future__ import annotations

from motecast.core import Stack
from motecast.protocols.plain import Fifo, Flood
from motecast.protocols.plain.example import gossip


def flood() -> Stack:
    """Flooding: every node passes every event on once."""
    return Stack(Flood())


def flood_fifo(*, patience: float = 5.0) -> Stack:
    """Flooding with the events of each publisher in order."""
    return Stack(Fifo(patience=patience), Flood())


STACKS = {"flood": flood, "flood-fifo": flood_fifo, "gossip": gossip}
