"""What only several values of mobility, media and energy together show to be wrong."""

from __future__ import annotations

from motecast.core import ConfigError, unknown
from motecast.sim.scenario import Air, Cells, Contacts, Graph, Nodes, Passages, Recorded, Rounds, Scenario, Waypoint
from motecast.sim.tables import shown


def check_moving(scenario: Scenario) -> None:
    """Raises `ConfigError` for mobility, media of moving nodes and energy that do not fit together."""
    for name, nodes in scenario.nodes.items():
        if nodes.mobility is not None:
            _check_mobility(nodes, scenario, f"nodes.{name}")
    medium = scenario.medium
    if isinstance(medium, Cells) and scenario.field.cells is None:
        raise ConfigError('medium.kind = "cells": needs [field] cells, such as cells = 15')
    if isinstance(medium, Graph | Contacts) and medium.apart:
        raise ConfigError(
            f"medium.apart: a medium of kind {medium.__struct_config__.tag!r} says already who hears whom"
        )
    if isinstance(medium, Air):
        _check_classes(medium.apart, scenario, "medium.apart")
        _check_classes(medium.exclusive, scenario, "medium.exclusive")
        if medium.exclusive and not medium.rate:
            raise ConfigError("medium.exclusive: needs a rate; frames that take no air time keep nobody busy")
        if medium.exclusive and medium.collisions:
            raise ConfigError(
                "medium.exclusive: frames that wait for their receiver do not collide; choose one of them"
            )
    if scenario.energy is not None:
        _check_classes(scenario.energy.unlimited, scenario, "energy.unlimited")


def _check_mobility(nodes: Nodes, scenario: Scenario, place: str) -> None:
    if isinstance(nodes.mobility, Waypoint):
        for key in ("speed", "pause"):
            low, high = getattr(nodes.mobility, key)
            if low > high:
                raise ConfigError(f"{place}.mobility.{key} = [{low:g}, {high:g}]: the first is above the second")
    if isinstance(nodes.mobility, Recorded) and (nodes.file is not None or nodes.placement != "uniform"):
        raise ConfigError(f"{place}.mobility: the file says already where the nodes are; leave placement out")
    if isinstance(nodes.mobility, Passages) and scenario.field.cells is None:
        raise ConfigError(f'{place}.mobility.kind = "passages": needs [field] cells')
    if isinstance(scenario.medium, Graph | Rounds):
        kind = shown(scenario.medium.__struct_config__.tag)
        raise ConfigError(f"{place}.mobility: medium.kind = {kind} knows no places; use disk, cells or contacts")


def _check_classes(names: tuple[str, ...], scenario: Scenario, place: str) -> None:
    for name in names:
        if name not in scenario.nodes:
            raise ConfigError(f"{place}: {unknown('class of nodes', name, scenario.nodes)}")
