"""`motecast plot`: a run in pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from motecast.cli.shared.output import say, show_json


def command(
    run: Annotated[Path, Argument(help="The folder of a run: motecast sim … --trace RUN.", show_default=False)],
    out: Annotated[Path | None, Option(help="Where the files go; the run's folder when absent.", metavar="DIR")] = None,
    event: Annotated[
        str | None, Option(help="The event whose way is drawn; else one of the first publisher.", metavar="3/41")
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
    from motecast.cli.shared.journey import journey, most_travelled
    from motecast.cli.shared.pictures import pictures, save, style
    from motecast.trace import load_trace

    chosen = None if event is None else parse_event(event)
    view = View(load_trace(run))
    place = most_travelled(view) if chosen is None else find_event(view, chosen)
    way = None if place is None else journey(view, place)
    folder = run if out is None else out
    folder.mkdir(parents=True, exist_ok=True)
    with style():
        files = [str(file) for name, figure in pictures(view, way) for file in save(figure, folder, name)]
    if as_json:
        about = {name: view.about.get(name) for name in ("stack", "seed", "digest")}
        show_json({**about, "event": None if way is None else str(way.event), "files": files})
        return
    for file in files:
        say(file)
    if way is not None and not way.tree and not view.is_full:
        say(f"the way of {way.event} shows deliveries only; a trace of --level full has every hop of it")
