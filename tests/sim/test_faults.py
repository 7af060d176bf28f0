"""Faults as a schedule and as a rate: what a node does not do while it is away, and what it does when it is back."""

from __future__ import annotations

import numpy as np
import pytest

from motecast.check import judge
from motecast.core import Advertise, Subscribe, Subscription, Unsubscribe
from motecast.sim import deploy, run, scenario_of
from motecast.sim.faults import compile_faults
from tests.sim.probes import kinds, notes, said, world


def after(t: float, *schedule: dict[str, object], orders=(), **options: object) -> list[tuple[float, int, str]]:
    """What is said after this time under these faults."""
    found = said(orders, faults={"schedule": list(schedule)}, **options)
    return [one for one in found if one[0] > t and "linked" not in one[2] and not one[2].startswith("sent")]


def crash(**more: object) -> dict[str, object]:
    return {"do": "crash", "when": 5.0, "node": 1, **more}


def perturb(**more: object) -> dict[str, object]:
    return {"do": "perturb", "when": 5.0, "lasts": 5.0, "node": 1, **more}


# Crash and recover


def test_a_node_that_is_down_hears_nothing_does_nothing_and_starts_again() -> None:
    orders = [(4.0, 1, "alarm a 2.0"), (6.0, 0, "say a"), (6.5, 1, "say b"), (8.0, 0, "say c")]
    assert after(4.5, crash(lasts=2.0), orders=orders) == [(7.0, 1, "starts"), (8.0, 1, "heard c of 0")]


def test_an_alarm_of_before_a_crash_never_rings_even_if_it_is_set_again_for_the_same_time() -> None:
    orders = [(4.0, 1, "alarm a 6.0"), (8.0, 1, "alarm a 2.0"), (9.0, 1, "alarm a 3.0")]
    found = after(7.5, crash(lasts=2.0), orders=orders)
    assert found == [(12.0, 1, "rings a")]


@pytest.mark.parametrize("state, count", [("kept", 3), ("lost", 1)])
def test_state_is_kept_or_lost(state: str, count: int) -> None:
    orders = [(1.0, 1, "count"), (2.0, 1, "count"), (8.0, 1, "count")]
    assert after(7.5, crash(lasts=2.0, state=state), orders=orders) == [(8.0, 1, f"count {count}")]


def test_a_frame_on_its_way_to_a_node_that_crashes_meanwhile_is_lost() -> None:
    medium = {"kind": "graph", "latency": 1.0}
    orders = [(4.5, 0, "say a"), (7.0, 0, "say b")]
    assert after(4.9, crash(lasts=2.0), orders=orders, medium=medium) == [(7.0, 1, "starts"), (8.0, 1, "heard b of 0")]


def test_what_a_node_sent_before_it_crashed_still_arrives_where_frames_have_no_air_time() -> None:
    found = after(4.9, crash(), orders=[(4.5, 1, "say a")], medium={"kind": "graph", "latency": 1.0})
    assert found == [(5.5, 0, "heard a of 1")]


def test_the_trace_says_what_kind_of_crash_it_was() -> None:
    for more, detail in (
        ({"lasts": 1.0}, "state lost"),
        ({"lasts": 1.0, "state": "kept"}, "state kept"),
        ({}, "for good"),
    ):
        found = kinds(run(world(faults={"schedule": [crash(**more)]})), "crash", "recover")
        assert found[0] == (5.0, 1, "crash", detail)
        assert found[1:] == ([(6.0, 1, "recover", None)] if more else [])


def test_a_crash_at_the_beginning_happens() -> None:
    assert after(-1.0, crash(when=0.0, lasts=3.0)) == [(0.0, 0, "starts"), (0.0, 1, "starts"), (3.0, 1, "starts")]


def test_a_crash_of_a_node_that_is_down_makes_it_stay_down_longer() -> None:
    assert after(4.9, crash(lasts=2.0), crash(when=6.0, lasts=5.0)) == [(11.0, 1, "starts")]
    assert after(4.9, crash(lasts=9.0), crash(when=6.0, lasts=1.0)) == [(14.0, 1, "starts")]
    assert after(4.9, crash(lasts=2.0), crash(when=6.0)) == []
    assert after(4.9, crash(lasts=2.0), crash(when=7.0, lasts=2.0)) == [(9.0, 1, "starts")]


