"""Order in a whole field whose links reorder: late subscribers, losses, crashes."""

from __future__ import annotations

import pytest

from motecast.check import Run
from motecast.sim import run, scenario_of

FIELD = {
    "name": "late",
    "stack": "flood-fifo",
    "until": 60.0,
    "nodes": {"sensor": {"count": 10}, "late": {"count": 5}},
    "medium": {"range": 80.0, "latency": [0.01, 3.0]},
    "workload": {
        "sensor": {"publish": {"every": 2.0, "topics": ["a", "b"]}},
        "late": {"subscribe": {"topics": ["a"], "since": 30.0}},
    },
}


def live(seed: int, **settings: object) -> Run:
    """A run of the field, in which somebody has delivered something."""
    result = Run(run(scenario_of(FIELD, set=settings, seed=seed)))
    assert result.measures["delivered"]
    return result


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_without_losses_a_late_subscriber_sees_no_gap(seed: int) -> None:
    assert live(seed).measures["gaps"] == 0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_links_that_reorder_would_break_the_order_without_the_layer(seed: int) -> None:
    """So the other tests of this file say something."""
    result = live(seed, stack="flood")
    (verdict,) = [verdict for verdict in result.check(["fifo"]) if verdict.oracle == "fifo"]
    assert verdict.findings


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"medium.loss": 0.5},
        {"protocol.capacity": 2, "medium.loss": 0.3},
        {"protocol.publishers": 3},
        {"faults.rates": [{"do": "crash", "of": "late", "every": 20, "lasts": 4, "state": "kept"}]},
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", [1, 2])
def test_order_holds_whatever_is_lost_and_whoever_fails(seed: int, settings: dict[str, object]) -> None:
    (verdict,) = [verdict for verdict in live(seed, **settings).check() if verdict.oracle == "fifo"]
    assert (verdict.findings, verdict.skipped) == ((), None)
