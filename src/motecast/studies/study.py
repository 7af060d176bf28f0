"""What a study is: cases to run, what the paper printed, and claims whose verdicts are computed."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import motecast.studies
from motecast.core import ConfigError, unknown
from motecast.studies.results import Results

SCALES = ("smoke", "ci", "full")


class Case(NamedTuple):
    """One row of the table: a label and what it sets in the study's scenario."""

    label: str
    settings: Mapping[str, object]


class Published(NamedTuple):
    """A number as a paper prints it, for the row and the measure that mean the same."""

    label: str
    measure: str
    value: float
    place: str  # where it stands


class Scale(NamedTuple):
    """How much is run: the seeds, and what is set for every case (a shorter run, a smaller field)."""

    seeds: range
    settings: Mapping[str, object] = {}


class Claim(NamedTuple):
    """A sentence that is true or not. `holds` looks at the results; `shows` says which of them it rests on."""

    text: str
    holds: Callable[[Results], bool]
    shows: Callable[[Results], str]
    scales: tuple[str, ...] = SCALES  # where it is judged: two seeds prove little


@dataclass(frozen=True)
class Study:
    """`motecast study NAME` runs every case with every seed of a scale and judges the claims."""

    name: str
    title: str
    source: str  # paper, section, table or figure; or "ours"
    scenario: Mapping[str, Any]
    cases: tuple[Case, ...]
    measures: tuple[str, ...]  # the columns of its table
    claims: tuple[Claim, ...]
    scales: Mapping[str, Scale]
    published: tuple[Published, ...] = ()


def study_names() -> list[str]:
    """All studies, by name."""
    return sorted(_modules())


def find_study(name: str) -> Study:
    """The study of this name; `ConfigError` names the nearest."""
    modules = _modules()
    if name not in modules:
        raise ConfigError(unknown("study", name, modules))
    study = import_module(modules[name]).STUDY
    assert isinstance(study, Study), study
    return study


_FRAMEWORK = ("study", "results", "runner")


def _modules() -> dict[str, str]:
    found = pkgutil.iter_modules(motecast.studies.__path__)
    return {
        module.name.replace("_", "-"): f"motecast.studies.{module.name}"
        for module in found
        if module.name not in _FRAMEWORK
    }
