"""What one node wants: its active subscriptions, and whether an event matches one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from motecast.core.pubsub import Event, Subscription, facts_of
from motecast.filters import Filter, topic_matches

if TYPE_CHECKING:
    from motecast.core.pubsub import Value

TOPICS_REMEMBERED = 1024  # distinct topics whose subscriptions are kept ready; beyond, they are found again
SUBSCRIPTIONS = 4096  # active ones of one node; one more is refused

Test = Callable[["Mapping[str, Value]"], bool]


class Interests:
    """Subscriptions by id. A topic is matched once and remembered, so that a hot topic costs one look-up."""

    def __init__(self, capacity: int = SUBSCRIPTIONS) -> None:
        self.capacity = capacity
        self.active: dict[int, Subscription] = {}
        self._ready: dict[str, tuple[Test | None, ...]] = {}

    def add(self, subscription: Subscription) -> bool:
        """From now on it is wanted. False, and nothing changes, when there are too many."""
        if len(self.active) >= self.capacity and subscription.id not in self.active:
            return False
        self.active[subscription.id] = subscription
        self._ready.clear()
        return True

    def remove(self, subscription: Subscription) -> None:
        """From now on it is not; an unknown one is no matter."""
        self.active.pop(subscription.id, None)
        self._ready.clear()

    def wants(self, event: Event) -> bool:
        """True when a subscription matches the event."""
        return bool(self.active) and any(self._wants_on(topic, event) for topic in event.topics)

    def __bool__(self) -> bool:
        return bool(self.active)

    def __len__(self) -> int:
        return len(self.active)

    def _wants_on(self, topic: str, event: Event) -> bool:
        tests = self._ready.get(topic)
        if tests is None:
            tests = self._prepare(topic)
        return any(test is None or test(facts_of(event)) for test in tests)

    def _prepare(self, topic: str) -> tuple[Test | None, ...]:
        if len(self._ready) >= TOPICS_REMEMBERED:
            self._ready.clear()
        wanted = (s for s in self.active.values() if topic_matches(s.topic, topic))
        tests = tuple(None if s.where is None else Filter(s.where).matches for s in wanted)
        self._ready[topic] = (None,) if None in tests else tests
        return self._ready[topic]
