"""Messages and their binary form: one byte of port, two of tag, then the fields as a msgpack array."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, dataclass_transform

import msgspec
from msgspec import inspect

from motecast.core.errors import StackError, WireError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from motecast.core.pubsub import Event

FRAME_LIMIT = 256 * 1024  # bytes; no frame is longer, so no peer makes us allocate more
_HEADER = 3  # bytes: port 1, tag 2
TRAVELS = "a message holds numbers, texts, bytes, tuples, frozen structs and payloads"


@dataclass_transform(frozen_default=True)
class Message(msgspec.Struct, frozen=True, array_like=True):
    """What one layer says to the same layer of a peer. Subclasses list their fields."""

    tag: ClassVar[int] = 0  # two bytes on the wire, from the class name
    carries: ClassVar[str | None] = None  # the field with the event inside; None: control
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
        kinds = [*self._payloads.values(), *(kind for port in self.ports for kind in port.values())]
        for kind in kinds:
            _check_fields(kind)
        self._encoder = msgspec.msgpack.Encoder(enc_hook=self._pack)
        self._decoders = {kind: msgspec.msgpack.Decoder(kind, dec_hook=self._unpack) for kind in kinds}
        self._buffer = bytearray(1024)

    def describe(self) -> str:
        """Every message with its tag and fields, a line each: two codecs that say the same understand each other."""
        named = [(str(port), kinds) for port, kinds in enumerate(self.ports)] + [("payload", self._payloads)]
        return "\n".join(
            f"{place} {tag:04x} {kind.__name__} {kind.__struct_fields__} {list(kind.__annotations__.values())}"
            for place, kinds in named
            for tag, kind in sorted(kinds.items())
        )

    def encode(self, port: int, message: Message) -> bytes:
        """The frame as bytes."""
        assert message.tag in self.ports[port], f"{type(message).__name__} is no message of port {port}"
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
        raise TypeError(f"{value!r} cannot travel; {TRAVELS}")

    def _unpack(self, kind: type, value: object) -> object:
        assert kind is Payload, f"{kind} travels, though _check_fields lets only payloads pass"
        if not isinstance(value, list) or len(value) != 2 or type(value[0]) is not int:
            raise ValueError("a payload is a tag and a message")
        message = self._payloads.get(value[0])
        if message is None:
            raise ValueError(f"tag {value[0]:04x} is no payload of this stack")
        return Payload(msgspec.convert(value[1], message, dec_hook=self._unpack))


def _check_fields(kind: type[Message]) -> None:
    """Raises `StackError` for a message with a field that cannot travel."""
    if kind.carries is not None and kind.carries not in kind.__struct_fields__:
        raise StackError(f"{kind.__name__}.carries: {unknown('field', kind.carries, kind.__struct_fields__)}")
    try:
        types = inspect.type_info(kind)
    except (NameError, TypeError) as error:
        raise StackError(f"{kind.__name__}: {error}") from None
    assert isinstance(types, inspect.StructType), types
    for field in types.fields:
        odd = _odd(field.type, ())
        if odd is not None:
            raise StackError(f"{kind.__name__}.{field.name}: {odd} cannot travel; {TRAVELS}")


def _odd(kind: inspect.Type, seen: tuple[type, ...]) -> str | None:
    """The name of the first type inside that is no value, if there is one."""
    cls: type | None = getattr(kind, "cls", None)
    if isinstance(kind, inspect.AnyType | inspect.SetType | inspect.FrozenSetType):  # unchecked; in no certain order
        return type(kind).__name__.removesuffix("Type").lower()
    if cls is not None and (cls is Payload or cls in seen):
        return None
    if isinstance(kind, inspect.CustomType):
        return kind.cls.__name__
    if isinstance(kind, inspect.StructType) and not kind.cls.__struct_config__.frozen:
        return f"{kind.cls.__name__}, which is not frozen,"
    inner = [getattr(kind, name) for name in ("item_type", "key_type", "value_type") if hasattr(kind, name)]
    inner += [*getattr(kind, "item_types", ()), *getattr(kind, "types", ())]
    inner += [field.type for field in getattr(kind, "fields", ())]
    return next(filter(None, (_odd(part, (*seen, cls) if cls else seen) for part in inner)), None)


def _by_tag(messages: Iterable[type[Message]]) -> Mapping[int, type[Message]]:
    """Messages by their tag; two classes with one tag are refused where the stack is made."""
    found: dict[int, type[Message]] = {}
    for message in sorted(messages, key=lambda kind: kind.__name__):
        twin = found.setdefault(message.tag, message)
        if twin is not message:
            raise StackError(f"{message.__name__} and {twin.__name__} share the tag {message.tag:04x}; rename one")
    return found
