"""Link acknowledgement to one peer, without sockets and clocks: numbers, what is unanswered, when to try again.

The link does not reorder and does not wait: a frame goes up when it arrives, once. From the oldest unsettled frame to
the newest there are at most `SPAN` numbers, as many as one acknowledgement can name. So a number also says that
everything `SPAN` below it is settled, and what a receiver remembers is a number and 64 bits, whatever is lost.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from motecast.core import WireError
from motecast.live.datagram import Ack

if TYPE_CHECKING:
    from asyncio import TimerHandle
    from collections.abc import Iterator

    from motecast.core import Message, NodeId
    from motecast.live.context import LiveContext

SPAN = 64  # numbers from the oldest unsettled one to the newest
FIRST_TIMEOUT, LEAST_TIMEOUT, MOST_TIMEOUT = 0.1, 0.02, 2.0  # s; of the wall, however fast the field's clock runs


class Transmission:
    """One frame on its way: to whom it still has to go, and what was tried."""

    __slots__ = ("ctx", "data", "frame", "left_at", "link", "message", "number", "targets", "to", "tries")

    def __init__(
        self, ctx: LiveContext, to: NodeId | None, message: Message, frame: bytes, targets: tuple[NodeId, ...]
    ) -> None:
        self.ctx = ctx
        self.to = to
        self.message = message
        self.frame = frame
        self.targets = list(targets)  # whose copy of this try has not left yet
        self.link: Outbound | None = None  # that waits for an acknowledgement of it
        self.number: int | None = None
        self.tries = 0
        self.left_at: float | None = None  # None while it waits for the socket
        self.data: bytes | None = None  # the datagram of this try

    @property
    def is_settled(self) -> bool:
        """True when nobody waits for an acknowledgement of it any more."""
        return self.link is not None and self.number not in self.link.open

    def leave(self, now: float) -> None:
        """This try is over: what is not acknowledged soon is overdue."""
        self.left_at, self.data = now, None


class Outbound:
    """Frames to one peer: numbered in order, sent again when they stay unanswered, given up after `retries`."""

    def __init__(self, peer: NodeId, retries: int) -> None:
        self.peer = peer
        self.retries = retries
        self.was_full = False  # when its node was last told
        self.alarm: TimerHandle | None = None  # for the frame that is overdue first
        self.waiting: deque[Transmission] = deque()
        self.open: dict[int, Transmission] = {}  # numbered and unsettled, the oldest first
        self.last = 0
        self.timeout = FIRST_TIMEOUT
        self._smooth: float | None = None  # round trip, RFC 6298
        self._spread = 0.0

    @property
    def is_full(self) -> bool:
        """True while the next frame has to wait for an answer."""
        return bool(self.open) and self.last + 1 - next(iter(self.open)) >= SPAN

    def ready(self) -> Iterator[Transmission]:
        """Numbers and yields the frames that may leave now."""
        while self.waiting and not self.is_full:
            frame = self.waiting.popleft()
            self.last += 1
            frame.link, frame.number = self, self.last
            self.open[self.last] = frame
            yield frame

    def settle(self, ack: Ack, now: float) -> list[Transmission]:
        """The frames that this acknowledgement ends, in the order of their numbers."""
        newest = ack.next + ack.bitmap.bit_length() if ack.bitmap else ack.next - 1
        if newest > self.last:
            raise WireError(f"acknowledges number {newest}; the last one sent was {self.last}")
        arrived = [n for n in self.open if n < ack.next or (n > ack.next and ack.bitmap >> (n - ack.next - 1) & 1)]
        settled = [self.open.pop(number) for number in arrived]
        for frame in settled:
            if frame.tries == 1 and frame.left_at is not None:
                self._measure(now - frame.left_at)
        return settled

    def overdue(self, now: float) -> tuple[list[Transmission], list[Transmission]]:
        """Frames to be tried again, and frames given up."""
        late = [frame for frame in self.open.values() if frame.left_at is not None and self._due(frame) <= now]
        again = [frame for frame in late if frame.tries <= self.retries]
        failed = [frame for frame in late if frame.tries > self.retries]
        for frame in failed:
            assert frame.number is not None, frame
            del self.open[frame.number]
        for frame in again:
            frame.left_at = None
        return again, failed

    def deadline(self) -> float | None:
        """When the next frame is overdue; None if nothing is in the air."""
        return min((self._due(f) for f in self.open.values() if f.left_at is not None), default=None)

    def _due(self, frame: Transmission) -> float:
        assert frame.left_at is not None, frame
        return frame.left_at + min(self.timeout * 2.0 ** (frame.tries - 1), MOST_TIMEOUT)

    def _measure(self, trip: float) -> None:
        if self._smooth is None:
            self._smooth, self._spread = trip, trip / 2
        else:
            self._spread += (abs(self._smooth - trip) - self._spread) / 4
            self._smooth += (trip - self._smooth) / 8
        self.timeout = min(max(self._smooth + 4 * self._spread, LEAST_TIMEOUT), MOST_TIMEOUT)


class Inbound:
    """What has arrived from one peer: a number and the 64 after it.

    >>> link = Inbound()
    >>> [link.accept(number) for number in (1, 3, 3, 2, 1)]
    [True, True, False, True, False]
    >>> link.acknowledgement()
    Ack(next=4, bitmap=0, credit=64)
    """

    __slots__ = ("_arrived", "next")

    def __init__(self) -> None:
        self.next = 1  # every smaller number is settled
        self._arrived = 0  # bit i: next + i

    def accept(self, number: int) -> bool:
        """True the first time that a number comes."""
        if number < self.next:
            return False
        self._slide(number - SPAN + 1 - self.next)
        bit = 1 << (number - self.next)
        if self._arrived & bit:
            return False
        self._arrived |= bit
        while self._arrived & 1:
            self._slide(1)
        return True

    def acknowledgement(self) -> Ack:
        """What to tell the peer."""
        return Ack(self.next, self._arrived >> 1, SPAN)

    def _slide(self, by: int) -> None:
        if by > 0:
            self.next += by
            self._arrived >>= by
