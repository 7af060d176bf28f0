"""One run, from a scenario to a trace."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motecast.check import Run
from motecast.core import ConfigError
from motecast.sim.deploy import Deployment, deploy
from motecast.sim.read import plain_of, read_scenario, scenario_of
from motecast.sim.scenario import Scenario
from motecast.sim.tables import chosen_from, shown
from motecast.sim.world import Progress, World
from motecast.trace import LEVELS

if TYPE_CHECKING:
    from motecast.trace import Trace


def run(scenario: Scenario | Deployment, level: str = "deliveries", progress: Progress | None = None) -> Trace:
    """Runs it; `progress` is told the virtual seconds that have passed."""
    check_level(level)
    deployment = scenario if isinstance(scenario, Deployment) else deploy(scenario)
    return World(deployment, level).run(progress)


def check_level(level: str) -> None:
    """Raises `ConfigError` for a level that there is not."""
    if level not in LEVELS:
        raise ConfigError(f"level = {chosen_from(level, LEVELS)}")


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
            resolved = scenario_of(plain_of(scenario), scenario.folder, set, seed)
        case str() | Path():
            resolved = read_scenario(scenario, set, seed)
        case Mapping():
            resolved = scenario_of({"name": "unnamed", **scenario}, ".", set, seed)
        case _:
            raise ConfigError(
                f"simulate({shown(scenario)}): expected the path of a scenario file, or a mapping like one"
            )
    return Run(run(resolved, level))
