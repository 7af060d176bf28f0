"""Community maps against components that are found by trying all pairs."""

from __future__ import annotations

import pickle
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from motecast.core import Codec
from motecast.parts.communities import CommunityMap, Member, community_of

SENSORS = 7


@st.composite
def members(draw: st.DrawFn) -> Member:
    """What a sensor says now and then; links need not be named by both ends, and a sensor may name itself."""
    numbers = st.integers(0, SENSORS - 1)
    near = tuple(draw(st.lists(numbers, max_size=4)))
    return Member(draw(numbers), (draw(st.integers(0, 4)), 0), near, draw(st.integers(0, 5)))


def component(known: dict[int, Member], me: int) -> set[int]:
    """The dumb twin: all pairs, until nothing is added."""
    found = {me}
    for _ in known:
        for a in known:
            for b in known:
                if a in found and b in known[a].neighbours and a in known[b].neighbours:
                    found.add(b)
    return found


@given(st.lists(members(), max_size=40), st.integers(0, SENSORS - 1))
def test_a_community_is_what_links_reach_that_both_ends_name(news: list[Member], me: int) -> None:
    """Only a higher version replaces, whatever comes in which order; asked after every message, it is never stale."""
    heard, known = CommunityMap(), {}
    for member in news:
        is_news = member.sensor not in known or member.version > known[member.sensor].version
        if is_news:
            known[member.sensor] = member
        assert heard.learn(member) == is_news
        found = heard.community(me)
        if me not in known:
            assert found is None
            continue
        reached = component(known, me)
        assert found is not None
        assert (set(found.sensors), found.id) == (reached, min(reached))
        for sensor in reached:
            mutual = {b for b in known[sensor].neighbours if b in known and sensor in known[b].neighbours}
            assert found.links[sensor] == tuple(sorted(mutual - {sensor}))
            assert found.cells[sensor] == known[sensor].cell
        assert set(heard.members) == set(known.values())


@given(st.lists(members(), max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_news_does_not_matter(news: list[Member], rng: Random) -> None:
    newest = list({(member.sensor, member.version): member for member in news}.values())
    one, other = CommunityMap(), CommunityMap()
    for member in newest:
        one.learn(member)
    rng.shuffle(newest)
    for member in newest:
        other.learn(member)
    for me in range(SENSORS):
        assert one.community(me) is other.community(me)  # and sensors that know the same share one value


@given(st.lists(members(), max_size=30), st.integers(0, SENSORS - 1))
def test_a_map_that_is_written_down_goes_on(news: list[Member], me: int) -> None:
    heard = CommunityMap()
    for member in news[::2]:
        heard.learn(member)
    heard.community(me)
    copy = pickle.loads(pickle.dumps(heard))
    for member in news[1::2]:
        assert copy.learn(member) == heard.learn(member)
    assert copy.community(me) is heard.community(me)


@given(st.permutations(range(10, 10 + SENSORS)), st.lists(members(), max_size=30))
def test_other_numbers_change_nothing_but_numbers(numbers: list[int], news: list[Member]) -> None:
    """W3 of specs/ced.md, section 11."""
    plain, renamed = CommunityMap(), CommunityMap()
    for member in news:
        plain.learn(member)
        near = tuple(numbers[peer] for peer in member.neighbours)
        renamed.learn(Member(numbers[member.sensor], member.cell, near, member.version))
    for me in range(SENSORS):
        ours, other = plain.community(me), renamed.community(numbers[me])
        assert (ours is None) == (other is None)
        if ours and other:
            assert {numbers[sensor] for sensor in ours.sensors} == set(other.sensors)
            assert ours.reach == other.reach


@given(st.lists(members(), min_size=1, max_size=8), st.integers(-2, 7), st.integers(-2, 2))
def test_a_community_touches_the_cells_around_its_sensors(news: list[Member], column: int, row: int) -> None:
    """§3, assumption 4: 'the same grid or the neighboring grids sharing at least one side or one corner'."""
    by_sensor = {member.sensor: member for member in news}
    community = community_of(tuple(by_sensor[sensor] for sensor in sorted(by_sensor)))
    near = any(max(abs(x - column), abs(y - row)) <= 1 for x, y in community.cells.values())
    assert community.touches((column, row)) == near


def test_a_sensor_that_dies_leaves_by_what_its_neighbours_say() -> None:
    heard = CommunityMap()
    for member in (Member(1, (0, 0), (2,), 1), Member(2, (1, 0), (1, 3), 1), Member(3, (2, 0), (2,), 1)):
        heard.learn(member)
    assert heard.community(1) is not None
    assert heard.community(1).sensors == (1, 2, 3)
    heard.learn(Member(2, (1, 0), (1,), 2))
    assert (heard.community(1).sensors, heard.community(3).sensors) == ((1, 2), (3,))


def test_a_map_that_is_full_learns_of_no_further_sensor() -> None:
    heard = CommunityMap(capacity=2)
    assert [heard.learn(Member(sensor, (0, 0), (), 1)) for sensor in (1, 2, 3)] == [True, True, False]
    assert heard.learn(Member(2, (0, 0), (1,), 2))
    assert len(heard) == 2


def test_a_member_travels() -> None:
    member, codec = Member(4, (3, 14), (2, 9), 3), Codec([[Member]])
    assert codec.decode(codec.encode(0, member)).message == member
    assert codec.size(member) == 32  # 250 bits
