"""What layers are told of their links: given, cut, asleep, beaconed; and never twice."""

from __future__ import annotations

import pytest

from motecast.core import ConfigError
from motecast.sim import run
from motecast.sim.beacons import Beacons
from tests.sim.probes import Said, kinds, notes, said, world

LINE = ((1,), (0, 2), (1,))


def news(*schedule: dict[str, object], links=LINE, **options: object) -> list[Said]:
    """What is said of links after the start."""
    found = said(links=links, faults={"schedule": list(schedule)}, **options)
    return [one for one in found if "linked" in one[2] and one[0] > 0]


def test_both_ends_of_a_link_are_told_once_when_the_second_starts() -> None:
    found = said(only="linked", links=LINE)
    assert found == [(0.0, 0, "linked 1"), (0.0, 1, "linked 0"), (0.0, 1, "linked 2"), (0.0, 2, "linked 1")]


def test_in_a_directed_graph_a_node_is_told_of_those_whom_its_frames_reach() -> None:
    assert said(only="linked", links=((1,), (), (0,))) == [(0.0, 0, "linked 1"), (0.0, 2, "linked 0")]


def test_a_crash_unlinks_at_the_others_and_recovery_links_at_both() -> None:
    assert news({"do": "crash", "when": 5.0, "lasts": 2.0, "node": 1}) == [
        (5.0, 0, "unlinked 1"),
        (5.0, 2, "unlinked 1"),
        (7.0, 0, "linked 1"),
        (7.0, 1, "linked 0"),
        (7.0, 2, "linked 1"),
        (7.0, 1, "linked 2"),
    ]


def test_who_kept_its_state_is_told_no_link_twice_but_of_those_lost_meanwhile() -> None:
    found = news(
        {"do": "crash", "when": 5.0, "lasts": 4.0, "node": 1, "state": "kept"},
        {"do": "crash", "when": 6.0, "node": 2},
    )
    assert [one for one in found if one[1] == 1] == [(9.0, 1, "unlinked 2")]
    assert [one for one in found if one[1] == 0] == [(5.0, 0, "unlinked 1"), (9.0, 0, "linked 1")]


def test_a_partition_unlinks_across_it_and_healing_links_again() -> None:
    fault = {"do": "partition", "when": 5.0, "lasts": 2.0, "groups": [[0]]}
    expected = [(5.0, 0, "unlinked 1"), (5.0, 1, "unlinked 0"), (7.0, 0, "linked 1"), (7.0, 1, "linked 0")]
    assert news(fault) == expected


def test_of_two_partitions_each_keeps_its_own_cut() -> None:
    found = news(
        {"do": "partition", "when": 5.0, "lasts": 4.0, "groups": [[0]]},
        {"do": "partition", "when": 6.0, "lasts": 1.0, "groups": [[0], [1], [2]]},
    )
    assert [(t, what) for t, node, what in found if node == 1] == [
        (5.0, "unlinked 0"),
        (6.0, "unlinked 2"),
        (7.0, "linked 2"),
        (9.0, "linked 0"),
    ]


def test_a_partition_at_the_beginning_is_there_before_anybody_starts() -> None:
    found = said(only="linked", links=LINE, faults={"schedule": [{"do": "partition", "when": 0.0, "groups": [[0]]}]})
    assert found == [(0.0, 1, "linked 2"), (0.0, 2, "linked 1")]


def test_a_node_that_is_down_while_a_partition_heals_learns_its_links_when_it_is_back() -> None:
    found = news(
        {"do": "partition", "when": 5.0, "lasts": 2.0, "groups": [[0]]},
        {"do": "crash", "when": 6.0, "lasts": 2.0, "node": 0},
    )
    assert [(t, what) for t, node, what in found if node == 0] == [(5.0, "unlinked 1"), (8.0, "linked 1")]


def test_who_sleeps_learns_of_links_when_it_wakes_in_the_order_in_which_it_happened() -> None:
    found = news(
        {"do": "perturb", "when": 4.0, "lasts": 4.0, "node": 0},
        {"do": "crash", "when": 5.0, "lasts": 1.0, "node": 1},
        {"do": "perturb", "when": 5.5, "lasts": 4.5, "node": 0},
    )
    assert [one for one in found if one[1] == 0] == [(10.0, 0, "unlinked 1"), (10.0, 0, "linked 1")]


def test_stale_news_does_not_reach_a_node_that_crashed_in_its_sleep() -> None:
    found = news(
        {"do": "perturb", "when": 4.0, "lasts": 8.0, "node": 0},
        {"do": "crash", "when": 5.0, "lasts": 4.0, "node": 1},
        {"do": "crash", "when": 6.0, "lasts": 1.0, "node": 0},
    )
    assert [one for one in found if one[1] == 0] == [(9.0, 0, "linked 1")]


def test_link_rows_of_the_trace_are_what_the_layers_were_told() -> None:
    faults = {"schedule": [{"do": "crash", "when": 5.0, "lasts": 2.0, "node": 1}]}
    trace = run(world(links=LINE, faults=faults), "full")
    told = [(t, node, what.split()[0]) for t, node, what in notes(trace) if "linked" in what]
    names = {"linkup": "linked", "linkdown": "unlinked"}
    assert [(t, node, names[kind]) for t, node, kind, _ in kinds(trace, *names)] == told


# Beacons

BEACONED = {"kind": "graph", "latency": 0.0, "links": "beacons", "beacon": {"period": 1.0, "size": 20, "missed": 2.0}}


def test_with_beacons_a_link_is_told_with_the_first_and_given_up_after_silence() -> None:
    faults = {"schedule": [{"do": "crash", "when": 10.0, "node": 1}]}
    found = said(only="linked", medium=BEACONED, faults=faults)
    assert sorted(what for _, _, what in found) == ["linked 0", "linked 1"]
    assert all(0.0 < t <= 1.0 for t, _, _ in found)
    [(t, node, _)] = said(only="unlinked", medium=BEACONED, faults=faults)
    assert node == 0
    assert 11.0 < t <= 13.0


def test_beacons_are_charged_as_the_scenario_says() -> None:
    for size in (6, 20, 255):
        medium = {**BEACONED, "beacon": {"size": size}}
        totals = run(world(medium=medium)).totals.to_pylist()
        assert [(row["message"], row["kind"], row["count"]) for row in totals] == [("Beacon", "broadcast", 20)] * 2
        assert {row["size"] // row["count"] for row in totals} == {size}
        assert {(row["payload"], row["metadata"]) for row in totals} == {(0, 0)}


def test_who_lost_its_state_finds_its_neighbours_again() -> None:
    faults = {"schedule": [{"do": "crash", "when": 10.0, "lasts": 0.5, "node": 1}]}
    found = [(t > 10, node, what) for t, node, what in said(only="linked", medium=BEACONED, faults=faults)]
    assert found.count((True, 1, "linked 0")) == 1
    assert (True, 0, "linked 1") not in found  # half a second is no silence that node 0 would notice


def test_given_links_cost_nothing() -> None:
    assert run(world()).totals.num_rows == 0


def test_a_beacon_that_cannot_be_as_short_as_its_frame_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^Beacons.size = 5; allowed: a whole number from 6 to 255$"):
        Beacons(1.0, 5, 3.0)
