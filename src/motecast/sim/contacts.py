"""Contacts computed, not sampled: for every pair of nodes the exact ticks between which they hear each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from motecast.sim.crossings import Lattice, Pieces, Stays, pieces_of, stays_of
from motecast.sim.plan import Plan, plan_from

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from motecast.core import NodeId, Position
    from motecast.sim.legs import Track

    Ints = NDArray[np.int64]

MOST_CELLS = 20_000  # on a side of the lattice that culls pairs out of reach
_AROUND = [(column, row) for column in (-1, 0, 1) for row in (-1, 0, 1)]


def cell_contacts(
    positions: Sequence[Position],
    tracks: Mapping[NodeId, Track],
    lattice: Lattice,
    until: int,
    apart: Sequence[int] | None = None,
) -> Plan:
    """Who is in the same cell or one of the eight around it hears; `apart[n]` is what only others than n's like hear
    (a number that those share, or -1)."""
    pieces = pieces_of(positions, tracks, until + 1)
    stays = stays_of(pieces, lattice)
    one, other = _together(stays, pieces, apart)
    enters = np.maximum(stays.enters[one], stays.enters[other])
    leaves = np.minimum(stays.leaves[one], stays.leaves[other])
    node = pieces.node[stays.piece]
    return plan_from({"a": node[one], "b": node[other], "up": enters, "down": leaves}, len(positions), until)


def disk_contacts(
    positions: Sequence[Position],
    tracks: Mapping[NodeId, Track],
    reach: float,
    until: int,
    apart: Sequence[int] | None = None,
) -> Plan:
    """Who is within `reach`, the end included, hears."""
    pieces = pieces_of(positions, tracks, until + 1)
    stays = stays_of(pieces, _lattice_for(pieces, reach))
    one, other = _together(stays, pieces, apart)
    first = np.maximum(stays.enters[one], stays.enters[other])
    last = np.minimum(stays.leaves[one], stays.leaves[other])
    up, down = _within(pieces, stays.piece[one], stays.piece[other], first, last, reach)
    node = pieces.node[stays.piece]
    return plan_from({"a": node[one], "b": node[other], "up": up, "down": down}, len(positions), until)


def _lattice_for(pieces: Pieces, reach: float) -> Lattice:
    """Cells at least as wide as the reach, and not too many."""
    places = np.concatenate([pieces.origin, pieces.to])
    (west, south), (east, north) = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    side = max(reach * (1 + 1e-9), max(east - west, north - south) / MOST_CELLS)
    counts = (int((east - west) / side) + 1, int((north - south) / side) + 1)
    return Lattice(west, south, (side, side), counts)


def _together(stays: Stays, pieces: Pieces, apart: Sequence[int] | None) -> tuple[Ints, Ints]:
    """Pairs of stays of different nodes in near cells at the same time. Of two stays the one that begins later is
    found among those that begin while the earlier lasts, so that work grows with the contacts and not with the pairs.
    """
    real = np.flatnonzero(stays.enters < stays.leaves)
    times, rank = np.unique(stays.enters[real], return_inverse=True)
    width, height = int(stays.row.max()) + 3, len(times) + 1
    cell = (stays.column[real] + 1) * width + stays.row[real] + 1
    until = np.searchsorted(times, stays.leaves[real], side="left")
    order = np.argsort(cell * height + rank, kind="stable")
    real, cell, rank, until = real[order], cell[order], rank[order], until[order]
    keys = cell * height + rank
    node = pieces.node[stays.piece[real]]
    kind = np.full(int(node.max()) + 1, -1) if apart is None else np.array(apart, dtype=np.int64)
    asks = _asking(pieces, kind)[node]
    asking = np.flatnonzero(asks)
    found = [_near(keys, asking, cell + dx * width + dy, height, rank, until) for dx, dy in _AROUND]
    one, other = np.concatenate([part[0] for part in found]), np.concatenate([part[1] for part in found])
    is_once = (rank[one] < rank[other]) | (one < other) | ~asks[other]  # of two that begin together, once
    hears = (kind[node[one]] != kind[node[other]]) | (kind[node[one]] < 0)
    kept = is_once & hears & (node[one] != node[other])
    return real[one[kept]], real[other[kept]]


def _asking(pieces: Pieces, kind: Ints) -> NDArray[np.bool_]:
    """The nodes for whose stays others are looked up. Those that move need not ask for each other where they are all
    apart, and who stands has begun before all of their stays."""
    moves = np.bincount(pieces.node, minlength=len(kind)) > 1
    groups = np.unique(kind[moves])
    is_apart = len(groups) == 1 and groups[0] >= 0
    return ~moves if is_apart else np.ones(len(kind), dtype=np.bool_)


def _near(keys: Ints, asking: Ints, cell: Ints, height: int, rank: Ints, until: Ints) -> tuple[Ints, Ints]:
    """Pairs (stay that asks, stay in that cell that begins at the same time or while the first lasts)."""
    low = cell[asking] * height
    first = np.searchsorted(keys, low + rank[asking], side="left")
    counts = np.searchsorted(keys, low + until[asking], side="left") - first
    one = np.repeat(np.arange(len(asking)), counts)
    other = np.repeat(first, counts) + np.arange(len(one)) - np.repeat(np.cumsum(counts) - counts, counts)
    return asking[one], other


def _within(pieces: Pieces, one: Ints, other: Ints, first: Ints, last: Ints, reach: float) -> tuple[Ints, Ints]:
    """The ticks of [first, last) at which these pieces are within reach: one interval, as the way between is straight.

    Its ends are the roots of |distance + speed * t|^2 = reach^2, t counted from `first`.
    """
    distance = pieces.at(one, first) - pieces.at(other, first)
    speed = _speed(pieces, one) - _speed(pieces, other)
    a = np.einsum("ij,ij->i", speed, speed)
    half = np.einsum("ij,ij->i", distance, speed)
    c = np.einsum("ij,ij->i", distance, distance) - reach * reach
    root = np.sqrt(np.maximum(half * half - a * c, 0.0))
    moves = a > 0
    scale = np.where(moves, a, 1.0)
    early, late = (-half - root) / scale, (-half + root) / scale
    # Ticks beyond the interval are the same as its ends, and fit into 64 bits.
    span = (last - first).astype(np.float64)
    up = first + np.ceil(np.clip(early, 0.0, span)).astype(np.int64)
    down = first + np.floor(np.clip(late, -1.0, span)).astype(np.int64) + 1
    meets = moves & (half * half >= a * c)
    up = np.where(meets, up, first)
    down = np.where(meets, down, np.where(~moves & (c <= 0), last, first))
    return up, np.minimum(down, last)


def _speed(pieces: Pieces, index: Ints) -> NDArray[np.float64]:
    """Metres a tick."""
    duration = (pieces.end[index] - pieces.start[index])[:, None]
    return (pieces.to[index] - pieces.origin[index]) / duration
