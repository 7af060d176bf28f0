"""`motecast stacks`, and how the catalogue reads comments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from motecast.cli import main
from motecast.cli.shared.catalogue import Parameter, comments_of, describe, read_comment
from motecast.stacks import STACKS


def test_the_catalogue_names_every_stack_with_its_layers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stacks"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in STACKS)
    assert "Fifo / Flood" in printed


def test_every_parameter_has_its_default_unit_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    main(["stacks"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["gossip", "wait", "0.02", "s", "our", "guess:", "a", "few", "frames", "long"] in lines


def test_one_stack_is_shown_in_detail(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stacks", "gossip"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("gossip: Gossip by chance: the template for a protocol of your own.\n")
    assert "a number from 0 to 1" in printed
    assert "promises: bounded-state, bytes-conserved, integrity, only-subscribed, silence-of-the-dead" in printed


def test_a_stack_without_parameters_has_no_table_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    main(["stacks", "flood"])
    assert "parameter" not in capsys.readouterr().out


def test_as_json_it_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stacks", "--json"]) == 0
    stacks = json.loads(capsys.readouterr().out)["stacks"]
    assert [stack["name"] for stack in stacks] == list(STACKS)
    gossip = stacks[list(STACKS).index("gossip")]
    assert gossip["layers"] == [{"name": "Gossip", "about": "Every node passes a new event on with probability p."}]
    assert gossip["parameters"][0] == {
        "name": "p",
        "default": 0.7,
        "unit": "probability",
        "source": "§3: 0.6 to 0.8 reaches almost everyone",
        "allowed": "a number from 0 to 1",
        "layer": "Gossip",
    }


def test_one_stack_as_json_is_that_stacks_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stacks", "flood", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "flood"


def test_an_unknown_name_is_one_line_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stacks", "gosip"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("motecast: no stack 'gosip'; did you mean 'gossip'? known: ")
    assert captured.err.count("\n") == 1


OWN = '''
from dataclasses import dataclass
from motecast.core import Layer, Radio, PubSub, Publish, Subscribe, Unsubscribe, Advertise, Seek, Stack


@dataclass(frozen=True)
class Queue:
    alpha: int = 20  # events; §4.2


@dataclass
class Mine(Layer):
    """What I think of."""

    above = PubSub
    below = Radio
    ignores = (Publish, Subscribe, Unsubscribe, Advertise, Seek)
    queue: Queue = Queue()  # policy; our guess


def mine(*, alpha: int = 20, beta: float = 1.5,  # m; our guess
         queue: Queue = Queue()) -> Stack:
    return Stack(Mine(Queue(alpha)))
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a stack of the user's own."""
    (tmp_path / "motecast_test_mine.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    return "motecast_test_mine:mine"


def test_parameters_of_a_policy_and_of_the_function_itself_have_their_comments(own: str) -> None:
    alpha, beta, queue = describe(own).parameters
    assert alpha == Parameter("alpha", 20, "events", "§4.2", "a whole number", "Mine")
    assert beta == Parameter("beta", 1.5, "m", "our guess", "a number", "")
    assert (queue.unit, queue.source) == ("policy", "our guess")


def test_a_policy_value_is_written_as_in_python(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stacks", own, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["parameters"][2]["default"] == "Queue(alpha=20)"
    main(["stacks", own])
    assert capsys.readouterr().out.startswith(f"{own}: its function has no docstring\n")


def test_comments_are_read_beside_fields_and_below_them() -> None:
    source = """
    class Layer:
        age: float = 2000.0   # s; Table 1, "maximum delay
        # tolerant value"
        sizes: tuple[int, ...] = (
            1,
        )  # bytes; our guess
        plain: int = 3
        # not of plain: it has none beside it
        text: str = "# no comment; none"
    """
    assert comments_of(source) == {
        "age": 's; Table 1, "maximum delay tolerant value"',
        "sizes": "bytes; our guess",
    }


@pytest.mark.parametrize(
    ("comment", "read"),
    [
        ("s; Table 1; row 3", ("s", "Table 1; row 3")),
        ("s", ("s", "")),
        ("", ("", "")),
        ("; §3", ("", "§3")),
    ],
)
def test_the_unit_stands_before_the_first_semicolon_and_the_source_behind_it(
    comment: str, read: tuple[str, str]
) -> None:
    assert read_comment(comment) == read
