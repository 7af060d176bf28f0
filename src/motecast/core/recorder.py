"""A node without a world: happenings in, verbs out, everything a value. For tests, transcripts, the model checker."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import TYPE_CHECKING, Any, dataclass_transform

import msgspec

from motecast.core.errors import StackError, WireError, unknown
from motecast.core.grid import Grid
from motecast.core.layer import Handler, Timer
from motecast.core.message import Message, events_of
from motecast.core.movement import Leg
from motecast.core.node import Context, Errand, Node, run_errands
from motecast.core.notes import check_note
from motecast.core.pubsub import Continue, EventId, NodeId, Position, Route, Signal

if TYPE_CHECKING:
    from motecast.core.stack import Stack, Targets

Call = tuple[int, Handler, tuple[Any, ...]]  # port, handler, its arguments after ctx


@dataclass_transform(frozen_default=True)
class Happening(msgspec.Struct, frozen=True):
    """What reaches a node. `port` is the layer's name."""


class Started(Happening):
    """The node is up."""


class Received(Happening):
    """A peer's frame."""

    port: str
    sender: NodeId
    message: Message


class Sent(Happening):
    """A frame has left the radio."""

    port: str
    to: NodeId | None
    message: Message
    ok: bool = True


class Expired(Happening):
    """An alarm."""

    port: str
    timer: Timer


class Linked(Happening):
    """A peer is in reach."""

    peer: NodeId


class Unlinked(Happening):
    """A peer is out of reach."""

    peer: NodeId


class Cleared(Happening):
    """A busy peer can listen again."""

    peer: NodeId


class Moved(Happening):
    """The node is somewhere else; `leg` is the travel it is on from now on, None if it stands."""

    position: Position
    leg: Leg | None = None


class Asked(Happening):
    """The application asks the top of the stack."""

    signal: Signal


class Told(Happening):
    """The layer below, which is not there, tells a layer that is alone."""

    signal: Signal


@dataclass_transform(frozen_default=True)
class Verb(msgspec.Struct, frozen=True):
    """What a layer does."""


class Send(Verb):
    """One hop to one peer."""

    port: str
    to: NodeId
    message: Message


class Broadcast(Verb):
    """One hop to all."""

    port: str
    message: Message


class SetTimer(Verb):
    """An alarm is set or moved."""

    port: str
    timer: Timer
    after: float


class Up(Verb):
    """The top tells the application."""

    signal: Signal


class Down(Verb):
    """A layer that is alone asks the one below, which is not there."""

    signal: Signal


class Note(Verb):
    """A line for the trace."""

    port: str
    what: str
    event: EventId | None = None
    facts: dict[str, Any] = {}


class Reject(Verb):
    """A peer's nonsense, counted."""

    port: str
    reason: str


