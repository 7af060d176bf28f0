"""A radio with air time: one frame at a time, a short queue, link acknowledgement, collisions."""

from __future__ import annotations

from collections import deque
from collections.abc import Set
from typing import TYPE_CHECKING

from motecast.core import NodeId
from motecast.sim.medium import Latency, Medium, event_in
from motecast.trace.builder import MICROSECONDS, NONE, PORT, Extra
from motecast.trace.kinds import CODE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from motecast.core import Message
    from motecast.sim.context import SimContext
    from motecast.sim.links import Links
    from motecast.sim.world import World

NOBODY: frozenset[NodeId] = frozenset()
ACK = "Ack"
ACK_SIZE = 5  # bytes; an immediate acknowledgement of IEEE 802.15.4


class Transmission:
    """One frame on its way through the radio: its tries, and what became of them."""

    __slots__ = ("arrived", "bits", "collided", "ctx", "done", "message", "missed", "on_air", "size", "to", "tries")

    def __init__(self, ctx: SimContext, to: NodeId | None, message: Message, size: int) -> None:
        self.ctx = ctx
        self.to = to
        self.message = message
        self.size = size
        self.bits = size * 8 if message.bits is None else message.bits
        self.tries = 0
        self.on_air = False
        self.arrived = False  # handed up at the receiver: a retransmission is not handed up again
        self.done = False
        self.collided: Set[NodeId] = NOBODY
        self.missed: Set[NodeId] = NOBODY  # whose link went up or down while it was in the air


