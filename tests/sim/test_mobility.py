"""Nodes that move: where they are, whom they meet, what they are told, and what that does to frames."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.check import judge
from motecast.core import ConfigError, Publish
from motecast.sim import deploy, run, scenario_of
from motecast.sim.world import World
from tests.sim.moves import SECOND, UNTIL, tracks
from tests.sim.probes import kinds
from tests.sim.test_formats import WALKERS
from tests.sim.walkers import field, said

WALK: list[Any] = [[(0.0, 5.0), (10.0, 55.0), (15.0, 55.0), (20.0, 30.0)], 35.0]  # cells 0 to 5, a stay, and back to 3
SLOW = {"kind": "cells", "latency": 0.0, "rate": 100.0}  # a frame of 100 bits takes a second


def test_a_node_is_told_when_it_sets_off_arrives_or_changes_its_cell() -> None:
    found = said(WALK, only="moved")
    assert [(t, text) for t, node, text in found if node == 0] == [
        (0.0, "moved 5 5 goes"),
        (1.0, "moved 10 5 goes"),
        (3.0, "moved 20 5 goes"),
        (5.0, "moved 30 5 goes"),
        (7.0, "moved 40 5 goes"),
        (9.0, "moved 50 5 goes"),
        (10.0, "moved 55 5 stands"),
        (15.0, "moved 55 5 goes"),
        (16.000001, "moved 50 5 goes"),
        (18.000001, "moved 40 5 goes"),
        (20.0, "moved 30 5 stands"),
    ]
    assert [node for _, node, _ in found if node] == []


def test_the_door_says_where_a_node_is_and_where_it_goes() -> None:
    orders = [(0.0, 0, "where"), (2.5, 0, "where"), (12.0, 0, "where"), (16.0, 0, "where"), (25.0, 0, "where")]
    assert [text for _, _, text in said(WALK, orders, "at")] == [
        "at 5 5, 0-10 to (55.0, 5.0) at 5",
        "at 17.5 5, 0-10 to (55.0, 5.0) at 5",
        "at 55 5, stands",
        "at 50 5, 15-20 to (30.0, 5.0) at 5",
        "at 30 5, stands",
    ]
    assert [text for _, _, text in said([5.0, 15.0], [(1.0, 0, "where")], "at")] == ["at 5 5, stands"]


def test_a_leg_is_told_in_the_time_of_the_node_s_own_clock() -> None:
    skew = {"schedule": [{"do": "skew", "when": 0.0, "node": 0, "offset": 100.0, "drift": 0.5}]}
    orders = [(2.0, 0, "where")]
    [(_, _, text)] = said([[(0.0, 5.0), (10.0, 55.0)], 95.0], orders, "at", faults=skew)
    assert text == "at 15 5, 100-115 to (55.0, 5.0) at 5"


def test_links_come_and_go_as_cells_say_and_both_ends_are_told() -> None:
    found = said(WALK, only="linked") + said(WALK, only="unlinked")
    assert sorted(found) == [
        (3.0, 0, "linked 1"),
        (3.0, 1, "linked 0"),
        (9.0, 0, "unlinked 1"),
        (9.0, 1, "unlinked 0"),
        (16.000001, 0, "linked 1"),
        (16.000001, 1, "linked 0"),
    ]
    trace = run(field(WALK), "full")
    assert [row[:3] for row in kinds(trace, "linkup", "linkdown")] == [
        (3.0, 0, "linkup"), (3.0, 1, "linkup"), (9.0, 0, "linkdown"), (9.0, 1, "linkdown"),
        (16.000001, 0, "linkup"), (16.000001, 1, "linkup"),
    ]  # fmt: skip


def test_who_is_told_that_it_moved_has_its_new_links_already() -> None:
    found = [text for t, node, text in said(WALK) if node == 0 and t == 3.0]
    assert found == ["linked 1", "moved 20 5 goes"]


def test_rows_of_links_and_moves_are_written_even_where_no_layer_listens() -> None:
    trace = run(field(WALK, stack="flood"), "full")
    assert len(kinds(trace, "linkup", "linkdown")) == 6
    assert kinds(trace, "move")[1] == (1.0, 0, "move", "x=10.000; y=5.000")
    assert kinds(run(field(WALK, stack="flood")), "linkup", "move") == []


def test_a_frame_reaches_who_hears_now() -> None:
    orders = [(2.0, 1, "say early"), (4.0, 1, "say there"), (12.0, 1, "say late")]
    assert said(WALK, orders, "heard") == [(4.0, 0, "heard there of 1")]


def test_a_frame_that_is_in_the_air_when_the_link_breaks_is_lost_and_its_sender_knows() -> None:
    for order, outcome in (("tell 0 a", "sent a in vain"), ("say a", "sent a ok")):
        found = said(WALK, [(8.5, 1, order)], medium=SLOW)
        assert [text for _, _, text in found if text.startswith(("heard", "sent"))] == [outcome]
    assert said(WALK, [(7.5, 1, "tell 0 a")], "sent", medium=SLOW) == [(8.5, 1, "sent a ok")]


def test_who_comes_while_a_frame_is_in_the_air_has_not_heard_its_beginning() -> None:
    found = said(WALK, [(2.5, 1, "say half"), (3.6, 1, "say whole")], "heard", medium=SLOW)
    assert found == [(4.6, 0, "heard whole of 1")]


def test_a_frame_to_who_is_not_there_is_in_vain() -> None:
    assert said(WALK, [(1.0, 1, "tell 0 a")], "sent", medium=SLOW) == [(2.0, 1, "sent a in vain")]


def test_acknowledgement_tells_the_same() -> None:
    acknowledged = {**SLOW, "acknowledge": True, "retries": 0}
    texts = [said(WALK, [(when, 1, "tell 0 a")], "sent", medium=acknowledged)[0][2] for when in (7.5, 8.5)]
    assert texts == ["sent a ok", "sent a in vain"]


def test_a_partition_outlasts_contacts_and_ends_with_the_links_of_then() -> None:
    for lasts, wanted in ((2.0, [(6.0, "linked")]), (10.0, [])):
        faults = {"schedule": [{"do": "partition", "when": 2.0, "lasts": lasts + 2.0, "groups": [[0], [1]]}]}
        found = said(WALK, only="linked", faults=faults)
        assert [(t, text.split()[0]) for t, node, text in found if node == 0 and t < 10.0] == wanted
    orders = [(4.0, 1, "say cut"), (7.0, 1, "say whole")]
    faults = {"schedule": [{"do": "partition", "when": 3.5, "lasts": 2.0, "groups": [[0], [1]]}]}
    assert said(WALK, orders, "heard", faults=faults) == [(7.0, 0, "heard whole of 1")]


def test_a_node_that_was_down_while_links_changed_learns_those_of_now() -> None:
    faults = {"schedule": [{"do": "crash", "when": 2.0, "node": 1, "lasts": 4.0, "state": "kept"}]}
    assert sorted(said(WALK, only="linked", faults=faults))[:2] == [(6.0, 0, "linked 1"), (6.0, 1, "linked 0")]
    faults = {"schedule": [{"do": "crash", "when": 5.0, "node": 1, "lasts": 6.0, "state": "kept"}]}
    found = [text for t, node, text in said(WALK, faults=faults) if node == 1 and t == 11.0]
    assert found == ["starts", "unlinked 0"]


def test_a_node_that_sleeps_learns_its_moves_when_it_wakes() -> None:
    faults = {"schedule": [{"do": "perturb", "when": 0.5, "node": 0, "lasts": 4.0}]}
    found = [(t, text) for t, node, text in said(WALK, faults=faults) if node == 0 and 0.5 < t < 5.0]
    assert found == [(4.5, "moved 27.5 5 goes"), (4.5, "linked 1"), (4.5, "moved 27.5 5 goes")]


def test_an_event_is_published_where_the_publisher_is() -> None:
    nodes = {"node": {"count": 3, "mobility": {"kind": "waypoint", "speed": [1.0, 2.0]}}}
    work = {"node": {"publish": {"every": 5.0}}}
    made = deploy(scenario_of({**WALKERS, "nodes": nodes, "medium": {"kind": "cells"}, "workload": work}))
    published = [(t, node, signal.event) for t, node, signal in made.script if isinstance(signal, Publish)]
    assert len(published) > 50
    assert all(event.position == made.tracks[node].at(t) for t, node, event in published)


@pytest.mark.parametrize("medium", [{"kind": "cells"}, {"kind": "disk", "range": 30.0}], ids=["cells", "disk"])
def test_hearers_are_at_every_moment_those_of_the_plan(medium: dict[str, Any]) -> None:
    made = deploy(scenario_of({**WALKERS, "medium": medium}))
    world = World(made)
    seen = 0

    def look(tick: int, _: object) -> None:
        nonlocal seen
        up = (made.plan.up <= tick) & (tick < made.plan.down)
        pairs = {*zip(made.plan.a[up].tolist(), made.plan.b[up].tolist(), strict=True)}
        pairs |= {(b, a) for a, b in pairs}
        assert {(n, p) for n, peers in enumerate(world.medium.hearers) for p in peers} == pairs
        seen += 1

    rng = Random(1)
    for tick in sorted(rng.randrange(300 * SECOND) for _ in range(200)):
        world.kernel.at(tick, look, tick)
    world.run()
    assert seen == 200
    assert made.links == made.plan.links(), "a deployment may run again"


def test_a_run_is_the_same_again_and_at_every_level_and_holds_its_promises() -> None:
    tables = {
        "medium": {"kind": "cells", "rate": 1e5, "loss": 0.1},
        "workload": {"sensor": {"publish": {"every": 20.0}}, "walker": {"subscribe": {}}},
        "faults": {"rates": [{"do": "crash", "every": 100.0, "lasts": 10.0}]},
    }
    made = deploy(scenario_of({**WALKERS, **tables}))
    full, plain = run(made, "full"), run(made)
    assert full.digest == plain.digest == run(deploy(scenario_of({**WALKERS, **tables}))).digest
    findings = [finding for verdict in judge(full) for finding in verdict.findings if verdict.oracle != "validity"]
    assert findings == []


@given(tracks(), st.lists(st.integers(0, UNTIL), max_size=10))
def test_where_a_track_is_does_not_depend_on_what_was_asked_before(track: Any, ticks: list[int]) -> None:
    for tick in ticks:
        place, travel = track.at(tick), track.travel(tick)
        on = [each for each in track.travels if each.start <= tick < each.end]
        assert on == ([] if travel is None else [travel])
        if travel is None:
            ended = [each for each in track.travels if each.end <= tick]
            assert place == (ended[-1].to if ended else track.home)


# Random waypoints


def walks(seed: int = 1, **mobility: Any) -> Any:
    """The tracks of many nodes."""
    nodes = {"walker": {"count": 200, "mobility": {"kind": "waypoint", **mobility}}}
    return deploy(scenario_of({**WALKERS, "until": 2000.0, "nodes": nodes, "seed": seed})).tracks


def test_waypoints_are_uniform_speeds_and_pauses_are_those_asked_for() -> None:
    found = walks(speed=[1.0, 3.0], pause=[5.0, 15.0])
    travels = [each for track in found.values() for each in track.travels]
    pauses = [
        (b.start - a.end) / SECOND for t in found.values() for a, b in zip(t.travels, t.travels[1:], strict=False)
    ]
    assert all(track.travels[0].start == 0 for track in found.values()), "they begin with a travel"
    assert 1.0 - 1e-6 < min(each.speed for each in travels) < 1.05
    assert 2.95 < max(each.speed for each in travels) < 3.0 + 1e-6
    assert sum(each.speed for each in travels) / len(travels) == pytest.approx(2.0, abs=0.05)
    assert sum(pauses) / len(pauses) == pytest.approx(10.0, abs=0.3)
    assert sum(each.to[0] for each in travels) / len(travels) == pytest.approx(100.0, abs=3.0)
    assert all(
        math.dist(a.to, b.origin) == 0 for t in found.values() for a, b in zip(t.travels, t.travels[1:], strict=False)
    )


def test_each_node_walks_by_its_own_chance() -> None:
    assert walks()[7].travels == walks()[7].travels
    assert walks()[7].travels != walks(seed=2)[7].travels
    eight = {"walker": {"count": 8, "mobility": {"kind": "waypoint"}}}
    few = deploy(scenario_of({**WALKERS, "until": 2000.0, "nodes": eight}))
    assert few.tracks[7].travels == walks()[7].travels, "more nodes change nobody's walk"


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"speed": [0.0, 5.0]}, "nodes.walker.mobility.speed = [0.0, 5.0]"),
    ({"speed": [5.0, 1.0]}, "nodes.walker.mobility.speed = [5, 1]: the first is above the second"),
    ({"pause": [5.0, 1.0]}, "nodes.walker.mobility.pause = [5, 1]: the first is above the second"),
    ({"kind": "brownian"}, "nodes.walker.mobility.kind: no kind 'brownian'"),
    ({"kind": "one"}, "nodes.walker.mobility: file is missing"),
]


@pytest.mark.parametrize("mobility, message", WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_mobility_is_told(mobility: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        walks(**mobility)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "tables, message",
    [
        ({"field": {}, "medium": {"kind": "cells"}}, 'medium.kind = "cells": needs [field] cells, such as cells = 15'),
        (
            {"medium": {"kind": "disk", "apart": ["walkr"]}},
            "medium.apart: no class of nodes 'walkr'; did you mean 'walker'",
        ),
        ({"medium": {"kind": "disk", "exclusive": ["walker"]}}, "medium.exclusive: needs a rate"),
        (
            {"medium": {"kind": "disk", "rate": 1e3, "collisions": True, "exclusive": ["walker"]}},
            "medium.exclusive: frames that wait for their receiver do not collide; choose one of them",
        ),
        ({"medium": {"kind": "graph"}}, "nodes.walker.mobility: medium.kind = 'graph' knows no places"),
        ({"medium": {"kind": "rounds"}}, "nodes.walker.mobility: medium.kind = 'rounds' knows no places"),
        ({"energy": {"unlimited": ["x"]}}, "energy.unlimited: no class of nodes 'x'"),
        (
            {"nodes": {"w": {"count": 1, "placement": "grid", "mobility": {"kind": "one", "file": "f"}}}},
            "nodes.w.mobility: the file says already where the nodes are; leave placement out",
        ),
        (
            {"field": {}, "nodes": {"w": {"count": 1, "mobility": {"kind": "passages", "file": "f"}}}},
            'nodes.w.mobility.kind = "passages": needs [field] cells',
        ),
        (
            {"nodes": {"w": {"count": 1}}, "medium": {"kind": "contacts", "file": "f", "apart": ["w"]}},
            "medium.apart: a medium of kind 'contacts' says already who hears whom",
        ),
    ],
)  # fmt: skip
def test_tables_that_do_not_fit_together_are_told(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        scenario_of({**WALKERS, **tables})
    assert str(caught.value).startswith(message)
