"""Who hears whom: the unit disk against all pairs, graphs from files and generators, everybody without a list."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.sim.links import AllBut, Everyone, disk, generated, read_graph, without_cuts
from motecast.sim.scenario import Graph

COORDINATE = st.one_of(
    st.floats(-1000.0, 1000.0, allow_nan=False),
    st.integers(-50, 50).map(float),
    st.integers(-50, 50).map(lambda n: n / 10),
)


@given(
    st.lists(st.tuples(COORDINATE, COORDINATE), min_size=1, max_size=40), st.sampled_from([0.1, 0.3, 1.0, 7.5, 400.0])
)
def test_the_disk_agrees_with_all_pairs(positions: list[tuple[float, float]], reach: float) -> None:
    twin = [
        tuple(
            other
            for other, (x, y) in enumerate(positions)
            if other != node and (px - x) * (px - x) + (py - y) * (py - y) <= reach * reach
        )
        for node, (px, py) in enumerate(positions)
    ]
    assert disk(positions, reach) == twin


def test_the_end_of_the_range_is_included() -> None:
    assert disk([(0.0, 0.0), (3.0, 4.0), (3.0, 4.0001)], 5.0) == [(1,), (0, 2), (1,)]


def test_a_huge_field_with_a_tiny_range_is_no_problem() -> None:
    positions = [(0.0, 0.0), (1e9, 1e9), (1e9, 1e9 - 0.0005), (-1e9, 0.0)]
    assert disk(positions, 0.001) == [(), (2,), (1,), ()]


def graph(count: int = 30, seed: int = 1, **settings: object) -> list[tuple[int, ...]]:
    return [tuple(peers) for peers in generated(Graph(**settings), count, Random(seed))]


def is_symmetric(links: list[tuple[int, ...]]) -> bool:
    return all(node in links[peer] for node, peers in enumerate(links) for peer in peers)


def test_a_random_directed_graph_gives_each_node_so_many_hearers_and_never_itself() -> None:
    links = graph(generator="random", degree=5, directed=True)
    assert {len(set(peers)) for peers in links} == {5}
    assert not any(node in peers for node, peers in enumerate(links))
    assert graph(generator="random", degree=99, directed=True, count=4) == [(1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)]


def test_a_random_graph_has_the_degree_on_average() -> None:
    links = graph(generator="random", degree=6)
    assert is_symmetric(links)
    assert sum(map(len, links)) == 30 * 6
    assert len({len(peers) for peers in links}) > 1
    assert graph(generator="random", degree=99, count=3) == [(1, 2), (0, 2), (0, 1)]


def test_a_ring_links_to_the_next_on_both_sides() -> None:
    assert graph(generator="ring", degree=2, count=5)[0] == (1, 4)
    assert graph(generator="ring", degree=4, count=9)[0] == (1, 2, 7, 8)
    assert graph(generator="ring", degree=10_000_000, count=4)[0] == (1, 2, 3)
    assert graph(generator="ring", degree=1, count=5)[0] == (1, 4)


def test_a_lattice_has_up_to_four_neighbours() -> None:
    links = graph(generator="lattice", count=9)
    assert links[4] == (1, 3, 5, 7)
    assert links[0] == (1, 3)
    assert graph(generator="lattice", count=7)[6] == (3,)


def test_a_small_world_is_a_ring_of_which_some_links_lead_elsewhere() -> None:
    ring = graph(generator="ring", degree=4, count=200)
    assert graph(generator="small-world", degree=4, count=200, rewire=0.0) == ring
    links = graph(generator="small-world", degree=4, count=200, rewire=0.2)
    assert is_symmetric(links)
    kept = sum(len(set(a) & set(b)) for a, b in zip(links, ring, strict=True)) / sum(map(len, ring))
    assert 0.75 < kept < 0.9


@pytest.mark.parametrize("generator", ["random", "ring", "lattice", "small-world", "complete"])
def test_every_generator_knows_one_node_and_two_and_repeats_itself(generator: str) -> None:
    assert graph(generator=generator, count=1) == [()]
    assert graph(generator=generator, count=2) == [(1,), (0,)]
    assert graph(generator=generator, seed=4) == graph(generator=generator, seed=4)


def test_a_graph_comes_from_a_file_with_or_without_directions(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("weight,a,b\n1,0,1\n1,2,1\n1,0,1\n1,2,2\n", encoding="utf-8")
    assert read_graph(path, 4, is_directed=False) == [(1,), (0, 2), (1,), ()]
    assert read_graph(path, 4, is_directed=True) == [(1,), (), (1,), ()]


@given(st.integers(1, 8), st.data())
def test_everybody_but_one_is_a_sequence_like_the_tuple_of_them(count: int, data: st.DataObject) -> None:
    node = data.draw(st.integers(0, count - 1))
    twin = tuple(peer for peer in range(count) if peer != node)
    found = Everyone(count)[node]
    assert (tuple(found), len(found), found[1:3]) == (twin, len(twin), list(twin[1:3]))
    assert [found[index] for index in range(len(found))] == list(twin)
    assert [peer in found for peer in range(-1, count + 1)] == [peer in twin for peer in range(-1, count + 1)]
    assert "x" not in found
    with pytest.raises(IndexError):
        found[len(twin)]


@given(st.lists(st.integers(0, 2), min_size=1, max_size=8))
def test_a_cut_complete_graph_is_that_of_the_lists(sides: list[int]) -> None:
    complete = Everyone(len(sides))
    lists = [tuple(peers) for peers in complete]
    assert [tuple(peers) for peers in without_cuts(complete, sides)] == [
        tuple(peers) for peers in without_cuts(lists, sides)
    ]
    assert [tuple(p) for p in without_cuts(lists, sides)] == [
        tuple(p for p in peers if sides[p] == sides[node]) for node, peers in enumerate(lists)
    ]
    assert isinstance(without_cuts(complete, sides)[0], AllBut)
