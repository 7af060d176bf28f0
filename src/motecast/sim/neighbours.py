"""What layers are told of their links: with whom frames can pass now, across no partition. Nothing is told twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motecast.sim.links import without_cuts
from motecast.trace.builder import Extra

if TYPE_CHECKING:
    from collections.abc import Callable

    from motecast.core import NodeId
    from motecast.sim.links import Links
    from motecast.sim.world import World


class Neighbours:
    """Given links: both ends know at once. Beacons: they find out. Datagrams: a list of addresses, no more."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.known = world.deployment.known
        answers = world.main.answers("linked") or world.main.answers("unlinked")
        self.are_given = answers and len(world.hosts) == 1
        self.told: dict[NodeId, set[NodeId]] = {}  # the peers that a node was told of, and not of their loss
        self.cuts: list[list[int]] = []  # partitions now: the side of each node

    def up(self, node: NodeId) -> None:
        """The node is there. If it kept its state, it also learns whom it lost while it was away."""
        if not self.are_given:
            return
        if self.known is not None:
            for peer in self.known[node]:
                self.linked(node, peer)
            return
        for peer in sorted(self.told.get(node, ())):
            if peer in self.world.down or not self.world.medium.reaches(node, peer):
                self.unlinked(node, peer)
        for peer in self._around(node):
            self._tell(peer, node, self.linked)
            self._tell(node, peer, self.linked)

    def gone(self, node: NodeId) -> None:
        """The node is not there any more."""
        if self.are_given and self.known is None:
            for peer in self._around(node):
                self._tell(peer, node, self.unlinked)

    def forget(self, node: NodeId) -> None:
        """Its state is lost, and so is what it was told."""
        self.told.pop(node, None)

    def linked(self, node: NodeId, peer: NodeId) -> None:
        """The node's frames can reach this peer from now on; one that sleeps learns it when it wakes."""
        self._learn(node, peer, is_link=True)

    def unlinked(self, node: NodeId, peer: NodeId) -> None:
        """They no longer can."""
        self._learn(node, peer, is_link=False)

    def _learn(self, node: NodeId, peer: NodeId, *, is_link: bool) -> None:
        world, told = self.world, self.told.setdefault(node, set())
        if node in world.asleep:
            world.later(node, self.linked if is_link else self.unlinked, node, peer)
        elif node not in world.down and (peer in told) != is_link:
            (told.add if is_link else told.remove)(peer)
            world.row("linkup" if is_link else "linkdown", node, Extra(peer=peer))
            world.main.happen(node, "linked" if is_link else "unlinked", peer)

    def _around(self, node: NodeId) -> list[NodeId]:
        """Who is up and hears the node, or is heard by it."""
        around = sorted({*self.world.medium.hearers[node], *self.world.heard_by(node)})
        return [peer for peer in around if peer not in self.world.down]

    def _tell(self, one: NodeId, other: NodeId, what: Callable[[NodeId, NodeId], None]) -> None:
        """Tells `one` of `other`, whom its frames reach."""
        if one not in self.world.down and self.world.medium.reaches(one, other):
            what(one, other)

    def cut(self, sides: list[int]) -> None:
        """No frame passes between the sides any more."""
        before = self.world.medium.hearers
        self.cuts.append(sides)
        self._rewire()
        self._tell_difference(before, self.world.medium.hearers, self.unlinked)

    def heal(self, sides: list[int]) -> None:
        """This partition is over."""
        before = self.world.medium.hearers
        self.cuts.remove(sides)
        self._rewire()
        self._tell_difference(self.world.medium.hearers, before, self.linked)

    def _rewire(self) -> None:
        together = [tuple(cut[node] for cut in self.cuts) for node in range(len(self.world.positions))]
        self.world.medium.rewire(without_cuts(self.world.medium.links, together))

    def is_cut(self, node: NodeId, peer: NodeId) -> bool:
        """True while a partition is between the two."""
        return any(sides[node] != sides[peer] for sides in self.cuts)

    def _tell_difference(self, wider: Links, narrower: Links, what: Callable[[NodeId, NodeId], None]) -> None:
        if not self.are_given or self.known is not None:
            return
        for node in range(len(wider)):
            for peer in sorted(set(wider[node]).difference(narrower[node])):
                if node not in self.world.down and peer not in self.world.down:
                    what(node, peer)
