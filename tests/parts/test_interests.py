"""Interests against asking every subscription."""

from __future__ import annotations

import pickle
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from motecast.core import Event, EventId, Subscription
from motecast.parts.interests import TOPICS_REMEMBERED, Interests
from tests.strategies import FILTERS, Maker

SUBSCRIPTIONS = st.builds(
    Subscription,
    id=st.integers(0, 6),
    subscriber=st.just(0),
    topic=st.sampled_from(["#", "a", "a/+", "+/b", "b", "$state"]),
    where=st.sampled_from(FILTERS),
)
EVENTS = st.integers(0, 2**32 - 1).map(lambda seed: Maker(Random(seed)).event())


@given(st.lists(st.one_of(SUBSCRIPTIONS, st.tuples(SUBSCRIPTIONS), EVENTS), max_size=40))
def test_an_event_is_wanted_if_a_subscription_matches_it(script: list[object]) -> None:
    interests, twin = Interests(), {}
    for each in script:
        match each:
            case Subscription():
                interests.add(each)
                twin[each.id] = each
            case (Subscription() as gone,):
                interests.remove(gone)
                twin.pop(gone.id, None)
            case Event():
                assert interests.wants(each) == any(one.matches(each) for one in twin.values())
        assert (len(interests), bool(interests)) == (len(twin), bool(twin))


def on(topic: str, number: int = 1) -> Event:
    """An event on a topic."""
    return Event(EventId(1, number), (topic,))


def test_one_subscription_too_many_is_refused_and_changes_nothing() -> None:
    interests = Interests(capacity=1)
    assert interests.add(Subscription(1, 0, "a"))
    assert not interests.add(Subscription(2, 0, "b"))
    assert (interests.wants(on("a")), interests.wants(on("b"))) == (True, False)
    assert interests.add(Subscription(1, 0, "b"))  # the same one, changed
    assert (interests.wants(on("a")), interests.wants(on("b"))) == (False, True)


def test_more_topics_than_are_remembered_are_still_matched() -> None:
    interests = Interests()
    interests.add(Subscription(1, 0, "t/+"))
    assert all(interests.wants(on(f"t/{n}")) for n in range(2 * TOPICS_REMEMBERED + 5))
    assert len(interests._ready) <= TOPICS_REMEMBERED
    assert not interests.wants(on("u/1"))


def test_interests_pickle_with_filters_and_limit() -> None:
    interests = Interests(capacity=2)
    interests.add(Subscription(1, 0, "a", "t > 20"))
    interests.wants(on("a"))
    twin = pickle.loads(pickle.dumps(interests))
    assert twin.wants(Event(EventId(1, 1), ("a",), {"t": 21}))
    assert not twin.wants(on("a"))
    assert twin.capacity == 2
