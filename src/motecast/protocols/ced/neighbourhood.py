"""How sensors find out who belongs together: floods of `Member`, sent when the neighbours of a sensor have changed."""

from __future__ import annotations

from typing import Literal

from motecast.core import Cell, NodeId
from motecast.parts.communities import Community, CommunityMap, Member
from motecast.protocols.ced.ride_messages import GivenMember

Formation = Literal["given", "messages"]
NEIGHBOURS = 256  # of one sensor; our guess. Further ones are ignored


class Neighbourhood:
    """What a sensor says of itself, and the map of its community. A first word (version 0) is for neighbours only."""

    __slots__ = ("known", "map", "newcomers", "peers", "version")

    def __init__(self) -> None:
        self.map = CommunityMap()
        self.peers: dict[NodeId, None] = {}  # sensors whose own word came directly
        self.newcomers: dict[NodeId, None] = {}  # those that may not know the others
        self.version = 0
        self.known: Community | None = None

    def word(self, me: NodeId, cell: Cell, formation: Formation) -> Member:
        """What this sensor says of itself now."""
        kind = GivenMember if formation == "given" else Member
        member = kind(me, cell, tuple(sorted(self.peers)), self.version)
        self.map.learn(member)
        return member

    def hear(self, me: NodeId, sender: NodeId, member: Member) -> tuple[bool, bool]:
        """Whether a word is news that travels on, and whether this sensor has something new to say."""
        if member.sensor == me:
            is_from_before = member.version >= self.version and member.neighbours != tuple(sorted(self.peers))
            self.version = max(self.version, min(member.version, 2**62)) if is_from_before else self.version
            return False, is_from_before
        is_new = False
        if sender == member.sensor and sender not in self.peers and len(self.peers) < NEIGHBOURS:
            self.peers[sender] = self.newcomers[sender] = None
            is_new = True
        return self.map.learn(member) and member.version > 0, is_new

    def lose(self, peer: NodeId) -> bool:
        """True when it was a neighbour."""
        self.newcomers.pop(peer, None)
        if peer not in self.peers:
            return False
        del self.peers[peer]
        return True

    def greet(self) -> list[tuple[NodeId, Member]]:
        """What newcomers have not heard."""
        words = [member for member in self.map.members if member.version > 0]
        found = [(peer, member) for peer in self.newcomers for member in words if member.sensor != peer]
        self.newcomers.clear()
        return found

    def community(self, me: NodeId) -> Community | None:
        """The community of this sensor; None before it has begun."""
        return self.map.community(me)

    def __len__(self) -> int:
        return len(self.peers)
