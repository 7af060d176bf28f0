"""The command line: `motecast COMMAND`.

Every module of this package is a command, found by listing the folder; `why_not.py` is `motecast why-not`. It defines

* `command`: a function whose annotated parameters are Typer's arguments and options and whose docstring is the help
  (`\\b` keeps the line breaks of a paragraph), or `app`: a `typer.Typer` for a command with commands of its own;
* a return value: the exit code, None for 0. Nothing calls `sys.exit`.

    def command(run: Annotated[Path, Argument(help="…")], as_json: Annotated[bool, Option("--json")] = False) -> int:

Three habits keep it pleasant. Only the standard library, typer and `motecast.cli.shared` are imported at the top; the
rest inside the function, because `motecast --help` imports every command. What is wrong with the input is raised
(`ConfigError`, `FilterError`, `OSError`) and never printed: `main` makes one line of it and exit code 2. What a command
prints goes through `shared.output`: `show` and `say` for people, `show_json` for programs, `progress` for who waits.
A command that knows how far it came raises `KeyboardInterrupt` anew, with that as its text.

The package `shared` holds what commands have in common, and is no command. Exit codes: 0 done, 1 a claim or an oracle
does not hold, 2 the input is wrong, 70 a bug of motecast's own (a line that says where, then the traceback), 130
interrupted, 141 nobody reads the output any more (as `cat` has it).
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Sequence
from types import FrameType

BUG = 70  # EX_SOFTWARE of sysexits.h: a script must not take it for a claim that does not hold
INTERRUPTED = 130
CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit code."""
    if argv is None:  # the program itself, not a test or a script that calls it
        signal.signal(signal.SIGINT, _interrupt)
    from motecast.cli.shared.blame import WRONG_INPUT, told
    from motecast.cli.shared.culprit import culprit, told_of
    from motecast.cli.shared.group import run
    from motecast.cli.shared.output import OutputError, close_output, written

    try:
        with written():
            code = run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt as stop:
        print(f"motecast: {str(stop) or 'interrupted'}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        close_output()
        return CLOSED
    except OutputError as error:
        close_output()
        print(f"motecast: {error}", file=sys.stderr)
        return WRONG_INPUT
    except Exception as error:  # noqa: BLE001  # the last resort: whatever it is, it is told
        found = culprit(error)
        message = told(error)
        if message is not None:
            print(f"motecast: {found.place}: {message}" if found else f"motecast: {message}", file=sys.stderr)
        elif found is not None:
            print(*found.frames, f"motecast: {told_of(error, found)}", sep="", file=sys.stderr)
        else:  # our own bug: its traceback is what helps
            place = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
            print(f"motecast: a bug of motecast{place}: {type(error).__name__}: {error}", file=sys.stderr)
            traceback.print_exception(error)
            return BUG
        return WRONG_INPUT
    return code


def _interrupt(number: int, frame: FrameType | None) -> None:
    """The first Ctrl-C ends the command; another one does not disturb the ending."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt
