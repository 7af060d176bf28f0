"""The one tree and what it becomes: the plain interpreter is the twin of everything clever."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.filters import Event, Expression, boxes, canonical, compiled, covers, evaluate, parse
from motecast.filters.limits import MAX_BOXES
from motecast.filters.parser import parse_exactly
from motecast.filters.spelling import spell
from tests.strategies_filters import NESTED, events, filters

FILTERS = filters(NESTED)


@pytest.mark.fuzz
@given(FILTERS, st.lists(events(), min_size=1, max_size=5))
def test_the_canonical_tree_has_the_same_three_values(tree: Expression, some: list[Event]) -> None:
    for event in some:
        assert evaluate(canonical(tree), event) is evaluate(tree, event)


@pytest.mark.fuzz
@given(FILTERS, st.lists(events(), min_size=1, max_size=5))
def test_the_closure_matches_exactly_where_the_filter_is_true(tree: Expression, some: list[Event]) -> None:
    matches = compiled(tree)
    for event in some:
        assert matches(event) is (evaluate(tree, event) is True)


@pytest.mark.fuzz
@given(FILTERS, st.lists(events(), min_size=1, max_size=5))
def test_the_boxes_and_their_residuals_match_exactly_where_the_filter_is_true(
    tree: Expression, some: list[Event]
) -> None:
    union = boxes(tree)
    assert len(union.boxes) <= MAX_BOXES
    for event in some:
        assert union.matches(event) is (evaluate(tree, event) is True)


@pytest.mark.fuzz
@given(FILTERS)
def test_the_canonical_text_reads_back_as_the_canonical_tree(tree: Expression) -> None:
    text = spell(canonical(tree))
    again = parse(text)
    assert again == canonical(tree)
    assert spell(again) == text
    assert spell(canonical(parse_exactly(spell(tree)))) == text


@pytest.mark.fuzz
@given(FILTERS, FILTERS, st.lists(events(), min_size=1, max_size=5))
def test_a_covering_filter_matches_whatever_the_covered_one_matches(
    wide: Expression, narrow: Expression, some: list[Event]
) -> None:
    if covers(wide, narrow):
        for event in some:
            assert evaluate(narrow, event) is not True or evaluate(wide, event) is True
    assert covers(wide, wide)
