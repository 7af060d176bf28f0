"""Small layers, messages and services for the tests of the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from motecast.core import (
    Advertise,
    Arrived,
    Context,
    Continue,
    Event,
    EventId,
    Layer,
    Message,
    Missing,
    NodeId,
    Notify,
    Passing,
    Payload,
    Publish,
    PubSub,
    Radio,
    Route,
    Routing,
    Seek,
    Subscribe,
    Timer,
    Unsubscribe,
    asked,
    expired,
    received,
    started,
    state,
    told,
)


def event(number: int = 1, publisher: int = 7, topic: str = "a", **more: object) -> Event:
    """An event of publisher 7 on topic a."""
    return Event(EventId(publisher, number), (topic,), **more)


class Ping(Message):
    """Says a number."""

    number: int


class Carrier(Message):
    """Carries a payload on one hop."""

    carries = "payload"

    payload: Payload
    hops: int


class Copy(Message):
    """An event on its way as a payload."""

    carries = "event"

    event: Event


class Wake(Timer):
    """Time to ping."""

    number: int = 0


@dataclass
class Pinger(Layer):
    """Pings when it starts, at an alarm, and answers pings."""

    above = PubSub
    below = Radio
    ignores = (Advertise, Seek, Subscribe, Unsubscribe)

    pause: Annotated[float, Meta(ge=0, le=60)] = 1.0  # s; our guess
    heard: list[int] = state(list)

    @started
    def start(self, ctx: Context) -> None:
        ctx.set_timer(Wake(), self.pause)

    @expired(Wake)
    def wake(self, ctx: Context, timer: Wake) -> None:
        ctx.broadcast(Ping(timer.number))

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        ctx.up(Notify(publish.event, 0))

    @received(Ping)
    def answer(self, ctx: Context, sender: NodeId, ping: Ping) -> None:
        self.heard.append(ping.number)
        ctx.send(sender, Ping(ping.number + 1))


@dataclass
class Through(Layer):
    """Hands every signal on by itself; says who it is when it does."""

    above = PubSub
    below = PubSub

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        ctx.note("publish passes")
        ctx.pass_on(publish)

    @told(Notify)
    def notify(self, ctx: Context, notify: Notify) -> None:
        ctx.note("notify passes")
        ctx.pass_on(notify)


@dataclass
class Deaf(Layer):
    """A layer whose application hears nothing."""

    above = PubSub
    below = PubSub
    ignores = (Notify, Missing)


@dataclass
class Broker(Layer):
    """Events as payloads of a routing layer."""

    above = PubSub
    below = Routing
    ignores = (Subscribe, Unsubscribe, Advertise, Seek, Passing)
    payloads = (Copy,)

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        ctx.down(Route((1.0, 2.0), Payload(Copy(publish.event))))

    @told(Arrived)
    def arrive(self, ctx: Context, arrived: Arrived) -> None:
        assert isinstance(arrived.payload.message, Copy)
        ctx.up(Notify(arrived.payload.message.event, arrived.hops))


@dataclass
class OneHop(Layer):
    """The smallest routing layer: whoever hears it has arrived."""

    above = Routing
    below = Radio
    ignores = (Continue,)

    @asked(Route)
    def route(self, ctx: Context, route: Route) -> None:
        ctx.broadcast(Carrier(route.payload, 1))

    @received(Carrier)
    def hear(self, ctx: Context, sender: NodeId, carrier: Carrier) -> None:
        ctx.up(Arrived(carrier.payload, (0.0, 0.0), carrier.hops))
