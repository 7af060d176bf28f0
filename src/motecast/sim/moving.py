"""Links that go up and down and nodes that change places while a run goes on: one entry of the calendar at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from motecast.core import Leg, NodeId
from motecast.sim.crossings import pieces_of, stays_of
from motecast.sim.planning import lattice_of
from motecast.trace.builder import Extra

if TYPE_CHECKING:
    from motecast.sim.legs import Track
    from motecast.sim.plan import Plan
    from motecast.sim.world import World

DOWN, UP, MOVE = range(3)  # at one tick in this order: who is told that it moved has its new links
Change = tuple[int, int, int, int]  # tick, what, node, peer


class Moving:
    """What changes of the field. The medium's `hearers` are always those of now."""

    def __init__(self, world: World, tracks: Mapping[NodeId, Track], plan: Plan | None) -> None:
        self.world = world
        self.tracks = tracks
        self.tells_moves = world.main.answers("moved") or world.builder.level == "full"
        medium = world.deployment.scenario.medium
        self.writes_links = world.builder.level == "full" and getattr(medium, "links", "") == "given"
        self._changes = iter(self._in_order(plan))
        self._next: Change | None = None

    def begin(self) -> None:
        """The first changes come; those of the very beginning after all nodes have started."""
        self._next = next(self._changes, None)
        self._wait()

    def leg(self, node: NodeId) -> Leg | None:
        """The travel that a node is on, in its own time."""
        track = self.tracks.get(node)
        travel = None if track is None else track.travel(self.world.kernel.now)
        if travel is None:
            return None
        start, arrival = (self.world.shown(node, tick) for tick in (travel.start, travel.end))
        return Leg(start, travel.origin, travel.to, travel.speed, arrival)

    def _in_order(self, plan: Plan | None) -> list[Change]:
        changes = [] if plan is None else _links(plan)
        if self.tells_moves:
            changes += [(tick, MOVE, node, node) for tick, node in self._moves()]
        return sorted(changes)

    def _moves(self) -> set[tuple[int, NodeId]]:
        """When a node begins or ends a travel, or changes its cell."""
        found = {(tick, node) for node, track in self.tracks.items() for each in track.travels for tick in each[:2]}
        deployment = self.world.deployment
        if deployment.scenario.field.cells is not None and self.tracks:
            pieces = pieces_of(deployment.positions, self.tracks, self.world.until + 1)
            stays = stays_of(pieces, lattice_of(deployment.scenario.field))
            same = np.r_[False, stays.piece[1:] == stays.piece[:-1]] & (stays.enters < stays.leaves)
            found.update(zip(stays.enters[same].tolist(), pieces.node[stays.piece[same]].tolist(), strict=True))
        return found

    def _wait(self) -> None:
        if self._next is not None:
            self.world.kernel.at(self._next[0], self._happen)

    def _happen(self, _a: object, _b: object) -> None:
        """Everything that changes now."""
        now = self.world.kernel.now
        change = self._next
        while change is not None and change[0] == now:
            _, what, node, peer = change
            if what == MOVE:
                self._moved(node)
            else:
                self._link(node, peer, is_up=what == UP)
            change = next(self._changes, None)
        self._next = change
        self._wait()

    def _link(self, node: NodeId, peer: NodeId, *, is_up: bool) -> None:
        world = self.world
        world.medium.link(node, peer, is_up=is_up, is_cut=world.neighbours.is_cut(node, peer))
        if node in world.down or peer in world.down or world.neighbours.is_cut(node, peer):
            return
        neighbours = world.neighbours
        for one, other in ((node, peer), (peer, node)):
            if neighbours.are_given:
                (neighbours.linked if is_up else neighbours.unlinked)(one, other)
            elif self.writes_links:
                world.row("linkup" if is_up else "linkdown", one, Extra(peer=other))

    def _moved(self, node: NodeId) -> None:
        world = self.world
        if node in world.down:
            return
        if node in world.asleep:
            world.later(node, self._tell_moved, node, None)
        else:
            self._tell_moved(node, None)

    def _tell_moved(self, node: NodeId, _: object) -> None:
        if self.world.builder.level == "full":
            x, y = self.world.position(node)
            self.world.row("move", node, Extra(detail=f"x={x:.3f}; y={y:.3f}"))
        self.world.main.happen(node, "moved")


def _links(plan: Plan) -> list[Change]:
    """Every change of a link but those that are up from the beginning."""
    return [*_each(plan, UP), *_each(plan, DOWN)]


def _each(plan: Plan, what: int) -> Iterator[Change]:
    ticks = plan.up if what == UP else plan.down
    kept = plan.up > 0 if what == UP else plan.down <= plan.until
    for tick, a, b in zip(ticks[kept].tolist(), plan.a[kept].tolist(), plan.b[kept].tolist(), strict=True):
        yield tick, what, a, b
