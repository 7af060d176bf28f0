"""The tree of a filter. The parser has settled what a bare attribute, a rectangle or `20 < temp` stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from motecast.filters.values import Path, Scalar


@dataclass(frozen=True, slots=True)
class Constant:
    """TRUE or FALSE."""

    value: bool


@dataclass(frozen=True, slots=True)
class Compare:
    """An attribute against a literal. A bare attribute `muted` is `muted = TRUE`."""

    path: Path
    symbol: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class ComparePaths:
    """An attribute against another."""

    left: Path
    symbol: str
    right: Path


@dataclass(frozen=True, slots=True)
class Between:
    """low <= attribute <= high."""

    path: Path
    low: Scalar
    high: Scalar


@dataclass(frozen=True, slots=True)
class Among:
    """The attribute equals one of the values."""

    path: Path
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Like:
    """The attribute is a string of this form: `%` stands for any characters, `_` for one, unless escaped."""

    path: Path
    pattern: str
    escape: str | None


@dataclass(frozen=True, slots=True)
class Missing:
    """IS NULL."""

    path: Path


@dataclass(frozen=True, slots=True)
class Within:
    """The position x, y is in a circle, the edge included."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Inside:
    """The position x, y is in a polygon; of an edge, the left and the lower side are inside."""

    corners: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class WithinGeo:
    """The position lat, lon in degrees is at most so many metres away on the sphere."""

    lat: float
    lon: float
    metres: float


@dataclass(frozen=True, slots=True)
class Not:
    """TRUE where the operand is FALSE, and the other way round."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class And:
    """FALSE if one operand is, else NULL if one is, else TRUE."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """TRUE if one operand is, else NULL if one is, else FALSE."""

    operands: tuple[Expression, ...]


Region: TypeAlias = Within | Inside | WithinGeo
Predicate: TypeAlias = Constant | Compare | ComparePaths | Between | Among | Like | Missing | Region
Expression: TypeAlias = Predicate | Not | And | Or

X: Path = ("x",)
Y: Path = ("y",)
LAT: Path = ("lat",)
LON: Path = ("lon",)


def paths(expression: Expression) -> frozenset[Path]:
    """Every attribute that the filter reads."""
    match expression:
        case Constant():
            return frozenset()
        case ComparePaths(left, _, right):
            return frozenset((left, right))
        case Within() | Inside():
            return frozenset((X, Y))
        case WithinGeo():
            return frozenset((LAT, LON))
        case Not(operand):
            return paths(operand)
        case And(operands) | Or(operands):
            return frozenset().union(*(paths(operand) for operand in operands))
        case _:
            return frozenset((expression.path,))


def path_key(path: Path) -> str:
    """The path as one string: `weather.temp`; a name with a dot or a quote in it stands in double quotes."""
    return ".".join('"' + name.replace('"', '""') + '"' if "." in name or '"' in name else name for name in path)
