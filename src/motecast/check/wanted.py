"""Who should get an event, and which copies of it are wanted where they arrive."""

from __future__ import annotations

import numpy as np

from motecast.check.columns import NEVER, NONE, Bools, Ints, slices


class Wanted:
    """The times of all subscriptions, asked event by event."""

    def __init__(self, width: int, subscribers: Ints, since: Ints, until: Ints) -> None:
        self._subscribers = subscribers
        self._since = since
        self._until = until
        self._earliest = np.full(width, NEVER, dtype=np.int64)
        self._touched = np.empty(0, dtype=np.int64)

    def expected(self, matched: Ints, when: int) -> Ints:
        """The nodes with a matching subscription that is active when the event is published, sorted."""
        active = (self._since[matched] <= when) & (self._until[matched] > when)
        return np.unique(self._subscribers[matched[active]])

    def earliest(self, matched: Ints, when: int) -> Ints:
        """By node: since when it has wanted the event. Valid until the next call.

        A subscription that ended before the publication does not count, one that began later does: history is wanted.
        """
        self._earliest[self._touched] = NEVER
        some = matched[self._until[matched] >= when]
        self._touched = self._subscribers[some]
        np.minimum.at(self._earliest, self._touched, self._since[some])
        return self._earliest


class Asked:
    """Copies of events at nodes, grouped by event; whether each is wanted is written into `answers`."""

    def __init__(self, event: Ints, node: Ints, t: Ints, answers: Bools) -> None:
        self._answers = answers
        self._order = np.argsort(event, kind="stable")
        self._node = node[self._order]
        self._t = t[self._order]
        sorted_events = event[self._order]
        self._slices = {int(sorted_events[a]): slice(a, b) for a, b in slices(sorted_events)}
        self._slices.pop(NONE, None)

    def has(self, event: int) -> bool:
        """True when there are copies of it."""
        return event in self._slices

    def answer(self, event: int, earliest: Ints) -> None:
        """Notes which copies of the event came when their node wanted it."""
        if event in self._slices:
            part = self._slices[event]
            self._answers[self._order[part]] = earliest[self._node[part]] <= self._t[part]
