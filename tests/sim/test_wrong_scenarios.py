"""Every wrong scenario is one line: the place, the value, what is allowed and the nearest name."""
# ruff: noqa: E501  # a message is quoted as it is printed: in one line

from __future__ import annotations

from typing import Any

import pytest

from motecast.core import ConfigError, unknown
from motecast.sim import deploy, scenario_of
from motecast.stacks import STACKS
from tests.sim.plain import PLAIN

KNOWN = unknown("stack", "", STACKS).partition("; ")[2]  # the catalogue, as it is
WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"medum.loss": 1},
        "medum: no key 'medum'; did you mean 'medium'? known: energy, faults, field, medium, name, nodes, protocol, seed, stack, until, workload",
    ),
    (
        {"medium.los": 0.1},
        "medium.los: no key 'los'; did you mean 'loss'? known: acknowledge, apart, backoff, beacon, collisions, exclusive, latency, links, loss, plan, queue, range, rate, retries, slot",
    ),
    ({"medium.loss": 1.5}, "medium.loss = 1.5: allowed: a number from 0 to 1"),
    ({"medium.loss": "x"}, "medium.loss = 'x': allowed: a number from 0 to 1"),
    ({"medium.loss": float("nan")}, "medium.loss = nan: allowed: a number from 0 to 1, and finite"),
    (
        {"medium.kind": "disc"},
        "medium.kind: no kind 'disc'; did you mean 'disk'? known: cells, contacts, disk, graph, rounds",
    ),
    ({"medium.kind": 3}, "medium.kind: no kind '3'; known: cells, contacts, disk, graph, rounds"),
    ({"medium": 5}, "medium = 5: expected a table"),
    ({"medium.range": 0.0}, "medium.range = 0.0: allowed: a number from 0.001 to 1e+09"),
    (
        {"medium.round": 1.0},
        "medium.round: no key 'round'; known: acknowledge, apart, backoff, beacon, collisions, exclusive, latency, links, loss, plan, queue, range, rate, retries, slot",
    ),
    ({"medium.latency": [0.2, 0.1]}, "medium.latency = [0.2, 0.1]: the first is above the second"),
    ({"medium.latency": "fast"}, "medium.latency = 'fast': allowed: a number from 0 to 1e+09"),
    (
        {"medium.latency": [1.0]},
        "medium.latency = [1.0]: allowed: a list of a number from 0 to 1e+09, a number from 0 to 1e+09",
    ),
    ({"medium.latency": float("inf")}, "medium.latency = inf: allowed: a number from 0 to 1e+09, and finite"),
    ({"medium.collisions": True}, "medium.collisions = true: needs a rate; frames that take no air time never overlap"),
    ({"medium.links": "bacons"}, "medium.links = 'bacons': did you mean 'beacons'? allowed: given, beacons"),
    ({"medium.beacon.size": 3}, "medium.beacon.size = 3: allowed: a whole number from 6 to 255"),
    ({"medium.beacon.period": 0}, "medium.beacon.period = 0: allowed: a number from 1e-06 to 1e+09"),
    (
        {"stack": "floood"},
        f"no stack 'floood'; did you mean 'flood'? {KNOWN}, or package.module:function for one of your own",
    ),
    ({"stack": 7}, "stack = 7; name one that motecast stacks lists, or package.module:function"),
    ({"protocol.gossip.pp": 1}, "protocol.gossip.pp: no parameter 'pp'; did you mean 'p'? known: p, wait"),
    ({"protocol.gossip.p": 2}, "stack 'gossip': Gossip.p = 2.0; allowed: a number from 0 to 1"),
    (
        {"protocol.gosip.p": 1},
        f"protocol.gosip: no stack 'gosip'; did you mean 'gossip'? {KNOWN}",
    ),
    ({"protocol": 3}, "protocol = 3: expected a table for each stack, such as [protocol.flood]"),
    ({"seed": 1.5}, "seed = 1.5: allowed: a whole number"),
    ({"until": 0}, "until = 0: allowed: a number from 1e-06 to 1e+09"),
    ({"until": 1000000000000.0}, "until = 1000000000000.0: allowed: a number from 1e-06 to 1e+09"),
    ({"until": "1 h"}, "until = '1 h': allowed: a number from 1e-06 to 1e+09"),
    ({"nodes.n.count": -1}, "nodes.n.count = -1: allowed: a whole number from 0 to 1e+07"),
    ({"nodes.n.count": 2.5}, "nodes.n.count = 2.5: allowed: a whole number from 0 to 1e+07"),
    (
        {"nodes.n.placement": "gird"},
        "nodes.n.placement = 'gird': did you mean 'grid'? allowed: uniform, grid, clustered, file",
    ),
    ({"nodes.n.placement": "file"}, 'nodes.n: placement = "file" needs a file of positions'),
    ({"nodes": {}}, "nodes: there is no node; give a class a count of 1 or more, or a file"),
    ({"nodes": {"n": {}}}, "nodes.n: count is missing (or a file of positions)"),
    ({"nodes": {"n": {"count": 0}}}, "nodes: there is no node; give a class a count of 1 or more, or a file"),
    ({"nodes": 5}, "nodes = 5: expected a table"),
    ({"nodes.n.file": 3}, "nodes.n.file = 3: allowed: a text"),
    (
        {"field.area": [1.0]},
        "field.area = [1.0]: allowed: a list of a number from 0.001 to 1e+09, a number from 0.001 to 1e+09",
    ),
    (
        {"field.area": [1.0, 0.0]},
        "field.area = [1.0, 0.0]: allowed: a list of a number from 0.001 to 1e+09, a number from 0.001 to 1e+09",
    ),
    (
        {"field.area": 100.0},
        "field.area = 100.0: allowed: a list of a number from 0.001 to 1e+09, a number from 0.001 to 1e+09",
    ),
    ({"workload.m.publish": {}}, "--set workload.m.publish: no class of nodes 'm'; known: n, sub"),
    ({"workload.n.publish.topics": []}, "workload.n.publish.topics = []: expected at least one topic"),
    (
        {"workload.n.publish.topics": ["a/#"]},
        "workload.n.publish.topics = 'a/#': a topic holds no '#'; expected a wildcard in filters only",
    ),
    ({"workload.n.publish.topics": "field"}, "workload.n.publish.topics = 'field': expected a list"),
    ({"workload.n.publish.every": 0.0}, "workload.n.publish.every = 0.0: allowed: a number from 1e-06 to 1e+09"),
    ({"workload.n.publish.until": 0.0}, "workload.n.publish.until = 0: expected a time after since = 0"),
    (
        {"workload.n.publish.attributes.v": {}},
        "workload.n.publish.attributes.v: nothing given; expected one of uniform, integers, normal, choice, walk",
    ),
    (
        {"workload.n.publish.attributes.v": {"uniform": [0, 1], "normal": [0, 1]}},
        "workload.n.publish.attributes.v: uniform and normal given; expected one of uniform, integers, normal, choice, walk",
    ),
    (
        {"workload.n.publish.attributes.v.uniform": [2, 1]},
        "workload.n.publish.attributes.v.uniform = [2.0, 1.0]: the first is above the second",
    ),
    (
        {"workload.n.publish.attributes.v.integers": [2, 1]},
        "workload.n.publish.attributes.v.integers = [2, 1]: the first is above the second",
    ),
    (
        {"workload.n.publish.attributes.v.integers": [1.5, 2]},
        "workload.n.publish.attributes.v.integers = [1.5, 2]: allowed: a list of a whole number, a whole number",
    ),
    (
        {"workload.n.publish.attributes.v.choice": []},
        "workload.n.publish.attributes.v.choice = []: expected at least one value",
    ),
    (
        {"workload.n.publish.attributes.v": {"zipf": 1.0}},
        "workload.n.publish.attributes.v: nothing given; expected one of uniform, integers, normal, choice, walk",
    ),
    (
        {"workload.n.publish.attributes.v": {"zipf": 1.0, "uniform": [0, 1]}},
        "workload.n.publish.attributes.v.zipf: only a choice has popular values",
    ),
    (
        {"workload.n.publish.attributes.v": 1180591620717411303424},
        "workload.n.publish.attributes.v = 1180591620717411303424: expected a whole number of at most 64 bits",
    ),
    (
        {"workload.n.publish.attributes.v": [1]},
        "workload.n.publish.attributes.v = [1]: allowed: true or false or a whole number or a number or a text",
    ),
    (
        {"workload.n.publish.attributes.v.unifrm": [1, 2]},
        "workload.n.publish.attributes.v.unifrm: no key 'unifrm'; did you mean 'uniform'? known: choice, integers, normal, uniform, walk, zipf",
    ),
    (
        {"workload.n.publish.attributes.v.walk": [0, 1]},
        "workload.n.publish.attributes.v.walk = [0, 1]: allowed: a list of a number, a number, a number at least 0",
    ),
    (
        {"workload.sub.subscribe.where": "temp >"},
        "workload.sub.subscribe.where = 'temp >': line 1, column 7: the filter ends after '>'; expected an attribute or a literal",
    ),
    (
        {"workload.sub.subscribe.topics": ["a/#/b"]},
        "workload.sub.subscribe.topics = 'a/#/b': '#' is not the last level; expected '#' at the end, or '+'",
    ),
    ({"workload.sub.subscribe.topics": [3]}, "workload.sub.subscribe.topics[0] = 3: allowed: a text"),
    ({"workload.sub.subscribe.ranges.v": {}}, "workload.sub.subscribe.ranges.v: domain is missing"),
    (
        {"workload.sub.subscribe.ranges.v": {"domain": [2, 1]}},
        "workload.sub.subscribe.ranges.v.domain = [2.0, 1.0]: the first is above the second",
    ),
    (
        {"workload.sub.subscribe.ranges": {"a-b": {"domain": [0, 1]}}},
        "workload.sub.subscribe.ranges.a-b: line 1, column 2: '-': a filter does not calculate; expected a comparison with a literal",
    ),
    (
        {"workload.sub.subscribe.ranges.v": {"domain": [0, 1], "width": [0.9, 0.1]}},
        "workload.sub.subscribe.ranges.v.width = [0.9, 0.1]: the first is above the second",
    ),
    ({"workload.sub.subscribe.count": 0}, "workload.sub.subscribe.count = 0: allowed: a whole number from 1 to 1e+07"),
    ({"workload.sub.subscribe.until": 0.0}, "workload.sub.subscribe.until = 0: expected a time after since = 0"),
    ({"faults.schedule": 3}, "faults.schedule = 3: expected a list"),
    ({"faults.schedule": [3]}, "faults.schedule[0] = 3: expected a table"),
    (
        {"faults.schedule": [{}]},
        "faults.schedule[0]: do is missing; allowed: crash, join, leave, perturb, partition, skew",
    ),
    (
        {"faults.schedule": [{"do": "crush", "when": 1}]},
        "faults.schedule[0].do: no fault 'crush'; did you mean 'crash'? known: crash, join, leave, partition, perturb, skew",
    ),
    ({"faults.schedule": [{"do": "crash"}]}, "faults.schedule[0]: when is missing"),
    (
        {"faults.schedule": [{"do": "crash", "when": -1}]},
        "faults.schedule[0].when = -1: allowed: a number from 0 to 1e+09",
    ),
    (
        {"faults.schedule": [{"do": "crash", "when": 1, "node": 7}]},
        "faults.schedule[0]: node 7: this field has nodes 0 to 6",
    ),
    (
        {"faults.schedule": [{"do": "crash", "when": 1, "of": "subb"}]},
        "faults.schedule[0].of: no class of nodes 'subb'; did you mean 'sub'? known: n, sub",
    ),
    (
        {"faults.schedule": [{"do": "crash", "when": 1, "of": "sub", "node": 1}]},
        "faults.schedule[0]: expected one of node, nodes and of",
    ),
    (
        {"faults.schedule": [{"do": "crash", "when": 1, "state": "gone"}]},
        "faults.schedule[0].state = 'gone': allowed: kept, lost",
    ),
    ({"faults.schedule": [{"do": "perturb", "when": 1}]}, "faults.schedule[0]: lasts is missing"),
    ({"faults.schedule": [{"do": "partition", "when": 1}]}, "faults.schedule[0]: a partition needs either groups or x"),
    (
        {"faults.schedule": [{"do": "partition", "when": 1, "x": 3.0, "groups": [[1]]}]},
        "faults.schedule[0]: a partition needs either groups or x",
    ),
    (
        {"faults.schedule": [{"do": "partition", "when": 1, "groups": [[1, 99]]}]},
        "faults.schedule[0]: node 99: this field has nodes 0 to 6",
    ),
    (
        {"faults.schedule": [{"do": "partition", "when": 1, "groups": [[1], [1]]}]},
        "faults.schedule[0].groups: node 1 is named twice",
    ),
    (
        {"faults.schedule": [{"do": "skew", "when": 1, "drift": 3}]},
        "faults.schedule[0].drift = 3: allowed: a number above -0.5 and below 1",
    ),
    ({"faults.rates": [{"do": "crash"}]}, "faults.rates[0]: expected either every (seconds) or rate (share of time)"),
    (
        {"faults.rates": [{"do": "crash", "every": 1, "rate": 0.1}]},
        "faults.rates[0]: expected either every (seconds) or rate (share of time)",
    ),
    ({"faults.rates": [{"do": "leave", "every": 1}]}, "faults.rates[0].do = 'leave': allowed: crash, perturb"),
    ({"faults.rates": [{"do": "crash", "rate": 2}]}, "faults.rates[0].rate = 2: allowed: a number from 0 to 1"),
    (
        {"faults.rates": [{"do": "crash", "every": 1, "nodes": [9]}]},
        "faults.rates[0]: node 9: this field has nodes 0 to 6",
    ),
    (
        {"folder": "x"},
        "folder: no key 'folder'; known: energy, faults, field, medium, name, nodes, protocol, seed, stack, until, workload",
    ),
    (
        {"parameters": {"a": 1}},
        "parameters: no key 'parameters'; known: energy, faults, field, medium, name, nodes, protocol, seed, stack, until, workload",
    ),
    ({"name": 3}, "name = 3: allowed: a text"),
    ({"a..b": 1}, "--set a..b: expected a dotted key such as medium.loss"),
    ({"name.x": 1}, "--set name.x: name = 'w' is no table"),
    (
        {"faults.schedule": [{"do": "crash", "when": 1}], "faults.schedule.when": 2},
        "--set faults.schedule.when: schedule is a list; name a key of one of its tables, from 0",
    ),
    (
        {"faults.schedule": [{"do": "crash", "when": 1}], "faults.schedule.3.when": 2},
        "--set faults.schedule.3.when: schedule is a list; name a key of one of its tables, from 0",
    ),
    (
        {"medium": {"kind": "graph", "generator": "complete", "directed": True}},
        "medium.directed = true: a complete graph has no directions",
    ),
    (
        {"medium": {"kind": "graph", "generator": "star"}},
        "medium.generator = 'star': allowed: random, ring, lattice, small-world, complete",
    ),
    ({"medium": {"kind": "rounds", "loss": 2}}, "medium.loss = 2: allowed: a number from 0 to 1"),
    ({"medium": {"kind": "rounds", "known": -1}}, "medium.known = -1: allowed: a whole number from 0 to 1e+07"),
    (
        {"workload": {"n": {"publish": {"payload": 1000000000}}}},
        "workload.n.publish.payload = 1000000000: allowed: a whole number from 0 to 50000",
    ),
    (
        {"workload.n.publis.every": 1},
        "workload.n.publis: no key 'publis'; did you mean 'publish'? known: publish, subscribe",
    ),
    ({"workload.n": 3}, "workload.n = 3: expected a table"),
    (
        {"nodes.n": {"count": 1, "placement": "grid", "file": "x.csv"}},
        "nodes.n: placement = 'grid': the file says already where the nodes are",
    ),
]


@pytest.mark.parametrize("settings, message", WRONG, ids=[", ".join(settings) for settings, _ in WRONG])
def test_a_wrong_value_is_told_in_one_line(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        scenario_of(PLAIN, set=settings)
    told = str(caught.value)
    assert told.startswith("--set ")
    assert told.endswith(message)
    assert "\n" not in told


def test_the_plain_scenario_itself_is_right() -> None:
    assert deploy(scenario_of(PLAIN)).positions


@pytest.mark.parametrize(
    "missing, message",
    [
        ("name", "the scenario: name is missing"),
        ("stack", "stack is missing; name one that motecast stacks lists, or package.module:function"),
        ("nodes", "the scenario: nodes is missing"),
    ],
)
def test_a_missing_key_is_named(missing: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        scenario_of({key: value for key, value in PLAIN.items() if key != missing})
    assert str(caught.value) == message
