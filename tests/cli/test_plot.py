"""`motecast plot`: files that are there, the same ones for the same run, and one line for what cannot be drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from motecast import sim
from motecast.check import View
from motecast.cli import main
from motecast.cli.shared.journey import farthest, journey
from tests.check.worlds import World

SMALL = {
    "name": "small",
    "stack": "flood",
    "until": 3.0,
    "nodes": {"sensor": {"count": 12, "placement": "grid"}, "base": {"count": 1}},
    "field": {"area": [40.0, 40.0]},
    "medium": {"kind": "disk", "range": 18.0},
    "workload": {
        "sensor": {"publish": {"every": 1.0, "arrivals": "periodic"}},
        "base": {"subscribe": {"topics": ["#"]}},
    },
}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small flood, every row written."""
    folder = tmp_path_factory.mktemp("run")
    sim.run(sim.scenario_of(SMALL), level="full").save(folder)
    return folder


def chain(level: str = "full") -> World:
    """0 publishes; 1 hears it from 0, 2 from 1; 2 and 3 want it; only 2 gets it."""
    world = World(level, links=[(1,), (2,), (3,), ()])
    for node in (2, 3):
        world.subscribe(node)
    event = world.publish(0)
    for node, peer in ((1, 0), (2, 1), (1, 2)):
        world.write("receive", node, event, peer=peer, message="Data", size=9)
    world.deliver(2, event, 2)
    world.publish(3)
    return world


@pytest.mark.slow
def test_pictures_go_to_the_run_with_their_names_printed_and_drawn_again_they_are_the_same(run, tmp_path, capsys):
    assert main(["plot", str(run)]) == 0
    *files, why = capsys.readouterr().out.splitlines()
    printed = [Path(line) for line in files]
    assert "is drawn, which went farthest to somebody who wants it: " in why
    assert [file.suffix for file in printed] == [".png", ".svg"] * 3
    assert {file.stem.partition("-")[0] for file in printed} == {"field", "event", "delays"}
    assert main(["plot", str(run), "--out", str(tmp_path / "again")]) == 0
    for file in printed:
        assert file.parent == run
        assert file.read_bytes().startswith(PNG if file.suffix == ".png" else b"<?xml")
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes(), file


