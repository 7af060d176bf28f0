"""The catalogue: every name, every mistake by its exact line, and the user's own stacks."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path

import msgspec
import pytest

from motecast.core import ConfigError, MotecastError, Stack, StackError, parameters_of
from motecast.protocols.plain import Flood
from motecast.stacks import STACKS, build_stack, find_stack

OWN_DEFAULTS = {(name, "patience") for name in ("dg-fifo", "ced-fifo", "ced-ride-fifo")}  # subscribers pass rarely

MODULE = '''
from motecast.core import ConfigError, Stack, StackError
from motecast.protocols.plain import Flood, Gossip

name = "no function"


def good(*, share: float = 0.5, wait: float = 0.01) -> Stack:
    """A stack of one's own."""
    return Stack(Gossip(p=share, wait=wait))


def any_name(**more):
    return Stack(Flood())


def needs(share: float):
    return Stack(Gossip(p=share))


def nothing():
    return None


def broken():
    return {}["key"]


def refuses():
    raise ConfigError("not like this")


def unreadable(share: "Nowhere" = 1):
    return Stack(Flood())
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module of the user's own, unlike that of any other test."""
    name = f"own_{abs(hash(tmp_path))}"
    files = {
        f"{name}.py": MODULE,
        f"{name}_import.py": "import not_installed_anywhere",
        f"{name}_syntax.py": "\n\ndef stack(:",
        f"{name}_raises.py": "x = 1\ny = x / 0",
        f"{name}_misfit.py": "from motecast.core import *\n@received(int)\ndef f(): ...",
    }
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return name


@pytest.mark.parametrize("name", STACKS)
def test_every_stack_of_the_catalogue_is_built_with_its_defaults(name: str) -> None:
    assert build_stack(name).layers


@pytest.mark.parametrize("name", STACKS)
def test_the_defaults_of_a_stack_are_those_of_its_layers(name: str) -> None:
    """Written twice, so that both can be read; held equal here."""
    defaults: dict[str, object] = {}
    for layer in build_stack(name).layers:
        for field in parameters_of(type(layer)):
            defaults[field.name] = field.default
            if isinstance(field.default, msgspec.Struct):  # a policy: its fields are parameters of the stack
                defaults |= msgspec.structs.asdict(field.default)
    for each in inspect.signature(STACKS[name]).parameters.values():
        assert each.kind is each.KEYWORD_ONLY
        if (name, each.name) not in OWN_DEFAULTS:
            assert each.default == defaults[each.name]


@pytest.mark.parametrize("name", STACKS)
def test_every_stack_says_in_a_line_what_it_is(name: str) -> None:
    assert (STACKS[name].__doc__ or "").partition("\n")[0].endswith(".")


def test_parameters_reach_the_layers() -> None:
    assert repr(build_stack("gossip", {"p": 1, "wait": 0})) == "Stack(Gossip(p=1.0, wait=0.0))"


@pytest.mark.parametrize(
    ("name", "parameters", "line"),
    [
        (
            "floood",
            {},
            (
                "no stack 'floood'; did you mean 'flood'? known: ced, ced-fifo, ced-ride, ced-ride-fifo, dg, "
                "dg-fifo, dg-naive, flood, flood-fifo, gossip, "
                "or package.module:function for one of your own"
            ),
        ),
        ("gossip", {"wat": 1}, "protocol.gossip.wat: no parameter 'wat'; did you mean 'wait'? known: p, wait"),
        ("flood", {"p": 1}, "protocol.flood.p: no parameter 'p'; known: none"),
        ("gossip", {"p": 2}, "stack 'gossip': Gossip.p = 2.0; allowed: a number from 0 to 1"),
        ("gossip", {"p": "x"}, "protocol.gossip.p = 'x'; allowed: a number"),
        ("gossip", {"p": float("nan")}, "protocol.gossip.p = nan; allowed: a number, and finite"),
        ("gossip", {"p": True}, "protocol.gossip.p = True; allowed: a number"),
        ("flood-fifo", {"capacity": 1.5}, "protocol.flood-fifo.capacity = 1.5; allowed: a whole number"),
        ("flood-fifo", {"capacity": 0}, "stack 'flood-fifo': Fifo.capacity = 0; allowed: a whole number at least 1"),
        (
            "not a module:f",
            {},
            "stack 'not a module:f': 'not a module' is no name of a module; write package.module:function",
        ),
        ("hop.py:my_stack", {}, "stack 'hop.py:my_stack': write hop:my_stack, without .py"),
        ("a/hop.py:my_stack", {}, "stack 'a/hop.py:my_stack': write hop:my_stack, without .py"),
        (":f", {}, "stack ':f': '' is no name of a module; write package.module:function"),
        (
            "no_such_module_here:f",
            {},
            "stack 'no_such_module_here:f': no module 'no_such_module_here' here or on PYTHONPATH",
        ),
        (
            "motecast.protocols.nowhere:f",
            {},
            "stack 'motecast.protocols.nowhere:f': no module 'motecast.protocols.nowhere' here or on PYTHONPATH",
        ),
    ],
)
def test_a_mistake_in_a_name_or_a_parameter_is_one_line(name: str, parameters: dict[str, object], line: str) -> None:
    with pytest.raises(ConfigError) as error:
        build_stack(name, parameters)
    assert str(error.value) == line