class Recorder:
    """Hosts one node: `handle(now, happening)` returns the verbs in order."""

    def __init__(
        self,
        stack: Stack,
        me: NodeId = 0,
        position: Position = (0.0, 0.0),
        seed: int = 0,
        grid: Grid | None = None,
    ) -> None:
        self.node = stack.node(me)
        self.now = 0.0
        self.place = position
        self.leg: Leg | None = None
        self.grid = grid
        self.busy: set[NodeId] = set()  # peers that cannot listen; tests set it
        self.is_idle = True
        self.seed = seed
        self.verbs: list[Verb] = []
        self._errands: deque[Errand] = deque()
        self.node.contexts = [
            RecordingContext(self, self.node, port, self._errands) for port in range(len(stack.ports))
        ]

    def handle(self, now: float, happening: Happening) -> list[Verb]:
        """The verbs that the node answers with."""
        self.now, self.verbs = now, []
        for port, handler, arguments in self._calls(happening):
            handler(self.node.layers[port], self.node.contexts[port], *arguments)
            run_errands(self._errands)
        return self.verbs

    def _calls(self, happening: Happening) -> list[Call]:
        match happening:
            case Received(name, sender, message):
                return self._one(name, "received", message, (sender, message))
            case Sent(name, to, message, ok):
                return self._one(name, "sent", message, (to, message, ok))
            case Expired(name, timer):
                return self._one(name, "expired", timer, (timer,))
            case Asked(signal):
                return self._enter(self.node.stack.entry, signal, "asked", Down)
            case Told(signal):
                return self._enter(self.node.stack.exit, signal, "told", Up)
            case Moved(position, leg):
                self.place, self.leg = position, leg
                return self._every("moved", ())
            case Linked(peer) | Unlinked(peer) | Cleared(peer):
                return self._every(type(happening).__name__.lower(), (peer,))
            case _:
                return self._every("started", ())

    def _one(self, name: str, what: str, value: Message | Timer, arguments: tuple[Any, ...]) -> list[Call]:
        if name not in self.node.stack.ports:
            raise StackError(unknown("layer", name, self.node.stack.ports))
        port = self.node.stack.ports.index(name)
        handler = self.node.layers[port].handler(what, type(value))
        if handler is None and what != "sent":  # a layer need not ask what became of its frames
            raise StackError(f"{name} has no @{what}({type(value).__name__})")
        return [] if handler is None else [(port, handler, arguments)]

    def _enter(self, targets: Targets, signal: Signal, what: str, verb: type[Up | Down]) -> list[Call]:
        """The layer that answers; what all layers pass on leaves at the other end."""
        if type(signal) not in targets:
            known = ", ".join(kind.__name__ for kind in targets) or "none"
            raise StackError(f"{self.node.stack} is never {what} {type(signal).__name__}; possible: {known}")
        target = targets[type(signal)]
        if target is None:
            self.verbs.append(verb(signal))
            return []
        return [(*target, (signal,))]

    def _every(self, what: str, arguments: tuple[Any, ...]) -> list[Call]:
        return [(port, handler, arguments) for port, handler in self.node.stack.answers(what)]


class RecordingContext(Context):
    """Writes every verb down."""

    __slots__ = ("_name", "_recorder", "_rng")

    def __init__(self, recorder: Recorder, node: Node, port: int, errands: deque[Errand]) -> None:
        super().__init__(node, port, errands)
        self._recorder = recorder
        self._name = node.stack.ports[port]
        self._rng: Random | None = None

    @property
    def now(self) -> float:
        return self._recorder.now

    @property
    def position(self) -> Position:
        return self._recorder.place

    @property
    def leg(self) -> Leg | None:
        return self._recorder.leg

    @property
    def grid(self) -> Grid | None:
        return self._recorder.grid

    @property
    def rng(self) -> Random:
        if self._rng is None:
            self._rng = Random(f"{self._recorder.seed}/{self.me}/{self._name}")
        return self._rng

    @property
    def idle(self) -> bool:
        return self._recorder.is_idle

    def is_clear(self, peer: NodeId) -> bool:
        return peer not in self._recorder.busy

    def send(self, to: NodeId, message: Message) -> None:
        self._leave(Send(self._name, to, message), message)

    def broadcast(self, message: Message) -> None:
        self._leave(Broadcast(self._name, message), message)

    def set_timer(self, timer: Timer, after: float) -> None:
        self.check_timer(timer, after)
        self._recorder.verbs.append(SetTimer(self._name, timer, after))

    def note(self, what: str, event: EventId | None = None, **facts: Any) -> None:
        check_note(self._name, what)
        self._recorder.verbs.append(Note(self._name, what, event, facts))

    def reject(self, reason: str) -> None:
        self._recorder.verbs.append(Reject(self._name, reason))

    def application(self, signal: Signal) -> None:
        self._recorder.verbs.append(Up(signal))

    def floor(self, signal: Signal) -> None:
        if isinstance(signal, Route | Continue):
            self.node.stack.codec.check_payload(signal.payload)
        self._recorder.verbs.append(Down(signal))

    def _leave(self, verb: Send | Broadcast, message: Message) -> None:
        """The frame is on its way, unless it is too long to be one: then it is dropped, as every host does."""
        kind = type(message)
        if kind not in self.node.stack.codec.ports[self.port].values():
            raise StackError(f"{self._name} sends {kind.__name__}, but has no @received({kind.__name__})")
        try:
            self.node.stack.codec.size(message)
        except WireError as error:
            events = events_of(message)
            event = events[0].id if len(events) == 1 else None
            self._recorder.verbs.append(Note(self._name, "drop", event, {"detail": str(error)}))
        else:
            self._recorder.verbs.append(verb)
