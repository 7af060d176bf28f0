"""The alarms and limits of CED-Ride, and what is in the air."""

from __future__ import annotations

from motecast.core import NodeId, Timer
from motecast.parts.policies import RideQueue
from motecast.protocols.ced.carrier import Carry
from motecast.protocols.ced.custody import Holding

OUTBOX = 4096  # control frames that wait for the radio; ours: more than a flood of a large community
REPORTS = 4096  # deliveries that a sensor has not told others of yet; our guess
OFFERS = 4096  # questions that wait at one sensor for one subscriber; our guess
CONTACTS = 256  # subscribers in range; our guess
HAS = 1024  # subscribers that a peer may name for one event; our guess
SWEEP = 30.0  # s; how often old records are looked for. None is sent that is too old
REPORT = 3.0  # s; deliveries of this time are reported together
ANSWERED = 0.3  # s; so long after an offer to the sensors in range all have answered
GATHER = 0.2  # s; questions of this time travel together
SOON = 0.001  # s; a cell that is left so soon is left already: clocks are rounded
BUSY = 0.1  # s; a carrier that is receiving looks again after this
SETTLE = 0.5  # s; neighbours that are heard within this are one change
QUEUE = RideQueue()


# Timers


class Begin(Timer):
    """All applications have said what they want at the beginning, so a node knows what it is."""


class Settle(Timer):
    """The neighbours of this sensor have changed, and no more changes have come since."""


class Over(Timer):
    """A session should be over."""

    subscriber: NodeId
    session: int


class Gather(Timer):
    """Questions for this subscriber have waited for others long enough."""

    subscriber: NodeId


class Report(Timer):
    """Time to tell custodians what was delivered."""


class Wake(Timer):
    """A subscriber has come into its next cell, so there may be a way to it now."""


class Unload(Timer):
    """The sensors in range have answered what they need."""

    community: NodeId


class Look(Timer):
    """A carrier that was receiving may have a pause now."""


class Sweep(Timer):
    """Some records may be too old."""


class Flight:
    """The event frame that is in the air."""

    __slots__ = ("carry", "holding", "is_ticket", "subscriber", "visited")

    def __init__(self, holding: Holding | None, subscriber: NodeId | None, carry: Carry | None = None) -> None:
        self.holding = holding
        self.subscriber = subscriber
        self.carry = carry
        self.is_ticket = False
        self.visited: NodeId | None = None  # the community that a carrier hands it to