@pytest.mark.slow
def test_an_event_is_chosen_by_its_name(run, tmp_path, capsys):
    assert main(["plot", str(run), "--event", "3/1", "--out", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["event"] == "3/1"
    assert str(tmp_path / "event-3-1.svg") in told["files"]
    assert "flood: event 3/1 reached" in _texts(tmp_path / "event-3-1.svg")


def _texts(file: Path) -> str:
    """Matplotlib writes every text as a comment above its shapes."""
    return "\n".join(part.partition("-->")[0] for part in file.read_text().split("<!--")[1:])


@pytest.mark.slow
def test_what_the_pictures_say_is_what_the_run_was(run, tmp_path, capsys):
    assert main(["plot", str(run), "--out", str(tmp_path)]) == 0
    field, delays = _texts(tmp_path / "field.svg"), _texts(tmp_path / "delays.svg")
    assert "small: 13 nodes" in field
    assert "sensor (12)" in field
    assert "base (1)" in field
    measures = sim.simulate(SMALL).measures
    assert f"expected ({measures['expected']})" in delays
    assert f"delivered ({measures['delivered']})" in delays


@pytest.mark.slow
def test_a_lean_trace_is_drawn_and_says_what_it_lacks(tmp_path, capsys):
    sim.run(sim.scenario_of(SMALL)).save(tmp_path)
    assert main(["plot", str(tmp_path)]) == 0
    assert "--level full" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize("events", [0, 1])
def test_a_run_without_deliveries_is_drawn_all_the_same(events, tmp_path, capsys):
    world = World("full", links=[(), (), (), ()])
    for _ in range(events):
        world.publish(0)
    world.trace().save(tmp_path)
    assert main(["plot", str(tmp_path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4 + 3 * events
    assert "nothing was delivered" in _texts(tmp_path / "delays.svg")


@pytest.mark.slow
def test_nodes_in_one_place_who_all_hear_each_other_are_drawn_on_a_circle(tmp_path, capsys):
    medium = {"kind": "rounds", "round": 0.5}
    nodes = {"sensor": {"count": 12}, "base": {"count": 1}}
    sim.run(sim.scenario_of({**SMALL, "medium": medium, "nodes": nodes})).save(tmp_path)
    assert main(["plot", str(tmp_path)]) == 0
    assert "everybody may hear everybody" in _texts(tmp_path / "field.svg")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--event", "3"], "an event is publisher/number"),
        (["--event", "3/999"], "no event 3/999 in this run; node 3 published"),
        (["--event", "99/1"], "publishers are"),
    ],
)
def test_an_event_that_is_not_there_is_one_line(run, arguments, message, capsys):
    assert main(["plot", str(run), *arguments]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert message in told


def test_a_folder_without_a_run_is_one_line(tmp_path, capsys):
    assert main(["plot", str(tmp_path / "nothing")]) == 2
    assert "no run here" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_one_line(run, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["plot", str(run), "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_tree_is_that_of_first_receptions():
    way = journey(View(chain().trace()), 0)
    assert way.tree == {1: 0, 2: 1}
    assert way.depths == {0: 0, 1: 1, 2: 2}
    assert (way.wanted, way.delivered) == ({2, 3}, {2})


def test_without_receptions_the_deliveries_tell_hops():
    way = journey(View(chain("deliveries").trace()), 0)
    assert way.tree == {}
    assert way.depths == {0: 0, 2: 2}


def test_the_event_that_is_drawn_went_farthest_to_somebody_who_wants_it():
    world = World(links=[(1,), (0,), (), ()])
    for node in (1, 2):
        world.subscribe(node)
    events = [world.publish(0) for _ in range(4)]
    world.deliver(1, events[0], 2)
    world.deliver(1, events[1], 3)
    for node in (1, 2):
        world.deliver(node, events[2], 3)
    world.deliver(3, events[3], 9)  # who has not asked for it
    assert farthest(View(world.trace())) == 2


def test_where_nothing_was_delivered_the_first_event_that_somebody_wants_is_drawn():
    world = World()
    world.publish(0, "b/1")
    assert farthest(View(world.trace())) == 0
    world.subscribe(1, "a")
    world.publish(0, "a")
    world.publish(0, "a")
    assert farthest(View(world.trace())) == 1
    assert farthest(View(World().trace())) is None


@pytest.mark.slow
def test_a_delivery_to_one_who_did_not_ask_is_marked_and_said(tmp_path, capsys):
    world = chain()
    event = world.publish(0)
    world.deliver(2, event, 2)
    world.deliver(1, event, 1)
    world.trace().save(tmp_path)
    assert main(["plot", str(tmp_path), "--event", "0/2"]) == 0
    texts = " ".join(_texts(tmp_path / "event-0-2.svg").split())
    assert "reached 1 of 2 subscribers" in texts
    assert "it was also delivered to 1 that did not want it" in texts
    assert "delivered, not wanted (1)" in texts
    assert "delivered (1)" in texts


@pytest.mark.slow
def test_a_small_field_has_metres_and_the_numbers_of_its_nodes(run, tmp_path, capsys):
    assert main(["plot", str(run), "--out", str(tmp_path)]) == 0
    words = _texts(tmp_path / "field.svg").split()
    assert words.count("m") == 2
    assert {str(node) for node in range(13)} <= set(words)
    many = {**SMALL, "nodes": {"sensor": {"count": 151}, "base": {"count": 0}}}
    sim.run(sim.scenario_of(many)).save(tmp_path / "many")
    assert main(["plot", str(tmp_path / "many")]) == 0
    assert "137" not in _texts(tmp_path / "many" / "field.svg").split()


@pytest.mark.slow
def test_pictures_of_another_run_are_taken_away_and_strange_files_are_not(run, tmp_path, capsys):
    assert main(["plot", str(run), "--event", "3/1", "--out", str(tmp_path)]) == 0
    (tmp_path / "event-of-mine.png").write_bytes(PNG)
    assert main(["plot", str(run), "--event", "4/1", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "event-3-1.png").exists()  # of the same run
    other = tmp_path / "other"
    sim.run(sim.scenario_of(SMALL, seed=2)).save(other)
    capsys.readouterr()
    assert main(["plot", str(other), "--event", "4/1", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert f"removed {tmp_path / 'event-3-1.png'}: it was of another run" in out
    assert not (tmp_path / "event-3-1.svg").exists()
    assert (tmp_path / "event-of-mine.png").exists()
    assert str(tmp_path / "event-4-1.png") in out.splitlines()
