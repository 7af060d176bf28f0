"""One trace serves measures, oracles, replay, figures and Spark."""

from motecast.trace.builder import TraceBuilder
from motecast.trace.kinds import KINDS, LEVELS
from motecast.trace.store import TABLES, Trace, digest_of, kind_codes, load_trace

__all__ = ["KINDS", "LEVELS", "TABLES", "Trace", "TraceBuilder", "digest_of", "kind_codes", "load_trace"]
