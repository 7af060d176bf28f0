"""What every host writes in the same way, asked of both: the simulator and loopback UDP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import pytest

from motecast import live, sim
from motecast.core import (
    NOTED,
    Context,
    EventId,
    Message,
    Publish,
    Stack,
    StackError,
    asked,
)
from motecast.core.notes import HOSTED
from motecast.protocols.plain import Flood
from motecast.protocols.plain.flood import Flooded
from motecast.trace import Trace
from motecast.trace.kinds import CODE, KINDS


@dataclass
class Talker(Flood):
    """Floods, and notes, rejects or sends what its topic says."""

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        super().publish(ctx, publish)
        match publish.event.topics[0].split("/"):
            case ["note", what]:
                ctx.note(what, event=publish.event.id, peer=1, detail="why", much=2)
            case ["invent"]:
                ctx.broadcast(Flooded(msgspec.structs.replace(publish.event, id=EventId(ctx.me, 500)), 1))
            case ["reject"]:
                ctx.reject("nonsense")
            case ["speak"]:
                ctx.broadcast(Unheard())


class Unheard(Message):
    """Nobody receives it."""


def talker() -> Stack:
    """What the scenario names."""
    return Stack(Talker())


def simulated(topic: str) -> Trace:
    """Three nodes; node 0 publishes once on the topic."""
    return sim.run(_deployed(topic), "full")


def hosted(topic: str) -> Trace:
    """The same on sockets."""
    deployed = _deployed(topic)
    return live.run(
        deployed.stack, deployed.positions, deployed.links, deployed.script, seed=1, until=9.0, level="full"
    )


def _deployed(topic: str) -> sim.Deployment:
    publish = {"every": 0.01, "arrivals": "periodic", "since": 0.01, "limit": 1, "topics": [topic]}
    workload = {"one": {"publish": publish}, "other": {"subscribe": {}}}
    scenario = {
        "name": "talk", "stack": "tests.trace.test_scribe:talker", "until": 1.0, "workload": workload,
        "nodes": {"one": {"count": 1}, "other": {"count": 2}}, "medium": {"kind": "graph", "generator": "complete"},
    }  # fmt: skip
    return sim.deploy(sim.scenario_of(scenario))


HOSTS = pytest.mark.parametrize("host", [simulated, hosted])


def told(trace: Trace, kind: str) -> list[tuple[object, ...]]:
    """Rows of a kind, but for their times."""
    columns = ("node", "port", "kind", "peer", "publisher", "number", "hops", "detail")
    return [tuple(row[name] for name in columns) for row in trace.rows.to_pylist() if row["kind"] == kind]


@HOSTS
@pytest.mark.parametrize("what", sorted(NOTED))
def test_a_note_of_a_layers_kind_is_a_row_of_that_kind(what: str, host: Callable[[str], Trace]) -> None:
    assert (0, "Talker", what, 1, 0, 1, None, "why; much=2") in told(host(f"note/{what}"), what)


@HOSTS
@pytest.mark.parametrize("what", ["refused", "note"])
def test_any_other_word_is_a_row_of_the_kind_note(what: str, host: Callable[[str], Trace]) -> None:
    said = "why; much=2" if what == "note" else f"why; what={what}; much=2"
    assert told(host(f"note/{what}"), "note") == [(0, "Talker", "note", 1, 0, 1, None, said)]


@HOSTS
@pytest.mark.parametrize("what", ["deliver", "crash"])
def test_no_layer_writes_rows_of_its_host(what: str, host: Callable[[str], Trace]) -> None:
    with pytest.raises(StackError, match=f"Talker notes '{what}', a row that only the host writes"):
        host(f"note/{what}")


def test_the_kinds_are_those_of_layers_those_of_hosts_and_free_words() -> None:
    assert {*NOTED, *HOSTED, "note"} == set(KINDS) == set(CODE)


@HOSTS
def test_an_event_that_nobody_published_travels_and_has_no_content(host: Callable[[str], Trace]) -> None:
    trace = host("invent")
    assert (1, "Talker", "deliver", None, 0, 500, 1, None) in told(trace, "deliver")
    sent = [row for row in trace.rows.to_pylist() if row["kind"] == "broadcast" and row["number"] == 500]
    assert {(row["payload"], row["metadata"]) for row in sent} == {(0, 0)}


@HOSTS
def test_a_message_that_the_layer_does_not_receive_is_the_stacks_fault(host: Callable[[str], Trace]) -> None:
    with pytest.raises(StackError, match=r"Talker sends Unheard, which it does not receive: .*@received\(Unheard\)"):
        host("speak")


@HOSTS
def test_what_a_layer_rejects_is_counted_and_told(host: Callable[[str], Trace]) -> None:
    trace = host("reject")
    assert trace.about["rejected"] == 1
    assert told(trace, "reject") == [(0, "Talker", "reject", None, None, None, None, "nonsense")]


def test_both_hosts_write_the_same_rows_and_totals() -> None:
    virtual, real = simulated("invent"), hosted("invent")
    for kind in ("publish", "deliver", "duplicate", "subscribe"):
        assert sorted(told(virtual, kind), key=str) == sorted(told(real, kind), key=str)
    assert virtual.totals.to_pylist() == real.totals.to_pylist()
