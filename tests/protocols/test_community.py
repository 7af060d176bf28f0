"""CED, handler by handler: what we decided where the paper is silent, and what goes wrong."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.core import Missing, Notify, Passage
from motecast.core.recorder import (
    Broadcast,
    Cleared,
    Linked,
    Note,
    Reject,
    Send,
    Started,
    Unlinked,
    Up,
    Verb,
)
from motecast.parts.communities import Member
from motecast.parts.policies import CedQueue
from motecast.protocols.ced.community import Community
from motecast.protocols.ced.messages import EventCopy, Hello, HelloReply, NodeIdMessage
from motecast.protocols.ced.messages import Path as Way
from motecast.protocols.ced.ride_messages import GivenMember
from tests.protocols.ced_field import (
    LEG,
    OTHER,
    SUBSCRIBER,
    Aired,
    copies,
    far,
    level,
    noted,
    sensed,
    sensor,
    settled,
    subscriber,
    walked,
    way,
)
from tests.transcripts import written

# Roles and communities


def test_a_sensor_says_what_it_is_and_then_who_its_neighbours_are() -> None:
    life = sensor(8, 9)
    said = [verb.message for verb in life.log if isinstance(verb, Broadcast) and verb.message.sensor == 7]
    assert said[0] == Member(7, (0, 0), (), 0)
    assert said[-1].neighbours == (8, 9)
    assert life.layer.neighbourhood.community(7).sensors == (7, 8, 9)


def test_given_communities_cost_nothing() -> None:
    life = Aired(Community(formation="given"))
    life.run(0.0)
    assert [verb.message for verb in life.log if isinstance(verb, Broadcast)] == [GivenMember(7, (0, 0), (), 0)]
    assert GivenMember.bits == 0


def test_who_has_subscribed_is_no_sensor() -> None:
    life = subscriber()
    life.run(1.0)
    assert life.hear(2.0, 7, Member(7, (0, 0), (8,), 1)) == []
    assert life.hear(2.0, 7, way()) == []
    assert not life.layer.is_sensor


def test_a_subscriber_that_is_known_costs_no_word_when_it_comes_again() -> None:
    life = sensor(8)
    assert [type(verb) for verb in settled(life, 2.0, life.do(2.0, Linked(SUBSCRIBER)))] == [Send]
    settled(life, 3.0, life.hear(3.0, SUBSCRIBER, Hello(SUBSCRIBER, (1, 0), 9.0)))
    life.hear(3.5, 8, way())
    life.do(9.0, Unlinked(SUBSCRIBER))
    before = len(life.log)
    life.do(10.0, Linked(SUBSCRIBER))
    assert not [verb for verb in life.log[before:] if isinstance(verb, Send)]


def test_a_neighbour_that_is_gone_is_no_parent_and_the_others_are_told() -> None:
    life = far(8, 9)
    walked(life)
    life.hear(3.0, 8, level(0))
    life.hear(3.1, 9, level(0, sensor_=9))
    life.do(4.0, Unlinked(8))
    assert life.layer.routes[SUBSCRIBER].parents == [9]
    life.run(5.0)
    assert 8 not in [verb.message for verb in life.log if isinstance(verb, Broadcast)][-1].neighbours


# Paths and levels


def test_an_old_path_is_ignored_and_a_new_one_begins_anew() -> None:
    """A new (session, seq) forgets levels and parents; what comes late changes nothing."""
    life = far()
    walked(life, 2.0, way(5, 1))
    life.hear(2.5, 8, level(0, 5, 1))
    route = life.layer.routes[SUBSCRIBER]
    assert (route.level, route.parents) == (1, [8])
    for old in (way(5, 1), way(5, 0), way(4, 9)):
        assert walked(life, 3.0, old) == []
    assert life.layer.routes.get(SUBSCRIBER) is route
    walked(life, 4.0, way(5, 2))
    assert (life.layer.routes[SUBSCRIBER].level, life.layer.routes[SUBSCRIBER].parents) == (math.inf, [])


def test_a_level_of_another_session_or_from_a_stranger_is_ignored() -> None:
    life = far()
    walked(life)
    for sender, said in ((8, level(0, 2)), (8, level(0, 1, 1)), (55, level(0)), (8, level(-1))):
        life.hear(3.0, sender, said)
    assert life.layer.routes[SUBSCRIBER].level == math.inf


def test_a_parent_is_added_once_however_often_it_speaks() -> None:
    life = far(8, 9)
    walked(life)
    for _ in range(3):
        life.hear(3.0, 8, level(1))
        life.hear(3.0, 9, level(1))
    assert life.layer.routes[SUBSCRIBER].parents == [8, 9]


def test_a_shorter_way_replaces_all_parents_and_is_told() -> None:
    life = far(8, 9)
    walked(life)
    settled(life, 3.0, life.hear(3.0, 8, level(3)))
    verbs = settled(life, 4.0, life.hear(4.0, 9, level(0)))
    assert life.layer.routes[SUBSCRIBER].parents == [9]
    assert verbs[0] == Broadcast("Community", NodeIdMessage(SUBSCRIBER, 1, 0, 7, 1))


@pytest.mark.parametrize(
    "passages",
    [
        (),
        (Passage((1, 0), math.nan, 5.0),),
        (Passage((1, 0), 0.0, math.inf),),
        (Passage((1, 0), 0.0, 1e12),),
        (Passage((1, 0), 9.0, 5.0),),
        (Passage((1, 0), 0.0, 1.0),) * 513,
    ],
)
def test_a_path_that_nobody_can_walk_is_rejected(passages: tuple[Passage, ...]) -> None:
    life = sensor(8)
    assert life.hear(2.0, 8, way(passages=passages)) == [Reject("Community", "a path that nobody can walk")]
    assert len(life.layer.routes) == 0


def test_a_path_for_another_community_is_not_passed_on() -> None:
    assert sensor(8).hear(2.0, 8, way(community=3)) == []


def test_a_session_ends_by_the_path_and_its_copies_are_for_anybody() -> None:
    """Nobody says so: each sensor computes when the path leaves the community, or a pause of 120 s is over."""
    life = far()
    walked(life)
    settled(life, 2.9, life.hear(2.9, 8, level(0)))
    assert life.layer.routes[SUBSCRIBER].until == pytest.approx(40.0 + 120.0)
    life.recorder.busy = {8}
    life.hear(3.5, 9, EventCopy(sensed(1, publisher=9), 0, SUBSCRIBER))
    life.run(165.0)
    life.recorder.busy = set()
    assert copies(life.do(166.0, Cleared(8))) == []
    walked(life, 170.0, way(2, passages=(Passage((1, 0), 165.0, 200.0),), who=OTHER))
    verbs = settled(life, 171.0, life.hear(171.0, 8, level(0, 2, who=OTHER)))
    assert copies(verbs) == [(8, 1)]
    assert [verb.message.target for verb in verbs if isinstance(verb, Send)] == [OTHER]  # bound to it from now on


def test_a_session_may_go_on_after_its_end_and_does_not_send_again_what_it_had() -> None:
    """Pitfall 7: a new PATH is not a new contact."""
    life = far()
    life.publish(1.9, sensed(1, 1.9))
    walked(life)
    assert copies(settled(life, 3.0, life.hear(3.0, 8, level(0)))) == [(8, 1)]
    later = (Passage((1, 0), 170.0, 200.0),)
    walked(life, 171.0, way(1, 1, passages=later))
    assert copies(settled(life, 172.0, life.hear(172.0, 8, level(0, 1, 1)))) == []
    walked(life, 173.0, way(2, 0, passages=later))
    assert copies(settled(life, 174.0, life.hear(174.0, 8, level(0, 2)))) == [(8, 1)]


# Events


def test_a_subscriber_in_range_is_served_directly_and_only_while_it_moves() -> None:
    life = sensor(8)
    life.publish(1.9, sensed(1, 1.9))
    walked(life)
    assert copies(settled(life, 3.0, life.hear(3.0, SUBSCRIBER, Hello(SUBSCRIBER, (1, 0), 5.0)))) == [(SUBSCRIBER, 1)]
    assert copies(life.publish(5.5, sensed(2, 5.5))) == []


def test_a_busy_subscriber_is_left_out_and_another_one_is_chosen() -> None:
    life = sensor(8)
    walked(life)
    walked(life, 2.5, way(who=OTHER))
    for who in (SUBSCRIBER, OTHER):
        settled(life, 3.0, life.hear(3.0, who, Hello(who, (1, 0), 29.0)))
    life.recorder.busy = {SUBSCRIBER}
    assert copies(life.publish(4.0, sensed(1, 4.0))) == [(OTHER, 1)]


def test_one_frame_is_in_the_air_and_control_goes_first() -> None:
    life = far()
    life.publish(1.9, sensed(1, 1.9))
    walked(life)
    verbs = life.hear(3.0, 8, level(0))
    assert [type(verb.message) for verb in verbs if isinstance(verb, Send | Broadcast)] == [NodeIdMessage]
    assert copies(life.publish(3.01, sensed(2, 3.01))) == []  # the radio has a frame
    assert copies(life.run(3.06)) == [(8, 2)]


def test_a_frame_that_was_not_heard_changes_nothing() -> None:
    """SDT rises only when the radio reports success."""
    life = far()
    life.publish(1.9, sensed(1, 1.9))
    walked(life)
    life.hear(3.0, 8, level(0))
    life.run(3.06)
    life.fails = True
    verbs = life.run(3.11)
    assert copies(verbs) == [(8, 1)]
    assert verbs[-1].message.sent == 0


def test_a_report_of_an_unknown_frame_changes_nothing() -> None:
    life = far()
    life.publish(1.9, sensed(1, 1.9))
    walked(life)
    life.hear(3.0, 8, level(0))
    frame = life.run(3.06)[-1]
    assert life.left(3.07, Send("Community", 8, EventCopy(sensed(9), 3, OTHER))) == []
    life.is_manual = True
    life.do(4.0, Started())
    assert life.left(4.0, frame) == []


def test_a_frame_that_can_never_leave_is_dropped() -> None:
    life = far()
    life.publish(1.9, sensed(1, 1.9))
    walked(life)
    life.hear(3.0, 8, level(0))
    frame = life.run(3.06)[-1]
    assert noted(life.left(3.05, frame, ok=False), "drop") == [(1, "never left the radio")]


def test_a_copy_that_is_held_already_is_a_duplicate() -> None:
    life = far()
    copy = EventCopy(sensed(1, publisher=9), 1, SUBSCRIBER)
    assert noted(life.hear(3.0, 8, copy), "store") == [(1, None)]
    assert noted(life.hear(3.1, 8, copy), "duplicate") == [(1, None)]
    assert noted(life.hear(3.2, 8, EventCopy(sensed(1, publisher=9), 1, OTHER)), "store") == [(1, None)]


def test_an_arriving_copy_at_a_full_queue_is_lost() -> None:
    """Pitfall 5: refusing to send to a full neighbour looks kinder, and costs 7 points."""
    life = far(layer=Community(queue=CedQueue(capacity=1)))
    life.hear(3.0, 8, EventCopy(sensed(1, publisher=9), 1, SUBSCRIBER))
    assert noted(life.hear(3.1, 8, EventCopy(sensed(2, publisher=9), 1, SUBSCRIBER)), "drop") == [(2, "queue full")]


def test_an_event_of_the_future_is_as_young_as_can_be_and_one_of_no_time_is_rejected() -> None:
    life = far()
    life.hear(3.0, 8, EventCopy(sensed(1, when=50.0, publisher=9), 0, SUBSCRIBER))
    assert next(iter(life.layer.kept.queue)).born == 3.0
    strange = EventCopy(sensed(2, when=math.nan, publisher=9), 0, SUBSCRIBER)
    assert life.hear(3.0, 8, strange) == [Reject("Community", "an event that was published at no time")]


def test_a_subscriber_delivers_once_notes_repeats_and_says_what_it_did_not_want() -> None:
    life = subscriber()
    good, bad = sensed(1, A1=1.0), sensed(2, A1=9.0)
    assert life.hear(1.0, 7, EventCopy(good, 0, SUBSCRIBER)) == [Up(Notify(good))]
    assert noted(life.hear(2.0, 8, EventCopy(good, 1, SUBSCRIBER)), "duplicate") == [(1, None)]
    assert life.hear(3.0, 7, EventCopy(bad, 0, SUBSCRIBER)) == [Up(Missing(7, 2, 2, proven=True))]
    assert noted(life.hear(2000.0, 8, EventCopy(sensed(3, A1=1.0), 1, SUBSCRIBER)), "drop") == [(3, "expired")]


# A subscriber and its paths


def announced(verbs: list[Verb]) -> list[tuple[int, int, int]]:
    """Which communities were told, by which session and sequence number."""
    found = [verb.message for verb in verbs if isinstance(verb, Broadcast) and isinstance(verb.message, Way)]
    return [(path.community, path.session, path.seq) for path in found]


def test_a_community_is_told_once_and_again_when_it_was_not_met_one_cell_ago() -> None:
    """Row 7: 'for the first time' is on every connection, not once ever."""
    life = subscriber()
    log = settled(life, 0.0, life.walk(0.0, LEG))
    for sender in (3, 4):
        log += settled(life, 0.5, life.hear(0.5, sender, HelloReply(sender, (0, 0), 3)))
    settled(life, 5.0, life.walk(5.0, LEG))
    log += settled(life, 5.5, life.hear(5.5, 4, HelloReply(4, (1, 0), 3)))
    settled(life, 15.0, life.walk(15.0, LEG))
    settled(life, 25.0, life.walk(25.0, LEG))
    log += settled(life, 25.5, life.hear(25.5, 4, HelloReply(4, (1, 0), 3)))
    assert announced(log) == [(3, 1, 0), (3, 25, 0)]


def test_a_new_leg_is_told_in_the_same_session() -> None:
    """'When subscriber i changes its moving path after connecting to community N, its current moving path should also
    be reported' §4.1c."""
    life = subscriber()
    settled(life, 25.0, life.walk(25.0, LEG))
    log = settled(life, 25.5, life.hear(25.5, 3, HelloReply(3, (3, 0), 3)))
    back = type(LEG)(60.0, (35.0, 5.0), (5.0, 5.0), 1.0, 90.0)
    settled(life, 60.0, life.walk(60.0, back))
    log += settled(life, 60.5, life.hear(60.5, 3, HelloReply(3, (3, 0), 3)))
    assert announced(log) == [(3, 25, 0), (3, 25, 1)]


