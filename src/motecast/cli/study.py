"""`motecast study`: reproduce a published table and judge its claims."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from motecast.cli.shared.output import Advance, progress, say, show, show_json

if TYPE_CHECKING:
    from motecast.studies import Results, Study


def command(
    name: Annotated[str, Argument(help="A study, or `list`.")] = "list",
    scale: Annotated[str, Option(help="How much to run: smoke, ci or full.")] = "full",
    processes: Annotated[int, Option("--jobs", min=1, help="Runs at a time.")] = os.cpu_count() or 1,
    folder: Annotated[Path, Option("--runs", help="Where finished runs are kept.")] = Path("out/studies"),
    fresh: Annotated[bool, Option("--fresh", help="Run everything again.")] = False,
    as_json: Annotated[bool, Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Run every case of a study with every seed, print its table and judge its claims.

    Finished runs are kept, so that an interrupted study goes on where it was. Exit code 1 when a claim does not hold.

    \b
    motecast study list
    motecast study flooding --scale ci
    """
    from motecast.studies import find_study, run_study
    from motecast.studies.runner import jobs_of

    if name == "list":
        return _list(as_json=as_json)
    study = find_study(name)
    total = len(jobs_of(study, scale))
    kept = None if fresh else folder / study.name
    with progress(f"{study.name} ({scale}, {total} runs)", total) as advance, _counted(advance, total, kept) as count:
        results = run_study(study, scale, folder=kept, processes=processes, advance=count)
    judged = [claim for claim in study.claims if scale in claim.scales]
    verdicts = [(claim.text, claim.holds(results), claim.shows(results)) for claim in judged]
    if as_json:
        show_json({"study": study.name, "scale": scale, "table": _table(study, results), "claims": _plain(verdicts)})
    else:
        _report(study, scale, results, verdicts)
    return int(not all(holds for _, holds, _ in verdicts))


@contextmanager
def _counted(advance: Advance, total: int, kept: Path | None) -> Iterator[Advance]:
    """Passes the number of known runs on; whoever interrupts is told it."""
    done = 0

    def count(known: float) -> None:
        nonlocal done
        done = int(known)
        advance(known)

    try:
        yield count
    except KeyboardInterrupt:
        fate = "none is kept (--fresh)" if kept is None else f"kept in {kept}; the same command goes on from there"
        raise KeyboardInterrupt(f"interrupted; {done} of {total} runs {fate}") from None


def _list(*, as_json: bool) -> int:
    from motecast.studies import find_study, study_names

    studies = [find_study(name) for name in study_names()]
    if as_json:
        show_json(
            {"studies": [{"name": study.name, "title": study.title, "source": study.source} for study in studies]}
        )
    else:
        show([(study.name, study.title, study.source) for study in studies], header=("study", "title", "source"))
    return 0


def _table(study: Study, results: Results) -> list[dict[str, object]]:
    """Ours and the paper's, a row a case."""
    paper = {(entry.label, entry.measure): entry.value for entry in study.published}
    return [
        {
            "case": case.label,
            **{
                measure: {
                    "mean": results.mean(case.label, measure),
                    "margin": results.margin(case.label, measure),
                    "paper": paper.get((case.label, measure)),
                }
                for measure in study.measures
            },
        }
        for case in study.cases
    ]


def _plain(verdicts: list[tuple[str, bool, str]]) -> list[dict[str, object]]:
    return [{"claim": text, "holds": holds, "shows": shows} for text, holds, shows in verdicts]


def _report(study: Study, scale: str, results: Results, verdicts: list[tuple[str, bool, str]]) -> None:
    say(f"{study.title} [{study.source}]")
    say(f"scale {scale}: seeds {results.seeds[0]} to {results.seeds[-1]}; mean ± half the 95 % confidence interval\n")
    papers = {entry.measure for entry in study.published}
    header = ["case"]
    for measure in study.measures:
        header += [measure, "paper"] if measure in papers else [measure]
    show([_line(study, results, case.label) for case in study.cases], header=header)
    say()
    show(
        [("holds" if holds else "FAILS", text, shows) for text, holds, shows in verdicts], ("verdict", "claim", "ours")
    )


def _line(study: Study, results: Results, label: str) -> list[str]:
    paper = {(entry.label, entry.measure): entry.value for entry in study.published}
    papers = {entry.measure for entry in study.published}
    cells = [label]
    for measure in study.measures:
        cells.append(f"{results.mean(label, measure):.4g} ± {results.margin(label, measure):.2g}")
        if measure in papers:
            value = paper.get((label, measure))
            cells.append("" if value is None else f"{value:g}")
    return cells
