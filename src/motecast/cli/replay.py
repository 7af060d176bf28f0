"""`motecast replay`: the life of a node or of an event, read from a trace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from motecast.cli.shared.output import say, show, show_json

if TYPE_CHECKING:
    from motecast.check.story import Line, Story

DUPLICATE = "duplicate"
LEGEND = f"{DUPLICATE}: a copy of an event heard again; the measure duplicates counts events delivered again"
HEADER = ("row", "seconds", "node", "what", "event", "peer", "hops", "more")


def command(
    run: Annotated[Path, Argument(help="The folder of a run: motecast sim … --trace RUN.", show_default=False)],
    node: Annotated[int | None, Option(help="The life of this node.")] = None,
    event: Annotated[str | None, Option(help="The life of this event, publisher/number: 3/41.")] = None,
    limit: Annotated[int, Option(min=0, help="Rows to print; 0: all.")] = 200,
    as_json: Annotated[bool, Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tell the life of a node, of an event, or of an event at a node.

    \b
    motecast replay run/ --node 12
    motecast replay run/ --event 3/41
    motecast replay run/ --event 3/41 --node 12 --json
    """
    from motecast.check import View
    from motecast.check.story import parse_event, story
    from motecast.core import ConfigError
    from motecast.trace import load_trace

    if node is None and event is None:
        raise ConfigError("whose life? give --node 12, --event 3/41, or both")
    chosen = None if event is None else parse_event(event)
    view = View(load_trace(run))
    fold = "" if as_json or view.is_full or node is not None else DUPLICATE  # nobody can see where they came from
    found = story(view, node, chosen, limit, fold)
    if as_json:
        about = {name: view.about.get(name) for name in ("stack", "seed", "digest", "level")}
        show_json(
            {**about, "title": found.title, "count": found.total, "rows": [each._asdict() for each in found.lines]}
        )
    else:
        _print(found, is_full=view.is_full, run=run)


def _print(found: Story, *, is_full: bool, run: Path) -> None:
    for title in found.title:
        say(title)
    say()
    if found.lines:
        show([_cells(line) for line in found.lines], header=HEADER)
    else:
        say("nothing happened")
    copies, nodes = found.folded
    if copies:
        say(f"\n{_many(copies, DUPLICATE)} heard at {_many(nodes, 'node')}")
    if copies or any(line.what == DUPLICATE for line in found.lines):
        say(f"\n{LEGEND}" if not copies else LEGEND)
    if found.total > len(found.lines):
        say(f"\n{found.total - len(found.lines)} more rows: --limit 0 prints all {found.total}")
    if not is_full:
        say(
            f"\nFrames, timers and losses are not in this trace; motecast sim … --level full --trace {run} writes them."
        )


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}"


def _cells(line: Line) -> tuple[str, ...]:
    peer, hops = ("" if value is None else str(value) for value in (line.peer, line.hops))
    return (str(line.row), f"{line.seconds:.6f}", str(line.node), line.what, line.event, peer, hops, line.more)