def test_one_loss_of_state_in_a_chain_of_crashes_is_enough() -> None:
    orders = [(1.0, 1, "count"), (12.0, 1, "count")]
    found = after(4.9, crash(lasts=2.0), crash(when=6.0, lasts=5.0, state="kept"), orders=orders)
    assert found == [(11.0, 1, "starts"), (12.0, 1, "count 1")]


def test_what_the_application_wants_is_asked_again_after_a_loss_of_state_and_not_otherwise() -> None:
    one, two, three = (Subscription(number, 1, f"t{number}") for number in (1, 2, 3))
    signals = [
        (1.0, 1, Subscribe(one)),
        (1.0, 1, Subscribe(two)),
        (2.0, 1, Advertise("mine")),
        (6.0, 1, Unsubscribe(one)),
        (6.5, 1, Subscribe(three)),
    ]
    orders = [(3.0, 1, "count")]
    lost = after(5.0, crash(lasts=2.0), signals=signals, orders=orders)
    assert [what for _, _, what in lost] == [
        "starts",
        "subscribes t1",
        "subscribes t2",
        "advertises mine from 2",
        "unsubscribes t1",
        "subscribes t3",
    ]
    kept = after(5.0, crash(lasts=2.0, state="kept"), signals=signals, orders=orders)
    assert [what for _, _, what in kept] == ["starts", "unsubscribes t1", "subscribes t3"]


def test_a_subscription_is_active_from_when_it_could_be_asked() -> None:
    signals = [(6.0, 1, Subscribe(Subscription(1, 1, "t")))]
    trace = run(world(signals=signals, faults={"schedule": [crash(lasts=2.0)]}))
    assert trace.subscriptions["since"].to_pylist() == [7_000_000]


def test_numbers_have_no_holes_though_a_node_that_is_down_publishes_nothing() -> None:
    orders = [(float(t), 1, "count") for t in range(1, 15)]
    trace = run(world(orders, faults={"schedule": [crash(lasts=4.5)]}))
    assert trace.events["number"].to_pylist() == list(range(1, 10))
    assert [t / 1e6 for t in trace.events["when"].to_pylist()] == [1, 2, 3, 4, 10, 11, 12, 13, 14]


# Join and leave


def test_who_joins_is_absent_until_then_and_asks_then_for_what_it_wants() -> None:
    signals = [(1.0, 1, Subscribe(Subscription(1, 1, "t"))), (1.0, 1, Advertise("mine"))]
    orders = [(2.0, 0, "say a"), (3.0, 1, "say b"), (8.0, 0, "say c")]
    faults = {"schedule": [{"do": "join", "when": 5.0, "node": 1}]}
    trace = run(world(orders, signals=signals, faults=faults), "full")
    assert [one for one in notes(trace) if one[1] == 1 and "linked" not in one[2]] == [
        (5.0, 1, "starts"),
        (5.0, 1, "subscribes t"),
        (5.0, 1, "advertises mine from 1"),
        (8.0, 1, "heard c of 0"),
    ]
    assert kinds(trace, "recover") == [(5.0, 1, "recover", "join")]


def test_joining_does_not_wake_the_dead() -> None:
    join = {"do": "join", "node": 1}
    assert after(0.0, {**join, "when": 2.0}, crash(lasts=9.0), {**join, "when": 6.0}) == [
        (2.0, 1, "starts"),
        (14.0, 1, "starts"),
    ]
    assert after(0.0, {"do": "leave", "when": 1.0, "node": 1}, {**join, "when": 6.0}) == []


def test_who_leaves_takes_its_subscriptions_back_and_never_returns() -> None:
    signals = [(1.0, 1, Subscribe(Subscription(1, 1, "t")))]
    leave = {"do": "leave", "when": 5.0, "node": 1}
    found = after(2.0, leave, crash(when=6.0, lasts=1.0), signals=signals, orders=[(8.0, 0, "say a")])
    assert found == [(5.0, 1, "unsubscribes t")]
    trace = run(world(signals=signals, faults={"schedule": [leave]}))
    assert trace.subscriptions["until"].to_pylist() == [5_000_000]
    assert kinds(trace, "crash") == [(5.0, 1, "crash", "for good")]


