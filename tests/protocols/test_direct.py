"""DG, handler by handler: what the paper says of it, what we decided, and what goes wrong."""

from __future__ import annotations

import math

import pytest

from motecast.core import Notify, Subscription
from motecast.core.recorder import Broadcast, Cleared, Reject, Send, Started, Unlinked, Up
from motecast.parts.policies import CedQueue, DropTail
from motecast.protocols.ced.direct import Direct
from motecast.protocols.ced.messages import EventCopy, Hello, HelloReply, Serve
from tests.protocols.ced_field import LEG, OTHER, SUBSCRIBER, Life, copies, noted, sensed, wanting

NAIVE = Direct(queue=CedQueue(alpha=None), memory="none", served="one")


def hello(leave: float = 50.0, subscriber: int = SUBSCRIBER, *profile: Subscription) -> Hello:
    return Hello(subscriber, (0, 0), leave, profile or (wanting(node=subscriber),))


def sensor(*events: int, layer: Direct | None = None) -> Life:
    """A sensor that has published these, one a second."""
    life = Life(layer or Direct())
    for when, number in enumerate(events, 1):
        life.publish(float(when), sensed(number, float(when)))
    return life


def serve_all(life: Life, verbs: list, now: float, *, ok: bool = True, limit: int = 50) -> list[tuple[int, int]]:
    """All copies that go out one after the other, 50 ms each."""
    found = []
    while copies(verbs) and len(found) < limit:
        found += copies(verbs)
        (frame,) = [verb for verb in verbs if isinstance(verb, Send)]
        now += 0.05
        verbs = life.left(now, frame, ok=ok)
    return found


# Sensors


def test_an_event_waits_at_its_source_until_an_interested_subscriber_is_near() -> None:
    """'Events would be to only allow delivery when interested subscribers are in direct proximity' §5."""
    life = sensor(1)
    assert copies(life.log) == []
    assert copies(life.hear(5.0, SUBSCRIBER, hello())) == [(SUBSCRIBER, 1)]


def test_what_a_subscriber_does_not_want_is_not_sent_to_it() -> None:
    life = Life(Direct())
    life.publish(1.0, sensed(1, 1.0, A1=8.0))
    life.publish(2.0, sensed(2, 2.0, A1=3.0))
    verbs = life.hear(5.0, SUBSCRIBER, hello(50.0, SUBSCRIBER, wanting("A1 < 5")))
    assert serve_all(life, verbs, 5.0) == [(SUBSCRIBER, 2)]


def test_the_oldest_goes_first_and_each_once_to_each_subscriber_ever() -> None:
    life = sensor(1, 2, 3)
    assert serve_all(life, life.hear(5.0, SUBSCRIBER, hello()), 5.0) == [(SUBSCRIBER, n) for n in (1, 2, 3)]
    assert life.hear(6.0, SUBSCRIBER, hello()) == []
    assert serve_all(life, life.hear(7.0, OTHER, hello(50.0, OTHER)), 7.0) == [(OTHER, n) for n in (1, 2, 3)]


def test_a_new_profile_does_not_bring_again_what_was_sent() -> None:
    life = sensor(1, 2)
    serve_all(life, life.hear(5.0, SUBSCRIBER, hello()), 5.0)
    wider = hello(50.0, SUBSCRIBER, wanting(), wanting("A1 < 5", number=2))
    assert life.hear(6.0, SUBSCRIBER, wider) == []


def test_an_event_that_is_published_while_somebody_is_here_goes_at_once() -> None:
    life = sensor()
    life.hear(5.0, SUBSCRIBER, hello())
    assert copies(life.publish(6.0, sensed(1, 6.0))) == [(SUBSCRIBER, 1)]


def test_nothing_is_sent_after_the_subscriber_has_left_its_cell_or_stands() -> None:
    """The exchange happens while the subscriber moves: 'while moving, comes within one grid' §4.1a."""
    life = sensor()
    life.hear(5.0, SUBSCRIBER, hello(leave=8.0))
    assert copies(life.publish(8.0, sensed(1, 8.0))) == []
    assert copies(life.hear(9.0, SUBSCRIBER, hello(leave=12.0))) == [(SUBSCRIBER, 1)]


