"""Protocols that everybody knows: the honest baselines, and the template."""

from motecast.protocols.plain.example import Gossip
from motecast.protocols.plain.fifo import Fifo
from motecast.protocols.plain.flood import Flood

__all__ = ["Fifo", "Flood", "Gossip"]
