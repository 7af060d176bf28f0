"""What CED-Ride's sensors and subscribers say to each other [ours; sections 6 and 2.2 of its specification].

`has` is a set of subscribers: who is known to have an event. It is charged one bit for each subscriber that the sender
knows of, and the event that it is about 16.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from motecast.core import Cell, Event, EventId, Message, NodeId, Passage, Subscription
from motecast.parts.communities import Member
from motecast.parts.summaries import entry_bits
from motecast.protocols.ced.messages import BITS

ENTRIES = 16  # in one frame; ours: as long as two events


class Profile(msgspec.Struct, frozen=True, array_like=True):
    """What a subscriber wants; only a higher version replaces an earlier one."""

    subscriber: NodeId
    version: int
    wants: tuple[Subscription, ...]


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """What is said of one event."""

    event: EventId
    has: tuple[NodeId, ...] = ()  # in rising order
    origin: NodeId = 0  # the sensor that keeps the event and wants to know
    wanted: bool = False


class GivenMember(Member):
    """A `Member` that costs nothing: the communities are given."""

    bits = 0


class RideHello(Message):
    """A subscriber that meets sensors which it does not know yet, to all who hear it."""

    bits = BITS

    subscriber: NodeId
    cell: Cell
    digest: int  # of all profiles that it knows


class RideReply(Message):
    """A sensor's answer."""

    bits = BITS

    sensor: NodeId
    cell: Cell
    community: NodeId
    digest: int


class RidePath(Message):
    """The rest of a subscriber's leg and what it wants, flooded in one community."""

    bits = BITS

    profile: Profile
    community: NodeId
    session: int  # of this subscriber; numbers rise
    seq: int  # within the session: the next leg is the next one
    passages: tuple[Passage, ...]


class Profiles(Message):
    """Profiles that the addressee does not know, or that are news in a community."""

    profiles: tuple[Profile, ...]

    def cost(self) -> int:
        """As much as an event for each."""
        return BITS * len(self.profiles)

    if not TYPE_CHECKING:  # a constant elsewhere
        bits = property(cost)


class Entries(Message):
    """Something about several events."""

    entries: tuple[Entry, ...]
    width: int  # bits of one `has`

    def cost(self) -> int:
        """26 an entry with ten subscribers."""
        return max(1, len(self.entries)) * entry_bits(self.width)

    if not TYPE_CHECKING:  # a constant elsewhere
        bits = property(cost)


class Offer(Entries):
    """Towards a subscriber: these events are kept for you."""

    subscriber: NodeId
    session: int


class Answer(Entries):
    """Back to who keeps them: this one is wanted, that one is here already."""

    subscriber: NodeId
    session: int


class Receipt(Entries):
    """Back to who keeps them: these have been handed over."""


class Carried(Entries):
    """A carrier has these events for the community."""

    community: NodeId


class Room(Entries):
    """A sensor's answer: so many events it can take, and these it has or had."""

    community: NodeId
    free: int


class RideCopy(Message):
    """An event on its way to its target; without a target, for whoever hears it to keep or to carry."""

    carries = "event"
    bits = BITS

    event: Event
    hops: int  # transmissions so far, this one included
    custodian: NodeId  # who keeps the event, and waits for an `Receipt`
    has: tuple[NodeId, ...] = ()
    target: NodeId | None = None
