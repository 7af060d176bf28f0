"""A node: a stack with an identity; and the door through which a layer learns and acts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from motecast.core.errors import StackError

if TYPE_CHECKING:
    from collections import deque
    from random import Random

    from motecast.core.grid import Grid
    from motecast.core.layer import Layer, Timer
    from motecast.core.message import Message
    from motecast.core.movement import Leg
    from motecast.core.pubsub import EventId, NodeId, Position, Signal
    from motecast.core.stack import Stack

Errand = tuple[Any, "Layer", "Context", "Signal"]  # handler, its layer, its context, the signal


class Node:
    """A stack's layers with the state of one node. `contexts` is filled by whoever hosts it."""

    __slots__ = ("contexts", "layers", "me", "stack")

    def __init__(self, me: NodeId, stack: Stack, layers: list[Layer]) -> None:
        self.me = me
        self.stack = stack
        self.layers = layers
        self.contexts: list[Context] = []


class Context:
    """What a layer knows and can do: one a node and layer. Hosts subclass it; nothing else knows time and radio."""

    __slots__ = ("_downs", "_errands", "_timers", "_ups", "me", "node", "port")

    def __init__(self, node: Node, port: int, errands: deque[Errand]) -> None:
        self.me: NodeId = node.me
        self.node = node
        self.port = port
        self._errands = errands
        self._ups = node.stack.ups[port]
        self._downs = node.stack.downs[port]
        self._timers = node.stack.timers[port]

    # Facts

    @property
    def now(self) -> float:
        """Seconds, by this node's clock."""
        raise NotImplementedError

    @property
    def position(self) -> Position:
        """Where this node is, in field units."""
        raise NotImplementedError

    @property
    def leg(self) -> Leg | None:
        """The straight travel that this node is on, if it moves and knows where to; `moved` tells of its ends."""
        raise NotImplementedError

    @property
    def grid(self) -> Grid | None:
        """The cells of the field, where it has any and this node knows of them."""
        raise NotImplementedError

    @property
    def rng(self) -> Random:
        """This node's and layer's own stream of chance."""
        raise NotImplementedError

    @property
    def idle(self) -> bool:
        """True when a frame sent now leaves at once."""
        raise NotImplementedError

    def is_clear(self, peer: NodeId) -> bool:
        """True when the peer can listen now; `cleared` tells when a busy one can."""
        raise NotImplementedError

    # Verbs

    def send(self, to: NodeId, message: Message) -> None:
        """One radio hop to the same layer of one peer."""
        raise NotImplementedError

    def broadcast(self, message: Message) -> None:
        """One radio hop to the same layer of every peer that hears it."""
        raise NotImplementedError

    def set_timer(self, timer: Timer, after: float) -> None:
        """`timer` expires after so many seconds; setting an equal one moves it. Hosts call `check_timer` first."""
        raise NotImplementedError

    def note(self, what: str, event: EventId | None = None, **facts: Any) -> None:
        """Writes to the trace, and changes nothing."""
        raise NotImplementedError

    def reject(self, reason: str) -> None:
        """Counts a peer's well-formed nonsense."""
        raise NotImplementedError

    def application(self, signal: Signal) -> None:
        """What the top of the stack tells."""
        raise NotImplementedError

    def floor(self, signal: Signal) -> None:
        """What the lowest layer asks though nothing is below it: only a layer that is `alone` can do so."""

    def up(self, signal: Signal) -> None:
        """Tells the layer above, after this handler."""
        try:
            target = self._ups[type(signal)]
        except KeyError:
            raise self._misfit("tells", signal) from None
        if target is None:
            self.application(signal)
        else:
            index, handler = target
            self._errands.append((handler, self.node.layers[index], self.node.contexts[index], signal))

    def down(self, signal: Signal) -> None:
        """Asks the layer below, after this handler."""
        try:
            target = self._downs[type(signal)]
        except KeyError:
            raise self._misfit("asks", signal) from None
        if target is None:
            self.floor(signal)
        else:
            index, handler = target
            self._errands.append((handler, self.node.layers[index], self.node.contexts[index], signal))

    def pass_on(self, signal: Signal) -> None:
        """Hands a signal on in the direction it came from: up if it was told from below, down if asked from above."""
        kind = type(signal)
        layer = type(self.node.layers[self.port])
        if kind in layer.below.tells and kind in self._ups:
            self.up(signal)
        elif kind in layer.above.asks and kind in self._downs:
            self.down(signal)
        else:
            raise StackError(
                f"{layer.__name__} cannot pass on {kind.__name__}: {layer.above.__name__} and {layer.below.__name__} "
                "do not share it"
            )

    def check_timer(self, timer: Timer, after: float) -> None:
        """Raises `StackError` for a timer that nobody answers or that is set into the past."""
        if type(timer) not in self._timers:
            name, kind = type(self.node.layers[self.port]).__name__, type(timer).__name__
            raise StackError(f"{name} sets {kind}, but has no @expired({kind})")
        if not 0 <= after < math.inf:
            name = type(self.node.layers[self.port]).__name__
            raise StackError(f"{name} sets {timer} after {after} s; allowed: 0 or more, and finite")

    def _misfit(self, verb: str, signal: Signal) -> StackError:
        layer = type(self.node.layers[self.port])
        service = layer.above if verb == "tells" else layer.below
        return StackError(f"{layer.__name__} {verb} {type(signal).__name__}, which {service.__name__} does not list")


def run_errands(errands: deque[Errand]) -> None:
    """Delivers signals in the order they were given until none is left: run to completion, no recursion."""
    while errands:
        handler, layer, context, signal = errands.popleft()
        handler(layer, context, signal)
