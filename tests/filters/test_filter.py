"""A filter as a value."""

from __future__ import annotations

import copy
import pickle

import pytest

from motecast.filters import Filter, FilterError


def test_filters_with_one_canonical_text_are_equal_and_hash_alike() -> None:
    one, other = Filter("b = 2 and a > 1"), Filter("a > 1.0 AND 2 = b")
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, Filter("a > 1")}) == 2
    assert one != "a > 1 AND b = 2"
    assert str(one) == one.text == "a > 1 AND b = 2"


def test_equal_filters_share_one_compiled_function() -> None:
    assert Filter("a > 1 AND b").matches is Filter("b AND a > 1.0").matches


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_filter_travels_as_its_text_and_works_on_arrival(protocol: int) -> None:
    sent = Filter("temp > 20 AND kind IN ('smoke', 'heat') AND within(0, 0, 5) AND s LIKE 'a!%%' ESCAPE '!'")
    event = {"temp": 21, "kind": "heat", "x": 1, "y": 1, "s": "a%b"}
    assert sent.matches(event)  # a function that is already compiled does not travel
    packet = pickle.dumps(sent, protocol)
    arrived = pickle.loads(packet)
    assert arrived == sent
    assert arrived.tree == sent.tree
    assert arrived.matches(event)
    assert len(packet) < 2 * len(sent.text) + 100
    assert copy.deepcopy(sent) == sent


def test_the_attributes_are_named_and_sorted() -> None:
    assert Filter("w.temp > 1 AND `a.b` AND c = d").attributes == ('"a.b"', "c", "d", "w.temp")


def test_a_bad_filter_is_never_made() -> None:
    with pytest.raises(FilterError):
        Filter("temp >")


def test_a_filter_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Filter("a").text = "b"
