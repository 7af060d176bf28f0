"""The catalogue: one function a named system, listed by hand in `STACKS`.

A scenario says `stack = "flood"` and gives parameters in [protocol.flood]; or it names a function of the user's own,
`stack = "package.module:function"`. `build_stack` makes either with parameters that are checked.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

from motecast.core import ConfigError, MotecastError, Stack, convert, unknown
from motecast.parts.policies import CedQueue, DropTail, RideQueue
from motecast.protocols.ced.community import Community
from motecast.protocols.ced.direct import Direct
from motecast.protocols.ced.neighbourhood import Formation
from motecast.protocols.ced.ride import Carriers, Ride
from motecast.protocols.plain import Fifo, Flood
from motecast.protocols.plain.example import gossip

Builder = Callable[..., Stack]


def flood() -> Stack:
    """Flooding: every node passes every event on once."""
    return Stack(Flood())


def flood_fifo(*, patience: float = 5.0, capacity: int = 1024, publishers: int = 65_536) -> Stack:
    """Flooding with the events of each publisher in order."""
    return Stack(Fifo(patience=patience, capacity=capacity, publishers=publishers), Flood())


def ced(
    *,
    alpha: int = 20,  # transmissions; Table 1: an event that its source has sent more often is dropped
    capacity: int = 200,  # events; Table 1, "maximum queue size of sensor"
    max_age: float = 2000.0,  # s; Table 1, "maximum delay tolerant value"
    linger: float = 120.0,  # s; Table 1: the longest pause, which nobody knows in advance
    formation: Formation = "messages",  # a word; ours: given communities are known at once and free of charge
) -> Stack:
    """Communities of sensors bring their events to subscribers that pass through, along the paths they announce."""
    return Stack(Community(queue=CedQueue(alpha, capacity, max_age), linger=linger, formation=formation))


def ced_fifo(
    *,
    alpha: int = 20,  # transmissions; Table 1: an event that its source has sent more often is dropped
    capacity: int = 200,  # events; Table 1, "maximum queue size of sensor"
    max_age: float = 2000.0,  # s; Table 1, "maximum delay tolerant value"
    linger: float = 120.0,  # s; Table 1: the longest pause, which nobody knows in advance
    formation: Formation = "messages",  # a word; ours: given communities are known at once and free of charge
    patience: float = 2000.0,  # s; our guess: after max_age nothing comes that is missing
) -> Stack:
    """Community delivery with the events of each publisher in order."""
    below = Community(queue=CedQueue(alpha, capacity, max_age), linger=linger, formation=formation)
    return Stack(Fifo(patience=patience), below)


def ced_ride(
    *,
    carriers: Carriers = "ticket",  # a word; ours: none, interested or ticket, who takes events to other communities
    capacity: int = 200,  # events; Table 1, "maximum queue size of sensor"
    max_age: float = 2000.0,  # s; Table 1, "maximum delay tolerant value"
    custody: int = 100,  # events; ours: a sensor that keeps so many takes none from carriers
    linger: float = 120.0,  # s; Table 1: the longest pause, which nobody knows in advance
    formation: Formation = "messages",  # a word; ours: given communities are known at once and free of charge
) -> Stack:
    """Communities deliver what is wanted, and subscribers carry events to where others still want them."""
    queue = RideQueue(capacity, max_age, custody)
    return Stack(Ride(carriers=carriers, queue=queue, linger=linger, formation=formation))


def ced_ride_fifo(
    *,
    carriers: Carriers = "ticket",  # a word; ours: none, interested or ticket, who takes events to other communities
    capacity: int = 200,  # events; Table 1, "maximum queue size of sensor"
    max_age: float = 2000.0,  # s; Table 1, "maximum delay tolerant value"
    custody: int = 100,  # events; ours: a sensor that keeps so many takes none from carriers
    linger: float = 120.0,  # s; Table 1: the longest pause, which nobody knows in advance
    formation: Formation = "messages",  # a word; ours: given communities are known at once and free of charge
    patience: float = 2000.0,  # s; our guess: after max_age nothing comes that is missing
) -> Stack:
    """CED-Ride with the events of each publisher in order."""
    queue = RideQueue(capacity, max_age, custody)
    below = Ride(carriers=carriers, queue=queue, linger=linger, formation=formation)
    return Stack(Fifo(patience=patience), below)


def dg(
    *,
    capacity: int = 200,  # events; Table 1, "maximum queue size of sensor"
    max_age: float = 2000.0,  # s; Table 1, "maximum delay tolerant value"
) -> Stack:
    """Direct delivery: sensors keep their events, and hand each once to every subscriber that passes and wants it."""
    return Stack(Direct(queue=DropTail(capacity, max_age)))


def dg_naive(
    *,
    capacity: int = 200,  # events; Table 1, "maximum queue size of sensor"
    max_age: float = 2000.0,  # s; Table 1, "maximum delay tolerant value"
) -> Stack:
    """Direct delivery without memory, as the CED paper's numbers suggest: one sensor serves, and repeats itself."""
    return Stack(Direct(queue=CedQueue(None, capacity, max_age), memory="none", served="one"))


