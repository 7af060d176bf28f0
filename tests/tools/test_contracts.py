"""The import contracts bite: a copy of the sources with one offending import fails, and says which contract."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINT = [
    sys.executable,
    "-c",
    "from importlinter.cli import lint_imports_command as run; run()",
    "--no-cache",
    "--no-logo",
]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources and settings, in a place where they may be broken."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in ("core", "parts", "filters", "protocols", "protocols/plain", "protocols/ced"):
        (tmp_path / "src/motecast" / folder).mkdir(exist_ok=True)
        (tmp_path / "src/motecast" / folder / "__init__.py").touch()
    return tmp_path


def lint(project: Path) -> tuple[int, str]:
    """Exit code and report of lint-imports, run on the sources of this project and not on the installed ones."""
    done = subprocess.run(
        LINT, cwd=project, env={"PYTHONPATH": str(project / "src")}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_the_sources_keep_every_contract(copy: Path):
    code, report = lint(copy)
    assert code == 0, report


@pytest.mark.parametrize(
    "place, line, contract",
    [
        ("protocols/plain/broken.py", "import time", "Protocols know no clock, socket, file, thread, chance or Spark"),
        (
            "protocols/plain/broken.py",
            "from datetime import datetime",
            "Protocols know no clock, socket, file, thread, chance or Spark",
        ),
        (
            "protocols/plain/broken.py",
            "from random import choice",
            "Protocols know no clock, socket, file, thread, chance or Spark",
        ),
        (
            "protocols/plain/broken.py",
            "import asyncio.events",
            "Protocols know no clock, socket, file, thread, chance or Spark",
        ),
        (
            "protocols/plain/broken.py",
            "import os.path",
            "Protocols know no clock, socket, file, thread, chance or Spark",
        ),
        ("parts/broken.py", "import numpy", "Protocols know no clock, socket, file, thread, chance or Spark"),
        (
            "core/broken.py",
            "def late():\n    import pyspark.sql",
            "Protocols know no clock, socket, file, thread, chance or Spark",
        ),
        (
            "protocols/plain/broken.py",
            "import motecast.protocols.ced",
            "The folders of protocols never import each other",
        ),
        ("filters/broken.py", "import motecast.core", "Dependencies point one way only"),
        ("newcomer/__init__.py", "", "Dependencies point one way only"),
    ],
)
def test_an_offending_import_is_found(copy: Path, place: str, line: str, contract: str):
    path = copy / "src/motecast" / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(line + "\n")
    code, report = lint(copy)
    assert code != 0, report
    broken = [row for row in report.splitlines() if "BROKEN" in row]
    assert len(broken) == 1, report
    assert broken[0].startswith(contract), report


def test_what_only_an_annotation_needs_is_allowed(copy: Path):
    (copy / "src/motecast/core/typed.py").write_text(
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from random import Random\n"
    )
    code, report = lint(copy)
    assert code == 0, report
