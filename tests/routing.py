"""A small routing layer and a broker on top of it: what the contract and the tests of signals hold two layers to.

The nodes of a line are numbered along it. A subscription stops at every node on its way to node 0 and is remembered
there with the node that it came from; an event goes to node 0, and from there back along what was remembered.
"""

from __future__ import annotations

from dataclasses import dataclass

from motecast.core import (
    Advertise,
    Arrived,
    Context,
    Continue,
    Event,
    Layer,
    Message,
    NodeId,
    Notify,
    Passing,
    Payload,
    Position,
    Publish,
    PubSub,
    Radio,
    Route,
    Routing,
    Seek,
    Stack,
    Subscribe,
    Subscription,
    Unsubscribe,
    asked,
    received,
    state,
    told,
)

FARTHEST = 64  # hops
KEPT = 256  # subscriptions


class Way(Message):
    """The header of a frame."""

    to: Position | NodeId
    hops: int


class Routed(Message):
    """A payload on its way."""

    carries = "payload"

    way: Way
    payload: Payload


@dataclass
class Line(Layer):
    """The neighbours of a node are the numbers beside its own; a point is at the node whose number is nearest to x."""

    above = Routing
    below = Radio

    @asked(Route)
    def route(self, ctx: Context, route: Route) -> None:
        self.go(ctx, Way(route.to, 0), route.payload, None)

    @asked(Continue)
    def go_on(self, ctx: Context, on: Continue) -> None:
        assert on.way is None or isinstance(on.way, Way), f"{on.way} is no header of ours"
        self.go(ctx, Way(on.to, 0 if on.way is None else on.way.hops), on.payload, None)

    @received(Routed)
    def hear(self, ctx: Context, sender: NodeId, frame: Routed) -> None:
        way, payload = frame.way, frame.payload
        if payload.stops and self.step(ctx.me, way.to):
            ctx.up(Passing(payload, way.to, way.hops, sender, way))
        else:
            self.go(ctx, way, payload, sender)

    def go(self, ctx: Context, way: Way, payload: Payload, sender: NodeId | None) -> None:
        step = self.step(ctx.me, way.to)
        if not step:
            ctx.up(Arrived(payload, way.to, way.hops, home=way.to != ctx.me, sender=sender))
        elif not 0 <= way.hops < FARTHEST:
            ctx.reject(f"{way.hops} hops")
        else:
            ctx.send(ctx.me + step, Routed(Way(way.to, way.hops + 1), payload))

    def step(self, me: NodeId, to: Position | NodeId) -> int:
        """In which direction it goes on; 0: not at all."""
        distance = (to if isinstance(to, int) else to[0]) - me
        return 1 if distance > 0.5 else -1 if distance <= -0.5 else 0


class Register(Message):
    """Somebody wants this."""

    stops = True

    subscription: Subscription


class Found(Message):
    """An event on its way to node 0."""

    carries = "event"

    event: Event


class Wanted(Message):
    """An event on its way back to a subscription."""

    carries = "event"

    event: Event
    subscription: int


@dataclass
class Broker(Layer):
    """Node 0 knows what everybody wants, and every node who is behind it."""

    above = PubSub
    below = Routing
    ignores = (Unsubscribe, Advertise, Seek)
    payloads = (Register, Found, Wanted)
    limits = {"paths": KEPT}

    paths: dict[int, tuple[Subscription, NodeId | None]] = state(dict)  # what is wanted, and who says so

    @asked(Subscribe)
    def subscribe(self, ctx: Context, subscribe: Subscribe) -> None:
        self.keep(ctx, subscribe.subscription, None)
        ctx.down(Route(0, Payload(Register(subscribe.subscription))))

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        ctx.down(Route(0, Payload(Found(publish.event))))

    @told(Passing)
    def stop(self, ctx: Context, passing: Passing) -> None:
        match passing.payload.message:
            case Register(subscription):
                self.keep(ctx, subscription, passing.sender)
                ctx.down(Continue(passing.to, Payload(Register(subscription)), passing.way))
            case other:
                ctx.reject(f"{type(other).__name__} does not stop")

    @told(Arrived)
    def arrive(self, ctx: Context, arrived: Arrived) -> None:
        match arrived.payload.message:
            case Register(subscription):
                self.keep(ctx, subscription, arrived.sender)
                ctx.note("registered", subscription=subscription.id, hops=arrived.hops)
            case Found(event):
                for number, (subscription, _) in self.paths.items():
                    if subscription.matches(event):
                        self.hand_back(ctx, Wanted(event, number))
            case Wanted() as wanted:
                self.hand_back(ctx, wanted)

    def keep(self, ctx: Context, subscription: Subscription, sender: NodeId | None) -> None:
        if subscription.id in self.paths:
            return
        if len(self.paths) < KEPT:
            self.paths[subscription.id] = (subscription, sender)
        else:
            ctx.reject("too many subscriptions")

    def hand_back(self, ctx: Context, wanted: Wanted) -> None:
        _, sender = self.paths.get(wanted.subscription, (None, ctx.me))
        if sender is None:
            ctx.up(Notify(wanted.event))
        elif sender != ctx.me:
            ctx.down(Route(sender, Payload(wanted)))


def brokered() -> Stack:
    """What scenarios of tests name."""
    return Stack(Broker(), Line())
