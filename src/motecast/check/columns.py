"""Arrow columns as NumPy arrays, and the sorting idioms that measures and oracles share."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

NONE = -1  # a null in a column of numbers that are never negative
NEVER = np.iinfo(np.int64).max  # a time that does not come


def ints(column: pa.ChunkedArray, null: int = NONE) -> Ints:
    """The column as integers; nulls become `null`."""
    return np.asarray(column.cast(pa.int64()).fill_null(null).to_numpy(), dtype=np.int64)


def texts_equal(column: pa.ChunkedArray, text: str) -> Bools:
    """Where a column of texts is exactly this one."""
    return np.asarray(pc.equal(column.cast(pa.string()), text).fill_null(False).to_numpy(), dtype=np.bool_)


def firsts(keys: Ints) -> Ints:
    """The places where each distinct key occurs first, in the order of the keys."""
    return np.unique(keys, return_index=True)[1].astype(np.int64)


def find(sorted_keys: Ints, wanted: Ints) -> Ints:
    """For each wanted key its place in the sorted ones, or `NONE`."""
    if not len(sorted_keys):
        return np.full(len(wanted), NONE, dtype=np.int64)
    place = np.searchsorted(sorted_keys, wanted)
    place[place == len(sorted_keys)] = 0
    return np.where(sorted_keys[place] == wanted, place, NONE).astype(np.int64)


def slices(sorted_groups: Ints) -> list[tuple[int, int]]:
    """Where each run of equal values begins and ends."""
    if not len(sorted_groups):
        return []
    cuts = np.flatnonzero(np.diff(sorted_groups)) + 1
    edges = [0, *cuts.tolist(), len(sorted_groups)]
    return list(pairwise(edges))


def ranges(starts: Ints, counts: Ints) -> Ints:
    """start, start + 1, … count of them, for every start in turn."""
    total = int(counts.sum())
    before = np.cumsum(counts) - counts
    return np.asarray(np.arange(total) + np.repeat(starts - before, counts), dtype=np.int64)
