"""The simulator's kernel and the pure Python that protocols use find the same cells of the same travel."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.core import Leg
from motecast.parts.cells import Grid
from motecast.sim.crossings import Lattice, pieces_of, stays_of
from motecast.sim.legs import Track, Travel

GRID = Grid(200.0, 200.0, 15)
LATTICE = Lattice(0.0, 0.0, (200 / 15, 200 / 15), (15, 15))
COORDINATES = st.one_of(st.floats(0, 200), st.integers(0, 15).map(lambda index: index * 200 / 15))
PLACES = st.tuples(COORDINATES, COORDINATES)
TICK = 2e-6  # s; the kernel rounds to the first whole microsecond beyond an edge


@given(PLACES, PLACES, st.integers(0, 7_200_000_000), st.integers(1_000_000, 600_000_000))
def test_both_enter_the_same_columns_and_rows_at_the_same_times(
    origin: tuple[float, float], to: tuple[float, float], start: int, lasts: int
) -> None:
    travel = Travel(start, start + lasts, origin, to)
    leg = Leg(start / 1e6, origin, to, travel.speed, travel.end / 1e6)
    passages = GRID.passages(leg)
    pieces = pieces_of([origin], {0: Track(origin, [travel])}, travel.end)
    stays = stays_of(pieces, LATTICE)
    own = stays.piece == len(pieces.node) - 1
    cells = list(zip(stays.column[own].tolist(), stays.row[own].tolist(), strict=True))
    assert len(passages) == len(cells)
    # Side by side and not in one row: at a corner a microsecond decides which of the two changes first.
    ours = [(p.cell, p.enters) for p in passages]
    theirs = list(zip(cells, (stays.enters[own] / 1e6).tolist(), strict=True))
    for axis in (0, 1):
        one, other = (changes(found, axis) for found in (ours, theirs))
        assert [index for index, _ in one] == [index for index, _ in other]
        assert [when for _, when in one] == pytest.approx([when for _, when in other], abs=TICK)


def changes(found: list[tuple[tuple[int, int], float]], axis: int) -> list[tuple[int, float]]:
    """The columns (0) or rows (1) in order, and when each is entered."""
    entered: list[tuple[int, float]] = []
    for cell, when in found:
        if not entered or entered[-1][0] != cell[axis]:
            entered.append((cell[axis], when))
    return entered
