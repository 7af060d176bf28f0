"""examples/ced.toml is the paper's Table 1 in the reading that reproduces its results; worlds of another program."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest

from motecast.check import measure
from motecast.check.bounds import Contacts, Plan, bound
from motecast.parts.cells import Grid
from motecast.sim import Deployment, deploy, read_scenario, run
from motecast.sim.planning import lattice_of
from tests.ced_worlds import DATA, SECOND, WORLDS, deployment_of, expected

GRID = Grid(200.0, 200.0, 15)


def worlds(count: int, *, first: int = 500) -> list[Deployment]:
    """Fields and walks of the example, one a seed."""
    return [deploy(read_scenario("examples/ced.toml", seed=seed)) for seed in range(first, first + count)]


def components(made: Deployment) -> list[int]:
    """For each sensor the smallest one that it can reach."""
    label = list(range(100))
    for start in range(100):
        if label[start] == start:
            waiting = [start]
            while waiting:
                for peer in made.links[waiting.pop()]:
                    if peer < 100 and label[peer] > start:
                        label[peer] = start
                        waiting.append(peer)
    return label


def contacts_while_moving(made: Deployment) -> Contacts:
    """Of sensors and subscribers, cut to the travels of these."""
    assert made.plan is not None
    rows = []
    for a, b, up, down in zip(*(getattr(made.plan, name).tolist() for name in ("a", "b", "up", "down")), strict=True):
        if a < 100 <= b:
            for travel in made.tracks[b].travels:
                since, until = max(up, travel.start), min(down, travel.end)
                if since < until:
                    rows.append((b - 100, a, since, until))
    return Contacts(*np.array(rows, dtype=np.int64).T)


def oracle(made: Deployment) -> Plan:
    """What the bounds depend on."""
    events = [(t, signal.event) for t, _, signal in made.script if hasattr(signal, "event")]
    wants = [signal.subscription for _, _, signal in made.script if hasattr(signal, "subscription")]
    ticks = np.array([t for t, _ in events])
    wanted = np.array([[want.matches(event) for want in wants] for _, event in events])
    sensors = np.array([event.id.publisher for _, event in events])
    return Plan(np.array(components(made)), contacts_while_moving(made), sensors, ticks, ticks + 2000 * SECOND, wanted)


def test_the_example_is_table_1() -> None:
    made = worlds(1)[0]
    assert (made.classes.count("sensor"), made.classes.count("subscriber")) == (100, 10)
    assert sorted(made.tracks) == list(range(100, 110))
    events = [signal.event for _, _, signal in made.script if hasattr(signal, "event")]
    assert len(events) == pytest.approx(7000, abs=300)
    assert all(event.expires == pytest.approx(event.when + 2000) and event.when <= 7000 for event in events)
    longest = max(
        np.hypot(*np.subtract(made.positions[a], made.positions[b])) for a in range(100) for b in made.links[a]
    )
    assert 26.0 < longest < 37.72


def test_links_are_those_of_near_cells_and_subscribers_do_not_hear_each_other() -> None:
    made = worlds(1)[0]
    cells = [GRID.cell(position) for position in made.positions]
    for node, peers in enumerate(made.links):
        near = [n for n in range(110) if n != node and Grid.are_near(cells[n], cells[node]) and min(n, node) < 100]
        assert list(peers) == near


@pytest.mark.slow
def test_fields_fall_apart_into_as_many_communities_as_the_specification_says() -> None:
    """200 fields: 8.6 communities, 3.4 loners, largest 44.5, mean community of a random sensor 28.8, degree 3.58."""
    seen = []
    for seed in range(1000, 1120):
        made = deploy(read_scenario("examples/ced.toml", {"until": 1.0, "workload": {}}, seed))
        sizes = np.bincount(components(made), minlength=100)
        sizes = sizes[sizes > 0]
        degree = sum(sum(peer < 100 for peer in made.links[node]) for node in range(100)) / 100
        seen.append((len(sizes[sizes > 1]), (sizes == 1).sum(), sizes.max(), (sizes**2).sum() / 100, degree))
    mean, error = np.mean(seen, axis=0), np.std(seen, axis=0) / np.sqrt(len(seen))
    wanted = np.array([8.6, 3.4, 44.5, 28.8, 3.58])
    assert (np.abs(mean - wanted) < 4 * error).all(), (mean, error)
    assert mean[4] == pytest.approx(3.58, abs=0.1)


@pytest.mark.slow
def test_direct_contact_alone_bounds_the_ratio_as_the_specification_says() -> None:
    """Bound D: .747 +- .005 and 567 +- 4 s; bound A: .923 +- .006 and 238 +- 15 s, each the mean of 60 runs."""
    found = [[bound(oracle(made), reach) for reach in ("direct", "community")] for made in worlds(6)]
    for index, (ratio, delay) in enumerate(((0.747, 567.0), (0.923, 238.0))):
        mine = [one[index] for one in found]
        assert np.mean([one.delivery_ratio for one in mine]) == pytest.approx(ratio, abs=0.035)
        assert np.mean([one.delay_mean for one in mine]) == pytest.approx(delay, rel=0.25)


# Worlds of another program


@pytest.mark.parametrize("world", WORLDS)
def test_subscribers_enter_every_cell_of_a_world_to_the_tick(world: int) -> None:
    made = deployment_of(world)
    lattice = lattice_of(made.scenario.field)
    assert lattice.counts == (15, 15)
    for row in pq.read_table(DATA / f"world-{world}" / "passages.parquet").to_pylist():
        track, cell = made.tracks[100 + row["subscriber"]], (row["cell_x"], row["cell_y"])
        begin, end = (round(row[name] * SECOND) for name in ("t_in", "t_out"))
        if end - begin > 8:
            for tick in (begin + 3, (begin + end) // 2, end - 3):
                assert GRID.cell(track.at(tick)) == cell, row
        moving = (begin + round(row["moving_until"] * SECOND)) // 2
        if row["moving_until"] * SECOND - begin > 8:
            assert track.travel(moving) is not None


@pytest.mark.parametrize("world", WORLDS)
def test_the_bounds_of_a_world_are_those_that_were_found(world: int) -> None:
    plan, found = oracle(deployment_of(world)), expected(world)
    assert (len(plan.when), int(plan.wanted.sum())) == (found["events"], found["expected_pairs"])
    assert bound(plan, "community").delivery_ratio == pytest.approx(found["bounds"]["no_carriers"], abs=2e-4)
    direct = bound(plan, "direct").delivery_ratio
    assert direct is not None
    assert found["dg"]["delivery_ratio"] <= direct < found["dg"]["delivery_ratio"] + 0.02


def test_a_world_runs_like_a_scenario() -> None:
    made = deployment_of(0, "tests.ced_worlds:silent", {"until": 600.0})
    trace = run(made, "full")
    measures = measure(trace)
    assert measures["published"] == sum(t <= 600 * SECOND for t, _, signal in made.script if hasattr(signal, "event"))
    assert (measures["delivered"], measures["energy_joules"]) == (0, 0.0)
    kinds = trace.rows["kind"].to_pylist()
    assert kinds.count("linkup") > 500
    assert kinds.count("move") > 500
