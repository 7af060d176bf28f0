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
        ((FIELD, "--set", "medium.los=1"), "motecast: --set medium.los: no key 'los'; did you mean 'loss'?"),
        ((FIELD, "--set", "medium.loss"), "motecast: --set medium.loss: expected key=value"),
        ((FIELD, "--level", "ful"), "motecast: level = 'ful': did you mean 'full'? allowed: deliveries, full"),
        ((FIELD, "--seed", "x"), "motecast: sim: --seed: allowed: a whole number (see"),
        ((FIELD, "--set", "stack=floood"), "motecast: --set stack=floood: no stack 'floood'; did you mean 'flood'?"),
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


def test_a_mistake_in_the_file_names_the_file_whatever_is_set(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(Path(FIELD).read_text(encoding="utf-8").replace("[medium]", "[medium]\nlos = 1"), encoding="utf-8")
    _, _, err = called(capsys, str(file), "--set", "until=10")
    assert err.startswith(f"motecast: {file}: medium.los: no key 'los'")


def test_an_attribute_that_no_event_has_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = called(capsys, FIELD, *QUICK, "--set", "workload.subscriber.subscribe.where=tmp > 20 AND x > 0")
    assert (code, err) == (0, "note: no event has attribute 'tmp'; did you mean 'temp'?\n")
    _, _, err = called(capsys, FIELD, *QUICK, "--set", "workload.subscriber.subscribe.where=zzz > 20", "--json")
    assert err == "note: no event has attribute 'zzz'; workload.subscriber.subscribe matches nothing by it\n"


def test_a_protocol_beside_the_scenario_is_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    lines = ("from motecast.protocols.plain.example import gossip", "my_stack = gossip")
    (tmp_path / "beside_the_scenario.py").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "field.toml").write_text(Path(FIELD).read_text(encoding="utf-8"), encoding="utf-8")
    code, _, err = called(
        capsys, str(tmp_path / "field.toml"), *QUICK, "--set", "stack=beside_the_scenario:my_stack", "--json"
    )
    assert (code, err) == (0, "")


def test_a_trace_that_replaces_another_run_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = (FIELD, *QUICK, "--trace", str(tmp_path / "run"), "--json")
    _, out, err = called(capsys, *words)
    assert err == ""
    assert called(capsys, *words)[2] == ""  # the same run
    before = json.loads(out)["digest"]
    code, _, err = called(capsys, *words, "--seed", "9")
    assert code == 0
    assert err == f"note: {tmp_path / 'run'}: another run was here (digest {before}); it is replaced\n"


def test_a_trace_is_not_written_among_other_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("dear", encoding="utf-8")
    code, out, err = called(capsys, FIELD, "--trace", str(tmp_path))
    assert (code, out) == (2, "")
    line = f"--trace {tmp_path}: not empty and no run (run.json is missing); name another folder"
    assert err == f"motecast: {line}\n"
    (tmp_path / "diary.txt").rename(tmp_path / "rows.parquet")  # what a run that was killed leaves
    assert called(capsys, FIELD, *QUICK, "--trace", str(tmp_path))[0] == 0
