"""Who hears whom, when, and whether: the medium without air time. `radio.py` adds what air time brings."""

from __future__ import annotations

from bisect import bisect_left
from random import Random
from typing import TYPE_CHECKING

from motecast.core import EventId, events_of
from motecast.sim.energy import Account
from motecast.trace.builder import NONE, PORT, Extra
from motecast.trace.kinds import CODE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from motecast.core import Message, NodeId
    from motecast.sim.context import SimContext
    from motecast.sim.links import Links
    from motecast.sim.world import World
    from motecast.trace.scribe import Costs


FEW = 16  # hearers; among these a search is as fast as a set


class Latency:
    """Microseconds from the end of a transmission to its reception: fixed, drawn from a range, or to the next round."""

    __slots__ = ("low", "slot", "span")

    def __init__(self, low: int, high: int, slot: int = 1) -> None:
        self.low = low
        self.span = (high - low) // slot + 1
        self.slot = slot

    def draw(self, now: int, rng: Random) -> int:
        """One latency."""
        return self.low + self.slot * int(rng.random() * self.span) if self.span > 1 else self.low

    @property
    def longest(self) -> int:
        """No latency is longer."""
        return self.low + self.slot * (self.span - 1)


class Rounds(Latency):
    """Whatever is sent in a round arrives just before the next one begins, so that a round acts on all of the last."""

    __slots__ = ()

    def draw(self, now: int, rng: Random) -> int:
        return self.low - now % self.low - 1 or self.low


