"""The first seconds of a new user: help and version at once, and one line for a command that does not exist."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import motecast
from motecast.cli import main
from motecast.cli.shared.group import command_names

MOTECAST = Path(sys.executable).with_name("motecast")
HEAVY = ("rich", "numpy", "pyarrow", "matplotlib", "numba", "pyspark", "asyncio")


def cpu_seconds(*arguments: str) -> float:
    """CPU seconds of a command line; the best of three, as others use the machine too."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([MOTECAST, *arguments], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(3))


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_first_answer_takes_less_than_a_third_of_a_second(option):
    assert cpu_seconds(option) < 0.3


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_first_answer_imports_nothing_heavy(option):
    source = f"import sys; from motecast.cli import main; main(['{option}']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", source], check=True, capture_output=True, text=True)
    assert not set(HEAVY) & set(done.stderr.split())


def test_version_says_name_and_number(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"motecast {motecast.__version__}\n"


def test_help_lists_every_command_with_what_it_does(capsys):
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name in command_names():
        assert any(line.split()[:1] == [name] and len(line.split()) > 1 for line in lines), name


def test_no_arguments_show_the_help(capsys):
    assert main([]) == 0
    assert "Usage: motecast" in capsys.readouterr().out


@pytest.mark.parametrize("name", command_names())
def test_every_command_explains_itself(name, capsys):
    assert main([name, "--help"]) == 0
    assert f"motecast {name}" in capsys.readouterr().out


def test_an_unknown_command_is_one_line_with_the_nearest_name(capsys):
    assert main(["plott"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "no command 'plott'; did you mean 'plot'?" in captured.err


def test_an_unknown_option_is_one_line_that_says_where_help_is(capsys):
    assert main(["--verbos"]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "--help" in captured.err


def test_python_dash_m_is_the_same_program():
    done = subprocess.run([sys.executable, "-m", "motecast", "--version"], check=True, capture_output=True, text=True)
    assert done.stdout == f"motecast {motecast.__version__}\n"


def test_a_reader_that_goes_away_ends_the_command_quietly():
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run([MOTECAST, "--help"], check=False, stdout=write, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_shell_completes_commands(capsys, monkeypatch):
    monkeypatch.setenv("_MOTECAST_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "motecast stu")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert main([]) == 0
    assert capsys.readouterr().out.split() == ["study"]


@pytest.mark.parametrize("name", ["pipeline", "why-not", "swarm"])
def test_a_command_that_the_vocabulary_keeps_a_name_for_is_said_to_come(name, capsys):
    assert main([name, "run"]) == 2
    line = f"motecast: command {name!r} is not built yet; motecast --help lists those that are\n"
    assert capsys.readouterr().err == line


def output_of(redirection: str, folder: str = ".") -> tuple[int, str]:
    """Exit code and standard error of `motecast stacks` in a shell that redirects its output."""
    line = ["bash", "-c", f"cd {folder} && {MOTECAST} stacks {redirection}"]
    done = subprocess.run(line, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr


def test_an_output_that_cannot_be_written_is_one_line():
    full = "motecast: standard output cannot be written: no space left on device\n"
    assert output_of("> /dev/full") == (2, full)
    assert output_of(">&-") == (2, "motecast: standard output is closed; > /dev/null throws it away\n")


def test_a_working_directory_that_is_gone_is_one_line(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    line = "motecast: the working directory is gone; cd to one that is there\n"
    assert output_of("", f"{folder} && rmdir {folder}") == (2, line)
