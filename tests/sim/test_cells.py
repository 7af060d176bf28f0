"""Receivers that take one event at a time: who waits, who is told, and in which order."""

from __future__ import annotations

from typing import Any

import pytest

from motecast.check import judge
from motecast.sim import deploy, run, scenario_of
from motecast.sim.exclusive import Exclusive, LeanExclusive
from motecast.sim.lean import Lean
from motecast.sim.radio import Radio
from motecast.sim.world import World
from tests.sim.probes import kinds
from tests.sim.walkers import Way, field, said

# A frame takes a second. Node 0 is the receiver, all others hear it and it hears them.
TAKEN = {"kind": "cells", "latency": 0.0, "rate": 100.0, "exclusive": ["node"]}
ROOM: list[Way | float] = [15.0, 5.0, 12.0, 18.0]


def fate(orders: list[tuple[float, int, str]], only: str = "", **tables: Any) -> list[tuple[float, int, str]]:
    """What the nodes of a room say."""
    tables.setdefault("medium", TAKEN)
    found = said(ROOM, orders, only, **tables)
    return [one for one in found if one[0] > 0.0]


def test_only_who_asks_for_it_gets_the_medium_with_exclusive_receivers() -> None:
    kinds = {
        LeanExclusive: TAKEN,
        Lean: {**TAKEN, "exclusive": []},
        Exclusive: {**TAKEN, "acknowledge": True},
        Radio: {**TAKEN, "exclusive": [], "latency": 0.001},
    }
    for kind, medium in kinds.items():
        assert type(World(field(ROOM, medium=medium)).medium) is kind


@pytest.mark.parametrize(
    "other", [{"latency": 1e-6}, {"acknowledge": True, "retries": 0}], ids=["latency", "acknowledged"]
)
def test_turns_are_the_same_whichever_radio_takes_them(other: dict[str, Any]) -> None:
    eager = {"protocol": {"tests.sim.walkers:walker": {"eager": True}}}
    orders = [(1.0, 3, "give 0"), (1.2, 2, "give 0"), (1.4, 1, "give 0"), (5.5, 1, "force 0")]
    lean = fate(orders, "took", **eager)
    full = fate(orders, "took", **eager, medium={**TAKEN, **other})
    assert [text for _, _, text in full][:15] == [text for _, _, text in lean][:15]


def test_while_a_frame_to_a_receiver_is_in_the_air_it_is_clear_to_nobody_else() -> None:
    orders = [(1.0, 1, "give 0"), (1.5, 2, "ask 0"), (1.6, 1, "ask 0"), (1.7, 0, "ask 1"), (2.5, 2, "ask 0")]
    assert [text for _, _, text in fate(orders) if "clear " in text] == [
        "0 clear False",
        "0 clear True",  # its own frame keeps nobody from sending the next
        "1 clear True",  # who sends can listen
        "0 clear True",
    ]


def test_who_found_it_busy_is_told_when_it_is_clear_and_nobody_else_is() -> None:
    found = fate([(1.0, 1, "give 0"), (1.5, 2, "ask 0")], "cleared")
    assert found == [(2.0, 2, "cleared 0")]
    assert fate([(1.0, 1, "give 0"), (2.5, 2, "ask 0")], "cleared") == []


def test_who_waits_longest_is_served_first_and_who_has_sent_waits_behind_the_others() -> None:
    eager = {"protocol": {"tests.sim.walkers:walker": {"eager": True}}, "until": 9.5}
    found = fate([(1.0, 3, "give 0"), (1.2, 2, "give 0"), (1.4, 1, "give 0")], "took", **eager)
    senders = [text.split()[-1] for _, _, text in found]
    assert [t for t, *_ in found] == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    assert senders == ["3", "2", "1", "3", "2", "1", "3", "2"]


