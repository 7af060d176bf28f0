"""Every measure agrees with its slow twin; and the definitions, one small trace each."""

from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from motecast import sim
from motecast.check import MEASURES, measure
from motecast.core import Event, EventId, Subscription
from motecast.trace import Trace, TraceBuilder
from tests.check.twins import Twin
from tests.check.worlds import World, worlds

ROOT = Path(__file__).parents[2]


def test_names_and_order_are_those_of_the_vocabulary() -> None:
    text = (ROOT / "docs/reference/vocabulary.md").read_text(encoding="utf-8")
    lines = text.split("## Measures")[1].split("## ")[0].splitlines()
    cells = [line.split("|")[1] for line in lines if line.startswith("| `")]
    assert [name for cell in cells for name in re.findall(r"`(\w+)`", cell)] == list(MEASURES)


@pytest.mark.fuzz
@given(worlds())
def test_every_measure_equals_its_slow_twin(trace: Trace) -> None:
    twin = Twin(trace).measures()
    found = measure(trace)
    assert list(found) == list(twin)
    for name, value in found.items():
        assert value == pytest.approx(twin[name]), name


@given(worlds("deliveries"))
def test_a_trace_at_level_deliveries_has_the_same_measures_but_for_what_is_stored(trace: Trace) -> None:
    twin = {**Twin(trace).measures(), "stored_per_subscription": None}
    from_totals = {name for name in MEASURES if name.endswith(("_bytes", "_per_event", "load_mean", "load_max"))}
    for name, value in measure(trace).items():
        if name not in from_totals:  # the twin adds frames up, which are not there
            assert value == pytest.approx(twin[name]), name


def test_a_run_without_rows_events_and_nodes_has_zeros_and_nulls() -> None:
    found = measure(World(nodes=0, links=[]).trace())
    zeros = {name for name, value in found.items() if value == 0}
    assert zeros == {
        "published", "expected", "delivered", "duplicates", "unwanted", "gaps", "payload_bytes", "metadata_bytes",
        "control_bytes",
    }  # fmt: skip
    assert {value for name, value in found.items() if name not in zeros} == {None}


def test_a_subscriber_that_dies_for_good_before_the_deadline_is_not_expected() -> None:
    world = World()
    for node in (1, 2, 3):
        world.subscribe(node)
    world.publish(0, life=0.00001)
    world.crash(1, "for good")
    world.crash(2, "state lost")
    world.t += 100
    world.crash(3, "for good")  # after the deadline
    assert measure(world.trace())["expected"] == 2


def test_a_delivery_after_the_event_expired_does_not_count() -> None:
    world = World()
    world.subscribe(1)
    world.subscribe(2)
    event = world.publish(0, life=0.000010)
    published = world.t
    world.t = published + 9
    world.deliver(1, event)  # at the deadline itself
    world.deliver(2, event)
    found = measure(world.trace())
    assert (found["expected"], found["delivered"], found["delay_mean"]) == (2, 1, pytest.approx(0.000010))


def test_times_are_true_times_whatever_the_publishers_clock_says() -> None:
    builder = TraceBuilder(("Top",))
    builder.published(Event(EventId(0, 1), ("a",), when=500.0, expires=503.0), 1, 2_000_000)
    events = builder.build([], World().trace().field, {}).events
    assert (events["when"].to_pylist(), events["expires"].to_pylist()) == ([2_000_000], [5_000_000])


def test_history_that_a_late_subscriber_gets_is_wanted_but_not_expected() -> None:
    world = World()
    event = world.publish(0)
    world.subscribe(1)
    world.deliver(1, event)
    found = measure(world.trace())
    assert (found["expected"], found["unwanted"], found["arrivals_per_event"]) == (0, 0, 1.0)


def arrivals(world: World) -> tuple[object, object]:
    """Per event, and per delivery."""
    found = measure(world.trace())
    return found["arrivals_per_event"], found["redundancy"]


def test_a_copy_that_an_ordering_layer_drops_has_arrived_all_the_same() -> None:
    def world(last: str) -> World:
        made = World()
        made.subscribe(1)
        made.deliver(1, made.publish(0))
        late = made.publish(0)
        made.write("duplicate", 1, late)
        made.write(last, 1, late)
        return made

    assert arrivals(world("deliver"))[0] == arrivals(world("drop"))[0] == 1.5


def test_a_frame_that_a_full_queue_drops_and_a_relay_that_drops_what_it_delivered_are_no_arrivals() -> None:
    world = World()
    world.subscribe(1)
    event, other = world.publish(0), world.publish(0)
    world.deliver(1, event)
    world.write("drop", 1, event, detail="no room to keep it for others")
    world.write("drop", 1, other, message="Data", detail="transmit queue full")
    assert arrivals(world) == (0.5, 1.0)


