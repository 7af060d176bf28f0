"""Small traces made by hand or at random: anything may happen in them, also what no sane run does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from motecast.core import Event, EventId, Subscription
from motecast.trace import Trace, TraceBuilder
from motecast.trace.builder import NONE, Extra, hops_code
from motecast.trace.kinds import FIELD

PORTS = ("Top", "world")
NODES = 4
SECOND = 1_000_000


@dataclass
class World:
    """Writes a trace row by row. Times are microseconds; every row comes one later than the one before."""

    level: str = "full"
    nodes: int = NODES
    links: list[tuple[int, ...]] | None = None
    promises: tuple[str, ...] = ()
    scenario: dict[str, Any] = field(default_factory=dict)
    bounds: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.builder = TraceBuilder(PORTS, self.level)
        self.t = 0
        self.row = -1  # of the last row written
        self.numbers: Counter[int] = Counter()
        self.ids = 0
        self.totals: Counter[tuple[int, str, str, bool, str]] = Counter()  # True: with content

    def write(
        self,
        kind: str,
        node: int,
        event: tuple[int, int] | None = None,
        *,
        port: int = 0,
        hops: int | None = None,
        **extra: Any,
    ) -> int:
        """One row; returns its number, or that of the last one if the level does not record it."""
        self.t += 1
        code = self.builder.codes(port).get(kind)
        if code is not None:
            last = self.builder.extra(Extra(hops=hops, **extra)) if extra else hops_code(hops)
            self.builder.rows += (self.t, node, code, *(event or (NONE, NONE)), last)
            self.row += 1
        return self.row

    def subscribe(self, node: int, topic: str = "#", where: str | None = None) -> Subscription:
        self.ids += 1
        subscription = Subscription(self.ids, node, topic, where)
        self.write("subscribe", node, subscription=self.ids)
        self.builder.subscribed(subscription, self.t)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        self.write("unsubscribe", subscription.subscriber, subscription=subscription.id)
        self.builder.unsubscribed(subscription, self.t)

    def publish(self, node: int, *topics: str, life: float | None = None, **attributes: Any) -> EventId:
        self.numbers[node] += 1
        event = EventId(node, self.numbers[node])
        self.write("publish", node, event)
        value = Event(event, topics or ("a",), attributes, when=7.0, expires=None if life is None else 7.0 + life)
        self.builder.published(value, 10, self.t)
        return event

    def deliver(
        self, node: int, event: tuple[int, int], hops: int | None = None, *, gap: bool = False, history: bool = False
    ) -> int:
        detail = "; ".join(word for word, is_said in (("gap", gap), ("history", history)) if is_said)
        return self.write("deliver", node, event, hops=hops, **({"detail": detail} if detail else {}))

    def crash(self, node: int, detail: str = "state lost") -> int:
        return self.write("crash", node, port=1, detail=detail)

    def recover(self, node: int, detail: str | None = None) -> int:
        return self.write("recover", node, port=1, detail=detail)

    def transmit(self, node: int, message: str, costs: tuple[int, int, int], to: int | None = None) -> int:
        kind = "broadcast" if to is None else "send"
        for name, value in zip(("count", "size", "payload", "metadata"), (1, *costs), strict=True):
            self.totals[node, kind, message, costs[1] > 0, name] += value
        size, payload, metadata = costs
        return self.write(kind, node, peer=to, message=message, size=size, payload=payload, metadata=metadata)

    def receive(self, node: int, peer: int, message: str, size: int, kind: str = "receive") -> int:
        return self.write(kind, node, peer=peer, message=message, size=size)

    def trace(self) -> Trace:
        links = self.links or [tuple(n for n in range(self.nodes) if n != m) for m in range(self.nodes)]
        columns = {
            "node": range(self.nodes), "class": ["mote"] * self.nodes, "x": [0.0] * self.nodes, "y": [0.0] * self.nodes,
            "links": links,
        }  # fmt: skip
        keys = sorted({key[:4] for key in self.totals})
        totals = [
            (*key[:3], *(self.totals[*key, name] for name in ("count", "size", "payload", "metadata"))) for key in keys
        ]
        about = {"promises": list(self.promises), "scenario": self.scenario, "bounds": self.bounds, "until": 60.0}
        table = pa.table([pa.array(columns[f.name], f.type) for f in FIELD], schema=FIELD)
        return self.builder.build(totals, table, about)


TOPICS = ("a", "b/1", "b/2")
WANTED = ("#", "a", "b/+", "b/1")
WHERE = (None, "v > 1", "v > 1 OR s = 'x'")


def worlds(level: str = "full") -> st.SearchStrategy[Trace]:
    """Random traces of four nodes: unwanted, early, late and unknown deliveries, deaths, nonsense on the radio.

    Drawn from a seed, because what hypothesis draws step by step stays too sparse for deliveries to meet.
    """
    return st.builds(random_world, st.integers(0, 2**32), st.sampled_from((5, 15, 40, 80)), st.just(level))


def random_world(seed: int, steps: int, level: str) -> Trace:
    rng = Random(f"{seed}/{steps}")
    links = [tuple(peer for peer in range(NODES) if rng.random() < 0.4) for _ in range(NODES)]
    world = World(level, links=links)
    subscriptions: list[Subscription] = []
    events: list[EventId] = []
    for _ in range(steps):
        node, what = rng.randrange(NODES), rng.choice(_WEIGHTED)
        world.t += rng.choice((0, 0, 1, 10))
        match what:
            case "subscribe":
                subscriptions.append(world.subscribe(node, rng.choice(WANTED), rng.choice(WHERE)))
            case "unsubscribe" if subscriptions:
                world.unsubscribe(subscriptions.pop(rng.randrange(len(subscriptions))))
            case "publish":
                events.append(_publish(rng, world, node))
            case "deliver" | "duplicate" | "drop" if events:
                event = rng.choice([*events * 3, EventId(node, 99), EventId(77, 1)])
                if what == "deliver":
                    flags = {"gap": rng.random() < 0.1, "history": rng.random() < 0.2}
                    world.deliver(node, event, rng.choice((None, 0, 1, 2, 5)), **flags)
                else:
                    world.write(what, node, event, message=rng.choice(("Data", None)) if what == "drop" else None)
            case "crash":
                world.crash(node, rng.choice(("state lost", "state kept", "for good")))
            case "recover":
                world.recover(node, rng.choice((None, None, "join")))
            case "radio":
                _radio(rng, world, node)
            case "store" | "unstore" if world.ids:
                world.write(what, node, subscription=rng.randint(1, world.ids))
            case _:
                pass
    return world.trace()


_WEIGHTED = (
    *("subscribe",) * 6, "unsubscribe", *("publish",) * 6, *("deliver",) * 18, *("duplicate",) * 2, *("drop",) * 4,
    "crash", "recover", *("radio",) * 5, *("store",) * 2, "unstore",
)  # fmt: skip


def _publish(rng: Random, world: World, node: int) -> EventId:
    topics = rng.sample(TOPICS, rng.choice((1, 1, 2)))
    life = rng.choice((None, None, 0.000003, 0.00002))
    attributes = {"v": rng.choice((0, 2, 1.5, "2", True)), "s": rng.choice("xy")}
    return world.publish(node, *topics, life=life, **{name: attributes[name] for name in "vs" if rng.random() < 0.7})


def _radio(rng: Random, world: World, node: int) -> None:
    message, size, peer = rng.choice(("Data", "Ack")), rng.choice((3, 9)), rng.choice((None, 0, 1, 2, 3))
    if rng.random() < 0.5:
        costs = (size, *rng.choice(((0, 0), (2, 1), (4, 1), (3, 6)))) if message == "Data" else (size, 0, 0)
        world.transmit(node, message, costs, peer)
    else:
        world.receive(node, peer or 0, message, size, rng.choice(("receive", "lose")))
