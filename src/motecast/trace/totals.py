"""What was transmitted, added up: five integers a frame in a list, summed in blocks.

Whether a frame carries an event is decided frame by frame: a routing layer's one message carries events now and
subscriptions then. So there are two sums for a node, kind and message: one of frames with content, one of the others.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from motecast.core import Message

WIDTH = 5  # node, number of the kind and message, size, payload, metadata
BLOCK = WIDTH * 20_000
KINDS = ("broadcast", "send")  # the number is twice that of the message, plus the place here
WAYS = 2 * len(KINDS)  # of a message: each kind without and with content of an event in the frame

Total = tuple[int, str, str, int, int, int, int]  # node, kind, message, frames, size, payload, metadata


class Totals:
    """Hosts append to `log` and call `fold` when it is longer than `BLOCK`."""

    def __init__(self, nodes: int) -> None:
        self.log: list[int] = []
        self.nodes = nodes
        self.folded = 0  # integers that were in the list and are in the sums now
        self.messages: dict[type[Message], int] = {}
        self._sums: NDArray[np.int64] = np.zeros((0, 4), dtype=np.int64)  # frames, size, payload, metadata

    def number(self, message: type[Message]) -> int:
        """The number of a broadcast of this message; one more is that of a send."""
        return 2 * self.messages.setdefault(message, len(self.messages))

    def fold(self) -> None:
        """Adds the list to the sums and empties it."""
        if not self.log:
            return
        self.folded += len(self.log)
        frames = np.frombuffer(struct.pack(f"{len(self.log)}q", *self.log), dtype=np.int64).reshape(-1, WIDTH)
        self.log.clear()
        length = WAYS * len(self.messages) * self.nodes
        sums = np.zeros((length, 4), dtype=np.int64)
        sums[: len(self._sums)] = self._sums  # a number is never given anew, so old places stay
        place = (2 * frames[:, 1] + (frames[:, 3] > 0)) * self.nodes + frames[:, 0]
        sums[:, 0] += np.bincount(place, minlength=length)
        for column in (1, 2, 3):
            np.add.at(sums[:, column], place, frames[:, column + 1])
        self._sums = sums

    def rows(self) -> list[Total]:
        """One row for each node, kind and message that was transmitted with content, and one for without."""
        self.fold()
        names = [(kind, message.__name__) for message in self.messages for kind in KINDS for _ in (False, True)]
        return [
            (place % self.nodes, *names[place // self.nodes], *self._sums[place].tolist())
            for place in np.flatnonzero(self._sums[:, 0]).tolist()
        ]
