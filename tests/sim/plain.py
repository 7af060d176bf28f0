"""A small scenario that is right, for tests that make it wrong."""

from __future__ import annotations

from typing import Any

PLAIN: dict[str, Any] = {
    "name": "w",
    "stack": "flood",
    "nodes": {"n": {"count": 5}, "sub": {"count": 2}},
    "workload": {"n": {"publish": {}}, "sub": {"subscribe": {}}},
}
