"""The tables of the reference are what the code says: regenerate a line when this test shows that it differs."""

from __future__ import annotations

from pathlib import Path

from motecast.check import MEASURES, ORACLES

REFERENCE = Path(__file__).parents[2] / "docs/reference"


def table_of(page: str) -> list[str]:
    """The first table of a page, without its two heading lines."""
    lines = (REFERENCE / page).read_text(encoding="utf-8").splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("|---"))
    end = next(n for n, line in enumerate(lines) if n > start and not line.startswith("|"))
    return lines[start + 1 : end]


def test_the_page_of_measures_defines_each_as_its_docstring_does() -> None:
    assert table_of("measures.md") == [
        f"| `{name}` | {' '.join((function.__doc__ or '').split())} |" for name, function in MEASURES.items()
    ]


def test_the_page_of_oracles_lists_each_with_mode_source_and_meaning() -> None:
    assert table_of("oracles.md") == [
        f"| `{oracle.name}` | {oracle.mode} | {oracle.source} | {oracle.meaning} |" for oracle in ORACLES.values()
    ]


def test_every_oracle_and_measure_says_what_it_means() -> None:
    for text in (*(function.__doc__ for function in MEASURES.values()), *(o.meaning for o in ORACLES.values())):
        assert text
        assert text.rstrip().endswith(".")
        assert "|" not in text
