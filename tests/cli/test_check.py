"""`motecast check`: the table, the findings with their rows, the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from motecast.check import MEASURES, ORACLES
from motecast.cli import main
from tests.check.worlds import World


@pytest.fixture
def honest(tmp_path: Path) -> str:
    """A run in which all is well."""
    world = World("deliveries", promises=("integrity", "agreement", "bytes-conserved"))
    world.subscribe(1)
    world.subscribe(2)
    event = world.publish(0)
    world.deliver(1, event)
    world.deliver(2, event)
    world.trace().save(tmp_path / "run")
    return str(tmp_path / "run")


@pytest.fixture
def guilty(tmp_path: Path) -> str:
    """A run in which node 1 delivers eight times, and node 2 never."""
    world = World(promises=("integrity",))
    world.subscribe(1)
    world.subscribe(2)
    event = world.publish(0)
    for _ in range(8):
        world.deliver(1, event)
    world.trace().save(tmp_path / "run")
    return str(tmp_path / "run")


def test_what_is_promised_and_the_guards_are_judged(honest: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", honest]) == 0
    lines = [line.split(maxsplit=4) for line in capsys.readouterr().out.splitlines()]
    assert lines[:4] == [
        ["oracle", "mode", "verdict", "findings", "why"],
        ["integrity", "always", "holds", "0"],
        ["agreement", "eventually", "holds", "0"],
        ["bytes-conserved", "always", "skipped", "-", "needs a trace at level full (motecast sim … --level full)"],
    ]
    assert {line[0] for line in lines[4:]} == {name for name in ORACLES if name.startswith("something-")}


def test_a_violation_names_its_rows_and_is_exit_code_1(guilty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", guilty]) == 1
    table, findings = capsys.readouterr().out.split("\n\nintegrity:\n")
    assert "integrity            always     violated         7\n" in table
    assert findings.splitlines() == [
        *(f"  node 1 delivers event 0/1 again (rows {row}, {row + 1})" for row in range(3, 8)),
        "  and 2 more",
    ]


def test_the_number_of_findings_is_an_option(guilty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", guilty, "--limit", "1"]) == 1
    assert capsys.readouterr().out.endswith("  node 1 delivers event 0/1 again (rows 3, 4)\n  and 6 more\n")
    assert main(["check", guilty, "--limit", "0"]) == 1
    assert "again" not in capsys.readouterr().out


def test_one_oracle_is_judged_when_it_is_named(guilty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", guilty, "--oracle", "fifo", "--oracle", "causal-order"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["oracle", "fifo", "causal-order"]


def test_all_oracles_are_judged_when_asked(guilty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", guilty, "--all"]) == 1
    table = capsys.readouterr().out.split("\n\n")[0]
    assert [line.split()[0] for line in table.splitlines()[1:]] == list(ORACLES)


def test_alpha_says_how_many_must_deliver(guilty: str) -> None:
    assert main(["check", guilty, "--oracle", "agreement"]) == 1
    assert main(["check", guilty, "--oracle", "agreement", "--alpha", "0.5"]) == 1
    assert main(["check", guilty, "--oracle", "agreement", "--alpha", "0"]) == 0


def test_json_is_one_object(guilty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", guilty, "--json", "--oracle", "integrity", "--limit", "1"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert not err
    assert list(found) == ["stack", "seed", "digest", "measures", "verdicts"]
    assert list(found["measures"]) == list(MEASURES)
    assert found["verdicts"] == [
        {
            "oracle": "integrity",
            "mode": "always",
            "verdict": "violated",
            "count": 7,
            "skipped": None,
            "remark": None,
            "findings": [{"text": "node 1 delivers event 0/1 again", "rows": [3, 4]}],
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--oracle", "fifp"], "no oracle 'fifp'; did you mean 'fifo'? known: "),
        (["--all", "--oracle", "fifo"], "--all and --oracle fifo: give one of the two"),
        (["--alpha", "2"], "alpha = 2.0: a probability, from 0 to 1"),
        (["--alpha", "many"], "check: --alpha: allowed: a number (see motecast check --help)"),
        (["--limit", "-1"], "check: --limit: allowed: a number at least 0 ("),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(
    arguments: list[str], problem: str, honest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", honest, *arguments]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(f"motecast: {problem}")
    assert err.count("\n") == 1


def test_a_folder_without_a_run_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f"motecast: {tmp_path}: no run here (run.json is missing); write one with motecast sim … --trace {tmp_path}\n"
    )
