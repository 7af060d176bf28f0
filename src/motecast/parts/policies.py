"""Queue policies: values that say who goes first, who has gone often enough, and who goes when a queue is full."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from motecast.core import convert
from motecast.parts.queues import EventQueue, Kept, Kind, Record

Places = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(gt=0)]


class _Policy(msgspec.Struct, frozen=True):
    """Refuses a newcomer when it is full, and sends anything as often as asked."""

    def __post_init__(self) -> None:
        for field in msgspec.structs.fields(self):
            _check(f"{type(self).__name__}.{field.name}", getattr(self, field.name), field.type)

    def is_spent(self, record: Record) -> bool:
        """True when it was sent so often that it is dropped: never."""
        return False

    def loser(self, kept: Iterable[Kept], newcomer: Kept) -> Kept:
        """Who goes when the queue is full: the newcomer."""
        return newcomer


class CedQueue(_Policy, frozen=True):
    """The fewest successful deliveries first, then the youngest [Liu et al. 2009, §4.2]; a newcomer to a full queue is
    refused: 'no more events will be accepted'."""

    alpha: Annotated[int, Meta(ge=0)] | None = 20  # Table 1; sent more often than this, it is dropped. None: never
    capacity: Places = 200  # records; Table 1
    max_age: Seconds = 2000.0  # s; Table 1, "maximum delay tolerant value"

    def rank(self, record: Record) -> tuple[float, ...]:
        """The fewest transmissions by the source first, then the youngest by survival time."""
        # §4.2.C says both "decreasing order" and "smaller … first"; the latter is the stated purpose.
        return (record.sent, -record.born)

    def is_spent(self, record: Record) -> bool:
        """'Once the successful delivery time of an event is larger than a value, for example α': dropped."""
        return self.alpha is not None and record.sent > self.alpha


class DropTail(_Policy, frozen=True):
    """The oldest first; a newcomer to a full queue is refused."""

    capacity: Places = 200  # records
    max_age: Seconds = 2000.0  # s

    def rank(self, record: Record) -> tuple[float, ...]:
        """The oldest first."""
        return (record.born,)


class RideQueue(_Policy, frozen=True):
    """The youngest first; a full queue makes room for an event of its own, and never gives one up (ours)."""

    capacity: Places = 200  # records; Table 1
    max_age: Seconds = 2000.0  # s; Table 1
    custody: Annotated[int, Meta(ge=0)] = 100  # records; custody is accepted while there are fewer; ours, see the study

    def rank(self, record: Record) -> tuple[float, ...]:
        """The youngest first; the earliest deadline first made no difference."""
        return (-record.born,)

    def accepts_custody(self, queue: EventQueue[Any]) -> bool:
        """True while there is room to spare for events of others."""
        return len(queue) < min(self.custody, self.capacity)

    def loser(self, kept: Iterable[Kept], newcomer: Kept) -> Kept:
        """For an own event the oldest copy on its way goes, or else the oldest custody; never an own one."""
        if newcomer.kind is not Kind.OWN:
            return newcomer
        others = (record for record in kept if record.kind is not Kind.OWN)
        return max(others, key=lambda record: (record.kind, -record.born), default=newcomer)


def _check(place: str, value: object, hint: object) -> None:
    if isinstance(value, float) and math.isinf(value) and value > 0:
        return  # no limit of age
    convert(place, value, hint)
