"""One stack on every node of the world: their layers, their doors, and who is called when a frame arrives."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from motecast.core import Node, run_errands
from motecast.sim.context import SimContext

if TYPE_CHECKING:
    from motecast.core import Message, NodeId, Signal, Stack
    from motecast.sim.world import World

Kept = tuple[Any, Any, Any]  # what to call, and with what: a reception has sender and message


@dataclass
class Sleep:
    """A node that hears nothing for a while, and what waits until it wakes."""

    until: int  # tick
    waiting: list[Kept] = field(default_factory=list)


def deaf(sender: object, message: object) -> None:
    """Who cannot hear does nothing."""


def _store(buffer: list[Kept], call: object, sender: object, message: object) -> None:
    buffer.append((call, sender, message))


class Host:
    """Nodes and contexts of one stack. `calls[port][type][node](sender, message)` is a reception."""

    def __init__(
        self, world: World, stack: Stack, count: int, first_port: int, door: type[SimContext] = SimContext
    ) -> None:
        self.world = world
        self.stack = stack
        self.first_port = first_port
        self.codes = [world.builder.codes(first_port + port) for port in range(len(stack.layers))]
        self.calls: list[dict[type[Message], list[Any]]] = [
            {kind: [deaf] * count for kind in layer.speaks()} for layer in stack.layers
        ]
        self.listens = [
            {kind: layer.handler("sent", kind) for kind in stack.codec.ports[port].values()}
            for port, layer in enumerate(stack.layers)
        ]  # who wants to know that a frame has left
        self.numbers = [{kind: world.totals.number(kind) for kind in port.values()} for port in stack.codec.ports]
        self.nodes = [stack.node(me) for me in range(count)]
        for node in self.nodes:
            node.contexts = [door(self, node, port) for port in range(len(stack.layers))]

    def hear(self, me: NodeId) -> None:
        """From now on frames reach the node."""
        node = self.nodes[me]
        for port, calls in enumerate(self.calls):
            layer, context = node.layers[port], node.contexts[port]
            for kind, by_node in calls.items():
                handler = layer.handler("received", kind)
                assert handler is not None, f"{layer} speaks {kind} but has no handler for it"
                by_node[me] = partial(handler, layer, context)

    def ignore(self, me: NodeId) -> None:
        """From now on none does."""
        for calls in self.calls:
            for by_node in calls.values():
                by_node[me] = deaf

    def keep(self, me: NodeId, buffer: list[Kept]) -> None:
        """From now on they wait in the buffer."""
        for calls in self.calls:
            for by_node in calls.values():
                by_node[me] = partial(_store, buffer, by_node[me])

    def forget(self, me: NodeId) -> None:
        """The node's state is new; its streams of chance go on, so that it does not repeat itself."""
        node = self.nodes[me]
        node.layers[:] = [layer.fresh() for layer in self.stack.layers]

    def stop_alarms(self, me: NodeId) -> None:
        """What was set is void."""
        for context in self.nodes[me].contexts:
            assert isinstance(context, SimContext)
            context.alarms = None

    def happen(self, me: NodeId, what: str, *arguments: Any) -> None:
        """A happening for every layer that answers it, from the bottom up."""
        node = self.nodes[me]
        for port in range(len(node.layers) - 1, -1, -1):
            handler = node.layers[port].handler(what)
            if handler is not None:
                handler(node.layers[port], node.contexts[port], *arguments)
                run_errands(self.world.kernel.errands)

    def answers(self, what: str) -> bool:
        """True when some layer wants to know of it."""
        return any(layer.handler(what) for layer in self.stack.layers)

    def ask(self, me: NodeId, signal: Signal) -> None:
        """The application asks the top of the stack."""
        target = self.stack.entry[type(signal)]
        if target is not None:
            port, handler = target
            node: Node = self.nodes[me]
            handler(node.layers[port], node.contexts[port], signal)
            run_errands(self.world.kernel.errands)

    def sizes(self, me: NodeId) -> dict[str, int]:
        """How much each limited field of the node's state holds."""
        found = {}
        for name, layer in zip(self.stack.ports, self.nodes[me].layers, strict=True):
            for limited in layer.limits:
                found[f"{name}.{limited}"] = len(getattr(layer, limited))
        return found
