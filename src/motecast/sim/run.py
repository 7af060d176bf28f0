"""One run, from a scenario to a trace."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motecast.check import Run
from motecast.sim.deploy import Deployment, deploy
from motecast.sim.read import read_scenario, scenario_of
from motecast.sim.scenario import Scenario
from motecast.sim.world import Progress, World

if TYPE_CHECKING:
    from motecast.trace import Trace


def run(scenario: Scenario | Deployment, level: str = "deliveries", progress: Progress | None = None) -> Trace:
    """Runs it; `progress` is told the virtual seconds that have passed."""
    deployment = scenario if isinstance(scenario, Deployment) else deploy(scenario)
    return World(deployment, level).run(progress)


def simulate(
    scenario: str | Path | Mapping[str, Any] | Scenario,
    *,
    seed: int | None = None,
    set: Mapping[str, object] | None = None,  # noqa: A002  # as the command line's option is called
    level: str = "deliveries",
) -> Run:
    """Runs a scenario file, or a mapping of the same form, and returns the run with its measures."""
    match scenario:
        case Scenario():
            return Run(run(scenario, level))
        case str() | Path():
            return Run(run(read_scenario(scenario, set, seed), level))
        case _:
            return Run(run(scenario_of({"name": "unnamed", **scenario}, ".", set, seed), level))
