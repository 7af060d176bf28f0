"""What a stack refuses, by its exact line, and what it is made of."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from msgspec import inspect

from motecast.core import (
    Advertise,
    Arrived,
    ConfigError,
    Context,
    Event,
    Layer,
    Message,
    Missing,
    NodeId,
    Notify,
    Passing,
    Publish,
    PubSub,
    Radio,
    Route,
    Routing,
    Seek,
    Stack,
    StackError,
    Subscribe,
    Unsubscribe,
    alone,
    asked,
    received,
    state,
    told,
)
from motecast.core.fields import spelled
from motecast.parts.recent import Recent
from motecast.protocols.plain import Fifo, Flood, Gossip
from tests.core.protocols import Broker, Deaf, OneHop, Ping, Pinger, Through

if TYPE_CHECKING:
    from fractions import Fraction

TYPED = "Typed: Fraction in an annotation is not imported when the protocol runs; import it outside `if TYPE_CHECKING`"
NO_PARAMETER = (
    "NoParameter.limits: no whole number among the parameters 'capacty'; did you mean 'capacity'? known: capacity"
)
CARRIED = "allowed: an Event, a Payload, None, and tuples of them"
ALL_BUT_PUBLISH = (Subscribe, Unsubscribe, Advertise, Seek)


class Floor(Layer):
    """What the broken layers have in common."""

    above = PubSub
    below = Radio
    ignores = (*ALL_BUT_PUBLISH, Publish)


class NoService(Layer):
    below = Radio


class NoFloor(Layer):
    above = PubSub


class OddService(Layer):
    above = PubSub
    below = "Radio"


class Mute(Layer):
    above = PubSub
    below = Radio
    ignores = ALL_BUT_PUBLISH


class Untold(Layer):
    above = PubSub
    below = Routing
    ignores = (*ALL_BUT_PUBLISH, Publish, Arrived)
    payloads = ()


class Silent(Layer):
    above = PubSub
    below = Routing
    ignores = (*ALL_BUT_PUBLISH, Publish, Arrived, Passing)


class SaysNone(Silent):
    payloads = ()


class Impossible(Floor):
    @told(Notify)
    def never(self, ctx: Context, notify: Notify) -> None: ...


class Unasked(Floor):
    @asked(Route)
    def never(self, ctx: Context, route: Route) -> None: ...


class Vain(Floor):
    ignores = (*Floor.ignores, Route)


class TwoMinds(Floor):
    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None: ...


class NoDataclass(Floor):
    seen: set[int] = state(set)


@dataclass
class NoState(Floor):
    limits = {"sen": 3}
    seen: set[int] = state(set)


@dataclass
class NoParameter(Floor):
    limits = {"seen": "capacty"}
    capacity: int = 3
    share: float = 0.5
    seen: set[int] = state(set)


class Odd(Message):
    """Holds what cannot travel."""

    field: set[str]


class Lost(Message):
    """Carries a field that it does not have."""

    carries = "evnt"

    event: Event


class Wrong(Message):
    """Carries what is no event."""

    carries = "numbers"

    numbers: tuple[int, ...]


class Mixed(Message):
    """Carries an event or something else."""

    carries = "event"

    event: Event | str


class Unknown(Message):
    """Names a type that is not there at run time."""

    share: Fraction


@dataclass
class Cached(Floor):
    """Makes an attribute that is no field."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.cache: dict[str, int] = {}


@dataclass
class Unchecked(Floor):
    """Hides the check of its parameters."""

    number: int = 1
    sizes: tuple[int, ...] = ()

    def __post_init__(self) -> None: ...


def speaking(message: type[Message]) -> Layer:
    """A layer that may receive this message."""

    class Speaker(Floor):
        @received(message)
        def hear(self, ctx: Context, sender: NodeId, message: Message) -> None: ...

    return Speaker()


def twin_of(message: type[Message]) -> type[Message]:
    """Another class with the tag of this one."""

    class Twin(Message):
        number: int

    Twin.tag = message.tag
    return Twin


