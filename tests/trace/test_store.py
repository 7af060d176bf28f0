"""A saved trace is the trace; what is no trace is refused in one line that names the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.check import measure
from motecast.core import ConfigError, Event, EventId
from motecast.trace import Trace, TraceBuilder, load_trace
from motecast.trace.kinds import SCHEMAS
from motecast.trace.store import TABLES
from tests.check.worlds import World, random_world, worlds

ODD = "línea\n\0\t\"'\\ 🙂 \u2028 a=1; b=2"


def small() -> Trace:
    world = World(promises=("fifo",), scenario={"medium": {"loss": 0.1}})
    world.subscribe(1, f"t/{ODD[:5]}", "v > 1")
    event = world.publish(0, ODD.replace("\0", ""), v=2, s=ODD, life=3.0)
    world.deliver(1, event, 2)
    world.write("drop", 2, event, detail=ODD)
    world.transmit(0, "Data", (9, 4, 1))
    return world.trace()


def same(a: Trace, b: Trace) -> bool:
    tables = [(getattr(a, name), getattr(b, name)) for name in TABLES]
    return a.about == b.about and all(
        mine.schema.equals(other.schema)
        and [field.metadata for field in mine.schema] == [field.metadata for field in other.schema]
        and mine.to_pylist() == other.to_pylist()
        for mine, other in tables
    )


def refused(folder: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        load_trace(folder)
    line = str(caught.value)
    assert "\n" not in line
    return line


@pytest.mark.parametrize("trace", [small(), World().trace(), World("deliveries", nodes=0, links=[]).trace()])
def test_what_is_saved_is_loaded_again(trace: Trace, tmp_path: Path) -> None:
    trace.save(tmp_path / "run")
    assert same(load_trace(tmp_path / "run"), trace)


@given(trace=worlds())
def test_measures_and_digest_survive_the_disk(trace: Trace, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("run")
    trace.save(folder)
    again = load_trace(folder)
    assert (measure(again), again.digest) == (measure(trace), trace.digest)


def test_odd_characters_come_back_as_they_were(tmp_path: Path) -> None:
    small().save(tmp_path)
    trace = load_trace(tmp_path)
    assert trace.rows["detail"].to_pylist()[3] == ODD
    assert trace.events["a.s"].to_pylist() == [ODD]


def test_a_folder_whose_name_looks_like_a_partition_adds_no_column(tmp_path: Path) -> None:
    small().save(tmp_path / "loss=0.1")
    assert same(load_trace(tmp_path / "loss=0.1"), small())


def test_saving_again_replaces_the_earlier_run(tmp_path: Path) -> None:
    small().save(tmp_path)
    World().trace().save(tmp_path)
    assert same(load_trace(tmp_path), World().trace())


def test_a_folder_without_a_run_says_how_to_write_one(tmp_path: Path) -> None:
    assert refused(tmp_path) == (
        f"{tmp_path}: no run here (run.json is missing); write one with motecast sim … --trace {tmp_path}"
    )
    file = tmp_path / "file"
    file.write_text("")
    assert refused(file).startswith(f"{file}: no run here")


@pytest.mark.parametrize(
    ("about", "problem"),
    [
        ({"format": 2}, "format 2; this version reads format 1: run the scenario again"),
        ({"format": None}, "format None; this version reads format 1"),
        ({"level": "some"}, "level = 'some'; levels are deliveries, full"),
        ({"level": 3}, "level = 3; a run has one of type str"),
        ({"digest": None}, "digest = None; a run has one of type str"),
        ({"ports": "Flood"}, "ports = 'Flood'; a run has one of type list"),
        ({"promises": None}, "promises = None; a run has one of type list"),
    ],
)
def test_a_run_of_another_version_or_with_damaged_facts_is_refused(
    about: dict[str, object], problem: str, tmp_path: Path
) -> None:
    small().save(tmp_path)
    file = tmp_path / "run.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **about}))
    assert refused(tmp_path).startswith(f"{file}: {problem}")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_a_run_json_that_is_no_object_is_refused(content: bytes, tmp_path: Path) -> None:
    small().save(tmp_path)
    (tmp_path / "run.json").write_bytes(content)
    assert refused(tmp_path).startswith(f"{tmp_path / 'run.json'}: ")


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_is_missing_or_broken_is_named(name: str, tmp_path: Path) -> None:
    small().save(tmp_path)
    file = tmp_path / f"{name}.parquet"
    content = file.read_bytes()
    file.unlink()
    assert refused(tmp_path) == f"{file}: no such file; a run has {', '.join(f'{n}.parquet' for n in TABLES)}"
    for damaged in (b"", b"PAR1", content[: len(content) // 2], b"x" * len(content)):
        file.write_bytes(damaged)
        assert refused(tmp_path).startswith(f"{file}: no Parquet table: ")


def without(name: str) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.drop_columns([name])


def as_text(name: str) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        texts = [str(value) for value in table[name].to_pylist()]
        return table.set_column(table.column_names.index(name), name, pa.array(texts))

    return change


def nulled(name: str) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        kind = table.schema.field(name).type
        return table.set_column(table.column_names.index(name), name, pa.nulls(table.num_rows, kind))

    return change


def unknown_kind(table: pa.Table) -> pa.Table:
    kinds = pa.array(["teleport"] * table.num_rows)
    return table.set_column(table.column_names.index("kind"), "kind", kinds)


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        *(
            (name, without(column), f"column {column!r} is missing")
            for name in TABLES
            for column in SCHEMAS[name].names
        ),
        ("rows", as_text("t"), "column 't' is string; it must be int64"),
        ("events", as_text("when"), "column 'when' is string; it must be int64"),
        ("rows", nulled("node"), "column 'node' has 5 nulls; none is allowed"),
        ("events", nulled("when"), "column 'when' has 1 nulls; none is allowed"),
        ("rows", unknown_kind, "kind 'teleport'; kinds are start, subscribe"),
    ],
)
def test_a_damaged_set_of_columns_is_one_line(
    name: str, change: Callable[[pa.Table], pa.Table], problem: str, tmp_path: Path
) -> None:
    small().save(tmp_path)
    file = tmp_path / f"{name}.parquet"
    pq.write_table(change(pq.read_table(file)), file)
    assert refused(tmp_path).startswith(f"{file}: {problem}")


def test_rows_that_are_not_those_of_the_run_are_refused(tmp_path: Path) -> None:
    small().save(tmp_path)
    file = tmp_path / "rows.parquet"
    pq.write_table(pq.read_table(file).slice(1), file)
    line = refused(tmp_path)
    assert line.startswith(f"{file}: not the rows of this run (run.json says digest {small().digest}, the rows have ")


def test_a_digest_that_is_not_that_of_the_rows_is_refused(tmp_path: Path) -> None:
    small().save(tmp_path)
    file = tmp_path / "run.json"
    file.write_text(file.read_text().replace(small().digest, "0" * 32))
    assert refused(tmp_path).startswith(f"{tmp_path / 'rows.parquet'}: not the rows of this run")


def test_names_that_another_writer_stored_as_plain_text_are_read(tmp_path: Path) -> None:
    """Spark writes no dictionary types."""
    small().save(tmp_path)
    file = tmp_path / "rows.parquet"
    table = pq.read_table(file)
    plain = pa.schema([f.with_type(pa.string()) if pa.types.is_dictionary(f.type) else f for f in table.schema])
    pq.write_table(table.cast(plain), file)
    trace = load_trace(tmp_path)
    assert trace.rows.schema.equals(small().rows.schema)
    assert measure(trace) == measure(small())


@pytest.mark.fuzz
@given(name=st.sampled_from(TABLES), place=st.floats(0, 1, exclude_max=True), value=st.integers(0, 255))
def test_a_flipped_byte_gives_a_trace_or_one_line(
    name: str, place: float, value: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    random_world(3, 40, "full").save(folder)
    file = folder / f"{name}.parquet"
    content = bytearray(file.read_bytes())
    content[int(place * len(content))] = value
    file.write_bytes(content)
    try:
        line = f"{file}: {load_trace(folder).digest}"
    except ConfigError as error:
        line = str(error)
    assert line.startswith(f"{file}: ")
    assert "\n" not in line


def values_of(values: list[object]) -> tuple[pa.Field, list[object]]:
    """The column of an attribute with these values, None: the event has none."""
    builder = TraceBuilder(("Top",))
    for number, value in enumerate(values):
        attributes = {} if value is None else {"v": value}
        builder.published(Event(EventId(0, number), ("a",), attributes), 1, number)
    events = builder.build([], World().trace().field, {}).events
    return events.schema.field("a.v"), events["a.v"].to_pylist()


@pytest.mark.parametrize(
    ("values", "kind", "stored"),
    [
        ([1, None, 2], pa.int64(), [1, None, 2]),
        ([1, 2.5], pa.float64(), [1.0, 2.5]),
        ([True, None], pa.bool_(), [True, None]),
        (["x", "🙂"], pa.string(), ["x", "🙂"]),
        ([1, True, "x", 2.5, None], pa.string(), ["1", "true", '"x"', "2.5", None]),
        ([2**70], pa.string(), ["1180591620717411303424"]),
        ([2**53 + 1, 0.5], pa.string(), ["9007199254740993", "0.5"]),
        (["half \ud800"], pa.string(), ['"half \\ud800"']),
    ],
)
def test_attributes_keep_their_exact_values_whatever_their_kinds(
    values: list[object], kind: pa.DataType, stored: list[object]
) -> None:
    field, found = values_of(values)
    assert (field.type, found) == (kind, stored)
    is_json = kind == pa.string() and not all(isinstance(value, str) and value.isprintable() for value in values)
    assert (field.metadata or {}) == ({b"encoding": b"json"} if is_json else {})


def test_nan_is_kept_apart_from_no_value() -> None:
    _field, found = values_of([float("nan"), None])
    assert found[0] != found[0]
    assert found[1] is None


def test_a_subscription_that_is_asked_for_again_while_active_keeps_its_beginning() -> None:
    """A node that lost its state subscribes anew; to the application it never stopped."""
    world = World()
    subscription = world.subscribe(1)
    world.t = 100
    world.builder.subscribed(subscription, 100)
    world.unsubscribe(subscription)
    world.unsubscribe(subscription)
    world.t = 200
    world.builder.subscribed(subscription, 200)
    table = world.trace().subscriptions
    assert list(zip(table["since"].to_pylist(), table["until"].to_pylist(), strict=True)) == [(1, 101), (200, None)]
