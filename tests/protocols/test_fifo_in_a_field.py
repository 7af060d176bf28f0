"""Order in a whole field whose links reorder: late subscribers, losses, crashes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pytest

from motecast.check import Run
from motecast.core import Advertise, Context, Event, EventId, Notify, Seek, Stack, asked, state
from motecast.protocols.plain import Fifo, Flood
from motecast.sim import deploy, run, scenario_of

FIELD = {
    "name": "late",
    "stack": "flood-fifo",
    "until": 60.0,
    "nodes": {"sensor": {"count": 10}, "late": {"count": 5}},
    "medium": {"range": 80.0, "latency": [0.01, 3.0]},
    "workload": {
        "sensor": {"publish": {"every": 2.0, "topics": ["a", "b"]}},
        "late": {"subscribe": {"topics": ["a"], "since": 30.0}},
    },
}


def live(seed: int, **settings: object) -> Run:
    """A run of the field, in which somebody has delivered something."""
    result = Run(run(scenario_of(FIELD, set=settings, seed=seed)))
    assert result.measures["delivered"]
    return result


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_without_losses_a_late_subscriber_misses_nothing_and_gaps_are_about_what_was_before_it(seed: int) -> None:
    """It begins with what comes first. That may be older than its subscription, and so may be what is missing next."""
    result = live(seed, **{"workload.sensor.publish.until": 40.0})  # so that everything has come when the run ends
    assert result.measures["delivery_ratio"] == 1.0
    when = {(row["publisher"], row["number"]): row["when"] for row in result.events.to_pylist()}
    for row in result.rows.to_pylist():
        if row["kind"] in ("gap", "drop"):
            last = int(row["detail"].removeprefix("last=")) if row["kind"] == "gap" else row["number"]
            assert all(when[row["publisher"], number] < 30_000_000 for number in range(row["number"], last + 1)), row


SKEWED = {
    "name": "skewed",
    "stack": "flood-fifo",
    "until": 40.0,
    "field": {"area": [40.0, 40.0]},
    "nodes": {"mote": {"count": 12, "placement": "grid"}},
    "medium": {"kind": "disk", "range": 15.0, "latency": [0.01, 0.8]},
    "workload": {"mote": {"publish": {"every": 0.5, "since": 2.0, "until": 20.0}, "subscribe": {"since": 1.0}}},
}


@pytest.mark.parametrize("offset", [-100.0, -2.0, 0.0, 2.0, 100.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_clocks_say_every_loss_is_flagged_and_there_are_few(seed: int, offset: float) -> None:
    """Node 0's clock is off: as a publisher's for all others, as a subscriber's for itself."""
    skew = {"schedule": [{"do": "skew", "when": 0.0, "node": 0, "offset": offset}]}
    result = Run(run(scenario_of({**SKEWED, "faults": skew}, seed=seed)))
    (verdict,) = result.check(["fifo"])
    assert verdict.word == "holds"
    assert result.measures["delivery_ratio"] > 0.99
    sequences: dict[tuple[int, int], list[dict[str, object]]] = {}
    for row in result.rows.to_pylist():
        if row["kind"] in ("deliver", "drop"):
            sequences.setdefault((row["node"], row["publisher"]), []).append(row)
    assert sum(map(len, sequences.values())) == result.measures["expected"]  # delivered or dropped: all has come
    for rows in sequences.values():
        for dropped, following in pairwise(rows):
            if dropped["kind"] == "drop" and following["kind"] == "deliver":
                assert following["detail"] == "gap"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_links_that_reorder_would_break_the_order_without_the_layer(seed: int) -> None:
    """So the other tests of this file say something."""
    result = live(seed, stack="flood")
    (verdict,) = [verdict for verdict in result.check(["fifo"]) if verdict.oracle == "fifo"]
    assert verdict.findings


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"medium.loss": 0.5},
        {"protocol.capacity": 2, "medium.loss": 0.3},
        {"protocol.publishers": 3},
        {"faults.rates": [{"do": "crash", "of": "late", "every": 20, "lasts": 4, "state": "kept"}]},
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", [1, 2])
def test_order_holds_whatever_is_lost_and_whoever_fails(seed: int, settings: dict[str, object]) -> None:
    (verdict,) = [verdict for verdict in live(seed, **settings).check() if verdict.oracle == "fifo"]
    assert (verdict.findings, verdict.skipped) == ((), None)


@dataclass
class Archive(Flood):
    """Keeps what passes by and brings it again."""

    ignores = (Advertise,)

    kept: dict[EventId, Event] = state(dict)

    def accept(self, ctx: Context, event: Event, hops: int) -> None:
        self.kept[event.id] = event
        super().accept(ctx, event, hops)

    @asked(Seek)
    def bring(self, ctx: Context, seek: Seek) -> None:
        for identity, event in sorted(self.kept.items(), reverse=True):
            if identity.publisher == seek.publisher and seek.first <= identity.number <= (seek.last or 0):
                ctx.up(Notify(event))


def archive() -> Stack:
    """What the scenario names."""
    return Stack(Fifo(), Archive())


def test_a_late_subscriber_seeks_history_and_the_order_holds() -> None:
    settings = {"stack": "tests.protocols.test_fifo_in_a_field:archive", "workload.sensor.publish.topics": ["a"]}
    deployed = deploy(scenario_of(FIELD, set=settings, seed=1))
    deployed.script.append((40_000_000, 12, Seek(0, 1, 9)))
    result = Run(run(deployed))
    rows = [row for row in result.rows.to_pylist() if row["kind"] == "deliver" and row["node"] == 12]
    mine = [(row["number"], row["detail"]) for row in rows if row["publisher"] == 0]
    assert [number for number, detail in mine if detail == "history"] == list(range(1, 10))
    (fifo,) = result.check(["fifo"])
    assert (fifo.word, result.measures["duplicates"], result.measures["unwanted"]) == ("holds", 0, 0)
    plain = next(place for place, (number, detail) in enumerate(mine) if detail is None)
    assert plain < mine.index((1, "history"))  # it does come after something newer
