"""Parameters and state of a layer: which fields they are, what values are allowed, and how large state may become."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Callable, Sized
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import inspect

from motecast.core.errors import ConfigError, StackError, unknown

if TYPE_CHECKING:
    from motecast.core.layer import Layer

State = tuple[tuple[str, Callable[[], object]], ...]
_FIXED = (str, bytes, tuple, frozenset, range)  # they have a length that never changes
STATE = "state"  # the key in a field's metadata that tells the machine from its parameters


def fields_of(layer: type) -> tuple[dataclasses.Field[Any], ...]:
    """All fields of a layer, in order."""
    return dataclasses.fields(layer) if dataclasses.is_dataclass(layer) else ()


def parameters_of(layer: type) -> tuple[dataclasses.Field[Any], ...]:
    """The fields that a user may set."""
    return tuple(field for field in fields_of(layer) if STATE not in field.metadata)


def _find_state(layer: type) -> State:
    return tuple((field.name, field.metadata[STATE]) for field in fields_of(layer) if STATE in field.metadata)


state_of: Callable[[type], State] = cache(_find_state)  # the fields of the machine, with what makes each new


def hints_of(layer: type) -> dict[str, Any]:
    """The annotations of a layer's parameters, read."""
    if not parameters_of(layer):
        return {}  # a layer without parameters may name types that exist for the type checker only
    try:
        return typing.get_type_hints(layer, include_extras=True)
    except NameError as error:
        raise StackError(
            f"{layer.__name__}: {error.name} in an annotation is not imported when the protocol runs; "
            "import it outside `if TYPE_CHECKING`"
        ) from None


def check_parameters(layer: Layer) -> None:
    """Makes parameters what their annotations say; raises `ConfigError` for the first value that they do not allow."""
    hints = hints_of(type(layer))
    for field in parameters_of(type(layer)):
        value = getattr(layer, field.name)
        converted = convert(f"{type(layer).__name__}.{field.name}", value, hints[field.name])
        if converted is not value:  # a list where a tuple is wanted, a whole number where any is
            object.__setattr__(layer, field.name, converted)  # it may be frozen


def convert(place: str, value: object, hint: Any) -> Any:  # noqa: ANN401  # any annotation, and a value of it
    """The value as its annotation wants it; `ConfigError` names the place, the value and what is allowed."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{place} = {value!r}; allowed: {allowed(hint)}, and finite")
    try:
        return msgspec.convert(value, hint)
    except msgspec.ValidationError:
        raise ConfigError(f"{place} = {value!r}; allowed: {allowed(hint)}") from None
    except TypeError:  # a policy value whose annotation cannot be asked: its own constructor has checked it
        return value


def allowed(hint: Any) -> str:  # noqa: ANN401  # any annotation
    """What an annotation allows, in words.

    >>> from typing import Annotated, Literal
    >>> allowed(Annotated[float, msgspec.Meta(ge=0, le=1)]), allowed(int | None)
    ('a number from 0 to 1', 'a whole number or none')
    >>> allowed(Literal["none", "ticket"])
    "'none' or 'ticket'"
    """
    try:
        return _worded(inspect.type_info(hint))
    except TypeError:
        return getattr(hint, "__name__", str(hint))


def _worded(kind: inspect.Type) -> str:
    match kind:
        case inspect.IntType():
            return "a whole number" + _bounds(kind)
        case inspect.FloatType():
            return "a number" + _bounds(kind)
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType():
            return "a text"
        case inspect.NoneType():
            return "none"
        case inspect.LiteralType(values):
            return " or ".join(repr(value) for value in values)
        case inspect.UnionType(types):
            return " or ".join(
                _worded(member) for member in sorted(types, key=lambda t: isinstance(t, inspect.NoneType))
            )
        case inspect.VarTupleType(item) | inspect.ListType(item):
            return f"a list, each {_worded(item)}"
        case inspect.TupleType(items):
            return f"a list of {', '.join(_worded(item) for item in items)}"
        case _:
            named = getattr(kind, "cls", None)
            return f"a {named.__name__}" if named else type(kind).__name__.removesuffix("Type").lower()


def _bounds(kind: inspect.IntType | inspect.FloatType) -> str:
    low = f"at least {kind.ge:g}" if kind.ge is not None else f"above {kind.gt:g}" if kind.gt is not None else ""
    high = f"at most {kind.le:g}" if kind.le is not None else f"below {kind.lt:g}" if kind.lt is not None else ""
    if kind.ge is not None and kind.le is not None:
        return f" from {kind.ge:g} to {kind.le:g}"
    return " " + " and ".join(bound for bound in (low, high) if bound) if low or high else ""


def check_limits(layer: type[Layer]) -> None:
    """Raises `StackError` for the first limit that names no state, or no parameter that is a whole number."""
    states = [name for name, _ in state_of(layer)]
    numbers = [name for name, hint in hints_of(layer).items() if _is_whole(hint)]
    for name, limit in layer.limits.items():
        if name not in states:
            raise StackError(f"{layer.__name__}.limits: {unknown('state', name, states)}")
        if isinstance(limit, str) and limit not in numbers and not _is_inside(layer, limit):
            raise StackError(f"{layer.__name__}.limits: {unknown('whole number among the parameters', limit, numbers)}")


def _is_inside(layer: type[Layer], limit: str) -> bool:
    """True for `queue.capacity`: a whole number of a parameter's default value, so of any value in its place."""
    name, dot, inner = limit.partition(".")
    defaults = {field.name: field.default for field in parameters_of(layer)}
    return bool(dot) and isinstance(getattr(defaults.get(name), inner, None), int)


def _is_whole(hint: Any) -> bool:  # noqa: ANN401  # any annotation
    try:
        return isinstance(inspect.type_info(hint), inspect.IntType)
    except TypeError:
        return False


def unwatched(layer: type[Layer]) -> tuple[str, ...]:
    """The state fields that can grow although no limit names them: containers that may change."""
    grown = ((name, factory()) for name, factory in state_of(layer) if name not in layer.limits)
    return tuple(name for name, value in grown if isinstance(value, Sized) and not isinstance(value, _FIXED))


def limit_of(layer: Layer, name: str) -> int:
    """The largest `len()` that this state field may have."""
    limit = layer.limits[name]
    if isinstance(limit, int):
        return limit
    return int(attrgetter(limit)(layer))
