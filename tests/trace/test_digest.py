"""The digest names what was delivered: equal at every level, different as soon as a row differs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.check import ORACLES, judge, measure
from motecast.core import EventId
from motecast.trace import KINDS, LEVELS, Trace, digest_of, kind_codes, load_trace
from motecast.trace.kinds import CODE
from tests.check.worlds import World, random_world, worlds


@given(st.integers(0, 2**32))
def test_rows_that_only_level_full_has_do_not_matter(seed: int) -> None:
    full, small = (random_world(seed, 60, level) for level in ("full", "deliveries"))
    assert full.digest == small.digest
    assert set(small.rows["kind"].to_pylist()) <= LEVELS["deliveries"]


@given(worlds())
def test_kind_codes_are_the_places_of_the_kinds(trace: Trace) -> None:
    assert [KINDS[code] for code in kind_codes(trace.rows)] == trace.rows["kind"].to_pylist()


@given(worlds(), st.integers(0, 100))
def test_how_the_table_is_cut_into_chunks_does_not_matter(trace: Trace, cut: int) -> None:
    rows = pa.concat_tables([trace.rows.slice(0, cut), trace.rows.slice(cut)])
    assert digest_of(rows) == trace.digest


def test_the_order_of_totals_does_not_matter() -> None:
    def trace(*nodes: int) -> Trace:
        world = World()
        field = world.trace().field
        return world.builder.build([(node, "send", "Data", 1, 9, 4, 1) for node in nodes], field, {})

    assert trace(2, 0, 1).totals.equals(trace(0, 1, 2).totals)
    assert trace(2, 0, 1).digest == trace(0, 1, 2).digest


CHANGES = {
    "node": lambda world: world.deliver(2, EventId(0, 1), 1),
    "publisher": lambda world: world.deliver(1, EventId(3, 1), 1),
    "number": lambda world: world.deliver(1, EventId(0, 2), 1),
    "hops": lambda world: world.deliver(1, EventId(0, 1), 2),
    "unknown hops": lambda world: world.deliver(1, EventId(0, 1)),
    "kind": lambda world: world.write("duplicate", 1, EventId(0, 1), hops=1),
    "port": lambda world: world.write("deliver", 1, EventId(0, 1), hops=1, port=1),
    "detail": lambda world: world.write("deliver", 1, EventId(0, 1), hops=1, detail="gap"),
    "empty detail": lambda world: world.write("deliver", 1, EventId(0, 1), hops=1, detail=""),
    "subscription": lambda world: world.write("deliver", 1, EventId(0, 1), hops=1, subscription=0),
}


def digest_with(change) -> str:
    world = World()
    world.publish(0)
    change(world)
    return world.trace().digest


@pytest.mark.parametrize("change", CHANGES)
def test_every_difference_in_a_delivery_shows(change: str) -> None:
    plain = digest_with(lambda world: world.deliver(1, EventId(0, 1), 1))
    assert digest_with(CHANGES[change]) != plain
    assert digest_with(CHANGES[change]) == digest_with(CHANGES[change])


def test_the_time_of_a_row_shows() -> None:
    def later(world: World) -> None:
        world.t += 1
        world.deliver(1, EventId(0, 1), 1)

    assert digest_with(later) != digest_with(lambda world: world.deliver(1, EventId(0, 1), 1))


def test_no_text_can_pose_as_two() -> None:
    def details(*texts: str) -> str:
        world = World()
        for text in texts:
            world.write("drop", 1, detail=text)
        return world.trace().digest

    assert details("a\0b", "c") != details("a", "b\0c")
    assert details("a", "") != details("", "a")


@pytest.mark.slow
def test_it_is_the_same_in_another_process_with_another_hash_seed() -> None:
    code = "from tests.check.worlds import random_world; print(random_world(5, 80, 'full').digest)"
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for seed in ("0", "1", "4711")
    }
    assert found == {random_world(5, 80, "full").digest}


def test_the_kinds_are_a_closed_set_of_the_vocabulary() -> None:
    assert len(KINDS) == len(CODE) == 23
    assert LEVELS["deliveries"] < LEVELS["full"] == set(KINDS)


@pytest.mark.parametrize("size", [1, 7, 50])
def test_a_trace_in_many_chunks_is_the_same_trace(size: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Rows become chunks of the table while a run goes on, so that none is kept twice."""

    def trace() -> Trace:
        world = World()
        for number in range(100):
            world.deliver(number % 4, world.publish(0), number % 3, gap=number % 5 == 0)
            world.transmit(0, f"Data{number % 7}", (9, 4, 1))
            if number % 10 == 0:
                world.builder.flush()
        return world.trace()

    whole = trace()
    monkeypatch.setattr("motecast.trace.builder.CHUNK", size)
    parts = trace()
    assert parts.rows["t"].num_chunks > 1 == whole.rows["t"].num_chunks
    assert (parts.rows.to_pylist(), parts.digest) == (whole.rows.to_pylist(), whole.digest)
    parts.save(tmp_path)
    assert load_trace(tmp_path).rows.to_pylist() == whole.rows.to_pylist()
    assert measure(parts) == measure(whole)
    assert judge(parts, ORACLES) == judge(whole, ORACLES)
