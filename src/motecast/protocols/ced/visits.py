"""What a subscriber of CED knows of the communities that it passes: which it is in contact with, and what it told them.

'Once subscriber node i finds out that it connects to community N for the first time, it sends out PATH messages'
(§4.1b): a community is met for the first time again if it was not in contact one cell ago.
"""

from __future__ import annotations

from motecast.core import NodeId, Passage

SOON = 0.3  # s; a shorter stay in a cell leaves no time for answers, so it says nothing about who is in contact
COMMUNITIES = 256  # of which a subscriber knows its sessions; our guess. Who was met first is forgotten


class Session:
    """What a community was told last."""

    __slots__ = ("number", "seq", "way")

    def __init__(self, number: int) -> None:
        self.number = number
        self.seq = -1
        self.way: Passage | None = None  # the end of the path that it was told: it tells legs apart


class Visits:
    """The communities in contact, in this cell and in the one before."""

    __slots__ = ("_before", "_greeted", "_here", "_last", "_sessions")

    def __init__(self) -> None:
        self._here: dict[NodeId, None] = {}
        self._before: dict[NodeId, None] = {}
        self._greeted = float("-inf")  # s
        self._last = 0  # number of a session; they rise, even if a crash takes the memory away
        self._sessions: dict[NodeId, Session] = {}

    def enter(self, now: float) -> None:
        """Says Hello in a cell: what was here is what was before."""
        if now - self._greeted < SOON:
            self._before |= self._here
        else:
            self._before = self._here
        self._here, self._greeted = {}, now

    def answered(self, community: NodeId, now: float, rest: tuple[Passage, ...]) -> Session | None:
        """The session to announce with the rest of the leg; None when the community has been told already."""
        session = self._sessions.get(community)
        if session is None or (community not in self._here and community not in self._before):
            session = self._begin(community, now)
        self._here[community] = None
        if session.way == rest[-1]:
            return None
        session.way = rest[-1]
        session.seq += 1
        return session

    def _begin(self, community: NodeId, now: float) -> Session:
        self._last = max(self._last + 1, int(now))
        self._sessions.pop(community, None)
        while len(self._sessions) >= COMMUNITIES:
            gone = next(iter(self._sessions))
            del self._sessions[gone]
            self._here.pop(gone, None)
            self._before.pop(gone, None)
        session = self._sessions[community] = Session(self._last)
        return session

    def __len__(self) -> int:
        return max(len(self._sessions), len(self._here), len(self._before))
