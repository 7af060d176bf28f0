"""A stack: layers from the top down, checked once, so that a misfit is one line and not a run that goes wrong."""

from __future__ import annotations

import dataclasses
import hashlib
from itertools import pairwise
from typing import TYPE_CHECKING

from motecast.core.errors import StackError
from motecast.core.layer import Handler, Layer
from motecast.core.node import Node
from motecast.core.parameters import check_limits, check_parameters, fields_of, parameters_of, unwatched
from motecast.core.pubsub import Radio, Routing, Service, Signal
from motecast.core.wire import Codec

if TYPE_CHECKING:
    from motecast.core.message import Message
    from motecast.core.node import Context
    from motecast.core.pubsub import NodeId

BOUNDED = "bounded-state"  # the oracle that whoever states a limit promises
Target = tuple[int, Handler] | None  # layer and handler; None: the application above, or nothing below
Targets = dict[type[Signal], Target]


class Stack:
    """Layers from the application down to the radio: `Stack(Fifo(), Flood())`."""

    def __init__(self, *layers: Layer) -> None:
        if not layers:
            raise StackError("a stack needs at least one layer")
        for layer in layers:
            _check_layer(layer)
        _check_services(layers)
        self._compose(layers)

    def _compose(self, layers: tuple[Layer, ...], payloads: tuple[type[Message], ...] = ()) -> None:
        self.layers = layers
        self.ports = _port_names(layers)
        self.downs = [_downs(layers, index) for index in range(len(layers))]  # what a layer asks the one below
        self.ups = [_ups(layers, index) for index in range(len(layers))]  # what it tells the one above
        self.entry = _downs(layers, -1)  # what the application asks the top
        self.exit = _ups(layers, len(layers))  # what would be told to the lowest: nothing, unless it is alone
        self.codec = Codec(
            (layer.speaks() for layer in layers), {*payloads, *(m for layer in layers for m in layer.payloads)}
        )
        bounded = (BOUNDED,) if any(layer.limits for layer in layers) else ()
        self.timers = [layer.timers() for layer in layers]  # what may expire, and who answers it
        self.promises = tuple(sorted({*bounded, *(promise for layer in layers for promise in layer.promises)}))

    def answers(self, what: str) -> tuple[tuple[int, Handler], ...]:
        """The layers that answer what happens to the whole node (`started`, `linked` …), from the lowest up."""
        found = ((port, self.layers[port].handler(what)) for port in reversed(range(len(self.layers))))
        return tuple((port, handler) for port, handler in found if handler is not None)

    def node(self, me: NodeId) -> Node:
        """One node's copy, with state of its own."""
        return Node(me, self, [layer.fresh() for layer in self.layers])

    @property
    def unwatched(self) -> tuple[str, ...]:
        """State that can grow and that no limit names: `Port.field`."""
        layers = zip(self.ports, self.layers, strict=True)
        return tuple(f"{port}.{name}" for port, layer in layers for name in unwatched(type(layer)))

    def describe(self) -> str:
        """Layers and parameters in one canonical line."""
        return " / ".join(_described(layer) for layer in self.layers)

    @property
    def digest(self) -> bytes:
        """Eight bytes that differ when two nodes would not understand each other."""
        text = f"{self.describe()}\n{self.codec.describe()}"
        return hashlib.blake2b(text.encode(), digest_size=8).digest()

    def __reduce__(self) -> tuple[object, ...]:
        return Stack, self.layers

    def __repr__(self) -> str:
        return f"Stack({', '.join(_described(layer) for layer in self.layers)})"


class Alone(Stack):
    """One layer without its floor and without those above; `payloads` are what a test hands to it."""

    def __init__(self, layer: Layer, *payloads: type[Message]) -> None:
        _check_layer(layer)
        self._given = payloads
        self._compose((layer,), payloads)

    def __reduce__(self) -> tuple[object, ...]:
        return Alone, (*self.layers, *self._given)


def alone(layer: Layer, *payloads: type[Message]) -> Stack:
    """A stack of one layer whose signals downwards leave it: for tests of a layer without its floor."""
    return Alone(layer, *payloads)


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
    for upper, lower in pairwise(layers):
        if upper.below is not lower.above:
            raise StackError(
                f"{_name(upper)} stands on {upper.below.__name__}, but {_name(lower)} offers {lower.above.__name__}"
            )
    if layers[-1].below is not Radio:
        raise StackError(f"{_name(layers[-1])} stands on {layers[-1].below.__name__}; the lowest layer stands on Radio")


