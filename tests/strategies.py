"""Any value of any annotation, and any life of a layer. Shared by all tests that let chance look for trouble.

Values come from few, so that random events, nodes and numbers meet; some are extreme. A step of a life is one number,
the seed of its own chance: hypothesis shrinks a life by leaving steps out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st
from msgspec import inspect

from motecast.core import (
    Continue,
    Event,
    EventId,
    Grid,
    Layer,
    Message,
    Passing,
    Payload,
    Recorder,
    Routing,
    Seek,
    Signal,
    Stack,
    Subscription,
    Timer,
    alone,
)
from motecast.core.recorder import (
    Asked,
    Cleared,
    Expired,
    Happening,
    Linked,
    Moved,
    Received,
    Sent,
    SetTimer,
    Started,
    Told,
    Unlinked,
    Up,
    Verb,
)

TOPICS = ("a", "a/b", "b", "$state", "")
FILTERS = (None, "t > 20", "k IN ('smoke') OR within(0, 0, 5)")
BAD_FILTERS = ("temp >", "within(", "a/#/b")  # a peer may write them wherever it writes a text
WHOLE = (0, 1, 2, 3, 4, 5, 7, 11, -1, 2**31, 2**63 - 1, -(2**63))
NUMBERS = (0.0, 0.5, 1.0, 3.0, 20.5, -1.0, 1e300, float("inf"), float("nan"))
LIVES = st.lists(st.integers(0, 2**32 - 1), max_size=60)


class Plain(Message):
    """A payload that no routing layer knows."""

    number: int


class Stopping(Message):
    """One that is handed up at every hop."""

    stops = True

    text: str


class Carrying(Message):
    """One with an event inside."""

    carries = "event"

    event: Event


PAYLOADS = (Plain, Stopping, Carrying)


def stack_of(layer: Layer) -> Stack:
    """The layer alone; a routing layer with payloads to carry."""
    return alone(layer, *(PAYLOADS if issubclass(layer.above, Routing) else ()))


class Maker:
    """Makes values by their type."""

    def __init__(self, rng: Random, payloads: Iterable[type[Message]] = (), numbers: Sequence[float] = NUMBERS) -> None:
        self.rng = rng
        self.payloads = tuple(payloads)
        self.numbers = numbers

    def struct(self, kind: type) -> Any:
        """A value of a message, signal or timer."""
        return self.value(inspect.type_info(kind))

    def value(self, kind: inspect.Type) -> Any:
        """A value of any type that may travel."""
        match kind:
            case inspect.StructType(cls) if cls is Subscription:
                return self.subscription()
            case inspect.StructType(cls) if cls is Event:
                return self.event()
            case inspect.StructType(cls) if cls is Message:  # the header of a routing layer, opaque to all others
                return Plain(self.rng.choice(WHOLE))
            case inspect.StructType(cls, fields) | inspect.NamedTupleType(cls, fields):
                return cls(**{field.name: self.value(field.type) for field in fields})
            case inspect.UnionType(types):
                return self.value(self.rng.choice(types))
            case inspect.VarTupleType(item) | inspect.ListType(item):
                return tuple(self.value(item) for _ in range(self.rng.randrange(4)))
            case inspect.TupleType(items):
                return tuple(self.value(item) for item in items)
            case inspect.DictType(key, value):
                return {self.value(key): self.value(value) for _ in range(self.rng.randrange(3))}
            case inspect.CustomType(cls) if cls is Payload:
                return Payload(self.struct(self.rng.choice(self.payloads)))
            case _:
                return self.plain(kind)

    def plain(self, kind: inspect.Type) -> Any:
        """A number, a text, bytes, a truth or None."""
        match kind:
            case inspect.IntType():
                return self.rng.choice(WHOLE)
            case inspect.FloatType():
                return self.rng.choice(self.numbers)
            case inspect.StrType():
                return self.rng.choice(("", "t", "k", "smoke", "é\n", "x" * 40, *BAD_FILTERS))
            case inspect.BytesType():
                return self.rng.randbytes(self.rng.choice((0, 1, 8, 40)))
            case inspect.BoolType():
                return self.rng.random() < 0.5
            case inspect.LiteralType(values):
                return self.rng.choice(values)
            case inspect.NoneType():
                return None
        raise AssertionError(f"no values of {kind} yet: add them here")

    def subscription(self) -> Subscription:
        """A subscription: one with a bad filter cannot be made, by an application or by bytes."""
        number, node = self.rng.choice(WHOLE), self.rng.choice(WHOLE)
        return Subscription(number, node, self.rng.choice(("#", "a", "a/+", "b")), self.rng.choice(FILTERS))

    def event(self, identity: EventId | None = None) -> Event:
        """An event that a peer could send: nothing but its types is certain."""
        number, some, rng = self.rng.choice(self.numbers), self.rng.choice(self.numbers), self.rng
        return Event(
            identity or EventId(rng.choice(WHOLE), rng.choice(WHOLE)),
            tuple(rng.sample(TOPICS, rng.randrange(3))),
            rng.choice(({}, {"t": some}, {"k": "smoke", "t": True}, {"t": 2**60})),
            number,
            rng.choice((None, (number, some))),
            rng.randbytes(rng.randrange(3)),
            rng.choice((None, b"", rng.randbytes(8), b"x" * 40)),
            rng.choice((None, some)),
        )


class Step(NamedTuple):
    """What happened to a layer, and what it did."""

    happening: Happening
    verbs: list[Verb]


class Life:
    """A layer alone, to which anything happens that its types allow. Alarms come due that it has set, in any order."""

    def __init__(self, layer: Layer | Stack, me: int = 0) -> None:
        self.stack = layer if isinstance(layer, Stack) else stack_of(layer)
        self.recorder = Recorder(self.stack, me=me, grid=Grid(30.0, 30.0, 3))
        self.now = 0.0
        self.alarms: list[tuple[str, Timer]] = []
        self.ways: list[Message | None] = [None]  # of payloads that it has handed up

    def live(self, seeds: Sequence[int]) -> list[Step]:
        """One step a seed."""
        return [self.step(seed) for seed in seeds]

    def step(self, seed: int) -> Step:
        """The happening that this seed means now."""
        rng = Random(seed)
        self.now += rng.choice((0.0, 0.001, 0.5, 10.0))
        happening = self._any(rng)
        verbs = self.recorder.handle(self.now, happening)
        self.alarms += [(verb.port, verb.timer) for verb in verbs if isinstance(verb, SetTimer)]
        told = [verb.signal for verb in verbs if isinstance(verb, Up)]
        self.ways += [signal.way for signal in told if isinstance(signal, Passing)]
        return Step(happening, verbs)

    def _any(self, rng: Random) -> Happening:
        kinds = ["received", "received", "asked", "told", "signal", "expired", "sent", "peer"]
        for kind in rng.sample(kinds, len(kinds)):
            happening = self._make(kind, rng)
            if happening is not None:
                return happening
        raise AssertionError("a peer is always possible")

    def _make(self, kind: str, rng: Random) -> Happening | None:
        make = Maker(rng, self.stack.codec.payloads.values())
        frames = [
            (name, m)
            for name, by_tag in zip(self.stack.ports, self.stack.codec.ports, strict=True)
            for m in by_tag.values()
        ]
        match kind:
            case "received" if frames:
                name, message = rng.choice(frames)
                return Received(name, rng.choice(WHOLE), make.struct(message))
            case "sent" if frames:
                name, message = rng.choice(frames)
                return Sent(name, rng.choice((None, 1, 2)), make.struct(message), rng.random() < 0.5)
            case "asked" | "signal" if self.stack.entry:
                return Asked(self._own(make.struct(rng.choice(list(self.stack.entry))), rng))
            case "told" if self.stack.exit:
                return Told(make.struct(rng.choice(list(self.stack.exit))))
            case "expired" if self.alarms:
                return Expired(*self.alarms.pop(rng.randrange(len(self.alarms))))
            case "peer":
                return rng.choice((Started(), Linked(1), Unlinked(1), Cleared(1), Unlinked(9), Moved((1.0, 2.0))))
        return None

    def _own(self, signal: Signal, rng: Random) -> Signal:
        """What the layer above asks makes sense: it is of the same node."""
        match signal:
            case Continue(to, payload):
                return Continue(to, payload, rng.choice(self.ways))
            case Seek(publisher, first, last):
                return Seek(publisher, first, last, rng.choice(FILTERS))
            case _:
                return signal
