"""A layer: a dataclass whose marked methods answer what happens to a node."""

from __future__ import annotations

import copy
import dataclasses
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import msgspec

from motecast.core.errors import ConfigError, StackError
from motecast.core.pubsub import Service, Signal
from motecast.core.wire import Message

if TYPE_CHECKING:
    from typing import Self

Handler = Callable[..., None]
Marked = TypeVar("Marked", bound=Callable[..., None])


class Timer(msgspec.Struct, frozen=True):
    """An alarm as a value: equal timers are one alarm, and setting it again moves it."""


class Mark:
    """Says what a method answers: `@received(Path)`. The argument is a type, so a typo fails at import."""

    def __init__(self, what: str, base: type) -> None:
        self.what = what
        self.base = base

    def __call__(self, kind: type) -> Callable[[Marked], Marked]:
        """The decorator for one type of message, signal or timer."""
        if not (isinstance(kind, type) and issubclass(kind, self.base)):
            raise StackError(f"@{self.what}({kind!r}): expected a subclass of {self.base.__name__}")

        def mark(method: Marked) -> Marked:
            return _marked(method, (self.what, kind))

        return mark


def _marked(method: Marked, key: tuple[str, type | None]) -> Marked:
    marks: tuple[tuple[str, type | None], ...] = (*getattr(method, "__marks__", ()), key)
    method.__marks__ = marks  # type: ignore[attr-defined]  # a function takes any attribute
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


def state(factory: Callable[[], Any]) -> Any:
    """A field of the machine, made new for every node; all other fields are parameters."""
    return dataclasses.field(init=False, repr=False, compare=False, default_factory=factory, metadata={"state": True})


class Layer:
    """One protocol: `above` is the service it offers, `below` the one it uses."""

    above: ClassVar[type[Service]]
    below: ClassVar[type[Service]]
    ignores: ClassVar[tuple[type[Signal], ...]] = ()  # signals it need not answer, said aloud
    payloads: ClassVar[tuple[type[Message], ...]] = ()  # messages it hands to a routing layer
    promises: ClassVar[tuple[str, ...]] = ()  # the oracles that hold for every run of it
    limits: ClassVar[Mapping[str, int | str]] = {}  # state field -> its largest len(), or the parameter that says it
    table: ClassVar[dict[tuple[str, type | None], Handler]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own: dict[tuple[str, type | None], Handler] = {}
        for method in vars(cls).values():
            for key in getattr(method, "__marks__", ()):
                if key in own:
                    raise StackError(f"{cls.__name__}: two handlers for {_spelled(key)}")
                own[key] = method
        cls.table = {**cls.table, **own}

    def __post_init__(self) -> None:
        check_parameters(self)

    @classmethod
    def speaks(cls) -> tuple[type[Message], ...]:
        """The messages that this layer may receive, read off its marks."""
        return tuple(kind for (what, kind) in cls.table if what == "received" and kind and issubclass(kind, Message))

    @classmethod
    def handler(cls, what: str, kind: type | None = None) -> Handler | None:
        """The method that answers this, or None."""
        return cls.table.get((what, kind))

    def fresh(self) -> Self:
        """The same parameters with new state: what a node runs."""
        twin = copy.copy(self)
        for name, factory in _state_of(type(self)):
            setattr(twin, name, factory())
        return twin


def parameters_of(layer: type[Layer]) -> tuple[dataclasses.Field[Any], ...]:
    """The fields that a user may set."""
    if not dataclasses.is_dataclass(layer):
        return ()
    return tuple(field for field in dataclasses.fields(layer) if not field.metadata.get("state"))


def check_limits(layer: type[Layer]) -> None:
    """Raises `StackError` for the first limit that names no state, or no parameter that is a number."""
    states = [name for name, _ in _state_of(layer)]
    numbers = [field.name for field in parameters_of(layer) if field.type in ("int", int) or "int" in str(field.type)]
    for name, limit in layer.limits.items():
        if name not in states:
            raise StackError(f"{layer.__name__}.limits: {name!r} is no state; its state: {_listed(states)}")
        if isinstance(limit, str) and limit not in numbers:
            raise StackError(f"{layer.__name__}.limits: {limit!r} is no whole parameter; these are: {_listed(numbers)}")


def limit_of(layer: Layer, name: str) -> int:
    """The largest `len()` that this state field may have."""
    limit = layer.limits[name]
    return int(getattr(layer, limit)) if isinstance(limit, str) else limit


def check_parameters(layer: Layer) -> None:
    """Raises `ConfigError` for the first parameter whose value its annotation does not allow."""
    hints = typing.get_type_hints(type(layer), include_extras=True) if parameters_of(type(layer)) else {}
    for field in parameters_of(type(layer)):
        value = getattr(layer, field.name)
        try:
            msgspec.convert(value, hints[field.name])
        except msgspec.ValidationError as error:
            raise ConfigError(f"{type(layer).__name__}.{field.name} = {value!r}: {_lower(str(error))}") from None
        except TypeError:  # a policy value: msgspec does not know its class, and its own constructor has checked it
            continue


_STATE: dict[type[Layer], tuple[tuple[str, Callable[[], Any]], ...]] = {}


def _state_of(layer: type[Layer]) -> tuple[tuple[str, Callable[[], Any]], ...]:
    found = _STATE.get(layer)
    if found is None:
        fields = dataclasses.fields(layer) if dataclasses.is_dataclass(layer) else ()
        found = tuple(
            (field.name, field.default_factory)
            for field in fields
            if field.metadata.get("state") and field.default_factory is not dataclasses.MISSING
        )
        _STATE[layer] = found
    return found


def _spelled(key: tuple[str, type | None]) -> str:
    what, kind = key
    return f"@{what}({kind.__name__})" if kind else f"@{what}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
