"""What carries an event is decided frame by frame: one message of a routing layer carries events and control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from motecast import live, sim
from motecast.check import judge, measure
from motecast.core import (
    Advertise,
    Context,
    Event,
    Layer,
    Message,
    NodeId,
    Notify,
    Payload,
    Publish,
    PubSub,
    Radio,
    Seek,
    Stack,
    Subscribe,
    Unsubscribe,
    asked,
    received,
)
from motecast.trace import Trace


class Parcel(Message):
    """Anything on its way."""

    carries = "payload"

    payload: Payload


class Wish(Message):
    """A subscription inside."""

    topic: str


class News(Message):
    """An event inside."""

    carries = "event"

    event: Event


@dataclass
class Post(Layer):
    """Sends parcels to node 0, which delivers what it gets."""

    above = PubSub
    below = Radio
    ignores = (Advertise, Seek, Unsubscribe)
    payloads = (Wish, News)

    @asked(Subscribe)
    def subscribe(self, ctx: Context, subscribe: Subscribe) -> None:
        ctx.send(0, Parcel(Payload(Wish(subscribe.subscription.topic))))

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        ctx.send(0, Parcel(Payload(News(publish.event))))

    @received(Parcel)
    def arrive(self, ctx: Context, sender: NodeId, parcel: Parcel) -> None:
        if isinstance(parcel.payload.message, News):
            ctx.up(Notify(parcel.payload.message.event, 1))


def post() -> Stack:
    """What the scenario names."""
    return Stack(Post())


def deployed() -> sim.Deployment:
    """Node 0 gets five subscriptions, and ten events of each of two others."""
    return sim.deploy(sim.scenario_of({
        "name": "post", "stack": "tests.check.test_frames:post", "until": 2.0,
        "nodes": {"office": {"count": 1}, "writer": {"count": 2}, "reader": {"count": 5}},
        "medium": {"kind": "graph", "generator": "complete"},
        "workload": {
            "writer": {"publish": {"every": 0.05, "arrivals": "periodic", "limit": 10}},
            "reader": {"subscribe": {}},
        },
    }))  # fmt: skip


def simulated() -> Trace:
    return sim.run(deployed(), "full")


def hosted() -> Trace:
    made = deployed()
    return live.run(
        made.stack, made.positions, made.links, made.script, seed=1, until=9.0, acknowledge=False, level="full"
    )


@pytest.mark.parametrize("host", [simulated, hosted])
def test_a_message_that_carries_events_and_control_counts_as_each_is(host: Callable[[], Trace]) -> None:
    trace = host()
    found = measure(trace)
    assert (found["published"], found["transmissions_per_event"], found["control_per_event"]) == (20, 1.0, 5 / 20)
    wishes = [row for row in trace.rows.to_pylist() if row["kind"] == "send" and not row["payload"]]
    assert found["control_bytes"] == sum(row["size"] for row in wishes) > 0
    (verdict,) = judge(trace, ["bytes-conserved"])
    assert verdict.word == "holds"


def test_totals_that_mix_frames_with_and_without_content_are_found_out() -> None:
    trace = simulated()
    count = trace.totals["payload"].to_pylist()
    assert {payload > 0 for payload in count} == {True, False}
    trace.totals = trace.totals.set_column(5, trace.totals.schema.field("payload"), [[1] * len(count)])
    (verdict,) = judge(trace, ["bytes-conserved"])
    assert verdict.count > 0