def test_subscribers_that_die_for_good_are_left_out_of_redundancy_on_both_sides() -> None:
    world = World()
    for node in (1, 2):
        world.subscribe(node)
    event = world.publish(0)
    for node in (1, 2):
        world.deliver(node, event)
        world.write("duplicate", node, event)
    assert arrivals(world) == (4.0, 2.0)
    world.crash(2, "for good")
    assert arrivals(world) == (4.0, 2.0)


FAR = {
    "name": "far", "until": 40.0, "field": {"area": [40.0, 40.0]},
    "nodes": {"mote": {"count": 12, "placement": "grid"}},
    "medium": {"kind": "disk", "range": 15.0, "latency": [0.01, 0.8]},
    "workload": {"mote": {"publish": {"every": 0.5, "until": 20.0}, "subscribe": {}}},
}  # fmt: skip


def test_the_same_frames_are_the_same_arrivals_with_and_without_an_ordering_layer() -> None:
    plain = measure(sim.run(sim.scenario_of({**FAR, "stack": "flood"})))
    impatient = {"protocol": {"flood-fifo": {"patience": 0.05}}}
    ordered = measure(sim.run(sim.scenario_of({**FAR, "stack": "flood-fifo", **impatient})))
    assert ordered["delivered"] < plain["delivered"]  # it drops many
    for name in ("transmissions_per_event", "arrivals_per_event"):
        assert ordered[name] == plain[name], name


def test_an_event_published_after_the_subscription_ended_is_unwanted() -> None:
    world = World()
    subscription = world.subscribe(1)
    world.unsubscribe(subscription)
    world.deliver(1, world.publish(0))
    assert measure(world.trace())["unwanted"] == 1


def test_two_subscriptions_of_one_node_are_one_pair() -> None:
    world = World()
    world.subscribe(1, "#")
    world.subscribe(1, "a")
    world.publish(0, "a")
    assert measure(world.trace())["expected"] == 1


def test_violations_count_the_promised_always_oracles_only() -> None:
    world = World(promises=("integrity", "validity"))
    world.subscribe(0)
    world.publish(0)  # validity is broken, but it is no always-oracle
    event = world.publish(1)
    world.deliver(2, event)  # only-subscribed is broken, but not promised
    world.deliver(2, event)
    assert measure(world.trace())["violations"] == 1


def test_violations_are_null_when_nothing_promised_can_be_judged() -> None:
    assert measure(World().trace())["violations"] is None
    assert measure(World("deliveries", promises=("bytes-conserved",)).trace())["violations"] is None
    assert measure(World("full", promises=("bytes-conserved",)).trace())["violations"] == 0


def test_there_is_no_stretch_in_a_field_that_moves() -> None:
    def trace(scenario: dict[str, object]) -> Trace:
        world = World(scenario=scenario)
        world.subscribe(1)
        world.deliver(1, world.publish(0), hops=3)
        return world.trace()

    assert measure(trace({}))["stretch_mean"] == 3.0
    assert measure(trace({"nodes": {"mote": {"mobility": "waypoint"}}}))["stretch_mean"] is None


@pytest.mark.slow
def test_two_million_expected_pairs_need_seconds() -> None:
    """A hundred thousand nodes that want everything, twenty events, every one delivered everywhere.

    A hundred events (10^7 pairs) took 15 s and 4 GB when this was written: no place for them in a test.
    """
    nodes, events = 100_000, 20
    builder = TraceBuilder(("Top",))
    for node in range(nodes):
        builder.subscribed(Subscription(node, node, "#"), 0)
    code = builder.codes(0)
    block = np.empty((nodes, 6), dtype=np.int64)
    block[:, 1], block[:, 2], block[:, 3], block[:, 5] = np.arange(nodes), code["deliver"], 0, -3
    for number in range(1, events + 1):
        builder.published(Event(EventId(0, number), ("a",)), 10, number * 1000)
        builder.rows += (number * 1000, 0, code["publish"], 0, number, -1)
        block[:, 0], block[:, 4] = number * 1000 + 500, number
        builder.rows += block.ravel().tolist()
        builder.flush()
    trace = builder.build([], World(nodes=nodes, links=[()] * nodes).trace().field, {})
    start = time.process_time()
    found = measure(trace)
    taken = time.process_time() - start
    assert (found["expected"], found["delivered"], found["delay_p50"]) == (nodes * events, nodes * events, 0.0005)
    assert taken < 20, f"{taken:.1f} s"
