"""What `--set` takes, and the resolved scenario that `--explain` prints."""

from __future__ import annotations

from typing import Any

import pytest

from motecast.core import ConfigError
from motecast.sim import parse_setting, plain_of, scenario_of
from motecast.sim.read import put
from tests.sim.plain import PLAIN


@pytest.mark.parametrize(
    "text, key, value",
    [
        ("medium.loss=0.1", "medium.loss", 0.1),
        ("stack=gossip", "stack", "gossip"),
        ("stack='gossip'", "stack", "gossip"),
        (" name = two words ", "name", "two words"),
        ("medium.latency=[0.1, 0.2]", "medium.latency", [0.1, 0.2]),
        ("medium.acknowledge=true", "medium.acknowledge", True),
        ("name=", "name", ""),
        ("name=a=b", "name", "a=b"),
        (
            "workload.n.publish.attributes={t = {uniform = [1, 2]}}",
            "workload.n.publish.attributes",
            {"t": {"uniform": [1, 2]}},
        ),
        ("medium.latency=[0.1", "medium.latency", "[0.1"),
    ],
)
def test_a_setting_is_a_toml_value_or_a_text(text: str, key: str, value: object) -> None:
    assert parse_setting(text) == (key, value)


@pytest.mark.parametrize("text", ["medium.loss", "=3", "  =3"])
def test_a_setting_without_key_or_value_is_told(text: str) -> None:
    with pytest.raises(ConfigError, match=r"expected key=value, such as medium.loss=0.1$"):
        parse_setting(text)


def test_a_setting_reaches_tables_that_are_not_there_yet_and_those_in_lists() -> None:
    values: dict[str, Any] = {"faults": {"schedule": [{"do": "crash"}, {"do": "leave"}]}}
    put(values, "faults.schedule.1.when", 3.0)
    put(values, "medium.beacon.size", 30)
    assert values["faults"]["schedule"][1] == {"do": "leave", "when": 3.0}
    assert values["medium"] == {"beacon": {"size": 30}}


@pytest.mark.parametrize(
    "settings, line",
    [
        ({"nodes.m.count": 3}, "--set nodes.m.count: no class of nodes 'm'; known: n, sub"),
        (
            {"workload.sup.subscribe.where": "v > 1"},
            "--set workload.sup.subscribe.where: no class of nodes 'sup'; did you mean 'sub'? known: n, sub",
        ),
        (
            {"faults.schedule.0.when": 3},
            (
                "--set faults.schedule.0.when: there is no list faults.schedule here; "
                "set it as a whole: faults.schedule=[{…}]"
            ),
        ),
        (
            {"faults.schedule": [{"do": "crsh", "when": 1}]},
            (
                "--set faults.schedule[0].do: no fault 'crsh'; did you mean 'crash'? "
                "known: crash, join, leave, partition, perturb, skew"
            ),
        ),
        ({"until": 5.0, "medium.loss": 3}, "--set medium.loss = 3: allowed: a number from 0 to 1"),
        (
            {"stack": "gossip", "protocol.p": 2.0},
            "--set protocol.p=2.0: stack 'gossip': Gossip.p = 2.0; allowed: a number from 0 to 1",
        ),
    ],
)
def test_what_is_wrong_in_a_setting_is_told_by_its_key(settings: dict[str, Any], line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        scenario_of(PLAIN, set=settings)
    assert str(caught.value) == line


def test_settings_that_are_wrong_together_are_told_together() -> None:
    with pytest.raises(ConfigError) as caught:
        scenario_of(PLAIN, set={"field.area": [0.0, 0.0], "until": -1.0})
    assert str(caught.value).startswith("--set field.area=[0.0, 0.0] --set until=-1.0: ")


def test_a_mistake_that_is_there_without_the_settings_is_not_theirs() -> None:
    with pytest.raises(ConfigError) as caught:
        scenario_of({**PLAIN, "medium": {"los": 1}}, set={"until": 5.0})
    assert str(caught.value).startswith("medium.los: no key 'los'")


def test_a_class_that_neither_publishes_nor_subscribes_is_fine() -> None:
    scenario = scenario_of({**PLAIN, "nodes": {**PLAIN["nodes"], "relay": {"count": 3}}}, set={"nodes.relay.count": 4})
    assert scenario.nodes["relay"].count == 4


def test_protocol_and_a_name_mean_the_stack_that_is_chosen_at_last() -> None:
    scenario = scenario_of(PLAIN, set={"protocol.p": 0.25, "stack": "gossip"})
    assert scenario.parameters == {"p": 0.25, "wait": 0.02}
    assert PLAIN["stack"] == "flood"


def test_the_resolved_scenario_says_every_default_and_reads_as_itself() -> None:
    settings = {
        "stack": "flood-fifo",
        "protocol.patience": 2.0,
        "medium": {"kind": "graph", "latency": [0.1, 0.2], "generator": "ring"},
        "faults": {
            "schedule": [{"do": "partition", "when": 1.0, "groups": [[1], [2, 3]]}],
            "rates": [{"do": "crash", "every": 3.0}],
        },
        "workload.n.publish.attributes": {"v": {"walk": [0.0, 1.0, 0.1]}, "k": "x"},
        "workload.sub.subscribe.ranges": {"v": {"domain": [0.0, 1.0]}},
    }
    scenario = scenario_of(PLAIN, set=settings)
    plain = plain_of(scenario)
    assert plain["protocol"] == {"flood-fifo": {"patience": 2.0, "capacity": 1024, "publishers": 65536}}
    assert plain["medium"]["beacon"] == {"period": 1.0, "size": 20, "missed": 3.0}
    assert scenario_of(plain) == scenario
