"""motecast: publish/subscribe for sensor networks, from the radio to the cluster.

>>> import motecast
>>> run = motecast.simulate("examples/field.toml", seed=7, set={"until": 10.0})
>>> run.measures["published"] == run.events.num_rows
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from motecast.check import Run, load
    from motecast.sim import simulate

__all__ = ["Run", "load", "simulate"]


def __getattr__(name: str) -> object:
    """What is public, imported when somebody asks: importing motecast stays instant."""
    match name:
        case "__version__":
            from importlib.metadata import version

            return version("motecast")
        case "simulate":
            from motecast.sim import simulate

            return simulate
        case "Run" | "load":
            import motecast.check

            return getattr(motecast.check, name)
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