# Properties


MEETINGS = st.lists(
    st.tuples(
        st.sampled_from(["path", "level", "event", "copy", "wait", "lost", "clear"]),
        st.integers(1, 4),
        st.integers(0, 2),
    ),
    max_size=40,
)


@given(MEETINGS)
def test_whatever_comes_in_what_order_the_queue_and_its_counts_stay_sound(steps: list[tuple[str, int, int]]) -> None:
    """C1 sdt ≤ alpha + 1 and is the number of own transmissions; C2 once a session; C4 one record an (event, target);
    C5 copies are conserved; C6 the queue is never larger than K."""
    alpha, capacity = 2, 4
    life = far(8, 9, layer=Community(queue=CedQueue(alpha=alpha, capacity=capacity)))
    life.is_manual = True
    now, number, frames = 2.0, 0, list[Verb]()
    heard: dict[tuple[int, int, int], int] = {}
    stored = gone = 0
    for what, one, two in steps:
        now += 0.3
        match what:
            case "path":
                path = way(one, two, passages=(Passage((1, 0), 0.0, now + 20.0),), who=100 + one % 2)
                verbs = life.hear(now, 8, path)
            case "level":
                route = life.layer.routes.get(100 + one % 2)
                said = (one, two) if route is None else (route.number, route.seq)
                verbs = life.hear(now, 8 + two % 2, level(two, *said, who=100 + one % 2))
            case "event":
                number += 1
                verbs = life.publish(now, sensed(number, now))
            case "copy":
                verbs = life.hear(now, 9, EventCopy(sensed(one, publisher=9), two, 100 + one % 2))
            case "wait":
                now += 15.0
                verbs = life.do(now, Cleared(8))
            case _ if frames:
                verbs = life.left(now, frames.pop(0), ok=what == "clear")
            case _:
                verbs = life.do(now, Cleared(8))
        frames += [verb for verb in verbs if isinstance(verb, Send | Broadcast)]
        assert len(frames) <= 1, "one frame is in the air"
        for verb in verbs:
            if isinstance(verb, Send) and isinstance(verb.message, EventCopy) and verb.message.event.id.publisher == 7:
                copy = verb.message
                assert copy.sent <= alpha
                place = (copy.event.id.number, copy.target, life.layer.routes[copy.target].number)
                assert heard.get(place, -1) <= copy.sent, "only what was not heard goes twice to a session"
                heard[place] = copy.sent
        kept = list(life.layer.kept.queue)
        assert len(kept) <= capacity
        assert len({(record.event.id, record.target) for record in kept}) == len(kept)
    stored = len(noted(life.log, "store"))
    gone = len(noted(life.log, "unstore")) + len([why for _, why in noted(life.log, "drop") if why != "queue full"])
    assert stored == gone + len(life.layer.kept)


# A life as people read it


def test_a_worked_example_of_ours_reads_as_it_is_written_down(golden: Callable[[str, str], None]) -> None:
    """Sensor 7 forwards two events to two parents in turn; the paper's figures are images, so this one is ours."""
    life = far(8, 9)
    life.publish(1.5, sensed(1, 1.5))
    life.publish(1.6, sensed(2, 1.6))
    life.log.clear()
    walked(life)
    life.hear(3.0, 8, level(0))
    life.hear(3.01, 9, level(0, sensor_=9))
    life.run(4.0)
    lines = [written(verb) for verb in life.log if isinstance(verb, Send | Broadcast | Note)]
    golden("ced", "\n".join(lines))
