"""The deterministic world: a scenario is deployed and run in virtual time, and leaves a trace."""

from __future__ import annotations

from motecast.sim.checks import unread
from motecast.sim.deploy import Deployment, deploy
from motecast.sim.read import parse_setting, plain_of, read_scenario, scenario_of
from motecast.sim.run import check_level, run, simulate
from motecast.sim.scenario import Scenario
from motecast.sim.world import World

__all__ = [
    "Deployment",
    "Scenario",
    "World",
    "check_level",
    "deploy",
    "parse_setting",
    "plain_of",
    "read_scenario",
    "run",
    "scenario_of",
    "simulate",
    "unread",
]
