"""What every host writes in the same way: rows of layers and of the world, the content of events, and the frames.

A host is a `Chronicle` that says what time it is; its doors are `Scribe`s, and add the radio. So a trace reads the same
whichever world it comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from motecast.core import FREE, NOTED, Context, Node, Notify, StackError, check_note, events_of
from motecast.trace.builder import NONE, Extra, TraceBuilder, hops_code
from motecast.trace.totals import Totals

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Sequence

    from motecast.core import Event, EventId, Message, NodeId, Signal, Stack
    from motecast.core.node import Errand

Costs = tuple[int, int, int]  # bytes, payload, metadata
_ENCODER = msgspec.msgpack.Encoder()


class Codes(NamedTuple):
    """How rows and totals name what one layer does."""

    kinds: dict[str, int]  # that this level records
    noted: dict[str, int]  # those of them that the layer may write
    messages: dict[type[Message], int]


class Chronicle:
    """The record of one run: rows, totals, and what its events held. `place` is the port of the world itself."""

    def __init__(self, ports: Sequence[str], place: int, nodes: int, level: str) -> None:
        self.builder = TraceBuilder(ports, level)
        self.place = place
        self.codes = self.builder.codes(place)
        self.totals = Totals(nodes)
        self.contents: dict[EventId, int] = {}  # bytes of what was published
        self.rejected = 0
        self._codes = [self.builder.codes(port) for port in range(len(ports))]

    @property
    def tick(self) -> int:
        """Microseconds of true time."""
        raise NotImplementedError

    def row(
        self,
        kind: str,
        node: NodeId,
        extra: Extra | None = None,
        *,
        port: int | None = None,
        event: EventId | None = None,
    ) -> None:
        """A row that no layer wrote."""
        codes = self.codes if port is None else self._codes[port]
        if kind in codes:
            number = NONE if extra is None else self.builder.extra(extra)
            self.builder.rows += (self.tick, node, codes[kind], *(event or (NONE, NONE)), number)

    def published(self, node: NodeId, event: Event) -> None:
        """An event, as its application publishes it now."""
        self.contents[event.id] = size = len(_ENCODER.encode(event))
        self.builder.published(event, size, self.tick)
        self.row("publish", node, port=0, event=event.id)

    def codes_of(self, stack: Stack, first_port: int = 0) -> list[Codes]:
        """For each layer of a stack whose uppermost layer has this port."""
        found = []
        for port, messages in enumerate(stack.codec.ports, first_port):
            kinds = self._codes[port]
            noted = {kind: kinds[kind] for kind in sorted(NOTED) if kind in kinds}
            found.append(Codes(kinds, noted, {kind: self.totals.number(kind) for kind in messages.values()}))
        return found


class Scribe(Context):
    """A door that writes down what its layer notes, delivers, rejects and transmits."""

    __slots__ = ("_codes", "_log", "_noted", "_numbers", "_rows", "_size", "_world")

    _world: Chronicle

    def __init__(self, world: Chronicle, node: Node, port: int, errands: deque[Errand], codes: Codes) -> None:
        super().__init__(node, port, errands)
        self._world = world
        self._codes, self._noted, self._numbers = codes
        self._rows = world.builder.rows
        self._log = world.totals.log
        self._size = node.stack.codec.size

    def note(self, what: str, event: EventId | None = None, **facts: Any) -> None:
        kind = what
        if what not in NOTED:
            check_note(self.node.stack.ports[self.port], what)
            kind, facts = FREE, facts if what == FREE else {"what": what, **facts}
        if kind in self._codes:
            columns = {name: facts.pop(name) for name in Extra._fields if name in facts}
            texts = [f"{name}={value}" for name, value in facts.items()]
            detail = "; ".join([str(columns.pop("detail")), *texts] if columns.get("detail") else texts) or None
            self.put(kind, Extra(**columns, detail=detail), event)

    def put(self, kind: str, extra: Extra, event: EventId | None = None) -> None:
        """A row of this layer, if the level has rows of this kind."""
        if kind in self._codes:
            number = NONE if extra == _NOTHING else self._world.builder.extra(extra)
            self._rows += (self._world.tick, self.me, self._codes[kind], *(event or (NONE, NONE)), number)

    def reject(self, reason: str) -> None:
        self._world.rejected += 1
        self.put("reject", Extra(detail=reason))

    def application(self, signal: Signal) -> None:
        if type(signal) is not Notify:
            return
        if signal.gap or signal.history:
            detail = "; ".join(name for name in ("gap", "history") if getattr(signal, name))
            self.put("deliver", Extra(hops=signal.hops, detail=detail), signal.event.id)
        else:
            code, hops = self._codes["deliver"], hops_code(signal.hops)
            self._rows += (self._world.tick, self.me, code, *signal.event.id, hops)

    def tally(self, message: Message, is_send: int) -> Costs:
        """Counts a transmission; returns its size, the event content in it, and the rest where it carries an event."""
        number = self._numbers.get(type(message))
        if number is None:
            raise self.unspoken(message)
        size = self._size(message)
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

    def speaks(self, message: Message) -> bool:
        """True when the layer receives what it sends."""
        return type(message) in self._numbers

    def unspoken(self, message: Message) -> StackError:
        """What to raise when it does not."""
        name, kind = type(self.node.layers[self.port]).__name__, type(message).__name__
        return StackError(f"{name} sends {kind}, which it does not receive: mark a method with @received({kind})")


_NOTHING = Extra()
