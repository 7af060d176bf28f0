"""What a sensor of CED knows of the subscribers that pass its community: their sessions, and the way to them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from motecast.core import NodeId, Timer
from motecast.protocols.ced.messages import NodeIdMessage, Path
from motecast.protocols.ced.walk import is_time

CELLS = 512  # of one path; our guess. A longer one is rejected
FAR = 1e6  # s; a path that ends later than so is rejected
INFINITE = math.inf  # the level of a sensor that no node ID message has reached


class Begin(Timer):
    """Applications have said what they want, so it is known who is a subscriber."""


class Settle(Timer):
    """The neighbours of this sensor have changed, and no longer do."""


class Greet(Timer):
    """A subscription is new."""


class Expire(Timer):
    """The oldest event is too old."""


class End(Timer):
    """The session of a subscriber with this community may be over."""

    subscriber: NodeId


class Route:
    """The session of one subscriber, and this sensor's place in its routing graph."""

    __slots__ = ("level", "number", "parents", "seq", "turn", "until")

    def __init__(self, number: int, seq: int, until: float) -> None:
        self.number = number
        self.seq = seq
        self.until = until  # s; when the session ends
        self.level = INFINITE  # hops to the set Z
        self.parents: list[NodeId] = []  # neighbours one hop nearer
        self.turn = 0  # of the even split

    def next_parent(self) -> NodeId:
        """Whose turn it is."""
        return self.parents[self.turn % len(self.parents)]


class Routes:
    """By subscriber its route; `ways` are those that have parents."""

    __slots__ = ("_known", "ways")

    def __init__(self) -> None:
        self._known: dict[NodeId, Route] = {}
        self.ways: dict[NodeId, Route] = {}

    def get(self, subscriber: NodeId) -> Route | None:
        """What is known of its session."""
        return self._known.get(subscriber)

    def open(self, path: Path, until: float, capacity: int) -> list[NodeId]:
        """A session begins, or goes on by another path: levels are found anew. Returns who is forgotten for it."""
        self._known.pop(path.subscriber, None)
        self.ways.pop(path.subscriber, None)
        gone = list(self._known)[: max(0, len(self._known) - capacity + 1)]
        for subscriber in gone:
            del self._known[subscriber]
            self.ways.pop(subscriber, None)
        self._known[path.subscriber] = Route(path.session, path.seq, until)
        return gone

    def learn(self, said: NodeIdMessage, sender: NodeId) -> bool:
        """A neighbour's level; True when this sensor has a new one, which is one more."""
        route = self._known[said.subscriber]
        is_nearer = route.level > said.level + 1
        if is_nearer:
            route.level, route.parents = said.level + 1, [sender]
        elif route.level == said.level + 1 and sender not in route.parents:
            route.parents.append(sender)
        if route.parents:
            self.ways[said.subscriber] = route
        return is_nearer

    def close(self, subscriber: NodeId, route: Route) -> None:
        """The session is over; which one it was stays known."""
        route.level, route.parents = INFINITE, []
        self.ways.pop(subscriber, None)

    def lose(self, parent: NodeId) -> None:
        """A neighbour is gone."""
        for subscriber, route in tuple(self.ways.items()):
            route.parents = [other for other in route.parents if other != parent]
            if not route.parents:
                del self.ways[subscriber]

    def within(self, contacts: Mapping[NodeId, float], now: float) -> list[NodeId]:
        """The subscribers that are in range, or to which there is a way."""
        near = [subscriber for subscriber, until in contacts.items() if until > now]
        return near + [subscriber for subscriber in self.ways if subscriber not in near]

    def items(self) -> tuple[tuple[NodeId, Route], ...]:
        """All of them."""
        return tuple(self._known.items())

    def __contains__(self, subscriber: NodeId) -> bool:
        return subscriber in self._known

    def __getitem__(self, subscriber: NodeId) -> Route:
        return self._known[subscriber]

    def __len__(self) -> int:
        return len(self._known)


def is_sound(path: Path, now: float) -> bool:
    """False for a path that nobody can walk: no cells, too many, or times that are none or in no order."""
    passages = path.passages
    if not 0 < len(passages) <= CELLS or not passages[-1].leaves <= now + FAR:
        return False
    times = [time for passage in passages for time in (passage.enters, passage.leaves)]
    return all(map(is_time, times)) and times == sorted(times)
