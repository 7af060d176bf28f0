"""Contacts and crossings are exact to the tick: held against looking at single ticks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.core import Leg, Position
from motecast.parts.cells import Grid
from motecast.sim import deploy, read_scenario
from motecast.sim.contacts import cell_contacts, disk_contacts
from motecast.sim.crossings import Lattice, pieces_of, stays_of
from motecast.sim.legs import Track, Travel, track_through
from motecast.sim.links import disk
from motecast.sim.plan import Plan, plan_from
from motecast.sim.planning import plan_of
from tests.sim.moves import PLACES, SECOND, SIDE, UNTIL, tracks

GRID = Grid(SIDE, SIDE, 6)
LATTICE = Lattice(0.0, 0.0, (10.0, 10.0), (6, 6))
FIELDS = st.lists(st.one_of(tracks(), PLACES), min_size=2, max_size=5)
Moment = Callable[[int], Position]


def moments(field: Sequence[Track | Position]) -> list[Moment]:
    """For each node where it is at a tick."""
    return [node.at if isinstance(node, Track) else (lambda _tick, place=node: place) for node in field]


def split(field: Sequence[Track | Position]) -> tuple[list[Position], dict[int, Track]]:
    """As deployments have it."""
    found = {number: node for number, node in enumerate(field) if isinstance(node, Track)}
    return [node.home if isinstance(node, Track) else node for node in field], found


def ticks_of(plan: Plan, rng: Random) -> list[int]:
    """Where mistakes would show: at every change and beside it, at both ends, and anywhere."""
    edges = {tick + step for tick in (*plan.up.tolist(), *plan.down.tolist()) for step in (-1, 0, 1)}
    anywhere = {rng.randint(0, UNTIL) for _ in range(30)}
    return sorted(tick for tick in edges | anywhere | {0, UNTIL} if 0 <= tick <= UNTIL)


def pairs_at(plan: Plan, tick: int) -> set[tuple[int, int]]:
    """Who is in contact then."""
    is_up = (plan.up <= tick) & (tick < plan.down)
    return set(zip(plan.a[is_up].tolist(), plan.b[is_up].tolist(), strict=True))


@given(FIELDS, st.randoms(use_true_random=False))
def test_nodes_of_near_cells_are_in_contact_at_every_tick_and_no_others_are(
    field: list[Track | Position], rng: Random
) -> None:
    plan, at = cell_contacts(*split(field), LATTICE, UNTIL), moments(field)
    for tick in ticks_of(plan, rng):
        cells = [GRID.cell(place(tick)) for place in at]
        near = {(a, b) for b in range(len(at)) for a in range(b) if Grid.are_near(cells[a], cells[b])}
        assert pairs_at(plan, tick) == near, tick


@given(FIELDS, st.sampled_from([10.0, 0.5, 33.0]), st.randoms(use_true_random=False))
def test_nodes_within_reach_are_in_contact_at_every_tick_and_no_others_are(
    field: list[Track | Position], reach: float, rng: Random
) -> None:
    plan, at = disk_contacts(*split(field), reach, UNTIL), moments(field)
    for tick in ticks_of(plan, rng):
        places, found = [place(tick) for place in at], pairs_at(plan, tick)
        for b in range(len(at)):
            for a in range(b):
                distance = math.dist(places[a], places[b])
                if abs(distance - reach) > 1e-6:  # beyond what rounding, or half a tick of travel, can move
                    speed = fastest(field, a) + fastest(field, b)
                    sure = abs(distance - reach) > speed * 2e-6
                    assert not sure or ((a, b) in found) == (distance < reach), (tick, a, b, distance)


def fastest(field: Sequence[Track | Position], node: int) -> float:
    """Metres a second."""
    track = field[node]
    return max((travel.speed for travel in track.travels), default=0.0) if isinstance(track, Track) else 0.0


@given(FIELDS)
def test_contacts_of_a_pair_neither_touch_nor_overlap_and_are_in_order(field: list[Track | Position]) -> None:
    for plan in (cell_contacts(*split(field), LATTICE, UNTIL), disk_contacts(*split(field), 15.0, UNTIL)):
        rows = list(zip(plan.up.tolist(), plan.a.tolist(), plan.b.tolist(), plan.down.tolist(), strict=True))
        assert rows == sorted(rows)
        assert all(a < b and up < down <= UNTIL + 1 for up, a, b, down in rows)
        for pair in {row[1:3] for row in rows}:
            mine = [(up, down) for up, a, b, down in rows if (a, b) == pair]
            assert all(one[1] < other[0] for one, other in pairwise(mine))


@given(st.lists(PLACES, min_size=2, max_size=12))
def test_nodes_that_stand_have_the_links_of_a_static_field(places: list[Position]) -> None:
    assert disk_contacts(places, {}, 20.0, UNTIL).links() == disk(places, 20.0)


@given(FIELDS, st.randoms(use_true_random=False))
def test_a_permutation_of_the_nodes_changes_nothing_but_their_numbers(
    field: list[Track | Position], rng: Random
) -> None:
    order = list(range(len(field)))
    rng.shuffle(order)
    moved = [field[node] for node in order]
    plan, other = cell_contacts(*split(field), LATTICE, UNTIL), cell_contacts(*split(moved), LATTICE, UNTIL)
    renamed = [
        (order[a], order[b], up, down)
        for a, b, up, down in zip(
            other.a.tolist(), other.b.tolist(), other.up.tolist(), other.down.tolist(), strict=True
        )
    ]
    assert plan_from(renamed, len(field), UNTIL) == plan


@given(FIELDS)
def test_nodes_that_are_apart_never_hear_their_like(field: list[Track | Position]) -> None:
    whole = cell_contacts(*split(field), LATTICE, UNTIL)
    for apart in ([number % 2 - 1 for number in range(len(field))], [0 if isinstance(n, Track) else -1 for n in field]):
        plan = cell_contacts(*split(field), LATTICE, UNTIL, apart)
        kept = [apart[a] < 0 or apart[a] != apart[b] for a, b in zip(whole.a, whole.b, strict=True)]
        for name in ("a", "b", "up", "down"):
            assert np.array_equal(getattr(plan, name), getattr(whole, name)[kept])


# W1 and W2: cells and the ways through them


@given(tracks(), st.randoms(use_true_random=False))
def test_stays_tile_each_piece_share_sides_and_hold_the_node_at_every_tick(track: Track, rng: Random) -> None:
    pieces = pieces_of([track.home], {0: track}, UNTIL)
    stays = stays_of(pieces, LATTICE)
    columns = [column.tolist() for column in stays]
    rows = list(zip(*columns, strict=True))
    for one, other in pairwise(rows):
        assert one[4] == other[3]
        if one[0] == other[0]:
            assert abs(one[1] - other[1]) + abs(one[2] - other[2]) == 1
    assert (rows[0][3], rows[-1][4]) == (0, max(UNTIL, pieces.end.max()))
    for _, column, row, enters, leaves in rows:
        if enters < leaves:
            for tick in (enters, leaves - 1, rng.randrange(enters, leaves)):
                assert GRID.cell(track.at(tick)) == (column, row)


@given(PLACES, PLACES, st.integers(SECOND, 50 * SECOND))
def test_the_cells_that_a_layer_computes_from_a_leg_are_those_of_the_field(
    origin: Position, to: Position, lasts: int
) -> None:
    leg = Leg(0.0, origin, to, math.dist(origin, to) / lasts * SECOND, lasts / SECOND)
    passages = GRID.passages(leg)
    assert (passages[0].enters, passages[-1].leaves) == (0.0, leg.arrival)
    stays = stays_of(pieces_of([origin], {0: Track(origin, [Travel(0, lasts, origin, to)])}, lasts), LATTICE)
    for cell in {passage.cell for passage in passages}:
        there = (stays.column == cell[0]) & (stays.row == cell[1])
        mine = [passage for passage in passages if passage.cell == cell]
        [duration] = [sum(passage.leaves - passage.enters for passage in mine)]
        assert duration == pytest.approx((stays.leaves - stays.enters)[there].sum() / SECOND, abs=1e-5)


def ways(points: list[tuple[int, Position]]) -> list[tuple[tuple[int, int], float, float]]:
    """The stays of a track that last."""
    track = track_through(points)
    stays = stays_of(pieces_of([track.home], {0: track}, points[-1][0]), LATTICE)
    rows = zip(*(column.tolist() for column in stays[1:]), strict=True)
    return [((x, y), enters / SECOND, leaves / SECOND) for x, y, enters, leaves in rows if enters < leaves]


def test_a_way_through_a_corner_meets_no_third_cell_for_any_time() -> None:
    assert ways([(0, (5.0, 5.0)), (10 * SECOND, (15.0, 15.0))]) == [((0, 0), 0.0, 5.0), ((1, 1), 5.0, 10.0)]
    leftwards = ways([(0, (15.0, 15.0)), (10 * SECOND, (5.0, 5.0))])
    assert leftwards == [((1, 1), 0.0, 5.000001), ((0, 0), 5.000001, 10.0)]  # the edge belongs to the cell beyond it


def test_the_far_edge_of_the_field_belongs_to_its_last_cell() -> None:
    assert ways([(0, (55.0, 60.0)), (5 * SECOND, (60.0, 60.0))]) == [((5, 5), 0.0, 5.0)]


def test_a_way_along_an_edge_stays_in_the_cells_above_it() -> None:
    assert ways([(0, (5.0, 10.0)), (10 * SECOND, (15.0, 10.0))]) == [((0, 1), 0.0, 5.0), ((1, 1), 5.0, 10.0)]


def test_a_way_of_no_length_is_a_stay() -> None:
    assert ways([(0, (5.0, 10.0)), (10 * SECOND, (5.0, 10.0))]) == [((0, 1), 0.0, 10.0)]


# Plans


@given(FIELDS)
def test_a_plan_that_is_saved_and_loaded_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, field: list[Track | Position]
) -> None:
    from motecast.sim.plan import load_plan

    plan = cell_contacts(*split(field), LATTICE, UNTIL)
    file = tmp_path_factory.mktemp("plans") / "plan.parquet"
    plan.save(file)
    assert load_plan(file) == plan


def test_contacts_that_touch_or_overlap_are_one() -> None:
    plan = plan_from([(1, 0, 5, 9), (0, 1, 0, 5), (0, 1, 2, 3), (0, 2, 4, 4), (0, 2, 20, 30)], 3, 25)
    assert (plan.a.tolist(), plan.b.tolist()) == ([0, 0], [1, 2])
    assert (plan.up.tolist(), plan.down.tolist()) == ([0, 20], [9, 26])


def test_the_paper_s_scenario_is_planned_in_a_few_milliseconds() -> None:
    scenario = read_scenario("examples/ced.toml")
    deployed = deploy(scenario)
    best = math.inf
    for _ in range(5):
        start = time.process_time()
        plan = plan_of(scenario, deployed.positions, deployed.classes, deployed.tracks)
        best = min(best, time.process_time() - start)
    assert plan is not None
    assert len(plan) > 5_000
    assert best < 0.03, f"{best * 1000:.1f} ms"  # 5 on an idle machine
