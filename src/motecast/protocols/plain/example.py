"""The template: gossip by chance [Haas, Halpern, Li: Gossip-Based Ad Hoc Routing, 2006, GOSSIP1(p)].

Copy this file as my_protocol.py, call its last function my_stack, and run it (docs/howto/write-a-protocol.md):

    motecast sim my_field.toml --set stack=my_protocol:my_stack

A node passes a new event on with probability p, after a short random wait so that neighbours do not all speak at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from motecast.core import (
    Advertise,
    Context,
    Event,
    EventId,
    Layer,
    Message,
    NodeId,
    Notify,
    Publish,
    PubSub,
    Radio,
    Seek,
    Stack,
    Subscribe,
    Timer,
    Unsubscribe,
    asked,
    expired,
    received,
    state,
)
from motecast.parts.interests import SUBSCRIPTIONS, Interests
from motecast.parts.recent import Recent

REMEMBERED = 4096  # events whose copies are recognised; our guess: more than are on their way at once

# 1. Messages: what a layer says to the same layer of a neighbour. Frozen, numbers and strings and events only.


class Rumour(Message):
    """An event and the transmissions it took, this one included."""

    carries = "event"

    event: Event
    hops: int


# 2. Timers: alarms as values. Equal timers are one alarm.


class PassOn(Timer):
    """Now is the time to pass this event on."""

    event: Event
    hops: int


# 3. The layer: parameters, state, one handler a happening.


@dataclass
class Gossip(Layer):
    """Every node passes a new event on with probability p."""

    above = PubSub  # what it offers: Publish comes in from above, Notify goes up
    below = Radio  # what it stands on: send and broadcast, one hop
    ignores = (Advertise, Seek)  # signals that it has no use for, said aloud
    promises = ("integrity", "only-subscribed", "silence-of-the-dead", "bytes-conserved")
    limits = {"seen": REMEMBERED, "interests": SUBSCRIPTIONS}  # state fields and how long they may become

    p: Annotated[float, Meta(ge=0, le=1)] = 0.7  # probability; §3: 0.6 to 0.8 reaches almost everyone
    wait: Annotated[float, Meta(ge=0)] = 0.02  # s; our guess: a few frames long

    seen: Recent[EventId] = state(lambda: Recent(REMEMBERED))
    interests: Interests = state(Interests)

    @asked(Subscribe)
    def subscribe(self, ctx: Context, subscribe: Subscribe) -> None:
        if not self.interests.add(subscribe.subscription):
            ctx.note("refused", subscription=subscribe.subscription.id)

    @asked(Unsubscribe)
    def unsubscribe(self, ctx: Context, unsubscribe: Unsubscribe) -> None:
        self.interests.remove(unsubscribe.subscription)

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        self.deliver(ctx, publish.event, hops=0)
        ctx.broadcast(Rumour(publish.event, 1))  # the publisher always speaks: p is for those who relay

    @received(Rumour)
    def hear(self, ctx: Context, sender: NodeId, rumour: Rumour) -> None:
        if rumour.event.id in self.seen:
            ctx.note("duplicate", event=rumour.event.id)
            return
        self.deliver(ctx, rumour.event, rumour.hops)
        if ctx.rng.random() < self.p:
            ctx.set_timer(PassOn(rumour.event, rumour.hops + 1), ctx.rng.uniform(0.0, self.wait))

    @expired(PassOn)
    def pass_on(self, ctx: Context, timer: PassOn) -> None:
        ctx.broadcast(Rumour(timer.event, timer.hops))

    def deliver(self, ctx: Context, event: Event, hops: int) -> None:
        """Remember it, and tell the application if it is wanted."""
        self.seen.add(event.id)
        if self.interests.wants(event):
            ctx.up(Notify(event, hops))


# 4. The stack: what a scenario names. Parameters have defaults and appear in `motecast stacks`.


def gossip(*, p: float = 0.7, wait: float = 0.02) -> Stack:
    """Gossip by chance: the template for a protocol of your own."""
    return Stack(Gossip(p=p, wait=wait))
