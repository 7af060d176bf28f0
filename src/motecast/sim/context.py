"""The door of the simulated world. Meant to be read beside the live host's."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from motecast.core import Node, Notify, WireError
from motecast.trace.builder import NONE, Extra
from motecast.trace.scribe import Scribe

if TYPE_CHECKING:
    from motecast.core import EventId, Grid, Leg, Message, NodeId, Position, Signal, Timer
    from motecast.sim.host import Host
    from motecast.sim.world import World


class SimContext(Scribe):
    """What a layer of one simulated node knows and can do."""

    __slots__ = ("_kernel", "_medium", "_rng", "alarms", "host", "place", "reach")

    _world: World

    def __init__(self, host: Host, node: Node, port: int) -> None:
        world = host.world
        super().__init__(world, node, port, world.kernel.errands, host.codes[port])
        self.host = host
        self.place = host.first_port + port  # the port by which the trace knows this layer
        self.reach = host.reach[port]  # message type -> what it does to those who hear it
        # When each is due, and when the calendar says so. Made with the first: most layers of most nodes set none.
        self.alarms: dict[Timer, tuple[int, int]] | None = None
        self._kernel = world.kernel
        self._medium = world.medium
        self._rng: Random | None = None

    @property
    def now(self) -> float:
        return self._world.clock(self.me)

    @property
    def position(self) -> Position:
        return self._world.positions[self.me]

    @property
    def leg(self) -> Leg | None:
        return None

    @property
    def grid(self) -> Grid | None:
        return self._world.grid

    @property
    def rng(self) -> Random:
        if self._rng is None:
            self._rng = Random(f"{self._world.seed}/{self.me}/{self.host.stack.ports[self.port]}")
        return self._rng

    @property
    def idle(self) -> bool:
        return self._medium.is_idle(self.me)

    def is_clear(self, peer: NodeId) -> bool:
        return self._medium.is_clear(self.me, peer)

    def send(self, to: NodeId, message: Message) -> None:
        try:
            self._medium.send(self, to, message)
        except WireError as error:
            self._medium.refuse(self, to, message, str(error))

    def broadcast(self, message: Message) -> None:
        try:
            self._medium.broadcast(self, message)
        except WireError as error:
            self._medium.refuse(self, None, message, str(error))

    def set_timer(self, timer: Timer, after: float) -> None:
        self.check_timer(timer, after)
        world = self._world
        due = world.kernel.now + world.microseconds(self.me, after)
        if self.alarms is None:
            self.alarms = {}
        entry = self.alarms[timer][1] if timer in self.alarms else None
        if entry is None or due < entry:  # one that is put off needs no entry of its own until the first comes due
            entry = due
            world.kernel.at(due, self.expire, timer, due)
        self.alarms[timer] = (due, entry)

    def expire(self, timer: Timer, entry: int) -> None:
        """An entry of the calendar came due: an alarm, unless it was moved or the node has died meanwhile."""
        if self.alarms is None or timer not in self.alarms or self.alarms[timer][1] != entry:
            return
        if self.me in self._world.asleep:
            self._world.later(self.me, self.expire, timer, entry)
            return
        due = self.alarms[timer][0]
        if due > self._kernel.now:
            self.alarms[timer] = (due, due)
            self._kernel.at(due, self.expire, timer, due)
            return
        del self.alarms[timer]
        if "timer" in self._codes:
            self.put("timer", Extra(detail=repr(timer)))
        self._timers[type(timer)](self.node.layers[self.port], self, timer)

    def note(self, what: str, event: EventId | None = None, **facts: Any) -> None:
        code = self._noted.get(what)
        if code is not None and event is not None and not facts:  # nine of ten receptions of a flood come here
            publisher, number = event
            rows = self._rows
            rows += (self._kernel.now, self.me, code, publisher, number, NONE)
        else:
            super().note(what, event, **facts)

    def application(self, signal: Signal) -> None:
        if type(signal) is Notify and signal.hops is not None and not (signal.gap or signal.history):  # and others here
            publisher, number = signal.event.id
            rows = self._rows
            rows += (self._kernel.now, self.me, self._codes["deliver"], publisher, number, -2 - signal.hops)
        else:
            super().application(signal)


class MovingContext(SimContext):
    """The same where nodes move: a static field does not pay for looking up where a node is."""

    __slots__ = ()

    @property
    def position(self) -> Position:
        return self._world.position(self.me)

    @property
    def leg(self) -> Leg | None:
        return self._world.moving.leg(self.me)
