"""A radio with air time: one frame at a time, a queue, acknowledgement, collisions, carrier sense."""

from __future__ import annotations

from motecast.check import judge
from motecast.sim import Deployment, run
from motecast.sim.medium import Medium
from motecast.sim.radio import Radio
from motecast.sim.world import World
from tests.sim.probes import kinds, notes, said, world

LINE = ((1,), (0, 2), (1,))
# A message of "a" is 3 bytes of framing, an array of 1, a text of 2 and an empty filling of 2 (or 3 and its bytes).
SLOW = {"kind": "graph", "latency": 0.0, "rate": 64.0}  # bits a second: 8 bytes are one second
ACKED = {"kind": "graph", "latency": 0.001, "acknowledge": True}


def test_who_asks_for_no_air_time_gets_the_medium_without() -> None:
    assert type(World(world(medium={"kind": "graph"})).medium) is Medium
    for key, value in (("rate", 1e6), ("acknowledge", True), ("backoff", 0.1)):
        assert type(World(world(medium={"kind": "graph", key: value})).medium) is Radio


def test_a_frame_takes_as_long_as_its_bits_and_the_next_waits_for_it() -> None:
    orders = [(1.0, 0, "say a b c"), (1.0, 0, "facts 1"), (1.5, 1, "facts 0"), (4.0, 1, "facts 0")]
    found = said(orders, medium=SLOW)
    assert [one for one in found if one[1] == 0 and one[0] >= 1.0] == [
        (1.0, 0, "idle False, 1 clear True"),
        (2.0, 0, "sent a ok"),
        (3.0, 0, "sent b ok"),
        (4.0, 0, "sent c ok"),
    ]
    assert [one for one in found if one[1] == 1 and one[0] >= 1.0] == [
        (1.5, 1, "idle True, 0 clear False"),
        (2.0, 1, "heard a of 0"),
        (3.0, 1, "heard b of 0"),
        (4.0, 1, "idle True, 0 clear False"),
        (4.0, 1, "cleared 0"),
        (4.0, 1, "heard c of 0"),
    ]


def test_a_busy_peer_is_cleared_when_it_stops_speaking_for_those_whom_it_hears() -> None:
    one_way = ((1,), (), (0,))  # 1 hears 0, and 0 hears 2
    found = said([(1.0, 0, "say a b")], "cleared", links=one_way, medium=SLOW)
    assert found == [(3.0, 2, "cleared 0")]


def test_one_frame_more_than_the_queue_holds_is_dropped_and_the_layer_learns_it() -> None:
    deployed = world([(1.0, 0, "say a b c d e")], medium={**SLOW, "queue": 2})
    trace = run(deployed, "full")
    assert [what for _, _, what in notes(trace, "sent")] == [
        "sent d in vain",
        "sent e in vain",
        "sent a ok",
        "sent b ok",
        "sent c ok",
    ]
    assert kinds(trace, "drop") == [(1.0, 0, "drop", "transmit queue full")] * 2
    assert sum(row["count"] for row in trace.totals.to_pylist()) == 3


def test_without_air_time_no_burst_is_too_long_for_the_queue() -> None:
    texts = [f"t{index}" for index in range(40)]
    for medium in (ACKED, {"kind": "graph", "acknowledge": True, "queue": 0}):
        found = said([(1.0, 0, f"say {' '.join(texts)}")], "heard", medium=medium)
        assert [what.split()[1] for _, _, what in found] == texts


def test_what_a_node_that_crashes_has_in_the_air_or_in_its_queue_is_gone() -> None:
    faults = {"schedule": [{"do": "crash", "when": 1.5, "node": 0, "lasts": 0.1}]}
    found = said([(1.0, 0, "say a b"), (5.0, 0, "say c")], medium=SLOW, faults=faults)
    assert [one for one in found if one[2].startswith(("heard", "sent"))] == [
        (6.0, 1, "heard c of 0"),
        (6.0, 0, "sent c ok"),
    ]


# Link acknowledgement


def fate(losses: list[bool], retries: int = 3) -> tuple[list[str], int, int]:
    """What the layers say of one frame, its transmissions and acknowledgements; `losses` as they are drawn."""
    deployed = world([(1.0, 0, "tell 1 a")], medium={**ACKED, "loss": 0.5, "retries": retries})
    hosted = World(deployed, "full")
    hosted.medium.rng.random = lambda: 0.0 if losses.pop(0) else 0.9
    trace = hosted.run()
    frames = {row["message"]: row["count"] for row in trace.totals.to_pylist()}
    assert not losses
    texts = [what for _, _, what in notes(trace) if what.startswith(("heard", "sent"))]
    return texts, frames["Call"], frames.get("Ack", 0)


