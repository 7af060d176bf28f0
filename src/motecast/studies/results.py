"""The measures of every case and seed, and what is said of them: means, intervals, paired differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

Number = float | int | None
# Student's t for 95 %, two-sided, by degrees of freedom; beyond the last the normal value is near enough.
_T95 = (
    12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_NORMAL = 1.96


class Results:
    """`mean("gossip", "delivery_ratio")`, over the seeds; `values(...)` in the order of the seeds."""

    def __init__(self, measures: Mapping[tuple[str, int], Mapping[str, Number]]) -> None:
        self._measures = measures
        self.seeds = sorted({seed for _, seed in measures})
        self.labels = list(dict.fromkeys(label for label, _ in measures))

    def values(self, label: str, measure: str) -> list[float]:
        """The measure of this case, seed by seed; runs where it does not apply are left out."""
        found = (self._measures[label, seed][measure] for seed in self.seeds)
        return [float(value) for value in found if value is not None]

    def mean(self, label: str, measure: str) -> float:
        """Mean over the seeds; NaN when it applies to none."""
        values = self.values(label, measure)
        return fmean(values) if values else math.nan

    def margin(self, label: str, measure: str) -> float:
        """Half the 95 % confidence interval of the mean."""
        return half_width(self.values(label, measure))

    def paired(self, label: str, other: str, measure: str) -> tuple[float, float]:
        """Mean and half-width of (label - other), seed by seed: both met the same world.

        Seeds where the measure does not apply to both are left out; NaN when it applies to none.
        """
        pairs = [(self._measures[label, seed][measure], self._measures[other, seed][measure]) for seed in self.seeds]
        differences = [one - two for one, two in pairs if one is not None and two is not None]
        return (fmean(differences), half_width(differences)) if differences else (math.nan, math.nan)


def half_width(values: Sequence[float]) -> float:
    """Half the 95 % confidence interval of the mean of these; 0 for fewer than two.

    >>> round(half_width([1.0, 2.0, 3.0]), 3)
    2.484
    """
    if len(values) < 2:
        return 0.0
    t = _T95[len(values) - 2] if len(values) - 2 < len(_T95) else _NORMAL
    return t * stdev(values) / math.sqrt(len(values))
