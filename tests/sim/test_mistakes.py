"""What a protocol does wrong in the simulated world: told where, when, whose, and never by a run that hangs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from motecast.core import (
    Advertise,
    Context,
    Layer,
    Message,
    NodeId,
    Publish,
    PubSub,
    Radio,
    Seek,
    Stack,
    StackError,
    Subscribe,
    Timer,
    Unsubscribe,
    asked,
    expired,
    received,
)
from motecast.sim import World, deploy, scenario_of


class Yawn(Timer):
    """Nobody answers it."""


class Again(Timer):
    """Set when it expires."""

    after: float


class Echo(Message):
    """Said when it is heard."""


@dataclass
class Clumsy(Layer):
    """Does what the text of an event says."""

    above = PubSub
    below = Radio
    ignores = (Subscribe, Unsubscribe, Advertise, Seek)

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        match publish.event.topics[0].split(" "):
            case ["key"]:
                raise KeyError("oh")
            case ["tell"]:
                ctx.up(publish)
            case ["yawn"]:
                ctx.set_timer(Yawn(), 1.0)
            case ["again", after]:
                ctx.set_timer(Again(float(after)), float(after))
            case ["echo"]:
                ctx.broadcast(Echo())

    @expired(Again)
    def again(self, ctx: Context, timer: Again) -> None:
        ctx.set_timer(timer, timer.after)

    @received(Echo)
    def hear(self, ctx: Context, sender: NodeId, echo: Echo) -> None:
        ctx.broadcast(echo)


def clumsy() -> Stack:
    """What scenarios of these tests name."""
    return Stack(Clumsy())


def doing(what: str, **medium: Any) -> World:
    """Two such nodes, of which the second does it after a second."""
    return World(
        deploy(
            scenario_of(
                {
                    "name": "clumsy",
                    "stack": "tests.sim.test_mistakes:clumsy",
                    "seed": 7,
                    "until": 3.0,
                    "nodes": {"good": {"count": 1}, "bad": {"count": 1}},
                    "medium": {"kind": "graph", "generator": "complete", "latency": 0.0, **medium},
                    "workload": {
                        "bad": {"publish": {"topics": [what], "every": 1.0, "limit": 1, "arrivals": "periodic"}}
                    },
                }
            )
        )
    )


@pytest.mark.parametrize(
    ("what", "error", "line"),
    [
        ("key", KeyError, "'oh'"),
        ("tell", StackError, "Clumsy tells Publish, which PubSub does not list"),
        ("yawn", StackError, "Clumsy sets Yawn, but has no @expired(Yawn)"),
        ("again -1", StackError, "Clumsy sets Again(after=-1.0) after -1.0 s; allowed: 0 or more, and finite"),
        ("again nan", StackError, "Clumsy sets Again(after=nan) after nan s; allowed: 0 or more, and finite"),
    ],
)
def test_a_handler_that_raises_is_told_with_node_layer_seed_and_time(
    what: str, error: type[Exception], line: str
) -> None:
    world = doing(what)
    with pytest.raises(error) as raised:
        world.run()
    assert str(raised.value) == line
    assert raised.value.__notes__ == [f"at node 1, Clumsy, seed 7, {world.kernel.now / 1e6:.6f} s"]


def test_the_shortest_timer_takes_a_tick_so_that_time_goes_on() -> None:
    world = doing("again 1e-9")
    world.until = 100 + max(when for when, _, _ in world.deployment.script)
    world.run()
    assert world.kernel.handled > 100
    assert max(len(bucket) for bucket in world.kernel.calendar.values()) == 4


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("again 0", "Clumsy answers Again(after=0.0) at node 1"),
        ("echo", "Clumsy receives Echo() of node "),
    ],
)
def test_time_that_stands_still_is_told_with_the_layer_and_what_it_does(what: str, line: str) -> None:
    world = doing(what)
    world.kernel.most = 1000
    with pytest.raises(StackError) as raised:
        world.run()
    assert str(raised.value).startswith(f"time stands still: 1,000 things happen at once, and next {line}")
