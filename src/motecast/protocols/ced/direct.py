"""DG, direct gathering [Liu et al. 2009, §5]: the paper's baseline, of which it says two sentences.

Events are kept at their source, 'only allow[ing] delivery when interested subscribers are in direct proximity to a
sensor node'. Differences, and two readings of what is left open: docs/protocols/direct.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from motecast.core import (
    Advertise,
    Context,
    Event,
    EventId,
    Layer,
    NodeId,
    Notify,
    Publish,
    PubSub,
    Radio,
    Seek,
    Subscribe,
    Subscription,
    Timer,
    Unsubscribe,
    asked,
    cleared,
    expired,
    moved,
    received,
    sent,
    started,
    state,
    unlinked,
)
from motecast.parts.interests import SUBSCRIPTIONS, Interests
from motecast.parts.lines import Entry, Line
from motecast.parts.policies import CedQueue, DropTail
from motecast.parts.queues import EventQueue, Record
from motecast.parts.recent import Recent
from motecast.protocols.ced.messages import EventCopy, Hello, HelloReply, Serve
from motecast.protocols.ced.walk import PROFILE, REMEMBERED, Walk, interests_of, is_over, is_time

OLDEST_FIRST = DropTail()
REPLIES = 0.15  # s; a Hello and its answers take 50 ms each, and all answers come at once


# Timers


class Greet(Timer):
    """A subscription is new, so sensors in reach should know of it."""


class Choose(Timer):
    """The sensors that heard the Hello have answered."""


class Expire(Timer):
    """The oldest event is too old."""


# What a sensor keeps


class Kept(Record):
    """An event of its own, and which subscribers have had it."""

    __slots__ = ("given",)

    def __init__(self, event: Event, born: float) -> None:
        super().__init__(event, born)
        self.given: set[NodeId] = set()


class Visitor:
    """A subscriber that has passed: what it wants, what waits for it, and until when it is here."""

    __slots__ = ("line", "profile", "until", "wants")

    def __init__(self, profile: tuple[Subscription, ...], wants: Interests) -> None:
        self.profile = profile
        self.wants = wants
        self.line: Line[Kept] = Line()
        self.until = 0.0  # s


@dataclass
class Direct(Layer):
    """A sensor keeps its events and hands them to subscribers that pass; a subscriber says when it comes."""

    above = PubSub
    below = Radio
    ignores = (Advertise, Seek)
    promises = ("integrity", "only-subscribed", "silence-of-the-dead", "bytes-conserved")
    limits = {
        "kept": "queue.capacity",
        "visitors": "subscribers",
        "interests": SUBSCRIPTIONS,
        "had": REMEMBERED,
        "answers": "sensors",
    }

    queue: DropTail | CedQueue = OLDEST_FIRST  # a policy; Table 1's size and age, the order is ours
    memory: Literal["pairs", "none"] = "pairs"  # a word; our guess: none sends an event again and again, see the page
    served: Literal["all", "one"] = "all"  # sensors that serve a subscriber in a cell; our guess, see the page
    subscribers: Annotated[int, Meta(ge=1)] = 256  # subscribers; our guess. Beyond, who came first is forgotten
    sensors: Annotated[int, Meta(ge=1)] = 256  # sensors; our guess. So many answers to a Hello are looked at

    kept: EventQueue[Kept] = state(EventQueue)
    visitors: dict[NodeId, Visitor] = state(dict)
    flying: Kept | None = state(lambda: None)  # one at a time: `sent` says which
    since: float = state(float)  # s; when it left
    latest: float = state(float)  # s; nobody is here any longer then
    interests: Interests = state(Interests)
    had: Recent[EventId] = state(lambda: Recent(REMEMBERED))
    walk: Walk = state(Walk)
    answers: dict[NodeId, None] = state(dict)

    # Everybody

    @started
    def start(self, ctx: Context) -> None:
        """Whatever was in the air before a crash will not be reported."""
        self.flying = None
        self.watch_age(ctx)

    # Subscribers

    @asked(Subscribe)
    def subscribe(self, ctx: Context, subscribe: Subscribe) -> None:
        if not self.interests.add(subscribe.subscription):
            ctx.note("refused", subscription=subscribe.subscription.id)
        ctx.set_timer(Greet(), 0.0)

    @asked(Unsubscribe)
    def unsubscribe(self, ctx: Context, unsubscribe: Unsubscribe) -> None:
        self.interests.remove(unsubscribe.subscription)

    @expired(Greet)
    def introduce(self, ctx: Context, timer: Greet) -> None:
        self.greet(ctx)

    @moved
    def greet(self, ctx: Context) -> None:
        """'If the subscriber, while moving, comes within one grid, it will broadcast Hello messages' (§4.1a)."""
        rest = self.walk.rest(ctx) if self.interests else ()
        if not rest:
            return
        self.answers.clear()
        ctx.broadcast(Hello(ctx.me, rest[0].cell, rest[0].leaves, self.profile()))
        if self.served == "one":
            ctx.set_timer(Choose(), REPLIES)

    @received(HelloReply)
    def count_answer(self, ctx: Context, sender: NodeId, reply: HelloReply) -> None:
        if len(self.answers) < self.sensors:
            self.answers[sender] = None

    @expired(Choose)
    def choose_sensor(self, ctx: Context, timer: Choose) -> None:
        rest = self.walk.rest(ctx)
        if rest and self.answers:
            ctx.send(ctx.rng.choice(sorted(self.answers)), Serve(rest[0].leaves, self.profile()))

    @received(EventCopy)
    def take(self, ctx: Context, sender: NodeId, copy: EventCopy) -> None:
        """'Once a mobile subscriber node receives an event, it operates matching … immediately' (§4.1)."""
        event = copy.event
        if event.id in self.had:
            ctx.note("duplicate", event=event.id)
        elif is_over(event, ctx.now):
            ctx.note("drop", event=event.id, detail="expired")
        elif self.interests.wants(event):
            self.had.add(event.id)
            ctx.up(Notify(event, hops=1))

    # Sensors

    @asked(Publish)
    def keep(self, ctx: Context, publish: Publish) -> None:
        record = Kept(publish.event, ctx.now)
        if self.kept.find(publish.event.id) is not None:
            ctx.note("duplicate", event=publish.event.id)
            return
        if self.kept.admit(record, self.queue) is record:
            ctx.note("drop", event=publish.event.id, detail="queue full")
            return
        ctx.note("store", event=publish.event.id)
        for visitor in self.visitors.values():
            if visitor.wants.wants(publish.event):
                visitor.line.add(record)
        if len(self.kept) == 1:
            self.watch_age(ctx)
        self.transmit(ctx)

    @received(Hello)
    def meet(self, ctx: Context, sender: NodeId, hello: Hello) -> None:
        if self.served == "one":
            self.part(ctx, sender)
            if ctx.grid is not None:
                ctx.send(sender, HelloReply(ctx.me, ctx.grid.cell(ctx.position), ctx.me))
        else:
            self.serve(ctx, sender, hello.profile, hello.leave)

    @received(Serve)
    def serve_alone(self, ctx: Context, sender: NodeId, serve: Serve) -> None:
        self.serve(ctx, sender, serve.profile, serve.leave)

    @unlinked
    def part(self, ctx: Context, peer: NodeId) -> None:
        visitor = self.visitors.get(peer)
        if visitor is not None:
            visitor.until = 0.0

    @sent(EventCopy)
    def land(self, ctx: Context, to: NodeId, copy: EventCopy, ok: bool) -> None:  # noqa: FBT001  # the host says so
        """A frame that was not heard changes nothing: the event waits as before."""
        record = self.flying
        if record is None or record.event.id != copy.event.id:
            return  # of a life before a crash
        self.flying = None
        if ok and record.entry is not None:
            self.count(record, to)
        elif not ok and ctx.now <= self.since:
            self.drop(ctx, record, "never left the radio")  # it is no frame, and would be none again
        self.transmit(ctx)

    @sent(HelloReply)
    def go_on(self, ctx: Context, to: NodeId, reply: HelloReply, ok: bool) -> None:  # noqa: FBT001  # the host says so
        self.transmit(ctx)

    @cleared
    def retry(self, ctx: Context, peer: NodeId) -> None:
        self.transmit(ctx)

    @expired(Expire)
    def expire(self, ctx: Context, timer: Expire) -> None:
        for record in self.kept.expired(ctx.now, self.queue):
            self.drop(ctx, record, "expired")
        self.watch_age(ctx)

    # What the handlers do

    def profile(self) -> tuple[Subscription, ...]:
        """What this subscriber wants, for others."""
        return tuple(self.interests.active.values())[:PROFILE]

    def serve(self, ctx: Context, subscriber: NodeId, profile: tuple[Subscription, ...], leave: float) -> None:
        """It is here until it leaves its cell, unless it says Hello again."""
        visitor = self.visitors.get(subscriber)
        if visitor is None or visitor.profile != profile:
            wants = interests_of(profile)
            if wants is None:
                ctx.reject("a profile that is too long")
                return
            visitor = self.welcome(subscriber, Visitor(profile, wants))
        if not is_time(leave):
            ctx.reject("a time of leaving that is none")
            return
        visitor.until = leave
        self.latest = max(self.latest, leave)
        self.transmit(ctx)

    def count(self, record: Kept, subscriber: NodeId) -> None:
        """The subscriber has had it."""
        self.kept.count_sent(record, self.queue)
        visitor = self.visitors.get(subscriber)
        if self.memory == "pairs":
            record.given.add(subscriber)
            if visitor is not None:
                visitor.line.discard(record)

    def welcome(self, subscriber: NodeId, visitor: Visitor) -> Visitor:
        """All that it wants and has not had from here waits for it from now on."""
        self.visitors.pop(subscriber, None)
        while len(self.visitors) >= self.subscribers:
            del self.visitors[next(iter(self.visitors))]
        self.visitors[subscriber] = visitor
        for record in self.kept.meant_for(None):
            if subscriber not in record.given and visitor.wants.wants(record.event):
                visitor.line.add(record)
        return visitor

    def transmit(self, ctx: Context) -> None:
        """Sends the best event to whom it is for, if the radio is free and somebody is here who can listen."""
        now = ctx.now
        if now >= self.latest or self.flying is not None or not ctx.idle:
            return
        for entry, subscriber in self.choices(now):
            record: Kept = entry[-1]
            if is_over(record.event, now):
                self.drop(ctx, record, "expired")
            elif ctx.is_clear(subscriber):  # asked last: who finds it busy queues up
                self.flying, self.since = record, now
                ctx.send(subscriber, EventCopy(record.event, record.sent, subscriber))
                return

    def choices(self, now: float) -> list[tuple[Entry, NodeId]]:
        """For each subscriber that is here the event that it gets next, the best of all first."""
        found = []
        for subscriber, visitor in self.visitors.items():
            if visitor.until > now and (entry := visitor.line.top()) is not None:
                found.append((entry, subscriber))
        if len(found) > 1:
            found.sort(key=_order)
        return found

    def drop(self, ctx: Context, record: Kept, why: str) -> None:
        """It is kept no longer."""
        if record.entry is None:
            return
        self.kept.remove(record)
        ctx.note("drop", event=record.event.id, detail=why)

    def watch_age(self, ctx: Context) -> None:
        """One alarm, for the oldest."""
        after = self.kept.expires_in(ctx.now, self.queue)
        if after is not None and after != float("inf"):
            ctx.set_timer(Expire(), after)


def _order(choice: tuple[Entry, NodeId]) -> tuple[object, ...]:
    """The rank of the event and its serial number, then the subscriber."""
    entry, subscriber = choice
    return (*entry[:-1], subscriber)
