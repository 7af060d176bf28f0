"""LIKE patterns against regular expressions, and the time that hostile ones take, in steps."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.filters.dialects import atomic
from motecast.filters.like import PatternError, Wildcard, fixed, matcher, normal, tokens

ESCAPES = st.sampled_from([None, "!", "\\", "a"])
FEW = st.text(st.sampled_from("ab%_"), max_size=8)  # they meet often
PATTERNS = FEW | st.text(st.sampled_from("ab%_!\\\n😀."), max_size=8)
TEXTS = st.text(st.sampled_from("ab"), max_size=8) | st.text(st.sampled_from("ab%_!\\\n😀."), max_size=8)


def twin(pattern: str, escape: str | None) -> re.Pattern[str]:
    """Java's and Python's way: all combinations are tried."""
    names = {Wildcard.ANY: ".*", Wildcard.ONE: "."}
    source = "".join(re.escape(token) if isinstance(token, str) else names[token] for token in tokens(pattern, escape))
    return re.compile(source, re.DOTALL)


def is_valid(pattern: str, escape: str | None) -> bool:
    try:
        list(tokens(pattern, escape))
    except PatternError:
        return False
    return True


@pytest.mark.parametrize(
    ("pattern", "text", "answer"),
    [
        ("ab%ba", "aba", False),  # head and tail may not overlap
        ("ab%ba", "abba", True),
        ("x%ab%b", "xab", False),  # nor the middle and the tail
        ("x%ab%b", "xabb", True),
        ("%aa%aa%", "aaa", False),  # nor two pieces of the middle
        ("%aa%aa%", "aaaa", True),
        ("%a_%", "a", False),
        ("%a_%b", "aab", True),
        ("%", "", True),
        ("", "", True),
        ("", "a", False),
        ("_", "😀", True),
        ("a%", "a\n", True),
    ],
)
def test_a_pattern_matches(pattern: str, text: str, answer: bool) -> None:
    assert matcher(pattern, None)(text) is answer


@pytest.mark.fuzz
@given(PATTERNS, ESCAPES, TEXTS)
def test_a_matcher_agrees_with_a_regular_expression(pattern: str, escape: str | None, text: str) -> None:
    if is_valid(pattern, escape):
        expected = twin(pattern, escape).fullmatch(text) is not None
        assert matcher(pattern, escape)(text) is expected
        assert matcher(*normal(pattern, escape))(text) is expected
        found = list(tokens(pattern, escape))
        if Wildcard.ANY in found:  # the text for Spark, in Python's spelling of the end of a string
            assert (re.search(atomic(found).replace("\\z", "\\Z"), text) is not None) is expected


@pytest.mark.fuzz
@given(PATTERNS, ESCAPES, TEXTS)
def test_a_pattern_without_wildcards_is_one_string(pattern: str, escape: str | None, text: str) -> None:
    if is_valid(pattern, escape):
        only = fixed(pattern, escape)
        if only is not None:
            assert matcher(pattern, escape)(text) is (text == only)
        else:
            assert any(isinstance(token, Wildcard) for token in tokens(pattern, escape))


@pytest.mark.parametrize(
    ("pattern", "escape", "expected"),
    [
        ("a%%b", None, ("a%b", None)),
        ("a%_%b", None, ("a%_%b", None)),
        ("a!%b", "!", ("a\\%b", "\\")),
        ("a!!b", "!", ("a!b", None)),
        ("\\", None, ("\\", None)),
        ("\\!%", "!", ("\\\\\\%", "\\")),
    ],
)
def test_the_normal_spelling_of_a_pattern(pattern: str, escape: str | None, expected: tuple[str, str | None]) -> None:
    assert normal(pattern, escape) == expected
    assert normal(*expected) == expected


@pytest.mark.parametrize(("pattern", "message"), [("a!", "not the end"), ("!a", "not a")])
def test_an_escape_character_that_escapes_nothing_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        list(tokens(pattern, "!"))


class Counted(str):
    """A string that counts how often somebody looks into it."""

    __slots__ = ("looks",)

    def __new__(cls, text: str) -> Counted:
        made = super().__new__(cls, text)
        made.looks = 0
        return made

    def find(self, *arguments: object) -> int:
        self.looks += 1
        return super().find(*arguments)

    def startswith(self, *arguments: object) -> bool:
        self.looks += 1
        return super().startswith(*arguments)


@pytest.mark.parametrize("segments", [1, 10, 200])
def test_a_hostile_pattern_looks_for_each_of_its_pieces_once(segments: int) -> None:
    text = Counted("a" * 1000)
    assert not matcher("%a" * segments + "%b%", None)(text)
    assert text.looks == segments + 3  # the pieces, what is missing, and the two empty ends
