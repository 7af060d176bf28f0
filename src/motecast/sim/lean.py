"""A radio whose frames are heard when they have left: without latency, acknowledgement, collisions and carrier sense.

The same as `radio.py` would do, in one entry of the calendar a frame instead of three: protocols that send one frame
after the other, hundreds of thousands in a run, spend most of their time here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from motecast.core import run_errands
from motecast.sim.kernel import hearing
from motecast.sim.radio import Radio, Transmission
from motecast.trace.builder import MICROSECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from motecast.core import Message, NodeId
    from motecast.sim.context import SimContext

    Costs = tuple[int, int, int]  # bytes, payload, metadata


class Lean(Radio):
    """Frames reach their receivers, and senders learn it, before anything else happens at that tick."""

    def broadcast(self, ctx: SimContext, message: Message) -> None:
        self._transmit(ctx, None, message)

    def send(self, ctx: SimContext, to: NodeId, message: Message) -> None:
        self._transmit(ctx, to, message)

    def _transmit(self, ctx: SimContext, to: NodeId | None, message: Message) -> None:
        if self.in_air[ctx.me] is None:
            costs = ctx.tally(message, to is not None)
            frame = self.in_air[ctx.me] = Transmission(ctx, to, message, costs[0])
            self._fly(frame, costs)
        else:
            self.offer(Transmission(ctx, to, message, ctx.host.stack.codec.size(message)))

    def begin(self, frame: Transmission) -> None:
        self._fly(frame, frame.ctx.tally(frame.message, frame.to is not None))

    def _fly(self, frame: Transmission, costs: Costs) -> None:
        ctx, to = frame.ctx, frame.to
        frame.on_air = True
        if self.account is not None:
            self.account.sent(ctx.me, frame.message, frame.size, self.hearers[ctx.me], to)
        if self.recording:
            self.record("broadcast" if to is None else "send", ctx, to, frame.message, costs)
        kernel = self.world.kernel
        kernel.enter(kernel.now + round(frame.bits * MICROSECONDS / self.rate), self.arrive, None, frame, None)
        self.launched(frame)

    def arrive(self, frame: Transmission, _: object) -> None:
        """The radio is free for the next frame, then those who heard this one receive it, then its sender learns it."""
        ctx, to, message = frame.ctx, frame.to, frame.message
        me = ctx.me
        if self.in_air[me] is not frame:
            return  # the node crashed meanwhile
        frame.on_air = False
        self.ended(frame)
        hearers: Sequence[NodeId] = self.hearers[me]
        if self.account is not None:
            clean = hearers if not frame.missed else [node for node in hearers if node not in frame.missed]
            self.account.heard(message, frame.size, clean, to)
        if to is not None:
            hearers = (to,) if self.reaches(me, to) else ()
        if frame.missed:
            hearers = self._without_missed(frame, hearers)
        is_heard = to is None or not self.is_watching or len(hearers) > 0
        if self.loss:
            hearers = self.lucky(ctx, message, hearers, self.world.kernel.now)
        if self.recording:
            self.record_arrivals(ctx, message, hearers, self.world.kernel.now, "receive")
        self.in_air[me] = None
        if self.waiting[me]:
            self.offer(self.waiting[me].popleft())
        if self.in_air[me] is None:
            self.tell_cleared(me)
        if hearers:
            self._receive(ctx, message, hearers)
        if ctx.host.listens[ctx.port].get(type(message)) is not None:
            self._tell_sent(ctx, (to, message, is_heard))

    def _without_missed(self, frame: Transmission, hearers: Sequence[NodeId]) -> list[NodeId]:
        clean = [node for node in hearers if node not in frame.missed]
        if self.recording and len(clean) < len(hearers):
            lost = [node for node in hearers if node in frame.missed]
            self.record_arrivals(frame.ctx, frame.message, lost, self.world.kernel.now, "lose")
        return clean

    def _receive(self, ctx: SimContext, message: Message, hearers: Sequence[NodeId]) -> None:
        """What the kernel does with an entry that has receivers."""
        reception = ctx.reach[type(message)]
        handler, layers, contexts, deaf = reception
        errands = self.world.kernel.errands
        if errands:
            run_errands(errands)
        if deaf:
            hearers = hearing(reception, hearers, ctx.me, message)
        for node in hearers:
            handler(layers[node], contexts[node], ctx.me, message)
            if errands:
                run_errands(errands)
