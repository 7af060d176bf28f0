"""A trace: four tables, the field they happened in, and what the run was. One folder when saved."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from motecast.core import ConfigError
from motecast.trace.kinds import CODE, FORMAT, KINDS, LEVELS, NULLABLE, SCHEMAS

TABLES = tuple(SCHEMAS)
_DIGESTED = ("t", "node", "publisher", "number", "subscription", "hops")
_NEEDED = {"level": str, "ports": list, "promises": list, "digest": str}  # of run.json, without which nothing is judged


@dataclass
class Trace:
    """What happened in one run. `about`: name, stack, seed, level, ports, promises, until, digest, scenario."""

    rows: pa.Table
    events: pa.Table
    subscriptions: pa.Table
    totals: pa.Table
    field: pa.Table  # the artefact beside the trace: node, class, x, y, links
    about: dict[str, Any]

    @property
    def digest(self) -> str:
        """Names what was delivered: equal on every machine, at every level."""
        return str(self.about["digest"])

    def save(self, folder: str | Path) -> None:
        """Writes the folder; an earlier run in it is replaced."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        (path / "run.json").unlink(missing_ok=True)  # without it nobody takes a half-written folder for a run
        for name in TABLES:
            pq.write_table(getattr(self, name), path / f"{name}.parquet")
        text = json.dumps({"format": FORMAT, **self.about}, indent=1)
        (path / "run.json").write_text(text + "\n", encoding="utf-8")


def load_trace(folder: str | Path) -> Trace:
    """The trace in a folder; `ConfigError` names the file that is missing, broken or of another version."""
    path = Path(folder)
    about = _about(path)
    trace = Trace(**{name: _table(path / f"{name}.parquet", name) for name in TABLES}, about=about)
    found = digest_of(trace.rows)
    if found != trace.digest:
        said = f"run.json says digest {trace.digest}, the rows have {found}"
        raise ConfigError(f"{path / 'rows.parquet'}: not the rows of this run ({said}); run the scenario again")
    return trace


def _about(path: Path) -> dict[str, Any]:
    file = path / "run.json"
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ConfigError(
            f"{path}: no run here (run.json is missing); write one with motecast sim … --trace {path}"
        ) from None
    except (ValueError, OSError, RecursionError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from None
    found = about.pop("format", None) if isinstance(about, dict) else None
    if found != FORMAT:
        raise ConfigError(f"{file}: format {found!r}; this version reads format {FORMAT}: run the scenario again")
    for key, kind in _NEEDED.items():
        if not isinstance(about.get(key), kind):
            raise ConfigError(f"{file}: {key} = {about.get(key)!r}; a run has one of type {kind.__name__}")
    if about["level"] not in LEVELS:
        raise ConfigError(f"{file}: level = {about['level']!r}; levels are {', '.join(LEVELS)}")
    return dict(about)


def _table(file: Path, name: str) -> pa.Table:
    try:
        # Without partitioning, or a folder called loss=0.1 would become a column.
        table = pq.read_table(file, partitioning=None)
        table.validate(full=True)
    except FileNotFoundError:
        raise ConfigError(f"{file}: no such file; a run has {', '.join(f'{t}.parquet' for t in TABLES)}") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ConfigError(f"{file}: no Parquet table: {' '.join(str(error).split())[:200]}") from None
    for field in SCHEMAS[name]:
        table = _checked(file, table, field, nullable=field.name in NULLABLE[name])
    if name == "rows":
        _check_kinds(file, table)
    return table


def _checked(file: Path, table: pa.Table, field: pa.Field, *, nullable: bool) -> pa.Table:
    """The table with this column of the right type: names may come as plain text, anything else is damage."""
    if table.column_names.count(field.name) != 1:
        needed = ", ".join(SCHEMAS[file.stem].names)
        raise ConfigError(f"{file}: column {field.name!r} is missing or there twice; the columns are {needed}")
    column = table[field.name]
    if column.null_count and not nullable:
        raise ConfigError(f"{file}: column {field.name!r} has {column.null_count} nulls; none is allowed")
    if column.type == field.type:
        return table
    if not (pa.types.is_dictionary(field.type) and pa.types.is_string(column.type)):
        raise ConfigError(f"{file}: column {field.name!r} is {column.type}; it must be {field.type}")
    return table.set_column(table.column_names.index(field.name), field, column.dictionary_encode().cast(field.type))


def _check_kinds(file: Path, table: pa.Table) -> None:
    for kind in pc.unique(table["kind"].cast(pa.string())).to_pylist():
        if kind not in CODE:
            raise ConfigError(f"{file}: kind {kind!r}; kinds are {', '.join(KINDS)}")


def kind_codes(rows: pa.Table) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The kind of every row as its place in `KINDS`."""
    codes = [
        np.array([CODE[kind] for kind in chunk.dictionary.to_pylist()], dtype=np.int64)[chunk.indices.to_numpy()]
        for chunk in rows["kind"].chunks
        if len(chunk)
    ]
    return np.concatenate(codes) if codes else np.empty(0, dtype=np.int64)


def digest_of(rows: pa.Table) -> str:
    """BLAKE2b over the rows of the `deliveries` level, in order."""
    codes = kind_codes(rows)
    is_kept = np.isin(codes, [CODE[kind] for kind in LEVELS["deliveries"]])
    kept = rows if is_kept.all() else rows.filter(pa.array(is_kept))
    state = hashlib.blake2b(codes[is_kept].astype("<i1").tobytes(), digest_size=16)
    for name in _DIGESTED:
        for chunk in kept[name].chunks:
            state.update(np.ascontiguousarray(chunk.fill_null(-1).to_numpy()).data)
    for name in ("port", "detail"):
        # Each distinct text once, by first appearance, and its number in every row: fast, and no text can pose as two.
        texts, numbers = _by_appearance(kept[name])
        state.update(json.dumps(texts).encode())
        for some in numbers:
            state.update(some.astype("<i4").data)
    return state.hexdigest()


def _by_appearance(column: pa.ChunkedArray) -> tuple[list[str], list[np.ndarray[Any, np.dtype[np.int32]]]]:
    """The distinct texts in the order in which they appear, and which of them each row has (-1: none), by chunk."""
    seen: dict[str, int] = {}
    found = []
    for chunk in column.chunks:
        texts = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        indices = texts.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        distinct, first = np.unique(indices, return_index=True)
        distinct = distinct[np.argsort(first)]
        distinct = distinct[distinct >= 0]
        number = np.full(len(texts.dictionary) + 1, -1, dtype=np.int32)  # the last place is for null, which is -1
        for place, text in zip(distinct.tolist(), texts.dictionary.take(pa.array(distinct)).to_pylist(), strict=True):
            number[place] = seen.setdefault(text, len(seen))
        found.append(number[indices])
    return list(seen), found