def test_who_leaves_while_it_is_down_is_dead_for_the_measures_too() -> None:
    faults = {"schedule": [crash(lasts=5.0), {"do": "leave", "when": 7.0, "node": 1}]}
    trace = run(world(faults=faults))
    assert [detail for _, _, _, detail in kinds(trace, "crash", "recover")] == ["state lost", "for good"]


# Perturb


def test_who_sleeps_hears_nothing_and_its_timers_and_publications_wait_until_it_wakes() -> None:
    orders = [
        (4.0, 1, "alarm a 2.0"),
        (6.5, 0, "say a"),
        (7.0, 1, "say b"),
        (4.5, 1, "alarm c 5.5"),
        (11.0, 0, "say d"),
    ]
    assert after(4.9, perturb(), orders=orders) == [
        (10.0, 1, "rings a"),
        (10.0, 1, "rings c"),
        (10.0, 0, "heard b of 1"),
        (11.0, 1, "heard d of 0"),
    ]


def test_with_a_buffer_what_was_sent_meanwhile_is_heard_at_waking_in_the_order_of_time() -> None:
    orders = [(4.0, 1, "alarm r 2.0"), (5.5, 0, "say a"), (7.0, 0, "say b"), (11.0, 0, "say c")]
    assert after(4.9, perturb(buffer=True), orders=orders) == [
        (10.0, 1, "heard a of 0"),
        (10.0, 1, "rings r"),
        (10.0, 1, "heard b of 0"),
        (11.0, 1, "heard c of 0"),
    ]


def test_an_event_published_late_is_as_old_as_its_late_publication() -> None:
    trace = run(world([(7.0, 1, "count")], faults={"schedule": [perturb()]}))
    assert trace.events["when"].to_pylist() == [10_000_000]
    assert trace.events["number"].to_pylist() == [1]


def test_what_the_application_asks_for_waits_in_order_even_if_the_sleep_grows() -> None:
    subscription = Subscription(1, 1, "t")
    signals = [(6.0, 1, Subscribe(subscription)), (9.0, 1, Unsubscribe(subscription))]
    found = after(4.9, perturb(), perturb(when=8.0, lasts=5.0), signals=signals)
    assert found == [(13.0, 1, "subscribes t"), (13.0, 1, "unsubscribes t")]


def test_a_shorter_perturbation_of_a_node_that_sleeps_changes_nothing() -> None:
    found = after(4.9, perturb(), perturb(when=6.0, lasts=1.0), orders=[(8.0, 0, "say a"), (12.0, 0, "say b")])
    assert found == [(12.0, 1, "heard b of 0")]


def test_a_crash_in_its_sleep_loses_what_waited_except_what_the_application_wants() -> None:
    signals = [(6.0, 1, Subscribe(Subscription(1, 1, "t")))]
    orders = [(4.0, 1, "alarm a 2.5"), (5.5, 0, "say a"), (6.0, 1, "count"), (12.0, 0, "say b")]
    found = after(4.9, perturb(buffer=True), crash(when=7.0, lasts=1.0), orders=orders, signals=signals)
    assert found == [(8.0, 1, "starts"), (8.0, 1, "subscribes t"), (12.0, 1, "heard b of 0")]


def test_a_frame_that_left_is_told_to_who_slept_when_it_wakes() -> None:
    medium = {"kind": "graph", "latency": 0.0, "rate": 64.0}
    found = said([(4.5, 1, "say a")], medium=medium, faults={"schedule": [perturb()]})
    assert [one for one in found if one[2].startswith(("sent", "heard"))] == [
        (5.5, 0, "heard a of 1"),
        (10.0, 1, "sent a ok"),
    ]


def test_an_alarm_due_at_the_very_moment_of_waking_rings_once() -> None:
    orders = [(4.0, 1, "alarm z 6.0"), (6.0, 1, "alarm a 0.0")]
    found = after(4.9, perturb(), orders=orders)
    assert sorted(found) == [(10.0, 1, "rings a"), (10.0, 1, "rings z")]


# Partition


def test_no_frame_passes_between_groups_and_who_is_in_none_forms_the_last() -> None:
    links = ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))
    fault = {"do": "partition", "when": 5.0, "lasts": 3.0, "groups": [[0, 1]]}
    orders = [(6.0, 0, "say a"), (6.0, 2, "say b"), (6.5, 0, "tell 2 c"), (9.0, 0, "tell 2 d")]
    assert after(4.9, fault, orders=orders, links=links) == [
        (6.0, 1, "heard a of 0"),
        (6.0, 3, "heard b of 2"),
        (9.0, 2, "heard d of 0"),
    ]


