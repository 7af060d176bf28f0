"""Liu, Liu, Zhu, Gong 2009, Sensors 9(10): CED sentence by sentence, and our runs beside those of another program."""

from __future__ import annotations

import pytest

from motecast.check import View, measure
from motecast.check.bounds import bound
from motecast.check.bounds_of_runs import plan_of_run, too_early
from motecast.core import Passage
from motecast.core.recorder import Broadcast, Send
from motecast.parts.policies import CedQueue
from motecast.protocols.ced.community import Community
from motecast.protocols.ced.messages import EventCopy, Hello, HelloReply, NodeIdMessage
from motecast.sim import run
from motecast.sim.deploy import Deployment
from motecast.trace import Trace
from tests.ced_worlds import WORLDS, deployment_of, expected
from tests.check.test_bounds_in_the_field import links_of, travels_of
from tests.protocols.ced_field import (
    LEG,
    SUBSCRIBER,
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
from tests.protocols.test_community import announced

# §4.1, routing


def test_a_subscriber_that_comes_within_a_grid_while_moving_says_hello() -> None:
    """'If the subscriber i, while moving, comes within one grid, it will broadcast Hello messages to all its
    neighboring sensor nodes.' §4.1a"""
    life = subscriber()
    assert life.walk(5.0, LEG) == [Broadcast("Community", Hello(SUBSCRIBER, (1, 0), 15.0))]
    assert life.walk(30.0, None, LEG.to) == []


def test_sensors_answer_with_community_grid_and_id() -> None:
    """'The neighboring sensor nodes send back their information, including community numbers, grid numbers and their ID
    numbers to subscriber i thereafter.' §4.1a"""
    verbs = sensor(8, 3).hear(2.0, SUBSCRIBER, Hello(SUBSCRIBER, (1, 0), 9.0))
    assert verbs == [Send("Community", SUBSCRIBER, HelloReply(7, (0, 0), 3))]


def test_a_community_that_is_met_is_told_the_path() -> None:
    """'Once subscriber node i finds out that it connects to community N for the first time, it sends out PATH messages
    including its current mobility path' §4.1b"""
    life = subscriber()
    life.walk(5.0, LEG)
    life.run(5.4)
    verbs = settled(life, 5.5, life.hear(5.5, 3, HelloReply(3, (1, 0), 3)))
    assert announced(verbs) == [(3, 5, 0)]
    assert [each.cell for each in verbs[0].message.passages] == [(1, 0), (2, 0), (3, 0)]


def test_a_path_is_passed_on_in_the_community_once() -> None:
    """'After that, these PATH messages are broadcasted among nodes in community N.' §4.1b"""
    life = far()
    assert [verb for verb in walked(life) if isinstance(verb, Broadcast)] == [Broadcast("Community", way())]
    assert walked(life, 3.0) == []


def test_a_sensor_near_the_path_is_in_z() -> None:
    """'Each sensor node in community N would compare its location with each grid that the node i passes, to
    learn whether it could communicate directly with node i or not.' §4.1d"""
    near, away = sensor(8), far()
    for life in (near, away):
        walked(life)
    assert (near.layer.routes[SUBSCRIBER].level, away.layer.routes[SUBSCRIBER].level) == (0, float("inf"))


def test_the_routing_graph_begins_at_z_and_each_sensor_repeats_the_process() -> None:
    """'The sensor node which receives the node ID message will regard the message sender as its downstream
    relay node at first, and then it will repeat the process … and broadcast its node ID message' §4.1. C3: a
    parent is one nearer."""
    first = [verb.message for verb in walked(sensor(8)) if isinstance(verb, Broadcast)]
    assert first[-1] == NodeIdMessage(SUBSCRIBER, 1, 0, 7, 0)
    life = far()
    walked(life)
    verbs = settled(life, 3.0, life.hear(3.0, 8, level(4)))
    assert verbs == [Broadcast("Community", NodeIdMessage(SUBSCRIBER, 1, 0, 7, 5))]
    assert life.layer.routes[SUBSCRIBER].parents == [8]


def test_a_node_of_z_regards_nobody_as_downstream() -> None:
    """'… to all its adjacent sensor nodes except the nodes in set Z' §4.1"""
    life = sensor(8)
    walked(life)
    settled(life, 3.0, life.hear(3.0, 8, level(0)))
    assert (life.layer.routes[SUBSCRIBER].level, life.layer.routes[SUBSCRIBER].parents) == (0, [])


def test_a_sensor_forwards_its_own_events_and_those_from_upstream() -> None:
    """'A sensor node forwards events of its own and those from the upstream nodes to its downstream.' §4.1"""
    life = far(8, 9)
    life.publish(1.9, sensed(1, 1.9))
    walked(life)
    life.hear(2.5, 9, EventCopy(sensed(5, publisher=4), 0, SUBSCRIBER))
    assert copies(settled(life, 3.0, life.hear(3.0, 8, level(0)))) == [(8, 1), (8, 5)]


def test_events_are_split_evenly_over_relays() -> None:
    """'Events in the source sensor node are evenly forwarded to its next relay sensors' §4.1. C7: counts
    differ by at most one."""
    life = far(8, 9)
    walked(life)
    settled(life, 3.0, life.hear(3.0, 8, level(0)))
    life.hear(3.5, 9, level(0, sensor_=9))
    for number in range(1, 8):
        life.publish(4.0 + number, sensed(number, 4.0 + number))
    life.run(15.0)
    hops = [to for to, _ in copies(life.log)]
    assert len(hops) == 7
    assert abs(hops.count(8) - hops.count(9)) <= 1


def test_a_loner_hands_its_own_events_over_on_contact() -> None:
    """'When a subscriber node meets a loner node in its moving, events in the queue of the loner node are
    delivered directly to the subscriber node.' §4.1"""
    life = sensor()
    life.publish(1.9, sensed(1, 1.9))
    settled(life, 2.0, life.hear(2.0, SUBSCRIBER, Hello(SUBSCRIBER, (1, 0), 20.0)))
    assert copies(settled(life, 3.0, life.hear(3.0, SUBSCRIBER, way()))) == [(SUBSCRIBER, 1)]


# §4.2, queue management


def test_survival_time_goes_on_where_a_copy_arrives() -> None:
    """'The initial value of ξ_n^m remains the same as ξ_j^m before transmitting.' §4.2A"""
    life = far()
    life.hear(100.0, 8, EventCopy(sensed(1, 40.0, publisher=4), 3, SUBSCRIBER))
    (record,) = life.layer.kept.queue
    assert (100.0 - record.born, record.sent) == (60.0, 3)


def test_deliveries_are_counted_at_the_source() -> None:
    """'Once an event is delivered by its source sensor node, the successful delivery time of that event will be
    increased.' §4.2B"""
    life = far()
    life.publish(1.9, sensed(1, 1.9))
    walked(life)
    settled(life, 3.0, life.hear(3.0, 8, level(0)))
    (record,) = life.layer.kept.queue
    assert record.sent == 1


def test_the_fewest_deliveries_go_first_and_then_the_youngest() -> None:
    """'The event with smaller successful delivery time is more important and should be transmitted with a
    higher priority … for events with the same …, priority should be given to those events that have smaller
    survival time' §4.2C"""
    life = far()
    life.publish(1.0, sensed(1, 1.0))
    life.publish(1.5, sensed(2, 1.5))
    life.hear(1.8, 8, EventCopy(sensed(3, 1.8, publisher=4), 2, SUBSCRIBER))
    walked(life)
    found = copies(settled(life, 3.0, life.hear(3.0, 8, level(0))))
    assert [number for _, number in found] == [2, 1, 3]


def test_a_source_keeps_its_event_and_a_relay_does_not() -> None:
    """'It may insert the record again if this record is created by the source sensor node' §4.2C c"""
    life = far()
    life.publish(1.9, sensed(1, 1.9))
    life.hear(1.9, 8, EventCopy(sensed(3, 1.8, publisher=4), 2, SUBSCRIBER))
    walked(life)
    settled(life, 3.0, life.hear(3.0, 8, level(0)))
    assert [record.event.id.number for record in life.layer.kept.queue] == [1]


def test_an_event_is_dropped_once_it_was_sent_more_often_than_alpha() -> None:
    """'Once the successful delivery time of an event is larger than a value, for example α, the event is
    dropped.' §4.2C"""
    life = far(layer=Community(queue=CedQueue(alpha=2)))
    life.publish(1.9, sensed(1, 1.9))
    for session in (1, 2, 3, 4):
        now = 10.0 * session
        walked(life, now, way(session, passages=(Passage((1, 0), now, now + 9.0),)))
        settled(life, now + 1, life.hear(now + 1, 8, level(0, session)))
    assert len(copies(life.log)) == 3
    assert noted(life.log, "drop") == [(1, "alpha")]


def test_an_event_is_dropped_at_the_delay_threshold() -> None:
    """'Once the survival time of an event … is larger than the network's delay tolerant threshold …' §4.2C"""
    life = far()
    life.publish(1.9, sensed(1, 1.9))
    life.hear(1.9, 8, EventCopy(sensed(3, 0.5, publisher=4), 2, SUBSCRIBER))
    life.run(2003.0)
    assert noted(life.log, "drop") == [(3, "expired"), (1, "expired")]


def test_no_more_events_are_accepted_when_the_queue_is_full() -> None:
    """'If the data queue of a sensor is full when an event arrives, no more events will be accepted.' §4.2C"""
    life = far(layer=Community(queue=CedQueue(capacity=1)))
    life.publish(1.0, sensed(1, 1.0))
    assert noted(life.publish(1.9, sensed(2, 1.9)), "drop") == [(2, "queue full")]


# Whole runs


def ran(made: Deployment, reach: str) -> tuple[Trace, View]:
    """A run in which no delivery is earlier than its class allows, while subscribers move (D1, D2)."""
    trace = run(made)
    view = View(trace)
    plan = plan_of_run(view, links_of(made.plan), travels_of(made.tracks, made.scenario.until))
    assert too_early(view, plan, reach) == []
    assert int(view.pairs.delivered.sum()) <= bound(plan, reach).delivered
    return trace, view


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_direct_delivery_is_that_of_another_program_world_by_world(world: int) -> None:
    trace, _ = ran(deployment_of(world, "dg"), "direct")
    ours, theirs = measure(trace), expected(world)["dg"]
    assert ours["delivery_ratio"] == pytest.approx(theirs["delivery_ratio"], abs=0.005)
    assert ours["arrivals_per_event"] == pytest.approx(theirs["arrivals_per_event"], rel=0.03)
    assert ours["delay_mean"] == pytest.approx(theirs["delay_mean"], rel=0.03)
    assert ours["transmissions_per_event"] == pytest.approx(ours["arrivals_per_event"], rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_community_delivery_is_near_that_of_another_program_world_by_world(world: int) -> None:
    """It had control for no air time and knew at once when a session ended: docs/protocols/community.md has
    the parts."""
    trace, _ = ran(deployment_of(world, "ced"), "community")
    ours, theirs = measure(trace), expected(world)["ced"]
    assert ours["delivery_ratio"] == pytest.approx(theirs["delivery_ratio"], abs=0.02)
    assert ours["arrivals_per_event"] == pytest.approx(theirs["arrivals_per_event"], rel=0.06)
    assert ours["delay_mean"] == pytest.approx(theirs["delay_mean"], rel=0.03)
    assert ours["transmissions_per_event"] == pytest.approx(theirs["transmissions_per_event"], rel=0.08)


@pytest.mark.slow
def test_naive_direct_delivery_repeats_itself_and_starves() -> None:
    """Table 2: 75.9 copies and 47.0 %; DG with a memory needs 1.6 copies for 74 % in this world."""
    made = deployment_of(0, "dg-naive", {"until": 1800.0})
    trace, _ = ran(made, "direct")
    assert (measure(trace)["arrivals_per_event"] or 0) > 20
