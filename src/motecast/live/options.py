"""How a stack is hosted, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from motecast.core import ConfigError
from motecast.trace.kinds import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from motecast.core import NodeId, Notify


@dataclass(frozen=True)
class Options:
    """How to host a stack; `host` says what each means."""

    seed: int
    until: float
    acknowledge: bool = True
    retries: int = 3
    loss: float = 0.0
    speed: float = 1.0
    level: str = "deliveries"
    listener: Callable[[NodeId, Notify], None] | None = None

    def __post_init__(self) -> None:
        for name, is_allowed, allowed in (
            ("until", 0 < self.until < math.inf, "seconds, more than 0"),
            ("retries", self.retries >= 0, "a whole number from 0"),
            ("loss", 0 <= self.loss <= 1, "a share from 0 to 1"),
            ("speed", 0 < self.speed < math.inf, "a factor more than 0"),
            ("level", self.level in LEVELS, f"one of {', '.join(LEVELS)}"),
        ):
            if not is_allowed:
                raise ConfigError(f"{name} = {getattr(self, name)!r}: expected {allowed}")
