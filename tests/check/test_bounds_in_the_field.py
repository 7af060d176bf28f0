"""Runs of the simulator held against bounds that were computed from their contact plans by another program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from motecast.check import View
from motecast.check.bounds import REACHES, bound
from motecast.check.bounds_of_runs import Links, Travels, plan_of_run, too_early
from motecast.sim import deploy, read_scenario, run
from motecast.sim import plan as contacts
from motecast.sim.contacts import cell_contacts
from motecast.sim.crossings import Lattice
from motecast.sim.legs import Track
from motecast.sim.passages import read_passages
from motecast.sim.planning import BESIDES
from tests.check.ced_worlds import FOLDER, UNTIL, WORLDS, columns, plan_of, traced

EXAMPLE = Path(__file__).parents[2] / "examples" / "ced.toml"


def links_of(plan: contacts.Plan | None) -> Links:
    """A contact plan as the bounds want it."""
    assert plan is not None
    return Links(plan.a, plan.b, plan.up, plan.down)


def travels_of(tracks: Mapping[int, Track], until: float) -> Travels:
    """When which node moves, to the end of the run (s)."""
    rows = [(node, each.start, each.end) for node, track in tracks.items() for each in track.travels]
    travels = Travels(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)
    return travels._replace(until=np.minimum(travels.until, round(until * 1e6)))


@pytest.mark.parametrize("seed", [1, 2])
def test_flooding_delivers_nothing_before_an_epidemic_can(seed: int) -> None:
    scenario = read_scenario(EXAMPLE, set={"stack": "flood", "until": 300.0}, seed=seed)
    deployment, view = deploy(scenario), View(run(scenario))
    plan = plan_of_run(view, links_of(deployment.plan))
    assert len(view.deliveries.row) > 20
    assert too_early(view, plan, "epidemic") == []
    assert int(view.pairs.delivered.sum()) <= bound(plan, "epidemic").delivered
    assert too_early(view, plan, "direct"), "flooding goes through neighbours, so the check must find it"


def test_what_is_cut_to_travels_is_less() -> None:
    """Subscribers stand for a minute on average; who exchanges nothing then has a lower bound."""
    scenario = read_scenario(EXAMPLE, set={"stack": "flood", "until": 300.0}, seed=1)
    deployment, view = deploy(scenario), View(run(scenario))
    whole = bound(plan_of_run(view, links_of(deployment.plan)), "community")
    moving = bound(plan_of_run(view, links_of(deployment.plan), travels_of(deployment.tracks, 300.0)), "community")
    assert 0 < moving.delivered < whole.delivered


@pytest.mark.parametrize("world", WORLDS)
def test_an_imported_world_has_the_contacts_that_its_bounds_come_from(world: int) -> None:
    """Movement read from a file, contacts by the simulator's kernel, bounds by their own program: the prototype's."""
    side, sensors = 200 / 15, columns(world, "sensors")
    tracks = read_passages(FOLDER / f"world-{world}" / "passages.parquet", (200.0, 200.0), 15)
    moving = {100 + number: track for number, track in enumerate(tracks)}
    cells = zip(sensors["cell_x"].tolist(), sensors["cell_y"].tolist(), strict=True)
    positions = [*(((x + 0.5) * side, (y + 0.5) * side) for x, y in cells), *(track.home for track in tracks)]
    lattice, apart = Lattice(0.0, 0.0, (side, side), (15, 15)), [BESIDES] * 100 + [0] * 10
    plan = cell_contacts(positions, moving, lattice, UNTIL, apart)
    ours = plan_of_run(traced(world), links_of(plan), travels_of(moving, UNTIL / 1e6))
    for reach in REACHES:
        assert bound(ours, reach)[:3] == bound(plan_of(world), reach)[:3]
