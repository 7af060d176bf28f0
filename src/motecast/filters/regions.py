"""Circles and polygons in the plane, circles on the sphere: the arithmetic that closure, boxes and SQL share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from motecast.filters.syntax import Inside, Region, Within, WithinGeo
from motecast.filters.values import Scalar, as_float

EARTH_RADIUS = 6_371_008.8  # metres, the mean radius of the IUGG
DEGREE = math.pi / 180


class Edge(NamedTuple):
    """A side of a polygon that is not level, from its lower to its upper end: x = slope * (y - low) + start."""

    low: float
    high: float
    slope: float
    start: float


def edges(region: Inside) -> tuple[Edge, ...]:
    """The polygon's sides that a level line may cross."""
    pairs = zip(region.corners, region.corners[1:] + region.corners[:1], strict=True)
    risen = [min((a, b), (b, a), key=lambda side: side[0][1]) for a, b in pairs if a[1] != b[1]]
    return tuple(Edge(y, v, (u - x) / (v - y), x) for (x, y), (u, v) in risen)


def chord(region: WithinGeo) -> float:
    """The largest haversine of an angle that is still inside."""
    angle = region.metres / EARTH_RADIUS
    return math.sin(angle / 2) ** 2 if angle < math.pi else 2.0  # 1 would be enough, but for rounding


def holds(region: Region, first: Scalar | None, second: Scalar | None) -> bool | None:
    """Whether the position (x, y, or lat, lon) is in the region; None if a coordinate is not a number."""
    if first is None or second is None or isinstance(first, bool | str) or isinstance(second, bool | str):
        return None
    if first != first or second != second:
        return None
    return _shape(region)(as_float(first), as_float(second))


def tester(region: Region) -> Callable[[Scalar | None, Scalar | None], bool | None]:
    """`holds` for one region, with the work on the region done."""
    inside = _shape(region)

    def test(first: Scalar | None, second: Scalar | None) -> bool | None:
        if type(first) is float and type(second) is float:
            return inside(first, second) if first == first and second == second else None
        return holds(region, first, second)

    return test


def _shape(region: Region) -> Callable[[float, float], bool]:
    match region:
        case Within():
            return lambda x, y: in_circle(x, y, region)
        case Inside():
            sides = edges(region)
            return lambda x, y: in_polygon(x, y, sides)
        case WithinGeo():
            return lambda lat, lon: near(lat, lon, region)


def in_circle(x: float, y: float, circle: Within) -> bool:
    """Whether a point is in the circle or on it."""
    return (x - circle.x) * (x - circle.x) + (y - circle.y) * (y - circle.y) <= circle.radius * circle.radius


def in_polygon(x: float, y: float, sides: tuple[Edge, ...]) -> bool:
    """Whether a level line to the right from the point crosses the sides an odd number of times."""
    crossed = sum(side.low <= y < side.high and x < side.slope * (y - side.low) + side.start for side in sides)
    return crossed % 2 == 1


def near(lat: float, lon: float, circle: WithinGeo) -> bool:
    """Whether a place is in the circle or on it; a place that is not on Earth is not."""
    if not (abs(lat) <= 90 and abs(lon) <= 180):
        return False
    across = math.sin((lat - circle.lat) * DEGREE / 2)
    along = math.sin((lon - circle.lon) * DEGREE / 2)
    shrink = math.cos(circle.lat * DEGREE) * math.cos(lat * DEGREE)
    return across * across + shrink * (along * along) <= chord(circle)


def bounds(region: Within | Inside) -> tuple[float, float, float, float]:
    """x0, y0, x1, y1 of a rectangle around the region, a little larger than needed: squares are rounded."""
    if isinstance(region, Within):
        reach = region.radius + 1e-9 * (region.radius + max(abs(region.x), abs(region.y))) + 1e-150
        return region.x - reach, region.y - reach, region.x + reach, region.y + reach
    xs, ys = [x for x, _ in region.corners], [y for _, y in region.corners]
    slack = 1e-9 * max(map(abs, xs)) + 1e-9 * (max(xs) - min(xs))
    return min(xs) - slack, min(ys), max(xs) + slack, max(ys)


def geo_bounds(region: WithinGeo) -> tuple[tuple[float, float], list[tuple[float, float]]]:
    """The latitudes and the ranges of longitude that the circle may reach, a little larger than needed."""
    angle = region.metres / EARTH_RADIUS / DEGREE + 1e-6
    south, north = region.lat - angle, region.lat + angle
    if south <= -90 or north >= 90:
        return (max(south, -90.0), min(north, 90.0)), [(-180.0, 180.0)]  # a pole has every longitude
    width = math.asin(min(1.0, math.sin(angle * DEGREE) / math.cos(region.lat * DEGREE))) / DEGREE + 1e-6
    west, east = region.lon - width, region.lon + width
    if west < -180:
        return (south, north), [(-180.0, east), (west + 360, 180.0)]
    if east > 180:
        return (south, north), [(-180.0, east - 360), (west, 180.0)]
    return (south, north), [(west, east)]
