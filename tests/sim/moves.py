"""Strategies of movements, and dumb twins of what is computed from them."""

from __future__ import annotations

from hypothesis import strategies as st

from motecast.core import Position
from motecast.sim.legs import Track, track_through

SECOND = 1_000_000
UNTIL = 200 * SECOND
SIDE = 60.0  # m; six cells of 10 m, so that edges and corners are met exactly

# Many of them on edges, on corners and at the end of the field.
COORDINATES = st.one_of(st.sampled_from([0.0, 10.0, 20.0, 25.0, 30.0, 50.0, 60.0]), st.floats(0.0, SIDE))
PLACES = st.tuples(COORDINATES, COORDINATES)
GAPS = st.one_of(st.sampled_from([1, 10 * SECOND, 20 * SECOND]), st.integers(1, 60 * SECOND))


@st.composite
def tracks(draw: st.DrawFn) -> Track:
    """Through some places, standing where two are the same."""
    points: list[tuple[int, Position]] = [(draw(st.sampled_from([0, 5 * SECOND])), draw(PLACES))]
    for _ in range(draw(st.integers(0, 6))):
        place = points[-1][1] if draw(st.booleans()) else draw(PLACES)
        points.append((points[-1][0] + draw(GAPS), place))
    return track_through(points)
