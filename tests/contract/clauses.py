"""What every layer keeps: one function a clause, which raises AssertionError with what is wrong.

`test_every_layer` holds them against all layers of motecast.protocols; `test_broken_layers` shows that each one bites.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import os
import pickle
import pkgutil
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import msgspec

import motecast.protocols
from motecast.check import ORACLES
from motecast.cli.shared.catalogue import comments_of, read_comment
from motecast.core import (
    Arrived,
    Codec,
    Event,
    EventId,
    Layer,
    Message,
    Notify,
    Payload,
    Publish,
    Route,
    Stack,
    WireError,
    limit_of,
    parameters_of,
)
from motecast.core.parameters import state_of
from motecast.core.recorder import Asked, Broadcast, Received, Send, Told
from tests.contract.lives import SEEDS, name_of
from tests.strategies import Life, Maker

ROOT = Path(__file__).parents[2]
Clause = Callable[[type[Layer]], None]


def all_layers() -> list[type[Layer]]:
    """Every layer that a module of motecast.protocols defines."""
    found = {}
    for module in pkgutil.walk_packages(motecast.protocols.__path__, "motecast.protocols."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, Layer) and value.__module__ == module.name:
                found[f"{module.name}.{value.__name__}"] = value
    return [found[name] for name in sorted(found)]


def is_a_recipe(layer: type[Layer]) -> None:
    """What a node does with its copy changes neither the layer that it was made of nor another copy."""
    recipe = layer()
    untouched = pickle.dumps(recipe)
    life = Life(recipe)
    other = pickle.dumps(recipe.fresh())
    life.live(SEEDS)
    assert pickle.dumps(recipe) == untouched, f"{layer.__name__}: a node changed the layer that it was made of"
    assert pickle.dumps(recipe.fresh()) == other, f"{layer.__name__}: new state is not new"


def pickles(layer: type[Layer]) -> None:
    """A node that is written down and read again goes on as if nothing had been."""
    straight, broken = Life(layer()), Life(layer())
    straight.live(SEEDS[:150])
    broken.live(SEEDS[:150])
    try:
        written = pickle.dumps(broken.recorder.node.layers)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise AssertionError(f"{layer.__name__} cannot be pickled: {error}") from error
    broken.recorder.node.layers[:] = pickle.loads(written)
    for seed in SEEDS[150:]:
        assert str(straight.step(seed)) == str(broken.step(seed)), f"{layer.__name__} is not the same when unpickled"


def is_pure(layer: type[Layer]) -> None:
    """The same script gives the same verbs, whatever chance elsewhere and other nodes do."""
    first, second, other = Life(layer()), Life(layer()), Life(layer(), me=5)
    for seed in SEEDS:
        random.seed(seed)
        once = first.step(seed)
        random.seed(-seed - 1)
        other.step(seed + 1)
        assert str(once) == str(second.step(seed)), f"{layer.__name__} answers {once.happening} differently"


def survives(layer: type[Layer], seeds: Sequence[int] = SEEDS) -> None:
    """No well-typed message from anyone, and no order of signals and alarms, raises anything."""
    life = Life(layer())
    for seed in seeds:
        try:
            life.step(seed)
        except Exception as error:
            raise AssertionError(f"{layer.__name__} raises {error!r} at seed {seed} of {seeds}") from error


def round_trips(layer: type[Layer]) -> None:
    """What it sends arrives as it was, and whatever it may receive can be sent."""
    life = Life(layer())
    verbs = [verb for step in life.live(SEEDS) for verb in step.verbs if isinstance(verb, Send | Broadcast)]
    made = [
        Maker(Random(seed), life.stack.codec.payloads.values()).struct(kind)
        for seed in SEEDS
        for kind in layer.speaks()
    ]
    for message in (*(verb.message for verb in verbs), *made):
        arrived = _sent_and_received(life.stack.codec, message)
        assert str(arrived) == str(message), f"{layer.__name__}: {message} arrives as {arrived}"  # by text, for NaN


def _sent_and_received(codec: Codec, message: Message) -> Message | WireError | TypeError:
    try:
        return codec.decode(codec.encode(0, message)).message
    except (WireError, TypeError) as error:
        return error


def stays_bounded(layer: type[Layer], happenings: int = 1_000) -> None:
    """No state outgrows its limit, and all state that has a length has a limit."""
    life = Life(_tight(layer, happenings // 40))
    own = life.recorder.node.layers[0]
    for number in range(1, happenings + 1):
        life.step(number)
        life.recorder.handle(life.now, _new_event(life.stack, number))
    for name, _ in state_of(layer):
        value = getattr(own, name)
        if name in layer.limits:
            limit = limit_of(own, name)
            assert len(value) <= limit, f"{layer.__name__}.{name} holds {len(value)}, its limit is {limit}"
        else:
            assert not hasattr(value, "__len__"), f"{layer.__name__}.{name} has a length, but no limit"


def _tight(layer: type[Layer], limit: int) -> Layer:
    """The layer with small limits where a parameter says them, so that they are reached."""
    defaults = layer()
    small: dict[str, object] = {}
    for name in sorted(name for name in layer.limits.values() if isinstance(name, str)):
        parameter, _, inner = name.partition(".")
        value = small.get(parameter, getattr(defaults, parameter))
        small[parameter] = msgspec.structs.replace(value, **{inner: limit}) if inner else limit
    return layer(**small)


def _new_event(stack: Stack, number: int) -> Received | Asked | Told:
    """An event that nobody has seen, as a peer, the application or the layer below brings it."""
    (layer,) = stack.layers
    maker = Maker(Random(number), stack.codec.payloads.values())
    event = Event(EventId(number % 97, number), ("a",), {"t": 30.0})
    if Notify in layer.below.tells:
        return Told(Notify(event))
    payloads = [Payload(message) for message in _carrying(maker, stack.codec.payloads.values(), [event])]
    frames = _carrying(maker, layer.speaks(), [event, *payloads])
    if frames:
        return Received(type(layer).__name__, number % 7, frames[number % len(frames)])
    if payloads and Arrived in layer.below.tells:
        return Told(Arrived(payloads[number % len(payloads)], 0, 1))
    return Asked(Publish(event) if Publish in layer.above.asks else Route((1.0, 2.0), payloads[0]))


def _carrying(maker: Maker, kinds: Iterable[type[Message]], contents: Sequence[Event | Payload]) -> list[Message]:
    """Messages of these kinds that carry one of the contents."""
    made = [(maker.struct(kind), kind.carries, content) for kind in kinds if kind.carries for content in contents]
    return [
        msgspec.structs.replace(message, **{field: content})
        for message, field, content in made
        if type(getattr(message, field)) is type(content)
    ]


def lives_the_same_in_every_process(layers: Sequence[type[Layer]]) -> None:
    """No verb depends on the order of a set, which is another one in every process."""
    one, other = (json.loads(text) for text in _lives_elsewhere(layers))
    for layer in layers:
        for once, again in zip(one[name_of(layer)], other[name_of(layer)], strict=True):
            assert once == again, f"{layer.__name__} depends on the order of hashes: {once} or {again}"


def _lives_elsewhere(layers: Sequence[type[Layer]]) -> list[str]:
    """What two processes write whose texts have other hashes; they run at the same time."""
    command = [sys.executable, "-m", "tests.contract.lives", *map(name_of, layers)]
    environments = [{**os.environ, "PYTHONHASHSEED": seed} for seed in ("1", "2")]
    running = [subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) for env in environments]
    texts = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0, 0], f"{command} fails"
    return texts


def explains_its_parameters(layer: type[Layer]) -> None:
    """Every parameter has a default, a unit, a source, and a value that is written the same in every process."""
    documented = layer.__doc__ or ""
    assert not documented.startswith(f"{layer.__name__}("), f"{layer.__name__} has no docstring of its own"
    comments = comments_of(inspect.getsource(layer))
    for field in parameters_of(layer):
        place = f"{layer.__name__}.{field.name}"
        has_default = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
        assert has_default, f"{place} has no default"
        unit, source = read_comment(comments.get(field.name, ""))
        assert unit, f"{place} has no unit: write `# unit; source` behind it"
        assert source, f"{place} has no source: write the paper's place or `our guess` behind the unit"
    assert " at 0x" not in repr(layer()), f"{layer.__name__}: a parameter's repr names its memory, so digests differ"


def promises_what_is_judged(layer: type[Layer]) -> None:
    """Every promise is the name of an oracle."""
    for promise in layer.promises:
        assert promise in ORACLES, f"{layer.__name__} promises {promise!r}, which no oracle judges"


CLAUSES: tuple[Clause, ...] = (
    is_a_recipe,
    pickles,
    is_pure,
    survives,
    round_trips,
    stays_bounded,
    explains_its_parameters,
    promises_what_is_judged,
)


def named(clauses: Sequence[Clause]) -> Iterator[str]:
    """Their names for pytest."""
    return (clause.__name__.replace("_", " ") for clause in clauses)
