"""What no protocol of a class can beat in a field of sensors and passing subscribers, from its contacts alone.

Each bound supposes unlimited storage and frames that take no time, so nothing of the simulator, of a protocol or of a
trace is needed here, only who is in contact with whom and when. Times are whole microseconds, as in a trace. Delivery
is possible while a contact lasts; carriers take and drop events then too. A contact is over at its last microsecond,
so a carrier brings nothing from the community that it enters to the one that it leaves. See docs/reference/parts.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]  # µs
Numbers = NDArray[np.int64]
Reach = Literal["direct", "community", "interested", "epidemic"]

REACHES: tuple[Reach, ...] = (
    "direct",
    "community",
    "interested",
    "epidemic",
)  # each at least as good as the one before
NEVER = np.iinfo(np.int64).max


class Contacts(NamedTuple):
    """A subscriber in range of a sensor from `since` until just before `until`: a column each."""

    subscriber: Numbers
    sensor: Numbers
    since: Times
    until: Times


@dataclass(frozen=True)
class Plan:
    """All that a bound depends on. Sensors, subscribers and events are numbered from 0."""

    community: Numbers  # by sensor: a number that all sensors share that can reach each other
    contacts: Contacts
    sensor: Numbers  # by event: who published it
    when: Times  # by event
    expires: Times  # by event: delivered later, it does not count
    wanted: NDArray[np.bool_]  # by event and subscriber

    @property
    def subscribers(self) -> int:
        """How many there are."""
        return int(self.wanted.shape[1])


class Bound(NamedTuple):
    """The most that a class of protocols can deliver."""

    expected: int  # pairs (event, subscriber)
    delivered: int
    delivery_ratio: float | None  # None where nothing is expected
    delay_mean: float | None  # s, over the delivered pairs


def bound(plan: Plan, reach: Reach) -> Bound:
    """The bound of one class: `direct` contact only, `community` contact, with `interested` or all carriers."""
    first = earliest(plan, reach)
    in_time = plan.wanted & (first <= plan.expires[:, None])
    expected, delivered = int(plan.wanted.sum()), int(in_time.sum())
    delays = (first - plan.when[:, None])[in_time]
    return Bound(
        expected,
        delivered,
        delivered / expected if expected else None,
        float(delays.mean()) / 1e6 if delivered else None,
    )


def earliest(plan: Plan, reach: Reach) -> Times:
    """When each event can first be at each subscriber that wants it (µs); `NEVER` for all other pairs."""
    if reach in ("direct", "community"):
        return _earliest_contact(plan, np.arange(len(plan.community)) if reach == "direct" else plan.community)
    return _Spread(plan, reach).run()


def impossible(plan: Plan, reach: Reach, event: Numbers, subscriber: Numbers, when: Times) -> Numbers:
    """Which of these deliveries, numbered from 0, were made before the class allows; unwanted ones are not judged."""
    early = when < earliest(plan, reach)[event, subscriber]
    return np.flatnonzero(early & plan.wanted[event, subscriber])


def cell_contacts(
    cells: NDArray[np.int64], subscriber: Numbers, passed: NDArray[np.int64], since: Times, until: Times
) -> Contacts:
    """Contacts of subscribers that pass cells with the sensors in the same cell and the eight around it."""
    near = np.abs(passed[:, None, :] - cells[None, :, :]).max(axis=2) <= 1
    passage, sensor = np.nonzero(near & (since < until)[:, None])
    return Contacts(subscriber[passage], sensor, since[passage], until[passage])


def cell_communities(cells: NDArray[np.int64]) -> Numbers:
    """By sensor, the smallest number of a sensor that it can reach over sensors in the same or adjacent cells."""
    near = np.abs(cells[:, None, :] - cells[None, :, :]).max(axis=2) <= 1
    label = np.arange(len(cells))
    while True:
        smaller = np.where(near, label[None, :], len(cells)).min(axis=1, initial=len(cells))
        if np.array_equal(smaller, label):
            return label
        label = smaller


def _earliest_contact(plan: Plan, place: Numbers) -> Times:
    """First contact of a subscriber with the place of an event, its sensor or its community, once it is published."""
    first = np.full(plan.wanted.shape, NEVER)
    contacts = plan.contacts
    event, subscriber = np.nonzero(plan.wanted)
    if not len(contacts.since) or not len(event):
        return first
    pair = contacts.subscriber * (len(place) + 1) + place[contacts.sensor]
    wanted = subscriber * (len(place) + 1) + place[plan.sensor[event]]
    span = int(max(contacts.until.max(), plan.when.max())) + 1  # one axis of time a pair, one after the other
    order = np.lexsort((contacts.since, pair))
    ends = np.maximum.accumulate((pair * span + contacts.until)[order])
    index = np.searchsorted(ends, wanted * span + plan.when[event], side="right")  # the first that is not over
    met = index < len(order)
    chosen = order[index[met]]
    met[met] = pair[chosen] == wanted[met]
    chosen = order[index[met]]
    first[event[met], subscriber[met]] = np.maximum(contacts.since[chosen], plan.when[event[met]])
    return first


class _Spread:
    """Events that spread over communities and carriers. Who has what is one whole number, a bit an event."""

    def __init__(self, plan: Plan, reach: Reach) -> None:
        self.plan = plan
        places, self.place = np.unique(plan.community, return_inverse=True)
        self.first = np.full(plan.wanted.shape, NEVER)
        self.wanted = [_bits(column) for column in plan.wanted.T]
        everything = (1 << len(plan.when)) - 1
        # Subscribers come first, then communities.
        self.carried = self.wanted if reach == "interested" else [everything] * plan.subscribers
        self.carried = [*self.carried, *[everything] * len(places)]
        self.held = [0] * len(self.carried)
        self.peers: list[dict[int, None]] = [{} for _ in self.carried]  # in contact now

    def run(self) -> Times:
        """When each wanted event is first where it is wanted."""
        for now, what, *facts in sorted(self._happenings()):
            if what == 0:
                subscriber, community = facts
                del self.peers[subscriber][community], self.peers[community][subscriber]
            elif what == 1:
                self._meet(now, *facts)
            else:
                self._give(now, facts[0], 1 << facts[1])
        return self.first

    def _happenings(self) -> Iterator[tuple[int, int, int, int]]:
        """Contacts end (0), contacts begin (1), events are published (2): in this order at one time."""
        plan, base = self.plan, self.plan.subscribers
        for subscriber, community, since, until in _merged(plan.contacts, self.place):
            yield since, 1, subscriber, base + community
            yield until, 0, subscriber, base + community
        for event, (when, sensor) in enumerate(zip(plan.when.tolist(), plan.sensor.tolist(), strict=True)):
            yield when, 2, base + int(self.place[sensor]), event

    def _meet(self, now: int, subscriber: int, community: int) -> None:
        self.peers[subscriber][community] = None
        self.peers[community][subscriber] = None
        self._give(now, subscriber, self.held[community])
        self._give(now, community, self.held[subscriber])

    def _give(self, now: int, to: int, events: int) -> None:
        """Hands events to one, and on to all that are connected with it now."""
        waiting = deque([(to, events)])
        while waiting:
            to, events = waiting.popleft()
            news = events & self.carried[to] & ~self.held[to]
            if news:
                self.held[to] |= news
                if to < self.plan.subscribers:
                    self.first[list(_numbers(news & self.wanted[to])), to] = now
                waiting.extend((peer, news) for peer in self.peers[to])


def _merged(contacts: Contacts, place: Numbers) -> list[tuple[int, int, int, int]]:
    """Contacts with whole places, in the order of (subscriber, place, since); those that touch are one."""
    merged: list[tuple[int, int, int, int]] = []
    columns = (contacts.subscriber, place[contacts.sensor], contacts.since, contacts.until)
    for row in sorted(zip(*(column.tolist() for column in columns), strict=True)):
        subscriber, where, since, until = row
        if merged and merged[-1][:2] == (subscriber, where) and since <= merged[-1][3]:
            merged[-1] = (subscriber, where, merged[-1][2], max(until, merged[-1][3]))
        else:
            merged.append(row)
    return merged


def _bits(truths: Iterable[np.bool_]) -> int:
    """The whole number whose bit n is the nth truth."""
    return int.from_bytes(np.packbits(np.asarray(truths), bitorder="little").tobytes(), "little")


def _numbers(bits: int) -> Iterator[int]:
    """Which bits are set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
