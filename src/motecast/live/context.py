"""The door of the real world. Meant to be read beside the simulator's."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from motecast.core import Context, Node, Notify, events_of
from motecast.trace.builder import MICROSECONDS, NONE, Extra, hops_code

if TYPE_CHECKING:
    from asyncio import TimerHandle

    from motecast.core import EventId, Message, NodeId, Position, Signal, Timer
    from motecast.live.endpoint import Endpoint

Tally = list[int]  # frames, bytes, payload, metadata
Costs = tuple[int, int, int]  # bytes, payload, metadata


class LiveContext(Context):
    """What a layer of one live node knows and can do."""

    __slots__ = ("_codes", "_rng", "_rows", "_world", "alarms", "endpoint", "tallies")

    def __init__(self, endpoint: Endpoint, node: Node, port: int) -> None:
        world = endpoint.world
        super().__init__(node, port, world.errands)
        self.endpoint = endpoint
        self.alarms: dict[Timer, tuple[int, TimerHandle]] = {}  # when each is due, and the loop's alarm for it
        self.tallies: dict[tuple[str, type[Message]], Tally] = {}
        self._world = world
        self._rows = world.builder.rows
        self._codes = world.builder.codes(port)
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
        assert after >= 0, f"{timer} is set into the past: {after=}"
        if timer in self.alarms:
            self.alarms[timer][1].cancel()
        due = self._world.now + round(after * MICROSECONDS)
        self.alarms[timer] = (due, self._world.at(due, self.expire, timer, due))

    def expire(self, timer: Timer, due: int) -> None:
        """The loop's alarm rang, unless the timer was moved between the ringing and now."""
        if self.alarms.get(timer, (None,))[0] != due:
            return
        del self.alarms[timer]
        handler = self.node.layers[self.port].handler("expired", type(timer))
        assert handler is not None, f"{self.node.stack.ports[self.port]} set {timer}, which it does not answer"
        if "timer" in self._codes:
            self.note("timer", detail=repr(timer))
        handler(self.node.layers[self.port], self, timer)

    def note(self, what: str, event: EventId | None = None, **facts: Any) -> None:
        code = self._codes.get(what)
        if code is not None and not facts:
            publisher, number = event or (NONE, NONE)
            self._rows += (self._world.now, self.me, code, publisher, number, NONE)
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
        self._rows += (self._world.now, self.me, code, publisher, number, extra)

    def reject(self, reason: str) -> None:
        self._world.rejected += 1
        if "reject" in self._codes:
            self.note("reject", detail=reason)

    def application(self, signal: Signal) -> None:
        if type(signal) is not Notify:
            return
        publisher, number = signal.event.id
        if signal.gap:
            self._note_facts("deliver", signal.event.id, {"hops": signal.hops, "detail": "gap"})
        else:
            rows = self._rows
            rows += (self._world.now, self.me, self._codes["deliver"], publisher, number, hops_code(signal.hops))
        if self._world.options.listener is not None:
            self._world.options.listener(self.me, signal)

    def tally(self, kind: str, message: Message) -> Costs:
        """Counts a transmission; returns its size, the event content in it, and the rest where it carries an event."""
        size = self.node.stack.codec.size(message)
        payload = metadata = 0
        if message.carries is not None:
            contents = self._world.contents
            payload = min(size, sum(contents[event.id] for event in events_of(message)))
            metadata = size - payload if payload else 0
        tally = self.tallies.setdefault((kind, type(message)), [0, 0, 0, 0])
        for index, amount in enumerate((1, size, payload, metadata)):
            tally[index] += amount
        return size, payload, metadata

    def record(self, kind: str, message: Message, extra: Extra) -> None:
        """A row of the level `full` about a frame of this layer."""
        if kind in self._codes:
            events = events_of(message)
            event = events[0].id if len(events) == 1 else (NONE, NONE)
            self._rows += (self._world.now, self.me, self._codes[kind], *event, self._world.builder.extra(extra))
