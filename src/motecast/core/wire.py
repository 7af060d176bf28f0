"""The binary form of messages: one byte of port, two of tag, then the fields as a msgpack array."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from motecast.core.errors import StackError, WireError
from motecast.core.fields import TRAVELS, check_fields, described
from motecast.core.message import Message, Payload
from motecast.filters import FilterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FRAME_LIMIT = 60_000  # bytes; a longer frame is neither sent nor read. With its headers one UDP packet takes it
_HEADER = 3  # bytes: port 1, tag 2


class Frame(NamedTuple):
    """One message of one layer, as it travels."""

    port: int
    message: Message


class Codec:
    """Encodes and decodes the frames of one stack; `speaks` lists the messages of each port."""

    def __init__(self, speaks: Iterable[Iterable[type[Message]]], payloads: Iterable[type[Message]] = ()) -> None:
        self.ports = tuple(_by_tag(messages) for messages in speaks)
        self.payloads = _by_tag(payloads)
        kinds = [*self.payloads.values(), *(kind for port in self.ports for kind in port.values())]
        for kind in kinds:
            check_fields(kind)
        self._encoder = msgspec.msgpack.Encoder(enc_hook=self._pack)
        self._decoders = {kind: msgspec.msgpack.Decoder(kind, dec_hook=self._unpack) for kind in kinds}
        self._buffer = bytearray(1024)

    def describe(self) -> str:
        """Every message with its tag and fields, a line each: two codecs that say the same understand each other.

        >>> class Ping(Message):
        ...     number: int
        >>> print(Codec([[Ping]]).describe())
        0 92c3 Ping(number: int)
        """
        named = [(str(port), kinds) for port, kinds in enumerate(self.ports)] + [("payload", self.payloads)]
        return "\n".join(
            f"{place} {tag:04x} {described(kind)}" for place, kinds in named for tag, kind in sorted(kinds.items())
        )

    def encode(self, port: int, message: Message) -> bytes:
        """The frame as bytes; `WireError` for one that is too long."""
        assert message.tag in self.ports[port], f"{type(message).__name__} is no message of port {port}"
        self.size(message)
        return bytes((port,)) + message.tag.to_bytes(2) + self._buffer

    def size(self, message: Message) -> int:
        """Bytes that the frame costs on air: what the paper says, else its encoded length."""
        self._encoder.encode_into(message, self._buffer)
        size = len(self._buffer) + _HEADER
        if size > FRAME_LIMIT:
            raise WireError(f"{type(message).__name__} of {size} bytes; a frame has at most {FRAME_LIMIT}")
        return size if message.bits is None else (message.bits + 7) // 8

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
            cause = error.__cause__
            raise WireError(f"{kind.__name__}: {cause.line if isinstance(cause, FilterError) else error}") from None

    def check_payload(self, payload: Payload) -> None:
        """Raises `StackError` for a payload that no peer could read."""
        kind = type(payload.message)
        if self.payloads.get(kind.tag) is not kind:
            raise StackError(
                f"{kind.__name__} is no payload of this stack: its layer says payloads = ({kind.__name__}, …)"
            )

    def __reduce__(self) -> tuple[object, ...]:
        return Codec, (tuple(tuple(port.values()) for port in self.ports), tuple(self.payloads.values()))

    def _pack(self, value: object) -> object:
        if isinstance(value, Payload):
            self.check_payload(value)
            return (value.message.tag, value.message)
        raise TypeError(f"{value!r} cannot travel; {TRAVELS}")

    def _unpack(self, kind: type, value: object) -> object:
        assert kind is Payload, f"{kind} travels, though check_fields lets only payloads pass"
        if not isinstance(value, list) or len(value) != 2 or type(value[0]) is not int:
            raise ValueError("a payload is a tag and a message")
        message = self.payloads.get(value[0])
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
