"""`motecast plot`: a run in pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from motecast.cli.shared.output import say, show_json

if TYPE_CHECKING:
    from motecast.cli.shared.journey import Journey


def command(
    run: Annotated[Path, Argument(help="The folder of a run: motecast sim … --trace RUN.", show_default=False)],
    out: Annotated[Path | None, Option(help="Where the files go; the run's folder when absent.", metavar="DIR")] = None,
    event: Annotated[
        str | None, Option(help="The event whose way is drawn; else the wanted one that went farthest.", metavar="3/41")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Draw the field, one event's way through it, and the delays, as PNG and SVG.

    \b
    motecast plot run/
    motecast plot run/ --event 3/41 --out pictures/
    """
    from motecast.check import View
    from motecast.check.story import find_event, parse_event
    from motecast.cli.shared.journey import farthest, journey
    from motecast.cli.shared.pictures import pictures, remove_others, save, style
    from motecast.trace import load_trace

    chosen = None if event is None else parse_event(event)
    view = View(load_trace(run))
    place = farthest(view) if chosen is None else find_event(view, chosen)
    way = None if place is None else journey(view, place)
    folder = run if out is None else out
    folder.mkdir(parents=True, exist_ok=True)
    digest = str(view.about["digest"])
    removed = [str(file) for file in remove_others(folder, digest)]
    with style():
        files = [str(file) for name, figure in pictures(view, way) for file in save(figure, folder, name, digest)]
    if as_json:
        about = {name: view.about.get(name) for name in ("stack", "seed", "digest")}
        show_json({**about, "event": None if way is None else str(way.event), "files": files, "removed": removed})
        return
    for file in files:
        say(file)
    for file in removed:
        if file not in files:
            say(f"removed {file}: it was of another run")
    if way is not None and chosen is None:
        say(f"event {way.event} is drawn, {_why(way)}; --event chooses another")
    if way is not None and not way.tree and not view.is_full:
        say(f"the way of {way.event} shows deliveries only; a trace of --level full has every hop of it")


def _why(way: Journey) -> str:
    """Why this event is a good one to look at."""
    hops = [way.arrivals[node][1] or 0 for node in way.delivered & way.wanted]
    if hops:
        return f"which went farthest to somebody who wants it: {max(hops)} hop{'s' if max(hops) != 1 else ''}"
    return "the first that somebody wants" if way.wanted else "the first; nobody wants it"
