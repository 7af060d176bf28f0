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
from motecast.trace.kinds import CODE, FORMAT, LEVELS

TABLES = ("rows", "events", "subscriptions", "totals", "field")
_DIGESTED = ("t", "node", "publisher", "number", "subscription", "hops")


@dataclass
class Trace:
    """What happened in one run. `about`: name, stack, seed, version, level, ports, promises, until, digest, scenario."""

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
        for name in TABLES:
            pq.write_table(getattr(self, name), path / f"{name}.parquet")
        text = json.dumps({"format": FORMAT, **self.about}, indent=1)
        (path / "run.json").write_text(text + "\n")


def load_trace(folder: str | Path) -> Trace:
    """The trace in a folder; `ConfigError` names the file that is missing, broken or of another version."""
    path = Path(folder)
    about = _about(path)
    tables = {}
    for name in TABLES:
        file = path / f"{name}.parquet"
        try:
            tables[name] = pq.read_table(file)
        except FileNotFoundError:
            raise ConfigError(f"{file}: no such file; a run has {', '.join(f'{t}.parquet' for t in TABLES)}") from None
        except (pa.ArrowInvalid, OSError) as error:
            raise ConfigError(f"{file}: no Parquet table: {str(error).splitlines()[0]}") from None
    return Trace(**tables, about=about)


def _about(path: Path) -> dict[str, Any]:
    file = path / "run.json"
    try:
        about = json.loads(file.read_text())
    except (FileNotFoundError, NotADirectoryError):
        raise ConfigError(
            f"{path}: no run here (run.json is missing); write one with motecast sim … --trace {path}"
        ) from None
    except (ValueError, OSError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from None
    found = about.pop("format", None) if isinstance(about, dict) else None
    if found != FORMAT:
        raise ConfigError(f"{file}: format {found!r}; this version reads format {FORMAT}: run the scenario again")
    return about


def digest_of(rows: pa.Table) -> str:
    """BLAKE2b over the rows of the `deliveries` level, in order."""
    kinds = pa.array(sorted(LEVELS["deliveries"]))
    kept = rows.filter(pc.is_in(rows["kind"].cast(pa.string()), kinds))
    state = hashlib.blake2b(digest_size=16)
    for name in _DIGESTED:
        state.update(kept[name].cast(pa.int64()).fill_null(-1).to_numpy().astype("<i8").tobytes())
    names = kept["kind"].cast(pa.string()).to_pylist()
    state.update(np.array([CODE[name] for name in names], dtype="<i8").tobytes())
    for name in ("port", "detail"):
        state.update("\0".join(kept[name].cast(pa.string()).fill_null("").to_pylist()).encode())
    return state.hexdigest()
