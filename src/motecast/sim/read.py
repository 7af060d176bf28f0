"""A scenario from a file, with what the command line sets, checked as a whole."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from motecast.core import ConfigError
from motecast.filters import FilterError, check_topic, check_topic_filter, parse
from motecast.sim.scenario import (
    Air,
    Faults,
    Graph,
    Partition,
    Publish,
    Rate,
    Scenario,
    Subscribe,
    Target,
)
from motecast.sim.tables import converted, shown, unknown
from motecast.stacks import STACKS, build_stack

Settings = Mapping[str, object]


def read_scenario(path: str | Path, set: Settings | None = None, seed: int | None = None) -> Scenario:  # noqa: A002  # as the option is called
    """The scenario in a TOML file; `ConfigError` begins with the file's name."""
    file = Path(path)
    try:
        plain = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: no TOML: {str(error)[:1].lower()}{str(error)[1:]}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file}: no text in UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{file}: {(error.strerror or 'cannot be read').lower()}") from None
    try:
        return scenario_of({"name": file.stem, **plain}, file.parent, set, seed)
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None


def scenario_of(
    plain: Mapping[str, Any],
    folder: str | Path = ".",
    set: Settings | None = None,  # noqa: A002  # as the option is called
    seed: int | None = None,
) -> Scenario:
    """The scenario in plain values, as tomllib gives them."""
    values = copy.deepcopy(dict(plain))
    for key, value in sorted((set or {}).items(), key=lambda item: item[0] != "stack"):
        put(values, key, value)  # the stack first: protocol.alpha means its table
    if seed is not None:
        values["seed"] = seed
    values["folder"] = str(folder)
    values["parameters"] = _parameters(values)
    scenario: Scenario = converted(values, Scenario, "")
    check(scenario)
    return scenario


def plain_of(scenario: Scenario) -> dict[str, Any]:
    """The scenario in plain values, every default filled in; read again, it gives the same run."""
    plain: dict[str, Any] = _without_none(msgspec.to_builtins(scenario))
    del plain["folder"]
    plain["protocol"] = {scenario.stack: plain.pop("parameters")}
    return plain


def _without_none(value: Any) -> Any:  # noqa: ANN401  # TOML has no word for nothing
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_none(item) for item in value]
    return value


def put(values: dict[str, Any], key: str, value: object) -> None:
    """Sets a dotted key. `protocol.alpha` means the chosen stack's table."""
    names = key.split(".")
    if not all(names):
        raise ConfigError(f"--set {key}: expected a dotted key such as medium.loss")
    if names[0] == "protocol" and len(names) == 2 and not isinstance(value, dict):
        names.insert(1, str(values.get("stack", "")))
    table: Any = values
    for name in names[:-1]:
        if isinstance(table, list) and name.isdecimal() and int(name) < len(table):
            table = table[int(name)]
        elif isinstance(table, dict):
            table = table.setdefault(name, {})
        if not isinstance(table, dict | list):
            raise ConfigError(f"--set {key}: {name} = {shown(table)} is no table")
    if isinstance(table, list):
        raise ConfigError(f"--set {key}: {names[-2]} is a list; name one of its tables by number")
    table[names[-1]] = value


def parse_setting(text: str) -> tuple[str, object]:
    """`medium.loss=0.1` as key and value; what is no TOML value is a text."""
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise ConfigError(f"--set {text}: expected key=value, such as medium.loss=0.1")
    try:
        return key.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value.strip()


def _parameters(values: dict[str, Any]) -> dict[str, Any]:
    """The chosen stack's parameters; the tables of all stacks are checked, so that a typo shows before it matters."""
    tables = values.pop("protocol", {})
    name = values.get("stack")
    if not isinstance(name, str):
        raise ConfigError("stack is missing; name one that motecast stacks lists, or package.module:function")
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise ConfigError(f"protocol = {shown(tables)}: expected a table for each stack, such as [protocol.{name}]")
    for stack, table in tables.items():
        if stack != name and stack not in STACKS and ":" not in stack:
            raise ConfigError(f"protocol.{stack}: {unknown('stack', stack, STACKS)}")
        if stack == name or stack in STACKS:
            build_stack(stack, table)
    build_stack(name, tables.get(name, {}))
    return {**values.pop("parameters", {}), **tables.get(name, {})}


