"""Which subscribers have an event: knowledge that only grows and is merged by union [ours; specs of CED-Ride]."""

from __future__ import annotations

from collections.abc import Iterable

from motecast.core.pubsub import EventId, NodeId

Has = frozenset[NodeId]

NOBODY: Has = frozenset()
EVENT_BITS = 16  # what names an event in a summary


def entry_bits(subscribers: int) -> int:
    """The size of one entry of a summary: an event, and one bit for each subscriber of the field.

    >>> entry_bits(10)
    26
    """
    return EVENT_BITS + subscribers


def listed(has: Iterable[NodeId]) -> tuple[NodeId, ...]:
    """The same as it travels: in rising order, so that equal sets are equal messages."""
    return tuple(sorted(set(has)))


class Summaries:
    """For each event who is known to have it. Beyond `capacity` the event heard of first is forgotten.

    >>> known = Summaries()
    >>> event = EventId(3, 1)
    >>> known.merge(event, {101, 102}), known.merge(event, {102}), known.owed(event, (101, 103))
    (True, False, (103,))
    """

    __slots__ = ("_has", "capacity", "largest")

    def __init__(self, capacity: int = 8192, largest: int = 1024) -> None:
        self.capacity = capacity  # events
        self.largest = largest  # subscribers that one event may name; what would be more is not merged
        self._has: dict[EventId, Has] = {}

    def of(self, event: EventId) -> Has:
        """Who is known to have the event."""
        return self._has.get(event, NOBODY)

    def merge(self, event: EventId, has: Iterable[NodeId]) -> bool:
        """Knows that these have it too; True when that is news."""
        known = self._has.get(event, NOBODY)
        union = known.union(has)
        if len(union) == len(known) or len(union) > self.largest:
            return False
        self._has[event] = union
        if len(self._has) > self.capacity:
            del self._has[next(iter(self._has))]
        return True

    def owed(self, event: EventId, wanting: Iterable[NodeId]) -> tuple[NodeId, ...]:
        """Who of these is not known to have the event, in the order given."""
        has = self.of(event)
        return tuple(subscriber for subscriber in wanting if subscriber not in has)

    def forget(self, event: EventId) -> None:
        """Knows nothing of the event any longer; for events that nobody wants any more."""
        self._has.pop(event, None)

    def __contains__(self, event: EventId) -> bool:
        return event in self._has

    def __len__(self) -> int:
        return len(self._has)
