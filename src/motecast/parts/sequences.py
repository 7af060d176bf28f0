"""The numbers of one publisher put in order: early ones wait, holes are filled, proven empty or given up."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import NamedTuple

from motecast.parts.spans import Span, Spans

NOTHING = Spans(capacity=0)  # what nearly every sequence has instead of spans of its own; nobody adds to it


class Turn(NamedTuple):
    """A number whose turn it is."""

    number: int
    after_gap: bool = False  # a number between this one and the last turn is lost


class Sequence:
    """No number has its turn before all smaller ones had theirs, are known to be absent, or are given up as lost.

    >>> numbers = Sequence()
    >>> [turn.number for number in (1, 3, 2) for turn in numbers.offer(number)]
    [1, 2, 3]
    >>> numbers.offer(6), numbers.resolve(4, 4), numbers.give_up()
    ([], [], [Turn(number=6, after_gap=True)])
    """

    __slots__ = ("_is_gap", "absent", "expected", "lost", "waiting")

    def __init__(self, expected: int = 1) -> None:
        self.expected = expected  # every smaller number is settled
        self.waiting: list[int] = []  # sorted
        self.absent = NOTHING  # will not come and are not missed; of many spans the lowest are forgotten
        self.lost = NOTHING  # given up
        self._is_gap = False

    def is_settled(self, number: int) -> bool:
        """True when this number had its turn, waits here, is absent or is lost: it needs no other."""
        return number < self.expected or number in self.waiting or number in self.absent or number in self.lost

    def came_late(self, number: int) -> bool:
        """True when a settled number never had its turn and will have none (or is too old to tell)."""
        too_old = self.lost.forgotten is not None and number <= self.lost.forgotten
        return number not in self.waiting and (number in self.lost or number in self.absent or too_old)

    def offer(self, number: int) -> list[Turn]:
        """Whose turn it is now that this number is here; a settled number changes nothing."""
        if number == self.expected and not self.waiting and self.absent is NOTHING and self.lost is NOTHING:
            self.expected += 1  # nearly always
            return [Turn(number)]
        if self.is_settled(number):
            return []
        insort(self.waiting, number)
        return self._advance()

    def resolve(self, first: int, last: int) -> list[Turn]:
        """Whose turn it is now that these numbers are known not to come, and not to be missed."""
        for hole in self.holes(first, last):
            self.absent = _with(self.absent, hole)
        return self._advance()

    def lose(self, first: int, last: int) -> list[Turn]:
        """Whose turn it is now that these numbers are given up; the next one after them comes after a gap."""
        for hole in self.holes(first, last):
            self.lost = _with(self.lost, hole)
        return self._advance()

    def give_up(self) -> list[Turn]:
        """Whose turn it is when the first number that waits need not wait any longer."""
        return self.lose(self.expected, self.waiting[0] - 1) if self.waiting else []

    def miss(self) -> None:
        """A number that ought to have had its turn is here too late: the next turn comes after a gap."""
        self._is_gap = True

    def recall(self, number: int) -> None:
        """A number that was lost or absent is here after all, and counts as one that had its turn."""
        self.absent.remove(number)
        self.lost.remove(number)

    @property
    def hole(self) -> Span | None:
        """What the first number that waits is waiting for; None when nothing waits."""
        return (self.expected, self.waiting[0] - 1) if self.waiting else None

    def holes(self, first: int, last: int) -> list[Span]:
        """The spans between these numbers that are not settled."""
        hopeful = self.present(max(first, self.expected), last)
        return [hole for low, high in hopeful for hole in self._between(low, high)]

    def present(self, first: int, last: int) -> list[Span]:
        """The spans between these numbers that are neither absent nor lost."""
        return [hole for low, high in self.absent.holes(first, last) for hole in self.lost.holes(low, high)]

    def _between(self, low: int, high: int) -> list[Span]:
        """The spans between these numbers in which nothing waits."""
        found = []
        for number in self.waiting[bisect_left(self.waiting, low) : bisect_right(self.waiting, high)]:
            if low < number:
                found.append((low, number - 1))
            low = number + 1
        return [*found, (low, high)] if low <= high else found

    def _advance(self) -> list[Turn]:
        turns: list[Turn] = []
        while True:
            if self.waiting and self.waiting[0] == self.expected:
                del self.waiting[0]
                turns.append(Turn(self.expected, self._is_gap))
                self._is_gap = False
                self.expected += 1
            elif (end := self.absent.end_of(self.expected)) is not None:
                self.expected = end + 1
            elif (end := self.lost.end_of(self.expected)) is not None:
                self._is_gap = True
                self.expected = end + 1
            else:
                return turns


def _with(spans: Spans, hole: Span) -> Spans:
    """The spans with one more; those that nobody may add to are replaced."""
    spans = spans if spans.capacity else Spans()
    spans.add(*hole)
    return spans
