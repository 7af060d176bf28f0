"""What a subscriber knows of its own way: 'all the grids that a subscriber crosses can be easily acquired' (§4.1)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable

from motecast.core import Context, Event, EventId, Leg, Missing, Notify, Passage, Subscription
from motecast.parts.interests import Interests
from motecast.parts.recent import Recent

INSIDE = 1e-5  # s; who is so near the edge of a cell is in the next one: times are rounded to 1e-6
REMEMBERED = 131_072  # events that a subscriber has had; our guess: all of a run
PROFILE = 64  # subscriptions that a subscriber tells sensors of; our guess


class Walk:
    """The cells of the leg that a subscriber is on. They are found once a leg."""

    __slots__ = ("_leg", "_passages")

    def __init__(self) -> None:
        self._leg: Leg | None = None
        self._passages: tuple[Passage, ...] = ()

    def rest(self, ctx: Context) -> tuple[Passage, ...]:
        """The cells that are left, the one where it is first; () while it stands, or where a field has no cells."""
        leg, grid, since = ctx.leg, ctx.grid, ctx.now + INSIDE
        if leg is None or grid is None:
            return ()
        known = self._leg
        if known is None or leg.to != known.to or leg.origin != known.origin:  # its times differ in the last digit
            self._leg, self._passages = leg, tuple(grid.passages(leg))
        gone = bisect_right(self._passages, since, key=_end)
        return self._passages[gone:] or self._passages[-1:]


def _end(passage: Passage) -> float:
    return passage.leaves


def interests_of(profile: Iterable[Subscription]) -> Interests | None:
    """What a peer says that it wants; None when that is too much."""
    found = Interests(PROFILE)
    return found if not [True for subscription in profile if not found.add(subscription)] else None


def is_time(value: float) -> bool:
    """True for a time that a peer may name."""
    return math.isfinite(value)


def is_over(event: Event, now: float) -> bool:
    """True when nobody wants the event any more."""
    return event.expires is not None and event.expires <= now


def match(ctx: Context, event: Event, interests: Interests, had: Recent[EventId]) -> None:
    """'Once a mobile subscriber node receives an event, it operates matching … immediately' (§4.1)."""
    if event.id in had:
        ctx.note("duplicate", event=event.id)
    elif is_over(event, ctx.now):
        ctx.note("drop", event=event.id, detail="expired")
    elif interests.wants(event):
        had.add(event.id)
        ctx.up(Notify(event))
    else:  # it passed by: an ordering layer above need not wait for it
        ctx.up(Missing(*event.id, event.id.number, proven=True, stamp=event.stamp))
