"""The vocabulary of publish/subscribe: events, subscriptions, the signals between layers, and the services."""

from __future__ import annotations

from typing import ClassVar, NamedTuple, dataclass_transform

import msgspec

from motecast.core.message import Message, Payload
from motecast.filters import Filter, check_topic_filter, topic_matches

NodeId = int
Value = bool | int | float | str
Position = tuple[float, float]


class EventId(NamedTuple):
    """Who published it, and its number at that publisher. Never used twice."""

    publisher: int
    number: int

    def __str__(self) -> str:
        return f"{self.publisher}/{self.number}"


class Event(msgspec.Struct, frozen=True, array_like=True):
    """What a publisher publishes, once."""

    id: EventId
    topics: tuple[str, ...]
    attributes: dict[str, Value] = {}
    when: float = 0.0  # s; when it was published
    position: Position | None = None
    payload: bytes = b""
    stamp: bytes | None = None  # ordering metadata, opaque to whoever did not write it
    expires: float | None = None  # s; nobody wants it later than this

    def __hash__(self) -> int:  # an id is never used twice, so a timer or a message that holds an event can be a key
        return hash(self.id)


class Subscription(msgspec.Struct, frozen=True, array_like=True):
    """What a subscriber wants: a topic filter and, optionally, a `where` filter as text.

    One that cannot be meant does not exist: a `FilterError` where it is made, and bytes that say one are no frame.
    """

    id: int
    subscriber: NodeId
    topic: str
    where: str | None = None

    def __post_init__(self) -> None:
        check_topic_filter(self.topic)
        if self.where is not None:
            Filter(self.where)

    def matches(self, event: Event) -> bool:
        """True when the event is wanted."""
        if not any(topic_matches(self.topic, topic) for topic in event.topics):
            return False
        return self.where is None or Filter(self.where).matches(facts_of(event))


def facts_of(event: Event) -> dict[str, Value]:
    """What a filter sees of an event: its attributes, and where it was published as x and y."""
    if event.position is None:
        return event.attributes
    x, y = event.position
    return {"x": x, "y": y, **event.attributes}


@dataclass_transform(frozen_default=True)
class Signal(msgspec.Struct, frozen=True):
    """What one layer says to the next one in the same node."""


class Subscribe(Signal):
    """Asked: deliver what matches from now on."""

    subscription: Subscription


class Unsubscribe(Signal):
    """Asked: this subscription is over."""

    subscription: Subscription


class Advertise(Signal):
    """Asked: I am going to publish on this topic, starting at this number. A hint: it may be ignored."""

    topic: str
    number: int = 1


class Publish(Signal):
    """Asked: bring this event to whoever wants it."""

    event: Event


class Seek(Signal):
    """Asked: bring again what these numbers of a publisher were, as far as it matches. May be ignored."""

    publisher: NodeId
    first: int
    last: int | None = None  # None: whatever came since the subscription became active
    where: str | None = None


class Notify(Signal):
    """Told: here is an event that this node wants."""

    event: Event
    hops: int | None = None  # transmissions on its way here, where the layer knows
    gap: bool = False  # a predecessor is missing for good
    history: bool = False  # the application sought it: it comes outside of the order of what is new


class Missing(Signal):
    """Told: these numbers of a publisher will not come; `proven`: nothing of them was for this node."""

    publisher: NodeId
    first: int
    last: int
    proven: bool = False
    stamp: bytes | None = None  # of event `first`, if it passed by here: who wrote it may learn from it


class Route(Signal):
    """Asked: carry this payload to a point or to a node, which was last known to be at `position`."""

    to: Position | NodeId
    payload: Payload
    position: Position | None = None


class Continue(Signal):
    """Asked: a payload that was handed up on its way travels on, the same or another one, by the same `way`."""

    to: Position | NodeId
    payload: Payload
    way: Message | None = None  # of `Passing`; None: it sets out anew from here


class Arrived(Signal):
    """Told: a payload's route ends here; `home` says that nobody is nearer to the target, so a node `to` is gone."""

    payload: Payload
    to: Position | NodeId
    hops: int
    home: bool = False
    sender: NodeId | None = None  # the node before this one; None: this node sent it itself


class Passing(Signal):
    """Told: a payload that stops at every hop is here on its way."""

    payload: Payload
    to: Position | NodeId
    hops: int
    sender: NodeId | None = None  # the node before this one, which is the way back
    way: Message | None = None  # what the routing layer must know to go on; nobody else opens it


class Service:
    """What a layer offers to the layer above it: the signals it is asked, and those it tells."""

    asks: ClassVar[tuple[type[Signal], ...]] = ()
    tells: ClassVar[tuple[type[Signal], ...]] = ()


class PubSub(Service):
    """Events to whoever wants them."""

    asks = (Subscribe, Unsubscribe, Advertise, Publish, Seek)
    tells = (Notify, Missing)


class Routing(Service):
    """Payloads to a point or a node, over many hops."""

    asks = (Route, Continue)
    tells = (Arrived, Passing)


class Radio(Service):
    """The floor: one radio hop. Layers reach it by `send` and `broadcast`, not by signals."""
