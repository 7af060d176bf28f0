"""The numbers of one publisher put in order: early ones wait, holes are resolved or given up."""

from __future__ import annotations

from typing import Generic, TypeVar

Item = TypeVar("Item")


class Sequence(Generic[Item]):
    """Items by number. Nothing is released before its predecessors are released, absent or given up.

    >>> numbers = Sequence()
    >>> numbers.offer(1, "a"), numbers.offer(3, "c"), numbers.offer(2, "b")
    (['a'], [], ['b', 'c'])
    """

    __slots__ = ("absent", "expected", "held")

    def __init__(self, expected: int = 1) -> None:
        self.expected = expected  # every smaller number is settled
        self.held: dict[int, Item] = {}
        self.absent: set[int] = set()  # settled above `expected`: they will not come

    def is_settled(self, number: int) -> bool:
        """True when this number was released, given up, is absent, or waits here."""
        return number < self.expected or number in self.absent or number in self.held

    def offer(self, number: int, item: Item) -> list[Item]:
        """What may be released now that this item is here; a settled number changes nothing."""
        if self.is_settled(number):
            return []
        self.held[number] = item
        return self._release()

    def resolve(self, first: int, last: int) -> list[Item]:
        """What may be released now that these numbers are known not to come."""
        if first <= self.expected:  # the usual case costs nothing, however long the range
            self.expected = max(self.expected, min(last + 1, min(self.held, default=last + 1)))
            first = self.expected
        self.absent.update(n for n in range(first, last + 1) if n not in self.held)
        return self._release()

    def give_up(self) -> tuple[range, list[Item]]:
        """The numbers given up, up to the first item that waits, and what may be released then."""
        if not self.held:
            return range(0), []
        lowest = min(self.held)
        lost = range(self.expected, lowest)
        self.absent = {n for n in self.absent if n > lowest}
        self.expected = lowest
        return lost, self._release()

    def _release(self) -> list[Item]:
        ready: list[Item] = []
        while self.expected in self.held or self.expected in self.absent:
            if self.expected in self.held:
                ready.append(self.held.pop(self.expected))
            self.absent.discard(self.expected)
            self.expected += 1
        return ready
