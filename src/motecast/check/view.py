"""What measures and oracles ask of a trace, computed once: pairs that were expected, deliveries joined to their events.

An event is known by its row in the table of events (so a smaller one was published earlier), a row by its number.
A pair (event, node) is one integer, `event * width + node`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from motecast.check.columns import NEVER, NONE, Bools, Ints, find, firsts, ints, texts_equal
from motecast.check.life import Life
from motecast.check.matching import Matching
from motecast.check.paths import ways
from motecast.check.sequences import Sequences, sequences
from motecast.check.wanted import Asked, Wanted
from motecast.trace.kinds import CODE
from motecast.trace.store import kind_codes

if TYPE_CHECKING:
    from motecast.trace import Trace

AT_ONCE = 1_000_000  # rows that are looked up in one go
ALPHA = 0.99  # Agreement: the share that must deliver what one delivered, when nobody says otherwise


class Copies(NamedTuple):
    """Rows about an event at a node, as columns. `event` is `NONE` for an id that nobody published."""

    row: Ints
    t: Ints
    node: Ints
    event: Ints
    wanted: Bools  # a subscription of the node matches and was active some time between publication and this row


class Pairs(NamedTuple):
    """Expected pairs in the order of their keys; `first` is the place of the first delivery in `deliveries`."""

    event: Ints
    node: Ints
    first: Ints  # NONE: never delivered
    delivered: Bools  # delivered before the event expired


class View:
    """One trace, seen by measures and oracles."""

    def __init__(self, trace: Trace, alpha: float = ALPHA) -> None:
        self.trace = trace
        self.alpha = alpha

    @property
    def about(self) -> dict[str, Any]:
        """What the run was."""
        return self.trace.about

    @property
    def is_full(self) -> bool:
        """True when every row was written."""
        return bool(self.about["level"] == "full")

    # Rows

    @cached_property
    def kind(self) -> Ints:
        """The code of every row's kind."""
        return kind_codes(self.trace.rows)

    @cached_property
    def t(self) -> Ints:
        """Microseconds of every row."""
        return ints(self.trace.rows["t"])

    @cached_property
    def node(self) -> Ints:
        """The node of every row."""
        return ints(self.trace.rows["node"])

    @cached_property
    def life(self) -> Life:
        """When each node was up."""
        return Life.of(self.trace.rows, self.kind)

    @staticmethod
    def code(kind: str) -> int:
        """The number of a kind."""
        return CODE[kind]

    def where(self, *kinds: str) -> Ints:
        """The rows of these kinds."""
        return np.flatnonzero(np.isin(self.kind, [CODE[kind] for kind in kinds])).astype(np.int64)

    def column(self, name: str, rows: Ints) -> Ints:
        """Some rows of a column of numbers."""
        return ints(self.trace.rows[name].take(_indices(rows)))

    def texts(self, name: str, rows: Ints) -> pa.ChunkedArray:
        """Some rows of a column of texts."""
        return self.trace.rows[name].take(_indices(rows))

    # Events

    @cached_property
    def publisher(self) -> Ints:
        """The publisher of every event."""
        return ints(self.trace.events["publisher"])

    @cached_property
    def number(self) -> Ints:
        """The number of every event at its publisher."""
        return ints(self.trace.events["number"])

    @cached_property
    def when(self) -> Ints:
        """Microseconds at which every event was published."""
        return ints(self.trace.events["when"])

    @cached_property
    def deadline(self) -> Ints:
        """Microseconds after which nobody wants it any more."""
        return ints(self.trace.events["expires"], null=NEVER)

    @cached_property
    def publishers(self) -> Ints:
        """The distinct publishers, sorted."""
        return np.unique(self.publisher)

    @cached_property
    def rank(self) -> Ints:
        """Which event of its publisher each one is, counted from 1."""
        order = np.argsort(self.publisher, kind="stable")
        group = self.publisher[order]
        start = np.searchsorted(group, group)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - start + 1
        return rank

    @cached_property
    def published_row(self) -> Ints:
        """The row in which each event's own publisher published it; `NONE` where there is none."""
        rows = self.where("publish")
        event = self.event_of(rows)
        own = (event != NONE) & (self.publisher[event] == self.node[rows]) if len(self.publisher) else event != NONE
        rows, event = rows[own], event[own]
        found = np.full(len(self.publisher), NONE, dtype=np.int64)
        found[event[::-1]] = rows[::-1]  # of several rows the first counts
        return found

    def event_of(self, rows: Ints) -> Ints:
        """The event that each of these rows names; `NONE` where it names none, or one that nobody published."""
        return np.concatenate(
            [*(self._event_of(rows[a : a + AT_ONCE]) for a in range(0, len(rows), AT_ONCE)), rows[:0]]
        )

    def _event_of(self, rows: Ints) -> Ints:
        numbers = np.unique(self.number)
        publisher = find(self.publishers, self.column("publisher", rows))
        number = find(numbers, self.column("number", rows))
        keys = find(self.publishers, self.publisher) * len(numbers) + find(numbers, self.number)
        first = firsts(keys)
        place = find(keys[first], publisher * len(numbers) + number)
        known = (publisher != NONE) & (number != NONE) & (place != NONE)
        if not len(first):
            return np.full(len(rows), NONE, dtype=np.int64)
        return np.where(known, first[place], NONE).astype(np.int64)

    def named(self, event: int) -> str:
        """An event as people write it."""
        return f"{self.publisher[event]}/{self.number[event]}"

    # Copies of events at nodes

    @cached_property
    def deliveries(self) -> Copies:
        """Every delivery, in the order of the rows."""
        return self._joined[2]["deliver"]

    @cached_property
    def duplicates(self) -> Copies:
        """Every copy that a layer noticed to have already."""
        return self._joined[2]["duplicate"]

    @cached_property
    def arrivals(self) -> Ints:
        """The pair of every copy that reached a node that wants its event, as a key: delivered, or a duplicate, or, if
        it was never delivered there, dropped by a layer. A layer on top that drops what it gets changes nothing.
        """
        keys = {kind: (c.event * self.width + c.node)[c.wanted] for kind, c in self._joined[2].items()}
        dropped = np.unique(keys["drop"])
        found = [keys["deliver"], keys["duplicate"], dropped[find(self.first[0], dropped) == NONE]]
        return np.concatenate(found)

    @cached_property
    def expected_arrivals(self) -> Ints:
        """Those of them that are of expected pairs."""
        pairs = self.pairs.event * self.width + self.pairs.node
        return np.asarray(self.arrivals[find(pairs, self.arrivals) != NONE], dtype=np.int64)

    @cached_property
    def hops(self) -> Ints:
        """Of every delivery; `NONE` where the layer does not know."""
        return self.column("hops", self.deliveries.row)

    @cached_property
    def has_gap(self) -> Bools:
        """Which deliveries are flagged: a predecessor was missing."""
        return self._is_said("gap")

    @cached_property
    def is_history(self) -> Bools:
        """Which deliveries the application sought: they are outside of the order of what is new."""
        return self._is_said("history")

    def _is_said(self, word: str) -> Bools:
        said = self.texts("detail", self.deliveries.row)
        return texts_equal(said, word) | texts_equal(said, "gap; history")

    @cached_property
    def width(self) -> int:
        """More than any node's number."""
        columns = (self.node, ints(self.trace.subscriptions["subscriber"]), ints(self.trace.field["node"]))
        return 1 + max((int(column.max()) for column in columns if len(column)), default=0)

    @cached_property
    def first(self) -> tuple[Ints, Ints]:
        """Pairs that were delivered at all: their sorted keys, and the place of the first delivery of each."""
        known = np.flatnonzero(self.deliveries.event != NONE)
        keys = self.deliveries.event[known] * self.width + self.deliveries.node[known]
        place = firsts(keys)
        return keys[place], known[place]

    @cached_property
    def pairs(self) -> Pairs:
        """Every expected pair and what became of it."""
        event, node, _copies = self._joined
        keys, first = self.first
        place = find(keys, event * self.width + node)
        first = np.where(place != NONE, first[place], NONE) if len(first) else place
        late = self.deliveries.t[first] > self.deadline[event] if len(self.deliveries.t) else place == NONE
        return Pairs(event, node, first, (first != NONE) & ~late)

    @cached_property
    def first_delivery(self) -> Ints:
        """For every delivered pair the place of its first delivery in `deliveries`."""
        return self.pairs.first[self.pairs.delivered]

    @cached_property
    def ways(self) -> tuple[Ints, Ints]:
        """Of delivered pairs of two nodes: hops, and the fewest possible."""
        return ways(self)

    @cached_property
    def sequences(self) -> Sequences:
        """First deliveries of every memory of every node, in order."""
        return sequences(self)

    @cached_property
    def _joined(self) -> tuple[Ints, Ints, dict[str, Copies]]:
        """In one pass over the events: who should get each (events, nodes), and the copies, wanted or not."""
        copies = {kind: self._copies(kind) for kind in ("deliver", "duplicate", "drop")}
        questions = [Asked(some.event, some.node, some.t, answers=some.wanted) for some in copies.values()]
        matching = Matching(self.trace.events, self.trace.subscriptions)
        since = ints(self.trace.subscriptions["since"])
        until = ints(self.trace.subscriptions["until"], null=NEVER)
        wanted = Wanted(self.width, matching.subscribers, since, until)
        nodes = [np.empty(0, dtype=np.int64)]
        for event, matched in enumerate(matching):
            when = int(self.when[event])
            nodes.append(wanted.expected(matched, when))
            if any(asked.has(event) for asked in questions):
                earliest = wanted.earliest(matched, when)
                for asked in questions:
                    asked.answer(event, earliest)
        event_of_pair = np.repeat(np.arange(len(nodes), dtype=np.int64) - 1, [len(some) for some in nodes])
        node = np.concatenate(nodes)
        lives = self.life.death(node) >= self.deadline[event_of_pair]
        return event_of_pair[lives], node[lives], copies

    def _copies(self, kind: str) -> Copies:
        row = self.where(kind)
        if kind == "drop":  # a frame that its own node could not send arrives nowhere
            row = row[self.texts("message", row).is_null().to_numpy()]
        return Copies(row, self.t[row], self.node[row], self.event_of(row), np.zeros(len(row), dtype=np.bool_))


def _indices(rows: Ints) -> pa.Array:
    return pa.array(rows, pa.int64())
