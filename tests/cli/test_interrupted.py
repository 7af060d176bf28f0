"""Ctrl-C: the command ends at once, says how far it came, and leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FIELD = Path(__file__).parents[2] / "examples" / "field.toml"
PATIENCE = 60.0  # s; far more than is ever needed

pytestmark = pytest.mark.slow


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[str]]:
    """A command in a process group of its own, as a terminal starts it."""
    command = [sys.executable, "-m", "motecast", *words]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield process
    finally:
        if is_running(process.pid):
            os.killpg(process.pid, signal.SIGKILL)


def is_running(group: int) -> bool:
    """True while a process of the group is there."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(claim: Callable[[], bool]) -> bool:
    """True as soon as the claim is; False if it never becomes so."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if claim():
            return True
        time.sleep(0.02)
    return False


def interrupt(process: subprocess.Popen[str], times: int) -> tuple[int, str, str]:
    """Presses Ctrl-C: the terminal signals the whole group. Exit code, standard output, standard error."""
    for _ in range(times):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.05)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


@pytest.mark.parametrize("times", [1, 2])
def test_a_study_that_is_interrupted_ends_its_workers_and_says_what_it_keeps(tmp_path: Path, times: int) -> None:
    words = ("study", "flooding", "--scale", "full", "--jobs", "2", "--runs", str(tmp_path))
    with started(*words) as process:
        assert wait_for(lambda: bool(list(tmp_path.rglob("*.json"))))
        code, out, err = interrupt(process, times)
        assert wait_for(lambda: not is_running(process.pid))
    kept = len(list(tmp_path.rglob("*.json")))
    assert (code, out) == (130, "")
    folder = tmp_path / "flooding"
    assert err == f"motecast: interrupted; {kept} of 120 runs kept in {folder}; the same command goes on from there\n"


def test_a_study_that_is_interrupted_while_its_workers_start_is_quiet_too(tmp_path: Path) -> None:
    with started("study", "flooding", "--scale", "full", "--jobs", "2", "--runs", str(tmp_path)) as process:
        assert wait_for(lambda: len(children(process.pid)) >= 2)
        code, out, err = interrupt(process, 1)
        assert wait_for(lambda: not is_running(process.pid))
    assert (code, out) == (130, "")
    assert err.startswith("motecast: interrupted; ")
    assert err.count("\n") == 1


def children(pid: int) -> list[str]:
    """The process ids of its children."""
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return []


@pytest.mark.parametrize("times", [1, 2])
def test_a_run_that_is_interrupted_says_how_far_it_came(tmp_path: Path, times: int) -> None:
    trace = tmp_path / "run"
    with started("sim", str(FIELD), "--set", "until=20000", "--trace", str(trace)) as process:
        assert wait_for(trace.is_dir)  # it is made when the scenario is read
        code, out, err = interrupt(process, times)
    assert (code, out) == (130, "")
    assert err.startswith("motecast: interrupted at ")
    assert err.endswith(" of 20000 s\n")
