"""Who belongs together: sensors that reach each other over links that both ends name [Liu et al. 2009, §3]."""

from __future__ import annotations

from functools import lru_cache

from motecast.core import Message, NodeId
from motecast.parts.cells import Cell

MEMBERS = 1024  # sensors that a map knows; further ones are ignored
COMMUNITIES = 256  # values kept for reuse: sensors of one community that know the same share one


class Member(Message):
    """What a sensor says of itself; only a higher version replaces an earlier one."""

    bits = 250  # the prototype's assumption; the paper gives a size for events only

    sensor: NodeId
    cell: Cell
    neighbours: tuple[NodeId, ...]
    version: int


class Community:
    """A value: the sensors that one of them can reach, where they are, and their links.

    >>> pair = community_of((Member(4, (0, 0), (7,), 1), Member(7, (1, 1), (4,), 1)))
    >>> pair.id, pair.sensors, pair.links[4], pair.touches((2, 2)), pair.touches((3, 3))
    (4, (4, 7), (7,), True, False)
    """

    __slots__ = ("cells", "id", "links", "members", "reach", "sensors")

    def __init__(self, members: tuple[Member, ...]) -> None:
        self.members = members
        self.sensors = tuple(member.sensor for member in members)  # in rising order
        self.id = self.sensors[0]  # the smallest; it changes when communities merge or fall apart: store it nowhere
        self.cells = {member.sensor: member.cell for member in members}
        named = {member.sensor: frozenset(member.neighbours) for member in members}
        self.links = {sensor: _linked(sensor, named) for sensor in self.sensors}
        self.reach = frozenset(near for cell in self.cells.values() for near in _around(cell))

    def touches(self, cell: Cell) -> bool:
        """True when one of the sensors is in this cell or in one of the eight around it."""
        return cell in self.reach

    def __reduce__(self) -> tuple[object, ...]:
        return community_of, (self.members,)


@lru_cache(COMMUNITIES)
def community_of(members: tuple[Member, ...]) -> Community:
    """The community of these members, in the order of their sensors. Equal members give the same object."""
    return Community(members)


class CommunityMap:
    """The youngest `Member` of every sensor heard of, and the community that they make up.

    A `Member` that changes no link of the community leaves it as it is; any other has it found again when asked for.
    """

    __slots__ = ("_found", "_members", "capacity")

    def __init__(self, capacity: int = MEMBERS) -> None:
        self.capacity = capacity
        self._members: dict[NodeId, Member] = {}
        self._found: dict[NodeId, Community] = {}  # of the one that asked last

    def learn(self, member: Member) -> bool:
        """True when this is news, which travels on."""
        known = self._members.get(member.sensor)
        if known is None and len(self._members) >= self.capacity:
            return False
        if known is not None and member.version <= known.version:
            return False
        if self._concerns(member):
            self._found.clear()
        self._members[member.sensor] = member
        return True

    def community(self, me: NodeId) -> Community | None:
        """The community of a sensor that has been heard of; a loner's is its own."""
        found = self._found.get(me)
        if found is None and me in self._members:
            found = community_of(tuple(self._members[sensor] for sensor in sorted(self._reachable(me))))
            self._found = {me: found}
        return found

    @property
    def members(self) -> tuple[Member, ...]:
        """All that is known, for a peer that is new: in the order of the sensors."""
        return tuple(self._members[sensor] for sensor in sorted(self._members))

    def __len__(self) -> int:
        return len(self._members)

    def _concerns(self, new: Member) -> bool:
        """True when a community that was found may be another one with the new member."""
        if not self._found:
            return False
        (found,) = self._found.values()
        if new.sensor in found.links:
            return True  # a member is part of the value, whatever of it is new
        return any(peer in found.links and new.sensor in self._members[peer].neighbours for peer in new.neighbours)

    def _reachable(self, me: NodeId) -> set[NodeId]:
        reached, waiting = {me}, [me]
        while waiting:
            sensor = waiting.pop()
            for peer in self._members[sensor].neighbours:
                if peer not in reached and peer in self._members and sensor in self._members[peer].neighbours:
                    reached.add(peer)
                    waiting.append(peer)
        return reached


def _linked(sensor: NodeId, named: dict[NodeId, frozenset[NodeId]]) -> tuple[NodeId, ...]:
    """The members that this one names and that name it, in rising order."""
    return tuple(peer for peer in sorted(named[sensor]) if peer != sensor and sensor in named.get(peer, ()))


def _around(cell: Cell) -> list[Cell]:
    column, row = cell
    return [(column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
