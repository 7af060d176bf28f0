"""Circles and polygons: exact at their edges, and inside the boxes that an index uses."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.filters import boxes
from motecast.filters import regions as arithmetic
from motecast.filters.regions import EARTH_RADIUS, chord, edges, geo_bounds, holds, near
from motecast.filters.syntax import Inside, Region, Within, WithinGeo
from tests.strategies_filters import COORDINATES, regions

SQUARE = Inside(((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)))
POSITIONS = COORDINATES | st.sampled_from([90.0, 89.95, 180.0, -180.0, 179.9, -179.95])
BOWTIE = Inside(((0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 2.0)))


@pytest.mark.parametrize(
    ("x", "y", "answer"), [(3, 4, True), (5, 0, True), (0, -5.0, True), (5.000001, 0, False), (math.inf, 0, False)]
)
def test_a_circle_holds_its_edge(x: float, y: float, answer: bool) -> None:
    assert holds(Within(0, 0, 5), x, y) is answer


@pytest.mark.parametrize(
    ("x", "y", "answer"),
    [
        (1, 1, True),
        (0, 0, True),
        (0, 1, True),
        (1, 0, True),
        (2, 1, False),
        (1, 2, False),
        (2, 2, False),
        (-1, 1, False),
    ],
)
def test_of_a_polygon_the_left_and_lower_sides_are_inside(x: float, y: float, answer: bool) -> None:
    assert holds(SQUARE, x, y) is answer
    backwards = Inside(SQUARE.corners[::-1])
    assert holds(backwards, x, y) is answer


def test_where_a_polygon_crosses_itself_odd_and_even_decide() -> None:
    assert [holds(BOWTIE, 0.5, 1.0), holds(BOWTIE, 1.5, 1.0)] == [True, True]
    assert [holds(BOWTIE, 1.0, 0.5), holds(BOWTIE, 1.0, 1.5)] == [False, False]
    star = Inside(tuple((math.sin(turn * 4 * math.pi / 5), math.cos(turn * 4 * math.pi / 5)) for turn in range(5)))
    assert [holds(star, 0.0, 0.9), holds(star, 0.0, 0.0)] == [True, False]  # a point of the star, and its middle


@pytest.mark.parametrize("value", [None, "1", True, math.nan])
def test_a_position_that_is_no_number_is_null(value: object) -> None:
    for region in (Within(0, 0, 5), SQUARE, WithinGeo(0, 0, 5)):
        assert holds(region, value, 1.0) is None
        assert holds(region, 1.0, value) is None
        assert arithmetic.tester(region)(value, 1.0) is None
        assert arithmetic.tester(region)(1.0, value) is None


def metres_between(place: tuple[float, float], other: tuple[float, float]) -> float:
    """The angle between two directions from the middle of the Earth, times its radius."""
    (lat, lon), (to_lat, to_lon) = (map(math.radians, end) for end in (place, other))
    cosine = math.sin(lat) * math.sin(to_lat) + math.cos(lat) * math.cos(to_lat) * math.cos(lon - to_lon)
    return math.acos(max(-1.0, min(1.0, cosine))) * EARTH_RADIUS


@pytest.mark.parametrize(
    ("place", "other"),
    [
        ((52.517, 13.389), (48.857, 2.352)),
        ((0.0, 0.0), (0.0, 1.0)),
        ((0.0, 179.5), (0.0, -179.5)),
        ((89.5, 0.0), (89.5, 180.0)),
        ((-33.9, 151.2), (51.5, -0.1)),
    ],
)
def test_the_distance_on_the_sphere(place: tuple[float, float], other: tuple[float, float]) -> None:
    metres = metres_between(place, other)
    assert near(*other, WithinGeo(*place, metres * 1.000001))
    assert not near(*other, WithinGeo(*place, metres * 0.999999))


def test_a_degree_of_the_equator_is_as_long_as_the_mean_radius_makes_it() -> None:
    assert metres_between((0.0, 0.0), (0.0, 1.0)) == pytest.approx(111_195, rel=1e-5)


@pytest.mark.parametrize(("lat", "lon"), [(91, 0), (0, 181), (-90.1, 0), (0, math.inf)])
def test_a_place_that_is_not_on_earth_is_in_no_circle(lat: float, lon: float) -> None:
    assert not near(lat, lon, WithinGeo(0, 0, 3e7))


@pytest.mark.fuzz
@given(st.floats(-90, 90))
def test_a_circle_around_the_whole_earth_holds_the_other_end_of_the_world(lat: float) -> None:
    assert near(-lat, 180.0, WithinGeo(lat, 0.0, 3e7))


def test_the_chord_grows_with_the_radius() -> None:
    chords = [chord(WithinGeo(0, 0, metres)) for metres in (0, 1, 1e6, 1e7, 2.0015e7, 3e7)]
    assert chords == sorted(set(chords))


@pytest.mark.fuzz
@given(regions(), POSITIONS, POSITIONS)
def test_the_boxes_of_a_region_hold_all_of_it(region: Region, first: float, second: float) -> None:
    names = ("lat", "lon") if isinstance(region, WithinGeo) else ("x", "y")
    event = dict(zip(names, (first, second), strict=True))
    is_boxed = any(box.contains(event) for box in boxes(region).boxes)
    assert is_boxed or not holds(region, first, second)


def test_a_region_reaches_its_box_and_its_box_a_little_further() -> None:
    x0, y0, x1, y1 = arithmetic.bounds(SQUARE)
    assert (x0 < 0, y0, x1 > 2, y1) == (True, 0, True, 2)
    assert (x0, x1) == pytest.approx((0, 2), abs=1e-6)
    x0, y0, x1, y1 = arithmetic.bounds(Within(10, 20, 5))
    assert all((x0 < 5, y0 < 15, x1 > 15, y1 > 25))


@pytest.mark.parametrize("lon", [-180, -179.9, 0, 179.9, 180])
def test_longitudes_stay_between_the_date_lines(lon: float) -> None:
    _, ranges = geo_bounds(WithinGeo(10, lon, 100_000))
    assert all(-180 <= west <= east <= 180 for west, east in ranges)
    assert sum(east - west for west, east in ranges) == pytest.approx(2 * 0.9132, rel=1e-3)


def test_a_circle_that_reaches_a_pole_may_have_any_longitude() -> None:
    assert geo_bounds(WithinGeo(89.9, 50, 20_000))[1] == [(-180.0, 180.0)]
    assert len(geo_bounds(WithinGeo(89.5, 50, 20_000))[1]) == 1
    assert geo_bounds(WithinGeo(89.5, 50, 20_000))[1] != [(-180.0, 180.0)]


def test_level_sides_are_crossed_by_no_level_line() -> None:
    assert len(edges(SQUARE)) == 2
    assert len(edges(BOWTIE)) == 4
