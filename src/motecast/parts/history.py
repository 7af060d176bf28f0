"""Numbers of one publisher that were settled without their turn and are sought again: in order among themselves."""

from __future__ import annotations

from motecast.parts.sequences import Sequence, Turn


class History:
    """What of a span had no turn in a sequence, and has one now. The sequence itself goes on undisturbed.

    >>> live = Sequence()
    >>> _ = live.offer(1), live.resolve(2, 3), live.offer(4)
    >>> past = History(live, 1, 9)
    >>> past.misses(1), past.misses(2), past.misses(4), past.offer(3), past.offer(2)
    (False, True, False, [], [Turn(number=2, after_gap=False), Turn(number=3, after_gap=False)])
    >>> past.is_complete
    True
    """

    __slots__ = ("_live", "_numbers", "last")

    def __init__(self, live: Sequence, first: int, last: int) -> None:
        self._live = live
        self._numbers = Sequence(max(1, first))
        self.last = min(last, live.expected - 1)  # what comes after that has its turn yet
        self.resolve(self._numbers.expected, self.last, present=True)

    @property
    def is_complete(self) -> bool:
        """True when nothing of it is missed any more."""
        return self._numbers.expected > self.last

    def misses(self, number: int) -> bool:
        """True when this number is sought and not here."""
        return number <= self.last and not self._numbers.is_settled(number)

    def offer(self, number: int) -> list[Turn]:
        """Whose turn it is now that this number is here."""
        return self._taken(self._numbers.offer(number))

    def resolve(self, first: int, last: int, *, present: bool = False) -> list[Turn]:
        """Whose turn it is now that these numbers are known not to come; `present`: those that had their turn."""
        spans = self._live.present(first, last) if present else [(first, min(last, self.last))]
        return self._taken([turn for span in spans for turn in self._numbers.resolve(*span)])

    def give_up(self, first: int, last: int) -> list[Turn]:
        """Whose turn it is when these numbers are not waited for any longer."""
        return self._taken(self._numbers.lose(first, min(last, self.last)))

    def end(self) -> list[Turn]:
        """Whose turn it is when nothing is waited for any longer."""
        return self.give_up(self._numbers.expected, self.last)

    def _taken(self, turns: list[Turn]) -> list[Turn]:
        for turn in turns:
            self._live.recall(turn.number)
        return turns