class Radio(Medium):
    """`rate` in bits a second (0: no air time), `queue` frames that wait while one is in the air."""

    def __init__(
        self,
        world: World,
        links: Links,
        latency: Latency,
        loss: float,
        *,
        rate: float,
        queue: int,
        retries: int | None,
        collisions: bool,
        backoff: float,
    ) -> None:
        super().__init__(world, links, latency, loss)
        self.rate = rate
        self.queue = queue
        self.retries = retries  # None: no link acknowledgement
        self.collisions = collisions
        self.backoff = round(backoff * MICROSECONDS)
        self.is_instant = not self.rate and not self.backoff  # only a frame that awaits its acknowledgement holds it up
        count = len(links)
        self.in_air: list[Transmission | None] = [None] * count
        self.waiting: list[deque[Transmission]] = [deque() for _ in range(count)]
        self.hearing: list[tuple[int, Transmission | None]] = [(0, None)] * count  # until when, and what
        self.acknowledgements = [0] * count
        self.is_watching = world.deployment.plan is not None  # a link that breaks under a frame is noticed

    def is_idle(self, node: NodeId) -> bool:
        return self.in_air[node] is None

    def is_clear(self, node: NodeId, peer: NodeId) -> bool:
        """Who speaks cannot listen."""
        return not self._is_speaking(peer)

    def broadcast(self, ctx: SimContext, message: Message) -> None:
        if self.is_instant and self.in_air[ctx.me] is None:
            super().broadcast(ctx, message)
        else:
            self.offer(Transmission(ctx, None, message, ctx.host.stack.codec.size(message)))

    def send(self, ctx: SimContext, to: NodeId, message: Message) -> None:
        if self.is_instant and self.in_air[ctx.me] is None and self.retries is None:
            super().send(ctx, to, message)
        else:
            self.offer(Transmission(ctx, to, message, ctx.host.stack.codec.size(message)))

    def offer(self, frame: Transmission) -> None:
        """Into the air if it is free, else into the queue, else away."""
        node = frame.ctx.me
        if self.in_air[node] is None:
            self.in_air[node] = frame
            self.begin(frame)
        elif len(self.waiting[node]) < self.queue:
            self.waiting[node].append(frame)
        else:
            self.drop(frame, "transmit queue full")

    def drop(self, frame: Transmission, why: str) -> None:
        """The frame never leaves; the layer learns it."""
        event = event_in(frame.message)
        extra = self.world.builder.extra(Extra(frame.to, type(frame.message).__name__, size=frame.size, detail=why))
        code = frame.ctx.place * PORT + CODE["drop"]
        self.world.builder.rows += (self.world.kernel.now, frame.ctx.me, code, *event, extra)
        self.left(frame.ctx, frame.to, frame.message, ok=False)

    def begin(self, frame: Transmission) -> None:
        """Waits a random while if neighbours would otherwise speak at once, then transmits."""
        if self.backoff:
            wait = int(self.rng.random() * self.backoff)
            self.world.kernel.at(self.world.kernel.now + wait, self._sense, frame)
        else:
            self.start(frame)

    def _sense(self, frame: Transmission, _: object) -> None:
        """Carrier sense: while a neighbour speaks, wait again."""
        node = frame.ctx.me
        if self.in_air[node] is not frame:
            return  # the node crashed meanwhile
        until, _heard = self.hearing[node]
        now = self.world.kernel.now
        if until > now:
            self.world.kernel.at(until + int(self.rng.random() * self.backoff), self._sense, frame)
        else:
            self.start(frame)

    def start(self, frame: Transmission) -> None:
        """The frame is in the air from now on."""
        ctx = frame.ctx
        frame.tries += 1
        frame.on_air = True
        if self.is_watching:
            frame.missed = NOBODY
        costs = ctx.tally(frame.message, frame.to is not None)
        if self.account is not None:
            self.account.sent(ctx.me, frame.message, frame.size, self.hearers[ctx.me], frame.to)
        if self.recording:
            self.record("broadcast" if frame.to is None else "send", ctx, frame.to, frame.message, costs)
        end = self.world.kernel.now + (round(frame.bits * MICROSECONDS / self.rate) if self.rate else 0)
        if self.collisions:
            self._collide(frame, end)
        self.world.kernel.at(end, self._ended, frame, frame.tries)
        self.launched(frame)

    def _collide(self, frame: Transmission, end: int) -> None:
        """Two frames that overlap at a receiver are both lost to it, and who speaks hears nothing."""
        now, frame.collided = self.world.kernel.now, NOBODY
        for node in self.hearers[frame.ctx.me]:
            until, other = self.hearing[node]
            if until > now and other is not None:
                other.collided |= {node}
                frame.collided |= {node}
            if self._is_speaking(node):
                frame.collided |= {node}
            if end >= until:
                self.hearing[node] = (end, frame)
        until, heard = self.hearing[frame.ctx.me]
        if until > now and heard is not None:
            heard.collided |= {frame.ctx.me}

    def _is_speaking(self, node: NodeId) -> bool:
        speaking = self.in_air[node]
        return speaking is not None and speaking.on_air

    def _ended(self, frame: Transmission, attempt: object) -> None:
        """The frame has left: those who heard it receive it, and the radio is free unless an acknowledgement is due."""
        ctx = frame.ctx
        if self.in_air[ctx.me] is not frame or attempt != frame.tries:
            return
        frame.on_air = False
        self.ended(frame)
        if self.account is not None:
            hearing = [node for node in self.hearers[ctx.me] if node not in frame.missed]
            self.account.heard(frame.message, frame.size, hearing, frame.to)
        hearers: Sequence[NodeId] = self.hearers[ctx.me]
        if frame.to is not None:
            hearers = (frame.to,) if self.reaches(ctx.me, frame.to) else ()
        if frame.collided or frame.missed:
            wrecked = frame.collided | frame.missed
            clean = [node for node in hearers if node not in wrecked]
            if self.recording and len(clean) < len(hearers):
                lost = [node for node in hearers if node in wrecked]
                self.record_arrivals(ctx, frame.message, lost, self.world.kernel.now, "lose")
            hearers = clean
        if frame.to is None or self.retries is None:
            self.transmit(ctx, frame.message, hearers)
            self.finish(frame, ok=not self.is_watching or frame.to is None or self.keeps(frame))
        else:
            self._await_acknowledgement(frame, hearers)
        if self.rate and not self._is_speaking(ctx.me):
            self.tell_cleared(ctx.me)

    def launched(self, frame: Transmission) -> None:
        """It is in the air."""

    def ended(self, frame: Transmission) -> None:
        """It is not in the air any more."""

    def keeps(self, frame: Transmission) -> bool:
        """True when the link to the addressee was there for as long as the frame was in the air."""
        return frame.to is not None and frame.to not in frame.missed and self.reaches(frame.ctx.me, frame.to)

    def tell_cleared(self, node: NodeId) -> None:
        """Who has spoken can listen again."""
        self.world.cleared(node)

    def link(self, node: NodeId, peer: NodeId, *, is_up: bool, is_cut: bool) -> None:
        """A frame that is in the air meanwhile is lost to who did not hear all of it."""
        super().link(node, peer, is_up=is_up, is_cut=is_cut)
        for one, other in ((node, peer), (peer, node)):
            frame = self.in_air[one]
            if frame is not None and frame.on_air:
                frame.missed |= {other}

    def _await_acknowledgement(self, frame: Transmission, hearers: Sequence[NodeId]) -> None:
        kernel = self.world.kernel
        tick = kernel.now + self.latency.draw(kernel.now, self.rng)
        heard = self.lucky(frame.ctx, frame.message, hearers, tick) if self.loss else hearers
        if heard:
            kernel.at(tick, self._heard, frame)
        kernel.at(tick + self.latency.longest + 1, self._unanswered, frame, frame.tries)

    def _heard(self, frame: Transmission, _: object) -> None:
        """At the receiver: hand it up once, and answer each time."""
        ctx, to = frame.ctx, frame.to
        assert to is not None
        if not self.world.hears[to]:
            return
        if not frame.arrived:
            frame.arrived = True
            if self.recording:
                self.record_arrivals(ctx, frame.message, (to,), self.world.kernel.now, "receive")
            self.world.kernel.enter(self.world.kernel.now, ctx.reach[type(frame.message)], (to,), ctx.me, frame.message)
        self._acknowledge(to, ctx.me)
        if self.reaches(to, ctx.me) and (not self.loss or self.rng.random() >= self.loss):
            kernel = self.world.kernel
            kernel.at(kernel.now + self.latency.draw(kernel.now, self.rng), self._answered, frame)

    def _acknowledge(self, node: NodeId, to: NodeId) -> None:
        """One short frame of the link's own."""
        self.acknowledgements[node] += 1
        if self.account is not None and self.account.counts_control:
            self.account.pay(node, "transmit", ACK_SIZE * 8, (to,))
            self.account.pay(to, "receive", ACK_SIZE * 8)
        if self.recording:
            world = self.world
            extra = world.builder.extra(Extra(to, ACK, size=ACK_SIZE, payload=0, metadata=0))
            world.builder.rows += (world.kernel.now, node, world.place * PORT + CODE["send"], NONE, NONE, extra)

    def totals(self) -> list[tuple[int, str, str, int, int, int, int]]:
        acknowledged = [
            (node, "send", ACK, count, count * ACK_SIZE, 0, 0)
            for node, count in enumerate(self.acknowledgements)
            if count
        ]
        return acknowledged + super().totals()

    def _answered(self, frame: Transmission, _: object) -> None:
        if not frame.done:
            self.finish(frame, ok=True)

    def _unanswered(self, frame: Transmission, attempt: int) -> None:
        assert self.retries is not None
        if frame.done or attempt != frame.tries or self.in_air[frame.ctx.me] is not frame:
            return
        if frame.tries <= self.retries:
            self.begin(frame)
        else:
            self.finish(frame, ok=False)

    def finish(self, frame: Transmission, *, ok: bool) -> None:
        """The radio is free for the next frame, and the layer learns what became of this one."""
        node = frame.ctx.me
        frame.done = True
        if self.in_air[node] is not frame:
            return
        self.in_air[node] = None
        if self.waiting[node]:
            self.offer(self.waiting[node].popleft())
        self.left(frame.ctx, frame.to, frame.message, ok=ok)

    def silence(self, node: NodeId) -> None:
        self.in_air[node] = None
        self.waiting[node].clear()
