"""`motecast replay`: a life in aligned lines, or one JSON object."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from motecast.cli import main
from motecast.cli.replay import LEGEND
from tests.check.worlds import World


def saved(folder: Path, level: str) -> str:
    world = World(level)
    world.subscribe(1, "a", "v > 1")
    event = world.publish(0, "a", "b/1", v=2, s="x", life=3.0)
    world.transmit(0, "Data", (9, 4, 1))
    world.receive(1, 0, "Data", 9)
    world.deliver(1, event, 1)
    world.deliver(1, (77, 1), gap=True)
    world.write("duplicate", 1, event)
    world.crash(1, "for good")
    world.write("gap", 2, detail="publisher=0; first=1; last=3")
    world.trace().save(folder)
    return str(folder)


@pytest.fixture
def run(tmp_path: Path) -> str:
    return saved(tmp_path / "run", "full")


@pytest.fixture
def lean(tmp_path: Path) -> str:
    return saved(tmp_path / "lean", "deliveries")


def test_the_life_of_a_node(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", run, "--node", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "node 1, mote at (0, 0): published 0 events, delivered 2",
        "",
        "row   seconds  node  what       event  peer  hops  more",
        "  0  0.000001     1  subscribe                     subscription 1: a WHERE v > 1",
        "  3  0.000004     1  receive              0        Data, 9 bytes",
        "  4  0.000005     1  deliver    0/1             1  3e-06 s after publication",
        "  5  0.000006     1  deliver    77/1               of nothing published; gap",
        "  6  0.000007     1  duplicate  0/1",
        "  7  0.000008     1  crash                         for good",
        "",
        LEGEND,
    ]


def test_the_life_of_an_event(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", run, "--event", "0/1"]) == 0
    title, _, *table = capsys.readouterr().out.splitlines()
    assert title == (
        "event 0/1 on a, b/1 (s=x, v=2): published at 2e-06 s, expires at 3 s; "
        "expected at 0 nodes, delivered to 0 of them"  # its only subscriber dies for good before the deadline
    )
    assert [line.split()[3] for line in table[1:-2]] == ["publish", "deliver", "duplicate"]
    assert table[-2:] == ["", LEGEND]
    assert table[1].endswith("on a, b/1")


def test_an_event_at_one_node(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", run, "--event", "0/1", "--node", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("event 0/1 on a, b/1")
    assert "\nnode 1, mote at (0, 0)" in out
    assert [line.split()[3] for line in out.splitlines()[4:-2]] == ["deliver", "duplicate"]


def test_copies_whose_way_the_trace_does_not_know_are_counted(lean: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", lean, "--event", "0/1"]) == 0
    out = capsys.readouterr().out
    assert f"\n\n1 duplicate heard at 1 node\n{LEGEND}\n" in out
    assert [line.split()[3] for line in out.splitlines()[3:5]] == ["publish", "deliver"]
    assert main(["replay", lean, "--event", "0/1", "--node", "1"]) == 0
    assert "heard at" not in capsys.readouterr().out
    assert main(["replay", lean, "--event", "0/1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["what"] for row in rows] == ["publish", "deliver", "duplicate"]


def test_a_frame_says_what_is_in_it(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", run, "--node", "0"]) == 0
    assert "Data, 9 bytes (4 content, 1 headers)" in capsys.readouterr().out


def test_a_gap_says_what_was_given_up(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", run, "--node", "2"]) == 0
    assert "publisher=0; first=1; last=3" in capsys.readouterr().out


def test_a_node_to_which_nothing_happened_is_no_mistake(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", run, "--node", "3"]) == 0
    assert "nothing happened" in capsys.readouterr().out


def test_a_limit_says_how_to_see_the_rest(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", run, "--node", "1", "--limit", "2"]) == 0
    assert capsys.readouterr().out.endswith("\n\n4 more rows: --limit 0 prints all 6\n")
    assert main(["replay", run, "--node", "1", "--limit", "0"]) == 0
    assert "more rows" not in capsys.readouterr().out


def test_a_trace_of_the_lower_level_says_how_to_get_more(
    lean: str, run: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", lean, "--node", "1"]) == 0
    assert f"motecast sim … --level full --trace {lean}" in capsys.readouterr().out
    assert main(["replay", run, "--node", "1"]) == 0
    assert "--level full" not in capsys.readouterr().out


def test_json_is_one_object(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", run, "--node", "1", "--limit", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["stack", "seed", "digest", "level", "title", "count", "rows"]
    assert (found["count"], len(found["rows"])) == (6, 3)
    assert found["rows"][2] == {
        "row": 4, "seconds": 0.000005, "node": 1, "what": "deliver", "event": "0/1", "peer": None, "hops": 1,
        "more": "3e-06 s after publication",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "whose life? give --node 12, --event 3/41, or both"),
        (["--node", "9"], "no node 9 in this run; nodes are 0 to 3"),
        (["--node", "-1"], "no node -1 in this run; nodes are 0 to 3"),
        (["--event", "0/7"], "no event 0/7 in this run; node 0 published 1 to 1"),
        (["--event", "3/1"], "no event 3/1 in this run; publishers are 0"),
        (["--event", "3-1"], "--event '3-1': an event is publisher/number, such as 3/41"),
        (["--event", "3/²"], "--event '3/²': an event is publisher/number, such as 3/41"),
        (["--event", f"{10**30}/1"], f"no event {10**30}/1 in this run; publishers are 0"),
        (["--node", str(10**30)], f"no node {10**30} in this run; nodes are 0 to 3"),
        (["--limit", "-1"], "replay: --limit: allowed: a number at least 0 ("),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(
    arguments: list[str], problem: str, run: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", run, *arguments]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(f"motecast: {problem}")
    assert err.count("\n") == 1


def test_a_run_in_which_nothing_was_published_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    World().trace().save(tmp_path)
    assert main(["replay", str(tmp_path), "--event", "0/1"]) == 2
    assert capsys.readouterr().err == "motecast: no event 0/1 in this run; publishers are none\n"
