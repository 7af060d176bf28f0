"""What sensors and subscribers say to each other [Liu et al. 2009, §4.1]. The sizes are those of a prototype of ours.

The paper gives a size for events only (Table 1); we charge every control message as much.
"""

from __future__ import annotations

from motecast.core import Event, Message, NodeId, Subscription
from motecast.parts.cells import Cell, Passage

BITS = 250  # Table 1, "size of each event"; for control messages our guess


class Hello(Message):
    """A subscriber that has come into a cell, to all who hear it: 'it will broadcast Hello messages' (§4.1a)."""

    bits = BITS

    subscriber: NodeId
    cell: Cell
    leave: float  # s; when it will leave the cell or stand still, as it moves now
    profile: tuple[Subscription, ...] = ()  # what it wants; CED leaves that out


class HelloReply(Message):
    """A sensor's answer: 'information, including community numbers, grid numbers and their ID numbers' (§4.1a)."""

    bits = BITS

    sensor: NodeId
    cell: Cell
    community: NodeId  # the smallest sensor in it, as far as the sensor knows


class Serve(Message):
    """A subscriber to the one sensor that is to serve it until it leaves its cell; for `dg-naive` only (ours)."""

    bits = BITS

    leave: float  # s
    profile: tuple[Subscription, ...]


class Path(Message):
    """The rest of a subscriber's leg, flooded in one community (§4.1b, c)."""

    bits = BITS

    subscriber: NodeId
    community: NodeId  # whom it is for, as a sensor has said in its reply
    session: int  # of this subscriber; numbers rise
    seq: int  # within the session, from 0: the next leg is the next one
    passages: tuple[Passage, ...]  # cells in order, with the times (s) at which it enters and leaves them
    profile: tuple[Subscription, ...] = ()  # what it wants; CED leaves that out


class NodeIdMessage(Message):
    """A sensor's place in the routing graph of one subscriber: 'broadcasts its node ID message' (§4.1)."""

    bits = BITS

    subscriber: NodeId
    session: int
    seq: int
    sensor: NodeId
    level: int  # hops to the set Z of the community


class EventCopy(Message):
    """An event on its way. Survival time is now − `event.when`: 'the survival time remains the same' (§4.2A)."""

    carries = "event"
    bits = BITS

    event: Event
    sent: int  # §4.2B, "event's successful delivery time": how often its source has sent it
    target: NodeId  # the subscriber whose session it is sent for