def test_nothing_is_sent_to_a_subscriber_whose_link_is_gone() -> None:
    life = sensor()
    life.hear(5.0, SUBSCRIBER, hello())
    life.do(6.0, Unlinked(SUBSCRIBER))
    assert copies(life.publish(7.0, sensed(1, 7.0))) == []


def test_one_frame_is_in_the_air_and_the_next_follows_when_it_has_left() -> None:
    life = sensor(1, 2)
    verbs = life.hear(5.0, SUBSCRIBER, hello())
    assert copies(life.publish(5.01, sensed(3, 5.01))) == []
    assert copies(life.left(5.05, verbs[0])) == [(SUBSCRIBER, 2)]


def test_a_frame_that_was_not_heard_is_sent_again() -> None:
    life = sensor(1, 2)
    verbs = life.hear(5.0, SUBSCRIBER, hello())
    assert copies(life.left(5.05, verbs[0], ok=False)) == [(SUBSCRIBER, 1)]


def test_a_frame_that_can_never_leave_is_dropped_and_does_not_stop_the_others() -> None:
    life = sensor(1, 2)
    verbs = life.hear(5.0, SUBSCRIBER, hello())
    found = life.left(5.0, verbs[0], ok=False)
    assert noted(found, "drop") == [(1, "never left the radio")]
    assert copies(found) == [(SUBSCRIBER, 2)]


def test_a_busy_subscriber_is_left_out_and_served_when_it_is_clear() -> None:
    life = sensor(1)
    life.recorder.busy = {SUBSCRIBER}
    assert life.hear(5.0, SUBSCRIBER, hello()) == []
    life.recorder.busy = set()
    assert copies(life.do(5.05, Cleared(SUBSCRIBER))) == [(SUBSCRIBER, 1)]


def test_while_one_subscriber_is_busy_another_one_is_served() -> None:
    life = sensor(1)
    life.recorder.busy = {SUBSCRIBER}
    life.hear(5.0, SUBSCRIBER, hello())
    assert copies(life.hear(5.1, OTHER, hello(50.0, OTHER))) == [(OTHER, 1)]


def test_an_event_is_dropped_at_the_largest_age() -> None:
    life = sensor(1)
    life.do(2002.0, Cleared(SUBSCRIBER))
    assert noted(life.log, "drop") == [(1, "expired")]
    assert life.hear(2003.0, SUBSCRIBER, hello(leave=2050.0)) == []


def test_a_newcomer_to_a_full_queue_is_refused() -> None:
    """'If the data queue of a sensor is full when an event arrives, no more events will be accepted' §4.2C."""
    life = sensor(1, 2, 3, layer=Direct(queue=DropTail(capacity=2)))
    assert noted(life.log, "drop") == [(3, "queue full")]
    assert noted(life.log, "store") == [(1, None), (2, None)]


def test_a_report_of_a_frame_from_before_a_crash_changes_nothing() -> None:
    life = sensor(1)
    old = life.hear(5.0, SUBSCRIBER, hello())[0]
    life.do(6.0, Started())
    new = life.hear(7.0, SUBSCRIBER, hello())
    assert copies(new) == [(SUBSCRIBER, 1)]
    stranger = Send("Direct", SUBSCRIBER, EventCopy(sensed(9), 0, SUBSCRIBER))
    assert life.left(7.01, stranger) == []
    assert copies(life.left(7.05, old)) == []


@pytest.mark.parametrize("leave", [math.nan, math.inf, -math.inf])
def test_a_time_that_is_none_is_rejected(leave: float) -> None:
    verbs = sensor(1).hear(5.0, SUBSCRIBER, hello(leave=leave))
    assert verbs == [Reject("Direct", "a time of leaving that is none")]


def test_a_profile_that_is_too_long_is_rejected() -> None:
    greedy = hello(50.0, SUBSCRIBER, *(wanting(number=number) for number in range(65)))
    assert sensor(1).hear(5.0, SUBSCRIBER, greedy) == [Reject("Direct", "a profile that is too long")]


def test_beyond_its_capacity_a_sensor_forgets_who_came_first() -> None:
    life = sensor(layer=Direct(subscribers=2))
    for number in range(4):
        life.hear(1.0 + number, SUBSCRIBER + number, hello(50.0, SUBSCRIBER + number))
    assert list(life.layer.visitors) == [102, 103]


