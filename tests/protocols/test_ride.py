"""CED-Ride: the invariants R1 to R8 of its specification on whole runs, its bounds, and what goes wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from motecast.check import View, measure
from motecast.check.bounds import Reach, bound
from motecast.check.bounds_of_runs import plan_of_run, too_early
from motecast.core import EventId, Passage, Publish, Recorder, Stack, Subscription
from motecast.core.recorder import Asked, Broadcast, Cleared, Expired, Note, Received, Reject, Send, Sent, Started
from motecast.parts.communities import Member
from motecast.parts.policies import RideQueue
from motecast.parts.queues import Kind
from motecast.protocols.ced.ride import Carriers, Ride
from motecast.protocols.ced.ride_messages import (
    Answer,
    Carried,
    Entry,
    Offer,
    Profile,
    Profiles,
    RideCopy,
    RideHello,
    RidePath,
    RideReply,
    Room,
)
from motecast.protocols.ced.ride_timers import Begin, Gather
from motecast.sim import deploy, read_scenario
from motecast.sim.deploy import Deployment
from motecast.sim.world import World
from motecast.trace import Trace
from tests.ced_worlds import WORLDS, deployment_of, expected
from tests.check.test_bounds_in_the_field import links_of, travels_of
from tests.protocols.ced_field import GRID, OTHER, SUBSCRIBER, Life, sensed, wanting
from tests.transcripts import transcript

EXAMPLE = Path(__file__).parents[2] / "examples" / "ced.toml"
CLASS: dict[Carriers, Reach] = {"none": "community", "interested": "interested", "ticket": "epidemic"}
UNTIL = 600.0  # s


class Ran(NamedTuple):
    """A run, with what its nodes knew in the end."""

    deployment: Deployment
    trace: Trace
    layers: list[Ride]


@cache
def ran(carriers: Carriers) -> Ran:
    """A run of ten minutes in a field that no other test uses."""
    settings = {"stack": "ced-ride", "protocol.carriers": carriers, "until": UNTIL}
    deployment = deploy(read_scenario(EXAMPLE, set=settings, seed=61_000))
    world = World(deployment, "full")
    trace = world.run()
    return Ran(deployment, trace, [node.layers[0] for node in world.main.nodes])


def events_of(made: Deployment) -> dict[EventId, object]:
    """What is published."""
    return {signal.event.id: signal.event for _, _, signal in made.script if isinstance(signal, Publish)}


def wants_of(made: Deployment) -> dict[int, Subscription]:
    """What each subscriber wants."""
    found = [signal.subscription for _, _, signal in made.script if hasattr(signal, "subscription")]
    return {subscription.subscriber: subscription for subscription in found}


every_level = pytest.mark.parametrize("carriers", list(CLASS))


# Whole runs


@pytest.mark.slow
@every_level
def test_r1_each_pair_is_delivered_at_most_once(carriers: Carriers) -> None:
    rows = ran(carriers).trace.rows.to_pylist()
    pairs = Counter((row["node"], row["publisher"], row["number"]) for row in rows if row["kind"] == "deliver")
    assert len(pairs) > 300
    assert set(pairs.values()) == {1}


@pytest.mark.slow
@every_level
def test_r3_who_is_known_to_have_an_event_has_received_it(carriers: Carriers) -> None:
    run = ran(carriers)
    rows = run.trace.rows.to_pylist()
    had = {(row["node"], row["publisher"], row["number"]) for row in rows if row["kind"] == "deliver"}
    known = 0
    for layer in run.layers:
        for event in events_of(run.deployment):
            for subscriber in layer.store.has.of(event):
                known += 1
                assert (subscriber, *event) in had
    assert known > 300


@pytest.mark.slow
@every_level
def test_r4_an_own_event_stays_until_it_is_too_old(carriers: Carriers) -> None:
    """Nothing is 2,000 s old after ten minutes."""
    run = ran(carriers)
    for event in events_of(run.deployment):
        holding = run.layers[event.publisher].store.kept.find(event)
        assert holding is not None
        assert holding.kind is Kind.OWN


@pytest.mark.slow
def test_r6_every_hop_is_nearer_to_a_meeting_so_no_copy_goes_round() -> None:
    """Without a new path: 'd(next) + hop <= d(current)'."""
    hops = 0
    for me, layer in enumerate(ran("none").layers):
        community = layer.neighbourhood.community(me) if layer.is_sensor else None
        for course in layer.courses.values() if community is not None else ():
            chase = course.chase(community)
            for passage in course.path:
                distances = chase.distances(passage.enters)
                for peer in chase.next_hops(me, passage.enters):
                    hops += 1
                    assert distances[peer] + chase.hop <= distances[me]
    assert hops > 100


@pytest.mark.slow
@pytest.mark.parametrize("carriers", ["none", "interested"])
def test_r7_without_tickets_nobody_receives_what_it_does_not_want(carriers: Carriers) -> None:
    run = ran(carriers)
    events, wants = events_of(run.deployment), wants_of(run.deployment)
    received = [row for row in run.trace.rows.to_pylist() if row["kind"] == "receive" and row["message"] == "RideCopy"]
    assert received
    for row in received:
        if row["node"] in wants:
            assert wants[row["node"]].matches(events[EventId(row["publisher"], row["number"])])


@pytest.mark.slow
def test_with_tickets_some_carry_what_they_do_not_want() -> None:
    run = ran("ticket")
    events, wants = events_of(run.deployment), wants_of(run.deployment)
    received = [row for row in run.trace.rows.to_pylist() if row["kind"] == "receive" and row["message"] == "RideCopy"]
    assert any(
        not wants[row["node"]].matches(events[EventId(row["publisher"], row["number"])])
        for row in received
        if row["node"] in wants
    )


@pytest.mark.slow
def test_without_carriers_nobody_hands_events_to_sensors() -> None:
    totals = ran("none").trace.totals.to_pylist()
    assert not [row for row in totals if row["message"] in ("Carried", "Room")]
    assert not [row for row in totals if row["message"] == "RideCopy" and row["node"] >= 100]


@pytest.mark.slow
@every_level
def test_no_run_is_above_the_bound_of_its_class(carriers: Carriers) -> None:
    run = ran(carriers)
    view, travels = View(run.trace), travels_of(run.deployment.tracks, UNTIL)
    plan = plan_of_run(view, links_of(run.deployment.plan), travels)
    assert too_early(view, plan, CLASS[carriers]) == []
    assert int(view.pairs.delivered.sum()) <= bound(plan, CLASS[carriers]).delivered


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_without_carriers_it_does_what_another_program_found(world: int) -> None:
    """The same eight worlds, communities given; control takes air time here and took none there."""
    settings = {"protocol.carriers": "none", "protocol.formation": "given"}
    ours = measure(World(deployment_of(world, "ced-ride", settings)).run())
    theirs = expected(world)["ced-ride none"]
    assert ours["delivery_ratio"] == pytest.approx(theirs["delivery_ratio"], abs=0.005)
    assert ours["arrivals_per_event"] == pytest.approx(theirs["arrivals_per_event"], rel=0.03)
    assert ours["transmissions_per_event"] == pytest.approx(theirs["transmissions_per_event"], rel=0.03)
    assert ours["delay_mean"] == pytest.approx(theirs["delay_mean"], rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("carriers", ["interested", "ticket"])
def test_with_carriers_it_delivers_as_much_and_takes_little_more_time(carriers: Carriers) -> None:
    """Questions, answers and gossip took no air time in the other program."""
    settings = {"protocol.carriers": carriers, "protocol.formation": "given"}
    trace = World(deployment_of(1, "ced-ride", settings)).run()
    ours, theirs = measure(trace), expected(1)[f"ced-ride {carriers}"]
    rows = [row for row in trace.totals.to_pylist() if row["message"] == "RideCopy" and row["node"] < 100]
    assert ours["delivery_ratio"] == pytest.approx(theirs["delivery_ratio"], abs=0.005)
    assert ours["arrivals_per_event"] == pytest.approx(theirs["arrivals_per_event"], rel=0.03)
    assert ours["delay_mean"] == pytest.approx(theirs["delay_mean"], rel=0.05)
    assert sum(row["count"] for row in rows) / ours["published"] <= theirs["transmissions_per_event"]


# One sensor


WANTS = Profile(SUBSCRIBER, 1, (wanting("t > 20"),))
PASSAGES = (Passage((0, 0), 0.0, 10.0), Passage((1, 0), 10.0, 20.0), Passage((2, 0), 20.0, 30.0))


def path(session: int = 1, seq: int = 0, community: int = 7) -> RidePath:
    """The subscriber walks along the lowest row."""
    return RidePath(WANTS, community, session, seq, PASSAGES)


def sensor(*neighbours: int, **parameters: object) -> Life:
    """Sensor 7, a loner unless it has neighbours, which are where it is."""
    life = Life(Ride(**parameters))
    for peer in neighbours:
        life.hear(0.01, peer, Member(peer, (0, 0), (), 0))
        life.hear(0.02, peer, Member(peer, (0, 0), (7,), 1))
    run_out(life, 1.0)
    return life


def run_out(life: Life, now: float) -> list[object]:
    """All frames that wait leave."""
    sent: list[object] = []
    verbs = life.hear(now, 55, Room((), 1, 0, 0))
    while verbs:
        frames = [verb for verb in verbs if isinstance(verb, Send | Broadcast)]
        sent += frames
        verbs = [verb for frame in frames for verb in life.left(now, frame)]
    return sent


def test_a_loner_hands_what_is_wanted_to_a_subscriber_in_range_and_nothing_twice() -> None:
    life = sensor()
    life.publish(1.0, sensed(1, 1.0, t=30.0))
    life.publish(1.0, sensed(2, 1.0, t=10.0))
    verbs = life.hear(2.0, SUBSCRIBER, path())
    copy = RideCopy(sensed(1, 1.0, t=30.0), 1, 7, (), SUBSCRIBER)
    assert verbs == [Send("Ride", SUBSCRIBER, copy)]
    assert life.left(2.1, verbs[0]) == [], "nobody known wants the other, so nobody carries it either"
    assert life.hear(3.0, SUBSCRIBER, path(2)) == [], "it has it"


def test_r8_nothing_is_sent_for_a_profile_that_is_unknown() -> None:
    life = sensor()
    life.publish(1.0, sensed(1, 1.0, t=30.0))
    [reply] = life.hear(2.0, SUBSCRIBER, RideHello(SUBSCRIBER, (0, 0), 0))
    assert isinstance(reply.message, RideReply)
    assert life.left(2.1, reply) == []


def test_r2_what_is_known_of_an_event_only_grows() -> None:
    store = sensor().layer.store
    for has in [(1,), (), (2, 1), (1,)]:
        before = store.has.of(EventId(9, 1))
        store.merge(EventId(9, 1), has)
        assert before <= store.has.of(EventId(9, 1))
    assert store.has.of(EventId(9, 1)) == {1, 2}


def test_r5_custody_is_taken_only_of_what_somebody_known_is_owed() -> None:
    life = sensor()
    event = sensed(1, 1.0, publisher=9, t=30.0)
    refused = Note("Ride", "drop", event.id, {"detail": "no custody"})
    assert refused in life.hear(2.0, OTHER, RideCopy(event, 2, 7))
    life.hear(2.5, OTHER, Profiles((WANTS,)))
    assert refused in life.hear(3.0, OTHER, RideCopy(event, 2, 7, (SUBSCRIBER,)))
    other = sensed(2, 1.0, publisher=9, t=30.0)
    assert Note("Ride", "store", other.id) in life.hear(4.0, OTHER, RideCopy(other, 2, 7))
    assert life.layer.store.kept.find(other.id).kind is Kind.CUSTODY


def test_custody_that_nobody_is_owed_any_more_leaves_at_once() -> None:
    life = sensor()
    life.hear(2.0, OTHER, Profiles((WANTS,)))
    event = sensed(1, 1.0, publisher=9, t=30.0)
    life.hear(2.0, OTHER, RideCopy(event, 2, 7))
    assert Note("Ride", "unstore", event.id) in life.hear(3.0, OTHER, Carried((Entry(event.id, (SUBSCRIBER,)),), 1, 7))
    assert len(life.layer.store) == 0


def test_a_full_sensor_gives_up_custody_for_its_own_event_and_never_an_own_one() -> None:
    life = sensor(queue=RideQueue(capacity=2, custody=2))
    life.hear(2.0, OTHER, Profiles((WANTS,)))
    kept = sensed(1, 1.0, publisher=9, t=30.0)
    life.hear(2.0, OTHER, RideCopy(kept, 2, 7))
    life.publish(3.0, sensed(1, 3.0))
    assert Note("Ride", "drop", kept.id, {"detail": "queue full"}) in life.publish(4.0, sensed(2, 4.0))
    assert Note("Ride", "drop", EventId(7, 3), {"detail": "queue full"}) in life.publish(5.0, sensed(3, 5.0))


def test_a_path_is_passed_on_once_even_if_its_session_is_over_at_once() -> None:
    """A flood of a path that does not touch the community once went round for ever."""
    life = sensor(3)
    far = RidePath(WANTS, 3, 1, 0, (Passage((12, 12), 0.0, 10.0),))
    assert [verb.message for verb in life.hear(2.0, 4, far) if isinstance(verb, Broadcast)] == [far]
    run_out(life, 2.1)
    assert life.hear(2.2, 3, far) == []


def test_an_offer_is_answered_with_want_or_have_and_only_one_custodian_is_asked() -> None:
    life = Life(Ride(), me=SUBSCRIBER)
    life.subscribe(0.0, wanting("t > 20", SUBSCRIBER))
    life.do(0.0, Cleared(1))  # and the first alarm has rung
    offer = Offer((Entry(EventId(9, 1), (), 7),), 1, SUBSCRIBER, 1)
    [answer] = life.hear(1.0, 7, offer)
    assert answer.message == Answer((Entry(EventId(9, 1), (), 7, wanted=True),), 1, SUBSCRIBER, 1)
    life.left(1.1, answer)
    life.hear(1.2, 7, RideCopy(sensed(1, 1.0, publisher=9, t=30.0), 1, 7, (), SUBSCRIBER))
    [answer] = life.hear(2.0, 8, offer)
    assert answer.message == Answer((Entry(EventId(9, 1), (SUBSCRIBER,), 7),), 1, SUBSCRIBER, 1)


@pytest.mark.parametrize(
    "passages",
    [(), (Passage((0, 0), 5.0, 1.0),), (Passage((0, 0), 0.0, float("inf")),), (Passage((0, 0), 0.0, 1e300),)],
)
def test_a_path_that_nobody_can_travel_is_rejected(passages: tuple[Passage, ...]) -> None:
    verbs = sensor().hear(2.0, SUBSCRIBER, RidePath(WANTS, 7, 1, 0, passages))
    assert [verb for verb in verbs if isinstance(verb, Reject)]


@pytest.mark.parametrize("when", [-1e300, float("nan"), float("inf"), 50.0])
def test_a_copy_from_no_time_at_all_is_dropped(when: float) -> None:
    life = sensor()
    life.hear(2.0, OTHER, Profiles((WANTS,)))
    life.hear(2.0, OTHER, RideCopy(sensed(1, when, publisher=9, t=30.0), 2, 7))
    assert len(life.layer.store) == 0


def test_a_frame_that_nobody_heard_is_sent_again() -> None:
    life = sensor()
    life.publish(1.0, sensed(1, 1.0, t=30.0))
    [copy] = life.hear(2.0, SUBSCRIBER, path())
    assert life.left(2.1, copy, ok=False) == [copy]


def test_one_that_does_not_want_an_event_takes_it_along_once_and_after_what_it_wants() -> None:
    life = sensor()
    life.hear(1.0, OTHER, Profiles((Profile(OTHER, 1, (wanting("t < 20", OTHER),)),)))
    run_out(life, 1.1)
    life.publish(1.5, sensed(1, 1.5, t=10.0))
    life.publish(1.6, sensed(2, 1.6, t=30.0))
    [first] = life.hear(2.0, SUBSCRIBER, path())
    [second] = life.left(2.1, first)
    assert (first.message.event.id.number, first.message.target) == (2, SUBSCRIBER)
    assert (second.message.event.id.number, second.message.target) == (1, None)
    assert life.left(2.2, second) == []


def test_a_sensor_and_its_carriers_as_a_transcript(golden: Callable[[str, str], None]) -> None:
    """Our example: the figures of the paper are images."""
    event, brought = sensed(1, 2.0, t=30.0), sensed(4, 1.0, publisher=9, t=10.0)
    script = [
        "A loner; its application has subscribed to nothing, so it is a sensor.",
        (0.0, Started()),
        (0.0, Expired("Ride", Begin())),
        "A subscriber comes, hears who is here, and says where it goes and what it wants.",
        (1.0, Received("Ride", 100, RideHello(100, (0, 0), 0))),
        (1.1, Sent("Ride", 100, RideReply(7, (0, 0), 7, 0), True)),
        (1.2, Received("Ride", 100, path())),
        "What is sensed now and wanted goes at once.",
        (2.0, Asked(Publish(event))),
        (2.1, Sent("Ride", 100, RideCopy(event, 1, 7, (), 100), True)),
        "Another one brings an event that it says 101 is owed: nobody here knows what 101 wants.",
        (3.0, Received("Ride", 102, RideCopy(brought, 3, 7))),
        "It tells of it, and then it is accepted into custody; to 100 it is a ticket no more.",
        (4.0, Received("Ride", 102, Profiles((Profile(101, 1, (wanting("t < 20", 101, 2),)),)))),
        (4.1, Sent("Ride", 102, Profiles((WANTS,)), True)),
        (4.2, Received("Ride", 102, RideCopy(brought, 3, 7))),
        "101 comes by: somebody else may have given it the event, so it is asked first.",
        (5.0, Received("Ride", 101, RidePath(Profile(101, 1, (wanting("t < 20", 101, 2),)), 7, 1, 0, PASSAGES))),
        (5.2, Expired("Ride", Gather(101))),
        (5.3, Sent("Ride", 101, Offer((Entry(brought.id, (), 7),), 2, 101, 1), True)),
        (5.4, Received("Ride", 101, Answer((Entry(brought.id, (), 7, True),), 2, 101, 1))),
        (5.5, Sent("Ride", 101, RideCopy(brought, 4, 7, (), 101), True)),
    ]
    golden("ride", transcript(Recorder(Stack(Ride()), me=7, position=(5.0, 5.0), grid=GRID), script))
