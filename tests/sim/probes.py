"""A layer that does what it is told and says what happens to it, and worlds of a few such nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from motecast.core import (
    Advertise,
    Context,
    Event,
    EventId,
    Layer,
    Message,
    NodeId,
    Publish,
    PubSub,
    Radio,
    Seek,
    Signal,
    Stack,
    Subscribe,
    Timer,
    Unsubscribe,
    asked,
    cleared,
    expired,
    linked,
    received,
    sent,
    started,
    state,
    unlinked,
)
from motecast.sim import Deployment, deploy, run, scenario_of
from motecast.trace import Trace

Said = tuple[float, int, str]  # when, node, what
Order = tuple[float, int, str]  # when a node is told to do what
SECOND = 1_000_000


class Call(Message):
    """Some text, filled up to a size."""

    text: str
    filling: bytes = b""


class Alarm(Timer):
    """A named one."""

    name: str


@dataclass
class Probe(Layer):
    """Does what the attribute `do` of an event says: say TEXT · tell NODE TEXT · alarm NAME SECONDS · facts NODE."""

    above = PubSub
    below = Radio
    ignores = (Seek,)

    filling: int = 0  # bytes that make every message longer

    count: int = state(int)  # orders, to see whether state is kept

    @asked(Publish)
    def obey(self, ctx: Context, publish: Publish) -> None:
        self.count += 1
        match str(publish.event.attributes["do"]).split():
            case ["say", *texts]:
                for text in texts:
                    ctx.broadcast(Call(text, bytes(self.filling)))
            case ["tell", to, *texts]:
                for text in texts:
                    ctx.send(int(to), Call(text, bytes(self.filling)))
            case ["alarm", name, after]:
                ctx.set_timer(Alarm(name), float(after))
            case ["facts", peer]:
                say(ctx, f"idle {ctx.idle}, {peer} clear {ctx.is_clear(int(peer))}")
            case ["count"]:
                say(ctx, f"count {self.count}")
            case ["clock"]:
                say(ctx, f"clock {ctx.now:.3f}, event {publish.event.when:.3f}")
            case order:
                raise AssertionError(order)

    @received(Call)
    def hear(self, ctx: Context, sender: NodeId, call: Call) -> None:
        say(ctx, f"heard {call.text} of {sender}")

    @sent(Call)
    def learn(self, ctx: Context, to: NodeId | None, call: Call, ok: bool) -> None:
        say(ctx, f"sent {call.text} {'ok' if ok else 'in vain'}")

    @expired(Alarm)
    def ring(self, ctx: Context, alarm: Alarm) -> None:
        say(ctx, f"rings {alarm.name}")

    @started
    def start(self, ctx: Context) -> None:
        say(ctx, "starts")

    @linked
    def meet(self, ctx: Context, peer: NodeId) -> None:
        say(ctx, f"linked {peer}")

    @unlinked
    def part(self, ctx: Context, peer: NodeId) -> None:
        say(ctx, f"unlinked {peer}")

    @cleared
    def clear(self, ctx: Context, peer: NodeId) -> None:
        say(ctx, f"cleared {peer}")

    @asked(Subscribe)
    def subscribe(self, ctx: Context, subscribe: Subscribe) -> None:
        say(ctx, f"subscribes {subscribe.subscription.topic}")

    @asked(Unsubscribe)
    def unsubscribe(self, ctx: Context, unsubscribe: Unsubscribe) -> None:
        say(ctx, f"unsubscribes {unsubscribe.subscription.topic}")

    @asked(Advertise)
    def advertise(self, ctx: Context, advertise: Advertise) -> None:
        say(ctx, f"advertises {advertise.topic} from {advertise.number}")


def say(ctx: Context, what: str) -> None:
    """Into the trace."""
    ctx.note("note", detail=what)


def probe(*, filling: int = 0) -> Stack:
    """What scenarios of these tests name."""
    return Stack(Probe(filling=filling))


def world(
    orders: Iterable[Order] = (),
    *,
    links: Sequence[Sequence[int]] = ((1,), (0,)),
    filling: int = 0,
    signals: Iterable[tuple[float, int, Signal]] = (),
    **tables: Any,
) -> Deployment:
    """Probes with these links (who hears each) that are told what to do."""
    scenario = {
        "name": "probes",
        "stack": "tests.sim.probes:probe",
        "protocol": {"tests.sim.probes:probe": {"filling": filling}},
        "until": 20.0,
        "nodes": {"node": {"count": len(links)}},
        "medium": {"kind": "graph", "latency": 0.0},
        **tables,
    }
    deployed = deploy(scenario_of(scenario))
    deployed.links = [tuple(peers) for peers in links]
    publications = [
        (round(when * SECOND), node, Publish(Event(EventId(node, number), ("do",), {"do": what}, when)))
        for number, (when, node, what) in enumerate(orders, 1)
    ]
    acts = [*((round(when * SECOND), node, signal) for when, node, signal in signals), *publications]
    deployed.script = [*deployed.script, *sorted(acts, key=lambda act: act[0])]
    return deployed


def notes(trace: Trace, only: str = "") -> list[Said]:
    """What the layers said, in order; those that begin with `only`."""
    rows = trace.rows.select(["t", "node", "port", "kind", "detail"]).to_pylist()
    return [
        (row["t"] / SECOND, row["node"], row["detail"])
        for row in rows
        if row["kind"] == "note" and row["port"] != "world" and row["detail"].startswith(only)
    ]


def said(orders: Iterable[Order] = (), only: str = "", **options: Any) -> list[Said]:
    """What the probes of such a world say."""
    return notes(run(world(orders, **options), "full"), only)


def kinds(trace: Trace, *wanted: str) -> list[tuple[float, int, str, str | None]]:
    """Rows of these kinds: when, node, kind, detail."""
    rows = trace.rows.select(["t", "node", "kind", "detail"]).to_pylist()
    return [(r["t"] / SECOND, r["node"], r["kind"], r["detail"]) for r in rows if r["kind"] in wanted]
