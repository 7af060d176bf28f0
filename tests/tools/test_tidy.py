"""The ratchet counts what it says, refuses growth, and asks for a lower baseline when there is less."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import tidy


def function(lines: int) -> str:
    """Source of a function of so many lines."""
    return "def walk():\n" + "    pass\n" * (lines - 1)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project with a baseline of nothing."""
    for folder in ("src", "tools"):
        (tmp_path / folder).mkdir()
    (tmp_path / tidy.BASELINE).write_text("{}")
    return tmp_path


def test_sixty_lines_are_the_wall_for_a_function():
    assert list(tidy.findings("a.py", function(60))) == []
    assert list(tidy.findings("a.py", function(61))) == [("long_functions", "a.py:1: walk has 61 lines")]


def test_a_method_and_a_coroutine_count_as_functions():
    source = "class A:\n    async def walk(self):\n" + "        pass\n" * 60
    assert [kind for kind, _ in tidy.findings("a.py", source)] == ["long_functions"]


def test_four_hundred_lines_are_the_wall_for_a_file():
    assert list(tidy.findings("a.py", "pass\n" * 400)) == []
    assert list(tidy.findings("a.py", "pass\n" * 401)) == [("long_files", "a.py: 401 lines")]


@pytest.mark.parametrize("word", ["TO" + "DO", "FIX" + "ME", "X" * 3])
def test_unfinished_places_are_counted_where_they_stand(word: str):
    assert list(tidy.findings("a.py", f"x = 1\n# {word}: more\n")) == [("unfinished", "a.py:2")]


def test_an_unchecked_type_is_counted_with_and_without_a_code():
    source = "x = 1  # type:" + " ignore\ny = 2  # type:" + " ignore[misc]\n"
    assert list(tidy.findings("a.py", source)) == [("type_ignores", "a.py:1"), ("type_ignores", "a.py:2")]


def test_a_count_that_grows_fails_and_names_the_place(project: Path, capsys: pytest.CaptureFixture[str]):
    (project / "src/long.py").write_text(function(61))
    assert tidy.main([], project) == 1
    assert "long_functions grew from 0 to 1:\n  src/long.py:1: walk has 61 lines" in capsys.readouterr().out


def test_growth_cannot_be_written_into_the_baseline(project: Path):
    (project / "src/long.py").write_text(function(61))
    assert tidy.main(["--update"], project) == 1
    assert (project / tidy.BASELINE).read_text() == "{}"


def test_a_count_that_shrinks_asks_for_a_lower_baseline_and_update_writes_it(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    (project / tidy.BASELINE).write_text('{"long_files": 2}')
    assert tidy.main([], project) == 0
    assert "long_files shrank from 2 to 0" in capsys.readouterr().out
    assert tidy.main(["--update"], project) == 0
    assert json.loads((project / tidy.BASELINE).read_text())["long_files"] == 0
