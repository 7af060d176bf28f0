"""A field divided into cells: where a place is, and which cells a straight travel crosses when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from motecast.core.movement import Leg
    from motecast.core.pubsub import Position

Cell = tuple[int, int]  # column, row


class Passage(NamedTuple):
    """A cell, and from when until when a travel is in it."""

    cell: Cell
    enters: float  # s
    leaves: float  # s


class Grid(NamedTuple):
    """`cells` by `cells` of them on a field of this width and height; what is outside belongs to the nearest one.

    >>> grid = Grid(200.0, 200.0, 15)
    >>> grid.cell((200.0, 13.5))
    (14, 1)
    >>> grid.are_near((3, 4), (4, 5)), grid.are_near((3, 4), (5, 4))
    (True, False)
    """

    width: float
    height: float
    cells: int

    def cell(self, position: Position) -> Cell:
        """The cell of a place; the last one of a row or column has its far edge too."""
        x, y = position
        return _index(x, self.width / self.cells, self.cells), _index(y, self.height / self.cells, self.cells)

    @staticmethod
    def are_near(one: Cell, other: Cell) -> bool:
        """True for the same cell and for those that share a side or a corner with it."""
        return -1 <= one[0] - other[0] <= 1 and -1 <= one[1] - other[1] <= 1

    def around(self, cell: Cell) -> list[Cell]:
        """The cells that are near this one, itself among them."""
        columns = range(max(0, cell[0] - 1), min(self.cells, cell[0] + 2))
        rows = range(max(0, cell[1] - 1), min(self.cells, cell[1] + 2))
        return [(column, row) for column in columns for row in rows]

    def passages(self, leg: Leg, since: float | None = None) -> list[Passage]:
        """The cells of a leg in order, each with its times; from `since` (s) on if given.

        They tile the leg, and consecutive cells share a side: through a corner the column changes first, and the cell
        between has no duration.

        >>> from motecast.core import Leg
        >>> leg = Leg(start=0.0, origin=(5.0, 5.0), to=(25.0, 5.0), speed=2.0, arrival=10.0)
        >>> [(p.cell, p.enters, p.leaves) for p in Grid(30.0, 30.0, 3).passages(leg)]
        [((0, 0), 0.0, 2.5), ((1, 0), 2.5, 7.5), ((2, 0), 7.5, 10.0)]
        """
        column, row = self.cell(leg.origin)
        enters, found = leg.start, []
        for when, axis, step in sorted(self._crossings(leg)):
            found.append(Passage((column, row), enters, when))
            column, row, enters = (column + step, row, when) if axis == 0 else (column, row + step, when)
        found.append(Passage((column, row), enters, leg.arrival))
        if since is None:
            return found
        return [passage._replace(enters=max(since, passage.enters)) for passage in found if passage.leaves >= since]

    def _crossings(self, leg: Leg) -> Iterator[tuple[float, int, int]]:
        """When the leg leaves a column (0) or row (1), and whether for the next (1) or the one before (-1)."""
        first, last = self.cell(leg.origin), self.cell(leg.to)
        for axis, length in enumerate((self.width, self.height)):
            side, begin, end = length / self.cells, leg.origin[axis], leg.to[axis]
            step = 1 if last[axis] > first[axis] else -1
            for index in range(first[axis], last[axis], step):
                edge = (index + 1 if step == 1 else index) * side
                share = (edge - begin) / (end - begin)
                yield leg.start + min(max(share, 0.0), 1.0) * (leg.arrival - leg.start), axis, step


def _index(value: float, side: float, cells: int) -> int:
    return min(max(int(value / side), 0), cells - 1)
