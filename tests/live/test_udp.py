"""The live host on real sockets: acknowledgements, loss, garbage, timers, limits. Every run ends by itself."""

from __future__ import annotations

import asyncio
import gc
import socket
from dataclasses import dataclass
from random import Random

import pyarrow as pa
import pyarrow.compute as pc
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
    Signal,
    Stack,
    StackError,
    Subscribe,
    Subscription,
    Timer,
    Unsubscribe,
    asked,
    cleared,
    expired,
    linked,
    received,
    sent,
    started,
    state,
)
from motecast.live import host, run
from motecast.live.datagram import Data, Envelope, pack
from motecast.live.options import Options
from motecast.live.world import World
from motecast.protocols.plain.flood import Flooded
from motecast.stacks import flood
from motecast.trace import Trace
from motecast.trace.kinds import FIELD

PAIR = ((0.0, 0.0), (1.0, 0.0))
BOTH = ((1,), (0,))
NOBODY: tuple[tuple[int, ...], ...] = ((), ())


class Letter(Message):
    """An event for one node."""

    carries = "event"

    event: Event


@dataclass
class Post(Layer):
    """Sends every event to node 1 and writes down what became of it."""

    above = PubSub
    below = Radio
    ignores = (Subscribe, Unsubscribe, Advertise, Seek)

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        ctx.send(1, Letter(publish.event))
        ctx.note("offered", idle=ctx.idle, clear=ctx.is_clear(1))

    @received(Letter)
    def arrive(self, ctx: Context, sender: NodeId, letter: Letter) -> None:
        ctx.up(Notify(letter.event, 1))

    @sent(Letter)
    def leave(self, ctx: Context, to: NodeId | None, letter: Letter, ok: bool) -> None:
        ctx.note("left", event=letter.event.id, to=to, ok=ok)

    @cleared
    def clear(self, ctx: Context, peer: NodeId) -> None:
        ctx.note("cleared", who=peer)


def publish(number: int, t: int = 0, payload: bytes = b"") -> tuple[int, NodeId, Signal]:
    """Node 0 publishes."""
    return t, 0, Publish(Event(EventId(0, number), ("news",), payload=payload))


def rows(trace: Trace, kind: str) -> list[dict[str, object]]:
    """The rows of one kind."""
    return trace.rows.filter(pc.equal(trace.rows["kind"].cast("string"), kind)).to_pylist()


def details(trace: Trace, kind: str = "note") -> list[object]:
    """What the rows of one kind say."""
    return [row["detail"] for row in rows(trace, kind)]


def post(script, *, links=BOTH, **options) -> Trace:
    """A run of Post at level full."""
    return run(Stack(Post()), PAIR, links, script, seed=1, until=30.0, level="full", **options)


def test_an_acknowledged_frame_is_delivered_and_reported_heard():
    trace = post([publish(1)])
    assert [(row["node"], row["publisher"], row["number"]) for row in rows(trace, "deliver")] == [(1, 0, 1)]
    assert "what=left; to=1; ok=True" in details(trace)


def test_an_acknowledgement_is_a_transmission_of_its_own():
    trace = post([publish(1)])
    assert {(row["node"], row["message"], row["count"]) for row in trace.totals.to_pylist()} == {
        (0, "Letter", 1),
        (1, "Ack", 1),
    }


def test_without_acknowledgement_sent_says_that_it_left():
    trace = post([publish(1)], acknowledge=False)
    assert "what=left; to=1; ok=True" in details(trace)
    assert [row["message"] for row in rows(trace, "send")] == ["Letter"]


def test_a_frame_to_nobody_is_tried_again_and_reported_unheard():
    trace = post([publish(1)], links=NOBODY, retries=2)
    assert rows(trace, "deliver") == []
    assert len(rows(trace, "send")) == 3
    assert "what=left; to=1; ok=False" in details(trace)


def test_loss_is_mended_by_retries_and_nothing_is_delivered_twice():
    trace = post([publish(number) for number in range(1, 101)], loss=0.3, retries=20)
    delivered = [row["number"] for row in rows(trace, "deliver")]
    assert sorted(delivered) == list(range(1, 101))
    assert len([row for row in rows(trace, "send") if row["message"] == "Letter"]) > 100
    assert rows(trace, "lose")
    assert len([text for text in details(trace) if text.startswith("what=left") and "ok=True" in text]) == 100


