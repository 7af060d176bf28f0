"""CED-Ride: communities deliver what is wanted, and subscribers carry events on to where they are still owed [ours].

After Liu et al. 2009, §4. What differs, and why: docs/protocols/ride.md.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Annotated, Literal

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
from motecast.parts.communities import Community, Member
from motecast.parts.policies import RideQueue
from motecast.parts.queues import Kind
from motecast.protocols.ced import asking, boarding, serving
from motecast.protocols.ced.carrier import CARRIED, Carrier
from motecast.protocols.ced.courses import Course
from motecast.protocols.ced.custody import Custody, Holding, born_of
from motecast.protocols.ced.neighbourhood import NEIGHBOURS, Formation, Neighbourhood
from motecast.protocols.ced.ride_messages import (
    Answer,
    Carried,
    Entry,
    GivenMember,
    Offer,
    Profiles,
    Receipt,
    RideCopy,
    RideHello,
    RidePath,
    RideReply,
    Room,
)
from motecast.protocols.ced.ride_timers import (
    CONTACTS,
    HAS,
    OUTBOX,
    QUEUE,
    REPORTS,
    SETTLE,
    SWEEP,
    Begin,
    Flight,
    Gather,
    Look,
    Over,
    Report,
    Settle,
    Sweep,
    Unload,
    Wake,
)

Carriers = Literal["none", "interested", "ticket"]


@dataclass
class Ride(Layer):
    """Sensors chase subscribers with what these want; subscribers take along what others are owed elsewhere."""

    above = PubSub
    below = Radio
    ignores = (Advertise, Seek)
    promises = ("integrity", "only-subscribed", "silence-of-the-dead", "bytes-conserved")
    limits = {
        "store": "queue.capacity",
        "neighbourhood": NEIGHBOURS,
        "courses": "subscribers",
        "newest": "subscribers",
        "contacts": CONTACTS,
        "carrier": CARRIED,
        "outbox": OUTBOX,
        "reports": REPORTS,
    }

    carriers: Carriers = "ticket"  # a word; ours: who takes events to other communities
    queue: RideQueue = QUEUE  # a policy; Table 1's size and age, the order and the custody are ours
    formation: Formation = "messages"  # a word; ours: given communities are known at once and free of charge
    linger: Annotated[float, Meta(ge=0)] = 120.0  # s; the longest pause of the paper's scenario, §5
    tickets: Annotated[int, Meta(ge=0)] = 1  # carriers of one event that do not want it; ours, see the page
    subscribers: Annotated[int, Meta(ge=1)] = 256  # subscribers; our guess. The sessions of further ones are refused

    is_sensor: bool = state(bool)
    store: Custody = state(Custody)
    neighbourhood: Neighbourhood = state(Neighbourhood)
    courses: dict[NodeId, Course] = state(dict)
    newest: dict[NodeId, tuple[int, int]] = state(dict)  # session and leg of each subscriber, to flood each path once
    contacts: dict[NodeId, None] = state(dict)
    carrier: Carrier = state(Carrier)
    outbox: deque[tuple[NodeId | None, Message]] = state(deque)
    reports: dict[tuple[NodeId, EventId], Entry] = state(dict)
    flying: Flight | None = state(lambda: None)
    turn: int = state(int)
    wakes: float = state(float)  # s; when the alarm is set for

    # Beginning and neighbours

    @started
    def start(self, ctx: Context) -> None:
        """Alarms and the frame in the air are void after a crash, and so is who was in range."""
        self.flying, self.wakes, self.is_sensor = None, 0.0, False
        for course in tuple(self.courses.values()):
            asking.end(self, ctx, course)
        for lost in (self.contacts, self.outbox, self.reports):
            lost.clear()
        self.carrier.visits.clear()
        self.carrier.around = dict.fromkeys(self.carrier.around)
        ctx.set_timer(Begin(), 0.0)
        ctx.set_timer(Sweep(), SWEEP)

    @expired(Begin)
    def begin(self, ctx: Context, timer: Begin) -> None:
        """Who has subscribed is a subscriber; all others are sensors."""
        if self.carrier.interests:
            boarding.look_around(self, ctx)
        else:
            self.is_sensor = True
            self.say(ctx)
            self.transmit(ctx)

    def say(self, ctx: Context) -> None:
        """Tells what this sensor is."""
        cell = ctx.grid.cell(ctx.position) if ctx.grid is not None else (0, 0)
        self.put(None, self.neighbourhood.word(ctx.me, cell, self.formation))

    @received(Member)
    @received(GivenMember)
    def learn_member(self, ctx: Context, sender: NodeId, member: Member) -> None:
        if not self.is_sensor:
            return
        is_news, is_change = self.neighbourhood.hear(ctx.me, sender, member)
        if is_news:
            self.flood(sender, member)
        if is_change:
            ctx.set_timer(Settle(), 0.0 if self.formation == "given" else SETTLE)
        self.transmit(ctx)

    @expired(Settle)
    def settle(self, ctx: Context, timer: Settle) -> None:
        self.neighbourhood.version += 1
        for peer, member in self.neighbourhood.greet():
            self.put(peer, member)
        self.say(ctx)
        self.transmit(ctx)

    @linked
    def meet(self, ctx: Context, peer: NodeId) -> None:
        if not self.is_sensor:
            self.carrier.meet(peer)

    @unlinked
    def part(self, ctx: Context, peer: NodeId) -> None:
        self.contacts.pop(peer, None)
        self.carrier.part(peer)
        if self.neighbourhood.lose(peer) and self.is_sensor:
            ctx.set_timer(Settle(), SETTLE)

    # A subscriber on its way

    @asked(Subscribe)
    def subscribe(self, ctx: Context, subscribe: Subscribe) -> None:
        if not self.carrier.interests.add(subscribe.subscription):
            ctx.note("refused", subscription=subscribe.subscription.id)
        boarding.retire(self, ctx)
        boarding.change_profile(self, ctx)

    @asked(Unsubscribe)
    def unsubscribe(self, ctx: Context, unsubscribe: Unsubscribe) -> None:
        self.carrier.interests.remove(unsubscribe.subscription)
        boarding.change_profile(self, ctx)

    @moved
    def move(self, ctx: Context) -> None:
        """A new cell or a new leg. While it stands, a subscriber exchanges nothing."""
        boarding.move(self, ctx)

    @received(RideHello)
    def greet(self, ctx: Context, sender: NodeId, hello: RideHello) -> None:
        community = self.community(ctx)
        if community is None or hello.subscriber != sender or len(self.contacts) >= CONTACTS:
            return
        if sender not in self.contacts:
            self.contacts[sender] = None
            cell = community.cells[ctx.me]
            self.put(sender, RideReply(ctx.me, cell, community.id, self.store.book.digest))
        self.transmit(ctx)

    @received(RideReply)
    def know(self, ctx: Context, sender: NodeId, reply: RideReply) -> None:
        boarding.know_sensor(self, ctx, sender, reply)

    @received(Profiles)
    def gossip(self, ctx: Context, sender: NodeId, message: Profiles) -> None:
        """Learns what others want, passes it on, and tells the sender what it does not know."""
        asking.spread(self, ctx, sender, message)

    # A session, at a sensor

    @received(RidePath)
    def follow(self, ctx: Context, sender: NodeId, path: RidePath) -> None:
        asking.follow_path(self, ctx, sender, path)

    @expired(Over)
    def finish(self, ctx: Context, timer: Over) -> None:
        course = self.courses.get(timer.subscriber)
        if course is not None and course.number == timer.session:
            asking.end(self, ctx, course)

    @expired(Gather)
    def gathered(self, ctx: Context, timer: Gather) -> None:
        course = self.courses.get(timer.subscriber)
        if course is not None:
            course.is_ready = True
        self.transmit(ctx)

    @received(Offer)
    def consider(self, ctx: Context, sender: NodeId, offer: Offer) -> None:
        if not self.is_sensor:
            boarding.answer(self, ctx, sender, offer)
            return
        course = self.courses.get(offer.subscriber)
        if course is not None and course.number == offer.session:
            for entry in offer.entries:
                asking.gather(self, ctx, course, entry)
        self.transmit(ctx)

    @received(Answer)
    def act(self, ctx: Context, sender: NodeId, answer: Answer) -> None:
        """'have: has |= answer; want: one targeted copy'; or passes it on to whom it is for."""
        asking.act_on(self, ctx, sender, answer)

    @expired(Report)
    def report(self, ctx: Context, timer: Report) -> None:
        asking.send_reports(self, ctx)

    @received(Receipt)
    def acknowledge(self, ctx: Context, sender: NodeId, ack: Receipt) -> None:
        for entry in ack.entries:
            asking.merge(self, ctx, entry)
            if entry.origin != ctx.me:
                asking.note_down(self, ctx, entry)

    # Custody and carriers

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        event = publish.event
        born = born_of(event, self.queue.max_age)
        if not self.is_sensor and self.carrier.interests:
            boarding.take(self, ctx, RideCopy(event, 0, ctx.me))
            self.carrier.load(event, born, 0, None)
            return
        holding = Holding(event, born, Kind.OWN, ctx.me)
        if self.store.kept.find(event.id) is not None:
            ctx.note("duplicate", event=event.id)
        elif asking.keep(self, ctx, holding):
            asking.hand_out(self, ctx, holding)

    @received(RideCopy)
    def accept(self, ctx: Context, sender: NodeId, copy: RideCopy) -> None:
        born = born_of(copy.event, self.queue.max_age)
        if not ctx.now - self.queue.max_age < born <= ctx.now + 1.0 or len(copy.has) > HAS or copy.hops < 1:
            ctx.note("drop", event=copy.event.id, detail="expired, or from no time at all")
        elif not self.is_sensor:
            if boarding.take(self, ctx, copy) and self.carriers != "none":
                self.carrier.load(copy.event, born, copy.hops, self.carrier.around.get(sender))
        elif copy.target is None:
            asking.take_custody(self, ctx, sender, copy, born)
        else:
            asking.relay(self, ctx, copy, copy.target, born)
        self.transmit(ctx)

    @received(Carried)
    def compare(self, ctx: Context, sender: NodeId, carried: Carried) -> None:
        """Says which of these events it has or had, and how many others it can take."""
        asking.compare(self, ctx, sender, carried)

    @received(Room)
    def find_room(self, ctx: Context, sender: NodeId, room: Room) -> None:
        boarding.find_room(self, ctx, sender, room)

    @expired(Unload)
    def unload(self, ctx: Context, timer: Unload) -> None:
        visit = self.carrier.visits.get(timer.community)
        if visit is not None:
            visit.is_waiting = False
        self.transmit(ctx)

    @expired(Look)
    @expired(Wake)
    def wake(self, ctx: Context, timer: Look | Wake) -> None:
        self.transmit(ctx)

    @cleared
    def retry(self, ctx: Context, peer: NodeId) -> None:
        self.transmit(ctx)

    @expired(Sweep)
    def sweep(self, ctx: Context, timer: Sweep) -> None:
        for holding in self.store.kept.expired(ctx.now, self.queue):
            self.drop(ctx, holding)
        self.carrier.unload_old(ctx.now - self.queue.max_age)
        ctx.set_timer(Sweep(), SWEEP)

    def drop(self, ctx: Context, holding: Holding) -> None:
        """It is too old."""
        self.store.remove(holding)
        ctx.note("drop", event=holding.event.id, detail="expired")

    # What is in the air

    @sent(Member)
    @sent(GivenMember)
    @sent(RideHello)
    @sent(RideReply)
    @sent(RidePath)
    @sent(Profiles)
    @sent(Offer)
    @sent(Answer)
    @sent(Receipt)
    @sent(Carried)
    @sent(Room)
    def go_on(self, ctx: Context, to: NodeId | None, message: Message, ok: bool) -> None:  # noqa: FBT001  # the host says so
        self.transmit(ctx)

    @sent(RideCopy)
    def land(self, ctx: Context, to: NodeId, copy: RideCopy, ok: bool) -> None:  # noqa: FBT001  # the host says so
        """A frame that was not heard changes nothing."""
        flight, self.flying = self.flying, None
        if flight is not None and flight.carry is not None:
            boarding.unloaded(self, flight, flight.carry, to, ok=ok)
        elif flight is not None and flight.holding is not None and ok:
            serving.landed(self, ctx, flight, flight.holding, to)
        self.transmit(ctx)

    def transmit(self, ctx: Context) -> None:
        """The next frame, if the radio is free: control first, then what is wanted, then what is carried."""
        if self.flying is not None or not ctx.idle:
            return
        if self.outbox:
            to, message = self.outbox.popleft()
            if to is None:
                ctx.broadcast(message)
            else:
                ctx.send(to, message)
        elif not self.is_sensor:
            boarding.unload_next(self, ctx)
        elif self.courses:
            serving.serve(self, ctx)

    # Small things

    @property
    def width(self) -> int:
        """Bits of one `has`."""
        return max(1, len(self.store.book))

    def community(self, ctx: Context) -> Community | None:
        """That of this sensor; None at a subscriber."""
        return self.neighbourhood.community(ctx.me) if self.is_sensor else None

    def listed(self, event: EventId) -> tuple[NodeId, ...]:
        """Who has an event, as it travels."""
        return tuple(sorted(self.store.has.of(event)))

    def flood(self, sender: NodeId, message: Message) -> None:
        """Passes it on, if anybody but the sender is near."""
        if any(peer != sender for peer in self.neighbourhood.peers):
            self.put(None, message)

    def put(self, to: NodeId | None, message: Message) -> None:
        """A control frame that goes as soon as the radio is free; one too many is not sent."""
        if len(self.outbox) < OUTBOX:
            self.outbox.append((to, message))
