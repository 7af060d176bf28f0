"""Movements in the formats of other simulators, in and out: waypoints as CSV, The ONE, BonnMotion, ns-2's setdest.

Times are written to the microsecond and places to the last bit, so that what is read is what was written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from motecast.core import ConfigError, Position
from motecast.sim.field import FARTHEST, number_in, read_csv
from motecast.sim.legs import Track, Travel, points_of, track_through
from motecast.sim.scenario import LONGEST
from motecast.trace.builder import MICROSECONDS

Points = dict[int, list[tuple[int, Position]]]  # by node
Writer = Callable[[Path, Sequence[Track], int], None]

_ID = re.compile(r"[^0-9]*([0-9]{1,18})")  # The ONE's users write 7, n7 or p7
_PLACED = re.compile(r"""\s*\$node_\((\d{1,18})\)\s+set\s+([XYZ])_\s+(\S+)\s*""")
_SENT = re.compile(
    r"""\s*\$\w+_?\s+at\s+(\S+)\s+"\s*\$node_\((\d{1,18})\)\s+setdest\s+(\S+)\s+(\S+)\s+([^\s"]+)\s*"\s*"""
)


def read_waypoints(path: Path) -> list[Track]:
    """A CSV with columns node, t (s), x and y: a node is there then, and goes straight from one to the next."""
    points: Points = {}
    for line, row in read_csv(path):
        if not {"node", "t", "x", "y"} <= row.keys():
            raise ConfigError(f"{path}: columns {', '.join(row)}; a file of waypoints has node, t, x and y")
        node = row["node"]
        if not (node.isdecimal() and len(node) < 19):
            raise ConfigError(f"{path}:{line}: node = {node!r}: expected a whole number, 0 or more")
        t, x, y = (number_in(path, line, row, key) for key in ("t", "x", "y"))
        _add(points, int(node), _moment(path, line, t), _place(path, line, x, y))
    return _tracks(path, points)


def write_waypoints(path: Path, tracks: Sequence[Track], until: int) -> None:
    """The CSV that `read_waypoints` reads."""
    lines = [f"{node},{seconds_of(tick)},{x!r},{y!r}" for tick, node, (x, y) in _visits(tracks, until)]
    write_lines(path, ["node,t,x,y", *lines])


def read_one(path: Path) -> list[Track]:
    """The ONE's external movement: a line with the bounds (time, x, y, z), then lines of time, id, x, y."""
    lines = read_lines(path)
    number, first = lines[0]
    bounds = [_float(path, number, word) for word in first.split()]
    if len(bounds) < 6:
        raise ConfigError(f"{path}:{number}: {first!r}: expected minTime maxTime minX maxX minY maxY (minZ maxZ)")
    points: Points = {}
    for line, text in lines[1:]:
        words = text.split()
        name = _ID.fullmatch(words[1]) if len(words) in (4, 5) else None
        if name is None:
            raise ConfigError(f"{path}:{line}: {text!r}: expected time, id with a number, x and y")
        t, x, y = (_float(path, line, words[index]) for index in (0, 2, 3))
        moment = _moment(path, line, t - bounds[0])
        _add(points, int(name[1]), moment, _place(path, line, x - bounds[2], y - bounds[4]))
    return _tracks(path, points)


def write_one(path: Path, tracks: Sequence[Track], until: int) -> None:
    """What The ONE's ExternalMovement reads; its places count from 0."""
    visits = list(_visits(tracks, until))
    width, height = (max((place[axis] for _, _, place in visits), default=0.0) for axis in (0, 1))
    last = max((tick for tick, _, _ in visits), default=0)
    bounds = f"0.0 {seconds_of(last)} 0.0 {width!r} 0.0 {height!r} 0.0 0.0"
    write_lines(path, [bounds, *(f"{seconds_of(tick)} {node} {x!r} {y!r}" for tick, node, (x, y) in visits)])


def read_bonnmotion(path: Path) -> list[Track]:
    """BonnMotion's .movements: a line a node, with t, x and y again and again."""
    points: Points = {}
    for node, (line, text) in enumerate(read_lines(path)):
        numbers = [_float(path, line, word) for word in text.split()]
        if len(numbers) % 3:
            raise ConfigError(f"{path}:{line}: {len(numbers)} numbers; expected t, x and y again and again (2D)")
        for t, x, y in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
            _add(points, node, _moment(path, line, t), _place(path, line, x, y))
    return _tracks(path, points)


def write_bonnmotion(path: Path, tracks: Sequence[Track], until: int) -> None:
    """What BonnMotion writes and reads."""
    lines = [
        " ".join(f"{seconds_of(tick)} {x!r} {y!r}" for tick, (x, y) in points_of(track, until)) for track in tracks
    ]
    write_lines(path, lines)


