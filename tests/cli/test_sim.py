"""`motecast sim`: what it prints, for people and for programs, and how it ends."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import motecast
from motecast.cli import main

FIELD = str(Path(__file__).parents[2] / "examples" / "field.toml")
QUICK = ("--set", "until=10")


def called(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    code = main(["sim", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_run_is_a_table_of_measures_with_units_and_the_digest(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = called(capsys, FIELD, *QUICK)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "field: Flood(), 108 nodes, 10 s, seed 1"
    assert lines[2].split() == ["measure", "value", "unit"]
    cells = {line.split()[0]: line.split()[1:] for line in lines[3:] if line and ":" not in line}
    assert cells["delay_mean"][1] == "s"
    assert cells["payload_bytes"][1] == "bytes"
    assert "does not apply here: " in out
    run = motecast.simulate(FIELD, set={"until": 10})
    assert lines[-1] == f"digest {run.digest}"
    assert cells["published"] == [str(run.measures["published"])]


def test_json_is_one_object_with_four_names_and_every_measure(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = called(capsys, FIELD, *QUICK, "--seed", "7", "--set", "medium.loss=0.3", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    run = motecast.simulate(FIELD, seed=7, set={"until": 10, "medium.loss": 0.3})
    assert found == {"stack": "flood", "seed": 7, "digest": run.digest, "measures": run.measures}
    assert list(found) == ["stack", "seed", "digest", "measures"]


def test_explain_prints_a_scenario_that_gives_the_same_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = (FIELD, *QUICK, "--set", "stack=gossip", "--set", "protocol.p=0.6", "--seed", "9")
    code, text, _ = called(capsys, *words, "--explain")
    assert code == 0
    (tmp_path / "resolved.toml").write_text(text, encoding="utf-8")
    assert 'kind = "disk"' in text
    assert "wait = 0.02" in text
    _, before, _ = called(capsys, *words, "--json")
    _, after, _ = called(capsys, str(tmp_path / "resolved.toml"), "--json")
    assert before == after
    _, as_json, _ = called(capsys, *words, "--explain", "--json")
    assert json.loads(as_json)["protocol"] == {"gossip": {"p": 0.6, "wait": 0.02}}


def test_a_trace_is_written_and_the_next_steps_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    code, out, _ = called(capsys, FIELD, *QUICK, "--trace", str(folder), "--level", "full")
    assert code == 0
    assert out.splitlines()[-1].startswith(f"trace in {folder}: motecast check {folder}")
    run = motecast.load(folder)
    assert f"digest {run.digest}" in out
    assert run.about["level"] == "full"


@pytest.mark.parametrize(
    "words, message",
    [
        (("no.toml",), "motecast: no.toml: no such file or directory"),
        ((FIELD, "--set", "medium.los=1"), f"motecast: {FIELD}: medium.los: no key 'los'; did you mean 'loss'?"),
        ((FIELD, "--set", "medium.loss"), "motecast: --set medium.loss: expected key=value"),
        ((FIELD, "--level", "ful"), "motecast: level = 'ful': did you mean 'full'? allowed: deliveries, full"),
        ((FIELD, "--seed", "x"), "motecast: sim: invalid value for '--seed'"),
        ((FIELD, "--set", "stack=floood"), f"motecast: {FIELD}: no stack 'floood'; did you mean 'flood'?"),
        ((FIELD, "--trace", FIELD), f"motecast: {FIELD}"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    code, out, err = called(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_nothing_but_json_is_written_where_no_terminal_looks() -> None:
    words = [sys.executable, "-m", "motecast", "sim", FIELD, *QUICK, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert not re.search("\x1b", done.stdout)
    assert json.loads(done.stdout)["stack"] == "flood"
