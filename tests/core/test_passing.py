"""A payload that stops at every hop is handed up and sent on, in one node and along a line of them."""

from __future__ import annotations

from collections import deque

from motecast.core import (
    Arrived,
    Continue,
    Passing,
    Payload,
    Publish,
    Recorder,
    Route,
    Subscribe,
    Subscription,
    alone,
)
from motecast.core.recorder import Asked, Note, Received, Reject, Send, Told, Up, Verb
from tests.core.protocols import event
from tests.routing import Found, Line, Register, Routed, Way, brokered
from tests.strategies import Plain, Stopping, stack_of

WANTED = Subscription(7, 3, "a")


def test_a_payload_that_stops_is_handed_up_with_who_brought_it_and_the_header_of_its_frame() -> None:
    line = Recorder(stack_of(Line()), me=2)
    way = Way(0, 5)
    assert line.handle(0.0, Received("Line", 3, Routed(way, Payload(Stopping("x"))))) == [
        Up(Passing(Payload(Stopping("x")), 0, 5, sender=3, way=way))
    ]
    assert line.handle(0.0, Received("Line", 3, Routed(way, Payload(Plain(1))))) == [
        Send("Line", 1, Routed(Way(0, 6), Payload(Plain(1))))
    ]


def test_what_continues_with_its_way_goes_on_where_it_was_and_without_it_sets_out_anew() -> None:
    line = Recorder(stack_of(Line()), me=2)
    changed = Payload(Stopping("y"))
    on = [Asked(Continue(0, changed, Way(0, 5))), Asked(Continue(0, changed))]
    assert [line.handle(0.0, happening) for happening in on] == [
        [Send("Line", 1, Routed(Way(0, 6), changed))],
        [Send("Line", 1, Routed(Way(0, 1), changed))],
    ]


def test_who_arrives_knows_the_node_before_and_whether_the_one_meant_is_gone() -> None:
    line = Recorder(stack_of(Line()), me=2)
    payload = Payload(Plain(1))
    assert line.handle(0.0, Received("Line", 3, Routed(Way(2, 4), payload))) == [Up(Arrived(payload, 2, 4, sender=3))]
    assert line.handle(0.0, Asked(Route((2.2, 9.0), payload))) == [Up(Arrived(payload, (2.2, 9.0), 0, home=True))]


def test_the_layer_above_hands_the_way_back_unopened() -> None:
    (broker, _) = brokered().layers
    told = Told(Passing(Payload(Register(WANTED)), 0, 1, sender=3, way=Plain(99)))
    (down,) = Recorder(alone(broker)).handle(0.0, told)
    assert down.signal == Continue(0, Payload(Register(WANTED)), Plain(99))


def test_a_header_of_endless_hops_is_nonsense() -> None:
    frame = Routed(Way(0, 2**62), Payload(Found(event())))
    assert Recorder(brokered(), me=2).handle(0.0, Received("Line", 3, frame)) == [Reject("Line", f"{2**62} hops")]


def test_a_subscription_is_stored_on_its_way_and_events_come_back_along_it() -> None:
    nodes = [Recorder(brokered(), me=me) for me in range(5)]
    verbs = carried(nodes, 3, Asked(Subscribe(WANTED)))
    assert verbs == [(0, Note("Broker", "registered", None, {"subscription": 7, "hops": 3}))]
    paths = [node.node.layers[0].paths for node in nodes]
    assert [path.get(7, (None, None))[1] for path in paths] == [1, 2, 3, None, None]
    delivered = carried(nodes, 4, Asked(Publish(event())))
    assert [(me, verb.signal.event) for me, verb in delivered if isinstance(verb, Up)] == [(3, event())]


def carried(nodes: list[Recorder], me: int, happening: Asked) -> list[tuple[int, Verb]]:
    """What the nodes do, apart from what they send to each other, which arrives."""
    found: list[tuple[int, Verb]] = []
    waiting = deque([(me, happening)])
    while waiting:
        me, now = waiting.popleft()
        for verb in nodes[me].handle(0.0, now):
            if isinstance(verb, Send):
                waiting.append((verb.to, Received(verb.port, me, verb.message)))
            else:
                found.append((me, verb))
    return found
