"""Messages and their binary form: one byte of port, two of tag, then the fields as a msgpack array."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec

from motecast.core.errors import StackError, WireError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from motecast.core.pubsub import Event

FRAME_LIMIT = 256 * 1024  # bytes; no frame is longer, so no peer makes us allocate more
_HEADER = 3  # bytes: port 1, tag 2


class Message(msgspec.Struct, frozen=True, array_like=True):
    """What one layer says to the same layer of a peer. Subclasses list their fields."""

    tag: ClassVar[int] = 0  # two bytes on the wire, from the class name
    carries: ClassVar[str | None] = None  # the field with the event inside; None: control
    bits: ClassVar[int | None] = None  # what a paper says it costs on air; None: the encoded length

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
        return bool(getattr(type(self.message), "stops", False))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Payload) and self.message == other.message

    def __hash__(self) -> int:
        return hash(self.message)

    def __repr__(self) -> str:
        return f"Payload({self.message!r})"


class Frame(NamedTuple):
    """One message of one layer, as it travels."""

    port: int
    message: Message


def events_of(message: Message) -> tuple[Event, ...]:
    """The events inside a message, looked up through `carries` and through payloads; () for control."""
    if message.carries is None:
        return ()
    inside = getattr(message, message.carries)
    if isinstance(inside, Payload):
        return events_of(inside.message)
    if isinstance(inside, tuple):
        return inside
    return () if inside is None else (inside,)


class Codec:
    """Encodes and decodes the frames of one stack; `speaks` lists the messages of each port."""

    def __init__(self, speaks: Iterable[Iterable[type[Message]]], payloads: Iterable[type[Message]] = ()) -> None:
        self.ports = tuple(_by_tag(messages) for messages in speaks)
        self._payloads = _by_tag(payloads)
        self._encoder = msgspec.msgpack.Encoder(enc_hook=self._pack)
        self._decoders = {
            kind: msgspec.msgpack.Decoder(kind, dec_hook=self._unpack) for port in self.ports for kind in port.values()
        }
        self._buffer = bytearray(1024)

    def encode(self, port: int, message: Message) -> bytes:
        """The frame as bytes."""
        return bytes((port,)) + message.tag.to_bytes(2) + self._encoder.encode(message)

    def size(self, message: Message) -> int:
        """Bytes that the frame costs on air: what the paper says, else its encoded length."""
        if message.bits is not None:
            return (message.bits + 7) // 8
        self._encoder.encode_into(message, self._buffer)
        return len(self._buffer) + _HEADER

    def decode(self, data: bytes) -> Frame:
        """The frame in these bytes; `WireError` for anything else."""
        if not _HEADER < len(data) <= FRAME_LIMIT:
            raise WireError(f"frame of {len(data)} bytes; a frame has {_HEADER + 1} to {FRAME_LIMIT}")
        port = data[0]
        if port >= len(self.ports):
            raise WireError(f"port {port}; this stack has ports 0 to {len(self.ports) - 1}")
        kind = self.ports[port].get(int.from_bytes(data[1:_HEADER]))
        if kind is None:
            raise WireError(f"tag {data[1:_HEADER].hex()} is no message of port {port}")
        try:
            return Frame(port, self._decoders[kind].decode(data[_HEADER:]))
        except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError) as error:
            raise WireError(f"{kind.__name__}: {error}") from None

    def _pack(self, value: object) -> object:
        if isinstance(value, Payload):
            return (value.message.tag, value.message)
        raise TypeError(f"{value!r} cannot travel: a message holds numbers, strings, bytes, tuples and structs")

    def _unpack(self, kind: type, value: Any) -> object:
        if kind is not Payload:
            raise TypeError(f"{kind.__name__} cannot travel")
        if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], int):
            raise ValueError("a payload is a tag and a message")
        message = self._payloads.get(value[0])
        if message is None:
            raise ValueError(f"tag {value[0]:04x} is no payload of this stack")
        return Payload(msgspec.convert(value[1], message, dec_hook=self._unpack))


def _by_tag(messages: Iterable[type[Message]]) -> Mapping[int, type[Message]]:
    """Messages by their tag; two classes with one tag are refused where the stack is made."""
    found: dict[int, type[Message]] = {}
    for message in sorted(messages, key=lambda kind: kind.__name__):
        twin = found.setdefault(message.tag, message)
        if twin is not message:
            raise StackError(f"{message.__name__} and {twin.__name__} share the tag {message.tag:04x}; rename one")
    return found
