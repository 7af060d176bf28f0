"""The contact plan of a scenario: computed from movements, or read from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from motecast.core import ConfigError, Grid, NodeId, Position
from motecast.sim import scenario as tables
from motecast.sim.connectivity import read_connectivity
from motecast.sim.contacts import cell_contacts, disk_contacts
from motecast.sim.crossings import Lattice
from motecast.sim.plan import Plan, load_plan
from motecast.trace.builder import MICROSECONDS

if TYPE_CHECKING:
    from motecast.sim.legs import Track

BESIDES = -1  # the group of a node that hears whoever is in reach


def plan_of(
    scenario: tables.Scenario, positions: Sequence[Position], classes: Sequence[str], tracks: Mapping[NodeId, Track]
) -> Plan | None:
    """Who hears whom when; None where a graph, or a disk around nodes that stand, says it once for all."""
    medium, until = scenario.medium, round(scenario.until * MICROSECONDS)
    match medium:
        case tables.Contacts():
            path = Path(scenario.folder) / medium.file
            is_plan = path.suffix == ".parquet"
            return _loaded(path, positions, until) if is_plan else read_connectivity(path, len(positions), until)
        case tables.Cells(plan=str(file)) | tables.Disk(plan=str(file)):
            return _loaded(Path(scenario.folder) / file, positions, until)
        case tables.Cells():
            return cell_contacts(positions, tracks, lattice_of(scenario.field), until, _apart(medium, classes))
        case tables.Disk() if tracks or medium.apart:
            return disk_contacts(positions, tracks, medium.range, until, _apart(medium, classes))
        case _:
            return None


def lattice_of(field: tables.Field) -> Lattice:
    """The cells of a field."""
    assert field.cells is not None, "checked with the scenario"
    width, height = field.area
    return Lattice(0.0, 0.0, (width / field.cells, height / field.cells), (field.cells, field.cells))


def grid_of(field: tables.Field) -> Grid | None:
    """The cells of a field as its nodes are told of them, if it has any."""
    return None if field.cells is None else Grid(*field.area, field.cells)


def _apart(medium: tables.Air, classes: Sequence[str]) -> list[int] | None:
    """For each node the group whose members do not hear each other."""
    if not medium.apart:
        return None
    groups = {name: number for number, name in enumerate(medium.apart)}
    return [groups.get(name, BESIDES) for name in classes]


def _loaded(path: Path, positions: Sequence[Position], until: int) -> Plan:
    plan = load_plan(path)
    if plan.nodes != len(positions):
        raise ConfigError(f"{path}: a plan of {plan.nodes} nodes; this field has {len(positions)}")
    if plan.until < until:
        known, wanted = plan.until / MICROSECONDS, until / MICROSECONDS
        raise ConfigError(f"{path}: a plan of {known:g} s; this run lasts {wanted:g} s")
    return plan
