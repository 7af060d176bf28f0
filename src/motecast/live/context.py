"""The door of the real world. Meant to be read beside the simulator's."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from motecast.core import Node, Notify, events_of
from motecast.trace.builder import MICROSECONDS, Extra
from motecast.trace.scribe import Scribe

if TYPE_CHECKING:
    from asyncio import TimerHandle

    from motecast.core import Message, NodeId, Position, Signal, Timer
    from motecast.live.endpoint import Endpoint
    from motecast.live.world import World


class LiveContext(Scribe):
    """What a layer of one live node knows and can do."""

    __slots__ = ("_rng", "alarms", "endpoint")

    _world: World

    def __init__(self, endpoint: Endpoint, node: Node, port: int) -> None:
        world = endpoint.world
        super().__init__(world, node, port, world.errands, world.layer_codes[port])
        self.endpoint = endpoint
        self.alarms: dict[Timer, tuple[int, TimerHandle]] = {}  # when each is due, and the loop's alarm for it
        self._rng: Random | None = None

    @property
    def now(self) -> float:
        return self._world.now / MICROSECONDS

    @property
    def position(self) -> Position:
        return self._world.positions[self.me]

    @property
    def leg(self) -> None:
        """A live node does not say where it goes."""

    @property
    def grid(self) -> None:
        """A live field is not divided."""

    @property
    def rng(self) -> Random:
        if self._rng is None:
            self._rng = Random(f"{self._world.seed}/{self.me}/{self.node.stack.ports[self.port]}")
        return self._rng

    @property
    def idle(self) -> bool:
        return self.endpoint.is_idle

    def is_clear(self, peer: NodeId) -> bool:
        return self.endpoint.is_clear(peer)

    def send(self, to: NodeId, message: Message) -> None:
        self.endpoint.send(self, to, message)

    def broadcast(self, message: Message) -> None:
        self.endpoint.broadcast(self, message)

    def set_timer(self, timer: Timer, after: float) -> None:
        self.check_timer(timer, after)
        if timer in self.alarms:
            self.alarms[timer][1].cancel()
        due = self._world.now + round(after * MICROSECONDS)
        self.alarms[timer] = (due, self._world.at(due, self.expire, timer, due))

    def expire(self, timer: Timer, due: int) -> None:
        """The loop's alarm rang, unless the timer was moved between the ringing and now."""
        if self.alarms.get(timer, (None,))[0] != due:
            return
        del self.alarms[timer]
        if "timer" in self._codes:
            self.put("timer", Extra(detail=repr(timer)))
        self._timers[type(timer)](self.node.layers[self.port], self, timer)

    def application(self, signal: Signal) -> None:
        super().application(signal)
        if self._world.options.listener is not None and type(signal) is Notify:
            self._world.options.listener(self.me, signal)

    def record(self, kind: str, message: Message, extra: Extra) -> None:
        """A row of the level `full` about a frame of this layer."""
        if kind in self._codes:
            events = events_of(message)
            self.put(kind, extra, events[0].id if len(events) == 1 else None)
