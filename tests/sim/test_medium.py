"""The medium without air time: reach, loss, latency, rounds, copies."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest

from motecast.core import (
    Advertise,
    Context,
    Layer,
    Message,
    Publish,
    PubSub,
    Radio,
    Seek,
    Stack,
    StackError,
    Subscribe,
    Unsubscribe,
    asked,
)
from motecast.sim import Deployment, run
from motecast.sim.links import Everyone
from motecast.sim.medium import Latency
from tests.sim.probes import kinds, notes, said, world

LINE = ((1,), (0, 2), (1,))


def test_a_broadcast_reaches_all_who_hear_the_node_and_nobody_else() -> None:
    assert said([(1.0, 1, "say a"), (2.0, 0, "say b")], "heard", links=LINE) == [
        (1.0, 0, "heard a of 1"),
        (1.0, 2, "heard a of 1"),
        (2.0, 1, "heard b of 0"),
    ]


def test_a_frame_for_one_peer_reaches_it_alone_and_only_within_reach() -> None:
    orders = [(1.0, 1, "tell 2 a"), (2.0, 0, "tell 2 b"), (3.0, 0, "tell 0 c"), (4.0, 0, "tell 99 d")]
    assert said(orders, "heard", links=LINE) == [(1.0, 2, "heard a of 1")]


@pytest.mark.parametrize("many", [3, 40])
def test_reach_is_the_same_for_few_and_for_many_hearers(many: int) -> None:
    star = [tuple(range(1, many + 1)), *[(0,)] * many]
    orders = [(1.0, 0, f"tell {many} a"), (2.0, 1, "tell 2 b")]
    assert said(orders, "heard", links=star) == [(1.0, many, "heard a of 0")]


def test_without_air_time_a_frame_leaves_at_once_and_the_layer_learns_it_after_its_handler() -> None:
    found = said([(1.0, 0, "say a b"), (1.0, 0, "facts 1")], medium={"kind": "graph"})
    assert found[4:] == [
        (1.0, 0, "idle True, 1 clear True"),
        (1.0, 0, "sent a ok"),
        (1.0, 0, "sent b ok"),
        (1.001, 1, "heard a of 0"),
        (1.001, 1, "heard b of 0"),
    ]


def test_a_fixed_latency_is_exact_to_the_microsecond() -> None:
    found = said([(1.0, 0, "say a")], "heard", medium={"kind": "graph", "latency": 0.000123})
    assert found == [(1.000123, 1, "heard a of 0")]


def test_latencies_of_a_span_are_drawn_from_all_of_it_both_ends_included() -> None:
    medium = {"kind": "graph", "latency": [0.000002, 0.000005]}
    found = said([(float(t), 0, "say a") for t in range(1, 100)], "heard", medium=medium, until=200.0)
    assert {round((t % 1) * 1e6) for t, _, _ in found} == {2, 3, 4, 5}


def test_slots_make_latencies_collide() -> None:
    medium = {"kind": "graph", "latency": [0.001, 0.0042], "slot": 0.001}
    found = said([(float(t), 0, "say a") for t in range(1, 100)], "heard", medium=medium, until=200.0)
    assert {round((t % 1) * 1e6) for t, _, _ in found} == {1000, 2000, 3000, 4000}
    assert Latency(1000, 4200, 1000).longest == 4000


def test_each_receiver_of_a_transmission_loses_it_by_itself_and_as_often_as_the_scenario_says() -> None:
    star = [tuple(range(1, 41)), *[(0,)] * 40]
    orders = [(t / 10, 0, f"say {t}") for t in range(1, 151)]
    trace = run(world(orders, links=star, medium={"kind": "graph", "loss": 0.25, "latency": 0.0}), "full")
    heard, lost = len(notes(trace, "heard")), len(kinds(trace, "lose"))
    assert heard + lost == 150 * 40
    assert 0.22 < lost / (150 * 40) < 0.28
    by_frame = [sum(1 for _ in group) for _, group in itertools.groupby(kinds(trace, "lose"), key=lambda row: row[0])]
    assert len(set(by_frame)) > 5


def test_a_loss_of_one_loses_everything_and_of_zero_nothing() -> None:
    for loss, count in ((1.0, 0), (0.0, 20)):
        orders = [(float(t), 0, "say a") for t in range(20)]
        assert len(said(orders, "heard", medium={"kind": "graph", "loss": loss}, until=30.0)) == count


def test_everything_sent_in_a_round_arrives_before_the_next_begins() -> None:
    orders = [
        (0.0, 0, "tell 1 a"),
        (0.3, 0, "tell 1 b"),
        (0.999998, 0, "tell 2 c"),
        (1.0, 2, "say d"),
        (1.7, 1, "say e"),
    ]
    assert notes(run(rounds(orders), "full"), "heard") == [
        (0.999999, 1, "heard a of 0"),
        (0.999999, 1, "heard b of 0"),
        (0.999999, 2, "heard c of 0"),
        (1.999999, 0, "heard d of 2"),
        (1.999999, 1, "heard d of 2"),
        (1.999999, 0, "heard e of 1"),
        (1.999999, 2, "heard e of 1"),
    ]


def rounds(orders: list[tuple[float, int, str]], **medium: object) -> Deployment:
    """Three probes in a datagram network, with the links of that network."""
    deployed = world(orders, links=((), (), ()), medium={"kind": "rounds", **medium})
    deployed.links = Everyone(3)
    return deployed


def test_what_is_sent_in_answer_at_the_end_of_a_round_belongs_to_the_next() -> None:
    found = notes(run(rounds([(0.999999, 0, "say late")]), "full"), "heard")
    assert found == [(1.999999, 1, "heard late of 0"), (1.999999, 2, "heard late of 0")]


def test_datagrams_are_duplicated_as_often_as_the_scenario_says() -> None:
    orders = [(t / 10, 0, f"tell 1 {t}") for t in range(1, 151)]
    heard = notes(run(rounds(orders, duplicate=0.3), "full"), "heard")
    assert len({what for _, _, what in heard}) == 150
    assert 150 * 1.2 < len(heard) < 150 * 1.4
    assert len(notes(run(rounds(orders, duplicate=1.0), "full"), "heard")) == 300


def test_a_node_of_a_datagram_network_is_told_its_addresses_at_its_start_and_no_more() -> None:
    everybody = notes(run(rounds([]), "full"), "linked")
    assert everybody == [(0.0, a, f"linked {b}") for a in range(3) for b in range(3) if a != b]
    one = notes(run(rounds([], known=1), "full"), "linked")
    assert [node for _, node, _ in one] == [0, 1, 2]


class Word(Message):
    """What nobody understands."""


@dataclass
class Mute(Layer):
    """Sends what it cannot receive."""

    above = PubSub
    below = Radio
    ignores = (Advertise, Seek, Subscribe, Unsubscribe)

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        ctx.broadcast(Word())


def test_a_message_that_the_layer_does_not_receive_is_the_stacks_mistake_in_one_line() -> None:
    deployed = world([(1.0, 0, "say a")])
    deployed.stack = Stack(Mute())
    with pytest.raises(StackError, match=r"^Mute sends Word, which it does not receive: mark a method with @received"):
        run(deployed)


@pytest.mark.parametrize("medium", [{}, {"rate": 1e9}, {"acknowledge": True}])
def test_a_frame_that_is_too_long_is_dropped_and_its_layer_learns_it_as_it_does_live(medium: dict[str, object]) -> None:
    deployed = world([(1.0, 0, "say a"), (2.0, 0, "tell 1 b")], filling=70_000, medium={"kind": "graph", **medium})
    trace = run(deployed, "full")
    why = "Call of 70011 bytes; a frame has at most 60000"
    assert kinds(trace, "drop", "receive", "send", "broadcast") == [(1.0, 0, "drop", why), (2.0, 0, "drop", why)]
    assert notes(trace, "sent") == [(1.0, 0, "sent a in vain"), (2.0, 0, "sent b in vain")]
