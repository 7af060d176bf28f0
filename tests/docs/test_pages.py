"""The how-to pages with commands, followed to the letter; and links that can be read without being followed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
WRITE = DOCS / "howto" / "write-a-protocol.md"
READ = DOCS / "howto" / "read-a-trace.md"
BUILT = {"_build"}


def blocks(page: Path, kind: str) -> list[str]:
    """The fenced blocks of a page that are of this kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[tuple[str, str]]:
    """Every command of the page with the output that the page shows, "" where it shows none."""
    return [
        (command, output)
        for block in blocks(page, "console")
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("page", [WRITE, READ], ids=lambda page: page.stem)
def test_every_command_of_the_page_does_what_the_page_says(page: Path, tmp_path: Path) -> None:
    for text in blocks(page, "toml"):
        (tmp_path / "my_field.toml").write_text(text, encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for command, output in commands(page):
        line = ["bash", "-c", command]
        done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
        assert done.stderr == ""
        if output:
            assert done.stdout == output


def test_the_page_shows_how_to_run_check_replay_and_plot() -> None:
    verbs = [command.split()[1] for command, _ in commands(WRITE) if command.startswith("motecast")]
    assert verbs == ["stacks", "sim", "check", "plot", "replay", "sim", "sim"]


def test_a_link_has_a_text() -> None:
    """Where nobody renders the page, `[](page.md)` is a hole in the sentence."""
    pages = [page for page in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")) if not BUILT & set(page.parts)]
    assert len(pages) > 20
    assert [str(page.relative_to(ROOT)) for page in pages if "[](" in page.read_text(encoding="utf-8")] == []
