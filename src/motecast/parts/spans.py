"""A set of whole numbers kept as spans, so that a long run of numbers costs as much as one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

Span = tuple[int, int]  # first and last, both included


class Spans:
    """Numbers in spans that do not touch. Beyond `capacity` spans the lowest is forgotten.

    >>> spans = Spans()
    >>> for first, last in ((1, 3), (7, 9), (4, 5)): spans.add(first, last)
    >>> spans, 5 in spans, 6 in spans
    (Spans(1-5, 7-9), True, False)
    >>> spans.holes(0, 10)
    [(0, 0), (6, 6), (10, 10)]
    """

    __slots__ = ("_spans", "capacity", "forgotten")

    def __init__(self, capacity: int = 64) -> None:
        self.capacity = capacity
        self.forgotten: int | None = None  # the largest number of those that were forgotten
        self._spans: list[Span] = []

    def add(self, first: int, last: int) -> None:
        """Numbers from `first` to `last`; none when `last` is smaller."""
        if last < first:
            return
        low, high = self._from(first - 1), self._until(last + 1)  # these touch the new one
        if low < high:
            first, last = min(first, self._spans[low][0]), max(last, self._spans[high - 1][1])
        self._spans[low:high] = [(first, last)]
        if len(self._spans) > self.capacity:
            self.forgotten = self._spans.pop(0)[1]

    def remove(self, number: int) -> None:
        """One number less; a span around it becomes two."""
        end = self.end_of(number)
        if end is not None:
            first, last = self._spans.pop(self._from(number))
            self.add(first, number - 1)
            self.add(number + 1, last)

    def end_of(self, number: int) -> int | None:
        """The last number of the span that holds this one; None if none does."""
        if not self._spans:
            return None
        index = self._from(number)
        return self._spans[index][1] if index < len(self._spans) and self._spans[index][0] <= number else None

    def holes(self, first: int, last: int) -> list[Span]:
        """The spans between `first` and `last` that are not here."""
        found = []
        for low, high in self._spans[self._from(first) : self._until(last)]:
            if first < low:
                found.append((first, low - 1))
            first = high + 1
        return [*found, (first, last)] if first <= last else found

    def _from(self, number: int) -> int:
        """The index of the first span that ends at this number or later."""
        return bisect_left(self._spans, number, key=lambda span: span[1])

    def _until(self, number: int) -> int:
        """The index after the last span that begins at this number or earlier."""
        return bisect_right(self._spans, number, key=lambda span: span[0])

    def __contains__(self, number: int) -> bool:
        return self.end_of(number) is not None

    def __len__(self) -> int:
        return len(self._spans)

    def __repr__(self) -> str:
        return f"Spans({', '.join(f'{first}-{last}' for first, last in self._spans)})"
