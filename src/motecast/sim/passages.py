"""Movements that are known by their cells only: which one a node is in from when until when."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from motecast.core import ConfigError
from motecast.parts.cells import Cell
from motecast.sim.field import number_in, read_csv
from motecast.sim.legs import Track, Travel
from motecast.sim.parquet import read_parquet
from motecast.trace.builder import MICROSECONDS

COLUMNS = ("subscriber", "leg", "cell_x", "cell_y", "t_in", "t_out", "moving_until")


class Stay(NamedTuple):
    """One line of such a file."""

    node: int
    leg: int
    cell: Cell
    enters: float  # s
    leaves: float  # s; with the pause that follows the travel
    moves: float  # s; until when it travels


def read_passages(path: Path, area: tuple[float, float], cells: int) -> list[Track]:
    """A CSV or Parquet file, a line a cell: subscriber, leg, cell_x, cell_y, t_in, t_out, moving_until (s).

    The places are made so that every cell is entered and left to the tick; they need not be those that were walked.
    """
    by_node: dict[int, dict[int, list[Stay]]] = {}
    for stay in sorted(_stays(path, cells)):
        by_node.setdefault(stay.node, {}).setdefault(stay.leg, []).append(stay)
    sides = (area[0] / cells, area[1] / cells)
    return [_track([_travel(stays, sides) for stays in legs.values()]) for _, legs in sorted(by_node.items())]


def _track(travels: list[Travel]) -> Track:
    real = [travel for travel in travels if travel.start < travel.end]
    return Track(travels[0].origin, real)


def _travel(stays: Sequence[Stay], sides: tuple[float, float]) -> Travel:
    """A straight way through these cells at these times; along each axis a line of its own."""
    stays = sorted(stays, key=lambda stay: (stay.enters, stay.leaves))
    start, end = stays[0].enters, max(stay.moves for stay in stays)
    lines = [_line([(stay.cell[axis], stay.enters) for stay in stays], start, end, sides[axis]) for axis in (0, 1)]
    (x, to_x), (y, to_y) = lines
    return Travel(round(start * MICROSECONDS), round(end * MICROSECONDS), (x, y), (to_x, to_y))


def _line(indices: Sequence[tuple[int, float]], start: float, end: float, side: float) -> tuple[float, float]:
    """Where a travel begins and ends along one axis; `indices` are the cells and when each is entered."""
    crossings = [(max(one, other) * side, when) for (one, _), (other, when) in pairwise(indices) if one != other]
    if not crossings:
        middle = (indices[0][0] + 0.5) * side
        return middle, middle
    (edge, when), (last_edge, last) = crossings[0], crossings[-1]
    if len(crossings) == 1:  # as fast as it may be without leaving the two cells
        speed = (0.5 if indices[-1][0] > indices[0][0] else -0.5) * side / max(when - start, end - when)
    else:
        speed = (last_edge - edge) / (last - when)
    return edge - speed * (when - start), edge + speed * (end - when)


def _stays(path: Path, cells: int) -> list[Stay]:
    rows = _parquet(path) if path.suffix == ".parquet" else read_csv(path)
    if not set(COLUMNS) <= rows[0][1].keys():
        raise ConfigError(f"{path}: columns {', '.join(rows[0][1])}; a file of passages has {', '.join(COLUMNS)}")
    found = []
    for line, row in rows:
        node, leg, x, y, enters, leaves, moves = (number_in(path, line, row, name) for name in COLUMNS)
        if not (0 <= x < cells and 0 <= y < cells):
            raise ConfigError(f"{path}:{line}: cell {x:g}, {y:g}: this field has {cells} by {cells} cells, from 0")
        found.append(Stay(int(node), int(leg), (int(x), int(y)), enters, leaves, moves))
    return found


def _parquet(path: Path) -> list[tuple[int, dict[str, str]]]:
    """The rows of a Parquet file as those of a CSV."""
    table = read_parquet(path, "Parquet file")
    if not table.num_rows:
        raise ConfigError(f"{path}: no rows")
    return [(line, {name: repr(value) for name, value in row.items()}) for line, row in enumerate(table.to_pylist(), 1)]
