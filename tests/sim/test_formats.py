"""Movements and contacts in the formats of other simulators: what is written is read, and what is wrong is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motecast.core import ConfigError, Position
from motecast.sim import deploy, scenario_of
from motecast.sim.connectivity import read_connectivity, write_connectivity
from motecast.sim.contacts import disk_contacts
from motecast.sim.formats import (
    read_bonnmotion,
    read_one,
    read_setdest,
    read_waypoints,
    write_bonnmotion,
    write_one,
    write_setdest,
    write_waypoints,
)
from motecast.sim.legs import Track
from motecast.sim.plan import Plan, load_plan, plan_from
from tests.sim.moves import PLACES, SECOND, UNTIL, tracks

Read = Callable[[Path], list[Track]]
FORMATS: dict[str, tuple[Callable[..., None], Read]] = {
    "file": (write_waypoints, read_waypoints),
    "one": (write_one, read_one),
    "bonnmotion": (write_bonnmotion, read_bonnmotion),
    "setdest": (write_setdest, read_setdest),
}
WALKERS = {
    "name": "walkers",
    "stack": "flood",
    "until": 300.0,
    "field": {"area": [200.0, 150.0], "cells": 12},
    "nodes": {
        "sensor": {"count": 12},
        "walker": {"count": 5, "mobility": {"kind": "waypoint", "speed": [0.5, 5.0], "pause": [0.0, 30.0]}},
    },
}
MEDIA: list[dict[str, Any]] = [{"kind": "cells"}, {"kind": "disk", "range": 30.0}]


def walkers(**tables: Any) -> Any:
    """The scenario with other tables."""
    return deploy(scenario_of({**WALKERS, **tables}))


def imported(kind: str, folder: Path, **tables: Any) -> Any:
    """The same field, its walkers' movement written in a format and read again."""
    drawn = walkers(**tables)
    write_movement = FORMATS[kind][0]
    moving = [drawn.tracks[node] for node in sorted(drawn.tracks)]
    write_movement(folder / "walk", moving, 300 * SECOND)
    nodes = {**WALKERS["nodes"], "walker": {"count": 5, "mobility": {"kind": kind, "file": "walk"}}}
    return drawn, deploy(scenario_of({**WALKERS, **tables, "nodes": nodes}, folder))


@pytest.mark.parametrize("medium", MEDIA, ids=["cells", "disk"])
@pytest.mark.parametrize("kind", FORMATS)
def test_contacts_are_identical_whether_a_movement_is_simulated_or_imported(
    kind: str, medium: dict[str, Any], tmp_path: Path
) -> None:
    drawn, again = imported(kind, tmp_path, medium=medium)
    assert len(drawn.plan) > 50
    assert again.plan == drawn.plan
    assert (again.positions, again.links) == (drawn.positions, drawn.links)


@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=40, deadline=None)
@given(st.lists(tracks(), min_size=1, max_size=4), st.lists(st.integers(0, UNTIL), max_size=10))
def test_every_node_is_where_it_was_to_the_last_bit(
    kind: str, tmp_path_factory: pytest.TempPathFactory, walked: list[Track], ticks: list[int]
) -> None:
    write_movement, read_movement = FORMATS[kind]
    file = tmp_path_factory.mktemp("movement") / "walk"
    write_movement(file, walked, UNTIL)
    again = read_movement(file)
    edges = [tick for track in walked for travel in track.travels for tick in travel[:2]]
    for old, new in zip(walked, again, strict=True):
        # A setdest says where to and how fast; the tick of arrival follows from both, but for the shortest of ways.
        close = 1e-6 * max((travel.speed for travel in old.travels), default=0.0) if kind == "setdest" else 0.0
        for tick in (0, *ticks, *edges):
            assert new.at(tick) == pytest.approx(old.at(tick), rel=0.0, abs=close)


