"""An exception in a user's own protocol is the user's: one line names where, after the frames that are theirs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from motecast.cli import main
from motecast.cli.shared.culprit import culprit
from motecast.core import StackError
from motecast.protocols.plain import Gossip
from motecast.sim import World

PROTOCOL = '''
from motecast.core import Stack
from motecast.protocols.plain.example import Gossip, Rumour
from motecast.core import Publish, Timer, asked

class Nobodys(Timer):
    """It has no handler."""

class Mine(Gossip):
    """It goes wrong when it publishes."""

    @asked(Publish)
    def publish(self, ctx, signal):
        {line}

def my_stack() -> Stack:
    """Mine."""
    return Stack(Mine())
'''
FIELD = """
stack = "{name}:my_stack"
until = 5.0
[nodes.mote]
count = 3
[workload.mote.publish]
every = 1.0
"""


@pytest.fixture
def go_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest):
    """Runs a protocol with this line in its handler; returns the exit code."""
    name = re.sub(r"\W", "_", f"wrong_{request.node.name}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(line: str) -> int:
        (tmp_path / f"{name}.py").write_text(PROTOCOL.format(line=line), encoding="utf-8")
        (tmp_path / "field.toml").write_text(FIELD.format(name=name), encoding="utf-8")
        return main(["sim", "field.toml"])

    yield run
    sys.modules.pop(name, None)


def test_a_mistake_in_a_handler_is_told_by_its_line(go_wrong, capsys: pytest.CaptureFixture[str]) -> None:
    assert go_wrong("self.deliver(ctx, signal.evnt, 0)") == 2
    out, err = capsys.readouterr()
    *frames, line = err.splitlines()
    assert out == ""
    assert re.fullmatch(
        r"motecast: wrong_\w+\.py line 14, Mine\.publish( at node .* s)?: "
        r"AttributeError: 'Publish' object has no attribute 'evnt'",
        line,
    )
    assert [frame for frame in frames if frame.startswith("  File")] == [frames[0]]
    assert frames[0].endswith('.py", line 14, in publish')


def test_what_motecast_raises_in_a_handler_has_the_handlers_line(go_wrong, capsys: pytest.CaptureFixture[str]) -> None:
    assert go_wrong("ctx.pass_on(Rumour(signal.event, 1))") == 2
    err = capsys.readouterr().err
    assert re.match(r"motecast: wrong_\w+\.py line 14, Mine\.publish.*: Mine cannot pass on Rumour", err)
    assert err.count("\n") == 1


def test_what_goes_wrong_below_a_handler_keeps_the_frames_below_it(go_wrong, capsys) -> None:
    assert go_wrong("self.seen.add([])") == 2
    *frames, line = capsys.readouterr().err.splitlines()
    assert re.match(r"motecast: wrong_\w+\.py line 14, Mine\.publish.*: TypeError: unhashable type: 'list'", line)
    assert any("recent.py" in frame for frame in frames)


def test_a_bug_of_motecast_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch, go_wrong, capsys) -> None:
    """And an exit code of its own: 1 and 2 say something about the input."""
    monkeypatch.delattr(World, "run")
    assert go_wrong("pass") == 70
    first, second, *_, last = capsys.readouterr().err.splitlines()
    assert first == "motecast: a bug of motecast: AttributeError: 'World' object has no attribute 'run'"
    assert second == "Traceback (most recent call last):"
    assert last == "AttributeError: 'World' object has no attribute 'run'"


def test_a_bug_in_a_layer_of_motecast_is_told_with_node_layer_seed_and_time(monkeypatch, go_wrong, capsys) -> None:
    assert go_wrong("pass") == 0
    monkeypatch.delattr(Gossip, "deliver")
    assert main(["sim", "field.toml", "--set", "stack=gossip", "--seed", "3"]) == 70
    first, *_ = capsys.readouterr().err.splitlines()
    assert re.fullmatch(
        r"motecast: a bug of motecast at node \d, Gossip, seed 3, \d\.\d{6} s: AttributeError: .*'deliver'", first
    )


def test_notes_say_when_and_where_it_happened() -> None:
    error = StackError("no")
    error.add_note("at node 41, 0.41 s")
    try:
        raise error
    except StackError:
        found = culprit(error)
    assert found is not None
    assert found.place.endswith("at node 41, 0.41 s")
    assert found.place.startswith(f"{Path(__file__).name} line ")
