"""A radio whose receivers, those of some classes, take one frame with an event at a time, from whomever.

A node asks `is_clear` first. One that found the receiver busy is told `cleared` when it is not any more: whoever has
waited longest is told first, and who has just sent queues up behind those. Control frames keep nobody busy, and all
other receivers take as many frames at once as come.
"""

from __future__ import annotations

from typing import Any

from motecast.core import NodeId
from motecast.sim.lean import Lean
from motecast.sim.radio import Radio, Transmission
from motecast.sim.scenario import Air


class Turns(Radio):
    """The queue of each such receiver is a dictionary: its keys are in the order in which they came."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        deployment = self.world.deployment
        settings = deployment.scenario.medium
        assert isinstance(settings, Air), settings
        count = len(deployment.positions)
        self.is_watching = True
        self.is_exclusive = bytearray(name in settings.exclusive for name in deployment.classes)
        self.taken: list[Transmission | None] = [None] * count  # what each receiver is taking
        self.queues: list[dict[NodeId, None]] = [{} for _ in range(count)]  # who waits for it, longest first

    def is_clear(self, node: NodeId, peer: NodeId) -> bool:
        """Who finds it busy waits until it is told."""
        frame = self.taken[peer]
        if frame is None or frame.ctx.me == node:
            return True
        self.queues[peer].setdefault(node)
        return False

    def launched(self, frame: Transmission) -> None:
        """A frame to a receiver that is taking another one is lost to it."""
        to = frame.to
        if to is not None and self.is_exclusive[to] and frame.message.carries is not None:
            if self.taken[to] is None:
                self.taken[to] = frame
            else:
                frame.missed |= {to}

    def ended(self, frame: Transmission) -> None:
        """The receiver is free before the sender learns that it may send again: the others come first."""
        to = frame.to
        if to is not None and self.taken[to] is frame:
            self._free(to)

    def _free(self, receiver: NodeId) -> None:
        self.taken[receiver] = None
        queue = self.queues[receiver]
        while queue and self.taken[receiver] is None:
            node = next(iter(queue))
            del queue[node]
            if self.reaches(node, receiver):
                self.world.tell_cleared(node, receiver)

    def tell_cleared(self, node: NodeId) -> None:
        """Speaking keeps nobody from listening here."""

    def silence(self, node: NodeId) -> None:
        frame = self.in_air[node]
        super().silence(node)
        if frame is not None and frame.to is not None and self.taken[frame.to] is frame:
            self._free(frame.to)


class Exclusive(Turns):
    """With latency or acknowledgement."""


class LeanExclusive(Turns, Lean):
    """Without."""
