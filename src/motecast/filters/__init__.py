"""The filter language: an SQL condition on the attributes of an event, and MQTT's topic filters.

A condition becomes one tree, and the tree becomes a fast function, boxes for an index, SQL text, and a canonical text.
Useful on its own: everything works on plain mappings.
"""

from motecast.filters.box import Box, Boxes, boxes
from motecast.filters.canonical import canonical, text
from motecast.filters.closure import Matcher, compiled
from motecast.filters.columns import Columns, assumed_columns
from motecast.filters.covering import covers
from motecast.filters.dialects import DUCKDB, SPARK, Dialect
from motecast.filters.errors import FilterError, Place
from motecast.filters.filter import Filter
from motecast.filters.interpreter import evaluate
from motecast.filters.intervals import Interval, Members
from motecast.filters.limits import (
    MAX_BOXES,
    MAX_COORDINATE,
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_POINTS,
    MAX_STEPS,
    MAX_TERMS,
    MAX_VALUES,
)
from motecast.filters.parser import parse
from motecast.filters.sql import sql_text
from motecast.filters.syntax import Expression, path_key, paths
from motecast.filters.topics import TopicTrie, check_topic, check_topic_filter, topic_covers, topic_matches
from motecast.filters.values import Event, Path, Scalar, Value

__all__ = [
    "Filter",
    "FilterError",
    "Place",
    "parse",
    "canonical",
    "text",
    "evaluate",
    "compiled",
    "Matcher",
    "boxes",
    "Boxes",
    "Box",
    "Interval",
    "Members",
    "covers",
    "sql_text",
    "SPARK",
    "DUCKDB",
    "Dialect",
    "Columns",
    "assumed_columns",
    "paths",
    "path_key",
    "Expression",
    "Event",
    "Path",
    "Scalar",
    "Value",
    "TopicTrie",
    "check_topic",
    "check_topic_filter",
    "topic_covers",
    "topic_matches",
    "MAX_BOXES",
    "MAX_COORDINATE",
    "MAX_DEPTH",
    "MAX_LENGTH",
    "MAX_POINTS",
    "MAX_STEPS",
    "MAX_TERMS",
    "MAX_VALUES",
]
