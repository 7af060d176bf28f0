"""What one UDP packet holds: an envelope of sixteen bytes, then records of `kind 1 · length 2 · body`. Big-endian.

Suite 0, the only one here, has no keys; it is for loopback addresses. Frames and acknowledgements are the records.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from motecast.core import NodeId, WireError

TO_ONE = 0x10  # version 1, suite 0
TO_ALL = 0x18  # the same, sent to everybody who hears
FRAME, NUMBERED, ACK = 1, 0x81, 3  # a frame; one that wants an acknowledgement; the acknowledgement
RECORDS = 1024  # in one datagram

_ENVELOPE = struct.Struct(">BBIIHI")  # version and suite, epoch, sender, boot, counter (6 bytes)
_RECORD = struct.Struct(">BH")
_NUMBER = struct.Struct(">I")
_ACK = struct.Struct(">IQI")


class Envelope(NamedTuple):
    """Who sent it, in which of its lives, and the how manieth datagram of that life it is."""

    sender: NodeId
    boot: int
    counter: int


class Data(NamedTuple):
    """A frame; with a number when the sender waits for an acknowledgement."""

    frame: bytes
    number: int | None = None


class Ack(NamedTuple):
    """Every number below `next` has arrived; bit i says that `next` + 1 + i has."""

    next: int
    bitmap: int
    credit: int = 0


Record = Data | Ack


def pack(envelope: Envelope, record: Record, *, kind: int = TO_ONE) -> bytes:
    """A datagram with one record."""
    sender, boot, counter = envelope
    head = _ENVELOPE.pack(kind, 0, sender, boot, counter >> 32, counter & 0xFFFFFFFF)
    if isinstance(record, Ack):
        return head + _RECORD.pack(ACK, _ACK.size) + _ACK.pack(*record)
    if record.number is None:
        return head + _RECORD.pack(FRAME, len(record.frame)) + record.frame
    return head + _RECORD.pack(NUMBERED, len(record.frame) + 4) + _NUMBER.pack(record.number) + record.frame


def unpack(data: bytes) -> tuple[Envelope, list[Record]]:
    """Envelope and records; `WireError` for bytes that are not exactly that."""
    if len(data) < _ENVELOPE.size:
        raise WireError(f"datagram of {len(data)} bytes; the envelope alone has {_ENVELOPE.size}")
    kind, epoch, sender, boot, high, low = _ENVELOPE.unpack_from(data)
    if kind not in (TO_ONE, TO_ALL) or epoch:
        raise WireError(f"version and suite {kind:02x}, epoch {epoch}; this host speaks version 1 without keys")
    records: list[Record] = []
    place = _ENVELOPE.size
    while place < len(data):
        record, place = _record(data, place)
        records.append(record)
        if len(records) > RECORDS:
            raise WireError(f"more than {RECORDS} records")
    return Envelope(sender, boot, high << 32 | low), records


def _record(data: bytes, place: int) -> tuple[Record, int]:
    """The record that starts here, and where the next one does."""
    start = place + _RECORD.size
    if start > len(data):
        raise WireError("a record's head runs past the end")
    kind, length = _RECORD.unpack_from(data, place)
    end = start + length
    if end > len(data):
        raise WireError(f"a record of {length} bytes runs past the end")
    body = data[start:end]
    if kind == FRAME:
        return Data(body), end
    if kind == NUMBERED and length >= _NUMBER.size:
        return Data(body[_NUMBER.size :], _positive(_NUMBER.unpack_from(body)[0])), end
    if kind == ACK and length == _ACK.size:
        return Ack(*_ACK.unpack(body)), end
    raise WireError(f"record of kind {kind} and {length} bytes")


def _positive(number: int) -> int:
    if number == 0:
        raise WireError("link number 0; the first is 1")
    return number
