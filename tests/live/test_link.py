"""Link acknowledgement alone: no sockets, no clocks, and a network that the test makes as bad as it likes."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.core import Message, WireError
from motecast.live.datagram import Ack
from motecast.live.link import LEAST_TIMEOUT, MOST_TIMEOUT, SPAN, Inbound, Outbound, Transmission


class Word(Message):
    """Something to send."""

    text: str


def offer(link: Outbound, count: int = 1) -> list[Transmission]:
    """New frames for the link; those that leave."""
    for _ in range(count):
        link.waiting.append(Transmission(None, 1, Word("x"), b"x", (1,)))
    return list(link.ready())


def transmit(frame: Transmission, now: float) -> None:
    """The frame leaves its node."""
    frame.tries += 1
    frame.leave(now)


def test_frames_are_numbered_from_one_in_order():
    link = Outbound(1, retries=3)
    assert [frame.number for frame in offer(link, 3)] == [1, 2, 3]


def test_an_acknowledged_frame_is_settled_and_no_longer_overdue():
    link = Outbound(1, retries=3)
    (frame,) = offer(link)
    transmit(frame, 0.0)
    assert link.settle(Ack(2, 0), now=0.01) == [frame]
    assert frame.is_settled
    assert link.deadline() is None


def test_the_bitmap_settles_what_came_after_a_hole():
    link = Outbound(1, retries=3)
    frames = offer(link, 4)
    for frame in frames:
        transmit(frame, 0.0)
    assert link.settle(Ack(1, 0b101), now=0.01) == [frames[1], frames[3]]
    assert list(link.open) == [1, 3]


def test_an_unanswered_frame_is_tried_again_and_given_up_after_the_retries():
    link, now = Outbound(1, retries=2), 0.0
    (frame,) = offer(link)
    outcomes = []
    while link.open:
        transmit(frame, now)
        now = link.deadline()
        again, failed = link.overdue(now)
        outcomes.append((len(again), len(failed)))
    assert outcomes == [(1, 0), (1, 0), (0, 1)]
    assert frame.tries == 3


def test_each_try_waits_twice_as_long_up_to_a_limit():
    link, now, waits = Outbound(1, retries=7), 0.0, []
    (frame,) = offer(link)
    while link.open:
        transmit(frame, now)
        waits.append(round(link.deadline() - now, 6))
        now = link.deadline()
        link.overdue(now)
    assert waits == [0.1, 0.2, 0.4, 0.8, 1.6, MOST_TIMEOUT, MOST_TIMEOUT, MOST_TIMEOUT]


def test_a_frame_that_still_waits_for_the_socket_is_not_overdue():
    link = Outbound(1, retries=3)
    offer(link)
    assert link.overdue(1000.0) == ([], [])


def test_quick_answers_shorten_the_timeout_and_slow_ones_lengthen_it():
    link = Outbound(1, retries=3)

    def answer_after(trip: float) -> float:
        (frame,) = offer(link)
        transmit(frame, 0.0)
        link.settle(Ack(frame.number + 1, 0), now=trip)
        return link.timeout

    quick = min(answer_after(0.001) for _ in range(50))
    slow = max(answer_after(0.5) for _ in range(50))
    assert quick == LEAST_TIMEOUT
    assert 0.5 < slow <= MOST_TIMEOUT


def test_a_retransmitted_frame_is_no_sample_of_the_round_trip():
    """RFC 6298, Karn's algorithm: which try was answered is unknown."""
    link = Outbound(1, retries=3)
    (frame,) = offer(link)
    transmit(frame, 0.0)
    link.overdue(link.deadline())
    transmit(frame, 0.1)
    before = link.timeout
    link.settle(Ack(2, 0), now=0.1001)
    assert link.timeout == before


def test_no_more_numbers_are_open_than_one_acknowledgement_can_name():
    link = Outbound(1, retries=3)
    assert len(offer(link, 100)) == SPAN
    assert link.is_full
    link.settle(Ack(1, (1 << SPAN - 1) - 1), now=0.1)  # all but the first have arrived
    assert list(link.ready()) == []
    link.settle(Ack(2, 0), now=0.1)
    assert len(list(link.ready())) == 100 - SPAN


@pytest.mark.parametrize("ack", [Ack(3, 0), Ack(1, 0b1), Ack(2**32 - 1, 0), Ack(0, 1 << 63)])
def test_an_acknowledgement_of_what_was_never_sent_is_refused(ack):
    link = Outbound(1, retries=3)
    offer(link)
    with pytest.raises(WireError, match="the last one sent was 1"):
        link.settle(ack, now=0.0)


def test_a_retransmission_is_handed_up_once_and_acknowledged_each_time():
    link = Inbound()
    assert [link.accept(1), link.accept(1)] == [True, False]
    assert link.acknowledgement() == Ack(2, 0, SPAN)


def test_frames_above_a_hole_are_handed_up_at_once_and_named_in_the_bitmap():
    link = Inbound()
    assert all(link.accept(number) for number in (2, 4))
    assert link.acknowledgement() == Ack(1, 0b101, SPAN)


def test_a_number_says_that_everything_a_span_below_it_is_settled():
    link = Inbound()
    assert link.accept(1000)
    assert link.acknowledgement().next == 1000 - SPAN + 1
    assert not link.accept(1000 - SPAN)


@given(seed=st.integers(0, 2**32), loss=st.floats(0.0, 0.9), count=st.integers(1, 300), retries=st.integers(0, 5))
def test_over_any_lossy_network_what_is_reported_heard_was_handed_up_exactly_once(seed, loss, count, retries):
    """Frames and acknowledgements are lost and delayed; a frame may be heard although its sender gave it up."""
    chance, now = Random(seed), 0.0
    sender, receiver = Outbound(1, retries), Inbound()
    up: list[int] = []
    heard: list[int] = []
    given_up: list[int] = []
    to_send = offer(sender, count)
    while to_send or sender.open:
        for frame in sorted(to_send, key=lambda _: chance.random()):
            transmit(frame, now)
            if chance.random() >= loss:
                if receiver.accept(frame.number):
                    up.append(frame.number)
                if chance.random() >= loss:
                    heard += [f.number for f in sender.settle(receiver.acknowledgement(), now)]
        now = sender.deadline() or now
        again, failed = sender.overdue(now)
        given_up += [frame.number for frame in failed]
        to_send = [*again, *sender.ready()]
    assert sorted(heard + given_up) == list(range(1, count + 1))
    assert len(up) == len(set(up))
    assert set(heard) <= set(up)
