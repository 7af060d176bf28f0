"""Who moves how: random waypoints, or movements from a file. Chance comes from a stream of each node's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from motecast.core import ConfigError, NodeId, Position
from motecast.sim import scenario as tables
from motecast.sim.formats import read_bonnmotion, read_one, read_setdest, read_waypoints
from motecast.sim.legs import Track, Travel
from motecast.sim.passages import read_passages
from motecast.trace.builder import MICROSECONDS

if TYPE_CHECKING:
    from motecast.sim.field import Site

Readers = dict[type[tables.Table], Callable[[Path], list[Track]]]
READERS: Readers = {
    tables.Waypoints: read_waypoints,
    tables.One: read_one,
    tables.Bonnmotion: read_bonnmotion,
    tables.Setdest: read_setdest,
}


def movement_of(scenario: tables.Scenario, sites: Sequence[Site]) -> dict[NodeId, Track]:
    """The tracks of all nodes that move, by node."""
    found: dict[NodeId, Track] = {}
    for name, nodes in scenario.nodes.items():
        members = [node for node, site in enumerate(sites) if site.name == name]
        match nodes.mobility:
            case None:
                continue
            case tables.Waypoint() as settings:
                for node in members:
                    rng = Random(f"{scenario.seed}/mobility/{node}")
                    found[node] = wandering(settings, sites[node].position, scenario, rng)
            case settings:
                found.update(zip(members, _read(settings, name, scenario, len(members)), strict=True))
    return found


def wandering(settings: tables.Waypoint, home: Position, scenario: tables.Scenario, rng: Random) -> Track:
    """A random waypoint walk [Camp et al. 2002]: it begins with a travel, and the last one ends after the run."""
    width, height = scenario.field.area
    until = round(scenario.until * MICROSECONDS)
    travels: list[Travel] = []
    now, place = 0, home
    while now <= until:
        to = (rng.random() * width, rng.random() * height)
        speed, pause = rng.uniform(*settings.speed), rng.uniform(*settings.pause)
        duration = max(1, round(math.dist(place, to) / speed * MICROSECONDS))
        travels.append(Travel(now, now + duration, place, to))
        now, place = now + duration + round(pause * MICROSECONDS), to
    return Track(home, travels)


def _read(settings: tables.Recorded, name: str, scenario: tables.Scenario, count: int) -> list[Track]:
    """The first tracks of a file, as many as the class has nodes."""
    path = Path(scenario.folder) / settings.file
    if isinstance(settings, tables.Passages):
        assert scenario.field.cells is not None, "checked with the scenario"
        tracks = read_passages(path, scenario.field.area, scenario.field.cells)
    else:
        tracks = READERS[type(settings)](path)
    if len(tracks) < count:
        raise ConfigError(f"{path}: {len(tracks)} nodes move in it, but [nodes.{name}] count = {count}")
    return tracks[:count]
