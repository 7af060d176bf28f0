"""One stack on every node of the world: their layers, their doors, and who is called when a frame arrives."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from motecast.core import Context, Layer, Node, NodeId, run_errands
from motecast.core.layer import Handler
from motecast.sim.context import SimContext

if TYPE_CHECKING:
    from motecast.core import Message, Signal, Stack
    from motecast.sim.world import World

Kept = tuple[Any, Any, Any]  # what to call, and with what: a reception has sender and message


@dataclass
class Sleep:
    """A node that hears nothing for a while, and what waits until it wakes."""

    until: int  # tick
    waiting: list[Kept] = field(default_factory=list)


class Reception(NamedTuple):
    """What a frame of one type does to whoever hears it."""

    handler: Handler
    layers: list[Layer]  # by node
    contexts: list[Context]
    deaf: dict[NodeId, list[Kept] | None]  # who cannot hear now, and the buffer of who will be told later

    def at(self, node: NodeId) -> partial[None]:
        """The reception at one node: call it with sender and message."""
        return partial(self.handler, self.layers[node], self.contexts[node])


class Host:
    """Nodes and contexts of one stack. `reach[port][type]` says what a frame does to those who hear it."""

    def __init__(
        self, world: World, stack: Stack, count: int, first_port: int, door: type[SimContext] = SimContext
    ) -> None:
        self.world = world
        self.stack = stack
        self.first_port = first_port
        self.codes = world.codes_of(stack, first_port)
        self.reach: list[dict[type[Message], Reception]] = [{} for _ in stack.layers]
        self.listens = [
            {kind: layer.handler("sent", kind) for kind in stack.codec.ports[port].values()}
            for port, layer in enumerate(stack.layers)
        ]  # who wants to know that a frame has left
        self.nodes = [stack.node(me) for me in range(count)]
        for node in self.nodes:
            node.contexts = [door(self, node, port) for port in range(len(stack.layers))]
        self.deaf: dict[NodeId, list[Kept] | None] = dict.fromkeys(range(count))  # until they start
        self.layers = [[node.layers[port] for node in self.nodes] for port in range(len(stack.layers))]
        for port, layer in enumerate(stack.layers):
            contexts = [node.contexts[port] for node in self.nodes]
            for kind in layer.speaks():
                handler = layer.handler("received", kind)
                assert handler is not None, f"{layer} speaks {kind} but has no handler for it"
                self.reach[port][kind] = Reception(handler, self.layers[port], contexts, self.deaf)

    def hear(self, me: NodeId) -> None:
        """From now on frames reach the node."""
        self.deaf.pop(me, None)

    def ignore(self, me: NodeId) -> None:
        """From now on none does."""
        self.deaf[me] = None

    def keep(self, me: NodeId, buffer: list[Kept]) -> None:
        """From now on they wait in the buffer."""
        self.deaf[me] = buffer

    def forget(self, me: NodeId) -> None:
        """The node's state is new; its streams of chance go on, so that it does not repeat itself."""
        node = self.nodes[me]
        node.layers[:] = [layer.fresh() for layer in self.stack.layers]
        for by_node, layer in zip(self.layers, node.layers, strict=True):
            by_node[me] = layer

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
