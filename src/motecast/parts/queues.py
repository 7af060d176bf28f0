"""Events that a node keeps until it can hand them on, under a policy that says which goes first and which must go.

A policy is a value, a parameter of a layer; the queue is its state, and is handed the policy where it matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Generic, Protocol, TypeVar

from motecast.core.pubsub import Event, EventId, NodeId
from motecast.parts.lines import Ranked

ROUNDING = 1e-6  # s; an alarm is as exact as this, so a record this much too young is old enough when it rings


class Kind(IntEnum):
    """Why a record is kept; the larger, the sooner it is given up."""

    OWN = 0  # published here
    CUSTODY = 1  # accepted for whoever still needs it
    COPY = 2  # on its way to one target; somebody else keeps the event


class Record(Ranked):
    """An event in a queue."""

    __slots__ = ("born", "event", "kind", "sent", "target")

    def __init__(
        self, event: Event, born: float, kind: Kind = Kind.OWN, target: NodeId | None = None, sent: int = 0
    ) -> None:
        self.entry = None  # not super(): a record is made for each frame that is received
        self.event = event
        self.born = born  # s, by this node's clock
        self.kind = kind
        self.target = target  # None: for anybody
        self.sent = sent  # how often its source has sent it


Kept = TypeVar("Kept", bound=Record)


class QueuePolicy(Protocol):
    """Who goes first, who has gone often enough, and who goes when the queue is full."""

    @property
    def capacity(self) -> int:
        """The most records that a queue holds."""

    @property
    def max_age(self) -> float:
        """Seconds after which nobody wants an event any longer."""

    def rank(self, record: Record) -> tuple[float, ...]:
        """The least is sent first. It may only rise while the record is kept."""

    def is_spent(self, record: Record) -> bool:
        """True when it was sent so often that it is dropped."""

    def loser(self, kept: Iterable[Kept], newcomer: Kept) -> Kept:
        """Who goes when the queue is full: one of those kept, or the newcomer, which is then refused."""


class EventQueue(Generic[Kept]):
    """Records by target and event, no more than the policy's capacity."""

    __slots__ = ("_by_target", "_serial", "_size")

    def __init__(self) -> None:
        self._by_target: dict[NodeId | None, dict[EventId, Kept]] = {}
        self._serial = 0
        self._size = 0

    def admit(self, record: Kept, policy: QueuePolicy) -> Kept | None:
        """Keeps it if the policy lets it; returns who goes for want of room: nobody, one that was kept, or itself."""
        loser = None
        if self._size >= policy.capacity:
            loser = policy.loser(self, record)
            if loser is record:
                return record
            self.remove(loser)
        self._serial += 1
        record.entry = (*policy.rank(record), self._serial, record)
        records = self._by_target.get(record.target)
        if records is None:
            records = self._by_target[record.target] = {}
        assert record.event.id not in records, f"{record.event.id} for {record.target} is kept already"
        records[record.event.id] = record
        self._size += 1
        return loser

    def remove(self, record: Kept) -> None:
        """It is kept no longer, and waits in no line; one that is not kept is no matter."""
        if record.entry is None:
            return
        record.entry = None
        records = self._by_target[record.target]
        del records[record.event.id]
        if not records:
            del self._by_target[record.target]
        self._size -= 1

    def count_sent(self, record: Kept, policy: QueuePolicy) -> bool:
        """One more transmission by its source; True when that was the last one, and it should be removed."""
        record.sent += 1
        if record.entry is not None:
            record.entry = (*policy.rank(record), record.entry[-2], record)
        return policy.is_spent(record)

    def find(self, event: EventId, target: NodeId | None = None) -> Kept | None:
        """The record of an event for a target, or None."""
        records = self._by_target.get(target)
        return None if records is None else records.get(event)

    def meant_for(self, target: NodeId | None) -> Iterable[Kept]:
        """The records for one target, in the order in which they came."""
        return tuple(self._by_target.get(target, {}).values())

    def expired(self, now: float, policy: QueuePolicy) -> list[Kept]:
        """What has reached the policy's largest age. Looks at all: it is for an alarm, not for each transmission."""
        latest = now - policy.max_age + ROUNDING
        return [record for record in self if record.born <= latest]

    def expires_in(self, now: float, policy: QueuePolicy) -> float | None:
        """Seconds until the oldest record expires; None when nothing is kept."""
        born = min((record.born for record in self), default=None)
        return None if born is None else max(0.0, born + policy.max_age - now)

    def __iter__(self) -> Iterator[Kept]:
        for records in self._by_target.values():
            yield from records.values()

    def __len__(self) -> int:
        return self._size
