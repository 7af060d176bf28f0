"""A leg: what a node that travels knows about where it goes."""

from __future__ import annotations

import msgspec

from motecast.core.pubsub import Position


class Leg(msgspec.Struct, frozen=True, array_like=True):
    """A straight travel at constant speed. What comes after it, a pause or another leg, is not known.

    >>> leg = Leg(start=10.0, origin=(0.0, 0.0), to=(30.0, 40.0), speed=2.0, arrival=35.0)
    >>> leg.at(22.5)
    (15.0, 20.0)
    """

    start: float  # s, by the clock of the node that says it
    origin: Position  # where it begins
    to: Position  # where it ends
    speed: float  # field units a second
    arrival: float  # s

    def at(self, when: float) -> Position:
        """Where the node is at a time; before the start at its origin, after the arrival at its end."""
        if when >= self.arrival:
            return self.to
        share = max(0.0, (when - self.start) / (self.arrival - self.start))
        (x, y), (to_x, to_y) = self.origin, self.to
        return x + (to_x - x) * share, y + (to_y - y) * share
