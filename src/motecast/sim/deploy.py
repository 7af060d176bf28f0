"""A scenario made concrete: a stack, places, links, and what the applications do. Every host starts here."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa

from motecast.check import check_promises
from motecast.sim import scenario as tables
from motecast.sim.checks import check_numbers
from motecast.sim.field import sites
from motecast.sim.links import Everyone, Links, links_of
from motecast.sim.mobility import movement_of
from motecast.sim.planning import plan_of
from motecast.sim.workload import Act, script_of
from motecast.stacks import build_stack
from motecast.trace.kinds import FIELD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from motecast.core import NodeId, Position, Stack
    from motecast.sim.legs import Track
    from motecast.sim.plan import Plan


@dataclass
class Deployment:
    """Everything that is settled before a run begins."""

    scenario: tables.Scenario
    stack: Stack
    classes: list[str]
    positions: list[Position]
    links: Links  # links[n]: who hears n
    script: list[Act]  # (microseconds, node, signal), in order
    tracks: dict[NodeId, Track] = field(default_factory=dict)  # of the nodes that move
    plan: Plan | None = None  # who hears whom when, where that changes; `links` are those of the beginning

    @cached_property
    def known(self) -> list[tuple[NodeId, ...]] | None:
        """The addresses that each node is told of where links are no matter of reach."""
        medium = self.scenario.medium
        if not isinstance(medium, tables.Rounds):
            return None
        nodes = range(len(self.positions))
        if medium.known is None:
            return [tuple(self.links[node]) for node in nodes]
        rng = Random(f"{self.scenario.seed}/known")
        return [tuple(sorted(rng.sample(self.links[node], min(medium.known, len(nodes) - 1)))) for node in nodes]

    @cached_property
    def _reversed(self) -> list[list[NodeId]]:
        found: list[list[NodeId]] = [[] for _ in self.positions]
        for node, hearers in enumerate(self.links):
            for peer in hearers:
                found[peer].append(node)
        return found

    def heard_by(self, node: NodeId) -> Sequence[NodeId]:
        """Whom the node hears, as deployed."""
        return self.links[node] if isinstance(self.links, Everyone) else self._reversed[node]

    def about(self) -> dict[str, Any]:
        """What run.json says of it."""
        scenario = self.scenario
        return {
            "name": scenario.name,
            "stack": scenario.stack,
            "layers": self.stack.describe(),
            "seed": scenario.seed,
            "version": version("motecast"),
            "promises": list(self.stack.promises),
            "unwatched": list(self.stack.unwatched),
            "until": scenario.until,
            "scenario": msgspec.to_builtins(scenario),
        }

    def field(self) -> pa.Table:
        """The artefact beside the trace: node, class, x, y, links."""
        is_drawn = not isinstance(self.links, Everyone)  # everybody hears everybody: nothing to draw
        columns = {
            "node": range(len(self.positions)),
            "class": self.classes,
            "x": [x for x, _ in self.positions],
            "y": [y for _, y in self.positions],
            "links": list(self.links) if is_drawn else [()] * len(self.positions),
        }
        return pa.table([pa.array(columns[f.name], f.type) for f in FIELD], schema=FIELD)


def deploy(scenario: tables.Scenario) -> Deployment:
    """Builds the stack, places the nodes, links them, writes the applications' script."""
    found = sites(scenario)
    check_numbers(scenario.faults, len(found))
    tracks = movement_of(scenario, found)
    found = [site._replace(position=tracks[n].home) if n in tracks else site for n, site in enumerate(found)]
    positions, classes = [site.position for site in found], [site.name for site in found]
    plan = plan_of(scenario, positions, classes, tracks)
    stack = build_stack(scenario.stack, scenario.parameters)
    check_promises(scenario.stack, stack.promises)
    return Deployment(
        scenario,
        stack,
        classes,
        positions,
        links_of(scenario, positions) if plan is None else plan.links(),
        script_of(scenario, found, tracks),
        tracks,
        plan,
    )