def test_a_frame_that_is_heard_and_acknowledged_is_sent_once() -> None:
    assert fate([False, False]) == (["heard a of 0", "sent a ok"], 1, 1)


def test_a_frame_that_is_lost_is_sent_again() -> None:
    assert fate([True, False, False]) == (["heard a of 0", "sent a ok"], 2, 1)


def test_a_lost_acknowledgement_brings_the_frame_again_but_not_up_again() -> None:
    assert fate([False, True, False, False]) == (["heard a of 0", "sent a ok"], 2, 2)


def test_after_the_last_retry_the_layer_learns_that_nobody_answered() -> None:
    assert fate([True, True, True], retries=2) == (["sent a in vain"], 3, 0)
    assert fate([False, True, False, True], retries=1) == (["heard a of 0", "sent a in vain"], 2, 2)
    assert fate([True], retries=0) == (["sent a in vain"], 1, 0)


def test_a_peer_that_is_down_or_out_of_reach_or_asleep_does_not_acknowledge() -> None:
    for fault in ({"do": "crash"}, {"do": "perturb", "lasts": 10.0}, {"do": "partition", "groups": [[0], [1]]}):
        target = {} if fault["do"] == "partition" else {"node": 1}
        faults = {"schedule": [{"when": 0.5, **fault, **target}]}
        found = said([(1.0, 0, "tell 1 a")], "sent", medium=ACKED, faults=faults)
        assert [what for _, _, what in found] == ["sent a in vain"], fault


def test_a_retry_reaches_a_peer_that_woke_up_meanwhile() -> None:
    faults = {"schedule": [{"do": "perturb", "when": 0.5, "lasts": 0.501, "node": 1}]}
    found = said([(1.0, 0, "tell 1 a")], medium=ACKED, faults=faults)
    assert [what for _, _, what in found if what.startswith(("heard", "sent"))] == ["heard a of 0", "sent a ok"]


def test_an_acknowledgement_needs_a_link_back() -> None:
    found = said([(1.0, 0, "tell 1 a")], links=((1,), ()), medium={**ACKED, "retries": 1})
    assert [what for _, _, what in found if what.startswith(("heard", "sent"))] == ["heard a of 0", "sent a in vain"]


def test_the_next_frame_waits_until_this_one_is_acknowledged() -> None:
    found = said([(1.0, 0, "tell 1 a b"), (1.0, 0, "say c")], "heard", medium=ACKED)
    assert found == [(1.001, 1, "heard a of 0"), (1.003, 1, "heard b of 0"), (1.005, 1, "heard c of 0")]


def test_a_zero_latency_leaves_nothing_out() -> None:
    found = said([(1.0, 0, "tell 1 a b")], "sent", medium={**ACKED, "latency": 0.0})
    assert found == [(1.0, 0, "sent a ok"), (1.0, 0, "sent b ok")]


# Collisions

COLLIDING = {**SLOW, "collisions": True}


def heard(orders: list[tuple[float, int, str]], links=LINE, **medium: object) -> list[tuple[float, int, str]]:
    return said(orders, "heard", links=links, medium={**COLLIDING, **medium})


def test_two_senders_that_do_not_hear_each_other_collide_at_who_hears_both() -> None:
    assert heard([(1.0, 0, "say a"), (1.9, 2, "say b")]) == []
    assert heard([(1.0, 0, "say a"), (2.0, 2, "say b")]) == [(2.0, 1, "heard a of 0"), (3.0, 1, "heard b of 2")]


def test_a_frame_that_overlaps_two_others_is_lost_with_both() -> None:
    star = ((1, 2, 3), (0,), (0,), (0,))
    orders = [(1.0, 1, "say a"), (1.8, 2, "say b"), (2.6, 3, "say c")]
    assert heard(orders, star) == []


def test_who_speaks_hears_nothing() -> None:
    assert heard([(1.0, 0, "say a"), (1.5, 1, "say b")]) == [(2.5, 2, "heard b of 1")]
    assert heard([(1.5, 0, "say a"), (1.0, 1, "say b")]) == [(2.0, 2, "heard b of 1")]


