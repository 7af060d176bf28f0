"""The binary form: what is encoded comes back, and nothing else is ever worse than a `WireError`."""

from __future__ import annotations

import math
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.core import (
    Codec,
    Event,
    EventId,
    Frame,
    Message,
    Payload,
    Stack,
    StackError,
    Subscription,
    WireError,
    events_of,
)
from motecast.core.wire import FRAME_LIMIT
from motecast.stacks import STACKS, build_stack
from tests.core.protocols import Broker, Carrier, Copy, OneHop, Ping, event
from tests.strategies import Maker

CODECS = [Stack(Broker(), OneHop()).codec, *(build_stack(name).codec for name in STACKS)]
PAYLOADS = [Copy]


class Many(Message):
    """Several events at once."""

    carries = "events"

    events: tuple[Event, ...]


class Perhaps(Message):
    """An event, or none."""

    carries = "event"

    event: Event | None


class Bundle(Message):
    """Payloads, some of which carry events."""

    carries = "inside"

    inside: tuple[Payload | None, ...]


class Light(Message):
    """A message whose paper says what it costs."""

    bits = 12

    number: int


class Cheap(Message):
    """A paper says that it costs next to nothing, however long it is."""

    carries = "event"
    bits = 8

    event: Event


class Leaf(msgspec.Struct, frozen=True):
    """A struct inside itself."""

    below: tuple[Leaf, ...] = ()


class Tree(Message):
    """Any depth of structs."""

    leaf: Leaf


@st.composite
def frames(draw: st.DrawFn) -> tuple[Codec, Frame]:
    """Any message of any stack, with its codec."""
    codec = draw(st.sampled_from(CODECS))
    port = draw(st.sampled_from([port for port, kinds in enumerate(codec.ports) if kinds]))
    kind = draw(st.sampled_from(list(codec.ports[port].values())))
    rng = Random(draw(st.integers(0, 2**32 - 1)))
    return codec, Frame(port, Maker(rng, PAYLOADS, numbers=(0.0, 1.5, -2.0, 1e300)).struct(kind))


@given(frames())
def test_what_is_encoded_comes_back(frame: tuple[Codec, Frame]) -> None:
    codec, (port, message) = frame
    assert codec.decode(codec.encode(port, message)) == Frame(port, message)


@given(frames())
def test_the_size_on_air_is_what_the_paper_says_or_the_encoded_length(frame: tuple[Codec, Frame]) -> None:
    codec, (port, message) = frame
    said = None if message.bits is None else math.ceil(message.bits / 8)
    assert codec.size(message) == (len(codec.encode(port, message)) if said is None else said)


@pytest.mark.fuzz
@given(st.sampled_from(CODECS), st.binary(max_size=300))
def test_random_bytes_are_a_frame_or_a_wire_error(codec: Codec, data: bytes) -> None:
    decode(codec, data)


@pytest.mark.fuzz
@given(frames(), st.integers(0, 400), st.binary(max_size=6), st.integers(0, 6))
def test_a_damaged_frame_is_a_frame_or_a_wire_error(
    frame: tuple[Codec, Frame], place: int, inserted: bytes, removed: int
) -> None:
    codec, (port, message) = frame
    data = codec.encode(port, message)
    place %= len(data)
    decode(codec, data[:place] + inserted + data[place + removed :])


@pytest.mark.fuzz
@given(st.sampled_from(CODECS), st.integers(0, 3), st.binary(max_size=200), st.integers(0, 9))
def test_a_good_header_with_anything_behind_it_is_a_frame_or_a_wire_error(
    codec: Codec, port: int, data: bytes, pick: int
) -> None:
    kinds = list(codec.ports[port % len(codec.ports)].values())
    if kinds:
        tag = kinds[pick % len(kinds)].tag
        decode(codec, bytes((port % len(codec.ports),)) + tag.to_bytes(2) + data)