def test_rows_and_totals_tell_the_same_transmissions():
    trace = post([publish(number, payload=bytes(number)) for number in range(1, 31)], loss=0.2, retries=20)
    for name in ("count", "size", "payload", "metadata"):
        told = sum(1 if name == "count" else row[name] for row in rows(trace, "send"))
        assert told == pc.sum(trace.totals[name]).as_py(), name


def test_a_peer_with_too_much_to_answer_is_not_clear_until_it_has_answered():
    trace = post([publish(number) for number in range(1, 201)])
    told = details(trace)
    assert "what=offered; idle=False; clear=True" in told
    assert "what=offered; idle=False; clear=False" in told
    assert "what=cleared; who=1" in told
    assert len(rows(trace, "deliver")) == 200


def test_a_frame_that_is_too_long_is_dropped_and_reported():
    trace = post([publish(1, payload=bytes(70_000)), publish(2)])
    assert [row["number"] for row in rows(trace, "deliver")] == [2]
    assert details(trace, "drop") == ["Letter of 70032 bytes; a frame has at most 60000"]
    assert "what=left; to=1; ok=False" in details(trace)


@dataclass
class Burst(Post):
    """Answers one event with more frames than can wait."""

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        for _ in range(1300):
            ctx.send(1, Letter(publish.event))


@pytest.mark.parametrize("acknowledge, delivered", [(True, 1024 + 64), (False, 1024)])
def test_a_full_transmit_queue_drops_the_oldest_frame(acknowledge, delivered):
    trace = run(Stack(Burst()), PAIR, BOTH, [publish(1)], seed=1, until=30.0, level="full", acknowledge=acknowledge)
    assert len(rows(trace, "deliver")) == delivered
    assert set(details(trace, "drop")) == {"queue"}
    assert len(rows(trace, "drop")) == 1300 - delivered


class Tick(Timer):
    """An alarm."""

    name: str


@dataclass
class Clockwork(Layer):
    """Sets an alarm twice, and another one; notes what expires."""

    above = PubSub
    below = Radio
    ignores = (Subscribe, Unsubscribe, Advertise, Publish, Seek)

    set_at: dict[str, float] = state(dict)

    @started
    def begin(self, ctx: Context) -> None:
        self.set_at["begin"] = ctx.now
        ctx.set_timer(Tick("moved"), 0.02)
        ctx.set_timer(Tick("other"), 0.04)
        ctx.set_timer(Tick("moved"), 0.06)

    @expired(Tick)
    def ring(self, ctx: Context, tick: Tick) -> None:
        after = ctx.now - self.set_at["begin"]
        ctx.note("rang", name=tick.name, late=after >= {"moved": 0.06, "other": 0.04}[tick.name])

    @linked
    def see(self, ctx: Context, peer: NodeId) -> None:
        ctx.note("saw", who=peer)


@pytest.mark.parametrize("speed", [1.0, 10.0])
def test_equal_timers_are_one_alarm_and_setting_it_again_moves_it(speed):
    trace = run(Stack(Clockwork()), PAIR[:1], ((),), [], seed=1, until=30.0, level="full", speed=speed)
    assert details(trace) == ["what=rang; name=other; late=True", "what=rang; name=moved; late=True"]
    assert len(rows(trace, "timer")) == 2


class Yawn(Timer):
    """Nobody answers it."""


@dataclass
class Wrong(Clockwork):
    """Sets a timer that cannot be meant."""

    after: float = 1.0

    @started
    def begin(self, ctx: Context) -> None:
        ctx.set_timer(Yawn() if self.after == 0 else Tick("past"), self.after)


@pytest.mark.parametrize(
    ("after", "line"),
    [
        (0.0, r"^Wrong sets Yawn, but has no @expired\(Yawn\)$"),
        (-0.5, r"^Wrong sets Tick\(name='past'\) after -0.5 s; allowed: 0 or more, and finite$"),
    ],
)
def test_a_timer_that_cannot_be_meant_is_refused_where_it_is_set(after: float, line: str) -> None:
    with pytest.raises(StackError, match=line):
        run(Stack(Wrong(after=after)), PAIR[:1], ((),), [], seed=1, until=1.0)


def test_a_run_is_over_when_nothing_can_happen_any_more():
    trace = run(Stack(Clockwork()), PAIR[:1], ((),), [], seed=1, until=1e6)
    assert trace.about["until"] == 1e6


def test_a_run_ends_at_its_time_although_alarms_wait():
    trace = run(Stack(Clockwork()), PAIR[:1], ((),), [], seed=1, until=0.05, level="full")
    assert details(trace) == ["what=rang; name=other; late=True"]


