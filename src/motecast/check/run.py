"""A run as people handle it: a trace with its measures and its verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motecast.check.judge import judge_view
from motecast.check.measures import Number, measures_of
from motecast.check.oracle import Verdict
from motecast.check.view import ALPHA, View
from motecast.trace import Trace, load_trace

if TYPE_CHECKING:
    import pyarrow as pa


class Run:
    """One run: `run.measures["delivery_ratio"]`, `run.rows`, `run.check()`, `run.save("run/")`."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._view = View(trace)

    @cached_property
    def measures(self) -> dict[str, Number]:
        """All measures, by name."""
        return measures_of(self._view)

    def check(self, names: Iterable[str] | None = None, *, alpha: float = ALPHA) -> list[Verdict]:
        """The verdicts of the oracles that the stack promises, and of the guards against vacuous runs."""
        self._view.alpha = alpha
        return judge_view(self._view, names)

    def save(self, folder: str | Path) -> None:
        """Writes the folder that `motecast check`, `replay` and `plot` read."""
        self.trace.save(folder)

    @property
    def rows(self) -> pa.Table:
        """What happened, in order."""
        return self.trace.rows

    @property
    def events(self) -> pa.Table:
        """What was published."""
        return self.trace.events

    @property
    def subscriptions(self) -> pa.Table:
        """What was wanted, and when."""
        return self.trace.subscriptions

    @property
    def totals(self) -> pa.Table:
        """What was transmitted, by node, kind and message."""
        return self.trace.totals

    @property
    def field(self) -> pa.Table:
        """Where the nodes were and who heard whom."""
        return self.trace.field

    @property
    def about(self) -> dict[str, Any]:
        """Scenario, stack, seed, version, promises, digest."""
        return self.trace.about

    @property
    def digest(self) -> str:
        """Names what was delivered."""
        return self.trace.digest

    def __repr__(self) -> str:
        return f"Run({self.about.get('name')!r}, seed={self.about.get('seed')!r}, digest={self.digest!r})"


def load(folder: str | Path) -> Run:
    """The run in a folder."""
    return Run(load_trace(folder))
