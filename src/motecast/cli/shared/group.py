"""Finds the commands by listing their files, and imports one when it is asked for."""

from __future__ import annotations

import os
import pkgutil
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperCommand, TyperGroup

import motecast.cli
from motecast.core import ConfigError, unknown

PLANNED = (  # the names that docs/reference/vocabulary.md keeps for commands to come
    *("sweep", "compare", "advise", "match", "pipeline", "up", "node", "pub", "sub", "why-not", "key", "acl"),
    *("doctor", "bench", "ui", "swarm"),
)
COMPLETE = "_MOTECAST_COMPLETE"  # set by a shell that wants to complete a line


@cache
def command_names() -> tuple[str, ...]:
    """The commands, by the modules of the package."""
    modules = pkgutil.iter_modules(motecast.cli.__path__)
    return tuple(sorted(module.name.replace("_", "-") for module in modules if not module.ispkg))


@cache
def load_command(name: str) -> TyperCommand | TyperGroup:
    """One command, made of its module."""
    module = import_module(f"motecast.cli.{name.replace('-', '_')}")
    app: typer.Typer | None = getattr(module, "app", None)
    if app is None:
        app = _typer()
        app.command(name)(module.command)
    command = typer.main.get_command(app)
    assert isinstance(command, TyperCommand | TyperGroup), command
    command.name = name
    return command


def _typer() -> typer.Typer:
    return typer.Typer(add_completion=False, rich_markup_mode=None)


class Commands(TyperGroup):
    """All commands, none of them imported before somebody needs it."""

    def list_commands(self, ctx: object) -> list[str]:
        return list(command_names())

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | TyperGroup | None:
        if cmd_name in PLANNED and cmd_name not in command_names():
            raise ConfigError(f"command {cmd_name!r} is not built yet; motecast --help lists those that are")
        if cmd_name not in command_names():
            raise ConfigError(unknown("command", cmd_name, command_names()))
        return load_command(cmd_name)


def _say_version(wanted: bool) -> None:
    if wanted:
        print(f"motecast {motecast.__version__}")
        raise typer.Exit


app = typer.Typer(cls=Commands, rich_markup_mode=None)


CODES = "Exit codes: 0 done, 1 a claim or an oracle does not hold, 2 the input is wrong, 70 a bug, 130 interrupted."


@app.callback(epilog=CODES)
def _motecast(
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Publish/subscribe for sensor networks, from the radio to the cluster."""


def run(arguments: list[str]) -> int:
    """The exit code of one command line; mistakes are raised."""
    if COMPLETE in os.environ:
        return _complete()
    command = typer.main.get_command(app)
    look_beside(Path("anything"))  # so that "my_module:my_stack" is found where the user works
    try:
        with command.make_context("motecast", arguments or ["--help"]) as context:
            code = command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except (typer.Abort, EOFError):
        raise KeyboardInterrupt from None
    return code or 0


def look_beside(file: Path) -> None:
    """Protocols of the user's own are found in the folder of this file; last, so that they hide nothing."""
    try:
        folder = os.path.abspath(file.parent)
    except FileNotFoundError:
        raise ConfigError("the working directory is gone; cd to one that is there") from None
    if folder not in sys.path:
        sys.path.append(folder)


def _complete() -> int:
    """Answers a shell that wants to complete a line; typer does it, and ends by leaving."""
    try:
        app(prog_name="motecast")
    except SystemExit as done:
        return int(done.code or 0)
    return 0
