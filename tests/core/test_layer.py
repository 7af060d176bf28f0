"""Marks, tables, state and parameters of a layer; every error by its exact line."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from msgspec import Meta

from motecast.core import (
    ConfigError,
    Context,
    Layer,
    Message,
    NodeId,
    Publish,
    PubSub,
    Radio,
    StackError,
    Subscribe,
    asked,
    expired,
    limit_of,
    linked,
    received,
    started,
    state,
)
from tests.core.protocols import Ping, Pinger, Wake


def test_a_layer_speaks_the_messages_that_it_may_receive() -> None:
    assert Pinger.speaks() == (Ping,)


def test_the_table_holds_one_function_for_each_mark() -> None:
    assert Pinger.handler("received", Ping) is Pinger.answer
    assert Pinger.handler("expired", Wake) is Pinger.wake
    assert Pinger.handler("started") is Pinger.start
    assert Pinger.handler("sent", Ping) is None


def test_one_method_may_answer_several_things() -> None:
    class Both(Layer):
        @asked(Publish)
        @asked(Subscribe)
        def either(self, ctx: Context, signal: object) -> None: ...

    assert Both.handler("asked", Publish) is Both.handler("asked", Subscribe) is Both.either


def test_a_subclass_inherits_handlers_and_replaces_those_that_it_marks_again() -> None:
    class Louder(Pinger):
        @received(Ping)
        def answer(self, ctx: Context, sender: NodeId, ping: Ping) -> None: ...

    assert Louder.handler("received", Ping) is Louder.answer
    assert Louder.handler("started") is Pinger.start
    assert Pinger.handler("received", Ping) is Pinger.answer


def test_a_subclass_of_two_layers_has_the_handlers_of_both() -> None:
    class Starter(Layer):
        @linked
        def link(self, ctx: Context, peer: NodeId) -> None: ...

    class Two(Pinger, Starter): ...

    assert Two.handler("linked") is Starter.link
    assert Two.handler("received", Ping) is Pinger.answer


def make_two_handlers() -> None:
    class Twice(Layer):
        @received(Ping)
        def one(self, ctx: Context, sender: NodeId, ping: Ping) -> None: ...

        @received(Ping)
        def two(self, ctx: Context, sender: NodeId, ping: Ping) -> None: ...


def make_two_starts() -> None:
    class Twice(Layer):
        @started
        def one(self, ctx: Context) -> None: ...

        @started
        def two(self, ctx: Context) -> None: ...


def hide_a_handler() -> None:
    class Quiet(Pinger):
        def answer(self, ctx: Context, sender: NodeId, ping: Ping) -> None: ...


def forget_the_sender() -> None:
    class Short(Layer):
        @received(Ping)
        def hear(self, ctx: Context, ping: Ping) -> None: ...


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (make_two_handlers, "Twice: two handlers for @received(Ping)"),
        (make_two_starts, "Twice: two handlers for @started"),
        (hide_a_handler, "Quiet.answer hides a handler: mark it with @received(Ping) again"),
        (forget_the_sender, "Short.hear answers @received(Ping): its arguments are (self, ctx, sender, message)"),
        (lambda: received(Wake), "@received(Wake): expected a subclass of Message"),
        (lambda: received(Message), "@received(Message): expected a subclass of Message"),
        (lambda: asked(Ping), "@asked(Ping): expected a subclass of Signal"),
        (lambda: expired("Wake"), "@expired('Wake'): expected a subclass of Timer"),
        (
            lambda: state([]),
            "state([]): expected what makes it, such as state(dict) or state(lambda: Recent(64))",
        ),
    ],
)
def test_a_mark_that_cannot_be_meant_is_refused_when_the_class_is_made(make: Callable[[], object], line: str) -> None:
    with pytest.raises(StackError) as error:
        make()
    assert str(error.value) == line


def test_every_node_has_state_of_its_own_and_the_same_parameters() -> None:
    recipe = Pinger(pause=3.0)
    one, two = recipe.fresh(), recipe.fresh()
    one.heard.append(1)
    assert (two.heard, recipe.heard, two.pause) == ([], [], 3.0)


def test_a_frozen_layer_with_slots_has_fresh_state_and_pickles() -> None:
    twin = pickle.loads(pickle.dumps(Frozen(3).fresh()))
    twin.seen.add(1)
    assert (twin.p, twin.seen, twin.fresh().seen) == (3, {1}, set())


@dataclass(frozen=True, slots=True)
class Frozen(Layer):
    """A layer whose parameters nobody can change."""

    above = PubSub
    below = Radio
    p: int = 1
    seen: set[int] = state(set)


class Policy:
    """A policy value of no certain type."""


@dataclass
class Knobs(Layer):
    """One parameter of each kind."""

    above = PubSub
    below = Radio
    share: Annotated[float, Meta(ge=0, le=1)] = 0.5
    pause: Annotated[float, Meta(gt=0)] = 1.0
    count: Annotated[int, Meta(ge=1)] = 1
    mode: Literal["none", "ticket"] = "none"
    flag: bool = False
    name: str = ""
    most: int | None = None
    sizes: tuple[int, ...] = ()
    pair: tuple[float, float] = (0.0, 1.0)
    policy: Policy | None = None


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"share": 2}, "Knobs.share = 2; allowed: a number from 0 to 1"),
        ({"share": float("nan")}, "Knobs.share = nan; allowed: a number from 0 to 1, and finite"),
        ({"pause": 0.0}, "Knobs.pause = 0.0; allowed: a number above 0"),
        ({"pause": float("inf")}, "Knobs.pause = inf; allowed: a number above 0, and finite"),
        ({"pause": "long"}, "Knobs.pause = 'long'; allowed: a number above 0"),
        ({"count": 0}, "Knobs.count = 0; allowed: a whole number at least 1"),
        ({"count": 1.5}, "Knobs.count = 1.5; allowed: a whole number at least 1"),
        ({"count": True}, "Knobs.count = True; allowed: a whole number at least 1"),
        ({"mode": "tickets"}, "Knobs.mode = 'tickets'; allowed: 'none' or 'ticket'"),
        ({"flag": 1}, "Knobs.flag = 1; allowed: true or false"),
        ({"name": 3}, "Knobs.name = 3; allowed: a text"),
        ({"most": "x"}, "Knobs.most = 'x'; allowed: a whole number or none"),
        ({"sizes": (1, "x")}, "Knobs.sizes = (1, 'x'); allowed: a list, each a whole number"),
        ({"pair": (1,)}, "Knobs.pair = (1,); allowed: a list of a number, a number"),
        ({"policy": 3}, "Knobs.policy = 3; allowed: a Policy or none"),
    ],
)
def test_a_parameter_outside_what_is_allowed_names_field_value_and_range(values: dict[str, object], line: str) -> None:
    with pytest.raises(ConfigError) as error:
        Knobs(**values)
    assert str(error.value) == line


def test_what_is_allowed_is_taken() -> None:
    knobs = Knobs(1, 2, 3, "ticket", flag=True, most=4, sizes=(1, 2), policy=Policy())
    assert (knobs.share, knobs.mode, knobs.most) == (1, "ticket", 4)


def test_a_parameter_is_kept_as_its_annotation_says() -> None:
    """A list would be one for all nodes and could change; 2 and 2.0 would give two digests."""
    policy = Policy()
    knobs = Knobs(share=1, sizes=[1, 2], pair=[1, 2], policy=policy)
    assert (knobs.sizes, repr(knobs.share), repr(knobs.pair)) == ((1, 2), "1.0", "(1.0, 2.0)")
    assert knobs.policy is policy
    assert Frozen(3) == Frozen(3)


def test_a_limit_is_a_number_or_the_parameter_that_says_it() -> None:
    @dataclass
    class Limited(Layer):
        limits = {"one": 5, "two": "most"}
        most: int = 7
        one: list[int] = state(list)
        two: list[int] = state(list)

    layer = Limited(most=9)
    assert (limit_of(layer, "one"), limit_of(layer, "two")) == (5, 9)
