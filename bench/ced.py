"""What one run of the paper's scenario costs, of exactly what `motecast sim examples/ced.toml` runs, on one core.

    python bench/ced.py [--quick] [--json FILE]

CPU seconds of this process for a run of 7,200 s: reading the scenario, deploying it, running it with energy and
matching, and all measures; means of ten seeds (--quick: of one). Machines differ, so CED is also held to the cost of
one event of a bare heapq loop, a flood without layers and trace, measured before and after the runs.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

if __package__ in (None, ""):  # run as a file
    sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._peers import heap_of_tuples
from bench.kernel import Target, deployment, publications, show
from motecast.check import measure
from motecast.sim import read_scenario, run

SCENARIO = Path(__file__).parent.parent / "examples" / "ced.toml"
SEEDS = range(1, 11)
STACKS = {"dg": 0.35, "ced": 3.0}  # s; the most that a run may take
FLOODS = 20  # of 1,000 nodes: 200,000 entries of the heap


class Cost(NamedTuple):
    """One run."""

    cpu: float  # s
    transmissions: int  # of all kinds and nodes
    ratio: float  # delivery_ratio: that it is the real thing


def cost_of(stack: str, seed: int) -> Cost:
    """One run, from the file to the measures."""
    gc.collect()
    before = time.process_time()
    trace = run(read_scenario(SCENARIO, {"stack": stack}, seed))
    measures = measure(trace)
    spent = time.process_time() - before
    frames = sum(row["count"] for row in trace.totals.to_pylist() if row["kind"] != "energy")
    return Cost(spent, frames, float(measures["delivery_ratio"] or 0.0))


def heapq_event() -> float:
    """CPU seconds that one entry of a bare heapq loop takes, the better of two rounds."""
    links, begins = deployment(1_000, FLOODS).links, publications(1_000, FLOODS)

    def timed() -> float:
        gc.collect()
        before = time.process_time()
        made = heap_of_tuples(links, begins)
        return (time.process_time() - before) / made

    return min(timed(), timed())


def targets_of(found: dict[str, list[Cost]], event: float) -> Iterator[Target]:
    """What the runs have to show."""
    for stack, most in STACKS.items():
        yield Target(f"{stack}: CPU s a run", fmean(cost.cpu for cost in found[stack]), most=most)
    share = sum(cost.cpu for cost in found["ced"]) / sum(cost.transmissions for cost in found["ced"]) / event
    yield Target("ced: CPU a transmission / one event of a heapq loop", share, most=1.5)


def main() -> int:
    """Measures, prints, and returns 1 if a target is missed."""
    parser = argparse.ArgumentParser(description="One run of the paper's scenario, and a bare heapq loop beside it.")
    parser.add_argument("--quick", action="store_true", help="one seed instead of ten, and nothing is judged")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there")
    options = parser.parse_args()
    seeds = SEEDS[:1] if options.quick else SEEDS
    event = heapq_event()
    found = {stack: [cost_of(stack, seed) for seed in seeds] for stack in STACKS}
    event = min(event, heapq_event())
    lines = [
        [stack, *(f"{fmean(column):,.3f}" for column in zip(*costs, strict=True))] for stack, costs in found.items()
    ]
    show("Means of a run: CPU s, transmissions, delivery ratio", lines)
    targets = list(targets_of(found, event))
    show("Targets" + (" (not judged: a quick look)" if options.quick else ""), [target.line() for target in targets])
    if options.json:
        written = {
            "quick": options.quick,
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "heapq_event": event,
            "runs": {stack: [cost._asdict() for cost in costs] for stack, costs in found.items()},
            "targets": [{**dataclasses.asdict(target), "holds": target.holds} for target in targets],
        }
        options.json.write_text(json.dumps(written, indent=1) + "\n")
    return 0 if options.quick or all(target.holds for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