def test_who_does_not_take_its_turn_lets_the_next_one_have_it() -> None:
    found = fate([(1.0, 1, "give 0"), (1.2, 2, "ask 0"), (1.4, 3, "ask 0"), (1.6, 2, "ask 0")], "cleared")
    assert found == [(2.0, 2, "cleared 0"), (2.0, 3, "cleared 0")]


def test_control_frames_keep_nobody_busy() -> None:
    found = fate([(1.0, 1, "tell 0 word"), (1.5, 2, "ask 0"), (1.6, 2, "give 0")])
    assert [text for _, _, text in found] == [
        "0 clear True",
        "heard word of 1",
        "sent word ok",
        "took 2/2 of 2",
        "gave ok",
    ]


def test_receivers_of_other_classes_take_as_many_as_come() -> None:
    tables = {
        "nodes": {"sink": {"count": 1}, "sensor": {"count": 3}},
        "medium": {**TAKEN, "exclusive": ["sensor"]},
    }
    found = fate([(1.0, 1, "give 0"), (1.2, 2, "give 0"), (1.4, 3, "force 0")], "took", **tables)
    assert [(t, text[-1]) for t, _, text in found] == [(2.0, "1"), (2.2, "2"), (2.4, "3")]


def test_a_frame_that_is_forced_on_a_busy_receiver_is_lost_and_its_sender_knows() -> None:
    found = fate([(1.0, 1, "give 0"), (1.5, 2, "force 0"), (3.0, 2, "force 0")])
    assert [(t, node, text) for t, node, text in found if "gave" in text] == [
        (2.0, 1, "gave ok"),
        (2.5, 2, "gave in vain"),
        (4.0, 2, "gave ok"),
    ]
    trace = run(field(ROOM, [(1.0, 1, "give 0"), (1.5, 2, "force 0")], medium=TAKEN), "full")
    assert [row[:3] for row in kinds(trace, "lose")] == [(2.5, 0, "lose")]


def test_a_receiver_is_clear_when_its_sender_dies() -> None:
    faults = {"schedule": [{"do": "crash", "when": 1.5, "node": 1}]}
    found = fate([(1.0, 1, "give 0"), (1.2, 2, "ask 0")], "cleared", faults=faults)
    assert found == [(1.5, 2, "cleared 0")]


def test_who_has_gone_out_of_reach_is_not_told() -> None:
    ways: list[Way | float] = [15.0, 5.0, [(0.0, 25.0), (1.0, 25.0), (2.0, 55.0)]]
    found = said(ways, [(1.0, 1, "give 0"), (1.0, 2, "ask 0")], "cleared", medium=TAKEN)
    assert found == []


def test_classes_that_are_apart_do_not_hear_each_other() -> None:
    tables = {
        "nodes": {"sink": {"count": 1}, "walker": {"count": 3}},
        "medium": {"kind": "cells", "latency": 0.0, "apart": ["walker"]},
    }
    assert [node for _, node, text in fate([(1.0, 1, "say a")], "heard", **tables)] == [0]
    assert [node for _, node, text in fate([(1.0, 0, "say a")], "heard", **tables)] == [1, 2, 3]


def test_a_field_that_stands_may_be_one_of_cells_too() -> None:
    tables = {"field": {"area": [100.0, 100.0], "cells": 4}, "nodes": {"n": {"count": 16, "placement": "grid"}}}
    made = deploy(scenario_of({"name": "grid", "stack": "flood", "medium": {"kind": "cells"}, **tables}))
    assert [len(peers) for peers in made.links] == [3, 5, 5, 3, 5, 8, 8, 5, 5, 8, 8, 5, 3, 5, 5, 3]


def test_a_run_with_exclusive_receivers_holds_its_promises() -> None:
    orders = [(1.0 + 0.3 * n, 1 + n % 3, "give 0") for n in range(40)]
    trace = run(field(ROOM, orders, medium={**TAKEN, "loss": 0.2}, energy={}), "full")
    assert [f for v in judge(trace, ["bytes-conserved", "silence-of-the-dead", "integrity"]) for f in v.findings] == []
