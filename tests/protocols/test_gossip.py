"""Gossip by chance, the template: one test a sentence of docs/protocols/gossip.md."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from motecast.core import (
    Advertise,
    Notify,
    Publish,
    Recorder,
    Seek,
    Stack,
    Subscribe,
    Subscription,
    Unsubscribe,
)
from motecast.core.recorder import Asked, Broadcast, Expired, Note, Received, SetTimer, Up, Verb
from motecast.protocols.plain.example import Gossip, PassOn, Rumour, gossip
from tests.core.protocols import event
from tests.transcripts import transcript

A = Subscription(1, 0, "a")


def node(p: float, wait: float = 0.02, seed: int = 0) -> Recorder:
    """Node 0, which subscribed to a."""
    recorder = Recorder(Stack(Gossip(p=p, wait=wait)), seed=seed)
    assert recorder.handle(0.0, Asked(Subscribe(A))) == []
    return recorder


def hear(recorder: Recorder, number: int = 1, topic: str = "a") -> list[Verb]:
    """What the node does with a rumour of peer 5."""
    return recorder.handle(1.0, Received("Gossip", 5, Rumour(event(number, topic=topic), 3)))


def test_the_publisher_always_speaks() -> None:
    assert node(p=0.0).handle(0.0, Asked(Publish(event()))) == [
        Up(Notify(event(), 0)),
        Broadcast("Gossip", Rumour(event(), 1)),
    ]


def test_a_new_event_is_delivered_at_once_and_passed_on_after_a_wait() -> None:
    notify, timer = hear(node(p=1.0))
    assert isinstance(timer, SetTimer)
    assert timer.timer == PassOn(event(), 4)
    assert 0.0 <= timer.after <= 0.02
    assert notify == Up(Notify(event(), 3))


def test_when_the_wait_is_over_it_is_broadcast() -> None:
    assert node(p=1.0).handle(2.0, Expired("Gossip", PassOn(event(), 4))) == [Broadcast("Gossip", Rumour(event(), 4))]


def test_with_probability_nought_nothing_is_passed_on() -> None:
    assert hear(node(p=0.0)) == [Up(Notify(event(), 3))]


@pytest.mark.parametrize("p", [0.3, 0.7])
def test_a_share_p_of_the_new_events_is_passed_on(p: float) -> None:
    recorder = node(p=p, seed=1)
    passed = sum(isinstance(verb, SetTimer) for number in range(2_000) for verb in hear(recorder, number))
    assert passed / 2_000 == pytest.approx(p, abs=0.04)


def test_a_copy_is_noted_and_no_dice_are_thrown() -> None:
    recorder = node(p=1.0)
    hear(recorder)
    assert hear(recorder) == [Note("Gossip", "duplicate", event().id)]


def test_an_event_that_is_not_wanted_is_passed_on_all_the_same() -> None:
    (timer,) = hear(node(p=1.0), topic="b")
    assert isinstance(timer, SetTimer)


def test_after_unsubscribing_nothing_is_delivered() -> None:
    recorder = node(p=0.0)
    recorder.handle(0.5, Asked(Unsubscribe(A)))
    assert hear(recorder) == []


@pytest.mark.parametrize("signal", [Advertise("a"), Seek(7, 1, 2)])
def test_advertisements_and_seeking_are_ignored(signal: Advertise | Seek) -> None:
    assert node(p=1.0).handle(0.0, Asked(signal)) == []


def test_one_subscription_too_many_is_noted_as_refused() -> None:
    recorder = node(p=1.0)
    verbs = [recorder.handle(0.0, Asked(Subscribe(Subscription(number, 0, "b")))) for number in range(2, 4098)]
    assert verbs == [[]] * 4095 + [[Note("Gossip", "refused", None, {"subscription": 4097})]]


def test_the_stack_takes_the_parameters_of_the_layer() -> None:
    assert repr(gossip(p=0.5, wait=1.0)) == "Stack(Gossip(p=0.5, wait=1.0))"


def test_gossip_as_a_transcript(golden: Callable[[str, str], None]) -> None:
    recorder = Recorder(Stack(Gossip(p=0.6)), me=3, seed=7)
    script = [
        "A node that wants nothing hears four rumours, and passes some on.",
        *((number / 10, Received("Gossip", 5, Rumour(event(number), 2))) for number in range(1, 5)),
        (0.5, Received("Gossip", 6, Rumour(event(1), 3))),
        "The wait is over.",
        (0.6, Expired("Gossip", PassOn(event(2), 3))),
        "It subscribes and publishes.",
        (1.0, Asked(Subscribe(A))),
        (1.1, Asked(Publish(event(1, publisher=3)))),
        (1.2, Received("Gossip", 5, Rumour(event(1, publisher=3), 2))),
        (1.3, Received("Gossip", 5, Rumour(event(5), 2))),
    ]
    golden("protocols/gossip", transcript(recorder, script))
