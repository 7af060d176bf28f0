"""`motecast sim --plan`: the contact plan of a run, kept for other runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from motecast.cli import main
from motecast.sim.plan import load_plan

ROOT = Path(__file__).parents[2]
CED = (str(ROOT / "examples" / "ced.toml"), "--set", "until=60", "--json")


def test_a_plan_that_is_kept_gives_the_same_run_to_another_field_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "kept" / "plan.parquet"
    assert main(["sim", *CED, "--plan", str(file)]) == 0
    first = json.loads(capsys.readouterr().out)
    assert load_plan(file).nodes == 110
    assert main(["sim", *CED, "--set", f"medium.plan={file}"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert first["measures"]["energy_joules"] > 0


def test_a_field_whose_links_never_change_has_no_plan_to_keep(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "plan.parquet"
    assert main(["sim", str(ROOT / "examples" / "field.toml"), "--plan", str(file)]) == 2
    assert "the links of this field never change; nothing to write" in capsys.readouterr().err
    assert not file.exists()


def test_a_plan_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["sim", *CED, "--set", f"medium.plan={tmp_path / 'none'}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
