"""What the applications do: who subscribes to what, and who publishes what when. The same for every stack."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from motecast.core import Advertise, Event, EventId, NodeId, Publish, Signal, Subscribe, Subscription, Unsubscribe
from motecast.sim import scenario as tables
from motecast.sim.readings import Reading, read_readings
from motecast.trace.builder import MICROSECONDS

if TYPE_CHECKING:
    from motecast.core import Value
    from motecast.sim.field import Site
    from motecast.sim.legs import Track

Act = tuple[int, NodeId, Signal]
Item = TypeVar("Item")


class Draft(NamedTuple):
    """An event before it has its number."""

    when: float
    topics: tuple[str, ...]
    attributes: dict[str, Value]


def script_of(
    scenario: tables.Scenario, sites: Sequence[Site], tracks: Mapping[NodeId, Track] | None = None
) -> list[Act]:
    """Everything the applications do, in order of time; at one time subscriptions come before publications."""
    script: list[Act] = []
    next_subscription = 1
    for name, work in scenario.workload.items():
        nodes = [node for node, site in enumerate(sites) if site.name == name]
        if work.subscribe is not None:
            for node in chosen(nodes, work.subscribe.share, scenario, f"{name}/subscribe"):
                acts = list(_subscriptions(work.subscribe, node, name, next_subscription, scenario))
                next_subscription += sum(1 for _, _, signal in acts if isinstance(signal, Subscribe))
                script += acts
    publishers = list(_publishers(scenario, sites))
    for node, publish in publishers:
        script += _advertisements(publish, node, sites[node].name)
    for node, publish, drafts in _publications(scenario, sites, publishers):
        script += _published(publish, node, drafts, sites[node], (tracks or {}).get(node))
    return sorted(script, key=lambda act: (act[0], isinstance(act[2], Publish)))  # stable


def chosen(nodes: list[NodeId], share: float, scenario: tables.Scenario, what: str) -> list[NodeId]:
    """A random share of the nodes, in order."""
    if share >= 1.0:
        return nodes
    return sorted(Random(f"{scenario.seed}/workload/{what}").sample(nodes, round(share * len(nodes))))


# Subscriptions


def _subscriptions(
    want: tables.Subscribe, node: NodeId, name: str, first: int, scenario: tables.Scenario
) -> Iterator[Act]:
    rng = Random(f"{scenario.seed}/workload/{node}/subscribe")
    topics = want.topics if want.count is None else [pick(want.topics, want.zipf, rng) for _ in range(want.count)]
    for number, topic in enumerate(topics, first):
        subscription = Subscription(number, node, filled(topic, node, name), where_of(want, rng))
        yield round(want.since * MICROSECONDS), node, Subscribe(subscription)
        if want.until is not None:
            yield round(want.until * MICROSECONDS), node, Unsubscribe(subscription)


def where_of(want: tables.Subscribe, rng: Random) -> str | None:
    """The condition of one subscription: the class's own and one for each range."""
    parts = [] if want.where is None else [f"({want.where})"] if want.ranges else [want.where]
    parts += [_condition(name, limits, rng) for name, limits in want.ranges.items()]
    return " AND ".join(parts) or None


def _condition(name: str, limits: tables.Range, rng: Random) -> str:
    low, high = limits.domain
    if limits.zipf is not None:
        share = pick(range(1, 101), limits.zipf, rng) / 100.0
    else:
        share = rng.uniform(*limits.width)
    width = share * (high - low)
    start = rng.uniform(low, high - width)
    match limits.shape:
        case "below":
            return f"{name} <= {low + width!r}"
        case "above":
            return f"{name} >= {high - width!r}"
        case _:
            return f"{name} BETWEEN {start!r} AND {start + width!r}"


# Publications


def _publishers(scenario: tables.Scenario, sites: Sequence[Site]) -> Iterator[tuple[NodeId, tables.Publish]]:
    for name, work in scenario.workload.items():
        if work.publish is not None:
            nodes = [node for node, site in enumerate(sites) if site.name == name]
            for node in chosen(nodes, work.publish.share, scenario, f"{name}/publish"):
                yield node, work.publish


def _advertisements(work: tables.Publish, node: NodeId, name: str) -> Iterator[Act]:
    for topic in () if work.file else work.topics:
        yield round(work.since * MICROSECONDS), node, Advertise(filled(topic, node, name))