def test_a_new_order_of_setdest_ends_the_one_under_way_from_wherever_the_node_is(tmp_path: Path) -> None:
    file = tmp_path / "walk"
    file.write_text(
        "# made by hand\n"
        "$node_(0) set X_ 0.0\n$node_(0) set Y_ 0.0\n$node_(0) set Z_ 0.0\n"
        '$ns_ at 0.0 "$node_(0) setdest 100.0 0.0 10.0"\n'
        '$ns_ at 5.0 "$node_(0) setdest 50.0 40.0 4.0"\n'
        '$ns_ at 20.0 "$node_(0) setdest 0.0 40.0 10.0"\n'
        '$ns_ at 22.0 "$node_(0) setdest 0.0 0.0 0.0"\n'
    )
    [track] = read_setdest(file)
    seen = {t: track.at(t * SECOND) for t in (0, 3, 5, 10, 15, 19, 21, 22, 30)}
    assert seen == {
        0: (0.0, 0.0), 3: (30.0, 0.0), 5: (50.0, 0.0), 10: (50.0, 20.0), 15: (50.0, 40.0), 19: (50.0, 40.0),
        21: (40.0, 40.0), 22: (30.0, 40.0), 30: (30.0, 40.0),
    }  # fmt: skip


def test_the_bounds_of_the_one_shift_time_and_places(tmp_path: Path) -> None:
    file = tmp_path / "walk"
    file.write_text("100 200 -50 50 1000 1100 0 0\n100 p3 0 1000\n100 p1 -50 1010\n110 p1 50 1010\n120 p3 0 1020\n")
    first, second = read_one(file)
    assert (first.at(5 * SECOND), second.at(10 * SECOND)) == ((50.0, 10.0), (50.0, 10.0))


WRONG: list[tuple[Read, str, str]] = [
    (read_waypoints, "node,x,y\n0,1,2\n", "columns node, x, y; a file of waypoints has node, t, x and y"),
    (read_waypoints, "node,t,x,y\n-1,0,1,2\n", ":2: node = '-1': expected a whole number, 0 or more"),
    (read_waypoints, "node,t,x,y\n0,-1,1,2\n", ":2: time -1 s: expected 0 to 1e+09 s after the beginning"),
    (read_waypoints, "node,t,x,y\n0,1,1,2\n0,1,1,3\n", ": node 0 is at two places at 1.000000 s"),
    (read_one, "0 1 0 1\n", ":1: '0 1 0 1': expected minTime maxTime minX maxX minY maxY (minZ maxZ)"),
    (read_one, "0 9 0 9 0 9\n1 a 2 3\n", ":2: '1 a 2 3': expected time, id with a number, x and y"),
    (read_one, "0 9 0 9 0 9\n1 1 2 3e99\n", ":2: y = 3e+99: allowed: -1e+09 to 1e+09 m"),
    (read_one, "0 9 0 9 0 9\n", ": no node in it"),
    (read_bonnmotion, "0 1 2 3\n", ":1: 4 numbers; expected t, x and y again and again (2D)"),
    (read_bonnmotion, "0 1 x\n", ":1: 'x': expected a finite number"),
    (read_bonnmotion, "\n", ": the file is empty"),
    (read_setdest, "what\n", ":1: 'what': expected $node_(i) set X_ … or $ns_ at … setdest …"),
    (read_setdest, '$ns_ at 1 "$node_(0) setdest 1 1 1"\n', ": node 0 has no $node_(0) set X_ and set Y_"),
    (read_setdest, "# nothing\n", ": no node in it"),
]


@pytest.mark.parametrize("read, text, message", WRONG, ids=[message for *_, message in WRONG])
def test_a_wrong_line_is_told_with_its_place(read: Read, text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "walk"
    file.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        read(file)
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_one(tmp_path / "none")
    (tmp_path / "packed").write_bytes(b"\x1f\x8b\xff")
    with pytest.raises(ConfigError, match="no text in UTF-8"):
        read_bonnmotion(tmp_path / "packed")


def test_a_class_with_more_nodes_than_its_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "walk").write_text("node,t,x,y\n0,0,1,1\n0,9,2,2\n")
    nodes = {"walker": {"count": 2, "mobility": {"kind": "file", "file": "walk"}}}
    with pytest.raises(ConfigError, match=r"1 nodes move in it, but \[nodes.walker\] count = 2"):
        deploy(scenario_of({**WALKERS, "nodes": nodes}, tmp_path))