def test_a_partition_by_place_cuts_between_left_and_right() -> None:
    faults = {"schedule": [{"do": "partition", "when": 5.0, "x": 50.0}]}
    deployed = world([(6.0, 0, "say a")], links=((1, 2), (0, 2), (0, 1)), faults=faults)
    deployed.positions = [(49.9, 0.0), (50.0, 0.0), (10.0, 90.0)]
    assert notes(run(deployed, "full"), "heard") == [(6.0, 2, "heard a of 0")]


def test_a_datagram_network_is_partitioned_too() -> None:
    plain = {
        "name": "p",
        "stack": "flood",
        "until": 10.0,
        "nodes": {"node": {"count": 6}},
        "medium": {"kind": "rounds", "round": 1.0},
        "workload": {"node": {"subscribe": {}, "publish": {"every": 1.0, "since": 3.0, "until": 7.0}}},
        "faults": {"schedule": [{"do": "partition", "when": 2.0, "groups": [[0, 2], [1, 3]]}]},
    }
    trace = run(scenario_of(plain))
    sides = [{0, 2}, {1, 3}, {4, 5}]
    delivered = [(r["node"], r["publisher"]) for r in trace.rows.to_pylist() if r["kind"] == "deliver"]
    assert set(delivered) == {(a, b) for side in sides for a in side for b in side}


# Clock skew


def test_a_clock_is_wrong_from_then_on_and_true_time_is_in_the_trace() -> None:
    skew = {"do": "skew", "when": 5.0, "node": 1, "offset": -2.0, "drift": 0.5}
    orders = [(4.0, 1, "clock"), (5.0, 1, "clock"), (9.0, 1, "clock"), (9.0, 0, "clock")]
    assert after(1.0, skew, orders=orders) == [
        (4.0, 1, "clock 4.000, event 4.000"),
        (5.0, 1, "clock 3.000, event 3.000"),
        (9.0, 1, "clock 9.000, event 9.000"),
        (9.0, 0, "clock 9.000, event 9.000"),
    ]
    trace = run(world(orders, faults={"schedule": [{**skew, "offset": 3.0}]}))
    assert sorted(trace.events["when"].to_pylist()) == [4_000_000, 5_000_000, 9_000_000, 9_000_000]


def test_timers_run_by_the_nodes_own_clock() -> None:
    skew = {"do": "skew", "when": 1.0, "node": 1, "drift": 0.25, "offset": 100.0}
    found = said([(2.0, 1, "alarm a 5.0"), (2.0, 0, "alarm a 5.0")], "rings", faults={"schedule": [skew]})
    assert found == [(6.0, 1, "rings a"), (7.0, 0, "rings a")]


def test_a_trace_at_level_full_says_when_a_partition_begins_and_heals_and_clocks_go_wrong() -> None:
    schedule = [
        {"do": "partition", "when": 5.0, "lasts": 3.0, "groups": [[0], [1]]},
        {"do": "skew", "when": 1.0, "node": 1, "drift": 0.25, "offset": 100.0},
    ]
    trace = run(world(faults={"schedule": schedule}), "full")
    found = [note for note in kinds(trace, "note") if (note[3] or "").startswith("what=")]
    assert found == [
        (1.0, 1, "note", "what=skew; offset=100; drift=0.25"),
        (5.0, 0, "note", "what=partition; side=0"),
        (5.0, 1, "note", "what=partition; side=1"),
        (8.0, 0, "note", "what=heal"),
        (8.0, 1, "note", "what=heal"),
    ]


# Whom a fault hits, and rates


def plan(faults: dict[str, object], count: int = 200, until: float = 1000.0):
    plain = {"name": "p", "stack": "flood", "until": until, "nodes": {"a": {"count": count}, "b": {"count": 10}}}
    return compile_faults(deploy(scenario_of({**plain, "medium": {"kind": "rounds"}, "faults": faults})))


def test_a_fault_hits_one_some_a_class_a_share_or_all() -> None:
    def hit(**target: object) -> list[int]:
        return [action.node for action in plan({"schedule": [{"do": "crash", "when": 1.0, **target}]}, count=20)]

    assert hit(node=3) == [3]
    assert hit(nodes=[5, 2]) == [5, 2]
    assert hit(of="b") == list(range(20, 30))
    assert hit() == list(range(30))
    assert len(hit(of="a", share=0.25)) == 5
    assert set(hit(of="a", share=0.25)) < set(range(20))
    assert hit(share=0.0) == []