def read_setdest(path: Path) -> list[Track]:
    """ns-2's setdest: `$node_(i) set X_ x` says where a node is, `$ns_ at t "$node_(i) setdest x y speed"` that it
    sets off then, from wherever it is."""
    homes: dict[int, dict[str, float]] = {}
    orders: dict[int, list[tuple[int, Position, float]]] = {}
    for line, text in read_lines(path):
        placed, sent = _PLACED.fullmatch(text), _SENT.fullmatch(text)
        if placed is not None:
            homes.setdefault(int(placed[1]), {})[placed[2]] = _float(path, line, placed[3])
        elif sent is not None:
            t, x, y, speed = (_float(path, line, word) for word in sent.group(1, 3, 4, 5))
            order = (_moment(path, line, t), _place(path, line, x, y), speed)
            orders.setdefault(int(sent[2]), []).append(order)
        elif "setdest" in text or not text.lstrip().startswith(("#", "$god_", "set ", "$ns_")):
            raise ConfigError(f"{path}:{line}: {text!r}: expected $node_(i) set X_ … or $ns_ at … setdest …")
    for node in sorted({*homes, *orders}):
        if not {"X", "Y"} <= homes.get(node, {}).keys():
            raise ConfigError(f"{path}: node {node} has no $node_({node}) set X_ and set Y_")
    if not homes:
        raise ConfigError(f"{path}: no node in it")
    return [_sent((homes[node]["X"], homes[node]["Y"]), orders.get(node, [])) for node in sorted(homes)]


def _sent(home: Position, orders: Sequence[tuple[int, Position, float]]) -> Track:
    """A new order ends the travel that is under way; a speed of nothing stops the node."""
    travels: list[Travel] = []
    for start, to, speed in sorted(orders, key=lambda order: order[0]):
        place = travels[-1].at(start) if travels else home
        if travels and travels[-1].end > start:
            last = travels.pop()
            if last.start < start:
                travels.append(last._replace(end=start, to=place))
        if speed > 0 and place != to:
            duration = max(1, round(math.dist(place, to) / speed * MICROSECONDS))
            travels.append(Travel(start, start + duration, place, to))
    return Track(home, travels)


def write_setdest(path: Path, tracks: Sequence[Track], until: int) -> None:
    """What ns-2 reads."""
    lines = []
    for node, track in enumerate(tracks):
        values = (*track.home, 0.0)
        lines += [f"$node_({node}) set {axis}_ {value!r}" for axis, value in zip("XYZ", values, strict=True)]
    for travel, node in sorted((travel, node) for node, track in enumerate(tracks) for travel in track.travels):
        if travel.start <= until:
            x, y = travel.to
            words = f"{x!r} {y!r} {travel.speed!r}"
            lines.append(f'$ns_ at {seconds_of(travel.start)} "$node_({node}) setdest {words}"')
    write_lines(path, lines)


def _visits(tracks: Sequence[Track], until: int) -> list[tuple[int, int, Position]]:
    """Tick, node and place of every point, in order of time."""
    return sorted((tick, node, place) for node, track in enumerate(tracks) for tick, place in points_of(track, until))


def _tracks(path: Path, points: Points) -> list[Track]:
    """One a node, in the order of their numbers. Before its first point a node is there already."""
    if not points:
        raise ConfigError(f"{path}: no node in it")
    return [track_through(_in_order(path, node, points[node])) for node in sorted(points)]


def _in_order(path: Path, node: int, points: list[tuple[int, Position]]) -> list[tuple[int, Position]]:
    points = sorted(points, key=lambda point: point[0])
    for one, other in pairwise(points):
        if one[0] == other[0] and one[1] != other[1]:
            raise ConfigError(f"{path}: node {node} is at two places at {seconds_of(one[0])} s")
    return points


def _add(points: Points, node: int, moment: int, place: Position) -> None:
    points.setdefault(node, []).append((moment, place))


def read_lines(path: Path) -> list[tuple[int, str]]:
    """The lines that are not empty, with their numbers."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: no text in UTF-8 (a packed file must be unpacked first)") from None
    except (OSError, ValueError) as error:  # a path with a zero byte is a ValueError
        raise ConfigError(f"{path}: {(getattr(error, 'strerror', None) or 'cannot be read').lower()}") from None
    found = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise ConfigError(f"{path}: the file is empty")
    return found


def write_lines(path: Path, lines: Sequence[str]) -> None:
    """A text file of these lines."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def seconds_of(tick: int) -> str:
    """Seconds to the microsecond."""
    return f"{tick // MICROSECONDS}.{tick % MICROSECONDS:06d}"


def _float(path: Path, line: int, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ConfigError(f"{path}:{line}: {word!r}: expected a finite number")
    return value


def moment_in(path: Path, line: int, word: str) -> int:
    """The tick of a time in seconds."""
    return _moment(path, line, _float(path, line, word))


def _moment(path: Path, line: int, seconds: float) -> int:
    if not 0 <= seconds <= LONGEST:
        raise ConfigError(f"{path}:{line}: time {seconds:g} s: expected 0 to {LONGEST:g} s after the beginning")
    return round(seconds * MICROSECONDS)


def _place(path: Path, line: int, x: float, y: float) -> Position:
    for name, value in (("x", x), ("y", y)):
        if abs(value) > FARTHEST:
            raise ConfigError(f"{path}:{line}: {name} = {value:g}: allowed: -{FARTHEST:g} to {FARTHEST:g} m")
    return x, y