def check(scenario: Scenario) -> None:
    """Raises `ConfigError` for what only several values together show to be wrong."""
    _check_nodes(scenario)
    _check_medium(scenario)
    for name, work in scenario.workload.items():
        place = f"workload.{name}"
        if name not in scenario.nodes:
            raise ConfigError(f"{place}: {unknown('class of nodes', name, scenario.nodes)}")
        if work.publish is not None:
            _check_publish(work.publish, f"{place}.publish")
        if work.subscribe is not None:
            _check_subscribe(work.subscribe, f"{place}.subscribe")
    _check_faults(scenario.faults, scenario)


def _check_nodes(scenario: Scenario) -> None:
    for name, nodes in scenario.nodes.items():
        if nodes.count is None and nodes.file is None:
            raise ConfigError(f"nodes.{name}: count is missing (or a file of positions)")
        if nodes.placement == "file" and nodes.file is None:
            raise ConfigError(f'nodes.{name}: placement = "file" needs a file of positions')


def _check_medium(scenario: Scenario) -> None:
    medium = scenario.medium
    if isinstance(medium, Air) and isinstance(medium.latency, tuple):
        _check_span(medium.latency, "medium.latency")
    if isinstance(medium, Graph) and medium.generator == "complete" and medium.directed:
        raise ConfigError("medium.directed = true: a complete graph has no directions")


def _check_span(span: tuple[float, float], place: str) -> None:
    if span[0] > span[1]:
        raise ConfigError(f"{place} = {list(span)}: the first is above the second")


def _check_publish(work: Publish, place: str) -> None:
    if not work.topics:
        raise ConfigError(f"{place}.topics = []: expected at least one topic")
    for topic in work.topics:
        _check_name(check_topic, topic.replace("{node}", "0").replace("{class}", "c"), f"{place}.topics", topic)


def _check_subscribe(want: Subscribe, place: str) -> None:
    if not want.topics:
        raise ConfigError(f"{place}.topics = []: expected at least one topic")
    for topic in want.topics:
        _check_name(check_topic_filter, topic.replace("{node}", "0"), f"{place}.topics", topic)
    if want.where is not None:
        try:
            parse(want.where)
        except FilterError as error:
            raise ConfigError(f"{place}.where = {shown(want.where)}: {error.line}") from None
    for name, limits in want.ranges.items():
        _check_span(limits.domain, f"{place}.ranges.{name}.domain")
        _check_span(limits.width, f"{place}.ranges.{name}.width")


def _check_name(rule: Callable[[str], object], name: str, place: str, written: str) -> None:
    try:
        rule(name)
    except FilterError as error:
        raise ConfigError(f"{place} = {shown(written)}: {error.message}") from None


def _check_faults(faults: Faults, scenario: Scenario) -> None:
    for index, fault in enumerate(faults.schedule):
        place = f"faults.schedule[{index}]"
        if isinstance(fault, Partition):
            if (fault.x is None) == (not fault.groups):
                raise ConfigError(f"{place}: a partition needs either groups or x")
        else:
            _check_target(fault, scenario, place)
    for index, rate in enumerate(faults.rates):
        place = f"faults.rates[{index}]"
        _check_target(rate, scenario, place)
        _check_rate(rate, place)


def _check_rate(rate: Rate, place: str) -> None:
    if (rate.every is None) == (rate.rate is None):
        raise ConfigError(f"{place}: expected either every (seconds) or rate (share of time)")


def _check_target(target: Target, scenario: Scenario, place: str) -> None:
    if target.of is not None and target.of not in scenario.nodes:
        raise ConfigError(f"{place}.of: {unknown('class of nodes', target.of, scenario.nodes)}")
    if sum((target.node is not None, bool(target.nodes), target.of is not None)) > 1:
        raise ConfigError(f"{place}: expected one of node, nodes and of")
    if all(nodes.file is None for nodes in scenario.nodes.values()):
        count = sum(nodes.count or 0 for nodes in scenario.nodes.values())
        for node in (*target.nodes, *([] if target.node is None else [target.node])):
            if node >= count:
                raise ConfigError(f"{place}: node {node}: this field has nodes 0 to {count - 1}")
