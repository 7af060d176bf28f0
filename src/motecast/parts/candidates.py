"""Which of the events that a sensor keeps may go to which subscriber next [Liu et al. 2009, §4.1, §4.2]."""

from __future__ import annotations

from collections.abc import Iterable

from motecast.core.pubsub import NodeId
from motecast.parts.lines import Entry, Line
from motecast.parts.queues import EventQueue, Kind, QueuePolicy, Record


class _Session:
    """What waits for one subscriber. When it ends the line stays, as the same session may be resumed."""

    __slots__ = ("is_open", "line", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self.line: Line[Record] = Line()
        self.is_open = True


class Candidates:
    """An event queue with a line for each subscriber, and one of orphans, which are for any.

    An own event goes once to each session of each subscriber; a copy goes to its target, or to anybody once its
    target's session has ended. The sessions of a subscriber are numbered upwards. Beyond `capacity` subscribers the one
    whose session began first is forgotten.
    """

    __slots__ = ("_orphans", "_sessions", "capacity", "queue")

    def __init__(self, capacity: int = 256) -> None:
        self.capacity = capacity
        self.queue: EventQueue[Record] = EventQueue()  # to look into; changed by the methods below only
        self._sessions: dict[NodeId, _Session] = {}  # in the order in which they began
        self._orphans: Line[Record] = Line()

    def open(self, subscriber: NodeId, number: int) -> None:
        """A session begins or goes on. One with a new number is offered all own events again."""
        session = self._sessions.get(subscriber)
        if session is None or session.number != number:
            self._sessions.pop(subscriber, None)
            session = self._sessions[subscriber] = _Session(number)
            for record in self.queue.meant_for(None):
                session.line.add(record)
        session.is_open = True
        for record in self.queue.meant_for(subscriber):
            self._orphans.discard(record)
            session.line.add(record)
        if len(self._sessions) > self.capacity:
            self._forget(next(iter(self._sessions)))

    def close(self, subscriber: NodeId) -> None:
        """Its session has ended: the copies on their way to it are orphans."""
        session = self._sessions.get(subscriber)
        if session is None or not session.is_open:
            return
        session.is_open = False
        for record in self.queue.meant_for(subscriber):
            session.line.discard(record)
            self._orphans.add(record)

    def admit(self, record: Record, policy: QueuePolicy) -> Record | None:
        """Keeps it if the policy lets it; returns who goes for want of room: nobody, one that was kept, or itself."""
        loser = self.queue.admit(record, policy)
        if loser is not record:
            self._line_up(record)
        return loser

    def remove(self, record: Record) -> None:
        """It is kept no longer; one that is not kept is no matter."""
        self.queue.remove(record)

    def choose(self, subscribers: Iterable[NodeId]) -> tuple[NodeId, Record] | None:
        """The best record for one of these, and for whom; it stays until it is `sent` or removed.

        Who has no open session gets nothing. Of two for whom the same record is best, the first is chosen.
        """
        chosen: NodeId | None = None
        best: Entry | None = None
        orphan = self._orphans.top()
        for subscriber in subscribers:
            session = self._sessions.get(subscriber)
            if session is None or not session.is_open:
                continue
            top = session.line.top()
            if top is None or (orphan is not None and orphan < top):
                top = orphan
            if top is not None and (best is None or top < best):
                chosen, best = subscriber, top
        return None if chosen is None or best is None else (chosen, best[-1])

    def sent(self, record: Record, subscriber: NodeId, policy: QueuePolicy) -> bool:
        """Somebody has heard it: a copy is gone, an own event does not go to this session again.

        True when the own event was sent often enough, and is dropped. A frame that nobody heard changes nothing.
        """
        if record.kind is not Kind.OWN:
            self.queue.remove(record)
            return False
        session = self._sessions.get(subscriber)
        if session is not None:
            session.line.discard(record)
        is_spent = self.queue.count_sent(record, policy)
        if is_spent:
            self.queue.remove(record)
        return is_spent

    def is_open(self, subscriber: NodeId) -> bool:
        """True while its session lasts."""
        session = self._sessions.get(subscriber)
        return session is not None and session.is_open

    def __len__(self) -> int:
        return len(self.queue)

    def _line_up(self, record: Record) -> None:
        if record.kind is Kind.OWN:
            for session in self._sessions.values():
                session.line.add(record)
            return
        assert record.target is not None, record.event.id
        target = self._sessions.get(record.target)
        (target.line if target is not None and target.is_open else self._orphans).add(record)

    def _forget(self, subscriber: NodeId) -> None:
        self.close(subscriber)
        del self._sessions[subscriber]
