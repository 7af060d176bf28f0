"""Messages: what a layer says to the same layer of a peer; and payloads, which a routing layer carries unopened."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

import msgspec

if TYPE_CHECKING:
    from motecast.core.pubsub import Event


@dataclass_transform(frozen_default=True)
class Message(msgspec.Struct, frozen=True, array_like=True):
    """What one layer says to the same layer of a peer. Subclasses list their fields."""

    tag: ClassVar[int] = 0  # two bytes on the wire, from the class name
    carries: ClassVar[str | None] = None  # the field with the event, events or payloads inside; None: control
    bits: ClassVar[int | None] = None  # what a paper says it costs on air; None: the encoded length
    stops: ClassVar[bool] = False  # as a payload: handed up at every hop, and travels on only after `Continue`

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.tag = zlib.crc32(cls.__name__.encode()) & 0xFFFF


class Payload:
    """A message of an upper layer on its way through a routing layer, which never opens it."""

    __slots__ = ("message",)

    def __init__(self, message: Message) -> None:
        self.message = message

    @property
    def stops(self) -> bool:
        """True when it is handed up at every hop and travels on only after `Continue`."""
        return self.message.stops

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Payload) and self.message == other.message

    def __hash__(self) -> int:
        return hash(self.message)

    def __repr__(self) -> str:
        return f"Payload({self.message!r})"


def events_of(message: Message) -> tuple[Event, ...]:
    """The events that a message carries, seen through `carries`, payloads and tuples; () for control."""
    if message.carries is None:
        return ()
    return _events_in(getattr(message, message.carries))


def _events_in(inside: Any) -> tuple[Event, ...]:  # noqa: ANN401  # what check_fields lets a message carry
    if isinstance(inside, Payload):
        return events_of(inside.message)
    if isinstance(inside, tuple):
        return tuple(event for part in inside for event in _events_in(part))
    return () if inside is None else (inside,)
