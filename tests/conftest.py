"""What every test shares: how hard hypothesis tries, golden transcripts, and where Spark tests run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

GOLDEN = Path(__file__).parent / "golden"

# ci repeats itself exactly; dev looks somewhere new at every run; fuzz is as long as EXAMPLES says.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("dev", deadline=None, print_blob=True)
settings.register_profile(
    "fuzz",
    deadline=None,
    print_blob=True,
    max_examples=int(os.environ.get("EXAMPLES") or 100_000),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --rewrite."""
    parser.addoption("--rewrite", action="store_true", help="write the golden transcripts anew; then read the diff")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All Spark tests go to one worker, so that a run starts one session."""
    for item in items:
        if item.get_closest_marker("spark"):
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """golden(name, text) holds text equal to tests/golden/<name>.txt; with --rewrite it writes that file instead."""
    rewrite: bool = request.config.getoption("--rewrite")

    def check(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        text = text.rstrip("\n") + "\n"
        if rewrite:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        assert path.exists(), f"{path.name} does not exist yet: run pytest --rewrite, then read it"
        expected = path.read_text(encoding="utf-8")
        assert text == expected, f"{path.name} differs: if the change is meant, run pytest --rewrite and read the diff"

    return check
