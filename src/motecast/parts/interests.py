"""What one node wants: its active subscriptions, and whether an event matches one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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

    __slots__ = ("_ready", "_tests", "active", "capacity")

    def __init__(self, capacity: int = SUBSCRIPTIONS) -> None:
        self.capacity = capacity
        self.active: dict[int, Subscription] = {}
        self._tests: dict[int, Test | None] = {}  # by subscription
        self._ready: dict[str, tuple[Test | None, ...]] = {}  # by topic

    def add(self, subscription: Subscription) -> bool:
        """From now on it is wanted. False, and nothing changes, when there are too many."""
        if len(self.active) >= self.capacity and subscription.id not in self.active:
            return False
        self._tests[subscription.id] = None if subscription.where is None else Filter(subscription.where).matches
        self.active[subscription.id] = subscription
        self._ready.clear()
        return True

    def remove(self, subscription: Subscription) -> None:
        """From now on it is not; an unknown one is no matter."""
        self.active.pop(subscription.id, None)
        self._tests.pop(subscription.id, None)
        self._ready.clear()

    def wants(self, event: Event) -> bool:
        """True when a subscription matches the event."""
        for topic in event.topics:
            tests = self._ready.get(topic)
            if tests is None:
                tests = self._prepare(topic)
            if tests and (tests[0] is None or self._passes(tests, event)):
                return True
        return False

    def __bool__(self) -> bool:
        return bool(self.active)

    def __len__(self) -> int:
        return len(self.active)

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.capacity, tuple(self.active.values()))

    def _passes(self, tests: tuple[Test | None, ...], event: Event) -> bool:
        facts = facts_of(event)
        # No generator: most nodes have one subscription, and this is asked for every event.
        for test in tests:  # noqa: SIM110
            if test is None or test(facts):
                return True
        return False

    def _prepare(self, topic: str) -> tuple[Test | None, ...]:
        if len(self._ready) >= TOPICS_REMEMBERED:
            self._ready.clear()
        wanted = [number for number, each in self.active.items() if topic_matches(each.topic, topic)]
        tests = tuple(self._tests[number] for number in wanted)
        self._ready[topic] = (None,) if None in tests else tests
        return self._ready[topic]


def _restored(capacity: int, subscriptions: Iterable[Subscription]) -> Interests:
    interests = Interests(capacity)
    for subscription in subscriptions:
        interests.add(subscription)
    return interests
