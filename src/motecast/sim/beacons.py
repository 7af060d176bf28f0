"""Neighbour discovery that is paid for: every node says now and then that it is there. A layer below the stack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from motecast.core import (
    Context,
    Layer,
    Message,
    NodeId,
    Radio,
    Service,
    Signal,
    Stack,
    Timer,
    expired,
    received,
    started,
    state,
)
from motecast.sim.context import SimContext

if TYPE_CHECKING:
    from motecast.sim.scenario import Beacon as Settings

_FRAMING = 6  # bytes of port, tag, array and byte string headers


class Beacon(Message):
    """I am here. The filling makes it as long as the scenario says."""

    filling: bytes


class Again(Timer):
    """The next beacon is due."""


class Heard(Signal):
    """Told: this peer is in reach."""

    peer: NodeId


class Lost(Signal):
    """Told: nothing was heard of this peer for too long."""

    peer: NodeId


class Neighbours(Service):
    """Who is in reach."""

    tells = (Heard, Lost)


@dataclass
class Beacons(Layer):
    """A peer is linked with its first beacon and unlinked when `missed` periods passed without one."""

    above = Neighbours
    below = Radio

    period: Annotated[float, Meta(gt=0)] = 1.0  # s; our guess
    size: Annotated[int, Meta(ge=_FRAMING, le=255)] = 20  # bytes; our guess: a frame header and an address
    missed: Annotated[float, Meta(gt=0)] = 3.0  # periods; our guess

    heard: dict[NodeId, float] = state(dict)

    @classmethod
    def stack(cls, settings: Settings) -> Stack:
        """The stack that every node runs below its own."""
        return Stack(cls(settings.period, settings.size, settings.missed))

    @started
    def begin(self, ctx: Context) -> None:
        ctx.set_timer(Again(), ctx.rng.uniform(0.0, self.period))

    @expired(Again)
    def speak(self, ctx: Context, timer: Again) -> None:
        ctx.broadcast(Beacon(bytes(self.size - _FRAMING)))
        ctx.set_timer(timer, self.period)
        for peer in [p for p, when in self.heard.items() if ctx.now - when > self.missed * self.period]:
            del self.heard[peer]
            ctx.up(Lost(peer))

    @received(Beacon)
    def hear(self, ctx: Context, sender: NodeId, beacon: Beacon) -> None:
        if sender not in self.heard:
            ctx.up(Heard(sender))
        self.heard[sender] = ctx.now


class BeaconDoor(SimContext):
    """What the beacons find out reaches the node's own stack."""

    __slots__ = ()

    def application(self, signal: Signal) -> None:
        match signal:
            case Heard(peer):
                self._world.neighbours.linked(self.me, peer)
            case Lost(peer):
                self._world.neighbours.unlinked(self.me, peer)
