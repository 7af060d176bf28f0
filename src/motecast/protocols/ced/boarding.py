"""What a subscriber of CED-Ride does: says Hello and where it goes, answers, takes events, and hands them over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motecast.core import Context, Missing, NodeId, Notify
from motecast.protocols.ced import asking
from motecast.protocols.ced.carrier import Carry, Visit
from motecast.protocols.ced.ride_messages import (
    Answer,
    Carried,
    Entry,
    Offer,
    Profiles,
    RideCopy,
    RideHello,
    RidePath,
    RideReply,
    Room,
)
from motecast.protocols.ced.ride_timers import ANSWERED, BUSY, Flight, Look, Unload

if TYPE_CHECKING:
    from motecast.protocols.ced.ride import Ride


def unload_next(ride: Ride, ctx: Context) -> None:
    """'Only while it is not receiving': to the sensor with most room, or a question for the sensors in range."""
    if ctx.leg is None:
        return
    latest = ctx.now - ride.queue.max_age
    for community, visit in ride.carrier.visits.items():
        if visit.is_waiting:
            continue
        carry = visit.next_carry(community, ride.store, latest)
        sensor = visit.roomiest()
        if carry is not None and sensor is not None:
            if not ctx.is_clear(ctx.me):
                ctx.set_timer(Look(), BUSY)
                return
            ride.flying = Flight(None, None, carry)
            ride.flying.visited = community
            ctx.send(sensor, RideCopy(carry.event, carry.hops + 1, sensor, ride.listed(carry.event.id)))
            return
        entries = ride.carrier.next_offer(community, visit, ride.store, latest) if carry is None else []
        if entries:
            visit.is_waiting = True
            ctx.set_timer(Unload(community), ANSWERED)
            ctx.broadcast(Carried(tuple(entries), ride.width, community))
            return


def unloaded(ride: Ride, flight: Flight, carry: Carry, to: NodeId, *, ok: bool) -> None:
    """A carrier has handed an event to a sensor, or has lost it."""
    visit = ride.carrier.visits.get(flight.visited) if flight.visited is not None else None
    if ok and flight.visited is not None:
        carry.settled.add(flight.visited)
    if visit is not None and to in visit.rooms:
        visit.rooms[to] = visit.rooms[to] - 1 if ok else 0
    if visit is not None and ok:
        visit.asked.pop(carry.event.id, None)


def take(ride: Ride, ctx: Context, copy: RideCopy) -> bool:
    """A subscriber has it: for itself, or to carry it. False if it had it before."""
    event, carrier = copy.event, ride.carrier
    ride.store.merge(event.id, copy.has)
    if event.id in carrier.had:
        ctx.note("duplicate", event=event.id)
        return False
    carrier.had.add(event.id)
    if carrier.interests.wants(event):
        ride.store.merge(event.id, (ctx.me,))
        ctx.up(Notify(event, copy.hops))
    elif carrier.interests:  # it passed by: an ordering layer above need not wait for it
        ctx.up(Missing(*event.id, event.id.number, proven=True, stamp=event.stamp))
    return True


def answer(ride: Ride, ctx: Context, sender: NodeId, offer: Offer) -> None:
    """Wants what it does not have and has asked nobody else for."""
    found = []
    for entry in offer.entries:
        asking.merge(ride, ctx, entry)
        is_wanted = ride.carrier.wants_from(entry.event, offer.session)
        if is_wanted:
            ride.carrier.promise(entry.event, offer.session)
        found.append(Entry(entry.event, ride.listed(entry.event), entry.origin, is_wanted))
    ride.put(sender, Answer(tuple(found), ride.width, ctx.me, offer.session))
    ride.transmit(ctx)


def announce(ride: Ride, ctx: Context, community: NodeId, visit: Visit) -> None:
    """Sends the rest of the leg to a community in contact."""
    rest = ride.carrier.walk.rest(ctx)
    if rest:
        ride.put(None, RidePath(ride.carrier.profile(ctx.me), community, visit.number, visit.seq, rest))


def look_around(ride: Ride, ctx: Context) -> None:
    """Says Hello if there is somebody in range whom it does not know."""
    rest = ride.carrier.walk.rest(ctx)
    if rest and ride.carrier.has_strangers():
        ride.put(None, RideHello(ctx.me, rest[0].cell, ride.store.book.digest))
    ride.transmit(ctx)


def change_profile(ride: Ride, ctx: Context) -> None:
    """Communities in contact learn it at once."""
    ride.carrier.version = max(ride.carrier.version + 1, int(ctx.now * 1e6))
    ride.store.learn((ride.carrier.profile(ctx.me),))
    for community, visit in ride.carrier.visits.items():
        announce(ride, ctx, community, visit)
    ride.transmit(ctx)


def retire(ride: Ride, ctx: Context) -> None:
    """A sensor that subscribes is a subscriber from now on, and no neighbour of sensors."""
    if ride.is_sensor:
        ride.neighbourhood.peers.clear()
        ride.neighbourhood.version += 1
        ride.say(ctx)
        ride.is_sensor = False


def move(ride: Ride, ctx: Context) -> None:
    """A new cell or a new leg. While it stands, a subscriber exchanges nothing."""
    if ride.is_sensor or not ride.carrier.walk.rest(ctx):
        return
    if ride.carrier.starts(ctx.leg):
        for community, visit in ride.carrier.visits.items():
            visit.seq += 1
            announce(ride, ctx, community, visit)
    for visit in ride.carrier.visits.values():
        visit.offer_again()
    look_around(ride, ctx)


def find_room(ride: Ride, ctx: Context, sender: NodeId, room: Room) -> None:
    visit = ride.carrier.visits.get(room.community)
    if visit is None or ride.carrier.around.get(sender) != room.community:
        return
    visit.rooms[sender] = room.free
    for entry in room.entries:
        asking.merge(ride, ctx, entry)
        carry = ride.carrier.carried.get(entry.event)
        if carry is not None:
            carry.settled.add(room.community)
            visit.asked.pop(entry.event, None)


def know_sensor(ride: Ride, ctx: Context, sender: NodeId, reply: RideReply) -> None:
    if ride.is_sensor:
        return
    visit = ride.carrier.enter(sender, reply.community, ride.store)
    if visit is not None:
        announce(ride, ctx, reply.community, visit)
        if reply.digest != ride.store.book.digest:
            ride.put(sender, Profiles(ride.store.book.profiles))
    ride.transmit(ctx)
