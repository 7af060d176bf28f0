"""From plain TOML values to checked tables: every mistake is one line with place, value and what is allowed."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Iterable
from typing import Any

import msgspec

from motecast.core import ConfigError, nearest, unknown
from motecast.core.parameters import allowed

Structs = list[type[msgspec.Struct]]


def converted(value: object, kind: Any, place: str) -> Any:  # noqa: ANN401  # any type, as msgspec.convert
    """The value as this type. Structs and mappings are entered, so that the place of a mistake is exact."""
    structs = _structs(kind)
    if structs:
        if not isinstance(value, dict):
            return _scalar(value, kind, place)
        return _struct(value, _chosen(value, structs, place), place)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union) and not (value is None and type(None) in arguments):
        # msgspec 0.22 crashes on a union of a bounded number and a tuple of fixed length, so it never sees one,
        # and no table in which there is one.
        is_list = isinstance(value, list | tuple)
        parts = [part for part in arguments if (typing.get_origin(part) is tuple) == is_list and part is not type(None)]
        if len(parts) == 1:
            return converted(value, parts[0], place)
    if origin is dict:
        if not isinstance(value, dict):
            raise ConfigError(f"{place} = {shown(value)}: expected a table")
        return {key: converted(item, arguments[1], joined(place, key)) for key, item in value.items()}
    if origin is tuple and len(arguments) == 2 and arguments[1] is ...:
        if not isinstance(value, list | tuple):
            raise ConfigError(f"{place} = {shown(value)}: expected a list")
        return tuple(converted(item, arguments[0], f"{place}[{index}]") for index, item in enumerate(value))
    return _leaf(value, kind, place)


def _scalar(value: object, kind: Any, place: str) -> Any:  # noqa: ANN401
    """Something else than a table where one is allowed: what the other members of the union say."""
    others = tuple(part for part in typing.get_args(kind) if not _structs(part) and part is not type(None))
    if not others:
        raise ConfigError(f"{place} = {shown(value)}: expected a table")
    return _leaf(value, typing.Union[others], place)  # noqa: UP007  # made of what was found


def _leaf(value: object, kind: Any, place: str) -> Any:  # noqa: ANN401
    if str not in typing.get_args(kind) and _is_endless(value):
        raise ConfigError(f"{place} = {shown(value)}: allowed: {allowed(kind)}, and finite")
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        if isinstance(value, str) and typing.get_origin(kind) is typing.Literal:
            raise ConfigError(f"{place} = {chosen_from(value, typing.get_args(kind))}") from None
        raise ConfigError(f"{place} = {shown(value)}: allowed: {allowed(kind)}") from None


def _is_endless(value: object) -> bool:
    """True for an infinite number, for what is none, and for a list with such inside."""
    if isinstance(value, list | tuple):
        return any(_is_endless(item) for item in value)
    return isinstance(value, float) and not math.isfinite(value)


def _struct(value: dict[str, Any], kind: type[msgspec.Struct], place: str) -> msgspec.Struct:
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    config = kind.__struct_config__
    given = {key: item for key, item in value.items() if key != config.tag_field}
    for key in given:
        if key not in fields:
            raise ConfigError(f"{joined(place, key)}: {unknown('key', str(key), fields)}")
    hints = typing.get_type_hints(kind, include_extras=True)
    known = {key: converted(item, hints[key], joined(place, key)) for key, item in given.items()}
    for field in fields.values():
        if field.required and field.name not in known:
            raise ConfigError(f"{place or 'the scenario'}: {field.name} is missing")
    return kind(**known)


def _structs(kind: Any) -> Structs:  # noqa: ANN401
    """The struct types that this type allows."""
    if typing.get_origin(kind) is typing.Annotated:
        kind = typing.get_args(kind)[0]
    parts = typing.get_args(kind) if typing.get_origin(kind) in (types.UnionType, typing.Union) else (kind,)
    return [part for part in parts if isinstance(part, type) and issubclass(part, msgspec.Struct)]


def _chosen(value: dict[str, Any], structs: Structs, place: str) -> type[msgspec.Struct]:
    """Of several tables the one whose tag the value names; the first is the default."""
    if len(structs) == 1:
        return structs[0]
    by_tag = {str(struct.__struct_config__.tag): struct for struct in structs}
    key = str(structs[0].__struct_config__.tag_field)
    if key not in value:
        if all(field.default is not msgspec.NODEFAULT for field in msgspec.structs.fields(structs[0])):
            return structs[0]
        raise ConfigError(f"{place}: {key} is missing; allowed: {', '.join(by_tag)}")
    tag = value[key]
    if not isinstance(tag, str) or tag not in by_tag:
        raise ConfigError(f"{joined(place, key)}: {unknown('fault' if key == 'do' else key, str(tag), by_tag)}")
    return by_tag[tag]


def joined(place: str, key: object) -> str:
    """The dotted name of a key."""
    name = str(key) if str(key).isprintable() else repr(key)
    return f"{place}.{name}" if place else name


def shown(value: object) -> str:
    """A value as the user would write it, cut when it is long."""
    try:
        text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    except ValueError:  # a number with thousands of digits
        text = f"a {type(value).__name__} too long to show"
    return text if len(text) <= 60 else text[:57] + "…"


def plainly(value: object) -> str:
    """A value as it is typed behind `--set key=`."""
    return value if isinstance(value, str) and len(value) <= 60 else shown(value)


def chosen_from(value: str, words: Iterable[str]) -> str:
    """The end of a line about a word that is none of the allowed ones.

    >>> chosen_from("gird", ["uniform", "grid"])
    "'gird': did you mean 'grid'? allowed: uniform, grid"
    """
    words = list(words)
    return f"{shown(value)}: {nearest(value, words)}allowed: {', '.join(words)}"
