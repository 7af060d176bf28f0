"""A layer that says where it is, whom it meets and what became of its frames, and small fields that move."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from motecast.core import (
    Context,
    Event,
    EventId,
    Layer,
    Message,
    NodeId,
    Publish,
    PubSub,
    Radio,
    Stack,
    asked,
    cleared,
    linked,
    moved,
    received,
    sent,
    started,
    unlinked,
)
from motecast.core.pubsub import Advertise, Seek, Subscribe, Unsubscribe
from motecast.sim import Deployment, deploy, run, scenario_of
from motecast.sim.legs import track_through
from motecast.sim.planning import plan_of
from tests.sim.probes import Said, notes

SECOND = 1_000_000


class Copy(Message):
    """An event."""

    carries = "event"
    bits = 100

    event: Event


class Word(Message):
    """Control."""

    bits = 100

    text: str


@dataclass
class Walker(Layer):
    """Does what the attribute `do` of an event says: say TEXT, tell NODE TEXT, give NODE, ask NODE, or where."""

    above = PubSub
    below = Radio
    ignores = (Seek, Subscribe, Unsubscribe, Advertise)

    eager: bool = False  # whoever is cleared, or has sent, gives at once

    @asked(Publish)
    def obey(self, ctx: Context, publish: Publish) -> None:
        match str(publish.event.attributes["do"]).split():
            case ["say", text]:
                ctx.broadcast(Word(text))
            case ["tell", to, text]:
                ctx.send(int(to), Word(text))
            case ["give", to]:
                self.give(ctx, int(to), publish.event)
            case ["force", to]:
                ctx.send(int(to), Copy(publish.event))
            case ["ask", to]:
                ctx.note("note", detail=f"{to} clear {ctx.is_clear(int(to))}")
            case ["where"]:
                (x, y), leg = ctx.position, ctx.leg
                way = "stands" if leg is None else f"{leg.start:g}-{leg.arrival:g} to {leg.to} at {leg.speed:g}"
                ctx.note("note", detail=f"at {x:g} {y:g}, {way}")
            case order:
                raise AssertionError(order)

    def give(self, ctx: Context, to: NodeId, event: Event) -> None:
        if ctx.idle and ctx.is_clear(to):
            ctx.send(to, Copy(event))

    @received(Copy)
    def take(self, ctx: Context, sender: NodeId, copy: Copy) -> None:
        ctx.note("note", detail=f"took {copy.event.id} of {sender}")

    @received(Word)
    def hear(self, ctx: Context, sender: NodeId, word: Word) -> None:
        ctx.note("note", detail=f"heard {word.text} of {sender}")

    @sent(Word)
    def learn(self, ctx: Context, to: NodeId | None, word: Word, ok: bool) -> None:
        ctx.note("note", detail=f"sent {word.text} {'ok' if ok else 'in vain'}")

    @sent(Copy)
    def gave(self, ctx: Context, to: NodeId, copy: Copy, ok: bool) -> None:
        ctx.note("note", detail=f"gave {'ok' if ok else 'in vain'}")
        if self.eager:
            self.give(ctx, to, copy.event)

    @cleared
    def clear(self, ctx: Context, peer: NodeId) -> None:
        ctx.note("note", detail=f"cleared {peer}")
        if self.eager:
            self.give(ctx, peer, Event(EventId(ctx.me, 1), ("do",), {}))

    @started
    def start(self, ctx: Context) -> None:
        ctx.note("note", detail="starts")

    @moved
    def move(self, ctx: Context) -> None:
        (x, y) = ctx.position
        ctx.note("note", detail=f"moved {x:g} {y:g} {'stands' if ctx.leg is None else 'goes'}")

    @linked
    def meet(self, ctx: Context, peer: NodeId) -> None:
        ctx.note("note", detail=f"linked {peer}")

    @unlinked
    def part(self, ctx: Context, peer: NodeId) -> None:
        ctx.note("note", detail=f"unlinked {peer}")


def walker(*, eager: bool = False) -> Stack:
    """What scenarios of these tests name."""
    return Stack(Walker(eager=eager))


Way = list[tuple[float, float]]  # seconds and x; y is 5


def field(ways: list[Way | float], orders: Iterable[tuple[float, int, str]] = (), **tables: Any) -> Deployment:
    """Cells of 10 m in a row, nodes that stand at an x or go along a way, and what they are told to do."""
    scenario = scenario_of(
        {
            "name": "walkers",
            "stack": "tests.sim.walkers:walker",
            "until": 30.0,
            "field": {"area": [100.0, 100.0], "cells": 10},
            "medium": {"kind": "cells", "latency": 0.0},
            "nodes": {"node": {"count": len(ways)}},
            **tables,
        }
    )
    made = deploy(scenario)
    for node, way in enumerate(ways):
        if isinstance(way, list):
            made.tracks[node] = track_through([(round(t * SECOND), (x, 5.0)) for t, x in way])
        made.positions[node] = (way[0][1], 5.0) if isinstance(way, list) else (way, 5.0)
    made.plan = plan_of(scenario, made.positions, made.classes, made.tracks)
    assert made.plan is not None
    made.links = made.plan.links()
    made.script = [
        (round(when * SECOND), node, Publish(Event(EventId(node, number), ("do",), {"do": what}, when)))
        for number, (when, node, what) in enumerate(sorted(orders), 1)
    ]
    return made


def said(
    ways: list[Way | float], orders: Iterable[tuple[float, int, str]] = (), only: str = "", **tables: Any
) -> list[Said]:
    """What the layers of such a field say."""
    return notes(run(field(ways, orders, **tables), "full"), only)
