"""Events and subscriptions."""

from __future__ import annotations

import pytest

from motecast.core import Subscription
from motecast.filters import FilterError
from tests.core.protocols import event


@pytest.mark.parametrize(
    ("topic", "where", "is_wanted"),
    [
        ("a", None, True),
        ("b", None, True),
        ("+", None, True),
        ("c", None, False),
        ("a", "t > 20", True),
        ("a", "t > 30", False),
        ("c", "t > 20", False),
        ("a", "humidity > 20", False),  # a missing attribute is NULL
        ("a", "within(3, 4, 1)", True),
        ("a", "x > 3", False),
    ],
)
def test_a_subscription_matches_by_topic_and_filter(topic: str, where: str | None, is_wanted: bool) -> None:
    published = event(attributes={"t": 25.0}, position=(3.0, 4.0))
    published = type(published)(published.id, ("a", "b"), published.attributes, position=published.position)
    assert Subscription(1, 0, topic, where).matches(published) is is_wanted


@pytest.mark.parametrize(("topic", "where"), [("a", "temp >"), ("a", ""), ("a/#/b", None), ("", None)])
def test_a_subscription_that_cannot_be_meant_cannot_be_made(topic: str, where: str | None) -> None:
    with pytest.raises(FilterError):
        Subscription(1, 0, topic, where)


def test_an_event_without_a_place_is_within_nothing() -> None:
    assert not Subscription(1, 0, "a", "within(0, 0, 1000)").matches(event())


def test_an_attribute_named_x_hides_the_place() -> None:
    assert Subscription(1, 0, "a", "x = 7").matches(event(attributes={"x": 7}, position=(3.0, 4.0)))


def test_a_bad_filter_is_the_filters_error() -> None:
    with pytest.raises(FilterError):
        Subscription(1, 0, "a", "t >").matches(event())


def test_two_events_with_one_id_have_one_hash_but_are_not_equal() -> None:
    """An id is never used twice, so the hash may be that of the id; equality still compares all of it."""
    assert hash(event(1)) == hash(event(1, topic="b"))
    assert event(1) != event(1, topic="b")
    assert event(1) == event(1)


def test_an_event_is_frozen() -> None:
    with pytest.raises(AttributeError):
        event().when = 3.0
