"""What it costs to ask a filter, beside the same condition written by hand and the plain interpreter, in one run.

    python bench/filters.py [--quick] [--json FILE]

Work: a filter is asked of 1,000 events of which about a third match. "By hand" is what a programmer writes who trusts
the events; "by hand, as careful" also treats missing values and values of other kinds as the filter does. Times are CPU
nanoseconds an evaluation, the best of interleaved rounds, the loop over the events shown apart.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from motecast.filters import Event, Filter, assumed_columns, boxes, covers, evaluate, parse, sql_text

TWO_CLAUSES = "temp > 20 AND kind IN ('smoke', 'heat')"
OTHERS = (
    "temp > 20",
    "temp > 20 OR muted",
    "temp BETWEEN 5 AND 25 AND humidity < 0.4 AND NOT muted",
    "within(50, 50, 30)",
    "kind LIKE 's%k%'",
    "weather.wind > 3 AND temp > 20",
)
EVENTS = 1000
TARGET_NS = 500.0

Asked = Callable[[Event], object]


def by_hand(event: Event) -> bool:
    """The two clauses, for events that are known to be complete and well-typed."""
    return event["temp"] > 20 and event["kind"] in ("smoke", "heat")


def by_hand_as_careful(event: Event) -> bool:
    """The two clauses, with the filter's rules for missing values and other kinds."""
    temp, kind = event.get("temp"), event.get("kind")
    is_number = isinstance(temp, int | float) and not isinstance(temp, bool)
    return is_number and temp > 20 and isinstance(kind, str) and kind in ("smoke", "heat")


def nothing(event: Event) -> None:
    """What the loop itself costs, with the call."""


def field_of_events() -> list[Event]:
    """Complete, well-typed events, the same at every run."""
    dice = random.Random(1)
    return [
        {
            "temp": dice.uniform(0, 40),
            "kind": dice.choice(["smoke", "heat", "light"]),
            "humidity": dice.random(),
            "muted": dice.random() < 0.1,
            "x": dice.uniform(0, 100),
            "y": dice.uniform(0, 100),
            "weather": {"wind": dice.uniform(0, 10)},
        }
        for _ in range(EVENTS)
    ]


def nanoseconds(asked: Asked, events: list[Event], repeats: int) -> float:
    """CPU time of one evaluation."""
    before = time.process_time_ns()
    for _ in range(repeats):
        for event in events:
            asked(event)
    return (time.process_time_ns() - before) / (repeats * len(events))


def best_of(contestants: dict[str, Asked], rounds: int, repeats: int) -> dict[str, float]:
    """Nanoseconds of every contestant, taken in turns so that a busy machine is unkind to all."""
    events = field_of_events()
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, asked in contestants.items():
            # The interpreter is slow; a tenth of the work tells as much.
            best[name] = min(
                best[name], nanoseconds(asked, events, max(1, repeats // (10 if "interpreter" in name else 1)))
            )
    return best


def evaluation(rounds: int, repeats: int) -> dict[str, float]:
    """The two-clause filter against its peers; all of them must give the same answers first."""
    tree = parse(TWO_CLAUSES)
    contestants: dict[str, Asked] = {
        "loop": nothing,
        "closure": Filter(TWO_CLAUSES).matches,
        "by hand": by_hand,
        "by hand, as careful": by_hand_as_careful,
        "interpreter": lambda event: evaluate(tree, event) is True,
        "boxes (interpreter)": boxes(tree).matches,
    }
    for event in field_of_events():
        answers = {name: asked(event) for name, asked in contestants.items() if name != "loop"}
        assert len(set(answers.values())) == 1, (event, answers)
    return best_of(contestants, rounds, repeats)


def once(work: Callable[[], object], repeats: int) -> float:
    """Microseconds of CPU that something takes which is done once a filter."""
    before = time.process_time_ns()
    for _ in range(repeats):
        work()
    return (time.process_time_ns() - before) / repeats / 1000


def making() -> dict[str, float]:
    """What becoming a filter costs, in microseconds; nothing is cached but Lark's tables."""
    tree, wide = parse(TWO_CLAUSES), parse("temp > 10")
    works: dict[str, Callable[[], object]] = {
        "parse": partial(parse.__wrapped__, TWO_CLAUSES),
        "boxes": lambda: boxes(tree),
        "covers": lambda: covers(wide, tree),
        "SQL text": lambda: sql_text(tree, assumed_columns(tree)),
    }
    return {name: min(once(work, 200) for _ in range(3)) for name, work in works.items()}


def main() -> int:
    """Measures, prints, and returns 1 if the target is missed."""
    parser = argparse.ArgumentParser(description="Filters against conditions written by hand, in one run.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work: numbers for a first look")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there")
    options = parser.parse_args()
    rounds, repeats = (3, 20) if options.quick else (9, 100)
    two = evaluation(rounds, repeats)
    others = best_of({where: Filter(where).matches for where in OTHERS}, rounds, repeats)
    found = {
        "python": platform.python_version(),
        "quick": options.quick,
        "filter": TWO_CLAUSES,
        "evaluation_ns": two,
        "other_filters_ns": others,
        "making_us": making(),
        "target_ns": TARGET_NS,
        "over_by_hand": two["closure"] / two["by hand"],
        "holds": two["closure"] <= TARGET_NS,
    }
    show(found)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0 if found["holds"] else 1


def show(found: dict[str, object]) -> None:
    """The numbers as three short tables."""
    for title, name, unit in (
        (f"{TWO_CLAUSES}: CPU an evaluation", "evaluation_ns", "ns"),
        ("Other filters, as closures", "other_filters_ns", "ns"),
        ("Once a filter", "making_us", "µs"),
    ):
        print(f"\n{title}")
        for what, value in found[name].items():
            print(f"  {what:<56}{value:>9,.0f} {unit}")
    word = "holds" if found["holds"] else "MISSED"
    print(
        f"\nTarget: closure, loop included, at most {TARGET_NS:g} ns: {word}; {found['over_by_hand']:.2f} times by hand"
    )


if __name__ == "__main__":
    sys.exit(main())
