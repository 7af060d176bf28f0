"""What an oracle is: a generator of findings over a view, marked with when it must hold and who says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from motecast.check.view import View

SHOWN = 100  # findings that a verdict keeps; the others are counted

ALWAYS = "always"
SOMETIMES = "sometimes"
EVENTUALLY = "eventually"


@dataclass(frozen=True)
class Finding:
    """What an oracle found, in one line, and the rows that show it."""

    text: str
    rows: tuple[int, ...] = ()


Search: TypeAlias = Callable[[View], Iterator[Finding]]
Need: TypeAlias = Callable[[View], "str | None"]  # why a view cannot be judged; None: it can


@dataclass(frozen=True)
class Verdict:
    """What became of one oracle: it holds, it is violated, or it could not be judged."""

    oracle: str
    findings: tuple[Finding, ...] = ()  # the first `SHOWN`
    skipped: str | None = None  # why it was not judged
    count: int = 0  # of all findings
    mode: str = ALWAYS
    remark: str | None = None  # what the reader of a verdict that holds should know

    @property
    def word(self) -> str:
        """holds, violated or skipped."""
        return "skipped" if self.skipped else "violated" if self.count else "holds"

    @property
    def holds(self) -> bool:
        """False when it is violated; what could not be judged is not."""
        return not self.count


@dataclass(frozen=True)
class Oracle:
    """A property of every run (`always`), of its end (`eventually`), or of a run that shows anything (`sometimes`)."""

    name: str
    mode: str
    source: str
    search: Search
    need: Need | None = None
    remark: Need | None = None  # what it could not look at

    @property
    def meaning(self) -> str:
        """What must hold, in a sentence."""
        return " ".join((self.search.__doc__ or "").split())

    def judge(self, view: View) -> Verdict:
        """The verdict on one trace."""
        skipped = self.need(view) if self.need else None
        if skipped:
            return Verdict(self.name, skipped=skipped, mode=self.mode)
        found = self.search(view)
        if self.mode == SOMETIMES:
            # What it finds is what should happen; that nothing was found is the finding.
            return Verdict(self.name, mode=self.mode) if any(True for _ in found) else self._never()
        first = tuple(islice(found, SHOWN))
        remark = self.remark(view) if self.remark else None
        return Verdict(self.name, first, count=len(first) + sum(1 for _ in found), mode=self.mode, remark=remark)

    def _never(self) -> Verdict:
        return Verdict(self.name, (Finding(f"not once in this run: {self.meaning}"),), count=1, mode=self.mode)


def always(source: str, need: Need | None = None, remark: Need | None = None) -> Callable[[Search], Oracle]:
    """The findings are violations: safety, at every moment of a run."""
    return _oracle(ALWAYS, source, need, remark)


def eventually(source: str, need: Need | None = None) -> Callable[[Search], Oracle]:
    """The findings are what had not happened when the run ended: liveness, if it was given time."""
    return _oracle(EVENTUALLY, source, need)


def sometimes(source: str, need: Need | None = None) -> Callable[[Search], Oracle]:
    """The findings are what should happen at least once: a guard against runs that show nothing."""
    return _oracle(SOMETIMES, source, need)


def _oracle(mode: str, source: str, need: Need | None, remark: Need | None = None) -> Callable[[Search], Oracle]:
    def mark(search: Search) -> Oracle:
        return Oracle(search.__name__.replace("_", "-"), mode, source, search, need, remark)

    return mark


def level_full(view: View) -> str | None:
    """For oracles that read frames."""
    return None if view.is_full else "needs a trace at level full (motecast sim … --level full)"
