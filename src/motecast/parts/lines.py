"""Records that wait for one addressee, the best first. To choose the next frame is what a protocol does most often."""

from __future__ import annotations

from heapq import heapify, heappop, heappush, heapreplace
from typing import Any, Generic, TypeVar

Entry = tuple[Any, ...]  # rank, serial number, and the record itself: the least is chosen first


class Ranked:
    """What may wait in lines: it has one entry, the same in all of them; None when it waits nowhere any longer."""

    __slots__ = ("entry",)

    def __init__(self) -> None:
        self.entry: Entry | None = None


Item = TypeVar("Item", bound=Ranked)


class Line(Generic[Item]):
    """A heap with lazy deletion: a record that leaves, or whose rank has risen, is dealt with when it comes to the top.

    Ranks only rise while a record waits. All costs are O(log n) amortised, and a line is at most twice as long as what
    waits in it, and a few more.
    """

    __slots__ = ("_heap", "_room", "_waiting")

    def __init__(self) -> None:
        self._heap: list[Entry] = []
        self._waiting: set[Item] = set()  # never iterated: its order is no certain one
        self._room = 16

    def add(self, record: Item) -> None:
        """It waits here from now on; one that does already keeps its place."""
        if record.entry is None or record in self._waiting:
            return
        if len(self._heap) >= self._room:
            self._compact()
        self._waiting.add(record)
        heappush(self._heap, record.entry)

    def discard(self, record: Item) -> None:
        """It waits here no longer."""
        self._waiting.discard(record)

    def top(self) -> Entry | None:
        """The entry of the record that is chosen next; it stays until the record is discarded."""
        heap, waiting = self._heap, self._waiting
        while heap:
            entry = heap[0]
            record: Item = entry[-1]
            if record.entry is None or record not in waiting:
                heappop(heap)
                waiting.discard(record)
            elif record.entry is not entry:
                heapreplace(heap, record.entry)
            else:
                return entry
        return None

    def first(self) -> Item | None:
        """The record that is chosen next."""
        entry = self.top()
        return None if entry is None else entry[-1]

    def clear(self) -> None:
        """Nothing waits here."""
        self._heap.clear()
        self._waiting.clear()

    def __contains__(self, record: Item) -> bool:
        return record in self._waiting and record.entry is not None

    def __len__(self) -> int:
        self._compact()
        return len(self._heap)

    def _compact(self) -> None:
        """One entry for each record that waits here, as it is ranked now."""
        kept = {entry[-1]: None for entry in self._heap}  # a dictionary, so the order is that of the heap
        waiting = [record for record in kept if record in self]
        self._heap = [record.entry for record in waiting if record.entry is not None]
        self._waiting = set(waiting)
        heapify(self._heap)
        self._room = 2 * len(self._heap) + 16
