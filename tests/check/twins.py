"""The slow dumb twins of measures and oracles: lists of dictionaries and nested loops, as the definitions read."""

from __future__ import annotations

import json
import statistics
from itertools import product
from typing import Any

from motecast.core import Event, EventId, Subscription
from motecast.trace import Trace

Row = dict[str, Any]
INFINITY = float("inf")


class Twin:
    """A trace as plain Python."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.rows: list[Row] = [{**row, "row": n} for n, row in enumerate(trace.rows.to_pylist())]
        self.events = [self._event(row) for row in trace.events.to_pylist()]
        self.subscriptions = trace.subscriptions.to_pylist()

    def _event(self, row: Row) -> Row:
        attributes = {}
        for field in self.trace.events.schema:
            value = row[field.name]
            if field.name.startswith("a.") and value is not None:
                attributes[field.name[2:]] = json.loads(value) if field.metadata else value
        event = Event(EventId(row["publisher"], row["number"]), tuple(row["topics"]), attributes)
        return {"id": event.id, "event": event, "when": row["when"], "deadline": row["expires"] or INFINITY}

    def of(self, *kinds: str) -> list[Row]:
        return [row for row in self.rows if row["kind"] in kinds]

    def event(self, row: Row) -> Row | None:
        return next((e for e in self.events if e["id"] == (row["publisher"], row["number"])), None)

    def matching(self, event: Row, node: int) -> list[Row]:
        return [
            s
            for s in self.subscriptions
            if s["subscriber"] == node
            and Subscription(s["subscription"], node, s["topic"], s["where"]).matches(event["event"])
        ]

    def is_wanted(self, row: Row) -> bool:
        event = self.event(row)
        return event is not None and any(
            s["since"] <= row["t"] and (s["until"] is None or s["until"] >= event["when"])
            for s in self.matching(event, row["node"])
        )

    def pairs(self) -> list[tuple[Row, int]]:
        found = []
        for event, node in product(self.events, range(self.trace.field.num_rows)):
            active = any(
                s["since"] <= event["when"] and (s["until"] is None or s["until"] > event["when"])
                for s in self.matching(event, node)
            )
            deaths = [r["t"] for r in self.of("crash") if r["node"] == node and r["detail"] == "for good"]
            if active and not any(t < event["deadline"] for t in deaths[-1:]):
                found.append((event, node))
        return found

    def deliveries(self, event: Row, node: int) -> list[Row]:
        return [r for r in self.of("deliver") if r["node"] == node and (r["publisher"], r["number"]) == event["id"]]

    def delivered(self) -> list[tuple[Row, int, Row]]:
        """Delivered pairs with their first delivery."""
        found = []
        for event, node in self.pairs():
            first = next(iter(self.deliveries(event, node)), None)
            if first and first["t"] <= event["deadline"]:
                found.append((event, node, first))
        return found

    def memory(self, row: Row) -> int:
        return sum(
            r["row"] < row["row"] and r["node"] == row["node"] and r["detail"] != "state kept" for r in self.of("crash")
        )

    def is_down(self, row: Row) -> bool:
        lives = [r for r in self.of("crash", "recover") if r["node"] == row["node"]]
        past = [r for r in lives if r["row"] < row["row"]]
        if past:
            return bool(past[-1]["kind"] == "crash")
        return bool(lives) and lives[0]["kind"] == "recover" and lives[0]["detail"] == "join"

    def correct(self) -> set[int]:
        return set(range(self.trace.field.num_rows)) - {row["node"] for row in self.of("crash")}

    # Measures

    def measures(self) -> dict[str, Any]:
        pairs, delivered = self.pairs(), self.delivered()
        known = [row for row in self.of("deliver") if self.event(row)]
        arrivals = self.arrivals()
        counted = sum(any(e["id"] == key[0] and n == key[1] for e, n in pairs) for key in arrivals)
        delays = sorted((first["t"] - event["when"]) / 1e6 for event, _node, first in delivered)
        hops = [first["hops"] for _event, _node, first in delivered if first["hops"] is not None]
        ways = [
            (first["hops"], self.shortest(event["id"].publisher, node))
            for event, node, first in delivered
            if first["hops"] is not None and event["id"].publisher != node
        ]
        ways = [(a, b) for a, b in ways if b]
        published = len(self.events)
        return {
            "published": published,
            "expected": len(pairs),
            "delivered": len(delivered),
            "delivery_ratio": ratio(len(delivered), len(pairs)),
            "delay_mean": statistics.fmean(delays) if delays else None,
            **{f"delay_p{p}": percentile(delays, p / 100) for p in (50, 95, 99)},
            "duplicates": len(known) - len({(r["node"], r["publisher"], r["number"]) for r in known}),
            "unwanted": sum(not self.is_wanted(row) for row in known),
            "gaps": sum(row["detail"] in ("gap", "gap; history") for row in self.of("deliver")),
            "violations": None,
            "arrivals_per_event": ratio(len(arrivals), published),
            "redundancy": ratio(counted, len(delivered)),
            **self.frames(published),
            "hops_mean": statistics.fmean(hops) if hops else None,
            "stretch_mean": statistics.fmean(a / b for a, b in ways) if ways else None,
            "stretch_total": sum(a for a, _ in ways) / sum(b for _, b in ways) if ways else None,
            "stored_per_subscription": self.stored(),
            **self.load(),
            "energy_joules": None,
            "lifetime_days": None,
        }

    def arrivals(self) -> list[tuple[tuple[int, int], int]]:
        """The event and the node of each copy."""
        found = [
            ((row["publisher"], row["number"]), row["node"])
            for row in self.of("deliver", "duplicate")
            if self.is_wanted(row)
        ]
        dropped = {
            ((row["publisher"], row["number"]), row["node"])
            for row in self.of("drop")
            if row["message"] is None
            and self.is_wanted(row)
            and not self.deliveries(self.event(row) or {}, row["node"])
        }
        return [*found, *dropped]

    def frames(self, published: int) -> dict[str, Any]:
        rows = self.of("send", "broadcast")
        carrying = sum(row["payload"] > 0 for row in rows)
        payload, metadata = sum(row["payload"] for row in rows), sum(row["metadata"] for row in rows)
        return {
            "transmissions_per_event": ratio(carrying, published),
            "control_per_event": ratio(len(rows) - carrying, published),
            "payload_bytes": payload,
            "metadata_bytes": metadata,
            "control_bytes": sum(row["size"] for row in rows) - payload - metadata,
        }

    def load(self) -> dict[str, Any]:
        nodes = range(self.trace.field.num_rows)
        counts = [sum(row["node"] == node for row in self.of("send", "broadcast")) for node in nodes]
        return {"load_mean": statistics.fmean(counts), "load_max": max(counts)}

    def shortest(self, source: int, target: int) -> int | None:
        links = {row["node"]: row["links"] for row in self.trace.field.to_pylist()}
        front, far = {source}, 0
        while target not in front and far < len(links):
            front, far = front | {peer for node in front for peer in links[node]}, far + 1
        return far if target in front else None

    def stored(self) -> float | None:
        active = {s["subscription"] for s in self.subscriptions if s["until"] is None}
        noted = self.of("store", "unstore")
        if not (noted and active and self.trace.about["level"] == "full"):
            return None
        held: set[tuple[int, int]] = set()
        for row in self.of("store", "unstore", "crash"):
            if row["kind"] == "store":
                held.add((row["node"], row["subscription"]))
            elif row["kind"] == "unstore":
                held.discard((row["node"], row["subscription"]))
            elif row["detail"] != "state kept":
                held = {pair for pair in held if pair[0] != row["node"]}
        return sum(subscription in active for _node, subscription in held) / len(active)

    # Oracles: the rows that each finding is about (of two, the later)

    def integrity(self) -> list[int]:
        found = []
        for row in self.of("deliver"):
            event = self.event(row)
            publications = [
                r["row"]
                for r in self.of("publish")
                if r["node"] == row["publisher"] and (r["publisher"], r["number"]) == (row["publisher"], row["number"])
            ]
            if event is None or not publications or publications[0] > row["row"]:
                found.append(row["row"])
            if event is None:
                continue
            earlier = [r for r in self.deliveries(event, row["node"]) if r["row"] < row["row"]]
            if any(self.memory(r) == self.memory(row) for r in earlier):
                found.append(row["row"])
        return found

    def validity(self) -> list[str]:
        return [
            str(event["id"])
            for event, node in self.pairs()
            if node == event["id"].publisher and node in self.correct() and not self.deliveries(event, node)
        ]

    def agreement(self, alpha: float) -> list[str]:
        """Events that fall short, if the share of pairs (p, q), p the first to deliver, is below alpha."""
        short, followed, asked = [], 0, 0
        for event in self.events:
            nodes = [n for e, n in self.pairs() if e is event and n in self.correct()]
            reached = [n for n in nodes if self.deliveries(event, n)]
            if reached:
                followed, asked = followed + len(reached) - 1, asked + len(nodes) - 1
                if len(reached) < len(nodes):
                    short.append(str(event["id"]))
        return short if followed < alpha * asked else []

    def only_subscribed(self) -> list[int]:
        return [row["row"] for row in self.of("deliver") if self.event(row) and not self.is_wanted(row)]

    def firsts(self) -> list[Row]:
        """Deliveries of known events that are the first in their memory, but for history behind something newer."""
        found, seen = [], set()
        for row in self.of("deliver"):
            event = self.event(row)
            if event is not None:
                key = (row["node"], self.memory(row), event["id"])
                if key not in seen:
                    found.append({**row, "of": self.events.index(event), "memory": self.memory(row)})
                    seen.add(key)
        return [row for row in found if not (self.is_history(row) and any(self.is_newer(r, row) for r in found))]

    @staticmethod
    def is_history(row: Row) -> bool:
        return row["detail"] in ("history", "gap; history")

    def is_newer(self, early: Row, late: Row) -> bool:
        """A delivery before it, of a later event of the same publisher, that is no history."""
        same = all(early[name] == late[name] for name in ("node", "memory", "publisher"))
        return same and early["row"] < late["row"] and early["of"] > late["of"] and not self.is_history(early)

    def inversions(self, precedes: Any) -> list[int]:
        rows = self.firsts()
        return [
            late["row"]
            for late in rows
            if any(
                early["row"] < late["row"]
                and (early["node"], early["memory"]) == (late["node"], late["memory"])
                and precedes(late["of"], early["of"])
                for early in rows
            )
        ]

    def fifo(self) -> list[int]:
        def precedes(a: int, b: int) -> bool:
            return a < b and self.events[a]["id"].publisher == self.events[b]["id"].publisher

        return self.inversions(precedes)

    def causal_order(self) -> list[int]:
        count = len(self.events)
        before = {(a, b): a < b and self._is_direct(a, b) for a in range(count) for b in range(count)}
        for middle in range(count):
            for a, b in product(range(count), repeat=2):
                before[a, b] = before[a, b] or (before[a, middle] and before[middle, b])
        return self.inversions(lambda a, b: before[a, b])

    def _is_direct(self, a: int, b: int) -> bool:
        first, second = self.events[a], self.events[b]
        publisher = second["id"].publisher
        if first["id"].publisher == publisher:
            return True
        publication = next(r["row"] for r in self.of("publish") if (r["publisher"], r["number"]) == second["id"])
        return any(row["row"] < publication for row in self.deliveries(first, publisher))

    def silence_of_the_dead(self) -> list[int]:
        return [r["row"] for r in self.rows if r["port"] != "world" and r["kind"] != "lose" and self.is_down(r)]

    def received_from_nowhere(self) -> list[int]:
        def explains(sent: Row, got: Row) -> bool:
            same = all(sent[name] == got[name] for name in ("message", "size", "publisher", "number"))
            reaches = sent["node"] == got["peer"] and sent["peer"] in (None, got["node"])
            return same and reaches and bool(sent["row"] < got["row"])

        sent = self.of("send", "broadcast")
        return [got["row"] for got in self.of("receive", "lose") if not any(explains(row, got) for row in sent)]


def ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def percentile(values: list[float], share: float) -> float | None:
    """Linear between the two nearest ranks."""
    if not values:
        return None
    place = share * (len(values) - 1)
    below = values[int(place)]
    above = values[min(int(place) + 1, len(values) - 1)]
    return below + (above - below) * (place - int(place))
