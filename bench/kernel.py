"""How fast the simulator's kernel is, in one run and on the same work as its peers, and what memory and start cost.

    python bench/kernel.py [--quick] [--no-memory] [--json FILE]

Work: floods over a random directed overlay of out-degree 10, latencies of up to 0.1 s, every node subscribed to
everything, all floods at once, and as many as make a million receptions. motecast runs in slots of 1 ms, and one of
its transmissions is heard by all hearers after one latency. The peers draw a latency for every copy, in microseconds:
a heap has nothing from slots and from transmissions. The line "heap of tuples, slotted" shows how little slots help it.

Rates are receptions a CPU second of the process, the best of interleaved rounds. Making nodes and links is not counted,
for nobody; making motecast's trace tables is.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

if __package__ in (None, ""):  # run as a file
    sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._peers import Publications, heap_of_tuples, simpy_callbacks
from motecast import sim
from motecast.core import Context, Event, EventId, Layer, Notify, Publish, PubSub, Stack, asked, told
from motecast.protocols.plain import Fifo, Flood

DEGREE = 10
RECEPTIONS = 1_000_000
SLOT = 1000  # µs
BEGIN = 10  # slot of the publications
GIBIBYTE = 1 << 30
CROWD = 100_000  # nodes of the memory measurement
CROWD_FLOODS = 8  # events that reach all of them: eight million receptions


@dataclass
class Through(Layer):
    """A layer that only passes on: what layering itself costs."""

    above = PubSub
    below = PubSub

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        ctx.down(publish)

    @told(Notify)
    def notify(self, ctx: Context, notify: Notify) -> None:
        ctx.up(notify)


STACKS = {
    "flood": lambda: Stack(Flood()),
    "through/flood": lambda: Stack(Through(), Flood()),
    "fifo/flood": lambda: Stack(Fifo(), Flood()),
}


@dataclass
class Target:
    """A number that has to be reached."""

    name: str
    value: float
    least: float | None = None
    most: float | None = None

    @property
    def holds(self) -> bool:
        """True when it is."""
        return (self.least is None or self.value >= self.least) and (self.most is None or self.value <= self.most)

    def line(self) -> list[str]:
        """For the table."""
        bound = f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}"
        return [self.name, f"{self.value:.2f}", bound, "holds" if self.holds else "MISSED"]


def deployment(nodes: int, floods: int) -> sim.Deployment:
    """The field, and what is published in it, at whole slots."""
    scenario = {
        "name": "kernel",
        "stack": "flood",
        "seed": 1,
        "until": 10.0,
        "nodes": {"node": {"count": nodes}},
        "medium": {
            "kind": "graph",
            "generator": "random",
            "degree": DEGREE,
            "directed": True,
            "latency": [0.001, 0.1],
            "slot": 0.001,
        },
        "workload": {"node": {"subscribe": {"topics": ["#"]}}},
    }
    deployed = sim.deploy(sim.scenario_of(scenario))
    script = list(deployed.script)
    for index, (slot, node) in enumerate(publications(nodes, floods)):
        event = Event(EventId(node, index // nodes + 1), ("field",), {"value": float(index)}, slot * SLOT / 1e6)
        script.append((slot * SLOT, node, Publish(event)))
    return dataclasses.replace(deployed, script=script)


def publications(nodes: int, floods: int) -> Publications:
    """(slot, node) of each flood's beginning."""
    return [(BEGIN, index * 7919 % nodes) for index in range(floods)]


def motecast(deployed: sim.Deployment, stack: str, level: str) -> Callable[[], int]:
    """A run that is ready to begin; it returns the receptions, counted in its trace."""
    world = sim.World(dataclasses.replace(deployed, stack=STACKS[stack]()), level)

    def run() -> int:
        rows = world.run().rows
        counts = {pair["values"]: pair["counts"] for pair in rows["kind"].value_counts().to_pylist()}
        return int(counts["deliver"] - counts["publish"] + counts["duplicate"])

    return run


def timed(work: Callable[[], int]) -> tuple[int, float]:
    """How many receptions a piece of work made, and its CPU seconds."""
    gc.collect()
    before = time.process_time()
    made = work()
    return made, time.process_time() - before


