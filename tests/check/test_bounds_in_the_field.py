"""Runs of the simulator held against bounds that were computed from their contact plans by another program."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motecast.check import View
from motecast.check.bounds import bound
from motecast.check.bounds_of_runs import Links, Travels, plan_of_run, too_early
from motecast.sim import Deployment, deploy, read_scenario, run

EXAMPLE = Path(__file__).parents[2] / "examples" / "ced.toml"


def links_of(deployment: Deployment) -> Links:
    """The contact plan of a field in which nodes move."""
    assert deployment.plan is not None
    return Links(deployment.plan.a, deployment.plan.b, deployment.plan.up, deployment.plan.down)


def travels_of(deployment: Deployment) -> Travels:
    """When which node moves."""
    rows = [(node, each.start, each.end) for node, track in deployment.tracks.items() for each in track.travels]
    return Travels(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


@pytest.mark.parametrize("seed", [1, 2])
def test_flooding_delivers_nothing_before_an_epidemic_can(seed: int) -> None:
    scenario = read_scenario(EXAMPLE, set={"stack": "flood", "until": 300.0}, seed=seed)
    deployment, view = deploy(scenario), View(run(scenario))
    plan = plan_of_run(view, links_of(deployment))
    assert len(view.deliveries.row) > 20
    assert too_early(view, plan, "epidemic") == []
    assert int(view.pairs.delivered.sum()) <= bound(plan, "epidemic").delivered
    assert too_early(view, plan, "direct"), "flooding goes through neighbours, so the check must find it"


def test_what_is_cut_to_travels_is_less() -> None:
    """Subscribers stand for a minute on average; who exchanges nothing then has a lower bound."""
    scenario = read_scenario(EXAMPLE, set={"stack": "flood", "until": 300.0}, seed=1)
    deployment, view = deploy(scenario), View(run(scenario))
    whole = bound(plan_of_run(view, links_of(deployment)), "community")
    moving = bound(plan_of_run(view, links_of(deployment), travels_of(deployment)), "community")
    assert 0 < moving.delivered < whole.delivered
