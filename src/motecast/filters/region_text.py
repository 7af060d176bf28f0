"""Regions as SQL: the arithmetic of regions.py, step by step the same, so that not even the rounding differs."""

from __future__ import annotations

from motecast.filters.dialects import Dialect
from motecast.filters.regions import DEGREE, chord, edges
from motecast.filters.syntax import Inside, Region, Within, WithinGeo


def region_text(region: Region, first: str, second: str, dialect: Dialect) -> str:
    """Whether a position is in the region, for two texts that are doubles and not NULL."""
    match region:
        case Within():
            return _circle(region, first, second, dialect)
        case Inside():
            return _polygon(region, first, second, dialect)
        case WithinGeo():
            return _geo(region, first, second, dialect)


def _circle(region: Within, x: str, y: str, dialect: Dialect) -> str:
    across, along = f"({x} - {_number(region.x, dialect)})", f"({y} - {_number(region.y, dialect)})"
    return f"{across} * {across} + {along} * {along} <= {_number(region.radius * region.radius, dialect)}"


def _polygon(region: Inside, x: str, y: str, dialect: Dialect) -> str:
    crossings = []
    for side in edges(region):
        low, high, slope, start = (_number(number, dialect) for number in side)
        crossed = f"{low} <= {y} AND {y} < {high} AND {x} < {slope} * ({y} - {low}) + {start}"
        crossings.append(f"CASE WHEN {crossed} THEN 1 ELSE 0 END")
    return f"({' + '.join(crossings)}) % 2 = 1" if crossings else "FALSE"


def _geo(region: WithinGeo, lat: str, lon: str, dialect: Dialect) -> str:
    degree, two = _number(DEGREE, dialect), _number(2.0, dialect)
    centre, ninety, half = (_number(number, dialect) for number in (region.lat, 90.0, 180.0))
    across = f"sin(({lat} - {centre}) * {degree} / {two})"
    along = f"sin(({lon} - {_number(region.lon, dialect)}) * {degree} / {two})"
    shrink = f"cos({centre} * {degree}) * cos({lat} * {degree})"
    inside = f"{across} * {across} + {shrink} * ({along} * {along}) <= {_number(chord(region), dialect)}"
    return f"(CASE WHEN abs({lat}) <= {ninety} AND abs({lon}) <= {half} THEN {inside} ELSE FALSE END)"


def _number(number: float, dialect: Dialect) -> str:
    text = dialect.double(float(number))
    return f"({text})" if text.startswith("-") else text