def rates(nodes: int, receptions: int, rounds: int) -> dict[str, float]:
    """Receptions a CPU second of every contestant, the best of interleaved rounds."""
    floods = max(1, receptions // (nodes * DEGREE))
    deployed, begins = deployment(nodes, floods), publications(nodes, floods)
    contestants: dict[str, Callable[[], Callable[[], int]]] = {
        "SimPy callbacks": lambda: lambda: simpy_callbacks(deployed.links, begins),
        "heap of tuples": lambda: lambda: heap_of_tuples(deployed.links, begins),
        "heap of tuples, slotted": lambda: lambda: heap_of_tuples(deployed.links, begins, unit=1),
    }
    for stack in STACKS:
        contestants[f"{stack}, deliveries"] = partial(motecast, deployed, stack, "deliveries")
    contestants["flood, full"] = partial(motecast, deployed, "flood", "full")
    best: dict[str, float] = {}
    expected = None
    for _ in range(rounds):
        for name, prepare in contestants.items():
            made, spent = timed(prepare())
            expected = expected or made
            assert made == expected, (
                f"{name} made {made} receptions, the first contestant {expected}: not the same work"
            )
            best[name] = max(best.get(name, 0.0), made / spent)
    return best


def targets_of(nodes: int, found: dict[str, float], over_simpy: float, over_heap: float) -> Iterator[Target]:
    """What the rates of one size have to show."""
    flood = found["flood, deliveries"]
    size = f"{nodes:,} nodes:"
    yield Target(f"{size} times SimPy callbacks", flood / found["SimPy callbacks"], least=over_simpy)
    yield Target(f"{size} times the heap of tuples", flood / found["heap of tuples"], least=over_heap)
    for stack in ("through/flood", "fifo/flood"):
        yield Target(f"{size} cost of {stack} over flood", flood / found[f"{stack}, deliveries"], most=1.4)
    yield Target(f"{size} rate at level full", found["flood, full"] / flood, least=0.6)


def memory() -> float:
    """GiB at the most that 100,000 nodes with eight floods take, trace included, in a process of their own."""
    done = subprocess.run([sys.executable, __file__, "--crowd"], check=True, capture_output=True, text=True)
    return float(done.stdout) / GIBIBYTE


def crowd() -> int:
    """Bytes that this process has had at the most after flooding the crowd."""
    deployed = deployment(CROWD, CROWD_FLOODS)
    made = motecast(deployed, "flood", "deliveries")()
    assert made > 0.99 * CROWD * DEGREE * CROWD_FLOODS, made  # a node or two may be heard by nobody
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def start_up(*command: str) -> float:
    """Seconds until a command has answered, the best of five."""

    def once() -> float:
        before = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - before

    return min(once() for _ in range(5))


def show(title: str, lines: list[list[str]]) -> None:
    """A table; the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print(f"\n{title}")
    for first, *others in lines:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        print("  ".join([first.ljust(widths[0]), *cells]))


def measured(options: argparse.Namespace) -> tuple[dict[str, object], list[Target]]:
    """All numbers, and what they have to be."""
    scale, rounds = (10, 2) if options.quick else (1, options.rounds)
    found: dict[str, object] = {"quick": options.quick, "python": platform.python_version(), "cores": os.cpu_count()}
    targets: list[Target] = []
    for nodes, over_simpy, over_heap in ((1_000, 12.0, 5.0), (10_000, 6.0, 3.5)):
        speeds = rates(nodes, RECEPTIONS // scale, rounds)
        found[f"rates_{nodes}"] = speeds
        base = speeds["flood, deliveries"]
        lines = [
            [name, f"{rate / 1e6:.3f} M/s", f"{1e9 / rate:,.0f} ns", f"{rate / base:.2f}"]
            for name, rate in speeds.items()
        ]
        show(f"{nodes:,} nodes: receptions a CPU second, CPU a reception, relative", lines)
        targets += targets_of(nodes, speeds, over_simpy, over_heap)
    if options.memory:
        found["memory_gib"] = memory()
        targets.append(Target(f"{CROWD:,} nodes, {CROWD_FLOODS} floods: GiB", found["memory_gib"], most=1.5))
    command = str(Path(sys.executable).with_name("motecast"))
    found["start_python"], found["start_help"] = start_up(sys.executable, "-c", "pass"), start_up(command, "--help")
    targets.append(Target("motecast --help, seconds", found["start_help"], most=0.3))
    targets.append(Target("  of which python -c pass", found["start_python"], most=0.3))
    return found, targets


def main() -> int:
    """Measures, prints, and returns 1 if a target is missed."""
    parser = argparse.ArgumentParser(description="The kernel against its peers, on the same work in one run.")
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the work, for a first look; fixed costs weigh more"
    )
    parser.add_argument(
        "--memory",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="100,000 nodes in a process of their own, half a minute",
    )
    parser.add_argument("--rounds", type=int, default=5, help="of which the best counts")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there")
    parser.add_argument("--crowd", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.crowd:
        print(crowd())
        return 0
    found, targets = measured(options)
    show("Targets" + (" (not judged: a quick look)" if options.quick else ""), [target.line() for target in targets])
    if options.json:
        found["targets"] = [{**dataclasses.asdict(target), "holds": target.holds} for target in targets]
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0 if options.quick or all(target.holds for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
