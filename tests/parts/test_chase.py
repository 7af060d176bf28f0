"""Windows, sessions' ends, levels and time-aware distances against programs that try everything."""

from __future__ import annotations

import pickle
from itertools import pairwise
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from motecast.core import Leg
from motecast.parts.cells import Grid, Passage
from motecast.parts.chase import HOP, MARGIN, Chase, Path, chase_of, levels
from motecast.parts.communities import Community, Member, community_of

GRID = Grid(60.0, 60.0, 6)


@st.composite
def communities(draw: st.DrawFn) -> Community:
    """Sensors in a small grid, all that the first of them reaches over adjacent cells."""
    places = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
    near = {n: [m for m, b in enumerate(places) if m != n and GRID.are_near(a, b)] for n, a in enumerate(places)}
    found, waiting = {0}, [0]
    while waiting:
        news = set(near[waiting.pop()]) - found
        found |= news
        waiting += news
    return community_of(tuple(Member(n, places[n], tuple(near[n]), 1) for n in sorted(found)))


@st.composite
def walks(draw: st.DrawFn) -> Path:
    """Any cells one after the other: a path that comes back, so that sensors have several windows."""
    cells = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8))
    times = [draw(st.floats(0, 5))]
    for _ in cells:
        times.append(times[-1] + draw(st.sampled_from((0.0, 0.1, 0.5, 3.0, 10.0))))
    return tuple(Passage(cell, *span) for cell, span in zip(cells, pairwise(times), strict=True))


@st.composite
def travels(draw: st.DrawFn) -> Path:
    """The cells of a straight travel, from some of them on, as a session that begins under way has them."""
    place = st.tuples(st.floats(0, 60), st.floats(0, 60))
    start, lasts = draw(st.floats(0, 5)), draw(st.floats(0.1, 30))
    leg = Leg(start, draw(place), draw(place), 1.0, start + lasts)
    return tuple(GRID.passages(leg, since=start + draw(st.floats(0, 0.9)) * lasts))


def paths() -> st.SearchStrategy[Path]:
    """What subscribers announce, and what they might."""
    return travels() | walks()


def in_range(community: Community, sensor: int, path: Path, now: float) -> bool:
    """Whether the subscriber is near the sensor, by looking at every cell."""
    return any(p.enters <= now < p.leaves and GRID.are_near(p.cell, community.cells[sensor]) for p in path)


@given(communities(), paths(), st.floats(0, 1))
def test_a_window_is_when_the_subscriber_is_in_range(community: Community, path: Path, share: float) -> None:
    now = path[0].enters + share * (path[-1].leaves - path[0].enters)
    chase = Chase(community, path)
    for sensor in community.sensors:
        found = chase.windows.get(sensor, ())
        assert any(w.enters <= now < w.leaves for w in found) == in_range(community, sensor, path, now)
        assert all(a.leaves < b.enters for a, b in pairwise(found))  # none touches the next


@given(communities(), paths())
def test_z_are_the_sensors_near_a_cell_of_the_path(community: Community, path: Path) -> None:
    """'each sensor node … would compare its location with each grid that the node i passes' §4.1(d)"""
    near = [s for s in community.sensors if any(GRID.are_near(p.cell, community.cells[s]) for p in path)]
    assert Chase(community, path).zone == tuple(near)


@given(communities(), paths(), st.floats(0, 200))
def test_a_session_ends_when_its_path_leaves_the_community_for_good(c: Community, path: Path, linger: float) -> None:
    """specs/ced.md 4.4"""
    leaves = [p.leaves for p in path for s in c.sensors if GRID.are_near(p.cell, c.cells[s])]
    stays = any(GRID.are_near(path[-1].cell, c.cells[s]) for s in c.sensors)
    until = Chase(c, path).until(linger)
    assert until == (path[-1].leaves + linger if stays else max(leaves, default=None))


def brute(community: Community, path: Path, now: float) -> dict[int, float]:
    """Seconds to a meeting: every sensor asks every neighbour until nothing changes."""
    windows = Chase(community, path).windows
    best = {}
    for sensor in community.sensors:
        lasting = [w for w in windows.get(sensor, ()) if w.leaves >= now + MARGIN]
        best[sensor] = max(0.0, lasting[0].enters - now) if lasting else float("inf")
    for _ in community.sensors:
        for sensor in community.sensors:
            best[sensor] = min([best[sensor], *(best[peer] + HOP for peer in community.links[sensor])])
    return {sensor: value for sensor, value in best.items() if value < float("inf")}


