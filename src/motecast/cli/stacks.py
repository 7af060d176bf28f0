"""`motecast stacks`: the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from motecast.cli.shared.output import say, show, show_json

if TYPE_CHECKING:
    from motecast.cli.shared.catalogue import Entry


def command(
    name: Annotated[str, Argument(help="One stack; also package.module:function.", show_default=False)] = "",
    as_json: Annotated[bool, Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the catalogue: every stack with its layers, its parameters and what it promises.

    \b
    motecast stacks
    motecast stacks flood-fifo
    motecast stacks my_protocol:my_stack
    """
    from motecast.cli.shared.catalogue import describe
    from motecast.stacks import STACKS

    entries = [describe(each) for each in ([name] if name else STACKS)]
    if as_json:
        show_json(_as_object(entries[0]) if name else {"stacks": [_as_object(entry) for entry in entries]})
    elif name:
        _show_one(entries[0])
    else:
        _show_all(entries)


def _as_object(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name,
        "about": entry.about,
        "layers": [{"name": name, "about": about} for name, about in entry.layers],
        "parameters": [{**each._asdict(), "default": _plain(each.default)} for each in entry.parameters],
        "promises": list(entry.promises),
    }


def _plain(default: object) -> object:
    """What JSON has a word for; a policy value is written as in Python."""
    return default if isinstance(default, bool | int | float | str | None) else repr(default)


def _show_all(entries: list[Entry]) -> None:
    show([(entry.name, _layers(entry), entry.about) for entry in entries], header=("stack", "layers", "about"))
    say()
    rows = [(entry.name, *row) for entry in entries for row in _parameter_rows(entry)]
    show([row[:5] for row in rows], header=("stack", "parameter", "default", "unit", "source"))
    say()
    show([(entry.name, ", ".join(entry.promises)) for entry in entries], header=("stack", "promises"))


def _show_one(entry: Entry) -> None:
    say(f"{entry.name}: {entry.about or 'its function has no docstring'}")
    say()
    show(entry.layers, header=("layer", "about"))
    if entry.parameters:
        say()
        show(_parameter_rows(entry), header=("parameter", "default", "unit", "source", "layer", "allowed"))
    say()
    say(f"promises: {', '.join(entry.promises) or 'nothing'}")


def _layers(entry: Entry) -> str:
    return " / ".join(name for name, _ in entry.layers)


def _parameter_rows(entry: Entry) -> list[tuple[str, ...]]:
    return [
        (each.name, str(each.default), each.unit, each.source, each.layer, each.allowed) for each in entry.parameters
    ]