def test_a_thousand_random_inputs_are_frames_or_wire_errors() -> None:
    rng = Random(3)
    for _ in range(1_000):
        codec = rng.choice(CODECS)
        port = rng.randrange(len(codec.ports))
        tags = [tag.to_bytes(2) for tag in codec.ports[port]] or [b"\0\0"]
        head = rng.choice((b"", bytes((port,)), bytes((port,)) + rng.choice(tags)))
        decode(codec, head + rng.randbytes(rng.randrange(60)))


def decode(codec: Codec, data: bytes) -> None:
    """Decodes, and holds a frame to what a frame is: it can be sent again, and is then the same."""
    try:
        port, message = codec.decode(data)
    except WireError:
        return
    assert type(message) in codec.ports[port].values()
    assert str(codec.decode(codec.encode(port, message)).message) == str(message)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"", f"frame of 0 bytes; a frame has 4 to {FRAME_LIMIT}"),
        (b"\0\0\0", f"frame of 3 bytes; a frame has 4 to {FRAME_LIMIT}"),
        (bytes(FRAME_LIMIT + 1), f"frame of {FRAME_LIMIT + 1} bytes; a frame has 4 to {FRAME_LIMIT}"),
        (b"\x02\0\0\0", "port 2; this stack has ports 0 to 1"),
        (b"\x01\xff\xff\0", "tag ffff is no message of port 1"),
    ],
)
def test_bytes_that_are_no_frame_say_why(data: bytes, line: str) -> None:
    with pytest.raises(WireError) as error:
        Stack(Broker(), OneHop()).codec.decode(data)
    assert str(error.value) == line


@pytest.mark.parametrize(
    "payload",
    [3, [], [1], [Copy.tag, []], [70_000, [1]], [True, [1]], ["x", [1]], [Copy.tag, [[[1, 1], ["a"]]], 3]],
)
def test_a_payload_that_is_none_is_a_wire_error(payload: object) -> None:
    data = b"\x01" + Carrier.tag.to_bytes(2) + msgspec.msgpack.encode([payload, 1])
    with pytest.raises(WireError, match="Carrier: "):
        Stack(Broker(), OneHop()).codec.decode(data)


class Register(Message):
    """A peer's subscriptions, some of them inside others."""

    subscriptions: tuple[Subscription, ...]


@pytest.mark.parametrize(
    ("topic", "where", "line"),
    [
        ("a", "temp >", "Register: line 1, column 7: "),
        ("a", "", "Register: line 1, column 1: "),
        ("a/#/b", None, "Register: line 1, column 3: '#' is not the last level"),
        ("", None, "Register: line 1, column 1: a topic filter is empty"),
    ],
)
@pytest.mark.parametrize("is_payload", [False, True])
def test_a_subscription_that_cannot_be_meant_is_a_wire_error(
    topic: str, where: str | None, line: str, is_payload: bool
) -> None:
    """A handler that meets it would raise, and a peer's bytes would have stopped the node."""
    fields: list[object] = [[[1, 2, "a", "t > 20"], [1, 2, topic, where]]]
    kind, content = (Carrier, [[Register.tag, fields], 1]) if is_payload else (Register, fields)
    with pytest.raises(WireError) as error:
        Codec([[Carrier, Register]], [Register]).decode(b"\0" + kind.tag.to_bytes(2) + msgspec.msgpack.encode(content))
    assert str(error.value).startswith(line.replace("Register", kind.__name__))
    assert "\n" not in str(error.value)


def test_a_hostile_nesting_is_a_wire_error() -> None:
    data = b"\x01" + Carrier.tag.to_bytes(2) + b"\x91" * 100_000
    with pytest.raises(WireError):
        Stack(Broker(), OneHop()).codec.decode(data)


def test_a_hostile_length_allocates_nothing() -> None:
    data = b"\x01" + Carrier.tag.to_bytes(2) + b"\xdd\xff\xff\xff\xff"
    with pytest.raises(WireError):
        Stack(Broker(), OneHop()).codec.decode(data)