def test_both_ends_of_a_link_are_told_of_it():
    trace = run(Stack(Clockwork()), PAIR, BOTH, [], seed=1, until=30.0, level="full")
    assert [(row["node"], row["peer"]) for row in rows(trace, "linkup")] == [(0, 1), (1, 0)]
    assert [text for text in details(trace) if "saw" in text] == ["what=saw; who=1", "what=saw; who=0"]


def with_garbage(datagrams: list[bytes], *, level: str = "full") -> Trace:
    """A run of flooding in which a stranger sends datagrams to node 1 before node 0 publishes."""
    script = [(0, 1, Subscribe(Subscription(1, 1, "#"))), publish(1, t=200_000)]

    async def play() -> Trace:
        world = World(flood(), PAIR, BOTH, script, Options(seed=1, until=30.0, level=level))
        running = asyncio.create_task(world.run())
        while len(world.nodes) < 2:
            await asyncio.sleep(0)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            for data in datagrams:
                stranger.sendto(data, world.endpoints[1].address)
        await running
        rejected.append(world.rejected)
        return world.builder.build([], trace_field(), {})

    rejected: list[int] = []
    trace = asyncio.run(play())
    assert rejected == [len(datagrams)]
    return trace


def trace_field() -> pa.Table:
    """A field that no test looks at."""
    return FIELD.empty_table()


def test_datagrams_of_strangers_are_counted_and_change_nothing():
    frame = flood().codec.encode(0, flood_message())
    garbage = [b"", b"\x00", bytes(100), b"\xff" * 1400, pack(Envelope(0, 0, 1), Data(frame))]
    trace = with_garbage(garbage)
    assert [row["number"] for row in rows(trace, "deliver")] == [1]
    told = details(trace, "reject")
    assert len(told) == len(garbage)
    assert "node 0, boot 0 is not at" in told[-1]


def flood_message() -> Message:
    """What flooding sends; forged."""
    return Flooded(Event(EventId(0, 1), ("forged",)), 1)


@dataclass
class Clumsy(Post):
    """A bug."""

    @received(Letter)
    def arrive(self, ctx: Context, sender: NodeId, letter: Letter) -> None:
        raise ZeroDivisionError("a bug in a handler")


def test_a_bug_in_a_handler_ends_the_run_where_it_is_seen():
    with pytest.raises(ZeroDivisionError, match="a bug in a handler"):
        run(Stack(Clumsy()), PAIR, BOTH, [publish(1)], seed=1, until=30.0)


def test_nothing_is_left_behind_in_the_loop_of_the_caller():
    """No task, no alarm, no socket: pytest turns a ResourceWarning into an error."""

    async def twice() -> tuple[int, int]:
        loop = asyncio.get_running_loop()
        for _ in range(2):
            await host(Stack(Post()), PAIR, BOTH, [publish(1)], seed=1, until=30.0)
        alarms = [handle for handle in loop._scheduled if not handle.cancelled()]
        return len(asyncio.all_tasks()), len(alarms)

    assert asyncio.run(twice()) == (1, 0)
    gc.collect()


def test_a_cancelled_run_closes_its_sockets():
    async def cancel() -> None:
        running = asyncio.create_task(host(Stack(Clockwork()), PAIR, BOTH, [publish(1, t=10**9)], seed=1, until=1e6))
        await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancel())
    gc.collect()


def test_the_listener_is_told_each_delivery():
    heard: list[tuple[NodeId, EventId]] = []
    post([publish(1)], listener=lambda node, notify: heard.append((node, notify.event.id)))
    assert heard == [(1, EventId(0, 1))]


def test_more_than_the_buffers_hold_is_delivered_all_the_same():
    """A thousand large frames to one node without acknowledgement: senders wait for room, the kernel loses none."""
    count = 1000
    script = [publish(number, payload=bytes(20_000)) for number in range(1, count + 1)]
    trace = run(Stack(Post()), PAIR, BOTH, script, seed=1, until=60.0, acknowledge=False)
    assert len(rows(trace, "deliver")) == count
    assert trace.about["datagrams"] == {"given": count, "received": count, "lost": 0}


def test_streams_of_chance_are_those_of_the_simulator():
    @dataclass
    class Dice(Clockwork):
        """Throws once."""

        @started
        def begin(self, ctx: Context) -> None:
            ctx.note("threw", value=ctx.rng.random())

    trace = run(Stack(Dice()), PAIR, NOBODY, [], seed=7, until=1.0, level="full")
    assert details(trace) == [f"what=threw; value={Random(f'7/{node}/Dice').random()}" for node in (0, 1)]
