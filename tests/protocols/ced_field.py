"""A sensor or a subscriber of CED's field by itself, and what its peers say to it."""

from __future__ import annotations

import math

from motecast.core import Event, EventId, Grid, Layer, Leg, Passage, Publish, Recorder, Stack, Subscribe, Subscription
from motecast.core.recorder import Asked, Broadcast, Expired, Moved, Note, Received, Send, Sent, SetTimer, Started, Verb
from motecast.parts.communities import Member
from motecast.protocols.ced.community import Community
from motecast.protocols.ced.messages import EventCopy, NodeIdMessage
from motecast.protocols.ced.messages import Path as Way

GRID = Grid(150.0, 150.0, 15)  # cells of 10 m
SUBSCRIBER, OTHER = 100, 101
LEG = Leg(0.0, (5.0, 5.0), (35.0, 5.0), 1.0, 30.0)  # cells (0, 0) to (3, 0); an edge every 10 s


def wanting(where: str | None = None, node: int = SUBSCRIBER, number: int = 1) -> Subscription:
    """A subscription of a subscriber."""
    return Subscription(number, node, "field", where)


def sensed(number: int, when: float = 0.0, publisher: int = 7, **attributes: float) -> Event:
    """An event of a sensor, which nobody wants 2,000 s later."""
    return Event(EventId(publisher, number), ("field",), dict(attributes), when, (5.0, 5.0), expires=when + 2000.0)


class Life:
    """One node. Alarms that it sets ring when their time has come."""

    def __init__(self, layer: Layer, me: int = 7, at: tuple[float, float] = (5.0, 5.0)) -> None:
        self.name = type(layer).__name__
        self.recorder = Recorder(Stack(layer), me=me, position=at, grid=GRID)
        self.layer = self.recorder.node.layers[0]
        self.alarms: dict[object, float] = {}
        self.log: list[Verb] = []
        self.do(0.0, Started())

    def do(self, now: float, happening: object) -> list[Verb]:
        """What happens at a time, after the alarms that are due before."""
        while due := [(when, timer) for timer, when in self.alarms.items() if when <= now]:
            when, timer = min(due, key=lambda each: each[0])
            del self.alarms[timer]
            self._handle(when, Expired(self.name, timer))
        return self._handle(now, happening)

    def hear(self, now: float, sender: int, message: object) -> list[Verb]:
        """A peer's frame."""
        return self.do(now, Received(self.name, sender, message))

    def publish(self, now: float, event: Event) -> list[Verb]:
        """The application senses something."""
        return self.do(now, Asked(Publish(event)))

    def subscribe(self, now: float, subscription: Subscription) -> list[Verb]:
        """The application wants something."""
        return self.do(now, Asked(Subscribe(subscription)))

    def walk(self, now: float, leg: Leg | None, at: tuple[float, float] | None = None) -> list[Verb]:
        """It is on a leg now, or stands."""
        place = at if at is not None else leg.at(now) if leg else self.recorder.place
        return self.do(now, Moved(place, leg))

    def left(self, now: float, verb: Verb, *, ok: bool = True) -> list[Verb]:
        """The radio says what became of a frame."""
        return self.do(now, Sent(self.name, getattr(verb, "to", None), verb.message, ok))

    def _handle(self, now: float, happening: object) -> list[Verb]:
        verbs = self.recorder.handle(now, happening)
        self.alarms |= {verb.timer: now + verb.after for verb in verbs if isinstance(verb, SetTimer)}
        self.log += verbs
        return [verb for verb in verbs if not isinstance(verb, SetTimer)]


class Aired(Life):
    """A node with a radio: each frame takes 50 ms, and is heard unless it `fails`."""

    fails = False
    is_manual = False  # a test says itself when frames have left
    air: tuple[float, Verb] | None = None

    def do(self, now: float, happening: object) -> list[Verb]:
        """What happens at a time, after the frames that have left and the alarms that are due before."""
        self._pass(now)
        return self._handle(now, happening)

    def run(self, now: float) -> list[Verb]:
        """All that the node does by itself until then."""
        mark = len(self.log)
        self._pass(now)
        return [verb for verb in self.log[mark:] if not isinstance(verb, SetTimer)]

    def _pass(self, now: float) -> None:
        while True:
            timer, rings = min(self.alarms.items(), key=lambda each: each[1], default=(None, math.inf))
            lands = self.air[0] if self.air and not self.is_manual else math.inf
            if min(rings, lands) > now:
                return
            if lands <= rings and self.air is not None:
                frame, self.air = self.air[1], None
                self._handle(lands, Sent(self.name, getattr(frame, "to", None), frame.message, not self.fails))
            else:
                del self.alarms[timer]
                self._handle(rings, Expired(self.name, timer))

    def _handle(self, now: float, happening: object) -> list[Verb]:
        verbs = super()._handle(now, happening)
        frames = [verb for verb in verbs if isinstance(verb, Send | Broadcast)]
        assert len(frames) + (self.air is not None and not self.is_manual) <= 1, "one frame is in the air"
        if frames:
            self.air = (now + 0.05, frames[0])
        return verbs


def settled(life: Aired, now: float, verbs: list[Verb]) -> list[Verb]:
    """What a happening made the node do, at once and in the next 0.4 s."""
    return verbs + life.run(now + 0.4)


def copies(verbs: list[Verb]) -> list[tuple[int, int]]:
    """The event frames in these: to whom, and which number."""
    return [
        (verb.to, verb.message.event.id.number)
        for verb in verbs
        if isinstance(verb, Send) and isinstance(verb.message, EventCopy)
    ]


def noted(verbs: list[Verb], what: str) -> list[tuple[int | None, str | None]]:
    """The notes of one kind: which event, and why."""
    return [
        (verb.event and verb.event.number, verb.facts.get("detail"))
        for verb in verbs
        if isinstance(verb, Note) and verb.what == what
    ]


NEAR = (Passage((1, 0), 0.0, 30.0), Passage((2, 0), 30.0, 40.0))  # in reach of cells (0, 0) to (3, 1)


def sensor(*neighbours: int, layer: Community | None = None, at: tuple[float, float] = (5.0, 5.0)) -> Aired:
    """Sensor 7, in cell (0, 0) if nothing else is said, and its neighbours in cell (1, 1); they know each other."""
    life = Aired(layer or Community(), 7, at)
    life.run(0.1)
    for peer in neighbours:
        life.hear(0.1, peer, Member(peer, (1, 1), (7,), 1))
    life.run(1.9)
    return life


def subscriber() -> Aired:
    life = Aired(Community(), SUBSCRIBER)
    life.subscribe(0.0, wanting("A1 < 5"))
    return life


def way(
    session: int = 1, seq: int = 0, community: int = 7, passages: tuple[Passage, ...] = NEAR, who: int = SUBSCRIBER
) -> Way:
    return Way(who, community, session, seq, passages)


def level(level_: int, session: int = 1, seq: int = 0, sensor_: int = 8, who: int = SUBSCRIBER) -> NodeIdMessage:
    return NodeIdMessage(who, session, seq, sensor_, level_)


def far(*neighbours: int, layer: Community | None = None) -> Aired:
    """Sensor 7 out of reach of `NEAR`; neighbour 8 is in reach of it, so the path touches the community."""
    return sensor(*neighbours, layer=layer, at=(55.0, 55.0)) if neighbours else sensor(8, layer=layer, at=(55.0, 55.0))


def walked(life: Aired, now: float = 2.0, path: Way | None = None) -> list[Verb]:
    """The subscriber's path reaches the sensor."""
    return settled(life, now, life.hear(now, 8, path or way()))
