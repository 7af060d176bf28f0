"""`motecast sim`: one run of a scenario."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from motecast.cli.shared.output import Advance, note, progress, say, show, show_json

if TYPE_CHECKING:
    from motecast.check import Run
    from motecast.sim import Deployment, Scenario

UNITS = {"delay_": "s", "_bytes": "bytes", "energy_joules": "J", "lifetime_days": "days"}


def command(
    scenario: Annotated[Path, Argument(help="A scenario file (TOML).", show_default=False)],
    settings: Annotated[
        list[str] | None, Option("--set", metavar="KEY=VALUE", help="Any dotted key, such as medium.loss=0.1.")
    ] = None,
    seed: Annotated[int | None, Option(help="Draws another world; the same seed draws the same one.")] = None,
    trace: Annotated[Path | None, Option(help="Write the trace into this folder.", metavar="FOLDER")] = None,
    level: Annotated[str, Option(help="What the trace holds: deliveries, or full (every frame).")] = "deliveries",
    plan: Annotated[Path | None, Option(help="Write the contact plan of moving nodes.", metavar="FILE")] = None,
    explain: Annotated[bool, Option("--explain", help="Print the scenario as it was understood; run nothing.")] = False,
    as_json: Annotated[bool, Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run a scenario in virtual time and print its measures.

    \b
    motecast sim examples/field.toml
    motecast sim examples/field.toml --set stack=gossip --set protocol.p=0.6 --seed 7
    motecast sim examples/field.toml --set medium.loss=0.1 --trace run/ --level full
    """
    from motecast.check import Run
    from motecast.cli.shared.group import look_beside
    from motecast.sim import check_level, deploy, parse_setting, read_scenario, run, unread

    check_level(level)
    look_beside(scenario)
    resolved = read_scenario(scenario, dict(map(parse_setting, settings or [])), seed)
    for name, attribute, near in unread(resolved):
        hint = f"; {near.strip()}" if near else f"; workload.{name}.subscribe matches nothing by it"
        note(f"no event has attribute {attribute!r}{hint}")
    if explain:
        _explain(resolved, as_json=as_json)
        return
    earlier = None if trace is None else _make_room(trace)
    with progress(f"{resolved.name}: {resolved.stack}", resolved.until) as bar, _told(bar, resolved.until) as advance:
        deployment = deploy(resolved)
        if plan is not None:
            _keep_plan(deployment, plan)
        result = Run(run(deployment, level, advance))
    if trace is not None:
        result.save(trace)
        if earlier not in (None, result.digest):
            note(f"{trace}: another run was here (digest {earlier}); it is replaced")
    if as_json:
        show_json({name: result.about[name] for name in ("stack", "seed", "digest")} | {"measures": result.measures})
    else:
        _report(result, trace)


def _keep_plan(deployment: Deployment, path: Path) -> None:
    """Writes who hears whom when, for `[medium] plan`."""
    from motecast.core import ConfigError

    if deployment.plan is None:
        raise ConfigError(f"--plan {path}: the links of this field never change; nothing to write")
    path.parent.mkdir(parents=True, exist_ok=True)
    deployment.plan.save(path)


@contextmanager
def _told(advance: Advance, until: float) -> Iterator[Advance]:
    """Passes on how far the run is; whoever interrupts it is told."""
    reached = 0.0

    def tell(seconds: float) -> None:
        nonlocal reached
        reached = seconds
        advance(seconds)

    try:
        yield tell
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted at {reached:.3g} of {until:g} s") from None


def _make_room(folder: Path) -> str | None:
    """Makes the folder: what cannot be written is told before a long run, not after. The digest of the run in it."""
    from motecast.core import ConfigError
    from motecast.trace import TABLES

    folder.mkdir(parents=True, exist_ok=True)
    names = {file.name for file in folder.iterdir()}
    if not names <= {f"{table}.parquet" for table in TABLES} and "run.json" not in names:
        raise ConfigError(f"--trace {folder}: not empty and no run (run.json is missing); name another folder")
    try:
        return str(json.loads((folder / "run.json").read_text(encoding="utf-8"))["digest"])
    except (OSError, ValueError, LookupError, TypeError):
        return None  # there is none, or it is damaged: nothing is lost


def _explain(scenario: Scenario, *, as_json: bool) -> None:
    """The resolved scenario, every default filled in, as a file that gives the same run."""
    import tomli_w

    from motecast.sim import plain_of

    plain = plain_of(scenario)
    if as_json:
        show_json(plain)
    else:
        say(tomli_w.dumps(plain).rstrip())


def _report(result: Run, trace: Path | None) -> None:
    about = result.about
    nodes = result.field.num_rows
    say(f"{about['name']}: {about['layers']}, {nodes} nodes, {about['until']:g} s, seed {about['seed']}")
    say()
    rows = [(name, shown(value), _unit(name)) for name, value in result.measures.items() if value is not None]
    show(rows, header=("measure", "value", "unit"))
    absent = [name for name, value in result.measures.items() if value is None]
    if absent:
        say(f"\ndoes not apply here: {', '.join(absent)}")
    say(f"\ndigest {result.digest}")
    if trace is not None:
        say(f"trace in {trace}: motecast check {trace}, motecast replay {trace}, motecast plot {trace}")
    elif result.measures["violations"]:
        say("violations: run again with --trace run/, then motecast check run/")


def shown(value: float) -> str:
    """A number with as many digits as a reader wants."""
    return str(value) if isinstance(value, int) else f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def _unit(name: str) -> str:
    return next((unit for part, unit in UNITS.items() if part in name), "")