def test_a_message_is_sent_on_its_own_port_only() -> None:
    with pytest.raises(AssertionError, match="Ping is no message of port 1"):
        Stack(Broker(), OneHop()).codec.encode(1, Ping(3))


@pytest.mark.parametrize("kind", [Copy, Cheap])
def test_a_message_that_is_too_long_is_neither_encoded_nor_sized(kind: type[Message]) -> None:
    codec = Codec([[Copy, Cheap]])
    longest = kind(event(payload=bytes(FRAME_LIMIT - 100)))
    room = FRAME_LIMIT - len(codec.encode(0, longest))
    longest = kind(event(payload=bytes(FRAME_LIMIT - 100 + room)))
    assert codec.decode(codec.encode(0, longest)).message == longest
    for act in (lambda message: codec.encode(0, message), codec.size):
        with pytest.raises(WireError) as error:
            act(kind(event(payload=bytes(FRAME_LIMIT - 99 + room))))
        assert str(error.value) == f"{kind.__name__} of 60001 bytes; a frame has at most 60000"


def test_a_payload_that_nobody_declared_is_never_encoded() -> None:
    """A peer could not read it: the simulator, which encodes only to count, must not be kinder than the wire."""
    codec = Codec([[Carrier]], [Copy])
    for act in (lambda message: codec.encode(0, message), codec.size):
        with pytest.raises(
            StackError, match=r"^Ping is no payload of this stack: its layer says payloads = \(Ping, …\)"
        ):
            act(Carrier(Payload(Ping(1)), 1))


def test_what_a_paper_says_a_message_costs_is_its_size() -> None:
    assert Codec([[Light]]).size(Light(1_000_000)) == 2


def test_a_message_says_which_events_it_carries() -> None:
    one, two = event(1), event(2)
    assert events_of(Ping(1)) == ()
    assert events_of(Copy(one)) == (one,)
    assert events_of(Many((one, two))) == (one, two)
    assert events_of(Perhaps(None)) == ()


def test_a_payload_is_seen_through() -> None:
    assert events_of(Carrier(Payload(Copy(event(1))), 3)) == (event(1),)
    assert events_of(Carrier(Payload(Ping(1)), 3)) == ()


def test_payloads_are_seen_through_in_tuples_too() -> None:
    inside = (Payload(Copy(event(1))), None, Payload(Ping(1)), Payload(Many((event(2), event(3)))))
    assert events_of(Bundle(inside)) == (event(1), event(2), event(3))


def test_a_payload_stops_where_its_message_says_so() -> None:
    class Join(Message):
        stops = True

    assert (Payload(Join()).stops, Payload(Ping(1)).stops) == (True, False)


def test_a_codec_describes_the_fields_of_what_is_inside_its_messages() -> None:
    """So that two nodes whose events differ by a field know that they do not understand each other."""

    def codec(share: type) -> Codec:
        inner = msgspec.defstruct("Inner", [("share", share)], frozen=True)
        return Codec([[type("Outer", (Message,), {"__annotations__": {"inner": inner}})]])

    assert codec(int).describe() != codec(float).describe()
    assert codec(int).describe() == codec(int).describe()


def test_a_struct_inside_itself_is_described_once() -> None:
    assert Codec([[Tree]]).describe().endswith("Tree(leaf: Leaf(below: vartuple(Leaf)))")


def test_payloads_are_values() -> None:
    assert Payload(Ping(1)) == Payload(Ping(1)) != Payload(Ping(2))
    assert len({Payload(Ping(1)), Payload(Ping(1))}) == 1
    assert repr(Payload(Ping(1))) == "Payload(Ping(number=1))"


def test_messages_are_frozen() -> None:
    with pytest.raises(AttributeError):
        Ping(1).number = 2


def test_the_tag_of_a_message_comes_from_its_name() -> None:
    assert 0 <= Ping.tag <= 0xFFFF
    assert Ping.tag != Copy.tag


def test_an_event_id_reads_as_publisher_and_number() -> None:
    assert str(EventId(3, 41)) == "3/41"
