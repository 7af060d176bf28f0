"""Covering between filters: what must be shown, what must not. That it is sound is in test_agreement.py too."""

from __future__ import annotations

import pytest

from motecast.filters import covering, covers, parse
from motecast.filters.limits import MAX_STEPS

SHOWN = [
    ("a > 1", "a > 2"),
    ("a > 1", "a > 2 AND b = 3"),
    ("a >= 1", "a BETWEEN 1 AND 2"),
    ("a > 1 OR b", "b"),
    ("a IN (1, 2, 3)", "a IN (1, 3)"),
    ("a > 0", "a IN (1, 3)"),
    ("a < 2 OR a > 5", "a IN (1, 6)"),  # value by value
    ("a != 3", "a > 3"),
    ("m OR NOT m", "m"),
    ("a IS NOT NULL", "a > 3"),
    ("s IS NOT NULL", "s LIKE 'a%'"),
    ("s IS NOT NULL", "s NOT IN ('a', 'b')"),
    ("s IS NOT NULL", "s BETWEEN 'a' AND 'b'"),
    ("s > 'a'", "s > 'b'"),
    ("s > 'a'", "s >= 'b'"),
    ("s >= 'a'", "s > 'a'"),
    ("s <= 'b'", "s < 'b'"),
    ("s < 'b'", "s < 'a'"),
    ("s != 'a'", "s > 'a'"),
    ("s != 'a'", "s < 'a'"),
    ("s > 'a'", "s = 'b'"),
    ("s LIKE 'a%'", "s IN ('ab', 'ac')"),
    ("s LIKE 'a%'", "s LIKE 'a%' AND b > 1"),
    ("within(0, 0, 5)", "within(0, 0, 5) AND a > 1"),
    ("TRUE", "a > 1"),
    ("a > 1", "FALSE"),
    ("a > 1", "a > 3 AND a < 2"),
]
NOT_SO = [
    ("a > 2", "a > 1"),
    ("a > 1", "TRUE"),
    ("a > 1", "b > 2"),
    ("a > 1", "a >= 1"),
    ("a IN (1, 2)", "a IN (1, 3)"),
    ("a = 1", "a = TRUE"),
    ("a > 0", "a = '1'"),
    ("a <= 1 OR a > 1", "TRUE"),  # NULL
    ("s > 'b'", "s > 'a'"),
    ("s > 'a'", "s >= 'a'"),
    ("s < 'b'", "s <= 'b'"),
    ("s > 'a'", "s < 'b'"),
    ("s != 'b'", "s > 'a'"),
    ("s != 'b'", "s >= 'b'"),
    ("s != 'a'", "s != 'b'"),
    ("s IS NOT NULL", "t > 'a'"),
    ("s IS NULL", "s IS NOT NULL"),
    ("s LIKE 'a%'", "s IN ('ab', 'b')"),
    ("within(0, 0, 5)", "within(0, 0, 6)"),
    ("FALSE", "a > 1"),
]


@pytest.mark.parametrize(("wide", "narrow"), SHOWN)
def test_a_filter_covers_a_narrower_one(wide: str, narrow: str) -> None:
    assert covers(parse(wide), parse(narrow))


@pytest.mark.parametrize(("wide", "narrow"), NOT_SO)
def test_a_filter_never_covers_one_that_matches_more(wide: str, narrow: str) -> None:
    assert not covers(parse(wide), parse(narrow))


def test_the_same_filter_in_another_spelling_is_covered() -> None:
    assert covers(parse("s LIKE 'a%' OR b > a"), parse("a < b OR s LIKE 'a%%'"))


HARD = " OR ".join(f"s LIKE '{number}%'" for number in range(60))
MANY = " AND ".join(f"t > '{number}'" for number in range(150))


def test_a_hostile_pair_costs_no_more_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    proofs: list[covering._Proof] = []

    class Watched(covering._Proof):
        def __init__(self, around: list[covering._Facts]) -> None:
            super().__init__(around)
            proofs.append(self)

    monkeypatch.setattr(covering, "_Proof", Watched)
    wide, narrow = parse(f"({HARD}) AND {MANY.replace('>', '>=')}"), parse(f"({HARD}) AND {MANY}")
    assert not covers(wide, narrow)  # it does cover it, but showing it would take millions of steps
    assert MAX_STEPS < proofs[0].steps <= MAX_STEPS + 10_000


def test_a_large_pair_is_still_shown_if_the_texts_agree() -> None:
    assert covers(parse(f"({HARD}) AND {MANY}"), parse(f"({HARD}) AND {MANY} AND z = 1"))
