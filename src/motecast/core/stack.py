"""A stack: layers from the top down, checked once, so that a misfit is one line and not a run that goes wrong."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from motecast.core.errors import StackError
from motecast.core.layer import Handler, Layer, check_limits, parameters_of
from motecast.core.node import Node
from motecast.core.pubsub import Radio, Signal
from motecast.core.wire import Codec

if TYPE_CHECKING:
    from motecast.core.pubsub import NodeId

Target = tuple[int, Handler] | None  # layer and handler; None: the application above, or nobody
Targets = dict[type[Signal], Target]


class Stack:
    """Layers from the application down to the radio: `Stack(Fifo(), Flood())`."""

    def __init__(self, *layers: Layer) -> None:
        _check_services(layers)
        self.layers = layers
        self.ports = _port_names(layers)
        self.downs = [_downs(layers, index) for index in range(len(layers))]  # what a layer asks the one below
        self.ups = [_ups(layers, index) for index in range(len(layers))]  # what it tells the one above
        self.entry = _downs(layers, -1)  # what the application asks the top
        self.codec = Codec((layer.speaks() for layer in layers), (m for layer in layers for m in layer.payloads))
        self.promises = tuple(sorted({promise for layer in layers for promise in layer.promises}))

    def node(self, me: NodeId) -> Node:
        """One node's copy, with state of its own."""
        return Node(me, self, [layer.fresh() for layer in self.layers])

    def describe(self) -> str:
        """Layers and parameters in one canonical line."""
        return " / ".join(_described(layer) for layer in self.layers)

    @property
    def digest(self) -> bytes:
        """Eight bytes that differ when two nodes would not understand each other."""
        tags = [sorted(port) for port in self.codec.ports]
        return hashlib.blake2b(f"{self.describe()} {tags}".encode(), digest_size=8).digest()

    def __repr__(self) -> str:
        return f"Stack({', '.join(_described(layer) for layer in self.layers)})"


def alone(layer: Layer) -> Stack:
    """A stack of one layer whose signals downwards leave it: for tests of a layer without its floor."""
    stack = Stack.__new__(Stack)
    stack.layers, stack.ports = (layer,), _port_names((layer,))
    stack.downs, stack.ups = [dict.fromkeys(layer.below.asks)], [_ups((layer,), 0)]
    stack.entry = _downs((layer,), -1)
    stack.codec, stack.promises = Codec((layer.speaks(),), layer.payloads), layer.promises
    return stack


def _port_names(layers: tuple[Layer, ...]) -> tuple[str, ...]:
    names = [type(layer).__name__ for layer in layers]
    return tuple(
        name if names.count(name) == 1 else f"{name}{names[: index + 1].count(name)}"
        for index, name in enumerate(names)
    )


def _described(layer: Layer) -> str:
    values = ", ".join(f"{field.name}={getattr(layer, field.name)!r}" for field in parameters_of(type(layer)))
    return f"{type(layer).__name__}({values})"


def _check_services(layers: tuple[Layer, ...]) -> None:
    if not layers:
        raise StackError("a stack needs at least one layer")
    for layer in layers:
        if not isinstance(layer, Layer):
            raise StackError(f"{layer!r} is no layer; a stack is made of instances: Stack(Flood())")
        _check_signals(layer)
        check_limits(type(layer))
    for upper, lower in zip(layers, layers[1:], strict=False):
        if upper.below is not lower.above:
            raise StackError(
                f"{_name(upper)} stands on {upper.below.__name__}, but {_name(lower)} offers {lower.above.__name__}"
            )
    if layers[-1].below is not Radio:
        raise StackError(f"{_name(layers[-1])} stands on {layers[-1].below.__name__}; the lowest layer stands on Radio")


def _check_signals(layer: Layer) -> None:
    for service in ("above", "below"):
        if not hasattr(layer, service):
            raise StackError(f"{_name(layer)} does not say which service is {service} it")
    known = {"asked": layer.above.asks, "told": layer.below.tells}
    for what, kind in layer.table:
        if what in known and kind not in known[what]:
            allowed = ", ".join(signal.__name__ for signal in known[what]) or "none"
            raise StackError(f"{_name(layer)}: @{what}({kind and kind.__name__}) never happens; possible: {allowed}")
    for what, kinds, onward in (
        ("asked", layer.above.asks, layer.below.asks),
        ("told", layer.below.tells, layer.above.tells),
    ):
        for kind in kinds:
            if not (layer.handler(what, kind) or kind in onward or kind in layer.ignores):
                raise StackError(
                    f"{_name(layer)} neither handles nor passes on {kind.__name__}: mark a method with "
                    f"@{what}({kind.__name__}), or list it in `ignores`"
                )


def _name(layer: Layer) -> str:
    return type(layer).__name__


def _downs(layers: tuple[Layer, ...], index: int) -> Targets:
    """Who answers each signal that layer `index` (-1: the application) asks."""
    kinds = layers[index].below.asks if index >= 0 else layers[0].above.asks
    return {kind: _first(layers, range(index + 1, len(layers)), "asked", kind) for kind in kinds}


def _ups(layers: tuple[Layer, ...], index: int) -> Targets:
    """Who answers each signal that layer `index` tells; None is the application."""
    return {kind: _first(layers, range(index - 1, -1, -1), "told", kind) for kind in layers[index].above.tells}


def _first(layers: tuple[Layer, ...], order: range, what: str, kind: type[Signal]) -> Target:
    for index in order:
        handler = layers[index].handler(what, kind)
        if handler is not None:
            return index, handler
        if kind in layers[index].ignores:
            return None
    return None
