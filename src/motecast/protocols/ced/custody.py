"""What a sensor of CED-Ride keeps, who is known to have it, and to whom it is still owed."""

from __future__ import annotations

import math
from collections.abc import Iterable

from motecast.core import Event, EventId, NodeId
from motecast.parts.policies import RideQueue
from motecast.parts.queues import EventQueue, Kind, Record
from motecast.parts.recent import Recent
from motecast.parts.summaries import Summaries
from motecast.protocols.ced.profiles import Book, book_of
from motecast.protocols.ced.ride_messages import Profile

DONE = 4096  # events that nobody here needs any more; our guess


class Holding(Record):
    """A record, and what CED-Ride knows of it."""

    __slots__ = ("attempts", "custodian", "hops", "source", "tickets")

    def __init__(
        self, event: Event, born: float, kind: Kind, custodian: NodeId, hops: int = 0, target: NodeId | None = None
    ) -> None:
        super().__init__(event, born, kind, target)
        self.custodian = custodian
        self.hops = hops
        self.source: NodeId | None = None  # the carrier that brought it
        self.tickets = 0  # carriers that took it although they do not want it
        self.attempts: dict[NodeId, int] = {}  # subscriber -> the session in which it was offered last

    @property
    def is_untouched(self) -> bool:
        """True when it has never left this sensor, so that nobody else can have it."""
        return self.kind is Kind.OWN and not self.tickets and not self.attempts


class Custody:
    """The queue, with an index of what is owed to whom; a copy on its way is not in it."""

    __slots__ = ("book", "done", "has", "kept", "owed", "serial", "unridden")

    def __init__(self) -> None:
        self.kept: EventQueue[Holding] = EventQueue()
        self.has = Summaries()
        self.book: Book = book_of(())
        self.owed: dict[NodeId, dict[EventId, Holding]] = {}
        self.unridden: dict[EventId, Holding] = {}  # nobody has taken a ticket for these
        self.serial = 0  # rises with each event that is kept, and with each profile
        self.done: Recent[EventId] = Recent(DONE)

    def keep(self, holding: Holding, policy: RideQueue) -> Holding | None:
        """Keeps it if there is room; returns who goes for want of room: nobody, another one, or itself."""
        self.serial += 1
        loser = self.kept.admit(holding, policy)
        if loser is not None and loser is not holding:
            self._unlist(loser)
        if loser is not holding and holding.target is None:
            if not holding.tickets:
                self.unridden[holding.event.id] = holding
            self._list(holding)
        return loser

    def remove(self, holding: Holding) -> None:
        """It is kept no longer."""
        self.kept.remove(holding)
        self._unlist(holding)

    def needing(self, event: Event) -> tuple[NodeId, ...]:
        """The known subscribers that want the event and are not known to have it."""
        return self.has.owed(event.id, self.book.wanting(event))

    def merge(self, event: EventId, has: Iterable[NodeId]) -> Holding | None:
        """Knows that these have the event; returns a custody that nobody needs any more because of that."""
        if not has or not self.has.merge(event, has):
            return None
        holding = self.kept.find(event)
        if holding is None:
            return None
        for subscriber in self.has.of(event):
            owed = self.owed.get(subscriber)
            if owed is not None:
                owed.pop(event, None)
        return holding if holding.kind is Kind.CUSTODY and not self.needing(holding.event) else None

    def learn(self, news: tuple[Profile, ...]) -> None:
        """Knows these profiles, which are news."""
        self.serial += 1
        self.book = self.book.plus(news)
        for profile in news:
            self.owed.pop(profile.subscriber, None)
        for holding in self.kept.meant_for(None):
            self._list(holding)

    def _list(self, holding: Holding) -> None:
        for subscriber in self.needing(holding.event):
            self.owed.setdefault(subscriber, {})[holding.event.id] = holding

    def _unlist(self, holding: Holding) -> None:
        if holding.target is None:
            self.unridden.pop(holding.event.id, None)
            for owed in self.owed.values():
                owed.pop(holding.event.id, None)

    def __len__(self) -> int:
        return len(self.kept)


def born_of(event: Event, max_age: float) -> float:
    """When it was published; earlier if it expires before it is so old. It may be infinite: a peer says it."""
    if event.expires is None or not math.isfinite(max_age):
        return event.when
    return min(event.when, event.expires - max_age)
