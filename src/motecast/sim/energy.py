"""What radios use up: whole picojoules, so that a sum does not depend on its order, and who dies of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from motecast.sim import faults
from motecast.sim import scenario as tables
from motecast.trace.builder import MICROSECONDS, Extra

if TYPE_CHECKING:
    from motecast.core import Message, NodeId
    from motecast.sim.world import World
    from motecast.trace.totals import Total

PICO = 10**12  # picojoules a joule
KINDS = ("transmit", "receive", "overhear", "idle", "sleep")


class Account:
    """One run's energy. `spent[what][node]` are picojoules, `frames[what][node]` how many frames they are for."""

    def __init__(self, world: World, settings: tables.Energy) -> None:
        self.world = world
        self.settings = settings
        self.initial = round(settings.initial * PICO)
        self.bit = settings.electronics * 1000.0  # pJ, received; sent it costs the amplifier's too
        self.overheard = settings.overhearing * 1000.0
        count = len(world.positions)
        self.is_charged = bytearray(name not in settings.unlimited for name in world.deployment.classes)
        self.spent = {what: [0] * count for what in KINDS}
        self.frames = {what: [0] * count for what in KINDS}
        self.total = [0] * count
        self.empty: set[NodeId] = set()
        self.draw = [0.0] * count  # pJ a microsecond, all the time
        self.is_asleep = bytearray(count)
        self.since = [0] * count  # up to when that is paid
        self.due = [-1] * count  # when it would be used up if nothing else happened; -1: not before the end
        self.transmitting: dict[int, int] = {}  # bits -> picojoules
        self.receiving: dict[int, int] = {}
        self.counts_control = settings.charge == "all"
        self.counts_receiving = settings.charge != "tx"
        self.has_draw = bool(settings.idle or settings.sleep)

    # Frames

    def sent(self, node: NodeId, message: Message, size: int, hearers: Sequence[NodeId], to: NodeId | None) -> None:
        """A frame leaves a radio; `hearers` are all whom it reaches."""
        if message.carries is None and not self.counts_control:
            return
        bits = size * 8 if message.bits is None else message.bits
        self.pay(node, "transmit", bits, hearers if to is None else (to,))

    def pay(self, node: NodeId, what: str, bits: int, targets: Sequence[NodeId] = ()) -> None:
        """One frame of so many bits, sent or received."""
        if self.is_charged[node]:
            if what == "receive":
                cost = self.receiving.get(bits) or self.receiving.setdefault(bits, round(bits * self.bit))
            else:
                cost = self.transmitting.get(bits) or self._transmission(node, bits, targets)
            self._spend(node, what, cost)

    def _transmission(self, node: NodeId, bits: int, targets: Sequence[NodeId]) -> int:
        """Picojoules; kept where the distance is always the same."""
        cost = round(bits * (self.bit + self.settings.amplifier * self._reach(node, targets) ** 2))
        if self.settings.distance != "actual":
            self.transmitting[bits] = cost
        return cost

    def heard(self, message: Message, size: int, hearers: Sequence[NodeId], to: NodeId | None) -> None:
        """A frame has been in the air for these; those that are down or do not listen do not pay."""
        if not self.counts_receiving or (message.carries is None and not self.counts_control):
            return
        bits = size * 8 if message.bits is None else message.bits
        cost = self.receiving.get(bits) or self.receiving.setdefault(bits, round(bits * self.bit))
        hears, is_charged = self.world.hears, self.is_charged
        if to is not None and not self.overheard:
            if to in hearers and is_charged[to] and hears[to]:
                self._spend(to, "receive", cost)
            return
        for node in hearers:
            if is_charged[node] and hears[node]:
                if to is None or node == to:
                    self._spend(node, "receive", cost)
                elif self.overheard:
                    self._spend(node, "overhear", round(bits * self.overheard))

    def _reach(self, node: NodeId, targets: Sequence[NodeId]) -> float:
        """Metres to the farthest target, or what the scenario says instead."""
        if self.settings.distance != "actual":
            return self.settings.distance
        place = self.world.position(node)
        return max((math.dist(place, self.world.position(peer)) for peer in targets), default=0.0)

    # What is drawn all the time

    def switch(self, node: NodeId) -> None:
        """The node has started, stopped, fallen asleep or woken up."""
        if not self.has_draw or not self.is_charged[node]:
            return
        self.settle(node)
        self.is_asleep[node] = node in self.world.asleep
        watts = self.settings.sleep if self.is_asleep[node] else self.settings.idle
        self.draw[node] = 0.0 if node in self.world.down else watts * PICO / MICROSECONDS
        self._foresee(node)

    def settle(self, node: NodeId) -> None:
        """Pays what was drawn up to now."""
        now = self.world.kernel.now
        drawn = round(self.draw[node] * (now - self.since[node]))
        self.since[node] = now
        if drawn:
            self.spent["sleep" if self.is_asleep[node] else "idle"][node] += drawn
            self.total[node] += drawn

    def _spend(self, node: NodeId, what: str, cost: int) -> None:
        self.frames[what][node] += 1
        self.spent[what][node] += cost
        total = self.total[node] = self.total[node] + cost
        if self.has_draw:
            self.settle(node)
            self._foresee(node)
            total = self.total[node]
        if total >= self.initial:
            self._run_empty(node)

    def _foresee(self, node: NodeId) -> None:
        """Enters when the node would be empty if it drew nothing but this."""
        world, left = self.world, self.initial - self.total[node]
        if self.draw[node] > 0 and left > 0:
            due = world.kernel.now + math.ceil(left / self.draw[node])
            if due <= world.until:
                self.due[node] = due
                world.kernel.at(due, self._look, node)

    def _look(self, node: NodeId, _: object) -> None:
        if self.due[node] == self.world.kernel.now and self.draw[node]:
            self.settle(node)
            if self.total[node] >= self.initial:
                self._run_empty(node)
            else:
                self._foresee(node)

    def _run_empty(self, node: NodeId) -> None:
        if node not in self.empty:
            self.empty.add(node)
            self.world.kernel.at(self.world.kernel.now, self._die, node)

    def _die(self, node: NodeId, _: object) -> None:
        """An empty node is silent for good, after what it is just doing."""
        now = self.world.kernel.now
        self.world.row("energy", node, Extra(detail="empty"))
        faults.crash(self.world, node, tables.Crash(when=now / MICROSECONDS))

    # The trace

    def totals(self) -> list[Total]:
        """Rows of the kind energy: `message` says what for, `count` frames, `size` picojoules."""
        for node in range(len(self.total)):
            self.settle(node)
        return [
            (node, "energy", what, self.frames[what][node], spent, 0, 0)
            for what in KINDS
            for node, spent in enumerate(self.spent[what])
            if spent
        ]
