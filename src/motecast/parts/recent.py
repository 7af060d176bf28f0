"""A bounded memory of what was seen."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Recent(set[Key], Generic[Key]):
    """The last `capacity` keys; the oldest is forgotten first. `in` costs what it costs a set.

    Changed by `add`, `update`, `discard` and `clear` only.

    >>> seen = Recent(2)
    >>> for key in "abac": seen.add(key)
    >>> sorted(seen)
    ['b', 'c']
    """

    __slots__ = ("_order", "capacity")

    def __init__(self, capacity: int, keys: Iterable[Key] = ()) -> None:
        super().__init__()
        self.capacity = capacity
        self._order: deque[Key] = deque()
        self.update(keys)

    def add(self, key: Key) -> None:
        """Remembers the key; a key that is known keeps its age."""
        if key in self:
            return
        set.add(self, key)  # not super(): this is the hottest line of a flood
        order = self._order
        order.append(key)
        if len(order) > self.capacity:
            set.discard(self, order.popleft())

    def update(self, *others: Iterable[Key]) -> None:
        """Remembers the keys in turn."""
        for keys in others:
            for key in keys:
                self.add(key)

    def discard(self, key: object) -> None:
        """Forgets the key, as if it had never been; looks at all of them."""
        if key in self:
            super().discard(key)
            self._order = deque(other for other in self._order if other != key)

    def clear(self) -> None:
        """Forgets all."""
        super().clear()
        self._order.clear()

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.capacity, tuple(self._order))
