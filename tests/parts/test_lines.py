"""A line against a list that is searched."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from motecast.parts.lines import Line, Ranked

STEPS = st.lists(st.tuples(st.sampled_from(["add", "discard", "raise", "gone", "new", "look"]), st.integers(0, 7)))


class Item(Ranked):
    """Something that waits."""

    __slots__ = ()

    def ranked(self, *rank: int) -> Item:
        """The same with a rank; without one it waits nowhere."""
        self.entry = (*rank, self) if rank else None
        return self


def items() -> list[Item]:
    return [Item().ranked(number % 3, number) for number in range(8)]


def best(waiting: list[Item]) -> Item | None:
    """The dumb twin's choice."""
    return min((item for item in waiting if item.entry), key=lambda item: item.entry[:-1], default=None)


@given(STEPS)
def test_the_first_of_a_line_is_the_least_that_waits(steps: list[tuple[str, int]]) -> None:
    line: Line[Item] = Line()
    known, twin = items(), []
    for serial, (what, number) in enumerate(steps, start=8):
        item = known[number]
        if what == "add" and item.entry and item not in twin:
            twin.append(item)
        elif what == "discard":
            twin = [other for other in twin if other is not item]
        elif what == "raise" and item.entry:
            item.ranked(item.entry[0] + 1, item.entry[1])
        elif what == "gone":
            item.ranked()
        elif what == "new":
            known[number] = Item().ranked(0, serial)
        if what in ("add", "discard"):
            getattr(line, what)(item)
        assert line.first() is best(twin)
        assert all((item in line) == (item in twin and item.entry is not None) for item in known)
    assert len(line) == sum(item.entry is not None for item in twin)


@given(st.integers(1, 6), st.integers(1, 300))
def test_a_line_is_not_much_longer_than_what_waits_in_it(waiting: int, rounds: int) -> None:
    """Old records sink to the bottom of a line that prefers the young, and are removed there."""
    line: Line[Item] = Line()
    kept: list[Item] = []
    for number in range(rounds):
        kept.append(Item().ranked(-number, number))
        line.add(kept[-1])
        if len(kept) > waiting:
            kept.pop(0).ranked()
        assert len(line._heap) <= 2 * waiting + 17


def test_a_record_that_comes_and_goes_takes_one_place() -> None:
    line: Line[Item] = Line()
    item = Item().ranked(1)
    for _ in range(100):
        line.add(item)
        line.discard(item)
        line.add(item)
    assert (len(line), line.first()) == (1, item)


def test_a_cleared_line_is_empty() -> None:
    line: Line[Item] = Line()
    line.add(Item().ranked(1))
    line.clear()
    assert (line.first(), len(line)) == (None, 0)


def test_a_line_that_is_written_down_goes_on() -> None:
    line: Line[Item] = Line()
    for item in items():
        line.add(item)
    copy = pickle.loads(pickle.dumps(line))
    order = []
    while (first := copy.first()) is not None:
        order.append(first.entry[:-1])
        copy.discard(first)
    assert order == sorted(item.entry[:-1] for item in items())
