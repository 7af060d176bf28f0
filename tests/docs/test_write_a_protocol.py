"""The how-to "write a protocol in one file", followed to the letter in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "write-a-protocol.md"


def blocks(kind: str) -> list[str]:
    """The fenced blocks of the page that are of this kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Every command of the page with the output that the page shows, "" where it shows none."""
    return [
        (command, output)
        for block in blocks("console")
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


@pytest.mark.slow
def test_every_command_of_the_page_does_what_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "my_field.toml").write_text(blocks("toml")[0], encoding="utf-8")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for command, output in commands():
        line = ["bash", "-c", command]
        done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
        assert done.stderr == ""
        if output:
            assert done.stdout == output


def test_the_page_shows_how_to_run_check_replay_and_plot() -> None:
    verbs = [command.split()[1] for command, _ in commands() if command.startswith("motecast")]
    assert verbs == ["stacks", "sim", "check", "replay", "plot", "sim", "sim"]