def share_a_tag() -> Stack:
    class Double(Floor):
        @received(Ping)
        def one(self, ctx: Context, sender: NodeId, ping: Ping) -> None: ...

        @received(twin_of(Ping))
        def two(self, ctx: Context, sender: NodeId, twin: Message) -> None: ...

    return Stack(Double())


def type_checkers_only() -> Stack:
    @dataclass
    class Typed(Floor):
        share: Fraction = None

    return Stack(Typed())


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Stack(), "a stack needs at least one layer"),
        (lambda: Stack(Flood), "Flood is no layer; a stack is made of instances: Stack(Flood())"),
        (lambda: Stack(3), "3 is no layer; a stack is made of instances: Stack(Flood())"),
        (lambda: Stack(NoService()), "NoService does not say which service it offers: write above = PubSub"),
        (lambda: Stack(NoFloor()), "NoFloor does not say which service it stands on: write below = PubSub"),
        (lambda: Stack(OddService()), "OddService does not say which service it stands on: write below = PubSub"),
        (lambda: Stack(Flood(), Flood()), "Flood stands on Radio, but Flood offers PubSub"),
        (lambda: Stack(Broker(), Flood()), "Broker stands on Routing, but Flood offers PubSub"),
        (lambda: Stack(Fifo()), "Fifo stands on PubSub; the lowest layer stands on Radio"),
        (
            lambda: Stack(Mute()),
            "Mute neither handles nor passes on Publish: mark a method with @asked(Publish), or list it in `ignores`",
        ),
        (
            lambda: Stack(Untold(), OneHop()),
            "Untold neither handles nor passes on Passing: mark a method with @told(Passing), or list it in `ignores`",
        ),
        (
            lambda: Stack(Silent(), OneHop()),
            "Silent stands on Routing and does not say what it hands to it: write payloads = (…,), or payloads = ()",
        ),
        (lambda: Stack(Impossible()), "Impossible: @told(Notify) never happens; possible: none"),
        (
            lambda: Stack(Unasked()),
            "Unasked: @asked(Route) never happens; possible: Subscribe, Unsubscribe, Advertise, Publish, Seek",
        ),
        (
            lambda: Stack(Vain()),
            "Vain ignores Route, which never happens; possible: Subscribe, Unsubscribe, Advertise, Publish, Seek",
        ),
        (lambda: Stack(TwoMinds()), "TwoMinds both handles and ignores Publish"),
        (lambda: Stack(NoDataclass()), "NoDataclass is no dataclass: write @dataclass above it"),
        (lambda: Stack(Cached()), "Cached.cache is no field, so that all nodes would share it: use state(…)"),
        (lambda: Stack(NoState()), "NoState.limits: no state 'sen'; did you mean 'seen'? known: seen"),
        (
            lambda: Stack(NoParameter()),
            NO_PARAMETER,
        ),
        (share_a_tag, f"Twin and Ping share the tag {Ping.tag:04x}; rename one"),
        (
            lambda: Stack(speaking(Odd)),
            "Odd.field: set cannot travel; a message holds numbers, texts, bytes, tuples, frozen structs and payloads",
        ),
        (lambda: Stack(speaking(Lost)), "Lost.carries: no field 'evnt'; did you mean 'event'? known: event"),
        (
            lambda: Stack(speaking(Wrong)),
            f"Wrong carries numbers: vartuple(int); {CARRIED}",
        ),
        (
            lambda: Stack(speaking(Mixed)),
            f"Mixed carries event: {spelled(inspect.type_info(Event))} | str; {CARRIED}",
        ),
        (lambda: Stack(speaking(Unknown)), "Unknown: name 'Fraction' is not defined"),
        (
            type_checkers_only,
            TYPED,
        ),
    ],
)
def test_a_misfit_is_one_line_when_the_stack_is_made(make: Callable[[], Stack], line: str) -> None:
    with pytest.raises(StackError) as error:
        make()
    assert str(error.value) == line


def test_a_layer_may_say_that_it_hands_nothing_to_a_routing_layer() -> None:
    assert Stack(SaysNone(), OneHop()).codec.payloads == {}


