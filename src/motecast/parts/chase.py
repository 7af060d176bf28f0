"""How a community reaches a subscriber that passes by: along the cells of its path, as they are announced."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from motecast.core.pubsub import NodeId
from motecast.parts.cells import Passage
from motecast.parts.communities import Community

HOP = 0.15  # s a hop; ours: 0.05 to 1 s made no visible difference
MARGIN = 0.3  # s that a window must still last; ours: 0.3 to 1 s made no visible difference
CHASES = 1024  # values kept for reuse, as sensors of one community ask for the same

Path = tuple[Passage, ...]  # what is left of a leg, in order


class Window(NamedTuple):
    """From when until when a subscriber is in range of a sensor."""

    enters: float  # s
    leaves: float  # s


class Level(NamedTuple):
    """A sensor's place in the routing graph of one subscriber: hops to the set Z, and who is one nearer."""

    level: int
    parents: tuple[NodeId, ...]


class Chase:
    """A value of a community and a path: which sensors the subscriber passes when, and the way to them at any time."""

    __slots__ = ("_distances", "community", "hop", "margin", "path", "windows")

    def __init__(self, community: Community, path: Path, hop: float = HOP, margin: float = MARGIN) -> None:
        self.community = community
        self.path = path
        self.hop = hop
        self.margin = margin
        self.windows = {sensor: found for sensor in community.sensors if (found := windows(community, sensor, path))}
        self._distances: dict[int, dict[NodeId, float]] = {}

    @property
    def zone(self) -> tuple[NodeId, ...]:
        """The set Z: sensors that can communicate directly with the subscriber on its path, in rising order (§4.1d)."""
        return tuple(self.windows)

    def until(self, linger: float) -> float | None:
        """When the session ends; None if the path does not touch the community.

        That is when the path leaves the community for the last time. If it ends there, the subscriber pauses for an
        unknown time, so the session goes on for `linger` seconds after its arrival.
        """
        last = max((found[-1].leaves for found in self.windows.values()), default=None)
        if last is None or not self.community.touches(self.path[-1].cell):
            return last
        return self.path[-1].leaves + linger

    def step(self, now: float) -> int:
        """Which cell of the path the subscriber is in; the number of cells when it has arrived."""
        if not self.path or now >= self.path[-1].leaves:
            return len(self.path)
        return max(0, bisect_right(self.path, now, key=lambda passage: passage.enters) - 1)

    def distances(self, now: float) -> Mapping[NodeId, float]:
        """Seconds from each sensor to a meeting, hops and waiting together; without those that cannot meet it any more.

        They are found once for each cell of the path, as of the moment at which the subscriber enters it.
        """
        step = self.step(now)
        if step >= len(self.path):
            return {}
        found = self._distances.get(step)
        if found is None:
            found = self._distances[step] = self._relaxed(self.path[step].enters)
        return found

    def next_hops(self, sensor: NodeId, now: float) -> tuple[NodeId, ...]:
        """The neighbours that are at least a hop nearer: none when it is best to wait here, or of no use."""
        distances = self.distances(now)
        most = distances.get(sensor)
        if most is None:
            return ()
        links = self.community.links[sensor]
        return tuple(peer for peer in links if distances[peer] + self.hop <= most)

    def __reduce__(self) -> tuple[object, ...]:
        return chase_of, (self.community, self.path, self.hop, self.margin)

    def _relaxed(self, now: float) -> dict[NodeId, float]:
        """All hops cost the same, so what is relaxed comes in order by itself: two sorted lists instead of a heap."""
        meetings = deque(sorted((self._wait(found, now), sensor) for sensor, found in self.windows.items()))
        relayed: deque[tuple[float, NodeId]] = deque()
        distances: dict[NodeId, float] = {}
        while meetings or relayed:
            nearest = relayed if not meetings or (relayed and relayed[0] < meetings[0]) else meetings
            distance, sensor = nearest.popleft()
            if sensor in distances or distance == float("inf"):
                continue
            distances[sensor] = distance
            relayed.extend((distance + self.hop, peer) for peer in self.community.links[sensor])
        return distances

    def _wait(self, found: tuple[Window, ...], now: float) -> float:
        """Seconds until the first window that lasts long enough."""
        return next((max(0.0, w.enters - now) for w in found if w.leaves >= now + self.margin), float("inf"))


def chase_of(community: Community, path: Path, hop: float = HOP, margin: float = MARGIN) -> Chase:
    """The chase of a path by a community. Equal arguments give the same object, which remembers what it has found."""
    return _shared(community, path, hop, margin)


@lru_cache(CHASES)
def _shared(community: Community, path: Path, hop: float, margin: float) -> Chase:
    return Chase(community, path, hop, margin)


def windows(community: Community, sensor: NodeId, path: Iterable[Passage]) -> tuple[Window, ...]:
    """When the path is within one cell of a sensor; passages that follow each other are one window."""
    column, row = community.cells[sensor]
    found: list[Window] = []
    for (x, y), enters, leaves in path:
        if not (-1 <= x - column <= 1 and -1 <= y - row <= 1):
            continue
        if found and found[-1].leaves == enters:
            found[-1] = Window(found[-1].enters, leaves)
        else:
            found.append(Window(enters, leaves))
    return tuple(found)


def levels(community: Community, zone: Iterable[NodeId]) -> dict[NodeId, Level]:
    """The routing graph that CED's flood of NODE_ID builds, found at once: empty when the set Z is (§4.1, Figure 2)."""
    level = dict.fromkeys(sorted(zone), 0)
    waiting = deque(level)
    while waiting:
        sensor = waiting.popleft()
        for peer in community.links[sensor]:
            if peer not in level:
                level[peer] = level[sensor] + 1
                waiting.append(peer)
    return {sensor: Level(own, _nearer(community, level, sensor)) for sensor, own in level.items()}


def _nearer(community: Community, level: Mapping[NodeId, int], sensor: NodeId) -> tuple[NodeId, ...]:
    return tuple(peer for peer in community.links[sensor] if level[peer] == level[sensor] - 1)
