"""The measures of `vocabulary.md`: each a pure function of a trace, None where it does not apply.

A measure is a function of the `View`; its docstring is its definition in the reference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from motecast.check.columns import NONE, Ints, ints
from motecast.check.stored import stored
from motecast.check.view import View
from motecast.core import ConfigError, unknown

if TYPE_CHECKING:
    from motecast.trace import Trace

Number: TypeAlias = "float | int | None"
SECOND = 1_000_000  # microseconds
PICO = 10**12  # picojoules a joule
DAY = 86_400.0  # s


def measure(trace: Trace) -> dict[str, Number]:
    """All measures of a trace, in the order of the vocabulary."""
    return measures_of(View(trace))


class NoMeasure(ConfigError, KeyError):
    """A name that no measure has."""

    __str__ = Exception.__str__  # a KeyError would quote the line


class Measures(dict[str, Number]):
    """The measures of a run by their names."""

    def __missing__(self, name: object) -> Number:
        raise NoMeasure(unknown("measure", str(name), MEASURES))


def measures_of(view: View) -> Measures:
    """All measures of a view."""
    return Measures({name: function(view) for name, function in MEASURES.items()})


def published(view: View) -> int:
    """Events published."""
    return len(view.publisher)


def expected(view: View) -> int:
    """Pairs (event, subscriber) whose subscription was active when the event was published and matches it; \
subscribers that die for good before the event's deadline are left out."""
    return len(view.pairs.event)


def delivered(view: View) -> int:
    """Expected pairs delivered before the event expired."""
    return int(view.pairs.delivered.sum())


def delivery_ratio(view: View) -> Number:
    """`delivered` / `expected`."""
    return _ratio(delivered(view), expected(view))


def delay_mean(view: View) -> Number:
    """Seconds from publication to first delivery, mean over delivered pairs."""
    return _ratio(int(_delays(view).sum()), len(_delays(view)) * SECOND)


def delay_p50(view: View) -> Number:
    """Median of the same seconds (percentiles interpolate linearly)."""
    return _percentile(view, 50)


def delay_p95(view: View) -> Number:
    """95th percentile of the same seconds."""
    return _percentile(view, 95)


def delay_p99(view: View) -> Number:
    """99th percentile of the same seconds."""
    return _percentile(view, 99)


def duplicates(view: View) -> int:
    """Deliveries after the first of a pair (event, node)."""
    known = view.deliveries.event != NONE
    return int(known.sum()) - len(view.first[0])


def unwanted(view: View) -> int:
    """Deliveries of an event to a node that had no matching subscription between publication and delivery."""
    return int((~view.deliveries.wanted & (view.deliveries.event != NONE)).sum())


def gaps(view: View) -> int:
    """Deliveries made although a predecessor was missing, and flagged so."""
    return int(view.has_gap.sum())


def violations(view: View) -> Number:
    """Findings of the `always` oracles that the stack promises; null if none of them could be judged."""
    from motecast.check.judge import violations_of

    return violations_of(view)


def arrivals_per_event(view: View) -> Number:
    """Copies of events that reached a node that wants them, before duplicates are removed and order is made / \
`published`."""
    return _ratio(len(view.arrivals), published(view))


def redundancy(view: View) -> Number:
    """Those of these arrivals that are of `expected` pairs / `delivered`."""
    return _ratio(len(view.expected_arrivals), delivered(view))


def transmissions_per_event(view: View) -> Number:
    """Transmissions of frames that carry event content / `published`; a retransmission counts again."""
    return _ratio(int(_total(view, "count")[_carrying(view)].sum()), published(view))


def control_per_event(view: View) -> Number:
    """All other transmissions / `published`."""
    return _ratio(int(_total(view, "count")[~_carrying(view)].sum()), published(view))


def payload_bytes(view: View) -> int:
    """Bytes transmitted that are event content."""
    return int(_total(view, "payload").sum())


def metadata_bytes(view: View) -> int:
    """Bytes transmitted that are headers of frames with event content in them."""
    return int(_total(view, "metadata").sum())


def control_bytes(view: View) -> int:
    """All other bytes transmitted."""
    return int(_total(view, "size").sum()) - payload_bytes(view) - metadata_bytes(view)


