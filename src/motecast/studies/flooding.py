"""What flooding costs and what it survives, and what gossip by chance saves of it.

Flooding is everybody's baseline, so its numbers are worth knowing by heart: one transmission a node and event, copies
as many as links, and almost no harm from loss, because every node has many chances to hear an event. Gossip with
probability p [Haas, Halpern, Li: Gossip-Based Ad Hoc Routing, 2006] sends about the share p of that.
"""

from __future__ import annotations

from motecast.studies.results import Results
from motecast.studies.study import Case, Claim, Scale, Study

NODES = 120

SCENARIO = {
    "name": "flooding",
    "stack": "flood",
    "until": 60.0,
    "field": {"area": [220.0, 220.0]},
    "nodes": {"mote": {"count": NODES, "placement": "grid"}},
    "medium": {"kind": "disk", "range": 40.0, "latency": [0.001, 0.004]},
    "workload": {"mote": {"publish": {"every": 20.0, "until": 55.0}, "subscribe": {"topics": ["field"]}}},
}

LOSSES = (0.0, 0.1, 0.3)


def _row(stack: str, loss: float) -> str:
    return f"{stack}, loss {loss:.0%}"


def _cases() -> tuple[Case, ...]:
    flood = [Case(_row("flood", loss), {"medium.loss": loss}) for loss in LOSSES]
    gossip = [
        Case(_row("gossip 0.7", loss), {"stack": "gossip", "protocol.p": 0.7, "medium.loss": loss}) for loss in LOSSES
    ]
    return (*flood, *gossip)


def _ratio(results: Results, label: str) -> str:
    return f"{label}: {results.mean(label, 'delivery_ratio'):.4f}"


def _sent(results: Results, label: str) -> float:
    return results.mean(label, "transmissions_per_event")


CLAIMS = (
    Claim(
        "without loss, flooding in a connected field delivers everything",
        lambda results: results.mean(_row("flood", 0.0), "delivery_ratio") == 1.0,
        lambda results: _ratio(results, _row("flood", 0.0)),
    ),
    Claim(
        "without loss, flooding costs exactly one transmission a node and event",
        lambda results: _sent(results, _row("flood", 0.0)) == NODES,
        lambda results: f"{_sent(results, _row('flood', 0.0)):g} transmissions an event, {NODES} nodes",
    ),
    Claim(
        "flooding loses at most 1 % of the deliveries where every third frame is lost",
        lambda results: results.mean(_row("flood", 0.3), "delivery_ratio") >= 0.99,
        lambda results: _ratio(results, _row("flood", 0.3)),
    ),
    Claim(
        "gossip with p = 0.7 sends 25 to 35 % less than flooding",
        lambda results: 0.65 <= _sent(results, _row("gossip 0.7", 0.0)) / _sent(results, _row("flood", 0.0)) <= 0.75,
        lambda results: (
            f"{_sent(results, _row('gossip 0.7', 0.0)) / _sent(results, _row('flood', 0.0)):.3f} of flooding"
        ),
    ),
    Claim(
        "gossip with p = 0.7 still delivers at least 97 % without loss",
        lambda results: results.mean(_row("gossip 0.7", 0.0), "delivery_ratio") >= 0.97,
        lambda results: _ratio(results, _row("gossip 0.7", 0.0)),
    ),
)

STUDY = Study(
    name="flooding",
    title="What flooding costs and survives, and what gossip saves",
    source="ours; gossip after Haas, Halpern, Li 2006, GOSSIP1(p)",
    scenario=SCENARIO,
    cases=_cases(),
    measures=("delivery_ratio", "delay_mean", "transmissions_per_event", "redundancy", "stretch_mean"),
    claims=CLAIMS,
    scales={
        "smoke": Scale(range(1, 3), {"until": 15.0, "workload.mote.publish.until": 12.0}),
        "ci": Scale(range(1, 6)),
        "full": Scale(range(1, 21)),
    },
)
