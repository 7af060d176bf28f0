"""What a command prints: text and tables for people, one JSON object for programs, progress for those who wait."""

from __future__ import annotations

import errno
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
Table = Sequence[Sequence[str]]
Advance = Callable[[float], None]


def say(text: str = "") -> None:
    """One line, or several, on standard output."""
    print(text)


def note(text: str) -> None:
    """One line on standard error that nobody has to act upon."""
    print(f"note: {text}", file=sys.stderr)


def show(table: Table, header: Sequence[str] = ()) -> None:
    """A table: drawn on a terminal, plain aligned columns in a pipe. Columns of numbers are aligned to the right."""
    rows = [[str(cell) for cell in row] for row in table]
    if sys.stdout.isatty():
        _draw(rows, header)
    else:
        for line in _aligned(rows, header):
            print(line)


def show_json(value: object) -> None:
    """One JSON object and nothing else. A float that JSON lacks (NaN, infinity) is null."""
    print(json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False))


@contextmanager
def progress(label: str, total: float) -> Iterator[Advance]:
    """Yields `advance(to)`, which draws a bar on standard error, and does nothing unless that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda to: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda to: bar.update(task, completed=to)


class OutputError(Exception):
    """Standard output cannot be written."""


@contextmanager
def written() -> Iterator[None]:
    """What is printed inside has reached its reader at the end; `OutputError` if it cannot."""
    if sys.stdout is None:  # that is what Python makes of a closed one
        raise OutputError("standard output is closed; > /dev/null throws it away")
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None or error.errno not in UNWRITABLE:
            raise
        raise OutputError(f"standard output cannot be written: {(error.strerror or '').lower()}") from None


def close_output() -> None:
    """Nobody reads standard output any more: what is still in its buffer goes nowhere, without a complaint at exit."""
    if sys.stdout is None:
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _draw(rows: Table, header: Sequence[str]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Drawing
    from rich.text import Text

    drawing = Drawing(box=SIMPLE_HEAD, show_header=bool(header), pad_edge=False)
    for index in range(_width(rows, header)):
        name = header[index] if index < len(header) else ""
        # The first column says what a line is about: a narrow terminal takes the room from the others.
        least = max(len(line[0]) for line in (header, *rows) if line) if index == 0 else None
        drawing.add_column(
            Text(name), justify="right" if _is_numeric(rows, index) else "left", min_width=least, overflow="fold"
        )
    for row in rows:
        drawing.add_row(*(Text(cell) for cell in row))
    Console().print(drawing)


def _aligned(rows: Table, header: Sequence[str]) -> Iterator[str]:
    lines = [list(header), *rows] if header else rows
    width = _width(rows, header)
    widths = [max((len(line[index]) for line in lines if index < len(line)), default=0) for index in range(width)]
    right = [_is_numeric(rows, index) for index in range(width)]
    for line in lines:
        cells = zip(line, widths, right, strict=False)
        yield "  ".join(cell.rjust(w) if to_right else cell.ljust(w) for cell, w, to_right in cells).rstrip()


def _width(rows: Table, header: Sequence[str]) -> int:
    return max((len(line) for line in (header, *rows)), default=0)


def _is_numeric(rows: Table, index: int) -> bool:
    cells = [row[index] for row in rows if index < len(row) and row[index] not in ("", "-")]
    return bool(cells) and all(_is_number(cell) for cell in cells)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "").removesuffix("%").rstrip())
    except ValueError:
        return False
    return True


def _plain(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
