"""A study runs what it says, keeps what it ran, and computes its verdicts."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import motecast
from motecast.core import ConfigError
from motecast.studies import Case, Claim, Published, Results, Scale, Study, find_study, run_study, study_names
from motecast.studies.runner import code_digest, jobs_of

SCENARIO = {
    "name": "tiny",
    "stack": "flood",
    "until": 4.0,
    "nodes": {"mote": {"count": 6}},
    "field": {"area": [20.0, 20.0]},
    "medium": {"kind": "disk", "range": 40.0},
    "workload": {"mote": {"publish": {"every": 1.0}, "subscribe": {}}},
}

TINY = Study(
    name="tiny",
    title="Six nodes",
    source="ours",
    scenario=SCENARIO,
    cases=(Case("calm", {}), Case("lossy", {"medium.loss": 0.9})),
    measures=("delivery_ratio",),
    claims=(
        Claim(
            "loss costs deliveries",
            lambda results: results.mean("lossy", "delivery_ratio") < results.mean("calm", "delivery_ratio"),
            lambda results: f"{results.mean('lossy', 'delivery_ratio'):.3f}",
        ),
    ),
    scales={"smoke": Scale(range(1, 4)), "full": Scale(range(1, 3), {"until": 2.0})},
    published=(Published("calm", "delivery_ratio", 1.0, "nowhere"),),
)


def test_every_case_runs_with_every_seed_of_the_scale():
    jobs = jobs_of(TINY, "smoke")
    assert [(job.label, job.seed) for job in jobs] == [(case, seed) for case in ("calm", "lossy") for seed in (1, 2, 3)]


def test_a_case_sets_more_than_its_scale_does():
    study = replace(TINY, cases=(Case("long", {"until": 9.0}),))
    assert jobs_of(study, "full")[0].settings == {"until": 9.0}


def test_claims_are_judged_by_what_the_runs_measured():
    results = run_study(TINY, "smoke")
    assert results.mean("calm", "delivery_ratio") == 1.0
    assert TINY.claims[0].holds(results)
    assert not Claim("no", lambda r: r.mean("calm", "delivery_ratio") < 1.0, str).holds(results)


def test_a_finished_run_is_read_back_and_not_run_again(tmp_path):
    first = run_study(TINY, "smoke", folder=tmp_path)
    file = min(tmp_path.glob("*.json"))
    kept = json.loads(file.read_text())
    kept["measures"]["delivery_ratio"] = 0.125  # a value that no run gives: only reading it back can
    file.write_text(json.dumps(kept))
    second = run_study(TINY, "smoke", folder=tmp_path)
    assert second.values(kept["label"], "delivery_ratio")[kept["seed"] - 1] == 0.125
    assert 0.125 not in first.values(kept["label"], "delivery_ratio")


def test_an_interrupted_study_runs_only_what_is_missing(tmp_path):
    run_study(TINY, "smoke", folder=tmp_path)
    min(tmp_path.glob("*.json")).unlink()
    told: list[float] = []
    run_study(TINY, "smoke", folder=tmp_path, advance=told.append)
    assert told == [5, 6]


def test_two_processes_measure_what_one_does():
    one, two = run_study(TINY, "smoke"), run_study(TINY, "smoke", processes=2)
    assert [one.values(label, "delay_mean") for label in one.labels] == [
        two.values(label, "delay_mean") for label in one.labels
    ]


def test_another_seed_scale_or_setting_is_another_run():
    keys = {job.key for scale in TINY.scales for job in jobs_of(TINY, scale)}
    assert len(keys) == 6 + 4


def test_a_paired_difference_takes_the_spread_of_the_worlds_out():
    values = {("a", 1): {"m": 10.0}, ("b", 1): {"m": 11.0}, ("a", 2): {"m": 20.0}, ("b", 2): {"m": 21.0}}
    assert Results(values).paired("b", "a", "m") == (1.0, 0.0)
    assert Results(values).margin("a", "m") == pytest.approx(12.71 * math.sqrt(50) / math.sqrt(2))


def test_a_pair_is_of_one_seed_and_a_seed_without_a_pair_is_left_out():
    a = {1: None, 2: 10.0, 3: 20.0}
    b = {1: 1.0, 2: None, 3: 5.0}
    results = Results({(label, seed): {"m": m} for label, own in (("a", a), ("b", b)) for seed, m in own.items()})
    assert results.paired("a", "b", "m") == (15.0, 0.0)
    assert math.isnan(Results({("a", 1): {"m": None}, ("b", 1): {"m": 1.0}}).paired("a", "b", "m")[0])


def test_kept_runs_are_of_this_code(monkeypatch):
    key = jobs_of(TINY, "smoke")[0].key
    monkeypatch.setattr("motecast.studies.runner.code_digest", lambda: "another")
    assert jobs_of(TINY, "smoke")[0].key != key


def test_the_code_that_runs_holds_the_catalogue_with_its_defaults(tmp_path, monkeypatch):
    copy = tmp_path / "motecast"
    shutil.copytree(Path(motecast.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(motecast, "__file__", str(copy / "__init__.py"))
    before = code_digest.__wrapped__()
    stacks = copy / "stacks.py"
    stacks.write_text(stacks.read_text().replace("patience: float = 5.0", "patience: float = 6.0"))
    assert code_digest.__wrapped__() != before


def test_a_measure_that_applies_to_no_run_has_no_mean():
    assert math.isnan(Results({("a", 1): {"m": None}}).mean("a", "m"))


def test_an_unknown_study_or_scale_names_the_nearest():
    with pytest.raises(ConfigError, match="no study 'floding'; did you mean 'flooding'"):
        find_study("floding")
    with pytest.raises(ConfigError, match="--scale ci: study tiny has smoke, full"):
        jobs_of(TINY, "ci")


@pytest.mark.parametrize("name", study_names())
def test_a_study_is_complete(name):
    study = find_study(name)
    labels = [case.label for case in study.cases]
    assert study.name == name
    assert set(study.scales) == {"smoke", "ci", "full"}
    assert len(set(labels)) == len(labels)
    assert study.claims
    assert {entry.label for entry in study.published} <= set(labels)


@pytest.mark.slow
@pytest.mark.parametrize("name", study_names())
def test_every_claim_that_smoke_judges_holds(name):
    study = find_study(name)
    results = run_study(study, "smoke")
    failed = [claim.text for claim in study.claims if "smoke" in claim.scales and not claim.holds(results)]
    assert failed == [], f"motecast study {name} --scale smoke"
