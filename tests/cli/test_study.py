"""`motecast study` as a user meets it."""

from __future__ import annotations

import json

import pytest

from motecast.cli import main
from motecast.studies import Claim
from motecast.studies.flooding import STUDY


def test_the_list_names_every_study(capsys):
    assert main(["study", "list", "--json"]) == 0
    assert "flooding" in [study["name"] for study in json.loads(capsys.readouterr().out)["studies"]]


def test_a_study_prints_its_table_and_its_verdicts(tmp_path, capsys):
    assert main(["study", "flooding", "--scale", "smoke", "--runs", str(tmp_path), "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert "transmissions_per_event" in out
    assert out.count("holds") == len(STUDY.claims)


def test_a_claim_that_fails_is_said_and_is_the_exit_code(tmp_path, capsys):
    false = Claim("fewer than no transmissions", lambda results: False, lambda results: "120")
    object.__setattr__(STUDY, "claims", (*STUDY.claims, false))
    try:
        code = main(["study", "flooding", "--scale", "smoke", "--runs", str(tmp_path), "--jobs", "1", "--json"])
    finally:
        object.__setattr__(STUDY, "claims", STUDY.claims[:-1])
    assert code == 1
    assert [claim["holds"] for claim in json.loads(capsys.readouterr().out)["claims"]][-1] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["study", "floding"], "motecast: no study 'floding'; did you mean 'flooding'? known: flooding"),
        (["study", "flooding", "--scale", "big"], "motecast: --scale big: study flooding has smoke, ci, full"),
    ],
)
def test_what_does_not_exist_is_one_line(arguments, message, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr().err.strip().startswith(message.split(" known")[0])