class Medium:
    """Frames of zero air time over given links. `hearers[n]` is who hears n now."""

    def __init__(self, world: World, links: Links, latency: Latency, loss: float, duplicate: float = 0.0) -> None:
        self.world = world
        self.links = links  # as deployed, or where nodes move as they are now
        self.hearers = links  # as they are now: across no partition
        self.latency = latency
        self.loss = loss
        self.duplicate = duplicate  # a frame arrives twice
        self.rng = Random(f"{world.seed}/medium")
        energy = world.deployment.scenario.energy
        self.account = None if energy is None else Account(world, energy)
        self.recording = world.builder.level == "full"
        self._sets: dict[NodeId, frozenset[NodeId]] = {}
        self._recorded: tuple[Message | None, int, EventId | tuple[int, int]] = (None, 0, (NONE, NONE))  # the last one
        self._extras: dict[tuple[object, ...], int] = {}  # columns that many rows share are kept once

    def is_idle(self, node: NodeId) -> bool:
        """A frame without air time leaves at once."""
        return True

    def is_clear(self, node: NodeId, peer: NodeId) -> bool:
        """Nobody is ever busy listening."""
        return True

    def broadcast(self, ctx: SimContext, message: Message) -> None:
        """One transmission to all who hear this node."""
        costs = ctx.tally(message, 0)
        if self.account is not None:
            self.charge(ctx.me, None, message, costs[0])
        if self.recording:
            self.record("broadcast", ctx, None, message, costs)
        self.transmit(ctx, message, self.hearers[ctx.me])
        self.left(ctx, None, message)

    def send(self, ctx: SimContext, to: NodeId, message: Message) -> None:
        """One transmission to one peer."""
        costs = ctx.tally(message, 1)
        if self.account is not None:
            self.charge(ctx.me, to, message, costs[0])
        if self.recording:
            self.record("send", ctx, to, message, costs)
        self.transmit(ctx, message, (to,) if self.reaches(ctx.me, to) else ())
        self.left(ctx, to, message)

    def charge(self, node: NodeId, to: NodeId | None, message: Message, size: int) -> None:
        """The energy of a frame that takes no air time: who sends it pays, and who hears it."""
        assert self.account is not None
        hearers = self.hearers[node]
        self.account.sent(node, message, size, hearers, to)
        self.account.heard(message, size, hearers, to)

    def reaches(self, node: NodeId, to: NodeId) -> bool:
        """True when `to` hears `node` now."""
        hearers = self.hearers[node]
        if type(hearers) is not tuple or len(hearers) < FEW:
            return to in hearers
        known = self._sets.get(node)
        if known is None:
            known = self._sets[node] = frozenset(hearers)
        return to in known

    def rewire(self, hearers: Links) -> None:
        """From now on these hear each other."""
        self.hearers = hearers
        self._sets.clear()

    def link(self, node: NodeId, peer: NodeId, *, is_up: bool, is_cut: bool) -> None:
        """From now on these two hear each other, or do not; a partition between them outlasts that."""
        change = _with if is_up else _without
        rows = [self.links] if self.hearers is self.links or is_cut else [self.links, self.hearers]
        for hearers in rows:
            assert isinstance(hearers, list), "links that change are in lists"
            hearers[node], hearers[peer] = change(hearers[node], peer), change(hearers[peer], node)
        for one in (node, peer):
            self._sets.pop(one, None)

    def transmit(self, ctx: SimContext, message: Message, hearers: Sequence[NodeId]) -> None:
        """Puts the frame into the ears of those who are not unlucky."""
        kernel = self.world.kernel
        tick = kernel.now + self.latency.draw(kernel.now, self.rng)
        if self.loss:
            hearers = self.lucky(ctx, message, hearers, tick)
        if self.duplicate:
            hearers = [node for node in hearers for _ in range(1 + (self.rng.random() < self.duplicate))]
        if self.recording:
            self.record_arrivals(ctx, message, hearers, tick, "receive")
        if hearers:
            kernel.enter(tick, ctx.reach[type(message)], hearers, ctx.me, message)

    def lucky(self, ctx: SimContext, message: Message, hearers: Sequence[NodeId], tick: int) -> Sequence[NodeId]:
        """Those of the hearers whom no loss hits."""
        draw, loss = self.rng.random, self.loss
        lucky = [node for node in hearers if draw() >= loss]
        if self.recording and len(lucky) < len(hearers):
            self.record_arrivals(ctx, message, sorted(set(hearers) - set(lucky)), tick, "lose")
        return lucky

    def refuse(self, ctx: SimContext, to: NodeId | None, message: Message, why: str) -> None:
        """The frame never leaves; the layer learns it."""
        extra = self.world.builder.extra(Extra(to, type(message).__name__, detail=why))
        code = ctx.place * PORT + CODE["drop"]
        self.world.builder.rows += (self.world.kernel.now, ctx.me, code, *event_in(message), extra)
        self.left(ctx, to, message, ok=False)

    def left(self, ctx: SimContext, to: NodeId | None, message: Message, *, ok: bool = True) -> None:
        """Tells the layer, if it wants to know, that the frame has left; at the end of this tick's work so far."""
        if ctx.host.listens[ctx.port].get(type(message)) is not None:
            self.world.kernel.at(self.world.kernel.now, self._tell_sent, ctx, (to, message, ok))

    def _tell_sent(self, ctx: SimContext, facts: tuple[NodeId | None, Message, bool]) -> None:
        handler = ctx.host.listens[ctx.port][type(facts[1])]
        if ctx.me in self.world.asleep:
            self.world.later(ctx.me, self._tell_sent, ctx, facts)
        elif handler is not None and ctx.me not in self.world.down:
            handler(ctx.node.layers[ctx.port], ctx, *facts)

    def silence(self, node: NodeId) -> None:
        """The node is down: nothing of it is in the air or waits any more."""

    def totals(self) -> list[tuple[int, str, str, int, int, int, int]]:
        """What the medium itself transmitted, acknowledgements, and the energy of all."""
        return [] if self.account is None else self.account.totals()

    # Rows of the level `full`

    def record(self, kind: str, ctx: SimContext, to: NodeId | None, message: Message, costs: Costs) -> None:
        """A row for a transmission."""
        key = (to, type(message), costs)
        extra = self._extras.get(key)
        if extra is None:
            extra = self._extras[key] = self.world.builder.extra(Extra(to, type(message).__name__, None, None, *costs))
        publisher, number = event = event_in(message)
        self._recorded = (message, costs[0], event)
        rows = self.world.builder.rows
        rows += (self.world.kernel.now, ctx.me, ctx.place * PORT + CODE[kind], publisher, number, extra)

    def record_arrivals(
        self, ctx: SimContext, message: Message, hearers: Sequence[NodeId], tick: int, kind: str
    ) -> None:
        """Enters the writing of a row for each hearer, just before the frame arrives."""
        if not hearers:
            return
        known, size, event = self._recorded
        if known is not message:
            size, event = ctx.host.stack.codec.size(message), event_in(message)
        key = (ctx.me, type(message), size)
        extra = self._extras.get(key)
        if extra is None:
            extra = self._extras[key] = self.world.builder.extra(Extra(ctx.me, type(message).__name__, size=size))
        publisher, number = event
        facts = (ctx.place * PORT + CODE[kind], publisher, number, extra)
        self.world.kernel.at(tick, self._write_arrivals, hearers, facts)

    def _write_arrivals(self, hearers: Sequence[NodeId], facts: tuple[int, int, int, int]) -> None:
        now, rows, hears = self.world.kernel.now, self.world.builder.rows, self.world.hears
        code, publisher, number, extra = facts
        for node in hearers:
            if hears[node]:
                rows += (now, node, code, publisher, number, extra)


def _with(peers: Sequence[NodeId], peer: NodeId) -> tuple[NodeId, ...]:
    """A new tuple: frames on their way hold the old one."""
    place = bisect_left(peers, peer)
    assert place == len(peers) or peers[place] != peer, f"{peer=} is in {peers} already"
    return (*peers[:place], peer, *peers[place:])


def _without(peers: Sequence[NodeId], peer: NodeId) -> tuple[NodeId, ...]:
    place = bisect_left(peers, peer)
    assert peers[place : place + 1] == (peer,), f"{peer=} is not in {peers}"
    return (*peers[:place], *peers[place + 1 :])


def event_in(message: Message) -> EventId | tuple[int, int]:
    """The id of the one event that a message carries; for none or several there is no id."""
    if message.carries is None:
        return (NONE, NONE)
    events = events_of(message)
    return events[0].id if len(events) == 1 else (NONE, NONE)