def share_of_time(actions, nodes: int, until: float) -> float:
    return sum(min(until, a.tick / 1e6 + a.fault.lasts) - a.tick / 1e6 for a in actions) / nodes / until


def test_a_rate_is_the_share_of_time_that_the_fault_lasts() -> None:
    actions = plan({"rates": [{"do": "crash", "rate": 0.2, "lasts": 5.0, "of": "a"}]})
    assert 0.19 < share_of_time(actions, 200, 1000.0) < 0.21
    assert 4.7 < np.mean([action.fault.lasts for action in actions]) < 5.3
    at_once = [action for action in actions if action.tick == 0]
    assert 25 < len(at_once) < 55


def test_every_is_the_mean_time_without_the_fault() -> None:
    actions = plan(
        {"rates": [{"do": "perturb", "every": 15.0, "lasts": 5.0, "of": "a", "since": 100.0, "until": 900.0}]}
    )
    assert min(a.tick for a in actions) / 1e6 >= 100.0
    assert max(a.tick for a in actions) / 1e6 < 900.0
    assert 0.23 < share_of_time(actions, 200, 1000.0) * 1000 / 800 < 0.27


def test_a_rate_of_zero_never_hits_and_a_rate_of_one_always() -> None:
    assert plan({"rates": [{"do": "crash", "rate": 0.0}]}) == []
    faults = {"rates": [{"do": "crash", "rate": 1.0, "lasts": 0.5, "node": 1}]}
    assert [what for _, node, what in said(only="starts", faults=faults) if node == 1] == ["starts"]
    faults = {"rates": [{"do": "perturb", "rate": 1.0, "lasts": 0.5, "node": 1}]}
    assert said([(float(t), 0, "say a") for t in range(1, 20)], "heard", faults=faults) == []


def test_faults_are_the_same_for_every_stack_and_other_for_another_seed() -> None:
    def drawn(stack: str, seed: int) -> list[tuple[int, int]]:
        plain = {"name": "p", "stack": stack, "seed": seed, "nodes": {"a": {"count": 20}}}
        faults = {"rates": [{"do": "crash", "every": 20.0}], "schedule": [{"do": "leave", "when": 5.0, "share": 0.3}]}
        return [(a.tick, a.node) for a in compile_faults(deploy(scenario_of({**plain, "faults": faults})))]

    assert drawn("flood", 1) == drawn("flood-fifo", 1) != drawn("flood", 2)


def test_under_all_faults_at_once_no_safety_oracle_finds_anything() -> None:
    plain = {
        "name": "p",
        "stack": "flood",
        "until": 60.0,
        "nodes": {"n": {"count": 25, "placement": "grid"}},
        "medium": {"range": 40.0, "loss": 0.1, "latency": [0.001, 0.1]},
        "workload": {"n": {"subscribe": {}, "publish": {"every": 4.0}}},
        "faults": {
            "schedule": [
                {"do": "join", "when": 10.0, "nodes": [0, 1]},
                {"do": "leave", "when": 30.0, "nodes": [1, 2]},
                {"do": "partition", "when": 20.0, "lasts": 10.0, "x": 50.0},
                {"do": "skew", "when": 0.0, "share": 0.5, "offset": 1.0, "drift": 0.01},
            ],
            "rates": [
                {"do": "crash", "rate": 0.1, "lasts": 3.0},
                {"do": "crash", "rate": 0.1, "lasts": 3.0, "state": "kept"},
                {"do": "perturb", "rate": 0.1, "lasts": 3.0, "buffer": True},
                {"do": "perturb", "rate": 0.1, "lasts": 3.0},
            ],
        },
    }
    promised = ["integrity", "only-subscribed", "silence-of-the-dead", "bytes-conserved", "bounded-state"]
    for level in ("deliveries", "full"):
        trace = run(scenario_of(plain), level)
        assert len(kinds(trace, "crash")) > 50
        assert len(kinds(trace, "deliver")) > 2000
        assert [
            (verdict.oracle, list(verdict.findings)) for verdict in judge(trace, promised) if verdict.findings
        ] == []
