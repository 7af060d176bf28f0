"""A small field in which everything happens that can: loss, collisions, beacons, faults. Run, it says digests."""

from __future__ import annotations

import sys
from typing import Any

from motecast.sim import run, scenario_of
from motecast.stacks import STACKS

HOSTILE: dict[str, Any] = {
    "name": "hostile",
    "until": 40.0,
    "field": {"area": [60.0, 60.0]},
    "nodes": {
        "sensor": {"count": 16, "placement": "grid"},
        "subscriber": {"count": 5, "placement": "clustered", "clusters": 2},
    },
    "medium": {
        "kind": "disk",
        "range": 22.0,
        "rate": 250_000.0,
        "loss": 0.1,
        "latency": [0.0, 0.002],
        "collisions": True,
        "backoff": 0.02,
        "acknowledge": True,
        "links": "beacons",
        "beacon": {"period": 2.0},
    },
    "workload": {
        "sensor": {
            "publish": {
                "every": 4.0,
                "topics": ["a/{node}", "b", "c"],
                "per_event": 2,
                "zipf": 0.8,
                "expires": 5.0,
                "attributes": {
                    "temp": {"normal": [20.0, 5.0]},
                    "kind": {"choice": ["x", "y"], "zipf": 1.0},
                    "battery": {"walk": [0.0, 1.0, 0.1]},
                },
            }
        },
        "subscriber": {
            "subscribe": {"topics": ["a/+", "b"], "count": 2, "ranges": {"temp": {"domain": [0.0, 40.0], "zipf": 0.5}}}
        },
    },
    "faults": {
        "schedule": [
            {"do": "join", "when": 5.0, "node": 3},
            {"do": "leave", "when": 30.0, "node": 4},
            {"do": "partition", "when": 10.0, "lasts": 5.0, "x": 30.0},
            {"do": "skew", "when": 1.0, "share": 0.5, "drift": 0.01},
        ],
        "rates": [
            {"do": "crash", "rate": 0.1, "lasts": 2.0, "of": "sensor"},
            {"do": "perturb", "every": 20.0, "lasts": 2.0, "buffer": True},
        ],
    },
}


def digest(stack: str, level: str = "deliveries", seed: int = 1) -> str:
    """Of one run."""
    found: str = run(scenario_of({**HOSTILE, "stack": stack, "seed": seed}), level).about["digest"]
    return found


if __name__ == "__main__":
    for stack in STACKS:
        for level in sys.argv[1:]:
            sys.stdout.write(f"{stack} {level} {digest(stack, level)}\n")