@given(communities(), paths(), st.floats(0, 1.1))
def test_distances_are_what_asking_every_neighbour_finds(community: Community, path: Path, share: float) -> None:
    """'d(i) = max(0, t_in − t); relax d(i) = min(d(i), d(j) + 0.15 s) … Recompute when u changes cell' section 6"""
    now = path[0].enters + share * (path[-1].leaves - path[0].enters)
    here = [p for p in path if p.enters <= now < p.leaves]
    found = Chase(community, path).distances(now)
    assert found == (brute(community, path, here[0].enters) if here else {})


@given(communities(), paths(), st.floats(0, 1), st.randoms(use_true_random=False))
def test_every_hop_is_nearer_so_no_copy_goes_in_circles(c: Community, path: Path, share: float, rng: Random) -> None:
    """R6: d(next) + hop <= d(current); who has no next hop meets the subscriber itself, or nobody can."""
    now = path[0].enters + share * (path[-1].leaves - path[0].enters)
    chase = Chase(c, path)
    distances = chase.distances(now)
    for sensor in c.sensors:
        been = [sensor]
        while hops := chase.next_hops(been[-1], now):
            assert all(distances[peer] + HOP <= distances[been[-1]] for peer in hops)
            been.append(rng.choice(hops))
            assert len(been) <= len(c.sensors)
        assert not distances or been[-1] in chase.windows


@given(communities(), paths())
def test_before_its_path_begins_a_subscriber_counts_as_in_the_first_cell(community: Community, path: Path) -> None:
    """A clock that is a little behind hears of a path that begins later."""
    assume(path[0].leaves > path[0].enters)
    chase = Chase(community, path)
    assert chase.step(path[0].enters - 1.0) == 0
    assert chase.distances(path[0].enters - 1.0) == chase.distances(path[0].enters)


def flooded(community: Community, zone: tuple[int, ...], rng: Random) -> dict[int, tuple[int, set[int]]]:
    """CED's flood of NODE_ID, message by message, reordered and repeated: the handler of section 4.3."""
    level = dict.fromkeys(zone, 0)
    parents: dict[int, set[int]] = {sensor: set() for sensor in zone}
    air = [(sensor, peer, 0) for sensor in zone for peer in community.links[sensor]]
    while air:
        sender, sensor, heard = air[index := rng.randrange(len(air))]
        if rng.random() < 0.8:  # else it is heard again later
            del air[index]
        own = level.get(sensor, 10**6)
        if own > heard + 1:
            level[sensor], parents[sensor] = heard + 1, {sender}
            air += [(sensor, peer, heard + 1) for peer in community.links[sensor]]
        elif own == heard + 1:
            parents[sensor].add(sender)
    return {sensor: (level[sensor], parents[sensor]) for sensor in level}


@given(communities(), paths(), st.randoms(use_true_random=False))
def test_levels_are_those_of_the_flood_whatever_the_order_of_its_messages(
    c: Community, path: Path, rng: Random
) -> None:
    """'until all the nodes in community N are included in the routing graph' §4.1; C3: a parent is one level nearer."""
    zone = Chase(c, path).zone
    found = levels(c, zone)
    assert {sensor: (own.level, set(own.parents)) for sensor, own in found.items()} == flooded(c, zone, rng)
    assert set(found) == (set(c.sensors) if zone else set())


@given(communities(), paths())
def test_equal_chases_are_one_even_when_written_down(community: Community, path: Path) -> None:
    chase = chase_of(community, path)
    assert chase_of(community, tuple(path)) is chase
    assert pickle.loads(pickle.dumps(chase)) is chase


def test_a_copy_waits_for_the_next_window_rather_than_chase_one_that_closes() -> None:
    """A row of sensors; the subscriber passes the last one, and comes back to the first for longer."""
    row = community_of(
        (
            Member(0, (0, 0), (1,), 1),
            Member(1, (1, 0), (0, 2), 1),
            Member(2, (2, 0), (1, 3), 1),
            Member(3, (3, 0), (2,), 1),
        )
    )
    path = (Passage((4, 0), 0.0, 10.0), Passage((5, 0), 10.0, 20.0))
    chase = Chase(row, path)
    assert chase.zone == (3,)
    assert [chase.next_hops(sensor, 5.0) for sensor in row.sensors] == [(1,), (2,), (3,), ()]
    assert (chase.distances(15.0), chase.next_hops(0, 15.0), chase.until(120.0)) == ({}, (), 10.0)


def test_no_path_and_no_meeting_lead_nowhere() -> None:
    alone = community_of((Member(0, (0, 0), (), 1),))
    for path in ((), (Passage((5, 5), 0.0, 9.0),)):
        chase = Chase(alone, path)
        assert (chase.zone, chase.until(120.0), chase.distances(1.0), chase.next_hops(0, 1.0)) == ((), None, {}, ())
        assert levels(alone, chase.zone) == {}