def _check_layer(layer: object) -> None:
    """Raises `StackError` for a layer that could be part of no stack."""
    if not isinstance(layer, Layer):
        shown = getattr(layer, "__name__", repr(layer))
        raise StackError(f"{shown} is no layer; a stack is made of instances: Stack(Flood())")
    if any(isinstance(value, dataclasses.Field) for value in vars(type(layer)).values()):
        raise StackError(f"{_name(layer)} is no dataclass: write @dataclass above it")
    for service, meaning in (("above", "offers"), ("below", "stands on")):
        kind = getattr(layer, service, None)
        if not (isinstance(kind, type) and issubclass(kind, Service)):
            raise StackError(f"{_name(layer)} does not say which service it {meaning}: write {service} = PubSub")
    _check_attributes(layer)
    check_parameters(layer)  # also where a `__post_init__` of its own has hidden the layer's
    _check_payloads(layer)
    _check_marks(layer)
    _check_answers(layer)
    check_limits(type(layer))


def _check_attributes(layer: Layer) -> None:
    """What is no field would be one for all nodes."""
    fields = [field.name for field in fields_of(type(layer))]
    for name in vars(layer):
        if name not in fields:
            raise StackError(f"{_name(layer)}.{name} is no field, so that all nodes would share it: use state(…)")


def _check_payloads(layer: Layer) -> None:
    """What a layer hands to a routing layer is said, or else it could be sent and not read."""
    says = any("payloads" in vars(kind) for kind in type(layer).__mro__ if kind is not Layer)
    if issubclass(layer.below, Routing) and not says:
        raise StackError(
            f"{_name(layer)} stands on {layer.below.__name__} and does not say what it hands to it: "
            "write payloads = (…,), or payloads = ()"
        )


def _signals(layer: Layer) -> dict[str, tuple[type[Signal], ...]]:
    return {"asked": layer.above.asks, "told": layer.below.tells}


def _check_marks(layer: Layer) -> None:
    """What is marked or ignored can happen."""
    known = _signals(layer)
    for what, kind in layer.table:
        if what in known and kind not in known[what]:
            assert kind is not None, what
            raise StackError(
                f"{_name(layer)}: @{what}({kind.__name__}) never happens; possible: {_listed(known[what])}"
            )
    for kind in layer.ignores:
        if kind not in known["asked"] + known["told"]:
            possible = _listed(known["asked"] + known["told"])
            raise StackError(f"{_name(layer)} ignores {kind.__name__}, which never happens; possible: {possible}")
        if layer.handler("asked", kind) or layer.handler("told", kind):
            raise StackError(f"{_name(layer)} both handles and ignores {kind.__name__}")


def _check_answers(layer: Layer) -> None:
    """What can happen is handled, passed on or ignored."""
    onward = {"asked": layer.below.asks, "told": layer.above.tells}
    for what, kinds in _signals(layer).items():
        for kind in kinds:
            if not (layer.handler(what, kind) or kind in onward[what] or kind in layer.ignores):
                raise StackError(
                    f"{_name(layer)} neither handles nor passes on {kind.__name__}: mark a method with "
                    f"@{what}({kind.__name__}), or list it in `ignores`"
                )


def _listed(kinds: tuple[type[Signal], ...]) -> str:
    return ", ".join(kind.__name__ for kind in kinds) or "none"


def _name(layer: Layer) -> str:
    return type(layer).__name__


def _downs(layers: tuple[Layer, ...], index: int) -> Targets:
    """Who answers each signal that layer `index` (-1: the application) asks."""
    kinds = layers[index].below.asks if index >= 0 else layers[0].above.asks
    return {kind: _first(layers, range(index + 1, len(layers)), "asked", kind) for kind in kinds}


def _ups(layers: tuple[Layer, ...], index: int) -> Targets:
    """Who answers each signal that layer `index` (after the last: what is below the stack) tells."""
    kinds = layers[index].above.tells if index < len(layers) else layers[-1].below.tells
    return {kind: _first(layers, range(index - 1, -1, -1), "told", kind) for kind in kinds}


def _first(layers: tuple[Layer, ...], order: range, what: str, kind: type[Signal]) -> Target:
    for index in order:
        handler = layers[index].handler(what, kind)
        if handler is not None:
            return index, handler
        if kind in layers[index].ignores:
            return index, _ignore
    return None


def _ignore(layer: Layer, ctx: Context, signal: Signal) -> None:
    """What a layer does with a signal that it ignores."""
