"""Which oracles there are, and what they say about a trace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from motecast.check.delivery import agreement, integrity, only_subscribed, validity
from motecast.check.host import bounded_state, bytes_conserved, silence_of_the_dead
from motecast.check.oracle import ALWAYS, SOMETIMES, Oracle, Verdict
from motecast.check.order import causal_order, fifo
from motecast.check.vacuous import (
    something_crashed,
    something_delivered,
    something_lost,
    something_published,
    something_wanted,
)
from motecast.check.view import ALPHA, View
from motecast.core import ConfigError, unknown

if TYPE_CHECKING:
    from motecast.trace import Trace

_ALL = (
    integrity, validity, agreement, only_subscribed, fifo, causal_order, bounded_state, silence_of_the_dead,
    bytes_conserved, something_published, something_wanted, something_delivered, something_lost, something_crashed,
)  # fmt: skip
ORACLES: dict[str, Oracle] = {oracle.name: oracle for oracle in _ALL}


def judge(trace: Trace, names: Iterable[str] | None = None, *, alpha: float = ALPHA) -> list[Verdict]:
    """The verdicts of the oracles named; by default of those that the stack promises and of the `sometimes` ones."""
    return judge_view(View(trace, alpha), names)


def judge_view(view: View, names: Iterable[str] | None = None) -> list[Verdict]:
    """The same on a view."""
    if not 0 <= view.alpha <= 1:
        raise ConfigError(f"alpha = {view.alpha!r}: a probability, from 0 to 1")
    return [oracle.judge(view) for oracle in (_expected(view) if names is None else named(names))]


def named(names: Iterable[str]) -> list[Oracle]:
    """The oracles of these names, in the order of the catalogue; `ConfigError` for a name that it has not."""
    if isinstance(names, str):
        raise ConfigError(f"oracles {names!r}: expected a list of names: [{names!r}]")
    chosen = set(names)
    for name in sorted(chosen - ORACLES.keys()):
        raise ConfigError(unknown("oracle", name, ORACLES))
    return [oracle for oracle in ORACLES.values() if oracle.name in chosen]


def check_promises(stack: str, promises: Iterable[str]) -> None:
    """Raises `ConfigError` for a promise that no oracle could judge."""
    for promise in promises:
        if promise not in ORACLES:
            raise ConfigError(f"stack {stack!r} promises {promise!r}: {unknown('oracle', promise, ORACLES)}")


def violations_of(view: View) -> int | None:
    """Findings of the promised `always` oracles; None if there is none that this trace can be judged by."""
    promised = [oracle for oracle in named(view.about.get("promises") or ()) if oracle.mode == ALWAYS]
    judged = [verdict for verdict in (oracle.judge(view) for oracle in promised) if not verdict.skipped]
    return sum(verdict.count for verdict in judged) if judged else None


def _expected(view: View) -> list[Oracle]:
    guards = (oracle.name for oracle in ORACLES.values() if oracle.mode == SOMETIMES)
    return named([*(view.about.get("promises") or ()), *guards])
