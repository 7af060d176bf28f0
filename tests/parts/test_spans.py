"""Spans against a plain set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from motecast.parts.spans import Spans

PAIRS = st.lists(st.tuples(st.integers(-5, 40), st.integers(-5, 40)), max_size=30)


def filled(pairs: list[tuple[int, int]]) -> tuple[Spans, set[int]]:
    """The same numbers as spans and as a set."""
    spans, twin = Spans(), set()
    for first, last in pairs:
        spans.add(first, last)
        twin |= set(range(first, last + 1))
    return spans, twin


@given(PAIRS)
def test_spans_hold_the_numbers_of_a_set(pairs: list[tuple[int, int]]) -> None:
    spans, twin = filled(pairs)
    assert {number for number in range(-10, 50) if number in spans} == twin


@given(PAIRS, st.integers(-10, 50), st.integers(-10, 50))
def test_holes_are_the_numbers_that_are_not_there(pairs: list[tuple[int, int]], first: int, last: int) -> None:
    spans, twin = filled(pairs)
    holes = spans.holes(first, last)
    assert [n for low, high in holes for n in range(low, high + 1)] == sorted(set(range(first, last + 1)) - twin)
    assert all(low <= high for low, high in holes)
    assert all(holes[i][1] + 1 < holes[i + 1][0] for i in range(len(holes) - 1))  # none touches the next


@given(PAIRS)
def test_there_are_no_more_spans_than_needed(pairs: list[tuple[int, int]]) -> None:
    spans, twin = filled(pairs)
    assert len(spans) == sum(number - 1 not in twin for number in twin)


@given(PAIRS, st.integers(-5, 40))
def test_the_end_of_a_span_is_its_last_number(pairs: list[tuple[int, int]], number: int) -> None:
    spans, twin = filled(pairs)
    end = spans.end_of(number)
    if number in twin:
        assert set(range(number, end + 1)) <= twin
        assert end + 1 not in twin
    else:
        assert end is None


@given(st.sets(st.integers(0, 20)), st.integers(0, 20))
def test_a_number_less_leaves_the_others(numbers: set[int], number: int) -> None:
    spans = Spans()
    for each in sorted(numbers):
        spans.add(each, each)
    spans.remove(number)
    assert {each for each in range(21) if each in spans} == numbers - {number}


def test_beyond_the_capacity_the_lowest_span_is_forgotten_and_said_to_be() -> None:
    spans = Spans(capacity=2)
    for first in (10, 1, 20):
        spans.add(first, first + 2)
    assert repr(spans) == "Spans(10-12, 20-22)"
    assert spans.forgotten == 3


def test_a_span_of_any_length_costs_the_same() -> None:
    spans = Spans()
    spans.add(1, 10**18)
    assert (len(spans), spans.end_of(5), spans.holes(0, 10**19)) == (1, 10**18, [(0, 0), (10**18 + 1, 10**19)])
