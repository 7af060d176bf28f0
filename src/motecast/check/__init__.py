"""What correct means: measures and oracles over a trace, whoever wrote it."""

from motecast.check.judge import ORACLES, check_promises, judge
from motecast.check.measures import MEASURES, Number, measure
from motecast.check.oracle import Finding, Oracle, Verdict, always, eventually, sometimes
from motecast.check.run import Run, load
from motecast.check.view import View

__all__ = [
    "MEASURES",
    "ORACLES",
    "Finding",
    "Number",
    "Oracle",
    "Run",
    "Verdict",
    "View",
    "always",
    "check_promises",
    "eventually",
    "judge",
    "load",
    "measure",
    "sometimes",
]
