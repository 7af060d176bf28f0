"""Topics and topic filters against their dumb twins."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.filters import FilterError, TopicTrie, check_topic, check_topic_filter, topic_covers, topic_matches
from motecast.filters.topics import MAX_LEVELS, MAX_TOPIC

NAMES = ["a", "b", "", "$s"]
TOPICS = ["/".join(levels) for depth in (1, 2, 3, 4) for levels in product(NAMES, repeat=depth) if any(levels)]


def is_filter(levels: tuple[str, ...]) -> bool:
    return any(levels) and "#" not in levels[:-1]


FILTERS = [
    "/".join(levels)
    for depth in (1, 2, 3)
    for levels in product(["a", "", "$s", "+", "#"], repeat=depth)
    if is_filter(levels)
]


def twin(wanted: str, topic: str) -> bool:
    """The topic filter as a regular expression."""
    if topic.startswith("$") and wanted[0] in "+#":
        return False
    levels = wanted.split("/")
    if levels[-1] == "#":
        stem = "/".join("[^/]*" if level == "+" else re.escape(level) for level in levels[:-1])
        return re.fullmatch(f"{stem}(/.*)?" if levels[:-1] else ".*", topic) is not None
    return re.fullmatch("/".join("[^/]*" if level == "+" else re.escape(level) for level in levels), topic) is not None


def test_matching_agrees_with_regular_expressions_on_every_small_topic() -> None:
    wrong = [(w, t) for w in FILTERS for t in TOPICS if topic_matches(w, t) is not twin(w, t)]
    assert wrong == []


def test_a_topic_filter_covers_exactly_those_of_which_it_matches_every_topic() -> None:
    deeper = ["", *TOPICS, *(f"{topic}/b/b" for topic in TOPICS)]  # that no topic is empty is no part of the wildcards
    matched = {wanted: {topic for topic in deeper if twin(wanted, topic)} for wanted in FILTERS}
    wrong = [(a, b) for a in FILTERS for b in FILTERS if topic_covers(a, b) is not (matched[b] <= matched[a])]
    assert wrong == []


@pytest.mark.parametrize(
    ("wanted", "topic", "answer"),
    [
        ("field/+/smoke", "field/3/smoke", True),
        ("field/+/smoke", "field/3/4/smoke", False),
        ("field/#", "field", True),
        ("field/#", "fields", False),
        ("+", "a/b", False),
        ("+/+", "/a", True),
        ("#", "$state/x", False),
        ("+/x", "$state/x", False),
        ("$state/#", "$state/x", True),
        ("Field", "field", False),
    ],
)
def test_wildcards_mean_what_mqtt_says(wanted: str, topic: str, answer: bool) -> None:
    """'The multi-level wildcard represents the parent and any number of child levels' MQTT 3.1.1 §4.7.1.2"""
    assert topic_matches(wanted, topic) is answer


filings = st.lists(st.tuples(st.booleans(), st.sampled_from(FILTERS), st.integers(0, 3)), max_size=30)


@pytest.mark.fuzz
@given(filings, st.lists(st.sampled_from(TOPICS), min_size=1, max_size=5))
def test_the_trie_finds_what_a_plain_list_finds_in_the_order_of_filing(
    changes: list[tuple[bool, str, int]], topics: list[str]
) -> None:
    trie, filed = TopicTrie[int](), dict[tuple[str, int], None]()
    for is_added, wanted, value in changes:
        if is_added:
            trie.add(wanted, value)
            filed.setdefault((wanted, value))
        elif (wanted, value) in filed:
            trie.remove(wanted, value)
            del filed[wanted, value]
        else:
            with pytest.raises(KeyError):
                trie.remove(wanted, value)
    assert len(trie) == len(filed)
    for topic in topics:
        assert trie.match(topic) == list(dict.fromkeys(value for wanted, value in filed if twin(wanted, topic)))


@pytest.mark.parametrize(("early", "late"), [("+", "a"), ("a", "+")])
def test_a_value_under_several_filters_comes_once_and_at_its_first_turn(early: str, late: str) -> None:
    trie = TopicTrie[str]()
    for wanted, value in ((early, "first"), ("#", "second"), (late, "first"), (late, "first")):
        trie.add(wanted, value)
    assert len(trie) == 3
    assert trie.match("a") == ["first", "second"]


def test_an_emptied_trie_keeps_no_branch() -> None:
    trie = TopicTrie[int]()
    for wanted in FILTERS:
        trie.add(wanted, 1)
    for wanted in FILTERS:
        trie.remove(wanted, 1)
    assert len(trie) == 0
    assert trie._root.below == {}


def test_a_removal_leaves_the_longer_filters_in_place() -> None:
    trie = TopicTrie[str]()
    trie.add("a", "short")
    trie.add("a/b", "long")
    trie.remove("a", "short")
    assert (trie.match("a"), trie.match("a/b")) == ([], ["long"])


@pytest.mark.parametrize(
    ("topic", "line"),
    [
        ("", "line 1, column 1: a topic is empty; expected a name such as field/3/smoke"),
        ("a/+", "line 1, column 3: a topic holds no '+'; expected a wildcard in filters only"),
        ("a#", "line 1, column 2: a topic holds no '#'; expected a wildcard in filters only"),
        ("a\0", "line 1, column 2: a topic holds a NUL character; expected text without it"),
        ("\ud800", "line 1, column 1: half a character (a lone surrogate); expected text that UTF-8 can hold"),
        ("é" * 32_768, f"line 1, column 1: a topic has 65536 bytes; expected at most {MAX_TOPIC}"),
        ("/" * MAX_LEVELS, f"line 1, column 1: a topic has 129 levels; expected at most {MAX_LEVELS}"),
    ],
)
def test_a_bad_topic_is_refused_with_its_place(topic: str, line: str) -> None:
    with pytest.raises(FilterError) as caught:
        check_topic(topic)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        ("", "line 1, column 1: a topic filter is empty; expected a name such as field/3/smoke"),
        ("a/b+/c", "line 1, column 4: '+' shares a level; expected a level of its own"),
        ("a/b#", "line 1, column 4: '#' shares a level; expected a level of its own"),
        ("a/#/b", "line 1, column 3: '#' is not the last level; expected '#' at the end, or '+'"),
        ("#/", "line 1, column 1: '#' is not the last level; expected '#' at the end, or '+'"),
    ],
)
def test_a_bad_topic_filter_is_refused_with_its_place(wanted: str, line: str) -> None:
    with pytest.raises(FilterError) as caught:
        check_topic_filter(wanted)
    assert caught.value.line == line
    with pytest.raises(FilterError):
        TopicTrie[int]().add(wanted, 1)


@pytest.mark.parametrize("text", ["a", "/", "a//b", "x" * MAX_TOPIC, "/" * (MAX_LEVELS - 1), "$s/a"])
def test_the_longest_and_the_oddest_topics_are_accepted(text: str) -> None:
    assert check_topic(text) == text == check_topic_filter(text)