def _publications(
    scenario: tables.Scenario, sites: Sequence[Site], publishers: list[tuple[NodeId, tables.Publish]]
) -> Iterator[tuple[NodeId, tables.Publish, Iterator[Draft]]]:
    files: dict[str, dict[NodeId, list[Reading]]] = {}
    for node, work in publishers:
        rng = Random(f"{scenario.seed}/workload/{node}/publish")
        if work.file is None:
            yield node, work, _drawn(work, node, sites[node].name, scenario.until, rng)
        else:
            if work.file not in files:
                files[work.file] = read_readings(Path(scenario.folder) / work.file, len(sites))
            yield node, work, _read(work, node, sites[node].name, files[work.file].get(node, []), rng)


def _drawn(work: tables.Publish, node: NodeId, name: str, end: float, rng: Random) -> Iterator[Draft]:
    when, last = work.since, end if work.until is None else min(work.until, end)
    walks: dict[str, float] = {}
    count = 0
    when += rng.expovariate(1.0 / work.every) if work.arrivals == "poisson" else rng.uniform(0.0, work.every)
    while when <= last and (work.limit is None or count < work.limit):
        values = {key: drawn(key, value, walks, rng) for key, value in work.attributes.items()}
        yield Draft(when, _topics(work, node, name, rng), values)
        when += rng.expovariate(1.0 / work.every) if work.arrivals == "poisson" else work.every
        count += 1


def _read(work: tables.Publish, node: NodeId, name: str, readings: list[Reading], rng: Random) -> Iterator[Draft]:
    for reading in readings[: work.limit]:
        when = work.since + reading.when
        if work.until is None or when <= work.until:
            topics = (reading.topic,) if reading.topic else _topics(work, node, name, rng)
            yield Draft(when, topics, reading.attributes)


def _published(
    work: tables.Publish, node: NodeId, drafts: Iterator[Draft], site: Site, track: Track | None
) -> Iterator[Act]:
    geo = dict(zip(("lat", "lon"), site.degrees, strict=True)) if site.degrees else {}
    payload = bytes(work.payload)
    for number, draft in enumerate(drafts, 1):
        t = round(draft.when * MICROSECONDS)
        when = t / MICROSECONDS
        expires = None if work.expires is None else when + work.expires
        event = Event(
            EventId(node, number),
            draft.topics,
            {**geo, **draft.attributes},
            when,
            site.position if track is None else track.at(t),
            payload,
            None,
            expires,
        )
        yield t, node, Publish(event)


def _topics(work: tables.Publish, node: NodeId, name: str, rng: Random) -> tuple[str, ...]:
    if work.per_event == 1:
        return (filled(pick(work.topics, work.zipf, rng), node, name),)
    names = dict.fromkeys(filled(topic, node, name) for topic in work.topics)
    return tuple(sorted(sample(list(names), work.per_event, work.zipf, rng)))


def filled(topic: str, node: NodeId, name: str) -> str:
    """The topic of this node."""
    return topic.replace("{node}", str(node)).replace("{class}", name)


def drawn(key: str, value: tables.Scalar | tables.Draw, walks: dict[str, float], rng: Random) -> Value:
    """One value of an attribute."""
    match value:
        case tables.Draw(uniform=(low, high)):
            return rng.uniform(low, high)
        case tables.Draw(integers=(first, last)):
            return rng.randint(first, last)
        case tables.Draw(normal=(mean, deviation)):
            return rng.gauss(mean, deviation)
        case tables.Draw(walk=(low, high, step)):
            here = walks.get(key, rng.uniform(low, high)) + rng.uniform(-step, step)
            walks[key] = min(max(here, low), high)
            return walks[key]
        case tables.Draw(choice=values, zipf=zipf):
            assert values is not None, key
            return pick(values, zipf or 0.0, rng)
        case _:
            return value


def pick(items: Sequence[Item], zipf: float, rng: Random) -> Item:
    """One item; by Zipf's law the k-th has the weight k^-zipf."""
    if not zipf or len(items) == 1:
        return items[int(rng.random() * len(items))]
    return items[min(bisect(_weights(len(items), zipf), rng.random()), len(items) - 1)]


@lru_cache(maxsize=64)
def _weights(count: int, zipf: float) -> list[float]:
    """The share of the first, of the first two and so on."""
    sums = list(accumulate((rank + 1) ** -zipf for rank in range(count)))
    return [each / sums[-1] for each in sums]


def sample(items: Sequence[Item], count: int, zipf: float, rng: Random) -> list[Item]:
    """So many different items (all if there are fewer), as if picked one after the other without putting back.

    The largest of log(weight) plus Gumbel noise are such a sample, however small the weights.
    """
    keys = [-zipf * math.log(rank + 1) - math.log(rng.expovariate(1.0) or 1e-300) for rank in range(len(items))]
    chosen = sorted(range(len(items)), key=lambda index: -keys[index])[:count]
    return [items[index] for index in chosen]
