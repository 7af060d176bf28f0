"""A sensor or a subscriber of CED's field by itself, and what its peers say to it."""

from __future__ import annotations

from motecast.core import Event, EventId, Grid, Layer, Leg, Publish, Recorder, Stack, Subscribe, Subscription
from motecast.core.recorder import Asked, Expired, Moved, Note, Received, Send, Sent, SetTimer, Started, Verb
from motecast.protocols.ced.messages import EventCopy

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