def dg_fifo(
    *,
    capacity: int = 200,  # events; Table 1, "maximum queue size of sensor"
    max_age: float = 2000.0,  # s; Table 1, "maximum delay tolerant value"
    patience: float = 2000.0,  # s; our guess: after max_age nothing comes that is missing
) -> Stack:
    """Direct delivery with the events of each publisher in order."""
    return Stack(Fifo(patience=patience), Direct(queue=DropTail(capacity, max_age)))


STACKS: dict[str, Builder] = {
    "flood": flood,
    "flood-fifo": flood_fifo,
    "gossip": gossip,
    "ced": ced,
    "ced-fifo": ced_fifo,
    "ced-ride": ced_ride,
    "ced-ride-fifo": ced_ride_fifo,
    "dg": dg,
    "dg-naive": dg_naive,
    "dg-fifo": dg_fifo,
}


def find_stack(name: str) -> Builder:
    """The function that a scenario names: of the catalogue, or `package.module:function`."""
    if name in STACKS:
        return STACKS[name]
    module_name, colon, function_name = name.partition(":")
    if not colon:
        raise ConfigError(f"{unknown('stack', name, STACKS)}, or package.module:function for one of your own")
    module = _imported(name, module_name)
    function = getattr(module, function_name, None)
    if not callable(function):
        _refuse_hidden(name, module)
        functions = [key for key, value in vars(module).items() if _is_own(value, module)]
        raise ConfigError(f"stack {name!r}: module {module_name} has {unknown('function', function_name, functions)}")
    return typing.cast("Builder", function)  # build_stack looks at what it returns


def build_stack(name: str, parameters: Mapping[str, object] = {}) -> Stack:
    """The stack with these parameters; `ConfigError` says in one line what is wrong with them.

    >>> build_stack("gossip", {"p": 0.5})
    Stack(Gossip(p=0.5, wait=0.02))
    """
    builder = find_stack(name)
    arguments = _arguments(name, builder, parameters)
    try:
        stack = builder(**arguments)
    except MotecastError as error:
        raise type(error)(f"stack {name!r}: {error}") from None
    except Exception as error:
        raise ConfigError(f"stack {name!r} raises {_blamed(error)}") from error
    if not isinstance(stack, Stack):
        raise ConfigError(f"stack {name!r} returns {stack!r}; expected a Stack, such as Stack(Flood())")
    return stack


def _refuse_hidden(name: str, module: ModuleType) -> None:
    """Says so if a file of the user's has the name of a module that is found before it."""
    found = getattr(module, "__file__", None)
    own = Path(*module.__name__.split(".")).with_suffix(".py")
    for folder in sys.path:
        file = Path(folder) / own
        if file.is_file() and (found is None or not file.samefile(found)):
            raise ConfigError(f"stack {name!r}: {file} is hidden by {found or 'a module of Python itself'}: rename it")


def _imported(name: str, module_name: str) -> ModuleType:
    if module_name.endswith(".py"):
        rest = name.removeprefix(module_name)
        raise ConfigError(f"stack {name!r}: write {Path(module_name).stem}{rest}, without .py")
    if not all(part.isidentifier() for part in module_name.split(".")):
        raise ConfigError(f"stack {name!r}: {module_name!r} is no name of a module; write package.module:function")
    try:
        return importlib.import_module(module_name)
    except MotecastError as error:
        raise ConfigError(f"stack {name!r}: {error}") from error
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise ConfigError(f"stack {name!r}: no module {error.name!r} here or on PYTHONPATH") from None
        raise ConfigError(f"stack {name!r}: importing {module_name} raises {_blamed(error)}") from error
    except Exception as error:
        raise ConfigError(f"stack {name!r}: importing {module_name} raises {_blamed(error)}") from error


def _is_own(value: object, module: ModuleType) -> bool:
    """True for a public function that the module defines itself."""
    return inspect.isfunction(value) and value.__module__ == module.__name__ and not value.__name__.startswith("_")


def _blamed(error: Exception) -> str:
    """The error with the innermost line that raised it."""
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} ({Path(error.filename or '?').name}, line {error.lineno})"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    own = [frame for frame in frames if frame.filename != importlib.__file__]
    return f"{type(error).__name__}: {error} ({Path(own[-1].filename).name}, line {own[-1].lineno})"


def _arguments(name: str, builder: Builder, parameters: Mapping[str, object]) -> dict[str, object]:
    """The parameters as the function's signature wants them."""
    taken = inspect.signature(builder).parameters.values()
    known = {each.name: each for each in taken if each.kind in (each.KEYWORD_ONLY, each.POSITIONAL_OR_KEYWORD)}
    takes_any = any(each.kind is each.VAR_KEYWORD for each in taken)
    for key in parameters:
        if key not in known and not takes_any:
            raise ConfigError(f"protocol.{name}.{key}: {unknown('parameter', key, known)}")
    for each in known.values():
        if each.default is each.empty and each.name not in parameters:
            raise ConfigError(f"protocol.{name}.{each.name} is missing, and stack {name!r} has no default for it")
    hints = _hints(name, builder)
    return {
        key: convert(f"protocol.{name}.{key}", value, hints[key]) if key in hints else value
        for key, value in parameters.items()
    }


def _hints(name: str, builder: Builder) -> dict[str, object]:
    try:
        return typing.get_type_hints(builder, include_extras=True)
    except (NameError, TypeError) as error:
        raise ConfigError(f"stack {name!r}: an annotation cannot be read: {error}") from None
