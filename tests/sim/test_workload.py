"""What applications do: when they publish what, to which topics, and who wants what."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from motecast.core import Advertise, Event, Publish, Subscribe, Subscription, Unsubscribe
from motecast.filters import parse
from motecast.sim import deploy, run, scenario_of
from motecast.sim.workload import pick, sample


def script(publish: dict[str, Any] | None = None, subscribe: dict[str, Any] | None = None, **more: Any) -> list[Any]:
    """The script of a class of applications."""
    folder = more.pop("folder", ".")
    work = {name: table for name, table in (("publish", publish), ("subscribe", subscribe)) if table is not None}
    plain = {"name": "w", "stack": "flood", "until": 1000.0, "nodes": {"n": {"count": 10}}, "workload": {"n": work}}
    return deploy(scenario_of({**plain, "medium": {"kind": "rounds"}, **more}, folder)).script


def events(publish: dict[str, Any], **more: Any) -> list[Event]:
    return [act[2].event for act in script(publish, **more) if isinstance(act[2], Publish)]


def subscriptions(subscribe: dict[str, Any], **more: Any) -> list[Subscription]:
    return [act[2].subscription for act in script(None, subscribe, **more) if isinstance(act[2], Subscribe)]


def values(how: Any, **more: Any) -> list[Any]:
    return [event.attributes["v"] for event in events({"every": 1.0, "attributes": {"v": how}, **more})]


# When


def test_poisson_gaps_have_the_mean_and_the_spread_of_an_exponential() -> None:
    of_one = [event.when for event in events({"every": 0.5}) if event.id.publisher == 3]
    gaps = np.diff(of_one)
    assert 0.45 < gaps.mean() < 0.55
    assert 0.45 < gaps.std() < 0.55
    assert of_one[-1] <= 1000.0


def test_periodic_gaps_are_all_alike_and_nodes_are_out_of_step() -> None:
    found = events({"every": 10.0, "arrivals": "periodic"})
    of_one = [event.when for event in found if event.id.publisher == 3]
    assert np.diff(of_one) == pytest.approx(10.0, abs=2e-6)
    assert len(of_one) == 100
    assert len({event.when % 10.0 for event in found[:10]}) == 10


def test_since_until_and_limit_bound_what_a_node_publishes() -> None:
    found = events({"every": 1.0, "since": 100.0, "until": 200.0})
    assert 100.0 < min(event.when for event in found) < 102.0
    assert 198.0 < max(event.when for event in found) <= 200.0
    found = events({"every": 1.0, "limit": 7})
    assert Counter(event.id.publisher for event in found) == dict.fromkeys(range(10), 7)
    assert events({"every": 1.0, "limit": 0}) == []


def test_events_are_numbered_from_one_without_holes_and_time_grows() -> None:
    found = [event for event in events({"every": 5.0}) if event.id.publisher == 4]
    assert [event.id.number for event in found] == list(range(1, len(found) + 1))
    assert sorted(event.when for event in found) == [event.when for event in found]


def test_a_share_of_the_class_publishes_and_another_share_subscribes() -> None:
    assert len({event.id.publisher for event in events({"every": 1.0, "share": 0.4})}) == 4
    assert len({one.subscriber for one in subscriptions({"share": 0.3})}) == 3


def test_expiry_counts_from_publication_and_reaches_the_trace_in_true_time() -> None:
    plain = {
        "name": "e",
        "stack": "flood",
        "until": 20.0,
        "nodes": {"n": {"count": 2}},
        "workload": {"n": {"publish": {"every": 2.0, "expires": 3.0, "payload": 10}}},
        "faults": {"schedule": [{"do": "skew", "when": 0.0, "node": 1, "offset": 50.0}]},
    }
    table = run(scenario_of(plain)).events
    assert {e - w for e, w in zip(table["expires"].to_pylist(), table["when"].to_pylist(), strict=True)} == {3_000_000}
    assert min(table["size"].to_pylist()) > 10


# What


def test_a_fixed_attribute_is_itself_and_distributions_have_their_shape() -> None:
    assert set(values("smoke")) == {"smoke"}
    assert set(values(True)) == {True}
    uniform = np.array(values({"uniform": [10.0, 30.0]}))
    assert uniform.min() >= 10.0
    assert uniform.max() <= 30.0
    assert 19.5 < uniform.mean() < 20.5
    normal = np.array(values({"normal": [21.0, 4.0]}))
    assert 20.8 < normal.mean() < 21.2
    assert 3.8 < normal.std() < 4.2
    assert set(values({"integers": [1, 3]})) == {1, 2, 3}
    assert {type(value) for value in values({"integers": [1, 3]})} == {int}


def test_a_choice_is_alike_or_by_zipfs_law() -> None:
    alike = Counter(values({"choice": ["a", "b", 3, True]}))
    assert set(alike) == {"a", "b", 3, True}
    assert max(alike.values()) < 1.2 * min(alike.values())
    zipf = Counter(values({"choice": ["a", "b", "c"], "zipf": 1.0}))
    assert zipf["a"] / zipf["b"] == pytest.approx(2.0, rel=0.1)
    assert zipf["a"] / zipf["c"] == pytest.approx(3.0, rel=0.15)
    assert set(values({"choice": ["a", "b"], "zipf": 100.0})) == {"a"}


def test_a_walk_makes_small_steps_inside_its_bounds_and_starts_anywhere() -> None:
    found = events({"every": 1.0, "attributes": {"v": {"walk": [0.0, 10.0, 0.5]}}})
    first = [event.attributes["v"] for event in found if event.id.number == 1]
    assert len(set(first)) == 10
    assert max(first) - min(first) > 4.0
    steps = [event.attributes["v"] for event in found if event.id.publisher == 3]
    assert all(0.0 <= value <= 10.0 for value in steps)
    assert max(np.abs(np.diff(steps))) <= 0.5
    assert max(steps) - min(steps) > 3.0


# Topics


def test_topics_name_the_node_and_its_class() -> None:
    found = events({"every": 100.0, "topics": ["{class}/{node}/t"]})
    assert {event.topics for event in found} == {(f"n/{node}/t",) for node in {e.id.publisher for e in found}}
    wanted = subscriptions({"topics": ["{class}/{node}/#", "+/x"]})
    assert [one.topic for one in wanted if one.subscriber == 4] == ["n/4/#", "+/x"]


def test_popular_topics_come_first() -> None:
    topics = Counter(event.topics[0] for event in events({"every": 1.0, "topics": ["a", "b", "c"], "zipf": 1.0}))
    assert topics["a"] / topics["b"] == pytest.approx(2.0, rel=0.1)
    alike = Counter(event.topics[0] for event in events({"every": 1.0, "topics": ["a", "b", "c"]}))
    assert max(alike.values()) < 1.1 * min(alike.values())


def test_an_event_has_so_many_different_topics_or_all_if_there_are_fewer() -> None:
    found = events({"every": 10.0, "topics": ["a", "b", "c"], "per_event": 2, "zipf": 30.0})
    assert {event.topics for event in found} == {("a", "b")}
    assert {event.topics for event in events({"every": 10.0, "topics": ["a", "a", "b"], "per_event": 3})} == {
        ("a", "b")
    }


def test_a_sample_without_putting_back_has_the_probabilities_of_picking_one_after_the_other() -> None:
    rng, count = Random(1), 20_000
    found = Counter(tuple(sample("abc", 2, 1.0, rng)) for _ in range(count))
    weights = {"a": 1.0, "b": 1 / 2, "c": 1 / 3}
    total = sum(weights.values())
    for (first, second), times in found.items():
        chance = weights[first] / total * weights[second] / (total - weights[first])
        assert times / count == pytest.approx(chance, abs=0.015)
    assert len(found) == 6


def test_zipf_over_a_hundred_gives_each_rank_its_weight() -> None:
    rng = Random(2)
    found = Counter(pick(range(100), 0.8, rng) for _ in range(50_000))
    total = sum((rank + 1) ** -0.8 for rank in range(100))
    for rank in (0, 1, 9, 99):
        assert found[rank] / 50_000 == pytest.approx((rank + 1) ** -0.8 / total, abs=0.006)


def test_what_will_be_published_is_advertised_before() -> None:
    acts = script({"every": 1.0, "since": 5.0, "topics": ["a/{node}", "b"], "limit": 1})
    told = [(t, node, signal.topic) for t, node, signal in acts if isinstance(signal, Advertise)]
    assert told[:2] == [(5_000_000, 0, "a/0"), (5_000_000, 0, "b")]
    assert [isinstance(signal, Publish) for _, _, signal in acts] == [False] * 20 + [True] * 10


# Subscriptions


def widths(how: dict[str, Any]) -> list[tuple[float, float]]:
    found = subscriptions({"count": 100, "ranges": {"v": {"domain": [-50.0, 150.0], **how}}})
    texts = [one.where.split() for one in found if one.where]
    assert all(parse(one.where) for one in found if one.where)
    return [(float(text[2]), float(text[4])) for text in texts]


def test_widths_are_uniform_shares_of_the_domain_and_the_range_is_inside() -> None:
    found = widths({"width": [0.1, 0.3]})
    assert len(found) == 1000
    assert all(low >= -50.0 and high <= 150.0 + 1e-9 for low, high in found)
    sizes = [(high - low) / 200.0 for low, high in found]
    assert 0.1 <= min(sizes) < 0.11
    assert 0.29 < max(sizes) <= 0.3 + 1e-9
    assert 0.19 < sum(sizes) / 1000 < 0.21


def test_widths_by_zipf_are_mostly_narrow_whole_percents() -> None:
    sizes = Counter(round((high - low) / 2.0, 6) for low, high in widths({"zipf": 1.0}))
    assert all(size == int(size) and 1 <= size <= 100 for size in sizes)
    assert sizes[1] / sizes[2] == pytest.approx(2.0, rel=0.3)


def test_a_range_may_be_open_on_one_side_and_is_joined_to_the_condition() -> None:
    [one] = subscriptions(
        {
            "where": "a = 1 OR b = 2",
            "ranges": {"v": {"domain": [0, 10], "width": [0.5, 0.5], "shape": "below"}},
            "share": 0.1,
        }
    )
    assert one.where == "(a = 1 OR b = 2) AND v <= 5.0"
    [one] = subscriptions({"ranges": {"v": {"domain": [0, 10], "width": [0.2, 0.2], "shape": "above"}}, "share": 0.1})
    assert one.where == "v >= 8.0"


def test_one_subscription_for_each_topic_or_so_many_with_topics_drawn() -> None:
    assert [one.topic for one in subscriptions({"topics": ["a", "b"]})] == ["a", "b"] * 10
    drawn = subscriptions({"topics": ["a", "b"], "count": 50, "zipf": 1.0})
    assert len(drawn) == 500
    assert Counter(one.topic for one in drawn)["a"] == pytest.approx(333, abs=40)
    assert [one.id for one in drawn] == list(range(1, 501))


def test_subscriptions_begin_and_end_when_the_scenario_says() -> None:
    acts = script(None, {"since": 2.0, "until": 5.0, "share": 0.1})
    assert [(t, type(signal)) for t, _, signal in acts] == [(2_000_000, Subscribe), (5_000_000, Unsubscribe)]


def test_at_one_time_subscriptions_come_before_publications(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("node,when\n0,2.0\n", encoding="utf-8")
    acts = script({"file": "r.csv"}, {"since": 2.0}, folder=tmp_path)
    assert [type(signal) for _, _, signal in acts] == [Subscribe] * 10 + [Publish]


# Readings


def test_readings_come_from_a_file_with_their_types_and_topics(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(
        "node,when,topic,temp,kind,on\n1,3.5,a/b,21,smoke,true\n0,1.0,,,heat,\n1,0.5,,2.5,1_0,FALSE\n1,99999,,1,x,\n",
        encoding="utf-8",
    )
    found = events({"file": "r.csv", "topics": ["else"]}, folder=tmp_path)
    assert [(e.id, e.when, e.topics, e.attributes) for e in found[:3]] == [
        ((1, 1), 0.5, ("else",), {"temp": 2.5, "kind": "1_0", "on": False}),
        ((0, 1), 1.0, ("else",), {"kind": "heat"}),
        ((1, 2), 3.5, ("a/b",), {"temp": 21, "kind": "smoke", "on": True}),
    ]
    limited = events({"file": "r.csv", "limit": 1, "since": 10.0, "until": 11.0}, folder=tmp_path)
    assert [(e.id, e.when) for e in limited] == [((1, 1), 10.5), ((0, 1), 11.0)]
    assert len(events({"file": "r.csv", "until": 10.0}, folder=tmp_path)) == 3
