"""Random filters and random events that have something to do with each other. Shared by every package's tests."""

from __future__ import annotations

from hypothesis import strategies as st

from motecast.filters import Event, Expression, Scalar
from motecast.filters.syntax import (
    Among,
    And,
    Between,
    Compare,
    ComparePaths,
    Constant,
    Inside,
    Like,
    Missing,
    Not,
    Or,
    Within,
    WithinGeo,
)

# One name for each type of column, so that the same filters can be asked of a table.
TYPES = {
    "d": "double",
    "e": "double",
    "f": "float",
    "i": "int",
    "b": "bigint",
    "c": "bigint",
    "s": "string",
    "t": "string",
    "m": "boolean",
    "odd name`": "double",
    "x": "double",
    "y": "double",
    "lat": "double",
    "lon": "double",
    "gone": "missing",
}
SYMBOLS = ("=", "!=", "<", "<=", ">", ">=")
BIG = 2**53

# Few values, near each other: random filters and events must meet.
INTEGERS = st.sampled_from([0, 1, 2, -1, BIG, BIG + 1, BIG + 2, -BIG - 1, 2**63 - 1, -(2**63)]) | st.integers(-3, 3)
FLOATS = st.sampled_from([0.0, -0.0, 0.5, 1.0, 2.5, -1.5, 0.1, 1e300, float(BIG), float(BIG + 2), 5e-324, 1e16])
HUGE = st.sampled_from([10**17 + 1, 10**30, -(10**400), 10**19])
CHARACTERS = st.sampled_from(["a", "b", "A", "%", "_", "'", '"', "\\", "!", "é", "😀", "\n", ".", "*", " ", "`"])
STRINGS = st.text(CHARACTERS, max_size=4) | st.sampled_from(["smoke", "heat", "1", "true", "NaN"])
NUMBERS = INTEGERS | FLOATS | HUGE
LITERALS: st.SearchStrategy[Scalar] = NUMBERS | STRINGS | st.booleans()
PATHS = st.sampled_from([(name,) for name in TYPES if name not in ("x", "y", "lat", "lon")])
NESTED = PATHS | st.sampled_from([("w", "d"), ("w", "s"), ("w", "odd.name", "d"), ("and",), ("w",)])
COORDINATES = st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0, 10.0]) | st.floats(-5, 5)


@st.composite
def likes(draw: st.DrawFn, paths: st.SearchStrategy[tuple[str, ...]]) -> Like:
    """LIKE with patterns that hold wildcards, escaped and not."""
    escape = draw(st.sampled_from([None, "\\", "!", "a", "😀"]))
    pieces = st.sampled_from(["%", "_", "%", *(["a", "b", "'", "\\", "é", "😀"] if escape is None else ["b", "é"])])
    escaped = st.sampled_from([f"{escape}%", f"{escape}_", f"{escape}{escape}"]) if escape else pieces
    return Like(draw(paths), "".join(draw(st.lists(pieces | escaped, max_size=5))), escape)


def polygons() -> st.SearchStrategy[Inside]:
    """Polygons of 3 to 6 corners, crossing themselves if they like."""
    corners = st.tuples(
        COORDINATES.map(lambda number: round(number, 3)), COORDINATES.map(lambda number: round(number, 3))
    )
    return st.lists(corners, min_size=3, max_size=6).map(lambda found: Inside(tuple(found)))


def regions() -> st.SearchStrategy[Expression]:
    """Circles and polygons, on the plane and on the sphere."""
    return st.one_of(
        st.builds(Within, COORDINATES, COORDINATES, st.sampled_from([0.0, 1.0, 2.5])),
        polygons(),
        st.builds(
            WithinGeo,
            st.sampled_from([0.0, 89.9, -45.0, 90.0]),
            st.sampled_from([0.0, 179.9, -180.0, 10.0]),
            st.sampled_from([0.0, 1.0, 50_000.0, 1e7, 3e7]),
        ),
    )


def predicates(paths: st.SearchStrategy[tuple[str, ...]] = PATHS) -> st.SearchStrategy[Expression]:
    """Every kind of predicate, over these attributes."""
    symbols = st.sampled_from(SYMBOLS)
    return st.one_of(
        st.builds(Compare, paths, symbols, LITERALS),
        st.builds(Compare, paths, symbols, LITERALS),
        st.builds(ComparePaths, paths, symbols, paths),
        st.builds(Between, paths, LITERALS, LITERALS),
        st.builds(Between, paths, NUMBERS, NUMBERS),
        st.builds(Among, paths, st.lists(LITERALS, min_size=1, max_size=4).map(tuple)),
        likes(paths),
        st.builds(Missing, paths),
        st.builds(Constant, st.booleans()),
        regions(),
    )


def filters(paths: st.SearchStrategy[tuple[str, ...]] = PATHS) -> st.SearchStrategy[Expression]:
    """Trees of a few levels, not canonical."""
    return st.recursive(
        predicates(paths),
        lambda parts: st.one_of(
            st.builds(Not, parts),
            st.lists(parts, min_size=2, max_size=4).map(lambda found: And(tuple(found))),
            st.lists(parts, min_size=2, max_size=4).map(lambda found: Or(tuple(found))),
        ),
        max_leaves=8,
    )


_ANY_FLOATS = FLOATS | st.sampled_from([float("nan"), float("inf"), float("-inf")])
_OF_TYPE: dict[str, st.SearchStrategy[Scalar]] = {
    "double": _ANY_FLOATS | st.floats(-5, 5),
    "float": st.sampled_from([0.0, -0.0, 0.5, 2.5, -1.5, float("nan"), float("inf")]) | st.floats(-5, 5, width=32),
    "int": st.integers(-3, 3) | st.sampled_from([2**31 - 1, -(2**31)]),
    "bigint": INTEGERS,
    "string": STRINGS,
    "boolean": st.booleans(),
}
_POSITION = COORDINATES | st.sampled_from([float("nan"), float("inf"), 90.0, 180.0, -180.0, 200.0])


def rows() -> st.SearchStrategy[dict[str, Scalar | None]]:
    """Events whose attributes have the types of the table, NULL or missing now and then."""
    columns = {
        name: st.none() | (_POSITION if name in ("x", "y", "lat", "lon") else _OF_TYPE[column])
        for name, column in TYPES.items()
        if column != "missing"
    }
    return st.fixed_dictionaries({}, optional=columns)


def events() -> st.SearchStrategy[Event]:
    """Events of any types, nested ones too."""
    anything = LITERALS | _ANY_FLOATS | st.none()
    flat = st.dictionaries(st.sampled_from([*TYPES, "and"]), anything, max_size=8)
    inner = st.dictionaries(st.sampled_from(["d", "s"]), anything)
    nested = st.builds(lambda low, deep: {**low, "odd.name": deep}, inner, inner | anything)
    position = st.fixed_dictionaries({}, optional=dict.fromkeys(("x", "y", "lat", "lon"), _POSITION))
    return st.builds(
        lambda one, place, w: {**one, **place, **w}, flat, position, st.just({}) | nested.map(lambda w: {"w": w})
    )


def documents() -> st.SearchStrategy[Event]:
    """Events whose one attribute is a JSON value: no NaN, no infinity, integers of 64 bits."""
    plain = st.one_of(INTEGERS, FLOATS, STRINGS, st.booleans(), st.none())
    inner = st.dictionaries(st.sampled_from(["d", "s"]), plain)
    fields = st.fixed_dictionaries({}, optional={"d": plain, "s": plain, "m": plain, "odd.name": inner | plain})
    return st.fixed_dictionaries({}, optional={"w": fields | plain})