def test_a_layer_that_hides_the_check_of_its_parameters_is_checked_by_the_stack() -> None:
    with pytest.raises(ConfigError) as error:
        Stack(Unchecked("x"))
    assert str(error.value) == "Unchecked.number = 'x'; allowed: a whole number"
    assert Stack(Unchecked(2, [3])).layers[0].sizes == (3,)


@pytest.mark.parametrize(
    "stack", [Stack(Fifo(patience=2), Flood()), Stack(Broker(), OneHop()), alone(OneHop(), Ping), alone(Through())]
)
def test_a_stack_and_its_codec_can_be_written_down(stack: Stack) -> None:
    again = pickle.loads(pickle.dumps(stack))
    assert (again.digest, again.ports, again.entry, again.exit) == (stack.digest, stack.ports, stack.entry, stack.exit)
    codec = pickle.loads(pickle.dumps(stack.codec))
    assert (codec.ports, codec.payloads, codec.describe()) == (
        stack.codec.ports,
        stack.codec.payloads,
        stack.codec.describe(),
    )


def test_a_layer_alone_is_checked_too() -> None:
    with pytest.raises(StackError, match="Mute neither handles nor passes on Publish"):
        alone(Mute())


def test_two_layers_of_one_class_have_two_names() -> None:
    assert Stack(Through(), Through(), Pinger()).ports == ("Through1", "Through2", "Pinger")


def test_a_signal_goes_to_the_next_layer_that_answers_it() -> None:
    stack = Stack(Fifo(), Through(), Flood())
    assert stack.downs[0][Publish] == (1, Through.publish)
    assert stack.downs[1][Publish] == (2, Flood.publish)
    assert stack.entry[Subscribe] == (0, Fifo.subscribe)
    assert stack.ups[2][Missing] == (0, Fifo.settle)  # Through has no handler and lets it pass
    assert stack.ups[0][Notify] is None  # the application


@dataclass
class Growing(Floor):
    """It says of one field how large it may become, and of two nothing."""

    limits = {"few": 3}

    few: list[int] = state(list)
    waiting: dict[int, str] = state(dict)
    seen: Recent[int] = state(lambda: Recent(5))
    count: int = state(int)
    name: str = state(str)


def test_a_layer_with_limits_promises_to_keep_them_and_says_what_it_does_not_limit() -> None:
    stack = alone(Growing())
    assert (stack.promises, stack.unwatched) == (("bounded-state",), ("Growing.waiting", "Growing.seen"))
    assert Stack(Fifo(), Flood()).unwatched == ()


def test_the_promises_of_a_stack_are_those_of_its_layers() -> None:
    assert Stack(Fifo(), Flood()).promises == tuple(sorted({"bounded-state", *Fifo.promises, *Flood.promises}))


def test_layers_answer_what_happens_to_the_node_from_the_lowest_up() -> None:
    class Upper(Pinger):
        below = PubSub
        ignores = ALL_BUT_PUBLISH

    class Lower(Pinger): ...

    assert [port for port, _ in Stack(Upper(), Through(), Lower()).answers("started")] == [2, 0]


def test_a_stack_describes_itself_with_all_parameters() -> None:
    assert Stack(Fifo(patience=2), Flood()).describe() == (
        "Fifo(patience=2.0, capacity=1024, publishers=65536) / Flood()"
    )
    assert repr(Stack(Gossip())) == "Stack(Gossip(p=0.7, wait=0.02))"


def test_the_digest_differs_when_two_nodes_would_not_understand_each_other() -> None:
    class Ping(Message):  # the name and the tag of the other one, but a field more
        number: int
        more: int

    assert len(Stack(Flood()).digest) == 8
    assert Stack(Flood()).digest == Stack(Flood()).digest
    assert Stack(Gossip(p=0.1)).digest != Stack(Gossip(p=0.2)).digest
    assert Stack(speaking(Ping)).digest != Stack(speaking(Pinger.speaks()[0])).digest


def test_a_layer_may_ignore_what_the_one_below_tells() -> None:
    assert Stack(Deaf(), Flood()).ups[1][Notify] is not None  # it ends there, and never reaches the application
