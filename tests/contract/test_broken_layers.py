"""Every clause of the contract catches a layer that breaks it, and only what it is about is broken in each."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from motecast.core import (
    Advertise,
    Context,
    Event,
    EventId,
    Layer,
    Message,
    NodeId,
    Notify,
    Publish,
    PubSub,
    Radio,
    Seek,
    Subscribe,
    Unsubscribe,
    asked,
    received,
    state,
)
from tests.contract import clauses
from tests.contract.clauses import CLAUSES, Clause


class Frame(Message):
    """An event."""

    carries = "event"

    event: Event
    hops: int


@dataclass
class Sound(Layer):
    """A layer that keeps the contract."""

    above = PubSub
    below = Radio
    ignores = (Subscribe, Unsubscribe, Advertise, Seek)
    promises = ("integrity",)
    limits = {"seen": 20}

    seen: dict[EventId, int] = state(dict)

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        ctx.broadcast(Frame(publish.event, 1))

    @received(Frame)
    def hear(self, ctx: Context, sender: NodeId, frame: Frame) -> None:
        if len(self.seen) < 20:
            self.seen[frame.event.id] = sender
        ctx.up(Notify(frame.event, frame.hops))


SHARED: list[int] = []


@dataclass
class Sharing(Sound):
    """All nodes have one state."""

    log: Any = state(lambda: Shared(SHARED))

    @received(Frame)
    def hear(self, ctx: Context, sender: NodeId, frame: Frame) -> None:
        self.log.numbers.append(sender)


class Shared:
    """A reference to what others have too."""

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = numbers


@dataclass
class Sticky(Sound):
    """Its state holds what cannot be written down."""

    seen: dict[EventId, Callable[[], NodeId]] = state(dict)

    @received(Frame)
    def hear(self, ctx: Context, sender: NodeId, frame: Frame) -> None:
        if len(self.seen) < 20:
            self.seen[frame.event.id] = lambda: sender


@dataclass
class Forgetful(Sound):
    """Its state is not what it was when it was written down."""

    count: Any = state(lambda: Count())

    @received(Frame)
    def hear(self, ctx: Context, sender: NodeId, frame: Frame) -> None:
        self.count.number += 1
        ctx.note("heard", number=self.count.number)


class Count:
    """A number that pickles as nothing."""

    number = 0

    def __reduce__(self) -> tuple[type[Count], tuple[()]]:
        return Count, ()


@dataclass
class Lucky(Sound):
    """Its dice are everybody's."""

    @received(Frame)
    def hear(self, ctx: Context, sender: NodeId, frame: Frame) -> None:
        ctx.note("heard", luck=random.random())


COUNTER = [0]


@dataclass
class Global(Sound):
    """It counts what all nodes hear."""

    @received(Frame)
    def hear(self, ctx: Context, sender: NodeId, frame: Frame) -> None:
        COUNTER[0] += 1
        ctx.note("heard", count=COUNTER[0])


@dataclass
class Trusting(Sound):
    """It believes what peers say."""

    @received(Frame)
    def hear(self, ctx: Context, sender: NodeId, frame: Frame) -> None:
        ctx.note("heard", topic=frame.event.topics[0], share=1 / frame.hops)


class Rounded(Message):
    """A number that does not arrive as it was."""

    carries = "event"

    event: Event
    hops: float


@dataclass
class Lossy(Sound):
    """What it sends is not what arrives."""

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        ctx.broadcast(Rounded(publish.event, (1, 2)))  # neither a float nor encoded as one

    @received(Rounded)
    def hear_number(self, ctx: Context, sender: NodeId, number: Rounded) -> None: ...


@dataclass
class SetOrder(Sound):
    """It goes through a set of texts."""

    @received(Frame)
    def hear(self, ctx: Context, sender: NodeId, frame: Frame) -> None:
        for topic in {"a", "b", "c", *frame.event.topics}:
            ctx.note("heard", topic=topic)


@dataclass
class Growing(Sound):
    """It says a limit and does not keep it."""

    @received(Frame)
    def hear(self, ctx: Context, sender: NodeId, frame: Frame) -> None:
        self.seen[frame.event.id] = sender


@dataclass
class Unlimited(Sound):
    """It does not say a limit."""

    more: list[int] = state(list)


@dataclass
class NoUnit(Sound):
    """A parameter of an unknown unit."""

    pause: float = 1.0


@dataclass
class NoSource(Sound):
    """A parameter from nowhere."""

    pause: float = 1.0  # s


@dataclass
class NoDefault(Sound):
    """A parameter that must be given."""

    pause: float  # s; our guess


class Policy:
    """A value that is written with its address."""


POLICY = Policy()


@dataclass
class Addressed(Sound):
    """A parameter that is written differently in every process."""

    policy: Policy = POLICY  # policy; our guess


@dataclass
class Boasting(Sound):
    """It promises what nobody judges."""

    promises = ("eternity",)


@pytest.mark.parametrize("clause", CLAUSES, ids=clauses.named(CLAUSES))
def test_a_sound_layer_keeps_every_clause(clause: Clause) -> None:
    clause(Sound)


@pytest.mark.parametrize(
    ("clause", "layer", "line"),
    [
        (clauses.is_a_recipe, Sharing, "Sharing: a node changed the layer that it was made of"),
        (clauses.pickles, Sticky, "Sticky cannot be pickled: "),
        (clauses.pickles, Forgetful, "Forgetful is not the same when unpickled"),
        (clauses.is_pure, Lucky, "Lucky answers "),
        (clauses.is_pure, Global, "Global answers "),
        (clauses.survives, Trusting, "Trusting raises "),
        (clauses.round_trips, Lossy, "Lossy: "),
        (clauses.stays_bounded, Growing, "Growing.seen holds "),
        (clauses.stays_bounded, Unlimited, "Unlimited.more has a length, but no limit"),
        (clauses.explains_its_parameters, NoUnit, "NoUnit.pause has no unit: write `# unit; source` behind it"),
        (clauses.explains_its_parameters, NoSource, "NoSource.pause has no source: "),
        (clauses.explains_its_parameters, NoDefault, "NoDefault.pause has no default"),
        (clauses.explains_its_parameters, Addressed, "Addressed: a parameter's repr names its memory"),
        (clauses.promises_what_is_judged, Boasting, "Boasting promises 'eternity', which no oracle judges"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_broken_layer_is_caught_by_its_clause(clause: Clause, layer: type[Layer], line: str) -> None:
    with pytest.raises(AssertionError) as error:
        clause(layer)
    assert str(error.value).startswith(line)


@pytest.mark.slow
def test_a_layer_that_depends_on_the_order_of_hashes_is_caught() -> None:
    with pytest.raises(AssertionError, match=r"^SetOrder depends on the order of hashes: "):
        clauses.lives_the_same_in_every_process([Sound, SetOrder])


def test_every_clause_has_a_broken_layer() -> None:
    caught = test_a_broken_layer_is_caught_by_its_clause.pytestmark[0].args[1]
    assert {clause for clause, _, _ in caught} == set(CLAUSES)