def hops_mean(view: View) -> Number:
    """Transmissions on the path from publisher to subscriber, mean over delivered pairs whose layer knows it."""
    hops = view.hops[view.first_delivery]
    return _mean(hops[hops != NONE])


def stretch_mean(view: View) -> Number:
    """Mean over delivered pairs of two nodes of hops / fewest possible; null if nodes move or links are unknown."""
    hops, shortest = view.ways
    return _mean(hops / shortest) if len(hops) else None


def stretch_total(view: View) -> Number:
    """Sum of the same hops / sum of the fewest possible."""
    hops, shortest = view.ways
    return _ratio(int(hops.sum()), int(shortest.sum()))


def stored_per_subscription(view: View) -> Number:
    """Nodes that store a subscription at the end, mean over active subscriptions; needs level `full` and a stack \
that notes what it stores."""
    return stored(view)


def load_mean(view: View) -> Number:
    """Transmissions per node, mean over all nodes."""
    return _ratio(int(_total(view, "count").sum()), view.trace.field.num_rows)


def load_max(view: View) -> Number:
    """Transmissions of the busiest node."""
    if not view.trace.field.num_rows:
        return None
    node, count = _total(view, "node"), _total(view, "count")
    return int(np.bincount(node, weights=count).max()) if len(node) else 0


def energy_joules(view: View) -> Number:
    """Radio energy of all nodes that are charged, in joules; null if the scenario has no table of energy."""
    spent = _picojoules(view)
    return None if spent is None else int(spent.sum()) / PICO


def lifetime_days(view: View) -> Number:
    """Initial energy / mean power of the busiest node, over the run or until it was empty; null without a table of \
energy, or if nothing was charged."""
    spent = _picojoules(view)
    if spent is None or not spent.any():
        return None
    initial = float(view.about["scenario"]["energy"]["initial"])
    seconds = np.full(len(spent), float(view.about["until"]))
    gone = view.where("crash")
    for node, t in zip(view.node[gone].tolist(), view.t[gone].tolist(), strict=True):
        if spent[node] >= initial * PICO:
            seconds[node] = t / SECOND
    power = spent / PICO / np.maximum(seconds, 1 / SECOND)
    return float(initial / power.max() / DAY)


def _delays(view: View) -> Ints:
    """Microseconds, so that no measure depends on the order in which floats are added."""
    return view.deliveries.t[view.first_delivery] - view.when[view.pairs.event[view.pairs.delivered]]


def _percentile(view: View, percent: int) -> Number:
    delays = _delays(view)
    return float(np.percentile(delays, percent)) / SECOND if len(delays) else None


def _frames(view: View) -> pa.Table:
    """The totals that are of frames."""
    totals = view.trace.totals
    return totals.filter(pc.not_equal(totals["kind"].cast("string"), "energy"))


def _picojoules(view: View) -> Ints | None:
    """What each node spent, as the totals of kind energy say; None if nobody counted."""
    if not (view.about.get("scenario") or {}).get("energy"):
        return None
    totals = view.trace.totals
    charged = totals.filter(pc.equal(totals["kind"].cast("string"), "energy"))
    spent = np.zeros(view.trace.field.num_rows, dtype=np.int64)
    np.add.at(spent, ints(charged["node"]), ints(charged["size"]))
    return spent


def _total(view: View, name: str) -> Ints:
    return ints(_frames(view)[name])


def _carrying(view: View) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which totals are of frames with content; those of other frames of the same message are rows of their own."""
    return np.asarray(_total(view, "payload") > 0)


def _mean(values: np.ndarray[tuple[int], np.dtype[np.number]]) -> Number:
    return float(values.mean()) if len(values) else None


def _ratio(part: int, whole: int) -> Number:
    return part / whole if whole else None


_ALL: tuple[Callable[[View], Number], ...] = (
    published, expected, delivered, delivery_ratio, delay_mean, delay_p50, delay_p95, delay_p99, duplicates, unwanted,
    gaps, violations, arrivals_per_event, redundancy, transmissions_per_event, control_per_event, payload_bytes,
    metadata_bytes, control_bytes, hops_mean, stretch_mean, stretch_total, stored_per_subscription, load_mean, load_max,
    energy_joules, lifetime_days,
)  # fmt: skip
MEASURES: dict[str, Callable[[View], Number]] = {function.__name__: function for function in _ALL}
