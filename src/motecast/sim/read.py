"""A scenario from a file, with what the command line sets, checked as a whole."""

from __future__ import annotations

import copy
import inspect
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from motecast.core import ConfigError, unknown
from motecast.sim.checks import check
from motecast.sim.scenario import Scenario
from motecast.sim.tables import converted, joined, plainly, shown
from motecast.stacks import STACKS, build_stack, find_stack

Settings = Mapping[str, object]
KEYS = {"protocol": None} | {key: None for key in Scenario.__struct_fields__ if key not in ("parameters", "folder")}


class SettingError(ConfigError):
    """What is wrong was set, and is not in the file."""


def read_scenario(path: str | Path, set: Settings | None = None, seed: int | None = None) -> Scenario:  # noqa: A002  # as the option is called
    """The scenario in a TOML file; `ConfigError` begins with the file's name."""
    file = Path(path)
    try:
        plain = tomllib.loads(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ConfigError(f"{file}: no text in UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{file}: {(error.strerror or 'cannot be read').lower()}") from None
    except RecursionError:
        raise ConfigError(f"{file}: no TOML: nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: no TOML: {str(error)[:1].lower()}{str(error)[1:]}") from None
    except ValueError:  # Python refuses to read thousands of digits
        raise ConfigError(f"{file}: no TOML: a number with too many digits") from None
    try:
        return scenario_of({"name": file.stem, **plain}, file.parent, set, seed)
    except SettingError:
        raise
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None


def scenario_of(
    plain: Mapping[str, Any],
    folder: str | Path = ".",
    set: Settings | None = None,  # noqa: A002  # as the option is called
    seed: int | None = None,
) -> Scenario:
    """The scenario in plain values, as tomllib gives them; `SettingError` names what is wrong in `set`."""
    settings = _checked(set)
    try:
        return _resolved(plain, folder, settings, seed)
    except SettingError:
        raise
    except ConfigError as error:
        guilty = _guilty(plain, folder, settings, seed)
        if not guilty:
            raise
        text = str(error)
        if len(guilty) == 1 and text.startswith(guilty[0]):
            raise SettingError(f"--set {text}") from None
        shows = " ".join(f"--set {key}={plainly(settings[key])}" for key in guilty)
        raise SettingError(f"{shows}: {text}") from None


def _checked(settings: object) -> dict[str, object]:
    if settings is None:
        return {}
    if not isinstance(settings, Mapping) or not all(isinstance(key, str) for key in settings):
        raise SettingError(
            f"set = {shown(settings)}: expected a mapping of dotted keys, such as {{'medium.loss': 0.1}}"
        )
    return dict(settings)


def _guilty(plain: Mapping[str, Any], folder: str | Path, settings: dict[str, object], seed: int | None) -> list[str]:
    """The settings without any one of which all is well; all of them if only together they are wrong."""
    if not settings or not _is_sound(plain, folder, {}, seed):
        return []
    alone = [key for key in settings if _is_sound(plain, folder, {k: settings[k] for k in settings if k != key}, seed)]
    return alone or list(settings)


def _is_sound(plain: Mapping[str, Any], folder: str | Path, settings: dict[str, object], seed: int | None) -> bool:
    try:
        _resolved(plain, folder, settings, seed)
    except ConfigError:
        return False
    return True


def _resolved(plain: Mapping[str, Any], folder: str | Path, settings: dict[str, object], seed: int | None) -> Scenario:
    values = copy.deepcopy(dict(plain))
    for key, value in sorted(settings.items(), key=lambda item: item[0] != "stack"):
        put(values, key, value)  # the stack first: protocol.alpha means its table
    if seed is not None:
        values["seed"] = seed
    for key in values:
        if key not in KEYS:
            raise ConfigError(f"{joined('', key)}: {unknown('key', str(key), KEYS)}")
    values["parameters"] = _parameters(values)
    scenario: Scenario = converted({**values, "folder": str(folder)}, Scenario, "")
    check(scenario)
    return scenario


def plain_of(scenario: Scenario) -> dict[str, Any]:
    """The scenario in plain values, every default filled in; read again, it gives the same run."""
    plain: dict[str, Any] = _without_none(msgspec.to_builtins(scenario))
    del plain["folder"]
    plain["protocol"] = {scenario.stack: plain.pop("parameters")}
    return plain


def _without_none(value: Any) -> Any:  # noqa: ANN401  # TOML has no word for nothing
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_none(item) for item in value]
    return value


def put(values: dict[str, Any], key: str, value: object) -> None:
    """Sets a dotted key. `protocol.alpha` means the chosen stack's table."""
    names = key.split(".")
    if not all(names):
        raise SettingError(f"--set {key}: expected a dotted key such as medium.loss")
    _check_class(values, key, names)
    if names[0] == "protocol" and len(names) == 2 and not isinstance(value, dict):
        names.insert(1, str(values.get("stack", "")))
    table: Any = values
    for index, name in enumerate(names):
        if isinstance(table, list):
            table = {str(number): item for number, item in enumerate(table)}
            if name not in table or index == len(names) - 1:
                raise SettingError(
                    f"--set {key}: {names[index - 1]} is a list; name a key of one of its tables, from 0"
                )
        if not isinstance(table, dict):
            raise SettingError(f"--set {key}: {names[index - 1]} = {shown(table)} is no table")
        if name.isdecimal() and name not in table:
            place = ".".join(names[:index])
            raise SettingError(f"--set {key}: there is no list {place} here; set it as a whole: {place}=[{{…}}]")
        if index < len(names) - 1:
            table = table.setdefault(name, {})
    table[names[-1]] = value


def _check_class(values: dict[str, Any], key: str, names: list[str]) -> None:
    """Classes of nodes are those of the file: a new one would be a typo that runs."""
    known = values.get("nodes")
    if names[0] in ("nodes", "workload") and len(names) > 1 and isinstance(known, dict) and names[1] not in known:
        raise SettingError(f"--set {key}: {unknown('class of nodes', names[1], known)}")


def parse_setting(text: str) -> tuple[str, object]:
    """`medium.loss=0.1` as key and value; what is no TOML value is a text."""
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise ConfigError(f"--set {text}: expected key=value, such as medium.loss=0.1")
    try:
        return key.strip(), tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        return key.strip(), value.strip()


def _parameters(values: dict[str, Any]) -> dict[str, Any]:
    """The chosen stack's parameters; the tables of all stacks are checked, so that a typo shows before it matters."""
    tables = values.pop("protocol", {})
    name = values.get("stack")
    if not isinstance(name, str):
        wrong = f"stack = {shown(name)}" if "stack" in values else "stack is missing"
        raise ConfigError(f"{wrong}; name one that motecast stacks lists, or package.module:function")
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise ConfigError(f"protocol = {shown(tables)}: expected a table for each stack, such as [protocol.{name}]")
    for stack, table in tables.items():
        if stack != name and stack not in STACKS and ":" not in str(stack):
            raise ConfigError(f"{joined('protocol', stack)}: {unknown('stack', str(stack), STACKS)}")
        if stack in STACKS:
            build_stack(stack, table)
    given = tables.get(name, {})
    build_stack(name, given)
    return {**_defaults(name), **given}


def _defaults(name: str) -> dict[str, Any]:
    """The defaults of a stack's parameters, as far as a file can say them."""
    taken = inspect.signature(find_stack(name)).parameters.values()
    return {each.name: each.default for each in taken if isinstance(each.default, bool | int | float | str)}