def test_a_collision_is_at_one_receiver_and_elsewhere_the_frame_is_heard() -> None:
    chain = ((1,), (0, 2), (1, 3), (2,))
    assert heard([(1.0, 0, "say a"), (1.5, 2, "say b")], chain) == [(2.5, 3, "heard b of 2")]


def test_what_collides_is_lost_in_the_trace() -> None:
    trace = run(world([(1.0, 0, "say a"), (1.5, 2, "say b")], links=LINE, medium=COLLIDING), "full")
    assert [(t, node) for t, node, _, _ in kinds(trace, "lose")] == [(2.0, 1), (2.5, 1)]


def test_without_collisions_the_same_frames_are_heard() -> None:
    found = said([(1.0, 0, "say a"), (1.9, 2, "say b")], "heard", links=LINE, medium=SLOW)
    assert found == [(2.0, 1, "heard a of 0"), (2.9, 1, "heard b of 2")]


def test_a_collision_costs_a_retry_when_the_link_acknowledges() -> None:
    medium = {**COLLIDING, "acknowledge": True, "backoff": 3.0, "latency": 0.0}
    deployed = world([(1.0, 0, "tell 1 a"), (1.0, 2, "tell 1 b")], links=LINE, medium=medium, until=200.0)
    trace = run(deployed, "full")
    assert sorted(what for _, _, what in notes(trace, "heard")) == ["heard a of 0", "heard b of 2"]


def test_carrier_sense_waits_while_a_neighbour_speaks() -> None:
    orders = [(1.0, 0, "say a"), (1.1, 1, "say b")]
    found = heard(orders, backoff=0.0001)
    assert [(round(t, 2), node, what) for t, node, what in found] == [
        (2.0, 1, "heard a of 0"),
        (3.0, 0, "heard b of 1"),
        (3.0, 2, "heard b of 1"),
    ]


def test_a_backoff_spreads_senders_that_would_speak_at_once() -> None:
    star = (tuple(range(1, 9)), *[(0, *(p for p in range(1, 9) if p != node)) for node in range(1, 9)])
    orders = [(1.0, node, f"say {node}") for node in range(1, 9)]
    assert [what for _, node, what in heard(orders, star) if node == 0] == []
    spread = [what for _, node, what in heard(orders, star, rate=64_000.0, backoff=1.0) if node == 0]
    assert len(spread) == 8


# What it costs


def busy(**more: object) -> Deployment:
    """Loss, collisions, acknowledgements and beacons in one small field."""
    medium = {"kind": "graph", "latency": [0.0, 0.01], "rate": 20_000.0, "loss": 0.2, "backoff": 0.01, "queue": 2}
    medium |= {"acknowledge": True, "collisions": True, "links": "beacons"} | more
    orders = [(t / 7, t % 3, f"{'say' if t % 4 else 'tell 1'} {t}") for t in range(1, 60)]
    return world(orders, links=LINE, medium=medium, filling=30)


def test_totals_are_the_sums_of_the_full_rows_acknowledgements_and_beacons_included() -> None:
    trace = run(busy(), "full")
    sums: dict[tuple[int, str, str, bool], list[int]] = {}
    for row in trace.rows.to_pylist():
        if row["kind"] in ("send", "broadcast"):
            total = sums.setdefault((row["node"], row["kind"], row["message"], row["payload"] > 0), [0, 0, 0, 0])
            for place, value in enumerate((1, row["size"], row["payload"], row["metadata"])):
                total[place] += value
    found = {
        (row["node"], row["kind"], row["message"], row["payload"] > 0): [
            row["count"],
            row["size"],
            row["payload"],
            row["metadata"],
        ]
        for row in trace.totals.to_pylist()
    }
    assert found == sums
    assert {message for _, _, message, _ in sums} == {"Call", "Ack", "Beacon"}
    assert run(busy()).totals.equals(trace.totals)


def test_every_copy_of_a_frame_is_received_or_lost_and_the_oracle_of_bytes_agrees() -> None:
    trace = run(busy(acknowledge=False, links="given"), "full")
    rows = [(row["kind"], row["node"], row["peer"]) for row in trace.rows.to_pylist()]
    copies = sum(len(LINE[node]) for kind, node, _ in rows if kind == "broadcast")
    copies += sum(peer in LINE[node] for kind, node, peer in rows if kind == "send")
    ends = [kind for kind, _, _ in rows if kind in ("receive", "lose")]
    assert len(ends) == copies > 60
    assert ends.count("lose") > 5
    [verdict] = judge(trace, ["bytes-conserved"])
    assert (verdict.findings, verdict.skipped) == ((), None)
