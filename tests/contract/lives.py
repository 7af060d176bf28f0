"""Lives of layers as text, for processes to compare: `python -m tests.contract.lives MODULE:CLASS …` prints JSON."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence

from motecast.core import Layer
from tests.strategies import Life

SEEDS = tuple(range(300))


def name_of(layer: type[Layer]) -> str:
    """By which another process finds it."""
    return f"{layer.__module__}:{layer.__qualname__}"


def write_lives(names: Sequence[str]) -> str:
    """What happens to each of the layers, and what it does."""
    lives = {}
    for name in names:
        module, _, kind = name.partition(":")
        lives[name] = [str(step) for step in Life(getattr(importlib.import_module(module), kind)()).live(SEEDS)]
    return json.dumps(lives)


if __name__ == "__main__":
    sys.stdout.write(write_lives(sys.argv[1:]))
