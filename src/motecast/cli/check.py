"""`motecast check`: what holds in a run, what is violated, and where."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from motecast.cli.shared.output import say, show, show_json

if TYPE_CHECKING:
    from motecast.check import Run, Verdict

SHOWN = 5  # findings of each violated oracle


def command(
    run: Annotated[Path, Argument(help="The folder of a run: motecast sim … --trace RUN.", show_default=False)],
    oracle: Annotated[list[str] | None, Option(help="Judge by this one only. Repeatable.")] = None,
    every: Annotated[bool, Option("--all", help="Judge by every oracle, promised or not.")] = False,
    alpha: Annotated[float, Option(help="Agreement: the share that must deliver what one delivered.")] = 0.99,
    limit: Annotated[int, Option(min=0, max=100, help="Findings to print of each violated oracle.")] = SHOWN,
    as_json: Annotated[bool, Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Judge a run: by default by what its stack promises, and whether it shows anything at all.

    \b
    motecast check run/
    motecast check run/ --oracle fifo --oracle causal-order
    motecast check run/ --all --alpha 0.95 --json
    """
    from motecast.check import ORACLES, load
    from motecast.core import ConfigError

    if every and oracle:
        raise ConfigError(f"--all and --oracle {oracle[0]}: give one of the two")
    loaded = load(run)
    verdicts = loaded.check(list(ORACLES) if every else oracle or None, alpha=alpha)
    if as_json:
        show_json(_as_object(loaded, verdicts, limit))
    else:
        _print(verdicts, limit)
    return int(any(not verdict.holds for verdict in verdicts))


def _as_object(run: Run, verdicts: list[Verdict], limit: int) -> dict[str, object]:
    return {
        "stack": run.about.get("stack"),
        "seed": run.about.get("seed"),
        "digest": run.digest,
        "measures": run.measures,
        "verdicts": [
            {
                "oracle": verdict.oracle,
                "mode": verdict.mode,
                "verdict": verdict.word,
                "count": verdict.count,
                "skipped": verdict.skipped,
                "remark": verdict.remark,
                "findings": [{"text": each.text, "rows": each.rows} for each in verdict.findings[:limit]],
            }
            for verdict in verdicts
        ],
    }


def _print(verdicts: list[Verdict], limit: int) -> None:
    rows = [
        (
            verdict.oracle,
            verdict.mode,
            verdict.word,
            "-" if verdict.skipped else str(verdict.count),
            verdict.skipped or verdict.remark or "",
        )
        for verdict in verdicts
    ]
    show(rows, header=("oracle", "mode", "verdict", "findings", "why"))
    for verdict in verdicts:
        if verdict.findings and limit:
            say(f"\n{verdict.oracle}:")
            for finding in verdict.findings[:limit]:
                say(f"  {finding.text}{_rows(finding.rows)}")
            if verdict.count > limit:
                say(f"  and {verdict.count - min(limit, len(verdict.findings))} more")


def _rows(rows: tuple[int, ...]) -> str:
    return f" (row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows))})" if rows else ""
