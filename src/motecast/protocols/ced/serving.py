"""What a sensor of CED-Ride sends next: questions, then events in the order of the queue, then tickets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motecast.core import Context, NodeId
from motecast.parts.communities import Community
from motecast.parts.lines import Entry as Ranking
from motecast.parts.queues import Kind
from motecast.protocols.ced import asking
from motecast.protocols.ced.courses import Course
from motecast.protocols.ced.custody import Holding
from motecast.protocols.ced.ride_messages import ENTRIES, Entry, Offer, RideCopy
from motecast.protocols.ced.ride_timers import SOON, Flight, Wake

if TYPE_CHECKING:
    from motecast.protocols.ced.ride import Ride


def serve(ride: Ride, ctx: Context) -> None:
    """Questions first, then events in the queue's order, then tickets."""
    community = ride.community(ctx)
    if community is None:
        return
    waiting = []
    for course in ride.courses.values():
        if course.is_ready and course.offers and send_offers(ride, ctx, course, community):
            return
        entry = None if course.line.top() is None else next_entry(ride, ctx, course)
        if entry is not None:
            waiting.append((entry, course))
    for entry, course in sorted(waiting, key=_rank):
        if forward(ride, ctx, course, entry[-1], community):
            return
    if ride.carriers == "ticket" and ride.store.unridden:
        give_ticket(ride, ctx)


def _rank(waiting: tuple[Ranking, Course]) -> Ranking:
    return waiting[0][:-1]


def next_entry(ride: Ride, ctx: Context, course: Course) -> Ranking | None:
    """The best record for a subscriber that is neither too old nor known to be there."""
    entry = course.line.top()
    while entry is not None:
        holding: Holding = entry[-1]
        if holding.born <= ctx.now - ride.queue.max_age:
            ride.drop(ctx, holding)
        elif course.subscriber in ride.store.has.of(holding.event.id):
            course.line.discard(holding)
            if holding.kind is Kind.COPY:
                ride.store.remove(holding)
        else:
            return entry
        entry = course.line.top()
    return None


def next_hop(ride: Ride, ctx: Context, course: Course, community: Community) -> NodeId | None:
    """To the subscriber itself while it is in range and moves, else to a sensor that it will meet sooner."""
    if course.subscriber in ride.contacts and ctx.now < course.arrives:
        return course.subscriber
    hops = course.chase(community).next_hops(ctx.me, ctx.now)
    if hops:
        ride.turn += 1
        return hops[ride.turn % len(hops)]
    wait(ride, ctx, course)
    return None


def wait(ride: Ride, ctx: Context, course: Course) -> None:
    """There is no way now; there may be one when the subscriber is in its next cell."""
    changes = course.changes(ctx.now + SOON)
    if changes is not None and not ctx.now < ride.wakes <= changes:
        ride.wakes = changes
        ctx.set_timer(Wake(), changes - ctx.now)


def send_offers(ride: Ride, ctx: Context, course: Course, community: Community) -> bool:
    """True when a question is on its way."""
    hop = next_hop(ride, ctx, course, community)
    if hop is None:
        return False
    keys = list(course.offers)[:ENTRIES]
    entries = tuple(course.offers.pop(key) for key in keys)
    ctx.send(hop, Offer(entries, ride.width, course.subscriber, course.number))
    return True


def forward(ride: Ride, ctx: Context, course: Course, holding: Holding, community: Community) -> bool:
    """True when the event is on its way. Who finds the subscriber busy is told when it is not."""
    hop = next_hop(ride, ctx, course, community)
    if hop is None or (hop == course.subscriber and not ctx.is_clear(hop)):
        return False
    ride.flying = Flight(holding, course.subscriber)
    has = ride.listed(holding.event.id)
    ctx.send(hop, RideCopy(holding.event, holding.hops + 1, holding.custodian, has, course.subscriber))
    return True


def give_ticket(ride: Ride, ctx: Context) -> None:
    """'One subscriber that does not want an event may take it along', after all that is wanted."""
    for subscriber in ride.contacts:
        course = ride.courses.get(subscriber)
        if course is None or ctx.now >= course.arrives or course.searched == ride.store.serial:
            continue
        holding = rider(ride, ctx, subscriber)
        if holding is None:
            course.searched = ride.store.serial  # nothing until something new is kept
        if holding is not None and ctx.is_clear(subscriber):
            ride.flying = Flight(holding, subscriber)
            ride.flying.is_ticket = True
            ctx.send(subscriber, RideCopy(holding.event, holding.hops + 1, ctx.me, ride.listed(holding.event.id)))
            return


def rider(ride: Ride, ctx: Context, subscriber: NodeId) -> Holding | None:
    """An event that this subscriber may take along."""
    latest = ctx.now - ride.queue.max_age
    for holding in ride.store.unridden.values():
        if holding.source == subscriber or subscriber in ride.store.book.wanting(holding.event):
            continue
        if holding.born > latest and ride.store.needing(holding.event):
            return holding
    return None


def landed(ride: Ride, ctx: Context, flight: Flight, holding: Holding, to: NodeId) -> None:
    """A sensor has handed an event on."""
    course = ride.courses.get(flight.subscriber) if flight.subscriber is not None else None
    if flight.is_ticket:
        holding.tickets += 1
        if holding.tickets >= ride.tickets:
            ride.store.unridden.pop(holding.event.id, None)
        return
    if course is not None:
        course.line.discard(holding)
    if holding.kind is Kind.COPY:
        ride.store.remove(holding)
    if to == flight.subscriber:
        asking.merge(ride, ctx, Entry(holding.event.id, (to,)))
        if holding.custodian != ctx.me:
            asking.note_down(ride, ctx, Entry(holding.event.id, ride.listed(holding.event.id), holding.custodian))