def test_a_stack_of_ones_own_is_built_like_any_other(own: str) -> None:
    assert repr(build_stack(f"{own}:good", {"share": 0.25})) == "Stack(Gossip(p=0.25, wait=0.01))"
    assert isinstance(build_stack(f"{own}:any_name", {"whatever": 3}), Stack)
    assert find_stack(f"{own}:good").__doc__ == "A stack of one's own."


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            ":god",
            (
                "stack 'OWN:god': module OWN has no function 'god'; did you mean 'good'? "
                "known: any_name, broken, good, needs, nothing, refuses, unreadable"
            ),
        ),
        (
            ":name",
            (
                "stack 'OWN:name': module OWN has no function 'name'; did you mean 'any_name'? "
                "known: any_name, broken, good, needs, nothing, refuses, unreadable"
            ),
        ),
        (":needs", "protocol.OWN:needs.share is missing, and stack 'OWN:needs' has no default for it"),
        (":nothing", "stack 'OWN:nothing' returns None; expected a Stack, such as Stack(Flood())"),
        (":broken", "stack 'OWN:broken' raises KeyError: 'key' (OWN.py, line 26)"),
        (":refuses", "stack 'OWN:refuses': not like this"),
        (":unreadable", "stack 'OWN:unreadable': an annotation cannot be read: name 'Nowhere' is not defined"),
        (
            "_import:f",
            (
                "stack 'OWN_import:f': importing OWN_import raises ModuleNotFoundError: "
                "No module named 'not_installed_anywhere' (OWN_import.py, line 1)"
            ),
        ),
        (
            "_syntax:f",
            "stack 'OWN_syntax:f': importing OWN_syntax raises SyntaxError: invalid syntax (OWN_syntax.py, line 3)",
        ),
        (
            "_raises:f",
            (
                "stack 'OWN_raises:f': importing OWN_raises raises ZeroDivisionError: "
                "division by zero (OWN_raises.py, line 2)"
            ),
        ),
        ("_misfit:f", "stack 'OWN_misfit:f': @received(int): expected a subclass of Message"),
    ],
)
def test_a_mistake_in_ones_own_module_is_one_line(own: str, name: str, line: str) -> None:
    with pytest.raises(MotecastError) as error:
        build_stack(own + name)
    assert str(error.value).replace(own, "OWN") == line


def test_layers_that_do_not_fit_are_the_stacks_mistake() -> None:
    with pytest.raises(StackError, match=r"^stack 'motecast.core:Stack': a stack needs at least one layer$"):
        build_stack("motecast.core:Stack")


def test_flood_is_flooding() -> None:
    assert [type(layer) for layer in build_stack("flood").layers] == [Flood]


@pytest.mark.parametrize("module", ["queue", "msgspec"])
def test_a_module_that_another_one_hides_is_told_by_its_path(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / f"{module}.py"
    file.write_text("from motecast.stacks import flood as my_stack", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    with pytest.raises(ConfigError) as error:
        build_stack(f"{module}:my_stack")
    hiding = importlib.import_module(module).__file__
    assert str(error.value) == f"stack '{module}:my_stack': {file} is hidden by {hiding}: rename it"
