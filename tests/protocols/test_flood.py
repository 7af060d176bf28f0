"""Flooding, one test a sentence of docs/protocols/flood.md."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from motecast.core import (
    Advertise,
    Missing,
    Notify,
    Publish,
    Recorder,
    Seek,
    Stack,
    Subscribe,
    Subscription,
    Unsubscribe,
)
from motecast.core.recorder import Asked, Broadcast, Note, Received, Up, Verb
from motecast.protocols.plain.flood import REMEMBERED, Flood, Flooded
from tests.core.protocols import event
from tests.transcripts import transcript

A = Subscription(1, 0, "a")
HOT = Subscription(2, 0, "a", "t > 30")


def node(*subscriptions: Subscription) -> Recorder:
    """Node 0 that subscribed to these."""
    recorder = Recorder(Stack(Flood()))
    for subscription in subscriptions:
        assert recorder.handle(0.0, Asked(Subscribe(subscription))) == []
    return recorder


def hear(recorder: Recorder, number: int = 1, hops: int = 3, **more: object) -> list[Verb]:
    """What the node does with a copy from peer 5."""
    return recorder.handle(1.0, Received("Flood", 5, Flooded(event(number, **more), hops)))


def test_a_publisher_broadcasts_its_event_once() -> None:
    assert node().handle(0.0, Asked(Publish(event()))) == [Broadcast("Flood", Flooded(event(), 1))]


def test_a_publisher_that_subscribes_hears_itself_over_no_hop() -> None:
    verbs = node(A).handle(0.0, Asked(Publish(event())))
    assert verbs == [Up(Notify(event(), 0)), Broadcast("Flood", Flooded(event(), 1))]


def test_a_new_event_is_passed_on_with_one_transmission_more() -> None:
    assert hear(node(), hops=3) == [Broadcast("Flood", Flooded(event(), 4))]


def test_a_copy_is_noted_and_neither_delivered_nor_passed_on() -> None:
    recorder = node(A)
    hear(recorder)
    assert hear(recorder, hops=2) == [Note("Flood", "duplicate", event().id)]


def test_a_node_ignores_its_own_event_when_it_comes_back() -> None:
    recorder = node(A)
    recorder.handle(0.0, Asked(Publish(event())))
    assert hear(recorder) == [Note("Flood", "duplicate", event().id)]


def test_an_event_is_delivered_where_it_is_wanted_with_the_transmissions_it_took() -> None:
    assert Up(Notify(event(), 3)) in hear(node(A), hops=3)


def test_an_event_of_another_topic_is_passed_on_and_not_delivered() -> None:
    verbs = hear(node(A), topic="b")
    assert not [verb for verb in verbs if isinstance(verb, Up) and isinstance(verb.signal, Notify)]
    assert Broadcast("Flood", Flooded(event(topic="b"), 4)) in verbs


def test_an_event_that_no_filter_matches_is_not_delivered() -> None:
    assert Up(Notify(event(attributes={"t": 20.0}), 3)) not in hear(node(HOT), attributes={"t": 20.0})
    assert Up(Notify(event(attributes={"t": 31.0}), 3)) in hear(node(HOT), attributes={"t": 31.0})


def test_a_subscriber_is_told_which_numbers_were_not_for_it() -> None:
    assert Up(Missing(7, 1, 1, proven=True)) in hear(node(A), topic="b")
    assert Up(Missing(7, 1, 1, proven=True, stamp=b"x")) in hear(node(A), topic="b", stamp=b"x")


def test_a_node_that_wants_nothing_is_told_nothing() -> None:
    assert not [verb for verb in hear(node()) if isinstance(verb, Up)]


def test_after_unsubscribing_nothing_is_delivered() -> None:
    recorder = node(A)
    recorder.handle(0.5, Asked(Unsubscribe(A)))
    assert hear(recorder) == [Broadcast("Flood", Flooded(event(), 4))]


def test_two_subscriptions_to_one_event_are_one_delivery() -> None:
    assert hear(node(A, Subscription(3, 0, "#"))).count(Up(Notify(event(), 3))) == 1


@pytest.mark.parametrize("signal", [Advertise("a"), Seek(7, 1, 2)])
def test_advertisements_and_seeking_are_ignored(signal: Advertise | Seek) -> None:
    assert node(A).handle(0.0, Asked(signal)) == []


def test_one_subscription_too_many_is_noted_as_refused() -> None:
    recorder = node(*(Subscription(number, 0, "b") for number in range(4096)))
    assert recorder.handle(0.0, Asked(Subscribe(Subscription(4096, 0, "a")))) == [
        Note("Flood", "refused", None, {"subscription": 4096})
    ]
    assert Up(Notify(event(), 3)) not in hear(recorder)


def test_a_copy_is_delivered_again_when_so_many_events_came_between_that_it_was_forgotten() -> None:
    recorder = node(A)
    for number in range(1, REMEMBERED + 2):
        hear(recorder, number)
    assert Up(Notify(event(1), 3)) in hear(recorder, 1)
    assert Up(Notify(event(3), 3)) not in hear(recorder, 3)


def test_a_flood_as_a_transcript(golden: Callable[[str, str], None]) -> None:
    script = [
        "A node that wants nothing relays.",
        (0.0, Received("Flood", 5, Flooded(event(1), 1))),
        (0.1, Received("Flood", 6, Flooded(event(1), 2))),
        "It subscribes to what is hot, and hears what passes by.",
        (1.0, Asked(Subscribe(HOT))),
        (1.5, Received("Flood", 5, Flooded(event(2, attributes={"t": 20.0}), 1))),
        (2.0, Received("Flood", 5, Flooded(event(3, attributes={"t": 40.0}), 4))),
        (2.1, Received("Flood", 6, Flooded(event(3, attributes={"t": 40.0}), 5))),
        "It publishes, and its event comes back.",
        (3.0, Asked(Publish(event(1, publisher=0, attributes={"t": 50.0})))),
        (3.1, Received("Flood", 5, Flooded(event(1, publisher=0, attributes={"t": 50.0}), 2))),
        "It unsubscribes.",
        (4.0, Asked(Unsubscribe(HOT))),
        (4.5, Received("Flood", 5, Flooded(event(4, attributes={"t": 60.0}), 1))),
    ]
    golden("protocols/flood", transcript(Recorder(Stack(Flood())), script))
