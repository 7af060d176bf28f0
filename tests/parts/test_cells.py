"""Cells and passages against sampled positions: W1 and W2 of specs/ced.md, section 11."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import assume, example, given
from hypothesis import strategies as st

from motecast.core import Leg
from motecast.parts.cells import Grid, Passage

GRID = Grid(200.0, 200.0, 15)
SIDE = 200.0 / 15
NEAR = 1e-6  # of a cell's side; nearer to an edge than this, rounding decides

EDGES = st.integers(0, 15).map(lambda index: index * SIDE)
COORDINATES = st.one_of(st.floats(0, 200), EDGES, st.sampled_from((0.0, 200.0)))
PLACES = st.tuples(COORDINATES, COORDINATES)


def leg_of(origin: tuple[float, float], to: tuple[float, float], start: float = 7.0, lasts: float = 30.0) -> Leg:
    return Leg(start, origin, to, 1.0, start + lasts)


LEGS = st.builds(leg_of, PLACES, PLACES, st.floats(0, 7200), st.one_of(st.just(0.0), st.floats(0.01, 600)))


def is_possible(grid: Grid, cell: tuple[int, int], place: tuple[float, float]) -> bool:
    """Whether a place lies in a cell, a little more than its edges included."""
    sides = (grid.width / grid.cells, grid.height / grid.cells)
    return all(i - NEAR <= at / side <= i + 1 + NEAR for i, at, side in zip(cell, place, sides, strict=True))


@given(LEGS)
@example(leg_of((200.0, 200.0), (200.0, 0.0)))
@example(leg_of((0.0, 0.0), (200.0, 200.0)))
@example(leg_of((SIDE, SIDE), (SIDE, SIDE), lasts=0.0))
def test_passages_tile_a_leg(leg: Leg) -> None:
    """W1: 't_out(k) = t_in(k+1), consecutive cells share a side, sum = leg duration'"""
    found = GRID.passages(leg)
    assert (found[0].enters, found[-1].leaves) == (leg.start, leg.arrival)
    assert (found[0].cell, found[-1].cell) == (GRID.cell(leg.origin), GRID.cell(leg.to))
    assert all(passage.enters <= passage.leaves for passage in found)
    for one, other in pairwise(found):
        assert one.leaves == other.enters
        assert abs(one.cell[0] - other.cell[0]) + abs(one.cell[1] - other.cell[1]) == 1
    columns, rows = (abs(found[-1].cell[axis] - found[0].cell[axis]) for axis in (0, 1))
    assert len(found) == columns + rows + 1  # no cell twice: the way is straight


@given(LEGS, st.floats(0, 1))
def test_a_sampled_position_lies_in_the_cell_of_its_time(leg: Leg, share: float) -> None:
    """W1: 'position sampled at any time lies in the reported cell'"""
    assume(leg.start < leg.arrival or leg.origin == leg.to)  # nobody is faster than that
    now = leg.start + share * (leg.arrival - leg.start)
    here = [p for p in GRID.passages(leg) if p.enters <= now <= p.leaves]
    assert here
    assert all(is_possible(GRID, p.cell, leg.at(now)) for p in here)


def test_the_far_edge_belongs_to_the_last_cell() -> None:
    """W2: 'x = 200 exactly'"""
    assert GRID.cell((200.0, 200.0)) == (14, 14)
    assert [p.cell for p in GRID.passages(leg_of((200.0, 200.0), (186.0, 200.0)))] == [(14, 14), (13, 14)]


def test_through_a_corner_the_column_changes_first() -> None:
    """W2: 'exact corner crossings'"""
    found = Grid(40.0, 40.0, 4).passages(leg_of((5.0, 5.0), (25.0, 25.0), start=0.0, lasts=20.0))
    assert [(p.cell, p.enters, p.leaves) for p in found] == [
        ((0, 0), 0.0, 5.0),
        ((1, 0), 5.0, 5.0),
        ((1, 1), 5.0, 15.0),
        ((2, 1), 15.0, 15.0),
        ((2, 2), 15.0, 20.0),
    ]


def test_a_leg_of_no_length_or_along_one_row_has_its_cells() -> None:
    """W2: 'axis-parallel legs, … zero-length legs'"""
    assert GRID.passages(leg_of((50.0, 50.0), (50.0, 50.0), lasts=0.0)) == [Passage((3, 3), 7.0, 7.0)]
    assert {p.cell[1] for p in GRID.passages(leg_of((0.0, SIDE), (200.0, SIDE)))} == {1}


@given(LEGS, st.floats(0, 1))
def test_the_rest_of_a_leg_is_its_passages_from_now_on(leg: Leg, share: float) -> None:
    """What a PATH message says: 'timed cells of the rest of the leg' specs/ced.md 4.1"""
    now = leg.start + share * (leg.arrival - leg.start)
    rest, whole = GRID.passages(leg, since=now), GRID.passages(leg)
    assert [(p.cell, p.leaves) for p in rest] == [(p.cell, p.leaves) for p in whole if p.leaves >= now]
    assert rest[0].enters == now
    assert rest[1:] == whole[len(whole) - len(rest) + 1 :]


@given(st.integers(-1, 15), st.integers(-1, 15), st.integers(0, 14), st.integers(0, 14))
def test_nearness_is_symmetric_and_means_the_nine_cells(x: int, y: int, column: int, row: int) -> None:
    """W3; §3, assumption 4."""
    near = max(abs(x - column), abs(y - row)) <= 1
    assert GRID.are_near((x, y), (column, row)) == GRID.are_near((column, row), (x, y)) == near
    inside = 0 <= x < 15 and 0 <= y < 15
    assert ((x, y) in GRID.around((column, row))) == (near and inside)
