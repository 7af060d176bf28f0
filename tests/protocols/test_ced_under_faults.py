"""CED and DG where nodes crash, frames are lost and clocks go wrong: all that they promise still holds."""

from __future__ import annotations

import pytest

from motecast.sim import simulate

FAULTS = {
    "crashes that keep state": {"faults": {"rates": [{"do": "crash", "every": 150.0, "lasts": 30.0, "state": "kept"}]}},
    "sensors that lose state, and losses": {
        "medium.loss": 0.05,
        "faults": {"rates": [{"do": "crash", "of": "sensor", "every": 150.0, "lasts": 30.0, "state": "lost"}]},
    },
    "clocks that are a minute apart": {
        "faults": {
            "schedule": [
                {"do": "skew", "when": 0.0, "node": 104, "offset": 60.0, "drift": 1e-4},
                {"do": "skew", "when": 0.0, "node": 3, "offset": -60.0, "drift": -1e-4},
            ]
        }
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("stack", ["ced", "dg"])
def test_whatever_fails_no_promise_is_broken_and_events_arrive(stack: str, fault: str) -> None:
    ran = simulate("examples/ced.toml", seed=3, set={"stack": stack, "until": 400.0, **FAULTS[fault]}, level="full")
    assert [verdict for verdict in ran.check() if verdict.findings] == []
    assert (ran.measures["delivery_ratio"] or 0.0) > 0.1
    assert ran.about["rejected"] == 0
