"""Datagrams: what goes in comes out, and any other bytes are a WireError."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.core import WireError
from motecast.live.datagram import NUMBERED, Ack, Data, Envelope, pack, unpack

words = st.integers(0, 2**32 - 1)
envelopes = st.builds(Envelope, words, words, st.integers(0, 2**48 - 1))
frames = st.builds(Data, st.binary(max_size=200), st.none() | st.integers(1, 2**32 - 1))
acks = st.builds(Ack, words, st.integers(0, 2**64 - 1), words)
HEAD = pack(Envelope(7, 1, 1), Data(b""))[:16]


@given(envelopes, frames | acks)
def test_what_is_packed_is_unpacked(envelope, record):
    assert unpack(pack(envelope, record)) == (envelope, [record])


def test_the_layout_is_that_of_the_specification():
    """live.md 3.1 and 3.2; an example of ours: sender 7, boot 0x66000001, counter 1, a frame "hello" with number 9."""
    data = pack(Envelope(7, 0x66000001, 1), Data(b"hello", 9))
    assert data.hex() == "10000000000766000001000000000001" + "810009" + "00000009" + b"hello".hex()


@given(envelopes, st.lists(frames | acks, max_size=5))
def test_a_datagram_may_hold_several_records(envelope, records):
    data = pack(envelope, Data(b""))[:16] + b"".join(pack(envelope, record)[16:] for record in records)
    assert unpack(data) == (envelope, records)


@pytest.mark.fuzz
@given(st.binary(max_size=300) | st.binary(max_size=100).map(lambda tail: HEAD + tail))
def test_any_bytes_are_records_or_a_wire_error(data):
    try:
        envelope, records = unpack(data)
    except WireError:
        return
    assert data[16:] == b"".join(pack(envelope, record)[16:] for record in records)


@pytest.mark.parametrize(
    "data, why",
    [
        (b"", "datagram of 0 bytes"),
        (b"\x20" + HEAD[1:], "version and suite 20"),
        (HEAD + b"\x01", "head runs past the end"),
        (HEAD + b"\x01\x00\x05hell", "5 bytes runs past the end"),
        (HEAD + b"\x09\x00\x00", "record of kind 9"),
        (HEAD + b"\x03\x00\x01\x00", "record of kind 3 and 1 bytes"),
        (HEAD + bytes((NUMBERED, 0, 4, 0, 0, 0, 0)), "link number 0"),
        (HEAD + b"\x01\x00\x00" * 1025, "more than 1024 records"),
    ],
)
def test_a_refusal_says_why(data, why):
    with pytest.raises(WireError, match=why):
        unpack(data)
