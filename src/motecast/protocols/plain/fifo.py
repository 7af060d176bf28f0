"""Per-publisher FIFO on any publish/subscribe layer: a number that comes too early waits for those before it.

A missing number may not have been for this node: then the layer below says so (`Missing`), where it knows. `Seek` asks
for the others; what nobody settles within `patience` is given up, and the event behind the hole carries `gap`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from motecast.core import (
    Context,
    Layer,
    Missing,
    NodeId,
    Notify,
    PubSub,
    Seek,
    Timer,
    expired,
    state,
    told,
)
from motecast.parts.sequences import Sequence


class GiveUp(Timer):
    """Events of this publisher have waited long enough for `number`."""

    publisher: NodeId
    number: int


@dataclass
class Fifo(Layer):
    """Events of one publisher are delivered in the order in which it published them."""

    above = PubSub
    below = PubSub
    promises = ("fifo",)
    limits = {"sequences": "publishers"}

    patience: Annotated[float, Meta(gt=0)] = 5.0  # s; our guess: several times the delay of a flood
    capacity: Annotated[int, Meta(ge=1)] = 1024  # events held a publisher; one more gives the oldest hole up
    publishers: Annotated[int, Meta(ge=1)] = 4096  # publishers remembered; one more forgets the longest silent one

    sequences: dict[NodeId, Sequence[Notify]] = state(dict)

    @told(Notify)
    def arrive(self, ctx: Context, notify: Notify) -> None:
        publisher, number = notify.event.id
        sequence = self.sequences.setdefault(publisher, Sequence())
        if sequence.is_settled(number):
            self.refuse(ctx, notify, sequence)
            return
        ready = sequence.offer(number, notify)
        if not ready:
            self.wait(ctx, publisher, sequence)
        self.release(ctx, ready)

    @told(Missing)
    def settle(self, ctx: Context, missing: Missing) -> None:
        sequence = self.sequences.setdefault(missing.publisher, Sequence())
        if missing.proven:
            self.release(ctx, sequence.resolve(missing.first, missing.last))

    @expired(GiveUp)
    def give_up(self, ctx: Context, timer: GiveUp) -> None:
        sequence = self.sequences[timer.publisher]
        if sequence.expected == timer.number:
            self.skip(ctx, timer.publisher, sequence)
        if sequence.held:
            ctx.set_timer(GiveUp(timer.publisher, sequence.expected), self.patience)

    def refuse(self, ctx: Context, notify: Notify, sequence: Sequence[Notify]) -> None:
        """A number that was released is a duplicate; one that was given up comes too late to keep the order."""
        ctx.note("duplicate", event=notify.event.id)

    def wait(self, ctx: Context, publisher: NodeId, sequence: Sequence[Notify]) -> None:
        """Asks for the hole, and gives it up in a while."""
        if len(sequence.held) > self.capacity:
            self.skip(ctx, publisher, sequence)
        elif len(sequence.held) == 1:
            ctx.down(Seek(publisher, sequence.expected, min(sequence.held) - 1))
            ctx.set_timer(GiveUp(publisher, sequence.expected), self.patience)

    def skip(self, ctx: Context, publisher: NodeId, sequence: Sequence[Notify]) -> None:
        """Jumps over the oldest hole; the event behind it says so."""
        lost, ready = sequence.give_up()
        ctx.note("gap", publisher=publisher, first=lost.start, last=lost.stop - 1)
        first, *others = ready
        ctx.up(Notify(first.event, first.hops, gap=True))
        self.release(ctx, others)

    def release(self, ctx: Context, ready: list[Notify]) -> None:
        """Delivers in order."""
        for notify in ready:
            ctx.up(notify)
