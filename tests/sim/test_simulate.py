"""`motecast.simulate`, `save` and `load`: a run survives the disk, and a mapping is as good as a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import motecast
from motecast.cli.shared.catalogue import describe
from motecast.core import ConfigError
from motecast.protocols.plain import Gossip
from motecast.sim import deploy, run, scenario_of
from motecast.sim.world import World
from tests.sim.hostile import HOSTILE
from tests.sim.plain import PLAIN

FIELD = Path(__file__).parents[2] / "examples" / "field.toml"
QUICK: dict[str, Any] = {"until": 10.0}


def test_a_run_survives_the_disk(tmp_path: Path) -> None:
    run = motecast.simulate(FIELD, seed=7, set={**QUICK, "medium.loss": 0.1}, level="full")
    run.save(tmp_path / "run")
    again = motecast.load(tmp_path / "run")
    assert again.rows.equals(run.rows)
    assert again.events.equals(run.events)
    assert again.measures == run.measures
    assert again.digest == run.digest
    assert again.about["scenario"]["medium"]["loss"] == 0.1
    assert json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["seed"] == 7


def test_file_text_mapping_and_scenario_are_the_same_run() -> None:
    plain = {**PLAIN, "stack": "flood", "until": 10.0}
    scenario = scenario_of(plain)
    assert motecast.simulate(plain).digest == motecast.simulate(scenario).digest
    nameless = {key: value for key, value in plain.items() if key != "name"}
    assert motecast.simulate(nameless).about["name"] == "unnamed"
    assert motecast.simulate(str(FIELD), set=QUICK).digest == motecast.simulate(FIELD, set=QUICK).digest
    assert motecast.simulate(scenario, seed=3).digest == motecast.simulate(plain, seed=3).digest
    assert motecast.simulate(scenario, set={"until": 5.0}).about["until"] == 5.0


def test_a_level_that_there_is_not_is_told() -> None:
    with pytest.raises(ConfigError, match=r"^level = 'fulll': did you mean 'full'\? allowed: deliveries, full$"):
        motecast.simulate(PLAIN, level="fulll")


def test_progress_grows_up_to_the_end_and_the_run_is_the_same() -> None:
    told: list[float] = []
    scenario = scenario_of({**PLAIN, "workload": {"n": {"publish": {"every": 0.5}}, "sub": {"subscribe": {}}}})
    assert run(scenario, progress=told.append).about["digest"] == run(scenario).about["digest"]
    assert told == sorted(told)
    assert 50 < len(told) <= 201
    assert told[-1] > 58.0


def test_the_largest_state_ever_seen_is_in_the_trace_not_only_the_last() -> None:
    """While a number is missing others wait; at the end nothing does."""
    plain = {**HOSTILE, "stack": "flood-fifo", "protocol": {"flood-fifo": {"patience": 3.0}}, "faults": {}}
    plain["workload"] = {
        "sensor": {"publish": {"every": 0.5, "until": 30.0}},
        "subscriber": {"subscribe": {}},
    }
    world = World(deploy(scenario_of(plain)))
    trace = world.run()
    largest, limit = trace.about["bounds"]["Fifo.waiting"]
    assert 0 < largest <= limit == 1024
    assert all(not world.main.sizes(node)["Fifo.waiting"] for node in range(len(world.positions)))


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (
            lambda: motecast.simulate(None),
            "simulate(None): expected the path of a scenario file, or a mapping like one",
        ),
        (
            lambda: motecast.simulate(FIELD, set=["until=3"]),
            "set = ['until=3']: expected a mapping of dotted keys, such as {'medium.loss': 0.1}",
        ),
        (
            lambda: motecast.simulate(FIELD, set=QUICK).check("fifo"),
            "oracles 'fifo': expected a list of names: ['fifo']",
        ),
        (
            lambda: motecast.simulate(FIELD, set=QUICK).measures["delivery_rate"],
            "no measure 'delivery_rate'; did you mean 'delivery_ratio'? known: ",
        ),
    ],
)
def test_a_mistake_in_a_call_is_one_line(wrong: Callable[[], object], line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        wrong()
    assert str(caught.value).removeprefix(f"{FIELD}: ").startswith(line)
    assert "\n" not in str(caught.value)


def test_a_promise_that_no_oracle_judges_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gossip, "promises", ("integrty",))
    line = "stack 'gossip' promises 'integrty': no oracle 'integrty'; did you mean 'integrity'?"
    for refuse in (lambda: motecast.simulate(FIELD, set={**QUICK, "stack": "gossip"}), lambda: describe("gossip")):
        with pytest.raises(ConfigError) as caught:
            refuse()
        assert str(caught.value).startswith(line)
