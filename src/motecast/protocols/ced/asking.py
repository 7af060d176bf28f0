"""What a sensor of CED-Ride does with sessions, questions, copies and custody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motecast.core import Context, NodeId
from motecast.parts.communities import Community
from motecast.parts.queues import Kind
from motecast.protocols.ced.courses import Course, is_sound, toward
from motecast.protocols.ced.custody import Holding
from motecast.protocols.ced.profiles import is_readable
from motecast.protocols.ced.ride_messages import (
    ENTRIES,
    Answer,
    Carried,
    Entry,
    Profile,
    Profiles,
    Receipt,
    RideCopy,
    RidePath,
    Room,
)
from motecast.protocols.ced.ride_timers import CONTACTS, GATHER, HAS, OFFERS, REPORT, REPORTS, Gather, Over, Report

if TYPE_CHECKING:
    from motecast.protocols.ced.ride import Ride


def ask(ride: Ride, ctx: Context, course: Course, holding: Holding) -> None:
    """Once a session: is it wanted? Nobody else can have what has never left its source, so that goes at once."""
    subscriber, event = course.subscriber, holding.event.id
    if holding.attempts.get(subscriber) == course.number:
        return
    has = ride.store.has.of(event)
    is_new = holding.is_untouched or (ride.carriers == "none" and subscriber not in holding.attempts)
    holding.attempts[subscriber] = course.number
    if is_new:
        course.line.add(holding)
    else:
        gather(ride, ctx, course, Entry(event, tuple(sorted(has)), ctx.me))


def gather(ride: Ride, ctx: Context, course: Course, entry: Entry) -> None:
    """The question goes on with those that come soon after it."""
    if not course.offers:
        course.is_ready = False
        ctx.set_timer(Gather(course.subscriber), GATHER)
    if len(course.offers) < OFFERS:
        course.offers[(entry.origin, *entry.event)] = entry


def by_hop(ride: Ride, ctx: Context, entries: tuple[Entry, ...] | list[Entry]) -> dict[NodeId, list[Entry]]:
    """What goes to which neighbour on its way to the sensors that it is for."""
    found: dict[NodeId, list[Entry]] = {}
    community = ride.community(ctx)
    for entry in entries:
        hop = None if community is None else toward(community, ctx.me, entry.origin)
        if hop is not None:
            found.setdefault(hop, []).append(entry)
    return found


def note_down(ride: Ride, ctx: Context, entry: Entry) -> None:
    """It is told to the custodian with the next report."""
    if ride.is_sensor and len(ride.reports) < REPORTS:
        if not ride.reports:
            ctx.set_timer(Report(), REPORT)
        ride.reports[entry.origin, entry.event] = entry


def relay(ride: Ride, ctx: Context, copy: RideCopy, target: NodeId, born: float) -> None:
    """A copy for one subscriber, which lives as long as the session."""
    event, course = copy.event, ride.courses.get(target)
    ride.store.merge(event.id, copy.has)
    if ride.store.kept.find(event.id, target) is not None:
        ctx.note("duplicate", event=event.id)
    elif course is None or target in ride.store.has.of(event.id):
        ctx.note("drop", event=event.id, detail="session over")
    else:
        holding = Holding(event, born, Kind.COPY, copy.custodian, copy.hops, target)
        if keep(ride, ctx, holding):
            course.line.add(holding)


def take_custody(ride: Ride, ctx: Context, sender: NodeId, copy: RideCopy, born: float) -> None:
    """An event from a carrier, accepted while there is room and somebody known needs it."""
    event = copy.event
    ride.store.merge(event.id, copy.has)
    if ride.store.kept.find(event.id) is not None:
        ctx.note("duplicate", event=event.id)
    elif not ride.store.needing(event) or not ride.queue.accepts_custody(ride.store.kept):
        ctx.note("drop", event=event.id, detail="no custody")
    else:
        holding = Holding(event, born, Kind.CUSTODY, ctx.me, copy.hops)
        ride_on(ride, holding, sender)
        if keep(ride, ctx, holding):
            hand_out(ride, ctx, holding)


def ride_on(ride: Ride, holding: Holding, carrier: NodeId) -> None:
    """What a carrier has brought has used its tickets: it is where somebody is that needs it."""
    holding.source, holding.tickets = carrier, ride.tickets


def hand_out(ride: Ride, ctx: Context, holding: Holding) -> None:
    """Whose session is open gets what it is owed at once."""
    for subscriber in ride.store.needing(holding.event):
        course = ride.courses.get(subscriber)
        if course is not None:
            ask(ride, ctx, course, holding)
    ride.transmit(ctx)


def missing(ride: Ride, profiles: tuple[Profile, ...]) -> tuple[Profile, ...]:
    """What this node knows and these do not say."""
    versions = {profile.subscriber: profile.version for profile in profiles}
    own = ride.store.book.profiles
    return tuple(each for each in own if versions.get(each.subscriber, each.version - 1) < each.version)


def learn(ride: Ride, ctx: Context, profiles: tuple[Profile, ...]) -> tuple[Profile, ...]:
    """Those that are news, and known from now on."""
    news = ride.store.book.news(profile for profile in profiles if profile.subscriber != ctx.me or ride.is_sensor)
    if not all(map(is_readable, news)):
        ctx.reject("a profile with a bad filter, or with too many subscriptions")
        news = tuple(filter(is_readable, news))
    if news:
        ride.store.learn(news)
    return news


def begin(ride: Ride, ctx: Context, path: RidePath, course: Course | None, community: Community) -> None:
    """A session begins, or goes on with another leg."""
    if course is not None and course.number == path.session:
        course.follow(path)
    else:
        if course is not None:
            end(ride, ctx, course)
        course = ride.courses[path.profile.subscriber] = Course(path)
    until = course.chase(community).until(ride.linger)
    if until is None or until <= ctx.now:
        end(ride, ctx, course)
        return
    ctx.set_timer(Over(course.subscriber, course.number), until - ctx.now)
    for holding in tuple(ride.store.owed.get(course.subscriber, {}).values()):
        ask(ride, ctx, course, holding)


def end(ride: Ride, ctx: Context, course: Course) -> None:
    """'Soft copies die; the custodian tries again in the next session.'"""
    ride.courses.pop(course.subscriber, None)
    for copy in ride.store.kept.meant_for(course.subscriber):
        ride.store.remove(copy)
        ctx.note("unstore", event=copy.event.id)


def follow_path(ride: Ride, ctx: Context, sender: NodeId, path: RidePath) -> None:
    community = ride.community(ctx)
    if community is None or path.community not in community.cells:
        return
    subscriber = path.profile.subscriber
    newest = ride.newest.get(subscriber)
    if newest is not None and (path.session, path.seq) <= newest:
        return
    if not is_sound(path, ctx.now) or (newest is None and len(ride.newest) >= ride.subscribers):
        ctx.reject("a path that nobody can travel, or of one subscriber too many")
        return
    ride.newest[subscriber] = (path.session, path.seq)
    ride.flood(sender, path)
    learn(ride, ctx, (path.profile,))
    if sender == subscriber and len(ride.contacts) < CONTACTS:
        ride.contacts[sender] = None
    begin(ride, ctx, path, ride.courses.get(subscriber), community)
    ride.transmit(ctx)


def compare(ride: Ride, ctx: Context, sender: NodeId, carried: Carried) -> None:
    """Says which of these events it has or had, and how many others it can take."""
    community = ride.community(ctx)
    if community is None or carried.community != community.id:
        return
    held = []
    for entry in carried.entries:
        if ride.store.kept.find(entry.event) is not None or entry.event in ride.store.done:
            merge(ride, ctx, entry)
            held.append(Entry(entry.event, ride.listed(entry.event)))
    free = min(ride.queue.custody, ride.queue.capacity) - len(ride.store)
    ride.put(sender, Room(tuple(held), ride.width, community.id, max(0, free)))
    ride.transmit(ctx)


def act_on(ride: Ride, ctx: Context, sender: NodeId, answer: Answer) -> None:
    """'have: has |= answer; want: one targeted copy'; or passes it on to whom it is for."""
    course = ride.courses.get(answer.subscriber)
    for entry in answer.entries:
        merge(ride, ctx, entry)
        holding = ride.store.kept.find(entry.event)
        if entry.origin == ctx.me and entry.wanted and holding is not None and course is not None:
            course.line.add(holding)
    others = [entry for entry in answer.entries if entry.origin != ctx.me]
    for hop, entries in by_hop(ride, ctx, others).items():
        ride.put(hop, Answer(tuple(entries), ride.width, answer.subscriber, answer.session))
    ride.transmit(ctx)


def spread(ride: Ride, ctx: Context, sender: NodeId, message: Profiles) -> None:
    """Learns what others want, passes it on, and tells the sender what it does not know."""
    theirs = () if sender in ride.neighbourhood.peers else missing(ride, message.profiles)
    news = learn(ride, ctx, message.profiles)
    if news and ride.is_sensor:
        ride.flood(sender, Profiles(news))
    if theirs and ride.is_sensor:
        ride.put(sender, Profiles(theirs))
    ride.transmit(ctx)


def send_reports(ride: Ride, ctx: Context) -> None:
    entries = tuple(ride.reports.values())
    ride.reports.clear()
    for hop, found in by_hop(ride, ctx, entries).items():
        for first in range(0, len(found), ENTRIES):
            ride.put(hop, Receipt(tuple(found[first : first + ENTRIES]), ride.width))
    ride.transmit(ctx)


def keep(ride: Ride, ctx: Context, holding: Holding) -> bool:
    """False when there is no room."""
    loser = ride.store.keep(holding, ride.queue)
    if loser is not None:
        ctx.note("drop", event=loser.event.id, detail="queue full")
    if loser is holding:
        return False
    ctx.note("store", event=holding.event.id)
    return True


def merge(ride: Ride, ctx: Context, entry: Entry) -> None:
    """Knows what the entry says. A custody that nobody needs any more leaves."""
    if len(entry.has) > HAS:
        ctx.reject("an event that too many have")
        return
    spent = ride.store.merge(entry.event, entry.has)
    if spent is not None:
        ride.store.remove(spent)
        ride.store.done.add(entry.event)
        ctx.note("unstore", event=entry.event)
