"""Stacks that break one promise each, for the oracles to catch: named in scenarios as `tests.check.broken:twice`."""

from __future__ import annotations

from dataclasses import dataclass

from motecast.core import (
    Context,
    Event,
    EventId,
    Layer,
    NodeId,
    Notify,
    Publish,
    PubSub,
    Stack,
    Timer,
    asked,
    expired,
    received,
    state,
    told,
)
from motecast.protocols.plain import Fifo, Flood
from motecast.protocols.plain.flood import Flooded


@dataclass
class Twice(Flood):
    """Delivers every event twice."""

    def accept(self, ctx: Context, event: Event, hops: int) -> None:
        super().accept(ctx, event, hops)
        if self.interests.wants(event):
            ctx.up(Notify(event, hops))


@dataclass
class Inventor(Flood):
    """Delivers, beside each event, one that nobody published."""

    def accept(self, ctx: Context, event: Event, hops: int) -> None:
        super().accept(ctx, event, hops)
        invented = Event(EventId(event.id.publisher, 1000 + event.id.number), event.topics, event.attributes)
        ctx.up(Notify(invented, hops))


@dataclass
class Careless(Flood):
    """Asks nobody whether the event is wanted."""

    def accept(self, ctx: Context, event: Event, hops: int) -> None:
        self.seen.add(event.id)
        ctx.up(Notify(event, hops))
        ctx.broadcast(Flooded(event, hops + 1))


@dataclass
class Shy(Flood):
    """A publisher sends its event and keeps it from its own application."""

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        self.seen.add(publish.event.id)
        ctx.broadcast(Flooded(publish.event, 1))


@dataclass
class Hermits(Flood):
    """Nodes with odd numbers take no frame."""

    @received(Flooded)
    def relay(self, ctx: Context, sender: NodeId, copy: Flooded) -> None:
        if ctx.me % 2 == 0:
            super().relay(ctx, sender, copy)


@dataclass
class Hasty(Fifo):
    """FIFO with its order test disabled."""

    @told(Notify)
    def arrive(self, ctx: Context, notify: Notify) -> None:
        ctx.up(notify)


@dataclass
class Liar(Layer):
    """Turns every four events around, and says of each that something before it is missing."""

    above = PubSub
    below = PubSub

    held: list[Notify] = state(list)

    @told(Notify)
    def turn_around(self, ctx: Context, notify: Notify) -> None:
        self.held.append(notify)
        if len(self.held) == 4:
            for held in reversed(self.held):
                ctx.up(Notify(held.event, held.hops, gap=True))
            self.held.clear()


@dataclass
class Hoarder(Flood):
    """Promises to hold eight events and keeps every one."""

    limits = {"kept": 8}

    kept: list[Event] = state(list)

    def accept(self, ctx: Context, event: Event, hops: int) -> None:
        self.kept.append(event)
        super().accept(ctx, event, hops)


def twice() -> Stack:
    return Stack(Twice())


def inventor() -> Stack:
    return Stack(Inventor())


def careless() -> Stack:
    return Stack(Careless())


def shy() -> Stack:
    return Stack(Shy())


def hermits() -> Stack:
    return Stack(Hermits())


def hasty() -> Stack:
    return Stack(Hasty(), Flood())


def liar() -> Stack:
    return Stack(Liar(), Flood())


class Later(Timer):
    """The burst is over."""


@dataclass
class Bursting(Flood):
    """Promises to hold eight things and holds a thousand, for half a second after it has published."""

    limits = {"kept": 8}

    kept: list[int] = state(list)

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        self.kept.extend(range(1000))
        ctx.set_timer(Later(), 0.5)
        super().publish(ctx, publish)

    @expired(Later)
    def forget(self, ctx: Context, timer: Later) -> None:
        self.kept.clear()


def bursting() -> Stack:
    return Stack(Bursting())


def hoarder() -> Stack:
    return Stack(Hoarder())