# Contacts


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(tracks(), PLACES), min_size=2, max_size=5))
def test_connectivity_events_are_the_plan_that_was_written(
    tmp_path_factory: pytest.TempPathFactory, field: list[Track | Position]
) -> None:
    file = tmp_path_factory.mktemp("contacts") / "events"
    found = {number: node for number, node in enumerate(field) if isinstance(node, Track)}
    places = [node.home if isinstance(node, Track) else node for node in field]
    plan = disk_contacts(places, found, 20.0, UNTIL)
    write_connectivity(file, plan)
    if len(plan):
        assert read_connectivity(file, len(field), UNTIL) == plan


def test_a_run_on_imported_contacts_has_the_links_of_the_run_that_wrote_them(tmp_path: Path) -> None:
    drawn = walkers(medium={"kind": "cells"})
    write_connectivity(tmp_path / "events", drawn.plan)
    drawn.plan.save(tmp_path / "plan.parquet")
    for medium in (
        {"kind": "contacts", "file": "events"},
        {"kind": "contacts", "file": "plan.parquet"},
        {"kind": "cells", "plan": "plan.parquet"},
    ):
        again = deploy(scenario_of({**WALKERS, "medium": medium}, tmp_path))
        assert (again.plan, again.links) == (drawn.plan, drawn.links)


@pytest.mark.parametrize(
    "text, message",
    [
        ("1 CONN 0 1 up\nnonsense\n", ":2: 'nonsense': expected time, CONN, two nodes, and up or down"),
        ("1 CONN 0 9 up\n", ":1: nodes 0 and 9: expected two from 0 to 2"),
        ("1 CONN 1 1 up\n", ":1: nodes 1 and 1: expected two from 0 to 2"),
        ("1 CONN 0 1 down\n", ":1: the link of 0 and 1 goes down but was not up"),
        ("2 CONN 0 1 up\n1 CONN 0 2 up\n", ":2: time 1 is before that of the line above"),
        ("x CONN 0 1 up\n", ":1: 'x': expected a finite number"),
    ],
)
def test_a_wrong_contact_is_told_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "events").write_text(text)
    with pytest.raises(ConfigError, match=re.escape(message)):
        read_connectivity(tmp_path / "events", 3, UNTIL)


def saved(folder: Path, plan: Plan) -> Path:
    """A file with it."""
    plan.save(folder / "plan.parquet")
    return folder / "plan.parquet"


def test_a_plan_of_another_field_or_of_a_shorter_run_is_refused(tmp_path: Path) -> None:
    for plan, message in (
        (plan_from([(0, 1, 0, 9)], 3, 300 * SECOND), "a plan of 3 nodes; this field has 17"),
        (plan_from([(0, 1, 0, 9)], 17, 100 * SECOND), "a plan of 100 s; this run lasts 300 s"),
    ):
        saved(tmp_path, plan)
        with pytest.raises(ConfigError, match=message):
            deploy(scenario_of({**WALKERS, "medium": {"kind": "cells", "plan": "plan.parquet"}}, tmp_path))


def test_what_is_no_plan_is_told(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "plan.parquet"
    with pytest.raises(ConfigError, match="no such file"):
        load_plan(file)
    file.write_text("no Parquet")
    with pytest.raises(ConfigError, match="no contact plan"):
        load_plan(file)
    pq.write_table(pa.table({"a": [1]}), file)
    with pytest.raises(ConfigError, match="no contact plan of format 1: found none; write it anew"):
        load_plan(file)
    with pytest.raises(ConfigError, match="a contact of nodes that are not 0 to 1, the smaller first"):
        load_plan(saved(tmp_path, plan_from([(0, 5, 0, 9)], 2, 10)))
