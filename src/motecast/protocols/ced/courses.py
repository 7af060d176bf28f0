"""A subscriber's session with one community, as each of its sensors sees it: its course, and what waits for it."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

from motecast.core import NodeId
from motecast.parts.chase import Chase, Level, chase_of, levels
from motecast.parts.communities import Community
from motecast.parts.lines import Line
from motecast.protocols.ced.custody import Holding
from motecast.protocols.ced.ride_messages import Entry, RidePath

CELLS = 512  # of one leg; a longer path is refused
FAR = 1e9  # s; a path that ends later is refused
ROUTES = 4096  # values kept for reuse


class Course:
    """One session. `offers` are questions on their way to the subscriber, `line` are events for it."""

    __slots__ = ("_chase", "is_ready", "line", "number", "offers", "path", "searched", "seq", "subscriber")

    def __init__(self, path: RidePath) -> None:
        self.subscriber = path.profile.subscriber
        self.number = path.session
        self.seq = path.seq
        self.path = path.passages
        self.line: Line[Holding] = Line()
        self.offers: dict[tuple[NodeId, int, int], Entry] = {}
        self.is_ready = False  # the questions have been gathered
        self.searched = -1  # of the custody's serial numbers, for what it may take along
        self._chase: Chase | None = None

    @property
    def arrives(self) -> float:
        """When the subscriber stands still."""
        return self.path[-1].leaves

    def chase(self, community: Community) -> Chase:
        """The way to it in this community. It is looked up when the community or the path has changed."""
        found = self._chase
        if found is None or found.community is not community:
            found = self._chase = chase_of(community, self.path)
        return found

    def follow(self, path: RidePath) -> None:
        """The next leg of the same session."""
        self.seq = path.seq
        self.path = path.passages
        self._chase = None

    def changes(self, now: float) -> float | None:
        """When the subscriber enters the next cell of its path; None if it has arrived."""
        return next((passage.leaves for passage in self.path if passage.leaves > now), None)


def is_sound(path: RidePath, now: float) -> bool:
    """False for a path that nobody can travel."""
    passages = path.passages
    if not 0 < len(passages) <= CELLS:
        return False
    times = [time for passage in passages for time in (passage.enters, passage.leaves)]
    if not all(map(math.isfinite, times)) or times[-1] > now + FAR:
        return False
    return all(before <= after for before, after in pairwise(times))


@lru_cache(ROUTES)
def _routes(community: Community, to: NodeId) -> dict[NodeId, Level]:
    return levels(community, (to,)) if to in community.cells else {}


def toward(community: Community, me: NodeId, to: NodeId) -> NodeId | None:
    """The next sensor on a shortest way to another one of the community; None if there is none."""
    level = _routes(community, to).get(me)
    return level.parents[0] if level is not None and level.parents else None