# Subscribers


def subscriber(layer: Direct | None = None) -> Life:
    life = Life(layer or Direct(), me=SUBSCRIBER)
    life.subscribe(0.0, wanting("A1 < 5"))
    return life


def test_a_moving_subscriber_says_hello_in_each_cell() -> None:
    """'If the subscriber i, while moving, comes within one grid, it will broadcast Hello messages' §4.1a."""
    life, profile = subscriber(), (wanting("A1 < 5"),)
    assert life.walk(0.0, LEG) == [Broadcast("Direct", Hello(SUBSCRIBER, (0, 0), 5.0, profile))]
    assert life.walk(5.0, LEG) == [Broadcast("Direct", Hello(SUBSCRIBER, (1, 0), 15.0, profile))]
    assert life.walk(30.0, None, LEG.to) == []


def test_a_node_that_wants_nothing_says_nothing() -> None:
    assert Life(Direct(), me=SUBSCRIBER).walk(0.0, LEG) == []


def test_who_subscribes_on_the_way_says_so_at_once() -> None:
    life = Life(Direct(), me=SUBSCRIBER)
    life.walk(0.0, LEG)
    life.subscribe(2.0, wanting())
    life.do(2.5, Cleared(3))
    assert Broadcast("Direct", Hello(SUBSCRIBER, (0, 0), 5.0, (wanting(),))) in life.log


def test_an_event_is_matched_and_delivered_once_and_repeats_are_noted() -> None:
    """'Once a mobile subscriber node receives an event, it operates matching … immediately' §4.1."""
    life, event = subscriber(), sensed(1, A1=3.0)
    assert life.hear(1.0, 7, EventCopy(event, 0, SUBSCRIBER)) == [Up(Notify(event, 1))]
    assert noted(life.hear(2.0, 8, EventCopy(event, 0, SUBSCRIBER)), "duplicate") == [(1, None)]
    assert life.hear(3.0, 7, EventCopy(sensed(2, A1=7.0), 0, SUBSCRIBER)) == []


def test_an_event_that_nobody_wants_any_more_is_not_delivered() -> None:
    verbs = subscriber().hear(2000.0, 7, EventCopy(sensed(1, A1=3.0), 0, SUBSCRIBER))
    assert noted(verbs, "drop") == [(1, "expired")]


# The naive reading


def test_naively_one_sensor_of_those_that_answer_serves_until_the_cell_is_left() -> None:
    life = subscriber(NAIVE)
    life.walk(0.0, LEG)
    for sender in (3, 4, 5):
        life.hear(0.1, sender, HelloReply(sender, (0, 0), sender))
    life.do(1.0, Cleared(3))
    (served,) = [verb for verb in life.log if isinstance(verb, Send)]
    assert served.to in (3, 4, 5)
    assert served.message == Serve(5.0, (wanting("A1 < 5"),))


def test_naively_a_sensor_answers_a_hello_and_waits_to_be_chosen() -> None:
    life = sensor(1, layer=NAIVE)
    assert life.hear(5.0, SUBSCRIBER, hello()) == [Send("Direct", SUBSCRIBER, HelloReply(7, (0, 0), 7))]
    assert copies(life.hear(5.2, SUBSCRIBER, Serve(9.0, (wanting(),)))) == [(SUBSCRIBER, 1)]


def test_naively_it_repeats_what_was_sent_least_often_and_then_the_youngest_until_the_cell_is_left() -> None:
    """No memory of what was sent: the only reading of ours that comes near to the paper's 75.9 copies."""
    life = sensor(1, 2, layer=NAIVE)
    verbs = life.hear(5.0, SUBSCRIBER, Serve(5.24, (wanting(),)))
    assert [number for _, number in serve_all(life, verbs, 5.0)] == [2, 1, 2, 1, 2]


def test_naively_a_new_hello_ends_the_service() -> None:
    life = sensor(layer=NAIVE)
    life.hear(5.0, SUBSCRIBER, Serve(50.0, (wanting(),)))
    life.hear(6.0, SUBSCRIBER, hello())
    assert copies(life.publish(7.0, sensed(1, 7.0))) == []
