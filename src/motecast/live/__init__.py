"""The same nodes on real clocks and sockets."""

from motecast.live.udp import host, run

__all__ = ["host", "run"]
