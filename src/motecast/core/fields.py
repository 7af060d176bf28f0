"""The fields of messages: what may travel, what may be carried, and how a message is written down for its digest."""

from __future__ import annotations

from msgspec import inspect

from motecast.core.errors import StackError, unknown
from motecast.core.message import Message, Payload
from motecast.core.pubsub import Event

TRAVELS = "a message holds numbers, texts, bytes, tuples, frozen structs and payloads"
CARRIED = "allowed: an Event, a Payload, None, and tuples of them"


def check_fields(kind: type[Message]) -> None:
    """Raises `StackError` for a message with a field that cannot travel, or that carries what is no event."""
    if kind.carries is not None and kind.carries not in kind.__struct_fields__:
        raise StackError(f"{kind.__name__}.carries: {unknown('field', kind.carries, kind.__struct_fields__)}")
    for field in _fields(kind):
        odd = _odd(field.type, ())
        if odd is not None:
            raise StackError(f"{kind.__name__}.{field.name}: {odd} cannot travel; {TRAVELS}")
        if field.name == kind.carries and not _is_carried(field.type):
            raise StackError(f"{kind.__name__} carries {field.name}: {spelled(field.type)}; {CARRIED}")


def described(kind: type[Message]) -> str:
    """A message with all its fields, down to the last number: `Flooded(event: Event(…), hops: int)`."""
    fields = ", ".join(f"{field.name}: {spelled(field.type)}" for field in _fields(kind))
    return f"{kind.__name__}({fields})"


def spelled(kind: inspect.Type, seen: tuple[type, ...] = ()) -> str:
    """A type in one line; a struct with its fields, except inside itself."""
    cls: type | None = getattr(kind, "cls", None)
    name = cls.__name__ if cls is not None else type(kind).__name__.removesuffix("Type").lower()
    if cls is not None and cls in seen:
        return name
    inside = (*seen, cls) if cls is not None else seen
    if isinstance(kind, inspect.LiteralType):
        return f"literal{list(kind.values)}"
    parts = [f"{part.name}: {spelled(part.type, inside)}" for part in getattr(kind, "fields", ())]
    parts += [spelled(part, inside) for part in _inner(kind)]
    if isinstance(kind, inspect.UnionType):
        return " | ".join(parts)
    return f"{name}({', '.join(parts)})" if parts else name


def _fields(kind: type[Message]) -> tuple[inspect.Field, ...]:
    try:
        types = inspect.type_info(kind)
    except (NameError, TypeError) as error:
        raise StackError(f"{kind.__name__}: {error}") from None
    assert isinstance(types, inspect.StructType), types
    return types.fields


def _inner(kind: inspect.Type) -> list[inspect.Type]:
    """The types inside a collection or a union."""
    single = [getattr(kind, name) for name in ("item_type", "key_type", "value_type") if hasattr(kind, name)]
    return [*single, *getattr(kind, "item_types", ()), *getattr(kind, "types", ())]


def _is_carried(kind: inspect.Type) -> bool:
    match kind:
        case inspect.UnionType() | inspect.VarTupleType() | inspect.TupleType():
            return all(map(_is_carried, _inner(kind)))
        case inspect.StructType(cls) | inspect.CustomType(cls):
            return cls in (Event, Payload)
        case _:
            return isinstance(kind, inspect.NoneType)


def _odd(kind: inspect.Type, seen: tuple[type, ...]) -> str | None:
    """The name of the first type inside that is no value, if there is one."""
    cls: type | None = getattr(kind, "cls", None)
    if isinstance(kind, inspect.AnyType | inspect.SetType | inspect.FrozenSetType):  # unchecked; in no certain order
        return type(kind).__name__.removesuffix("Type").lower()
    if cls is not None and (cls is Payload or cls in seen):
        return None
    if isinstance(kind, inspect.CustomType):
        return kind.cls.__name__
    if isinstance(kind, inspect.StructType) and not kind.cls.__struct_config__.frozen:
        return f"{kind.cls.__name__}, which is not frozen,"
    inner = [*_inner(kind), *(field.type for field in getattr(kind, "fields", ()))]
    return next(filter(None, (_odd(part, (*seen, cls) if cls else seen) for part in inner)), None)
