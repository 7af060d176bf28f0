"""A layer: a dataclass whose marked methods answer what happens to a node."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

import msgspec

from motecast.core.errors import StackError
from motecast.core.message import Message
from motecast.core.parameters import STATE, check_parameters, state_of
from motecast.core.pubsub import Service, Signal

if TYPE_CHECKING:
    from typing import Self

Handler = Callable[..., None]
Key = tuple[str, type | None]  # what happens, and to which type of message, signal or timer
Table = dict[Key, Handler]
Marked = TypeVar("Marked", bound=Callable[..., None])

ARGUMENTS = {
    "received": ("self", "ctx", "sender", "message"),
    "sent": ("self", "ctx", "to", "message", "ok"),
    "asked": ("self", "ctx", "signal"),
    "told": ("self", "ctx", "signal"),
    "expired": ("self", "ctx", "timer"),
    "started": ("self", "ctx"),
    "linked": ("self", "ctx", "peer"),
    "unlinked": ("self", "ctx", "peer"),
    "cleared": ("self", "ctx", "peer"),
    "moved": ("self", "ctx"),
}


@dataclass_transform(frozen_default=True)
class Timer(msgspec.Struct, frozen=True):
    """An alarm as a value: equal timers are one alarm, and setting it again moves it."""


class Mark:
    """Says what a method answers: `@received(Path)`. The argument is a type, so a typo fails at import."""

    def __init__(self, what: str, base: type) -> None:
        self.what = what
        self.base = base

    def __call__(self, kind: type) -> Callable[[Marked], Marked]:
        """The decorator for one type of message, signal or timer."""
        if not (isinstance(kind, type) and issubclass(kind, self.base) and kind is not self.base):
            name = getattr(kind, "__name__", repr(kind))
            raise StackError(f"@{self.what}({name}): expected a subclass of {self.base.__name__}")

        def mark(method: Marked) -> Marked:
            return _marked(method, (self.what, kind))

        return mark


def _marked(method: Marked, key: Key) -> Marked:
    marks: tuple[Key, ...] = (*getattr(method, "__marks__", ()), key)
    vars(method)["__marks__"] = marks
    return method


received = Mark("received", Message)  # (ctx, sender, message): a frame of a peer's same layer
sent = Mark("sent", Message)  # (ctx, to, message, ok): it has left the radio; acknowledged: it was heard
asked = Mark("asked", Signal)  # (ctx, signal): from above
told = Mark("told", Signal)  # (ctx, signal): from below
expired = Mark("expired", Timer)  # (ctx, timer)


def started(method: Marked) -> Marked:
    """(ctx): the node is up."""
    return _marked(method, ("started", None))


def linked(method: Marked) -> Marked:
    """(ctx, peer): frames can pass to and from this peer now."""
    return _marked(method, ("linked", None))


def unlinked(method: Marked) -> Marked:
    """(ctx, peer): they no longer can."""
    return _marked(method, ("unlinked", None))


def cleared(method: Marked) -> Marked:
    """(ctx, peer): a peer that was busy can listen again."""
    return _marked(method, ("cleared", None))


def moved(method: Marked) -> Marked:
    """(ctx): this node is somewhere else now; `ctx.position` says where."""
    return _marked(method, ("moved", None))


def state(factory: Callable[[], Any]) -> Any:  # noqa: ANN401  # the field has the type that its annotation says
    """A field of the machine, made new for every node; all other fields are parameters."""
    if not callable(factory):
        raise StackError(
            f"state({factory!r}): expected what makes it, such as state(dict) or state(lambda: Recent(64))"
        )
    return dataclasses.field(init=False, repr=False, compare=False, default_factory=factory, metadata={STATE: factory})


class Layer:
    """One protocol: `above` is the service it offers, `below` the one it uses."""

    above: ClassVar[type[Service]]
    below: ClassVar[type[Service]]
    ignores: ClassVar[tuple[type[Signal], ...]] = ()  # signals it need not answer, said aloud
    payloads: ClassVar[tuple[type[Message], ...]] = ()  # messages it hands to a routing layer
    promises: ClassVar[tuple[str, ...]] = ()  # the oracles that hold for every run of it
    limits: ClassVar[Mapping[str, int | str]] = {}  # state field -> its largest len(), or the parameter that says it
    table: ClassVar[Table] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own: Table = {}
        for method in vars(cls).values():
            for key in getattr(method, "__marks__", ()):
                if key in own:
                    raise StackError(f"{cls.__name__}: two handlers for {_spelled(key)}")
                _check_arguments(cls, key, method)
                own[key] = method
        cls.table = _merged(cls) | own

    def __post_init__(self) -> None:
        check_parameters(self)

    @classmethod
    def speaks(cls) -> tuple[type[Message], ...]:
        """The messages that this layer may receive, read off its marks."""
        return tuple(kind for (what, kind) in cls.table if what == "received" and kind and issubclass(kind, Message))

    @classmethod
    def timers(cls) -> dict[type, Handler]:
        """The timers that it may set, with what answers each."""
        return {kind: handler for (what, kind), handler in cls.table.items() if what == "expired" and kind}

    @classmethod
    def handler(cls, what: str, kind: type | None = None) -> Handler | None:
        """The method that answers this, or None."""
        return cls.table.get((what, kind))

    def fresh(self) -> Self:
        """The same parameters with new state: what a node runs."""
        # Attribute by attribute: copy.copy would give each twin a dictionary of its own, which is slower to read.
        twin = object.__new__(type(self))
        factories = dict(state_of(type(self)))
        slotted = {name: getattr(self, name) for name in getattr(self, "__slots__", ())}
        for name, value in (slotted | vars(self)).items():
            object.__setattr__(twin, name, factories[name]() if name in factories else value)  # it may be frozen
        return twin


def _merged(cls: type[Layer]) -> Table:
    """What a class inherits. A handler that is overridden must say again what it answers."""
    table: Table = {}
    for base in reversed(cls.__bases__):
        table |= base.table if issubclass(base, Layer) else {}
    for key, handler in table.items():
        method = vars(cls).get(handler.__name__, handler)
        if method is not handler and key not in getattr(method, "__marks__", ()):
            raise StackError(f"{cls.__name__}.{handler.__name__} hides a handler: mark it with {_spelled(key)} again")
    return table


def _check_arguments(cls: type[Layer], key: Key, method: Handler) -> None:
    arguments = ARGUMENTS[key[0]]
    try:
        signature(method).bind(*arguments)
    except TypeError:
        raise StackError(
            f"{cls.__name__}.{method.__name__} answers {_spelled(key)}: its arguments are ({', '.join(arguments)})"
        ) from None


def _spelled(key: Key) -> str:
    what, kind = key
    return f"@{what}({kind.__name__})" if kind else f"@{what}"
