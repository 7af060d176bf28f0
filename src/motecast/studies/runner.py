"""Runs a study on all cores; a run that was done before is not done again."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, NamedTuple

import motecast
from motecast.core import ConfigError
from motecast.sim import simulate
from motecast.studies.results import Number, Results
from motecast.studies.study import Study

Advance = Callable[[float], None]


class Job(NamedTuple):
    """One run of a study."""

    label: str
    seed: int
    scenario: Mapping[str, Any]
    settings: Mapping[str, object]

    @property
    def key(self) -> str:
        """Names the run: another scenario, seed or version is another one."""
        text = json.dumps([version("motecast"), code_digest(), self.seed, self.scenario, self.settings], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


@cache
def code_digest() -> str:
    """Names the code that runs: results of another version of it are not taken for this one's."""
    root = Path(motecast.__file__).parent
    state = hashlib.blake2b(digest_size=12)
    for file in sorted(root.rglob("*.py")):
        if file.relative_to(root).parts[0] not in ("cli", "studies", "ui"):  # they decide nothing inside a run
            state.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return state.hexdigest()


def jobs_of(study: Study, scale: str) -> list[Job]:
    """Every case with every seed."""
    if scale not in study.scales:
        raise ConfigError(f"--scale {scale}: study {study.name} has {', '.join(study.scales)}")
    chosen = study.scales[scale]
    return [
        Job(case.label, seed, study.scenario, {**chosen.settings, **case.settings})
        for case in study.cases
        for seed in chosen.seeds
    ]


def run_study(
    study: Study, scale: str = "full", *, folder: Path | None = None, processes: int = 1, advance: Advance | None = None
) -> Results:
    """The measures of all runs. With a folder, each is written as soon as it is known and read back the next time.

    `advance` is told how many are known: at the beginning, and after each run.
    """
    jobs = jobs_of(study, scale)
    known = _load(folder, jobs)
    missing = [job for job in jobs if job.key not in known]
    if advance is not None:
        advance(len(jobs) - len(missing))
    for done, (job, measures) in enumerate(_run_all(missing, processes), len(jobs) - len(missing) + 1):
        known[job.key] = measures
        if folder is not None:
            _save(folder, job, measures)
        if advance is not None:
            advance(done)
    return Results({(job.label, job.seed): known[job.key] for job in jobs})


def measure_job(job: Job) -> dict[str, Number]:
    """One run's measures."""
    return simulate(job.scenario, seed=job.seed, set=job.settings).measures


def _run_all(jobs: list[Job], processes: int) -> Iterator[tuple[Job, dict[str, Number]]]:
    if processes == 1 or len(jobs) < 2:
        yield from ((job, measure_job(job)) for job in jobs)
        return
    with _workers(min(processes, len(jobs))) as pool:
        with _deaf_to_interrupts():
            futures = {pool.submit(measure_job, job): job for job in jobs}
        for future in as_completed(futures):
            yield futures[future], future.result()


@contextmanager
def _workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that run jobs; they are ended at once when this is left by an error or an interrupt."""
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool
    except BaseException:
        for worker in set(multiprocessing.active_children()) - others:
            worker.kill()
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that are started inside never see Ctrl-C: whoever started them ends them. It is kept until the end.

    They inherit that it is blocked. Here it is caught as well, for another thread may take what this one blocks, and
    a process that is half started would complain.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # Ctrl-C is not for this thread
        return
    caught: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _frame: caught.append(number))
    resource_tracker.ensure_running()  # its own start would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, handler)
        if caught:
            signal.raise_signal(signal.SIGINT)


def _load(folder: Path | None, jobs: list[Job]) -> dict[str, dict[str, Number]]:
    known: dict[str, dict[str, Number]] = {}
    for job in jobs if folder is not None else ():
        assert folder is not None
        file = folder / f"{job.key}.json"
        if file.exists():
            known[job.key] = json.loads(file.read_text(encoding="utf-8"))["measures"]
    return known


def _save(folder: Path, job: Job, measures: Mapping[str, Number]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"label": job.label, "seed": job.seed, "settings": job.settings, "measures": measures}, indent=1)
    half = folder / f"{job.key}.part"
    half.write_text(text + "\n", encoding="utf-8")
    half.replace(folder / f"{job.key}.json")  # whole or not at all
