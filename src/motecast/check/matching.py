"""Which subscriptions match which event: each distinct (topic, where) is asked once an event, pairs are NumPy's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from motecast.check.columns import Ints, ints
from motecast.filters import Filter, topic_matches

if TYPE_CHECKING:
    import pyarrow as pa

ATTRIBUTE = "a."


def facts_of_events(events: pa.Table) -> list[dict[str, Any]]:
    """What a filter sees of each event: where it was published, and its attributes."""
    facts: list[dict[str, Any]] = [
        {} if x is None or y is None else {"x": x, "y": y}
        for x, y in zip(events["x"].to_pylist(), events["y"].to_pylist(), strict=True)
    ]
    for field in events.schema:
        if field.name.startswith(ATTRIBUTE):
            values = events[field.name].to_pylist()
            if field.metadata and field.metadata.get(b"encoding") == b"json":
                values = [None if value is None else json.loads(value) for value in values]
            for fact, value in zip(facts, values, strict=True):
                if value is not None:
                    fact[field.name.removeprefix(ATTRIBUTE)] = value
    return facts


class Matching:
    """The subscriptions of a trace in groups that ask for the same, so that an event asks each group once."""

    def __init__(self, events: pa.Table, subscriptions: pa.Table) -> None:
        self._facts = facts_of_events(events)
        self._topics = events["topics"].to_pylist()
        wanted = list(zip(subscriptions["topic"].to_pylist(), subscriptions["where"].to_pylist(), strict=True))
        numbers: dict[tuple[str, str | None], int] = {}
        group = np.array([numbers.setdefault(pair, len(numbers)) for pair in wanted], dtype=np.int64)
        self._wanted = list(numbers)
        self._order = np.argsort(group, kind="stable")
        self._edges = np.searchsorted(group[self._order], np.arange(len(numbers) + 1))
        self._by_topic: dict[str, list[int]] = {}
        self.subscribers = ints(subscriptions["subscriber"])

    @cached_property
    def _tests(self) -> list[Any]:
        return [None if where is None else Filter(where).matches for _topic, where in self._wanted]

    def __iter__(self) -> Iterator[Ints]:
        """For each event the subscriptions (row numbers of their table) that match it, active or not."""
        for event in range(len(self._topics)):
            groups = self._groups(event)
            parts = [self._order[self._edges[group] : self._edges[group + 1]] for group in groups]
            yield parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, dtype=np.int64), *parts])

    def _groups(self, event: int) -> list[int]:
        """Which of the distinct wishes this event fulfils."""
        topics: list[str] = self._topics[event]
        on_topic = {group for topic in topics for group in self._on_topic(topic)}
        facts, tests = self._facts[event], self._tests
        return [group for group in sorted(on_topic) if tests[group] is None or tests[group](facts)]

    def _on_topic(self, topic: str) -> list[int]:
        found = self._by_topic.get(topic)
        if found is None:
            found = [n for n, (wanted, _where) in enumerate(self._wanted) if topic_matches(wanted, topic)]
            self._by_topic[topic] = found
        return found
