"""What commands print, into a pipe and on a terminal. The terminal is a real one: a pseudo-terminal of the system."""

from __future__ import annotations

import io
import json
import os
import pty
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from motecast.cli.shared.output import progress, say, show, show_json


@dataclass
class Terminal:
    """A pseudo-terminal in the place of a standard stream."""

    screen: int
    keys: io.TextIOWrapper

    def shown(self) -> str:
        """What was written since the last look."""
        self.keys.flush()
        os.set_blocking(self.screen, False)
        try:
            return os.read(self.screen, 1 << 16).decode()
        except BlockingIOError:
            return ""


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """A terminal, closed afterwards."""
    screen, keys = pty.openpty()
    with os.fdopen(keys, "w", encoding="utf-8") as stream:
        yield Terminal(screen, stream)
    os.close(screen)


def test_a_piped_table_is_plain_text_in_aligned_columns(capsys):
    show([["delivery_ratio", "0.98"], ["published", "1200"]], header=["measure", "value"])
    assert capsys.readouterr().out.splitlines() == [
        "measure         value",
        "delivery_ratio   0.98",
        "published        1200",
    ]


def test_columns_of_words_are_aligned_to_the_left_and_lines_have_no_trailing_blanks(capsys):
    show([["flood", "every node"], ["flood-fifo", "in order"]])
    assert capsys.readouterr().out == "flood       every node\nflood-fifo  in order\n"


def test_a_missing_value_does_not_turn_a_column_of_numbers_into_words(capsys):
    show([["a", "-"], ["b", "12,000"], ["c", "5 %"], ["d", ""]])
    assert capsys.readouterr().out.splitlines() == ["a       -", "b  12,000", "c     5 %", "d"]


def test_rows_of_unequal_length_are_shown_as_far_as_they_go(capsys):
    show([["a"], ["b", "c"]], header=["name"])
    assert capsys.readouterr().out.splitlines() == ["name", "a", "b     c"]


def test_a_table_without_rows_shows_its_header_and_one_without_both_shows_nothing(capsys):
    show([], header=["name", "value"])
    assert capsys.readouterr().out == "name  value\n"
    show([])
    assert capsys.readouterr().out == ""


def test_a_terminal_gets_a_drawn_table(terminal, monkeypatch):
    monkeypatch.setattr(sys, "stdout", terminal.keys)
    monkeypatch.setenv("TERM", "xterm")
    show([["published", "1200"]], header=["measure", "value"])
    shown = terminal.shown()
    assert "─" in shown
    for text in ("measure", "published", "1200"):
        assert text in shown


def test_a_narrow_terminal_takes_no_room_from_the_first_column(terminal, monkeypatch):
    monkeypatch.setattr(sys, "stdout", terminal.keys)
    monkeypatch.setenv("COLUMNS", "40")
    show([["transmissions_per_event", "a long explanation " * 5]], header=["measure", "what it means"])
    assert "transmissions_per_event" in terminal.shown()


def test_brackets_in_a_drawn_table_are_text_and_no_markup(terminal, monkeypatch):
    monkeypatch.setattr(sys, "stdout", terminal.keys)
    show([["[red]alarm[/red]", "[medium]"]], header=["[bold]", "key"])
    shown = terminal.shown()
    for text in ("[red]alarm[/red]", "[medium]", "[bold]"):
        assert text in shown


def test_say_prints_a_line(capsys):
    say("done")
    assert capsys.readouterr().out == "done\n"


def test_json_is_one_object_and_what_json_cannot_say_is_null(capsys):
    show_json({"seed": 7, "measures": {"delay_mean": float("nan"), "load_max": float("inf"), "hops": (1, 2.5)}})
    expected = {"seed": 7, "measures": {"delay_mean": None, "load_max": None, "hops": [1, 2.5]}}
    assert json.loads(capsys.readouterr().out) == expected


def test_progress_is_silent_when_standard_error_is_no_terminal(capsys):
    with progress("simulating", 10.0) as advance:
        advance(5.0)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_progress_draws_on_standard_error_when_that_is_a_terminal(terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", terminal.keys)
    monkeypatch.setenv("TERM", "xterm")
    with progress("simulating", 10.0) as advance:
        advance(5.0)
    assert "simulating" in terminal.shown()
    assert capsys.readouterr().out == ""
