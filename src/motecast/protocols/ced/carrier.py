"""What a subscriber of CED-Ride carries, whom it meets, and what it has said that it takes."""

from __future__ import annotations

from collections import deque

from motecast.core import Event, EventId, Leg, NodeId
from motecast.parts.interests import Interests
from motecast.parts.recent import Recent
from motecast.protocols.ced.custody import Custody
from motecast.protocols.ced.ride_messages import ENTRIES, Entry, Profile
from motecast.protocols.ced.walk import PROFILE, Walk

REMEMBERED = 131_072  # events that a subscriber has had; our guess: all of a run
CARRIED = 16_384  # events that it carries; our guess: all that are alive. Beyond, the first one goes
PROMISES = 4096  # events that it has asked for; our guess
SENSORS = 1024  # whom it is in contact with at a time; our guess


class Carry:
    """An event on board, and the communities that need no copy of it from here."""

    __slots__ = ("born", "event", "hops", "settled")

    def __init__(self, event: Event, born: float, hops: int) -> None:
        self.event = event
        self.born = born
        self.hops = hops
        self.settled: set[NodeId] = set()  # never iterated


class Visit:
    """A contact with one community: a session, and what is left to be handed over there."""

    __slots__ = ("asked", "is_waiting", "number", "rooms", "seq", "todo")

    def __init__(self, number: int) -> None:
        self.number = number
        self.seq = 0
        self.todo: deque[Carry] = deque()  # not yet offered
        self.asked: dict[EventId, Carry] = {}  # offered to the sensors in range
        self.rooms: dict[NodeId, int] = {}  # sensor -> events that it can take
        self.is_waiting = False  # for answers

    def offer_again(self) -> None:
        """What found no room is offered again to other sensors."""
        if not self.is_waiting:
            self.todo.extendleft(self.asked.values())
            self.asked.clear()

    def next_carry(self, community: NodeId, store: Custody, latest: float) -> Carry | None:
        """What is handed over next of all that was offered."""
        while self.asked:
            carry = next(iter(self.asked.values()))
            if community not in carry.settled and carry.born > latest and store.needing(carry.event):
                return carry
            del self.asked[carry.event.id]
        return None

    def roomiest(self) -> NodeId | None:
        """'Transmit to the least loaded one' of the sensors in range; None when all are full."""
        best = max(self.rooms, key=lambda sensor: (self.rooms[sensor], -sensor), default=None)
        return best if best is not None and self.rooms[best] > 0 else None


class Carrier:
    """The state of a subscriber."""

    __slots__ = ("around", "carried", "had", "interests", "leg", "promised", "serial", "version", "visits", "walk")

    def __init__(self) -> None:
        self.interests = Interests(PROFILE)
        self.had: Recent[EventId] = Recent(REMEMBERED)
        self.walk = Walk()
        self.leg: Leg | None = None  # that communities in contact know of
        self.around: dict[NodeId, NodeId | None] = {}  # sensor or stranger that is linked -> its community, if known
        self.visits: dict[NodeId, Visit] = {}  # by community
        self.carried: dict[EventId, Carry] = {}
        self.promised: dict[EventId, int] = {}  # in which session it was asked for
        self.serial = 0
        self.version = 0

    def profile(self, me: NodeId) -> Profile:
        """What it wants, for others."""
        return Profile(me, self.version, tuple(self.interests.active.values()))

    # Contacts

    def starts(self, leg: Leg | None) -> bool:
        """True when this is another leg than the last time. Communities that are not in contact do not know of it."""
        is_new = (
            leg is None or self.leg is None or (leg.to, round(leg.start, 3)) != (self.leg.to, round(self.leg.start, 3))
        )
        self.leg = leg
        if is_new:
            near = set(self.around.values())
            self.visits = {community: visit for community, visit in self.visits.items() if community in near}
        return is_new

    def meet(self, peer: NodeId) -> None:
        """A link is up; who it is will be seen."""
        if len(self.around) < SENSORS:
            self.around[peer] = None

    def has_strangers(self) -> bool:
        """True when somebody in range has not said who it is."""
        return None in self.around.values()

    def part(self, peer: NodeId) -> None:
        """A link is down. Its community knows the rest of the leg, so the visit goes on if the leg comes back to it."""
        community = self.around.pop(peer, None)
        visit = self.visits.get(community) if community is not None else None
        if visit is not None:
            visit.rooms.pop(peer, None)

    def enter(self, sensor: NodeId, community: NodeId, store: Custody) -> Visit | None:
        """A sensor has said who it is. The visit that begins with it, if one does."""
        if sensor not in self.around and len(self.around) >= SENSORS:
            return None
        before = self.around.get(sensor)
        self.around[sensor] = community
        if before is not None and before != community and before not in self.around.values():
            self.visits.pop(before, None)
        if community in self.visits:
            return None
        self.serial += 1
        visit = self.visits[community] = Visit(self.serial)
        visit.todo.extend(
            carry for carry in self.carried.values() if community not in carry.settled and store.needing(carry.event)
        )
        return visit

    # Events

    def load(self, event: Event, born: float, hops: int, source: NodeId | None) -> None:
        """Carries the event from now on; not back to where it is from."""
        carry = Carry(event, born, hops)
        if source is not None:
            carry.settled.add(source)
        self.carried[event.id] = carry
        for community, visit in self.visits.items():
            if community != source:
                visit.todo.append(carry)
        if len(self.carried) > CARRIED:
            del self.carried[next(iter(self.carried))]

    def unload_old(self, latest: float) -> None:
        """Carries nothing any more that was born before."""
        for carry in [carry for carry in self.carried.values() if carry.born <= latest]:
            del self.carried[carry.event.id]

    def next_offer(self, community: NodeId, visit: Visit, store: Custody, latest: float) -> list[Entry]:
        """What is offered to the sensors in range next."""
        entries: list[Entry] = []
        while visit.todo and len(entries) < ENTRIES:
            carry = visit.todo.popleft()
            if community not in carry.settled and carry.born > latest and store.needing(carry.event):
                visit.asked[carry.event.id] = carry
                entries.append(Entry(carry.event.id, tuple(sorted(store.has.of(carry.event.id)))))
        return entries

    # Promises

    def wants_from(self, event: EventId, session: int) -> bool:
        """True when the one that keeps the event should send it: nobody else was asked for it in a session of now."""
        before = self.promised.get(event)
        if before is not None and before != session and any(v.number == before for v in self.visits.values()):
            return False
        return event not in self.had

    def promise(self, event: EventId, session: int) -> None:
        """Expects the event in this session."""
        self.promised.pop(event, None)
        self.promised[event] = session
        if len(self.promised) > PROMISES:
            del self.promised[next(iter(self.promised))]

    def __len__(self) -> int:
        return len(self.carried)
