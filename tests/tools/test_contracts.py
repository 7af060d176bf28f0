"""The import contracts bite: a copy of the sources with one offending import fails, and the report names the place."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINT = "from importlinter.cli import lint_imports_command as run; run()"
EVERY_LAYER = ("filters", "core", "parts", "protocols", "protocols/plain", "protocols/ced")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources and settings, in a place where they may be broken."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in EVERY_LAYER:
        (tmp_path / "src/motecast" / folder).mkdir(exist_ok=True)
        (tmp_path / "src/motecast" / folder / "__init__.py").touch()
    return tmp_path


def report(project: Path, contract: str) -> str:
    """What lint-imports says of one contract, on the sources of this project and not on the installed ones."""
    command = [sys.executable, "-c", LINT, "--no-cache", "--no-logo", "--contract", contract]
    environment = {"PYTHONPATH": str(project / "src"), "COLUMNS": "200"}
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == ("1 broken" in done.stdout), done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "place, line, contract, named",
    [
        ("protocols/plain/broken.py", "import time", "one-door", "plain.broken -> time"),
        ("protocols/plain/broken.py", "from datetime import datetime", "one-door", "plain.broken -> datetime"),
        ("protocols/plain/broken.py", "from random import choice", "one-door", "plain.broken -> random"),
        ("protocols/plain/broken.py", "import asyncio.events", "one-door", "plain.broken -> asyncio"),
        ("protocols/plain/broken.py", "import os.path", "one-door", "plain.broken -> os"),
        ("parts/broken.py", "import numpy", "one-door", "parts.broken -> numpy"),
        ("core/broken.py", "def late():\n    import pyspark.sql", "one-door", "core.broken -> pyspark"),
        (
            "protocols/plain/broken.py",
            "import motecast.protocols.ced",
            "papers",
            "plain.broken -> motecast.protocols.ced",
        ),
        ("filters/broken.py", "import motecast.core", "layers", "filters.broken -> motecast.core"),
        ("newcomer/__init__.py", "", "layers", "newcomer"),
    ],
)
def test_an_offending_import_is_found(copy: Path, place: str, line: str, contract: str, named: str):
    path = copy / "src/motecast" / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(line + "\n")
    assert named in report(copy, contract)


def test_a_detour_to_the_clock_is_found(copy: Path):
    """What a protocol imports may not import a clock for it."""
    (copy / "src/motecast/filters/detour.py").write_text("import time\n")
    (copy / "src/motecast/protocols/plain/broken.py").write_text("import motecast.filters.detour\n")
    assert "plain.broken -> motecast.filters.detour" in report(copy, "one-door")


def test_what_only_an_annotation_needs_is_allowed(copy: Path):
    (copy / "src/motecast/core/typed.py").write_text(
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from random import Random\n"
    )
    assert "core.typed" not in report(copy, "one-door")
