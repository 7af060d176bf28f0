"""What only several values of a scenario together show to be wrong."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from motecast.core import ConfigError, nearest, unknown
from motecast.filters import Filter, FilterError, check_topic, check_topic_filter, parse
from motecast.sim.checks_moving import check_moving
from motecast.sim.scenario import (
    Air,
    Draw,
    Faults,
    Graph,
    Nodes,
    Partition,
    Publish,
    Rate,
    Scalar,
    Scenario,
    Subscribe,
    Target,
)
from motecast.sim.tables import shown
from motecast.sim.workload import filled, where_of

_WHOLE = 2**63  # integers that fit into an event
POSITION = ("x", "y")  # where an event was published: every event has them
_WAYS = ("uniform", "integers", "normal", "choice", "walk")


def check(scenario: Scenario) -> None:
    """Raises `ConfigError` for what only several values together show to be wrong."""
    _check_nodes(scenario)
    _check_medium(scenario)
    check_moving(scenario)
    for name, work in scenario.workload.items():
        place = f"workload.{name}"
        if name not in scenario.nodes:
            raise ConfigError(f"{place}: {unknown('class of nodes', name, scenario.nodes)}")
        if work.publish is not None:
            _check_publish(work.publish, f"{place}.publish", name)
        if work.subscribe is not None:
            _check_subscribe(work.subscribe, f"{place}.subscribe", name)
    _check_faults(scenario.faults, scenario)


def _check_nodes(scenario: Scenario) -> None:
    for name, nodes in scenario.nodes.items():
        _check_class(nodes, f"nodes.{name}")
    if not any(nodes.file is not None or nodes.count for nodes in scenario.nodes.values()):
        raise ConfigError("nodes: there is no node; give a class a count of 1 or more, or a file")


def _check_class(nodes: Nodes, place: str) -> None:
    if nodes.count is None and nodes.file is None:
        raise ConfigError(f"{place}: count is missing (or a file of positions)")
    if nodes.placement == "file" and nodes.file is None:
        raise ConfigError(f'{place}: placement = "file" needs a file of positions')
    if nodes.placement in ("grid", "clustered") and nodes.file is not None:
        raise ConfigError(f"{place}: placement = {shown(nodes.placement)}: the file says already where the nodes are")


def _check_medium(scenario: Scenario) -> None:
    medium = scenario.medium
    if isinstance(medium, Air) and isinstance(medium.latency, tuple):
        _check_span(medium.latency, "medium.latency")
    if isinstance(medium, Air) and medium.collisions and not medium.rate:
        raise ConfigError("medium.collisions = true: needs a rate; frames that take no air time never overlap")
    if isinstance(medium, Graph) and medium.generator == "complete" and medium.directed:
        raise ConfigError("medium.directed = true: a complete graph has no directions")


def _check_span(span: tuple[float, float], place: str) -> None:
    if span[0] > span[1]:
        raise ConfigError(f"{place} = {list(span)}: the first is above the second")


def _check_times(since: float, until: float | None, place: str) -> None:
    if until is not None and until <= since:
        raise ConfigError(f"{place}.until = {until:g}: expected a time after since = {since:g}")


def _check_topics(topics: tuple[str, ...], rule: Callable[[str], object], place: str, name: str) -> None:
    if not topics:
        raise ConfigError(f"{place}.topics = []: expected at least one topic")
    for topic in topics:
        try:
            rule(filled(topic, 0, name))
        except FilterError as error:
            raise ConfigError(f"{place}.topics = {shown(topic)}: {error.message}") from None


def _check_publish(work: Publish, place: str, name: str) -> None:
    _check_topics(work.topics, check_topic, place, name)
    _check_times(work.since, work.until, place)
    for key, value in work.attributes.items():
        if isinstance(value, Draw):
            _check_draw(value, f"{place}.attributes.{key}")
        else:
            _check_value(value, f"{place}.attributes.{key}")


def _check_value(value: Scalar, place: str) -> None:
    if isinstance(value, int) and not -_WHOLE <= value < _WHOLE:
        raise ConfigError(f"{place} = {shown(value)}: expected a whole number of at most 64 bits")


def _check_draw(draw: Draw, place: str) -> None:
    ways = [way for way in _WAYS if getattr(draw, way) is not None]
    if len(ways) != 1:
        raise ConfigError(f"{place}: {' and '.join(ways) or 'nothing'} given; expected one of {', '.join(_WAYS)}")
    if draw.zipf is not None and draw.choice is None:
        raise ConfigError(f"{place}.zipf: only a choice has popular values")
    if draw.choice == ():
        raise ConfigError(f"{place}.choice = []: expected at least one value")
    for value in (*(draw.choice or ()), *(draw.integers or ())):
        _check_value(value, f"{place}.{ways[0]}")
    for span in (draw.uniform, draw.integers, draw.walk):
        if span is not None:
            _check_span((span[0], span[1]), f"{place}.{ways[0]}")


def _check_subscribe(want: Subscribe, place: str, name: str) -> None:
    _check_topics(want.topics, check_topic_filter, place, name)
    _check_times(want.since, want.until, place)
    for key, limits in want.ranges.items():
        _check_span(limits.domain, f"{place}.ranges.{key}.domain")
        _check_span(limits.width, f"{place}.ranges.{key}.width")
        _check_filter(where_of(Subscribe(ranges={key: limits}), Random(0)), f"{place}.ranges.{key}")
    _check_filter(want.where, f"{place}.where = {shown(want.where)}")
    _check_filter(where_of(want, Random(0)), f"{place}: where and ranges together")


def _check_filter(where: str | None, place: str) -> None:
    if where is not None:
        try:
            parse(where)
        except FilterError as error:
            raise ConfigError(f"{place}: {error.line}") from None


def unread(scenario: Scenario) -> list[tuple[str, str, str]]:
    """Attributes that a filter reads and that no event has: whose filter, the attribute, and which may be meant.

    Where readings come from a file nobody knows before the run what they have.
    """
    published = [work.publish for work in scenario.workload.values() if work.publish is not None]
    if not published or any(work.file is not None for work in published):
        return []
    known = {*POSITION, *(name for work in published for name in work.attributes)}
    read = ((name, path) for name, work in scenario.workload.items() for path in _read(work.subscribe))
    return [(name, path, nearest(path, sorted(known))) for name, path in read if path not in known]


def _read(want: Subscribe | None) -> tuple[str, ...]:
    where = None if want is None else where_of(want, Random(0))
    return () if where is None else Filter(where).attributes


def _check_faults(faults: Faults, scenario: Scenario) -> None:
    for index, fault in enumerate(faults.schedule):
        place = f"faults.schedule[{index}]"
        if isinstance(fault, Partition):
            _check_partition(fault, place)
        else:
            _check_target(fault, scenario, place)
    for index, rate in enumerate(faults.rates):
        place = f"faults.rates[{index}]"
        _check_target(rate, scenario, place)
        _check_rate(rate, place)
    if all(nodes.file is None for nodes in scenario.nodes.values()):
        check_numbers(faults, sum(nodes.count or 0 for nodes in scenario.nodes.values()))


def _check_partition(fault: Partition, place: str) -> None:
    if (fault.x is None) == (not fault.groups):
        raise ConfigError(f"{place}: a partition needs either groups or x")
    nodes = [node for group in fault.groups for node in group]
    for node in nodes:
        if nodes.count(node) > 1:
            raise ConfigError(f"{place}.groups: node {node} is named twice")


def _check_rate(rate: Rate, place: str) -> None:
    if (rate.every is None) == (rate.rate is None):
        raise ConfigError(f"{place}: expected either every (seconds) or rate (share of time)")
    _check_times(rate.since, rate.until, place)


def _check_target(target: Target, scenario: Scenario, place: str) -> None:
    if target.of is not None and target.of not in scenario.nodes:
        raise ConfigError(f"{place}.of: {unknown('class of nodes', target.of, scenario.nodes)}")
    if sum((target.node is not None, bool(target.nodes), target.of is not None)) > 1:
        raise ConfigError(f"{place}: expected one of node, nodes and of")


def check_numbers(faults: Faults, count: int) -> None:
    """Raises `ConfigError` for a fault that names a node which is not there."""
    places: list[tuple[str, Target | Partition]] = [
        (f"faults.schedule[{index}]", fault) for index, fault in enumerate(faults.schedule)
    ]
    places += [(f"faults.rates[{index}]", rate) for index, rate in enumerate(faults.rates)]
    for place, fault in places:
        for node in _numbers(fault):
            if node >= count:
                raise ConfigError(f"{place}: node {node}: this field has nodes 0 to {count - 1}")


def _numbers(fault: Target | Partition) -> tuple[int, ...]:
    if isinstance(fault, Partition):
        return tuple(node for group in fault.groups for node in group)
    return (*fault.nodes, *([] if fault.node is None else [fault.node]))
