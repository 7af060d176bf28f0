"""Per-publisher FIFO: one test a sentence of docs/protocols/fifo.md."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.core import (
    Advertise,
    Event,
    EventId,
    Missing,
    Notify,
    Publish,
    Recorder,
    Seek,
    Stack,
    Subscribe,
    Subscription,
    Unsubscribe,
    alone,
)
from motecast.core.recorder import Asked, Broadcast, Down, Expired, Note, Received, SetTimer, Told, Up, Verb
from motecast.protocols.plain.fifo import STAMP, Fifo, GiveUp
from motecast.protocols.plain.flood import Flood, Flooded
from tests.core.protocols import event
from tests.transcripts import transcript

A = Subscription(1, 0, "a")
B = Subscription(2, 0, "b")


def node(when: float = 0.0, **parameters: float) -> Recorder:
    """Node 0, which subscribed to a."""
    recorder = Recorder(alone(Fifo(**parameters)))
    assert recorder.handle(when, Asked(Subscribe(A))) == [Down(Subscribe(A))]
    return recorder


def stamped(number: int, previous: float, publisher: int = 7) -> Event:
    """An event whose predecessor was published at `previous`."""
    return event(number, publisher, stamp=STAMP.pack(previous))


def tell(recorder: Recorder, *events: Event | int, when: float = 1.0) -> list[Verb]:
    """What the node does with these events in this order."""
    arrived = [event(each) if isinstance(each, int) else each for each in events]
    return [verb for each in arrived for verb in recorder.handle(when, Told(Notify(each, 2)))]


def miss(recorder: Recorder, first: int, last: int, *, proven: bool) -> list[Verb]:
    """What the node does when it is told that these will not come."""
    return recorder.handle(1.0, Told(Missing(7, first, last, proven=proven)))


def delivered(verbs: list[Verb]) -> list[str]:
    """What the application is told: numbers, with a sign before one that comes after a gap."""
    notified = [verb.signal for verb in verbs if isinstance(verb, Up) and isinstance(verb.signal, Notify)]
    return [f"{'…' if notify.gap else ''}{notify.event.id.number}" for notify in notified]


def gap(first: int, last: int, publisher: int = 7) -> Note:
    """The note about numbers that were given up."""
    return Note("Fifo", "gap", EventId(publisher, first), {"last": last})


def drop(number: int, why: str) -> Note:
    """The note about an event that is discarded."""
    return Note("Fifo", "drop", event(number).id, {"detail": why})


def test_events_in_order_are_delivered_as_they_come() -> None:
    assert tell(node(), 1, 2, 3) == [Up(Notify(event(number), 2)) for number in (1, 2, 3)]


def test_an_event_that_comes_too_early_waits_for_those_before_it() -> None:
    recorder = node()
    assert delivered(tell(recorder, 1, 3, 4)) == ["1"]
    assert delivered(tell(recorder, 2)) == ["2", "3", "4"]


@given(st.permutations(range(1, 9)))
def test_any_order_of_arrival_becomes_the_order_of_publication(numbers: list[int]) -> None:
    assert delivered(tell(node(), *numbers)) == [str(number) for number in range(1, 9)]


def test_publishers_do_not_wait_for_each_other() -> None:
    recorder = node()
    tell(recorder, 2)
    assert tell(recorder, event(1, publisher=8)) == [Up(Notify(event(1, publisher=8), 2))]


def test_the_first_event_that_waits_asks_for_the_hole_and_sets_an_alarm() -> None:
    recorder = node(patience=3.0)
    assert tell(recorder, 4) == [Down(Seek(7, 1, 3)), SetTimer("Fifo", GiveUp(7, 1), 3.0)]


def test_further_events_behind_the_same_hole_do_not_move_the_alarm() -> None:
    """Otherwise a busy publisher would put the end of the wait off for ever."""
    recorder = node()
    tell(recorder, 4)
    assert tell(recorder, 5, 3) == []


def test_the_next_hole_has_a_search_and_an_alarm_of_its_own() -> None:
    recorder = node(patience=3.0)
    tell(recorder, 2, 5)
    assert tell(recorder, 1)[2:] == [Down(Seek(7, 3, 4)), SetTimer("Fifo", GiveUp(7, 3), 3.0)]


def test_a_hole_that_lasts_is_given_up_and_the_event_behind_it_says_so() -> None:
    recorder = node()
    tell(recorder, 3, 4)
    verbs = recorder.handle(6.0, Expired("Fifo", GiveUp(7, 1)))
    assert verbs == [gap(1, 2), Up(Notify(event(3), 2, gap=True)), Up(Notify(event(4), 2))]


def test_an_alarm_for_a_hole_that_was_filled_does_nothing() -> None:
    recorder = node()
    tell(recorder, 2, 1, 4)
    assert recorder.handle(6.0, Expired("Fifo", GiveUp(7, 1))) == []


def test_an_event_that_comes_after_its_number_was_given_up_is_dropped_as_late() -> None:
    recorder = node()
    tell(recorder, 3)
    recorder.handle(6.0, Expired("Fifo", GiveUp(7, 1)))
    assert tell(recorder, 2, when=7.0) == [drop(2, "late")]


def test_an_event_that_was_delivered_or_waits_is_a_duplicate() -> None:
    recorder = node()
    tell(recorder, 1, 3)
    assert tell(recorder, 1, 3) == [Note("Fifo", "duplicate", event(1).id), Note("Fifo", "duplicate", event(3).id)]


def test_what_is_proven_not_to_be_for_this_node_is_not_waited_for() -> None:
    recorder = node()
    miss(recorder, 1, 2, proven=True)
    assert delivered(tell(recorder, 3)) == ["3"]


def test_proof_that_comes_later_ends_the_wait_without_a_gap() -> None:
    recorder = node()
    tell(recorder, 3)
    assert delivered(miss(recorder, 1, 2, proven=True)) == ["3"]


def test_what_the_layer_below_gave_up_without_proof_is_a_gap() -> None:
    recorder = node()
    tell(recorder, 3)
    assert miss(recorder, 1, 2, proven=False) == [gap(1, 2), Up(Notify(event(3), 2, gap=True))]


def test_a_gap_is_noted_for_what_is_missing_only() -> None:
    recorder = node()
    tell(recorder, 3)
    miss(recorder, 4, 5, proven=True)
    assert [verb for verb in miss(recorder, 1, 6, proven=False) if isinstance(verb, Note)] == [gap(1, 2), gap(6, 6)]


def test_the_event_behind_a_gap_says_so_also_when_absent_numbers_lie_between() -> None:
    recorder = node()
    miss(recorder, 2, 2, proven=True)
    miss(recorder, 1, 1, proven=False)
    assert delivered(tell(recorder, 3, 4)) == ["…3", "4"]


# Subscribers that come late


def test_a_publisher_stamps_each_event_with_the_time_of_its_previous_one() -> None:
    recorder = node()
    first = recorder.handle(1.0, Asked(Publish(event(1, 0, when=1.0))))
    second = recorder.handle(2.0, Asked(Publish(event(2, 0, when=2.0))))
    assert first == [Down(Publish(event(1, 0, when=1.0)))]
    assert second == [Down(Publish(event(2, 0, when=2.0, stamp=STAMP.pack(1.0))))]


def test_a_stamp_of_another_layer_is_left_alone() -> None:
    recorder = node()
    recorder.handle(1.0, Asked(Publish(event(1, 0))))
    foreign = Publish(event(2, 0, stamp=b"vector"))
    assert recorder.handle(2.0, Asked(foreign)) == [Down(foreign)]


def test_a_subscriber_that_comes_late_does_not_wait_for_numbers_from_before() -> None:
    recorder = node(when=100.0)
    assert tell(recorder, stamped(57, previous=99.0), when=101.0) == [Up(Notify(stamped(57, 99.0), 2))]


def test_an_event_that_passes_a_late_subscriber_by_tells_as_much_as_one_that_it_gets() -> None:
    """Its stamp comes with the proof; otherwise the next event, stamped later, would wait for all from before."""
    recorder = node(when=100.0)
    recorder.handle(101.0, Told(Missing(7, 57, 57, proven=True, stamp=STAMP.pack(99.0))))
    assert delivered(tell(recorder, stamped(58, previous=100.5))) == ["58"]


def test_an_event_that_passes_by_late_leaves_open_what_was_published_after_the_subscription() -> None:
    recorder = node(when=100.0)
    recorder.handle(101.0, Told(Missing(7, 57, 57, proven=True, stamp=STAMP.pack(100.2))))
    assert delivered(tell(recorder, stamped(58, previous=100.5))) == []


def test_a_subscriber_waits_for_what_was_published_after_it_came() -> None:
    recorder = node(when=100.0)
    assert delivered(tell(recorder, stamped(58, previous=100.5))) == []
    assert delivered(tell(recorder, stamped(57, previous=99.0))) == ["57", "58"]


def test_what_was_published_before_and_arrives_after_the_start_is_dropped_as_late() -> None:
    recorder = node(when=100.0)
    tell(recorder, stamped(57, previous=99.0))
    assert tell(recorder, stamped(56, previous=98.0)) == [drop(56, "late")]


@pytest.mark.parametrize("stamp", [None, b"", b"x" * 7, b"x" * 9, STAMP.pack(float("nan"))])
def test_without_a_stamp_that_can_be_read_all_earlier_numbers_are_waited_for(stamp: bytes | None) -> None:
    recorder = node(when=100.0)
    assert delivered(tell(recorder, event(57, stamp=stamp))) == []
    assert delivered(recorder.handle(105.0, Expired("Fifo", GiveUp(7, 1)))) == ["…57"]


def test_a_node_that_subscribes_again_does_not_wait_for_what_came_meanwhile() -> None:
    recorder = node()
    tell(recorder, 1)
    recorder.handle(2.0, Asked(Unsubscribe(A)))
    recorder.handle(10.0, Asked(Subscribe(A)))
    assert delivered(tell(recorder, stamped(8, previous=9.0))) == ["8"]


def test_a_second_subscription_does_not_forget_what_the_first_still_waits_for() -> None:
    recorder = node()
    recorder.handle(10.0, Asked(Subscribe(B)))
    assert delivered(tell(recorder, stamped(2, previous=9.0))) == []


def test_a_publisher_that_lost_its_state_goes_on_with_its_numbers() -> None:
    """Its first event has no stamp; for those who had all before, none is needed."""
    recorder = node()
    tell(recorder, 1, stamped(2, previous=0.5))
    assert delivered(tell(recorder, 3, stamped(4, previous=3.0))) == ["3", "4"]


def test_a_stamp_says_nothing_once_something_of_the_publisher_was_settled() -> None:
    """Its clock may be behind: then all stamps are from before the subscription, and would throw away what is late."""
    recorder = node(when=100.0)
    assert delivered(tell(recorder, stamped(57, previous=1.0), stamped(59, previous=3.0))) == ["57"]
    assert delivered(tell(recorder, stamped(58, previous=2.0))) == ["58", "59"]


def test_what_a_start_has_to_drop_is_said_by_the_next_event() -> None:
    recorder = node(when=100.0)
    assert delivered(tell(recorder, stamped(57, previous=1.0), stamped(56, previous=0.0))) == ["57"]
    assert delivered(tell(recorder, stamped(58, previous=2.0), stamped(59, previous=3.0))) == ["…58", "59"]


# Limits


def test_an_event_that_nobody_wants_any_more_when_its_turn_comes_is_dropped() -> None:
    recorder = node()
    tell(recorder, 2)
    recorder.handle(2.0, Asked(Unsubscribe(A)))
    assert miss(recorder, 1, 1, proven=True) == [drop(2, "no longer wanted")]


def test_one_event_too_many_ends_the_longest_wait() -> None:
    recorder = node(capacity=3)
    tell(recorder, event(5, publisher=8), 3, 5)
    verbs = tell(recorder, 7)
    assert gap(1, 4, publisher=8) in verbs
    assert delivered(verbs) == ["…5"]  # of publisher 8; those of 7 wait on
    assert delivered(tell(recorder, 9)) == ["…3"]


def test_events_of_one_publisher_too_many_are_dropped() -> None:
    recorder = node(publishers=1)
    tell(recorder, 1)
    other = event(1, publisher=8)
    assert tell(recorder, other) == [Note("Fifo", "drop", other.id, {"detail": "too many publishers"})]
    assert recorder.handle(1.0, Told(Missing(8, 1, 1, proven=True))) == []
    assert delivered(tell(recorder, 2)) == ["2"]


def test_signals_that_order_does_not_touch_pass_through() -> None:
    assert node().handle(0.0, Asked(Advertise("a"))) == [Down(Advertise("a"))]


# With flooding below


def flooded(number: int, topic: str = "a") -> Received:
    """A copy from peer 5."""
    return Received("Flood", 5, Flooded(event(number, topic=topic), 1))


def test_over_a_flood_a_node_waits_only_for_what_it_wants() -> None:
    recorder = Recorder(Stack(Fifo(), Flood()))
    recorder.handle(0.0, Asked(Subscribe(A)))
    verbs = [verb for each in (flooded(2), flooded(1, topic="b")) for verb in recorder.handle(1.0, each)]
    assert delivered(verbs) == ["2"]
    assert not any(isinstance(verb, Note) for verb in verbs)


@given(st.permutations(range(1, 9)), st.sets(st.integers(1, 8)), st.sets(st.integers(1, 8)))
def test_over_a_flood_order_holds_whatever_is_lost(numbers: list[int], lost: set[int], other: set[int]) -> None:
    recorder = Recorder(Stack(Fifo(), Flood()))
    recorder.handle(0.0, Asked(Subscribe(A)))
    verbs: list[Verb] = []
    for number in numbers:
        if number not in lost:
            verbs += recorder.handle(1.0, flooded(number, topic="b" if number in other else "a"))
    alarms = [verb.timer for verb in verbs if isinstance(verb, SetTimer)]
    while alarms:
        more = recorder.handle(9.0, Expired("Fifo", alarms.pop(0)))
        alarms += [verb.timer for verb in more if isinstance(verb, SetTimer)]
        verbs += more
    assert [name.removeprefix("…") for name in delivered(verbs)] == [
        str(number) for number in range(1, 9) if number not in lost | other
    ]


def test_fifo_as_a_transcript(golden: Callable[[str, str], None]) -> None:
    script = [
        "In order, out of order.",
        (0.0, Asked(Subscribe(A))),
        (1.0, flooded(1)),
        (1.1, flooded(3)),
        (1.2, flooded(4)),
        (1.3, flooded(2)),
        "Number 5 was for others, number 6 is lost, 7 waits in vain, 6 comes too late.",
        (2.0, flooded(5, topic="b")),
        (2.1, flooded(7)),
        (7.1, Expired("Fifo", GiveUp(7, 6))),
        (8.0, flooded(6)),
        "Its own events are in order too.",
        (9.0, Asked(Publish(event(1, publisher=0, when=9.0)))),
        (9.5, Asked(Publish(event(2, publisher=0, when=9.5)))),
    ]
    golden("protocols/fifo", transcript(Recorder(Stack(Fifo(), Flood())), script))


def test_a_relay_that_wants_nothing_keeps_nothing() -> None:
    recorder = Recorder(Stack(Fifo(), Flood()))
    assert [type(verb) for verb in recorder.handle(1.0, flooded(3))] == [Broadcast]
    assert recorder.node.layers[0].sequences == {}
