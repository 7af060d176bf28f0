"""A node without a world: every happening reaches its handler, every verb is written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from motecast.core import (
    FREE,
    HOSTED,
    NOTED,
    Arrived,
    Context,
    Layer,
    Missing,
    NodeId,
    Notify,
    Payload,
    Publish,
    PubSub,
    Radio,
    Recorder,
    Route,
    Signal,
    Stack,
    StackError,
    Subscribe,
    Subscription,
    alone,
    asked,
    cleared,
    linked,
    moved,
    sent,
    started,
    state,
    told,
    unlinked,
)
from motecast.core.recorder import (
    Asked,
    Broadcast,
    Cleared,
    Down,
    Expired,
    Happening,
    Linked,
    Moved,
    Note,
    Received,
    Reject,
    Send,
    Sent,
    SetTimer,
    Started,
    Told,
    Unlinked,
    Up,
)
from motecast.protocols.plain import Fifo, Flood
from motecast.trace.kinds import KINDS
from tests.core.protocols import Broker, Carrier, Copy, Deaf, OneHop, Ping, Pinger, Through, Wake, event


@dataclass
class Witness(Pinger):
    """Notes everything that it learns."""

    learned: list[str] = state(list)

    @started
    def start(self, ctx: Context) -> None:
        ctx.note("started", now=ctx.now, me=ctx.me)

    @sent(Ping)
    def left(self, ctx: Context, to: NodeId | None, ping: Ping, ok: bool) -> None:
        ctx.note("sent", to=to, number=ping.number, ok=ok)

    @linked
    def link(self, ctx: Context, peer: NodeId) -> None:
        ctx.note("linked", peer=peer)

    @unlinked
    def unlink(self, ctx: Context, peer: NodeId) -> None:
        ctx.note("unlinked", peer=peer)

    @cleared
    def clear(self, ctx: Context, peer: NodeId) -> None:
        ctx.note("cleared", peer=peer, is_clear=ctx.is_clear(peer), idle=ctx.idle)

    @moved
    def move(self, ctx: Context) -> None:
        ctx.reject(f"moved to {ctx.position}")


def note(what: str, **facts: object) -> Note:
    """A note of the witness."""
    return Note("Witness", what, None, facts)


@pytest.mark.parametrize(
    ("happening", "verbs"),
    [
        (Started(), [note("started", now=2.0, me=4)]),
        (Received("Witness", 9, Ping(1)), [Send("Witness", 9, Ping(2))]),
        (Sent("Witness", None, Ping(1)), [note("sent", to=None, number=1, ok=True)]),
        (Sent("Witness", 3, Ping(1), ok=False), [note("sent", to=3, number=1, ok=False)]),
        (Expired("Witness", Wake(5)), [Broadcast("Witness", Ping(5))]),
        (Linked(3), [note("linked", peer=3)]),
        (Unlinked(3), [note("unlinked", peer=3)]),
        (Cleared(3), [note("cleared", peer=3, is_clear=True, idle=True)]),
        (Moved((1.0, 2.0)), [Reject("Witness", "moved to (1.0, 2.0)")]),
        (Asked(Publish(event())), [Up(Notify(event(), 0))]),
        (Asked(Subscribe(Subscription(1, 4, "a"))), []),  # said aloud to be ignored
    ],
)
def test_each_happening_reaches_the_handler_that_is_marked_with_it(happening: Happening, verbs: list[object]) -> None:
    assert Recorder(Stack(Witness()), me=4).handle(2.0, happening) == verbs


def test_the_test_decides_who_is_busy() -> None:
    recorder = Recorder(Stack(Witness()))
    recorder.busy.add(3)
    recorder.is_idle = False
    assert recorder.handle(0.0, Cleared(3)) == [note("cleared", peer=3, is_clear=False, idle=False)]


def test_a_timer_is_written_down_and_not_run() -> None:
    assert Recorder(Stack(Pinger(pause=3.0))).handle(0.0, Started()) == [SetTimer("Pinger", Wake(), 3.0)]


def test_nobody_must_ask_what_became_of_a_frame() -> None:
    assert Recorder(Stack(Pinger())).handle(0.0, Sent("Pinger", 1, Ping(1))) == []


def test_each_call_returns_its_own_verbs() -> None:
    recorder = Recorder(Stack(Pinger()))
    first = recorder.handle(0.0, Received("Pinger", 1, Ping(1)))
    recorder.handle(1.0, Received("Pinger", 2, Ping(1)))
    assert first == [Send("Pinger", 1, Ping(2))]


def test_signals_pass_through_the_layers_in_both_directions() -> None:
    recorder = Recorder(Stack(Through(), Pinger()))
    assert recorder.handle(0.0, Asked(Publish(event()))) == [
        Note("Through", "publish passes"),
        Note("Through", "notify passes"),
        Up(Notify(event(), 0)),
    ]


def test_a_layer_that_is_alone_asks_and_is_told_through_the_open_end() -> None:
    recorder = Recorder(alone(Through()))
    assert recorder.handle(0.0, Asked(Publish(event())))[1:] == [Down(Publish(event()))]
    assert recorder.handle(0.0, Told(Notify(event())))[1:] == [Up(Notify(event()))]


def test_a_layer_that_is_alone_passes_on_what_it_has_no_handler_for() -> None:
    recorder = Recorder(alone(Through()))
    subscribe = Subscribe(Subscription(1, 0, "a"))
    assert recorder.handle(0.0, Asked(subscribe)) == [Down(subscribe)]
    assert recorder.handle(0.0, Told(Missing(1, 2, 3))) == [Up(Missing(1, 2, 3))]


def test_an_ignored_signal_ends_at_the_layer_that_ignores_it() -> None:
    assert Recorder(Stack(Deaf(), Pinger())).handle(0.0, Asked(Publish(event()))) == []
    assert Recorder(alone(Deaf())).handle(0.0, Told(Notify(event()))) == []


def test_a_routing_layer_carries_what_it_never_opens() -> None:
    publisher, subscriber = Recorder(Stack(Broker(), OneHop())), Recorder(Stack(Broker(), OneHop()))
    (broadcast,) = publisher.handle(0.0, Asked(Publish(event())))
    assert broadcast == Broadcast("OneHop", Carrier(Payload(Copy(event())), 1))
    verbs = subscriber.handle(1.0, Received("OneHop", 0, Carrier(Payload(Copy(event())), 1)))
    assert verbs == [Up(Notify(event(), 1))]


@dataclass
class Forgetful(Broker):
    """Hands down what it does not say."""

    payloads = ()


def test_a_payload_that_no_peer_could_read_is_never_sent() -> None:
    for stack in (Stack(Forgetful(), OneHop()), alone(Forgetful())):
        with pytest.raises(StackError, match=r"^Copy is no payload of this stack"):
            Recorder(stack).handle(0.0, Asked(Publish(event())))


def test_a_frame_that_is_too_long_is_dropped_as_every_host_does() -> None:
    large = event(payload=bytes(70_000))
    assert Recorder(Stack(Flood())).handle(0.0, Asked(Publish(large))) == [
        Note("Flood", "drop", large.id, {"detail": "Flooded of 70030 bytes; a frame has at most 60000"})
    ]


def test_a_lone_routing_user_is_told_of_arrivals() -> None:
    told_of = Told(Arrived(Payload(Copy(event())), (0.0, 0.0), 2))
    assert Recorder(alone(Broker())).handle(0.0, told_of) == [Up(Notify(event(), 2))]


def test_signals_are_delivered_in_the_order_in_which_they_were_given() -> None:
    @dataclass
    class Twice(Layer):
        above = PubSub
        below = PubSub

        @asked(Publish)
        def publish(self, ctx: Context, publish: Publish) -> None:
            ctx.down(publish)
            ctx.down(Publish(event(2)))
            ctx.note("first")  # a handler runs to its end before any signal is delivered

    assert Recorder(Stack(Twice(), Pinger())).handle(0.0, Asked(Publish(event(1)))) == [
        Note("Twice", "first"),
        Up(Notify(event(1), 0)),
        Up(Notify(event(2), 0)),
    ]


def test_a_thousand_signals_in_a_row_need_no_recursion() -> None:
    @dataclass
    class Echo(Layer):
        above = PubSub
        below = PubSub

        @told(Notify)
        def again(self, ctx: Context, notify: Notify) -> None:
            if notify.event.id.number > 1_000:
                ctx.up(notify)
            else:
                ctx.down(Publish(event(notify.event.id.number + 1)))

    assert Recorder(Stack(Echo(), Pinger())).handle(0.0, Asked(Publish(event(1)))) == [Up(Notify(event(1_001), 0))]


def test_chance_is_a_stream_of_the_node_and_the_layer() -> None:
    @dataclass
    class Gambler(Pinger):
        @started
        def start(self, ctx: Context) -> None:
            ctx.note("draw", value=ctx.rng.random())

    def draw(seed: int, me: int, *above: Layer) -> object:
        return Recorder(Stack(*above, Gambler()), me=me, seed=seed).handle(0.0, Started())

    assert draw(1, 2) == draw(1, 2, Fifo())  # another layer changes nobody else's dice
    assert draw(1, 2) != draw(2, 2)
    assert draw(1, 2) != draw(1, 3)


@dataclass
class Culprit(Pinger):
    """Does what its marks do not allow."""

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        match publish.event.id.number:
            case 1:
                ctx.up(Publish(publish.event))
            case 2:
                ctx.down(publish)
            case 3:
                ctx.pass_on(publish)
            case 4:
                ctx.send(1, Copy(publish.event))
            case 5:
                ctx.broadcast(Copy(publish.event))

    @started
    def start(self, ctx: Context) -> None:
        ctx.set_timer(Yawn(), 1.0)


NEVER_ASKED = (
    "Stack(Culprit(pause=1.0)) is never asked Route; possible: Subscribe, Unsubscribe, Advertise, Publish, Seek"
)


class Yawn(Wake):
    """A timer that nobody answers."""


@pytest.mark.parametrize(
    ("happening", "line"),
    [
        (Asked(Publish(event(1))), "Culprit tells Publish, which PubSub does not list"),
        (Asked(Publish(event(2))), "Culprit asks Publish, which Radio does not list"),
        (Asked(Publish(event(3))), "Culprit cannot pass on Publish: PubSub and Radio do not share it"),
        (Asked(Publish(event(4))), "Culprit sends Copy, but has no @received(Copy)"),
        (Asked(Publish(event(5))), "Culprit sends Copy, but has no @received(Copy)"),
        (Started(), "Culprit sets Yawn, but has no @expired(Yawn)"),
        (Received("Culprit", 1, Copy(event())), "Culprit has no @received(Copy)"),
        (Expired("Culprit", Yawn()), "Culprit has no @expired(Yawn)"),
        (Received("Culpri", 1, Ping(1)), "no layer 'Culpri'; did you mean 'Culprit'? known: Culprit"),
        (
            Asked(Route((0.0, 0.0), Payload(Ping(1)))),
            NEVER_ASKED,
        ),
        (Told(Notify(event())), "Stack(Culprit(pause=1.0)) is never told Notify; possible: none"),
    ],
)
def test_what_the_marks_do_not_allow_is_one_line(happening: Happening, line: str) -> None:
    with pytest.raises(StackError) as error:
        Recorder(Stack(Culprit())).handle(0.0, happening)
    assert str(error.value) == line


@pytest.mark.parametrize("what", sorted(set(KINDS) - NOTED - {FREE}))
def test_no_layer_writes_a_row_of_the_hosts(what: str) -> None:
    @dataclass
    class Forger(Pinger):
        @started
        def start(self, ctx: Context) -> None:
            ctx.note(what)

    with pytest.raises(
        StackError, match=f"^Forger notes '{what}', a row that only the host writes; a layer writes drop"
    ):
        Recorder(Stack(Forger())).handle(0.0, Started())


def test_every_kind_of_a_row_is_the_layers_or_the_hosts() -> None:
    assert sorted([*NOTED, *HOSTED, FREE]) == sorted(KINDS)


@pytest.mark.parametrize("after", [-1.0, -1e-9, float("nan"), float("inf")])
def test_a_timer_is_never_set_into_the_past_nor_to_no_time(after: float) -> None:
    @dataclass
    class Hasty(Pinger):
        @started
        def start(self, ctx: Context) -> None:
            ctx.set_timer(Wake(), after)

    with pytest.raises(StackError) as error:
        Recorder(Stack(Hasty())).handle(0.0, Started())
    assert str(error.value) == f"Hasty sets Wake(number=0) after {after} s; allowed: 0 or more, and finite"


def test_passing_on_finds_the_direction_by_itself() -> None:
    """Asked goes down, told goes up, also where one layer has both kinds of signal."""

    def pass_on(signal: Signal, enter: Callable[[Signal], Happening]) -> object:
        return Recorder(alone(Through())).handle(0.0, enter(signal))[-1]

    assert pass_on(Publish(event()), Asked) == Down(Publish(event()))
    assert pass_on(Notify(event()), Told) == Up(Notify(event()))


def test_a_whole_stack_leaves_nothing_below() -> None:
    recorder = Recorder(Stack(Fifo(), Flood()))
    recorder.handle(0.0, Asked(Subscribe(Subscription(1, 0, "a"))))
    verbs = recorder.handle(0.0, Received("Flood", 2, Flood.speaks()[0](event(3), 1)))  # Fifo seeks, Flood ignores it
    assert not [verb for verb in verbs if isinstance(verb, Down)]


def test_radio_is_the_floor_of_every_stack() -> None:
    assert (Radio.asks, Radio.tells) == ((), ())
