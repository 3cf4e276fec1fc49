"""Messages between a process and its workers: a JSON header and a payload of bytes, both prefixed with their lengths.

A message starts with the length of the header (4 bytes) and of the payload (8 bytes), big-endian; then come both.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

_LENGTHS = struct.Struct(">IQ")

_PIECE = 1 << 20
"""Bytes read at a time: a length from a broken pipe must not reserve memory for all of a message that never comes."""

Header = dict[str, Any]  # JSON, checked by the side that reads it


def send(stream: BinaryIO, header: Header, payload: bytes = b"") -> None:
    """Writes one message to an unbuffered stream."""
    head = json.dumps(header).encode("ascii")
    _write(stream, _LENGTHS.pack(len(head), len(payload)) + head)
    _write(stream, payload)


def receive(stream: BinaryIO) -> tuple[Header, bytes] | None:
    """Returns the next message, or None where the stream ends, even in the middle of a message.

    Raises:
        ValueError: The header is not JSON.
    """
    lengths = _read(stream, _LENGTHS.size)
    if lengths is None:
        return None
    head_length, payload_length = _LENGTHS.unpack(lengths)
    head = _read(stream, head_length)
    payload = _read(stream, payload_length)
    if head is None or payload is None:
        return None
    header: Header = json.loads(head)
    return header, payload


def _write(stream: BinaryIO, data: bytes) -> None:
    # The pipes are unbuffered, so that a forked child flushes no half of a message; a raw write may be partial.
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]


def _read(stream: BinaryIO, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        piece = stream.read(min(size - len(data), _PIECE))
        if not piece:
            return None
        data += piece
    return bytes(data)
