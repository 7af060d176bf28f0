"""The same seed is the same run: in every process, at every level, for every stack; and stacks share one world."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from motecast.sim import deploy, run, scenario_of
from motecast.stacks import STACKS
from motecast.trace import Trace
from tests.sim.hostile import HOSTILE, digest

ROOT = Path(__file__).parents[2]


def elsewhere(hash_seed: str, level: str) -> dict[str, str]:
    """The digests of all stacks in another process."""
    words = [sys.executable, "-m", "tests.sim.hostile", level]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(words, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    return {line.split()[0]: line.split()[2] for line in done.stdout.splitlines()}


@pytest.mark.slow
def test_a_run_has_one_digest_across_hash_seeds_processes_and_levels() -> None:
    here = {stack: digest(stack) for stack in STACKS}
    assert elsewhere("0", "deliveries") == here
    assert elsewhere("4242", "full") == here


READ_AND_RUN = """
import pickle, sys
from motecast.sim import run
print(run(pickle.load(sys.stdin.buffer)).about["digest"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("moves", [{}, {"mobility": {"kind": "waypoint"}}], ids=["still", "moving"])
def test_a_deployment_that_is_written_down_is_the_same_run_in_another_process(moves: dict[str, object]) -> None:
    """A sweep sends deployments to its workers."""
    deployed = deploy(
        scenario_of(
            {**HOSTILE, "stack": "flood-fifo", "nodes": {n: {**c, **moves} for n, c in HOSTILE["nodes"].items()}}
        )
    )
    words = [sys.executable, "-c", READ_AND_RUN]
    done = subprocess.run(words, cwd=ROOT, input=pickle.dumps(deployed), check=True, capture_output=True)
    assert done.stdout.decode().strip() == run(deployed).about["digest"]


@pytest.mark.parametrize("stack", sorted(STACKS))
def test_a_run_repeats_itself_and_another_seed_is_another_run(stack: str) -> None:
    first = digest(stack)
    assert digest(stack) == first
    assert digest(stack, seed=2) != first


def test_the_hostile_field_is_not_vacuous() -> None:
    trace = run(scenario_of({**HOSTILE, "stack": "flood"}), "full")
    found = trace.rows["kind"].combine_chunks().dictionary_decode().to_pylist()
    for kind in ("deliver", "duplicate", "lose", "crash", "recover", "linkup", "linkdown", "start"):
        assert found.count(kind) > 5, kind
    assert {"Ack", "Beacon", "Flooded"} >= set(trace.totals["message"].to_pylist()) >= {"Beacon", "Flooded"}


def world_of(stack: str) -> tuple[object, ...]:
    deployed = deploy(scenario_of({**HOSTILE, "stack": stack}))
    return deployed.positions, deployed.classes, deployed.links, deployed.script


@pytest.mark.parametrize("stack", sorted(STACKS))
def test_every_stack_meets_the_same_field_and_the_same_applications(stack: str) -> None:
    assert world_of(stack) == world_of("flood")


def transmissions(trace: Trace) -> list[tuple[object, ...]]:
    """What was in the air and who heard it, without sizes: the layer above stamps its events."""
    kinds = ("broadcast", "send", "receive", "lose", "crash", "recover", "linkup", "linkdown")
    columns = ("t", "node", "kind", "peer", "publisher", "number")
    rows = trace.rows.select(list(columns)).to_pylist()
    return [tuple(row[name] for name in columns) for row in rows if row["kind"] in kinds]


def test_a_layer_on_top_changes_nobodys_dice() -> None:
    """Field, workload, faults, losses and latencies are the same with fifo on flooding and without."""
    medium = {"kind": "disk", "range": 22.0, "loss": 0.2, "latency": [0.0, 0.01], "links": "beacons"}
    plain = {**HOSTILE, "medium": medium}
    flood = run(scenario_of({**plain, "stack": "flood"}), "full")
    fifo = run(scenario_of({**plain, "stack": "flood-fifo"}), "full")
    assert transmissions(flood) == transmissions(fifo)
    assert len(transmissions(flood)) > 2000
    assert fifo.about["digest"] != flood.about["digest"]


@pytest.mark.parametrize("stack", sorted(STACKS))
def test_totals_equal_the_sums_of_full_rows_for_every_stack(stack: str) -> None:
    scenario = scenario_of({**HOSTILE, "stack": stack})
    full = run(scenario, "full")
    sums: dict[tuple[object, ...], list[int]] = {}
    for row in full.rows.to_pylist():
        if row["kind"] in ("send", "broadcast"):
            total = sums.setdefault((row["node"], row["kind"], row["message"], row["payload"] > 0), [0, 0, 0, 0])
            for place, value in enumerate((1, row["size"], row["payload"], row["metadata"])):
                total[place] += value
    rows = [tuple(row.values()) for row in full.totals.to_pylist()]
    assert {(*row[:3], row[5] > 0): list(row[3:]) for row in rows} == sums
    assert run(scenario).totals.equals(full.totals)
