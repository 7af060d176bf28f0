"""A field divided into cells. The value is the core's, as a host tells its nodes of it: `ctx.grid`."""

from __future__ import annotations

from motecast.core.grid import Cell, Grid, Passage

__all__ = ["Cell", "Grid", "Passage"]
