"""How nodes move: straight travels at constant speed, one after the other, with stays between them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from motecast.core import Position


class Travel(NamedTuple):
    """From one place to another; it takes at least one tick."""

    start: int  # ticks, microseconds
    end: int
    origin: Position
    to: Position

    @property
    def speed(self) -> float:
        """Metres a second."""
        return math.dist(self.origin, self.to) / (self.end - self.start) * 1e6

    def at(self, tick: int) -> Position:
        """Where the node is; exact at both ends."""
        if tick >= self.end:
            return self.to
        share = (tick - self.start) / (self.end - self.start)
        (x, y), (to_x, to_y) = self.origin, self.to
        return x + (to_x - x) * share, y + (to_y - y) * share


class Track:
    """The travels of one node in order of time. Before the first it is at home, after each where that ended."""

    __slots__ = ("_starts", "home", "travels")

    def __init__(self, home: Position, travels: Sequence[Travel] = ()) -> None:
        self.home = home
        self.travels = list(travels)
        self._starts = [travel.start for travel in self.travels]
        for one, other in pairwise(self.travels):
            assert one.start < one.end <= other.start, f"{one} and {other} overlap"

    def at(self, tick: int) -> Position:
        """Where the node is."""
        index = bisect_right(self._starts, tick) - 1
        return self.home if index < 0 else self.travels[index].at(tick)

    def travel(self, tick: int) -> Travel | None:
        """The travel that the node is on; None while it stands."""
        index = bisect_right(self._starts, tick) - 1
        return self.travels[index] if index >= 0 and tick < self.travels[index].end else None


def track_through(points: Sequence[tuple[int, Position]]) -> Track:
    """Through these places at these ticks; where two in a row are the same place, the node stands."""
    travels = [Travel(start, end, origin, to) for (start, origin), (end, to) in pairwise(points) if origin != to]
    return Track(points[0][1], travels)


def points_of(track: Track, until: int) -> list[tuple[int, Position]]:
    """The places through which a track goes and their ticks, as `track_through` takes them; at least to `until`."""
    points = [(0, track.home)]
    for travel in track.travels:
        if travel.start > points[-1][0]:
            points.append((travel.start, points[-1][1]))
        points.append((travel.end, travel.to))
    if points[-1][0] < until:
        points.append((until, points[-1][1]))
    return points
