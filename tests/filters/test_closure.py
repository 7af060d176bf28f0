"""The compiled function: what it does with odd events, and that nothing of a stranger's text runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy
import pytest

from motecast.filters import compiled, parse
from motecast.filters.closure import _Writer
from motecast.filters.syntax import Compare, Like


def source(where: str) -> str:
    return _Writer().function(parse(where))


@pytest.mark.parametrize(
    ("where", "event", "answer"),
    [
        ("temp > 20 AND kind IN ('smoke')", {"temp": 21, "kind": "smoke"}, True),
        ("temp > 20 AND kind IN ('smoke')", {"temp": 21, "kind": "heat"}, False),
        ("temp > 20 AND kind IN ('smoke')", {"temp": 20, "kind": "smoke"}, False),
        ("temp > 20 OR muted", {"muted": True}, True),
        ("temp > 20", {"temp": "21"}, False),
        ("temp > 0", {"temp": True}, False),
        ("temp != 20", {"temp": math.nan}, False),
        ("temp NOT IN (20, 21)", {"temp": math.nan}, False),
        ("temp NOT BETWEEN 1 AND 2", {"temp": math.nan}, False),
        ("temp IS NULL", {"temp": math.nan}, True),
        ("temp IS NOT NULL", {"temp": math.nan}, False),
        ("temp > 20", {"temp": numpy.float32(20.5)}, True),
        ("muted", {"muted": numpy.bool_(True)}, True),
        ("a != b", {"a": math.nan, "b": 1}, False),
        ("a != b", {"a": 2, "b": 1.5}, True),
        ("NOT within(0, 0, 1)", {"x": 2, "y": 0}, True),
        ("NOT within(0, 0, 1)", {"x": 2}, False),
        ("s NOT LIKE 'a%'", {"s": "b"}, True),
        ("s NOT LIKE 'a%'", {"s": 1}, False),
    ],
)
def test_it_is_true_only_where_the_filter_is(where: str, event: dict[str, object], answer: bool) -> None:
    assert compiled(parse(where))(event) is answer


class Lazy(Mapping[str, object]):
    """A mapping that is no dict and remembers what it was asked."""

    def __init__(self, **values: object) -> None:
        self.values_ = values
        self.asked: list[str] = []

    def __getitem__(self, name: str) -> object:
        self.asked.append(name)
        return self.values_[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)


def test_an_attribute_is_looked_up_once_and_only_if_the_result_is_open() -> None:
    matches = compiled(parse("a > 1 AND a < 5 AND b > 1"))
    cold, warm = Lazy(a=0, b=2), Lazy(a=2, b=2)
    assert not matches(cold)
    assert matches(warm)
    assert (cold.asked, warm.asked) == (["a"], ["a", "b"])


def test_dear_predicates_come_after_cheap_ones() -> None:
    matches = compiled(parse("a LIKE 'x%y' AND within(0, 0, 1) AND z = 1"))
    event = Lazy(a="xy", x=0.0, y=0.0, z=1)
    assert matches(event)
    assert event.asked == ["z", "a", "x", "y"]


@pytest.mark.parametrize("text", ["'); import os; ('", "\\", "\n", '"""', "{0}", "%s", "it's"])
def test_names_and_literals_of_strangers_are_only_data(text: str) -> None:
    assert compiled(Compare((text,), "=", text))({text: text})
    assert compiled(Compare((text, text), "=", text))({text: {text: text}})
    assert compiled(Like((text,), text.replace("%", "%%") + "%", None))({text: text + "tail"})


def test_a_list_is_one_look_up_however_long() -> None:
    long = source(f"a IN ({', '.join(map(str, range(500)))})")
    assert len(long) == len(source("a IN (1, 2)"))
