"""The door of the simulated world. Meant to be read beside the live host's."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from motecast.core import Context, Node, Notify, StackError, WireError, events_of
from motecast.trace.builder import NONE, Extra

if TYPE_CHECKING:
    from motecast.core import EventId, Grid, Leg, Message, NodeId, Position, Signal, Timer
    from motecast.sim.host import Host

Costs = tuple[int, int, int]  # bytes, payload, metadata


class SimContext(Context):
    """What a layer of one simulated node knows and can do."""

    __slots__ = (
        "_codes",
        "_kernel",
        "_log",
        "_medium",
        "_numbers",
        "_rng",
        "_rows",
        "_world",
        "alarms",
        "host",
        "place",
        "reach",
    )

    def __init__(self, host: Host, node: Node, port: int) -> None:
        world = host.world
        super().__init__(node, port, world.kernel.errands)
        self.host = host
        self.place = host.first_port + port  # the port by which the trace knows this layer
        self.reach = host.reach[port]  # message type -> what it does to those who hear it
        self.alarms: dict[Timer, int] | None = None  # made with the first timer: most layers of most nodes set none
        self._world = world
        self._kernel = world.kernel
        self._medium = world.medium
        self._rows = world.builder.rows
        self._log = world.totals.log
        self._codes = host.codes[port]
        self._numbers = host.numbers[port]
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
        assert after >= 0, f"{timer} is set into the past: {after=}"
        world = self._world
        due = world.kernel.now + world.microseconds(self.me, after)
        if self.alarms is None:
            self.alarms = {}
        self.alarms[timer] = due
        world.kernel.at(due, self.expire, timer, due)

    def expire(self, timer: Timer, due: int) -> None:
        """An entry of the calendar came due: an alarm, unless it was moved or the node has died meanwhile."""
        if self.alarms is None or self.alarms.get(timer) != due:
            return
        if self.me in self._world.asleep:
            self._world.later(self.me, self.expire, timer, due)
            return
        del self.alarms[timer]
        handler = self.node.layers[self.port].handler("expired", type(timer))
        assert handler is not None, f"{self.host.stack.ports[self.port]} set {timer}, which it does not answer"
        if "timer" in self._codes:
            self.note("timer", detail=repr(timer))
        handler(self.node.layers[self.port], self, timer)

    def note(self, what: str, event: EventId | None = None, **facts: Any) -> None:
        code = self._codes.get(what)
        if code is not None and event is not None and not facts:  # nine of ten receptions of a flood come here
            publisher, number = event
            rows = self._rows
            rows += (self._kernel.now, self.me, code, publisher, number, NONE)
        elif code is not None or (what not in self._world.kinds and "note" in self._codes):
            self._note_facts(what, event, facts)

    def _note_facts(self, what: str, event: EventId | None, facts: dict[str, Any]) -> None:
        columns = {name: facts.pop(name) for name in Extra._fields if name in facts}
        if what not in self._codes:
            facts = {"what": what, **facts}
        texts = [f"{name}={value}" for name, value in facts.items()]
        detail = "; ".join([columns.pop("detail"), *texts] if columns.get("detail") else texts) or None
        extra = self._world.builder.extra(Extra(**columns, detail=detail))
        code = self._codes.get(what, self._codes.get("note", NONE))
        publisher, number = event or (NONE, NONE)
        self._rows += (self._kernel.now, self.me, code, publisher, number, extra)

    def reject(self, reason: str) -> None:
        self._world.rejected += 1
        if "reject" in self._codes:
            self.note("reject", detail=reason)

    def application(self, signal: Signal) -> None:
        if type(signal) is not Notify:
            return
        if signal.gap:
            self._note_facts("deliver", signal.event.id, {"hops": signal.hops, "detail": "gap"})
        else:
            publisher, number = signal.event.id
            hops = NONE if signal.hops is None else -2 - signal.hops  # as hops_code has it
            rows = self._rows
            rows += (self._kernel.now, self.me, self._codes["deliver"], publisher, number, hops)

    def tally(self, message: Message, is_send: int) -> Costs:
        """Counts a transmission; returns its size, the event content in it, and the rest where it carries an event."""
        number = self._numbers.get(type(message))
        if number is None:
            raise self._unspoken(message)
        size = self.host.stack.codec.size(message)
        payload = metadata = 0
        if message.carries is not None:
            contents = self._world.contents
            for event in events_of(message):
                payload += contents.get(event.id, 0)  # what nobody published has no content that counts
            if payload:
                payload = min(size, payload)
                metadata = size - payload
        log = self._log
        log += (self.me, number + is_send, size, payload, metadata)
        return size, payload, metadata

    def _unspoken(self, message: Message) -> StackError:
        name, kind = type(self.node.layers[self.port]).__name__, type(message).__name__
        return StackError(f"{name} sends {kind}, which it does not receive: mark a method with @received({kind})")


class MovingContext(SimContext):
    """The same where nodes move: a static field does not pay for looking up where a node is."""

    __slots__ = ()

    @property
    def position(self) -> Position:
        return self._world.position(self.me)

    @property
    def leg(self) -> Leg | None:
        return self._world.moving.leg(self.me)
