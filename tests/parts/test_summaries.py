"""R2 of specs/ced.md, section 11: what subscribers have only grows, and is merged in any order, any number of times."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from motecast.core import Codec, EventId, Message
from motecast.parts.summaries import NOBODY, Summaries, entry_bits, listed

EVENTS = [EventId(1, number) for number in range(4)]
NEWS = st.lists(st.tuples(st.sampled_from(EVENTS), st.frozensets(st.integers(100, 106))), max_size=30)


def told(news: list[tuple[EventId, frozenset[int]]]) -> Summaries:
    """Who has heard all this, in this order."""
    known = Summaries()
    for event, has in news:
        known.merge(event, has)
    return known


def everything(known: Summaries) -> list[frozenset[int]]:
    return [known.of(event) for event in EVENTS]


@given(NEWS)
def test_a_summary_is_the_union_of_what_was_heard_and_never_shrinks(news: list[tuple[EventId, frozenset[int]]]) -> None:
    known, twin = Summaries(), dict.fromkeys(EVENTS, NOBODY)
    for event, has in news:
        before = twin[event]
        twin[event] = before | has
        assert known.merge(event, has) == (twin[event] != before)
        assert everything(known) == list(twin.values())
        assert (event in known) == bool(twin[event])
    assert len(known) == sum(map(bool, twin.values()))


@given(NEWS, st.randoms(use_true_random=False))
def test_merging_is_commutative_associative_and_idempotent(
    news: list[tuple[EventId, frozenset[int]]], rng: Random
) -> None:
    shuffled = [*news, *rng.sample(news, len(news) // 2)]
    rng.shuffle(shuffled)
    assert everything(told(shuffled)) == everything(told(news))
    halves = [told(news[::2]), told(news[1::2])]  # two that heard a part each, and tell each other
    for event in EVENTS:
        one, other = halves[0].of(event), halves[1].of(event)
        halves[0].merge(event, other)
        halves[1].merge(event, one)
    assert everything(halves[0]) == everything(halves[1]) == everything(told(news))


@given(st.frozensets(st.integers(100, 106)), st.lists(st.integers(100, 106)))
def test_owed_is_who_wants_it_and_is_not_known_to_have_it(has: frozenset[int], wanting: list[int]) -> None:
    known = told([(EVENTS[0], has)])
    assert known.owed(EVENTS[0], wanting) == tuple(one for one in wanting if one not in has)


def test_the_event_heard_of_first_is_forgotten_first() -> None:
    known = Summaries(capacity=2)
    for event in (EVENTS[0], EVENTS[1], EVENTS[0], EVENTS[2]):
        known.merge(event, {100 + len(known)})
    assert [event in known for event in EVENTS] == [False, True, True, False]
    known.forget(EVENTS[1])
    known.forget(EVENTS[3])
    assert len(known) == 1


def test_an_event_names_no_more_subscribers_than_allowed() -> None:
    known = Summaries(largest=2)
    assert [known.merge(EVENTS[0], has) for has in ({1}, {2, 3}, {2}, {3})] == [True, False, True, False]


def test_an_entry_costs_an_event_and_a_bit_a_subscriber() -> None:
    """specs/ced.md 2.2: "26 an entry (16 for the event, 10 for has) … with m subscribers an entry is 16 + m bits" """
    assert [entry_bits(m) for m in (10, 20)] == [26, 36]


class Summed(Message):
    """A message whose size depends on what is in it."""

    entries: tuple[tuple[EventId, tuple[int, ...]], ...]

    bits = property(lambda self: entry_bits(10) * len(self.entries))


def test_a_message_may_say_its_own_size() -> None:
    codec = Codec([[Summed]])
    message = Summed(tuple((event, listed({105, 101})) for event in EVENTS))
    assert codec.size(message) == 13  # 4 x 26 bits
    assert codec.decode(codec.encode(0, message)).message == message
    assert message.entries[0][1] == (101, 105)
