"""Which cell every node is in from when until when: all tracks at once, to the tick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from motecast.core import NodeId, Position
    from motecast.sim.legs import Track

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Lattice(NamedTuple):
    """Cells of one size; what is outside belongs to the nearest one."""

    west: float
    south: float
    sides: tuple[float, float]
    counts: tuple[int, int]

    def indices(self, values: Floats, axis: int) -> Ints:
        """The columns (axis 0) of these x, or the rows (1) of these y."""
        low = (self.west, self.south)[axis]
        shifted = values - low if low else values
        return np.clip(np.floor(shifted / self.sides[axis]), 0, self.counts[axis] - 1).astype(np.int64)


class Pieces(NamedTuple):
    """Pieces of tracks, travels and stays, in columns; those of one node tile the time from 0 on."""

    node: Ints
    start: Ints
    end: Ints
    origin: Floats  # two columns
    to: Floats

    def at(self, index: Ints, tick: Ints) -> Floats:
        """Where the pieces are: the arithmetic of `Travel.at`."""
        start, end = self.start[index], self.end[index]
        share = ((tick - start) / (end - start))[:, None]
        origin, to = self.origin[index], self.to[index]
        return np.where((tick >= end)[:, None], to, origin + (to - origin) * share)


class Stays(NamedTuple):
    """A cell and the ticks [enters, leaves) of a node in it, in columns; `piece` is where it belongs."""

    piece: Ints
    column: Ints
    row: Ints
    enters: Ints
    leaves: Ints


def pieces_of(positions: Sequence[Position], tracks: Mapping[NodeId, Track], horizon: int) -> Pieces:
    """All pieces that begin before the horizon; the last of each node ends there or later."""
    rows: list[tuple[Any, ...]] = []
    for node, position in enumerate(positions):
        track = tracks.get(node)
        since, place = 0, position if track is None else track.home
        for travel in () if track is None else track.travels:
            if travel.start >= horizon:
                break
            if travel.start > since:
                rows.append((node, since, travel.start, *place, *place))
            rows.append((node, travel.start, travel.end, *travel.origin, *travel.to))
            since, place = travel.end, travel.to
        if since < horizon:
            rows.append((node, since, horizon, *place, *place))
    columns = list(zip(*rows, strict=True))
    ticks = np.array(columns[:3], dtype=np.int64)
    places = np.array(columns[3:], dtype=np.float64)
    return Pieces(ticks[0], ticks[1], ticks[2], places[:2].T.copy(), places[2:].T.copy())


def stays_of(pieces: Pieces, lattice: Lattice) -> Stays:
    """All cells of all pieces in order. They tile each piece and consecutive ones share a side, so that a way through
    a corner has a stay of no duration between."""
    firsts = [lattice.indices(pieces.origin[:, axis], axis) for axis in (0, 1)]
    lasts = [lattice.indices(pieces.to[:, axis], axis) for axis in (0, 1)]
    found = [_crossings(pieces, lattice, axis, firsts[axis], lasts[axis]) for axis in (0, 1)]
    piece, tick, step = (np.concatenate([found[0][part], found[1][part]]) for part in range(3))
    axis = np.repeat([0, 1], [len(found[0][0]), len(found[1][0])])
    order = np.lexsort((axis, tick, piece))
    piece, tick, step, axis = piece[order], tick[order], step[order], axis[order]
    # One stay for each piece and one more for each crossing, side by side.
    counts = np.bincount(piece, minlength=len(pieces.node)) + 1
    begins = np.cumsum(counts) - counts
    owner = np.repeat(np.arange(len(pieces.node)), counts)
    is_first = np.zeros(len(owner), dtype=bool)
    is_first[begins] = True
    enters, steps = np.empty(len(owner), dtype=np.int64), np.zeros((2, len(owner)), dtype=np.int64)
    enters[is_first] = pieces.start
    enters[~is_first] = tick
    for line in (0, 1):
        steps[line, ~is_first] = np.where(axis == line, step, 0)
    sums = np.cumsum(steps, axis=1)
    column, row = (firsts[line][owner] + sums[line] - sums[line][begins][owner] for line in (0, 1))
    leaves = np.empty_like(enters)
    leaves[:-1] = enters[1:]
    leaves[begins + counts - 1] = pieces.end
    return Stays(owner, column, row, enters, leaves)


def _crossings(pieces: Pieces, lattice: Lattice, axis: int, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    """Piece, tick and step (1 or -1) of every change of column (axis 0) or row (1): the tick is the first beyond."""
    counts = np.abs(last - first)
    piece = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(piece)) - np.repeat(np.cumsum(counts) - counts, counts)
    step = np.sign(last - first)[piece]
    beyond = first[piece] + step * (number + 1)  # the index that is reached
    edge = (beyond + (step < 0)) * lattice.sides[axis] + (lattice.west, lattice.south)[axis]
    origin, to = pieces.origin[piece, axis], pieces.to[piece, axis]
    start, end = pieces.start[piece], pieces.end[piece]
    exact = start + np.clip((edge - origin) / (to - origin), 0.0, 1.0) * (end - start)
    tick = np.where(step > 0, np.ceil(exact), np.floor(exact) + 1).astype(np.int64)
    tick = np.clip(tick, start, end)

    def is_reached(when: Ints) -> NDArray[np.bool_]:
        index = lattice.indices(pieces.at(piece, when)[:, axis], axis)
        reached: NDArray[np.bool_] = np.where(step > 0, index >= beyond, index <= beyond)
        return reached

    for _ in range(2):  # what rounding put a tick aside
        tick = np.where(~is_reached(tick) & (tick < end), tick + 1, tick)
        tick = np.where((tick > start) & is_reached(np.maximum(tick - 1, start)), tick - 1, tick)
    return piece, tick, step
