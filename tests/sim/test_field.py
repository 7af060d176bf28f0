"""Where nodes are: placements, and files in metres and in degrees."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from motecast.core import Publish
from motecast.sim import Deployment, deploy, scenario_of


def field(nodes: dict[str, object], folder: Path | str = ".", area: tuple[float, float] = (100.0, 50.0), seed: int = 1):
    plain = {"name": "f", "stack": "flood", "seed": seed, "field": {"area": list(area)}, "nodes": nodes}
    return deploy(scenario_of(plain, folder))


def inside(deployed: Deployment, width: float = 100.0, height: float = 50.0) -> bool:
    return all(0 <= x <= width and 0 <= y <= height for x, y in deployed.positions)


def test_uniform_nodes_fill_the_whole_area_evenly() -> None:
    deployed = field({"n": {"count": 2000}})
    assert inside(deployed)
    for low in (0.0, 25.0, 50.0, 75.0):
        assert 430 < sum(low <= x < low + 25.0 for x, _ in deployed.positions) < 570
    assert 930 < sum(y < 25.0 for _, y in deployed.positions) < 1070


def test_a_grid_has_equal_steps_and_fills_the_area_row_by_row() -> None:
    positions = field({"n": {"count": 8, "placement": "grid"}}).positions
    assert positions == [(x, y) for y in (12.5, 37.5) for x in (12.5, 37.5, 62.5, 87.5)]


@pytest.mark.parametrize("count, area", [(4, (1000.0, 1.0)), (4, (1.0, 1000.0)), (1, (5.0, 5.0)), (7, (100.0, 100.0))])
def test_a_grid_in_a_long_area_uses_all_of_it_and_no_place_twice(count: int, area: tuple[float, float]) -> None:
    positions = field({"n": {"count": count, "placement": "grid"}}, area=area).positions
    assert len(set(positions)) == count
    middle = max(area) / 2
    long_side = [position[area.index(max(area))] for position in positions]
    assert min(long_side) <= middle <= max(long_side)


def test_clustered_nodes_are_near_the_middles_of_their_clusters_and_inside() -> None:
    deployed = field({"n": {"count": 400, "placement": "clustered", "clusters": 4, "spread": 2.0}})
    assert inside(deployed)
    for cluster in range(4):
        places = deployed.positions[cluster::4]
        x, y = (sum(axis) / len(places) for axis in zip(*places, strict=True))
        near = sum(math.hypot(a - x, b - y) < 6.0 for a, b in places)
        assert near > 95


def test_classes_are_numbered_in_the_order_of_the_file_and_one_does_not_move_another() -> None:
    both = field({"a": {"count": 3}, "b": {"count": 2}})
    assert both.classes == ["a", "a", "a", "b", "b"]
    assert field({"b": {"count": 2}}).positions == both.positions[3:]
    assert field({"a": {"count": 3}}, seed=2).positions != both.positions[:3]


def test_positions_in_metres_come_from_a_file_with_any_other_columns(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("name, y, x\nfirst, 2.5, 1\n\nsecond,4, -3e1\n", encoding="utf-8")
    assert field({"n": {"file": "p.csv"}}, tmp_path).positions == [(1.0, 2.5), (-30.0, 4.0)]
    assert field({"n": {"file": "p.csv", "count": 1}}, tmp_path).positions == [(1.0, 2.5)]


def test_positions_in_degrees_become_metres_and_reach_the_events(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("lat,lon\n52.0,13.0\n52.0,13.001\n52.001,13.0\n", encoding="utf-8")
    deployed = field({"n": {"file": "p.csv"}}, tmp_path)
    (x0, y0), (x1, y1), (x2, y2) = deployed.positions
    assert (x0, y0, y1, x2) == (0.0, 0.0, 0.0, 0.0)
    assert x1 == pytest.approx(111_195 * 0.001 * math.cos(math.radians(52.0)), rel=1e-4)
    assert y2 == pytest.approx(111.195, rel=1e-4)
    plain = {"name": "f", "stack": "flood", "nodes": {"n": {"file": "p.csv"}}, "workload": {"n": {"publish": {}}}}
    found = [act[2].event for act in deploy(scenario_of(plain, tmp_path)).script if isinstance(act[2], Publish)]
    assert {(e.id.publisher, e.attributes["lat"], e.attributes["lon"]) for e in found} == {
        (0, 52.0, 13.0),
        (1, 52.0, 13.001),
        (2, 52.001, 13.0),
    }
