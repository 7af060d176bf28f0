"""Virtual time: a calendar of ticks, each a flat list, and one loop. Insertion order breaks ties; nothing else does."""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from itertools import islice
from typing import TYPE_CHECKING, Any

from motecast.core import Context, StackError, run_errands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from motecast.core.node import Errand
    from motecast.sim.host import Reception

    Call = Callable[[Any, Any], None]


MOST = 10_000_000  # entries of one tick; more come of a protocol that goes round in a circle in no time


class Kernel:
    """An entry is four items of a tick's list: what, receivers, a, b.

    With receivers, `what` is a `Reception`, and its handler is called for each of them: one broadcast is one entry.
    Without (None), what(a, b) happens once: a timer, a fault, a publication. No tuple and no object an event, so the
    cyclic collector sees nothing and the queue costs next to nothing.
    """

    __slots__ = ("calendar", "errands", "handled", "most", "now", "ticks")

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.now = 0  # microseconds
        self.calendar: dict[int, list[Any]] = {}
        self.ticks: list[int] = []
        self.errands: deque[Errand] = deque()
        self.handled = 0  # entries; what a progress bar or a test of work done may ask

    def enter(self, tick: int, what: Reception | Call, receivers: Iterable[int] | None, a: object, b: object) -> None:
        """Puts one entry into the calendar."""
        bucket = self.calendar.get(tick)
        if bucket is None:
            assert tick >= self.now, f"{tick=} is before {self.now=}"
            bucket = self.calendar[tick] = []
            heappush(self.ticks, tick)
        bucket += (what, receivers, a, b)

    def at(self, tick: int, call: Call, a: object = None, b: object = None) -> None:
        """call(a, b) happens at this tick."""
        self.enter(tick, call, None, a, b)

    def run(self, until: int, after_tick: Callable[[], None]) -> None:
        """Lets everything happen that is due before or at `until`; `after_tick` follows each tick."""
        ticks, calendar, errands = self.ticks, self.calendar, self.errands
        while ticks and ticks[0] <= until:
            self.now = heappop(ticks)
            bucket = calendar[self.now]
            entries = iter(bucket)  # a list's iterator sees what is appended while it runs
            for what, receivers, a, b in islice(zip(entries, entries, entries, entries, strict=False), self.most):
                if receivers is None:
                    what(a, b)
                    run_errands(errands)
                    continue
                handler, layers, contexts, deaf = what
                if deaf:
                    receivers = hearing(what, receivers, a, b)
                for node in receivers:
                    handler(layers[node], contexts[node], a, b)
                    if errands:
                        run_errands(errands)
            if len(bucket) > 4 * self.most:
                raise StackError(
                    f"time stands still: {self.most:,} things happen at once, and next {_named(*bucket[-4:])}"
                )
            self.handled += len(bucket) // 4
            del calendar[self.now]
            after_tick()
        self.now = max(self.now, until)


def hearing(reception: Reception, receivers: Iterable[int], sender: object, message: object) -> list[int]:
    """Those of the receivers who hear now; for those who sleep with a buffer, the frame is put there."""
    deaf = reception.deaf
    for node in receivers:
        buffer = deaf.get(node)
        if buffer is not None:
            buffer.append((reception.at(node), sender, message))
    return [node for node in receivers if node not in deaf]


def _named(what: Any, receivers: object, a: object, b: object) -> str:  # noqa: ANN401  # an entry
    """What an entry is to a reader: a frame, a timer, or something of the world's."""
    if receivers is not None:
        return f"{type(what.layers[0]).__name__} receives {b} of node {a}"
    door = getattr(what, "__self__", None)
    if isinstance(door, Context):
        return f"{type(door.node.layers[door.port]).__name__} answers {a} at node {door.me}"
    return f"{what.__qualname__}({a}, {b})"
