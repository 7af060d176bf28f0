"""Where the nodes are: placed at random, on a grid, in clusters, or read from a file in metres or degrees."""

from __future__ import annotations

import csv
import math
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import NamedTuple

from motecast.core import ConfigError, Position
from motecast.sim.scenario import Nodes, Scenario

EARTH = 6_371_008.8  # m; mean radius
FARTHEST = 1e9  # m; far beyond it, distances lose their metres


class Site(NamedTuple):
    """A node's class and place; its place in degrees where the file has one."""

    name: str
    position: Position
    degrees: tuple[float, float] | None = None  # lat, lon


def sites(scenario: Scenario) -> list[Site]:
    """All nodes, numbered class by class in the order of the file."""
    found = [site for name, nodes in scenario.nodes.items() for site in _sites_of(name, nodes, scenario)]
    if not found:
        raise ConfigError("nodes: there is no node; give a class a count of 1 or more, or a file")
    return _projected(found)


def _sites_of(name: str, nodes: Nodes, scenario: Scenario) -> list[Site]:
    if nodes.file is not None:
        return read_positions(name, Path(scenario.folder) / nodes.file, nodes.count)
    rng = Random(f"{scenario.seed}/field/{name}")
    assert nodes.count is not None, name
    places = {"uniform": _uniform, "grid": _grid, "clustered": _clustered}[nodes.placement](nodes, scenario, rng)
    return [Site(name, place) for place in places]


def _uniform(nodes: Nodes, scenario: Scenario, rng: Random) -> list[Position]:
    width, height = scenario.field.area
    return [(rng.random() * width, rng.random() * height) for _ in range(nodes.count or 0)]


def _grid(nodes: Nodes, scenario: Scenario, _rng: Random) -> list[Position]:
    """Rows of a grid as square as the area allows; the last row may be shorter."""
    (width, height), count = scenario.field.area, nodes.count or 0
    if not count:
        return []
    columns = min(count, max(1, math.ceil(math.sqrt(count * width / height))))
    rows = math.ceil(count / columns)
    return [
        ((index % columns + 0.5) * width / columns, (index // columns + 0.5) * height / rows) for index in range(count)
    ]


def _clustered(nodes: Nodes, scenario: Scenario, rng: Random) -> list[Position]:
    """Normal around the middles of clusters, kept inside the area."""
    width, height = scenario.field.area
    middles = [(rng.random() * width, rng.random() * height) for _ in range(nodes.clusters)]
    places = []
    for index in range(nodes.count or 0):
        x, y = middles[index % nodes.clusters]
        places.append((_clip(rng.gauss(x, nodes.spread), width), _clip(rng.gauss(y, nodes.spread), height)))
    return places


def _clip(value: float, end: float) -> float:
    return min(max(value, 0.0), end)


def read_positions(name: str, path: Path, count: int | None = None) -> list[Site]:
    """A CSV with columns x, y in metres or lat, lon in degrees; other columns are left alone."""
    rows = read_csv(path)
    columns = rows[0][1].keys()
    if not ({"x", "y"} <= columns or {"lat", "lon"} <= columns):
        raise ConfigError(f"{path}: columns {', '.join(columns)}; a file of positions has x and y, or lat and lon")
    if count is not None and count > len(rows):
        raise ConfigError(f"{path}: {len(rows)} positions, but [nodes.{name}] count = {count}")
    return [_site(name, path, line, row) for line, row in rows[:count]]


def _site(name: str, path: Path, line: int, row: dict[str, str]) -> Site:
    if {"x", "y"} <= row.keys():
        return Site(name, (_bounded(path, line, row, "x", FARTHEST), _bounded(path, line, row, "y", FARTHEST)))
    lat, lon = _bounded(path, line, row, "lat", 90.0), _bounded(path, line, row, "lon", 180.0)
    return Site(name, (0.0, 0.0), (lat, lon))


def _bounded(path: Path, line: int, row: dict[str, str], key: str, most: float) -> float:
    value = number_in(path, line, row, key)
    if abs(value) > most:
        unit = "m" if key in ("x", "y") else "degrees"
        raise ConfigError(f"{path}:{line}: {key} = {row[key]!r}: allowed: -{most:g} to {most:g} {unit}")
    return value


def _projected(found: list[Site]) -> list[Site]:
    """Degrees as metres east and north of the south-western corner: exact enough for a field of some kilometres."""
    degrees = [site.degrees for site in found if site.degrees is not None]
    if not degrees:
        return found
    if len(degrees) < len(found):
        raise ConfigError("[nodes]: some classes have positions in degrees and others in metres; use one of them")
    south, west = min(lat for lat, _ in degrees), min(lon for _, lon in degrees)
    middle = math.radians(sum(lat for lat, _ in degrees) / len(degrees))
    metre = math.radians(1.0) * EARTH
    return [
        site._replace(position=((lon - west) * metre * math.cos(middle), (lat - south) * metre))
        for site, (lat, lon) in zip(found, degrees, strict=True)
    ]


def read_csv(path: Path) -> list[tuple[int, dict[str, str]]]:
    """The rows of a CSV with a header, each with its line number; `ConfigError` for what is none."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True, skipinitialspace=True)
            lines = [(reader.line_num, [cell.strip() for cell in line]) for line in reader if line]
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: no CSV file: no text in UTF-8") from None
    except csv.Error as error:
        raise ConfigError(f"{path}: no CSV file: {error}") from None
    except (OSError, ValueError) as error:  # a path with a zero byte is a ValueError
        raise ConfigError(f"{path}: {(getattr(error, 'strerror', None) or 'cannot be read').lower()}") from None
    if len(lines) < 2:
        raise ConfigError(f"{path}: no rows; the first line names the columns, the others are values")
    return _named(path, lines)


def _named(path: Path, lines: list[tuple[int, list[str]]]) -> list[tuple[int, dict[str, str]]]:
    """The lines after the first, their cells by the names in the first; missing cells at the end are empty."""
    columns = lines[0][1]
    for index, name in enumerate(columns):
        if not name or name in columns[:index]:
            raise ConfigError(
                f"{path}:{lines[0][0]}: column {index + 1}: {name!r}: expected a name, and each only once"
            )
    rows = []
    for line, cells in lines[1:]:
        if len(cells) > len(columns):
            raise ConfigError(f"{path}:{line}: {len(cells)} cells, but the first line names {len(columns)} columns")
        rows.append((line, dict(zip_longest(columns, cells, fillvalue=""))))
    return rows


def number_in(path: Path, line: int, row: dict[str, str], key: str) -> float:
    """A finite number of one cell."""
    try:
        value = float(row[key])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ConfigError(f"{path}:{line}: {key} = {row[key]!r}: expected a finite number")
    return value
