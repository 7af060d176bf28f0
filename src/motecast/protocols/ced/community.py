"""CED, community-based event delivery [Liu et al. 2009, §4]. Differences: docs/protocols/community.md.

Sensors that reach each other are a community. A subscriber that comes into one announces its path; sensors on it are
the set Z, all others forward their events towards Z by a routing graph, and whoever is in range hands them over.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from motecast.core import (
    Advertise,
    Context,
    EventId,
    Layer,
    Message,
    NodeId,
    Publish,
    PubSub,
    Radio,
    Seek,
    Subscribe,
    Unsubscribe,
    asked,
    cleared,
    expired,
    linked,
    moved,
    received,
    sent,
    started,
    state,
    unlinked,
)
from motecast.parts.candidates import Candidates
from motecast.parts.chase import chase_of
from motecast.parts.communities import Community as Sensors
from motecast.parts.communities import Member
from motecast.parts.interests import SUBSCRIPTIONS, Interests
from motecast.parts.policies import CedQueue
from motecast.parts.queues import Kind, Record
from motecast.parts.recent import Recent
from motecast.protocols.ced.messages import EventCopy, Hello, HelloReply, NodeIdMessage, Path
from motecast.protocols.ced.neighbourhood import NEIGHBOURS, Formation, Neighbourhood
from motecast.protocols.ced.ride_messages import GivenMember
from motecast.protocols.ced.routes import INFINITE, Begin, End, Expire, Greet, Route, Routes, Settle, is_sound
from motecast.protocols.ced.visits import COMMUNITIES, Visits
from motecast.protocols.ced.walk import REMEMBERED, Walk, is_over, is_time, match

TABLE_1 = CedQueue()
OUTBOX = 1024  # control frames that wait for the radio; our guess. One more is not sent
SETTLE = 0.5  # s; neighbours that are heard within this are one change


@dataclass
class Community(Layer):
    """Communities bring their events to subscribers that pass through, along the path that these announce."""

    above = PubSub
    below = Radio
    ignores = (Advertise, Seek)
    promises = ("integrity", "only-subscribed", "silence-of-the-dead", "bytes-conserved")
    limits = {
        "kept": "queue.capacity",
        "routes": "subscribers",
        "contacts": "subscribers",
        "neighbourhood": NEIGHBOURS,
        "outbox": OUTBOX,
        "interests": SUBSCRIPTIONS,
        "had": REMEMBERED,
        "visits": COMMUNITIES,
    }

    queue: CedQueue = TABLE_1  # a policy; §4.2C and Table 1: alpha, size and age
    formation: Formation = "messages"  # a word; ours: given communities are known at once and free of charge
    linger: Annotated[float, Meta(ge=0)] = 120.0  # s; Table 1: the longest pause, which nobody knows in advance
    subscribers: Annotated[int, Meta(ge=1)] = 256  # subscribers; our guess. Beyond, who came first is forgotten

    is_sensor: bool = state(bool)
    neighbourhood: Neighbourhood = state(Neighbourhood)
    kept: Candidates = state(Candidates)
    routes: Routes = state(Routes)
    contacts: dict[NodeId, float] = state(dict)  # until when (s) a subscriber is in range
    outbox: deque[tuple[NodeId | None, Message]] = state(deque)
    flying: Message | None = state(lambda: None)  # one frame at a time: `sent` says which
    since: float = state(float)  # s; when it left
    record: Record | None = state(lambda: None)  # the event in it
    subscriber: NodeId = state(int)  # for whose session it is
    due: float = state(lambda: INFINITE)  # s; when the oldest event expires
    interests: Interests = state(Interests)
    had: Recent[EventId] = state(lambda: Recent(REMEMBERED))
    walk: Walk = state(Walk)
    visits: Visits = state(Visits)

    # Beginning

    @started
    def start(self, ctx: Context) -> None:
        """Alarms, and what was in the air before a crash, are void."""
        self.is_sensor, self.flying, self.due = False, None, INFINITE
        self.contacts.clear()
        self.outbox.clear()
        ctx.set_timer(Begin(), 0.0)

    @expired(Begin)
    def begin(self, ctx: Context, timer: Begin) -> None:
        """Who has subscribed is a subscriber; all others are sensors, if they know cells."""
        if self.interests or ctx.grid is None:
            return
        self.is_sensor = True
        self.kept.capacity = self.subscribers
        for subscriber, route in self.routes.items():
            ctx.set_timer(End(subscriber), max(0.0, route.until - ctx.now))
        self.watch_age(ctx)
        self.say(ctx, None, self.word(ctx))

    # Communities: ours, as the paper says only that they are

    @received(Member)
    @received(GivenMember)
    def learn_member(self, ctx: Context, sender: NodeId, member: Member) -> None:
        if not self.is_sensor:
            return
        is_news, is_change = self.neighbourhood.hear(ctx.me, sender, member)
        if is_news and len(self.neighbourhood) > 1:
            self.say(ctx, None, member)
        if is_change:
            ctx.set_timer(Settle(), 0.0 if self.formation == "given" else SETTLE)

    @expired(Settle)
    def settle(self, ctx: Context, timer: Settle) -> None:
        if not self.is_sensor:
            return
        self.neighbourhood.version += 1
        for peer, member in self.neighbourhood.greet():
            self.say(ctx, peer, member)
        self.say(ctx, None, self.word(ctx))

    @linked
    def meet(self, ctx: Context, peer: NodeId) -> None:
        """Whoever has not been known as a subscriber may be a sensor."""
        if self.is_sensor and peer not in self.contacts and peer not in self.routes:
            self.say(ctx, peer, self.word(ctx))

    @unlinked
    def part(self, ctx: Context, peer: NodeId) -> None:
        self.contacts.pop(peer, None)
        if self.is_sensor and self.neighbourhood.lose(peer):
            self.routes.lose(peer)
            ctx.set_timer(Settle(), SETTLE)

    # A subscriber

    @asked(Subscribe)
    def subscribe(self, ctx: Context, subscribe: Subscribe) -> None:
        if not self.interests.add(subscribe.subscription):
            ctx.note("refused", subscription=subscribe.subscription.id)
        self.is_sensor = False
        ctx.set_timer(Greet(), 0.0)

    @asked(Unsubscribe)
    def unsubscribe(self, ctx: Context, unsubscribe: Unsubscribe) -> None:
        self.interests.remove(unsubscribe.subscription)

    @moved
    @expired(Greet)
    def greet(self, ctx: Context, timer: Greet | None = None) -> None:
        """'If the subscriber i, while moving, comes within one grid, it will broadcast Hello messages' (§4.1a)."""
        rest = self.walk.rest(ctx) if self.interests else ()
        if rest:
            self.visits.enter(ctx.now)
            self.say(ctx, None, Hello(ctx.me, rest[0].cell, rest[0].leaves))

    @received(HelloReply)
    def announce(self, ctx: Context, sender: NodeId, reply: HelloReply) -> None:
        """'Once … it connects to community N for the first time, it sends out PATH messages' (§4.1b), and 'when [it]
        changes its moving path' (§4.1c)."""
        rest = self.walk.rest(ctx) if self.interests else ()
        session = self.visits.answered(reply.community, ctx.now, rest) if rest else None
        if session is not None:
            self.say(ctx, None, Path(ctx.me, reply.community, session.number, session.seq, rest))

    # A sensor and the subscribers that it hears

    @received(Hello)
    def answer(self, ctx: Context, sender: NodeId, hello: Hello) -> None:
        """'The neighbouring sensor nodes send back their information' (§4.1a)."""
        sensors = self.sensors(ctx)
        if sensors is None:
            return
        if not is_time(hello.leave):
            ctx.reject("a time of leaving that is none")
            return
        self.contacts.pop(sender, None)
        while len(self.contacts) >= self.subscribers:
            del self.contacts[next(iter(self.contacts))]
        self.contacts[sender] = hello.leave
        self.say(ctx, sender, HelloReply(ctx.me, sensors.cells[ctx.me], sensors.id))

    @received(Path)
    def learn_path(self, ctx: Context, sender: NodeId, path: Path) -> None:
        """'These PATH messages are broadcasted among nodes in community N' (§4.1b); each passes a new one on once."""
        sensors, route = self.sensors(ctx), self.routes.get(path.subscriber)
        if sensors is None or path.community != sensors.id:
            return
        if route is not None and (path.session, path.seq) <= (route.number, route.seq):
            return
        if not is_sound(path, ctx.now):
            ctx.reject("a path that nobody can walk")
            return
        chase = chase_of(sensors, path.passages)
        until = chase.until(self.linger)
        if until is None or until <= ctx.now:
            return  # it has left while its path was on the way
        self.say(ctx, None, path)
        for gone in self.routes.open(path, until, self.subscribers):
            self.kept.close(gone)
        self.kept.open(path.subscriber, path.session)
        ctx.set_timer(End(path.subscriber), until - ctx.now)
        if ctx.me in chase.windows:  # in the set Z: 'sensors that could communicate directly with subscriber i' (§4.1d)
            self.routes[path.subscriber].level = 0
            self.tell_level(ctx, path.subscriber, self.routes[path.subscriber])
        self.transmit(ctx)

    @received(NodeIdMessage)
    def learn_level(self, ctx: Context, sender: NodeId, said: NodeIdMessage) -> None:
        """'Regard the message sender as its downstream relay node at first, and then … repeat the process' (§4.1)."""
        route = self.routes.get(said.subscriber)
        if not self.is_sensor or route is None or (said.session, said.seq) != (route.number, route.seq):
            return
        if sender not in self.neighbourhood.peers or said.level < 0:
            return
        if self.routes.learn(said, sender):
            self.tell_level(ctx, said.subscriber, route)
        self.transmit(ctx)

    @expired(End)
    def end(self, ctx: Context, timer: End) -> None:
        """Nobody says that a session is over: all sensors find the same time. Copies on their way become orphans."""
        route = self.routes.get(timer.subscriber)
        if route is not None and ctx.now >= route.until:
            self.routes.close(timer.subscriber, route)
            self.kept.close(timer.subscriber)
            self.transmit(ctx)

    # A sensor and its events

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        """'It creates an event record and inserts the record into the data queue' (§4.2C a)."""
        if self.kept.queue.find(publish.event.id) is not None:
            ctx.note("duplicate", event=publish.event.id)
        else:
            self.keep(ctx, Record(publish.event, ctx.now))

    @received(EventCopy)
    def receive(self, ctx: Context, sender: NodeId, copy: EventCopy) -> None:
        """'When the sensor receives an event record from other sensors, it may insert the record' (§4.2C b)."""
        event = copy.event
        if not self.is_sensor:
            match(ctx, event, self.interests, self.had)
        elif not math.isfinite(event.when):
            ctx.reject("an event that was published at no time")
        elif self.kept.queue.find(event.id, copy.target) is not None:
            ctx.note("duplicate", event=event.id)
        else:
            born = min(event.when, ctx.now)  # the publisher's clock may be ahead
            self.keep(ctx, Record(event, born, Kind.COPY, copy.target, copy.sent))

    @sent(EventCopy)
    def land(self, ctx: Context, to: NodeId, copy: EventCopy, ok: bool) -> None:  # noqa: FBT001  # the host says so
        """'Once an event is delivered by its source sensor node, the successful delivery time … will be increased'
        (§4.2B); a frame that was not heard changes nothing."""
        record = self.record
        if (self.flying is not copy and self.flying != copy) or record is None:
            return  # of a life before a crash
        self.flying = None
        if ok:
            self.count(ctx, record)
        elif ctx.now <= self.since:
            self.drop(ctx, record, "never left the radio")  # it is no frame, and would be none again
        self.transmit(ctx)

    @sent(Hello)
    @sent(HelloReply)
    @sent(Path)
    @sent(NodeIdMessage)
    @sent(Member)
    @sent(GivenMember)
    def go_on(self, ctx: Context, to: NodeId | None, message: Message, ok: bool) -> None:  # noqa: FBT001  # as above
        if self.flying == message:
            self.flying = None
            self.transmit(ctx)

    @cleared
    def retry(self, ctx: Context, peer: NodeId) -> None:
        self.transmit(ctx)

    @expired(Expire)
    def expire(self, ctx: Context, timer: Expire) -> None:
        """'Once the survival time of an event … is larger than the network's delay tolerant threshold' (§4.2C)."""
        for record in self.kept.queue.expired(ctx.now, self.queue):
            self.drop(ctx, record, "expired")
        self.watch_age(ctx)

    # What the handlers do

    def sensors(self, ctx: Context) -> Sensors | None:
        """The community of this sensor."""
        return self.neighbourhood.community(ctx.me) if self.is_sensor else None

    def word(self, ctx: Context) -> Member:
        """What this sensor says of itself."""
        assert ctx.grid is not None, "only who knows cells is a sensor"
        return self.neighbourhood.word(ctx.me, ctx.grid.cell(ctx.position), self.formation)

    def tell_level(self, ctx: Context, subscriber: NodeId, route: Route) -> None:
        """'Broadcast its node ID message to all its neighbouring sensor nodes' (§4.1)."""
        self.say(ctx, None, NodeIdMessage(subscriber, route.number, route.seq, ctx.me, int(route.level)))

    def keep(self, ctx: Context, record: Record) -> None:
        """'If the data queue of a sensor is full when an event arrives, no more events will be accepted' (§4.2C)."""
        event = record.event
        if self.kept.admit(record, self.queue) is record:
            ctx.note("drop", event=event.id, detail="queue full")
            return
        ctx.note("store", event=event.id)
        if record.born + self.queue.max_age < self.due:
            self.watch_age(ctx)
        if self.flying is None:
            self.transmit(ctx)

    def count(self, ctx: Context, record: Record) -> None:
        """Somebody has heard it."""
        was_kept = record.entry is not None
        is_spent = self.kept.sent(record, self.subscriber, self.queue)
        if was_kept and is_spent:
            ctx.note("drop", event=record.event.id, detail="alpha")
        elif was_kept and record.kind is not Kind.OWN:
            ctx.note("unstore", event=record.event.id)

    def drop(self, ctx: Context, record: Record, why: str) -> None:
        """It is kept no longer."""
        if record.entry is not None:
            self.kept.remove(record)
            ctx.note("drop", event=record.event.id, detail=why)

    def watch_age(self, ctx: Context) -> None:
        """One alarm, for the oldest."""
        after = self.kept.queue.expires_in(ctx.now, self.queue)
        self.due = INFINITE if after is None else ctx.now + after
        if after is not None and after < INFINITE:
            ctx.set_timer(Expire(), after)

    # What is sent next

    def say(self, ctx: Context, to: NodeId | None, message: Message) -> None:
        """A control frame, which goes before events as soon as the radio is free."""
        if len(self.outbox) < OUTBOX:
            self.outbox.append((to, message))
        self.transmit(ctx)

    def transmit(self, ctx: Context) -> None:
        """One frame, if the radio is free: control first, then the best event that somebody can take."""
        if self.flying is not None or not ctx.idle:
            return
        if self.outbox:
            to, message = self.outbox.popleft()
            self.flying, self.record, self.since = message, None, ctx.now
            if to is None:
                ctx.broadcast(message)
            else:
                ctx.send(to, message)
        elif self.kept.queue and self.routes:
            self.forward(ctx)

    def forward(self, ctx: Context) -> None:
        """The event of fewest deliveries, then the youngest, to the subscriber itself or towards the set Z."""
        now, contacts = ctx.now, self.contacts
        within = self.routes.within(contacts, now) if contacts else self.routes.ways
        while (choice := self.kept.choose(within)) is not None:
            subscriber, record = choice
            hop = subscriber if contacts.get(subscriber, 0.0) > now else self.routes.ways[subscriber].next_parent()
            if is_over(record.event, now):
                self.drop(ctx, record, "expired")
            elif ctx.is_clear(hop):  # asked last: who finds it busy queues up
                copy = EventCopy(record.event, record.sent, subscriber)
                self.flying, self.record, self.subscriber, self.since = copy, record, subscriber, now
                if hop != subscriber:  # 'events in the source sensor node are evenly forwarded' (§4.1)
                    self.routes[subscriber].turn += 1
                ctx.send(hop, copy)
                return
            else:
                within = [other for other in within if other != subscriber]
