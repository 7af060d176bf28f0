"""A table of a Parquet file, or one line about what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from motecast.core import ConfigError


def read_parquet(path: Path, what: str) -> pa.Table:
    """The table; `what` is what the file should have been. Folders named like loss=0.1 become no columns."""
    try:
        return pq.read_table(path, partitioning=None)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file or directory") from None
    except (pa.ArrowException, OSError) as error:
        raise ConfigError(f"{path}: no {what}: {str(error).splitlines()[0]}") from None
