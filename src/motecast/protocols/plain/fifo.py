"""Per-publisher FIFO on any publish/subscribe layer: a number that comes too early waits for those before it.

What a node waits for must have been for it, or it waits in vain. Three things tell: the layer below says that a number
passed by (`Missing`); each event is stamped with the time of its publisher's previous one, and what was published
before this node subscribed is not missed; and what nobody settles within `patience` is given up, flagged by `gap`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta

from motecast.core import (
    Context,
    Event,
    EventId,
    Layer,
    Missing,
    NodeId,
    Notify,
    Publish,
    PubSub,
    Seek,
    Subscribe,
    Timer,
    Unsubscribe,
    asked,
    expired,
    state,
    told,
)
from motecast.parts.interests import SUBSCRIPTIONS, Interests
from motecast.parts.sequences import Sequence, Turn
from motecast.parts.spans import Span

STAMP = struct.Struct(">d")  # s; when the publisher's previous event was published


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
    limits = {"sequences": "publishers", "waiting": "capacity", "wanted": SUBSCRIPTIONS}

    patience: Annotated[float, Meta(gt=0)] = 5.0  # s; our guess: several times the delay of a flood
    capacity: Annotated[int, Meta(ge=1)] = 1024  # events; our guess. One more waiting gives the longest wait up
    publishers: Annotated[int, Meta(ge=1)] = 65_536  # publishers; our guess. The events of one more are dropped

    sequences: dict[NodeId, Sequence] = state(dict)
    waiting: dict[EventId, Notify] = state(dict)
    wanted: Interests = state(Interests)
    since: float = state(float)  # s; when this node began to want anything
    previous: float | None = state(lambda: None)  # s; when its own last event was published

    @asked(Subscribe)
    def subscribe(self, ctx: Context, subscribe: Subscribe) -> None:
        if not self.wanted:
            self.since = ctx.now
        self.wanted.add(subscribe.subscription)
        ctx.pass_on(subscribe)

    @asked(Unsubscribe)
    def unsubscribe(self, ctx: Context, unsubscribe: Unsubscribe) -> None:
        self.wanted.remove(unsubscribe.subscription)
        ctx.pass_on(unsubscribe)

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        event = publish.event
        if self.previous is not None and event.stamp is None:
            publish = Publish(msgspec.structs.replace(event, stamp=STAMP.pack(self.previous)))
        self.previous = event.when
        ctx.pass_on(publish)

    @told(Notify)
    def arrive(self, ctx: Context, notify: Notify) -> None:
        publisher, number = notify.event.id
        sequence = self.sequence_of(publisher)
        if sequence is None:
            ctx.note("drop", event=notify.event.id, detail="too many publishers")
        elif sequence.is_settled(number):
            self.refuse(ctx, notify, sequence)
        else:
            self.waiting[notify.event.id] = notify
            self.accept(ctx, notify.event, sequence)

    @told(Missing)
    def settle(self, ctx: Context, missing: Missing) -> None:
        sequence = self.sequence_of(missing.publisher)
        if sequence is None:
            return
        before = sequence.hole
        if missing.proven:
            first = missing.first if self.is_missing_earlier(missing.stamp) else sequence.expected
            self.deliver(ctx, missing.publisher, sequence.resolve(first, missing.last))
        else:
            self.lose(ctx, missing.publisher, sequence, missing.first, missing.last)
        self.wait(ctx, missing.publisher, sequence, before)

    @expired(GiveUp)
    def give_up(self, ctx: Context, timer: GiveUp) -> None:
        sequence = self.sequences.get(timer.publisher)
        if sequence is not None and sequence.waiting and sequence.expected == timer.number:
            self.skip(ctx, timer.publisher, sequence)

    def accept(self, ctx: Context, event: Event, sequence: Sequence) -> None:
        """An event that is new; one too many that wait ends the longest wait at once."""
        publisher, number = event.id
        before = sequence.hole
        self.deliver(ctx, publisher, sequence.offer(number))
        if number >= sequence.expected and not self.is_missing_earlier(event.stamp):
            self.deliver(ctx, publisher, sequence.resolve(sequence.expected, number - 1))
        self.wait(ctx, publisher, sequence, before)
        if len(self.waiting) > self.capacity:
            longest = next(iter(self.waiting)).publisher
            self.skip(ctx, longest, self.sequences[longest])

    def sequence_of(self, publisher: NodeId) -> Sequence | None:
        """This publisher's sequence, begun if there is room for one more."""
        sequence = self.sequences.get(publisher)
        if sequence is None and len(self.sequences) < self.publishers:
            sequence = self.sequences[publisher] = Sequence()
        return sequence

    def is_missing_earlier(self, stamp: bytes | None) -> bool:
        """False when all events before the stamped one were published before this node wanted anything."""
        if stamp is None or len(stamp) != STAMP.size:
            return True
        return not STAMP.unpack(stamp)[0] < self.since

    def refuse(self, ctx: Context, notify: Notify, sequence: Sequence) -> None:
        """What was given up comes too late to keep the order; everything else settled was here before."""
        if sequence.came_late(notify.event.id.number):
            ctx.note("drop", event=notify.event.id, detail="late")
        else:
            ctx.note("duplicate", event=notify.event.id)

    def wait(self, ctx: Context, publisher: NodeId, sequence: Sequence, before: Span | None) -> None:
        """Asks for the first hole if it is another one than before, and gives it up in a while."""
        hole = sequence.hole
        if hole is not None and (before is None or before[0] != hole[0]):
            ctx.down(Seek(publisher, *hole))
            ctx.set_timer(GiveUp(publisher, hole[0]), self.patience)

    def skip(self, ctx: Context, publisher: NodeId, sequence: Sequence) -> None:
        """Gives up what the first event that waits is waiting for."""
        before = sequence.hole
        assert before is not None, f"nothing of {publisher} waits"
        self.lose(ctx, publisher, sequence, *before)
        self.wait(ctx, publisher, sequence, before)

    def lose(self, ctx: Context, publisher: NodeId, sequence: Sequence, first: int, last: int) -> None:
        """These numbers will not come; the event behind them says so."""
        for low, high in sequence.holes(first, last):
            ctx.note("gap", publisher=publisher, first=low, last=high)
        self.deliver(ctx, publisher, sequence.lose(first, last))

    def deliver(self, ctx: Context, publisher: NodeId, turns: list[Turn]) -> None:
        """Tells the application, in order, what it still wants."""
        for turn in turns:
            notify = self.waiting.pop(EventId(publisher, turn.number))
            if not self.wanted.wants(notify.event):
                ctx.note("drop", event=notify.event.id, detail="no longer wanted")
            else:
                ctx.up(Notify(notify.event, notify.hops, gap=True) if turn.after_gap else notify)
