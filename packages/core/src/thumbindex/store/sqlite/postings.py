"""Posting lists: which passages hold each term, packed into blocks of neighbouring terms. Pure.

A block holds, for terms in the order of their UTF-8 bytes, ascending offsets of passages from the first of its segment:

    count of terms | end of each term's offsets | all offsets | the terms, each between line feeds
    uint32           uint32 × count               uint16        UTF-8

with all numbers little-endian. Read as a whole, a list of 50,000 passages takes a tenth of a millisecond, where a row of a
table for each passage takes thirty.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence

CAPACITY = 1 << 16
"""Passages that one segment can number."""
_BLOCK = 3800
"""Bytes after which a block is closed, so that most fit a page of the database (4,096 bytes)."""

Lists = dict[str, "array[int]"]


def collect(passages: Iterable[Sequence[str]]) -> Lists:
    """For each term the passages that hold it, from the token texts of these passages."""
    found: Lists = {}
    for place, fields in enumerate(passages):
        for term in set(" ".join(fields).split()):
            if term in found:
                found[term].append(place)
            else:
                found[term] = array("H", (place,))
    return found


def pack(lists: Mapping[str, array[int]]) -> Iterator[tuple[str, bytes]]:
    """Blocks with the first term of each."""
    terms: list[bytes] = []
    offsets = array("H")
    ends = array("I")
    size = 0
    for term in sorted(lists):
        name, rows = term.encode(), lists[term]
        added = len(name) + 5 + 2 * len(rows)
        if terms and size + added > _BLOCK:
            yield terms[0].decode(), _block(terms, ends, offsets)
            terms, offsets, ends, size = [], array("H"), array("I"), 0
        terms.append(name)
        offsets.extend(rows)
        ends.append(len(offsets))
        size += added
    if terms:
        yield terms[0].decode(), _block(terms, ends, offsets)


def _block(terms: Sequence[bytes], ends: array[int], offsets: array[int]) -> bytes:
    return b"".join((struct.pack("<I", len(terms)), _bytes(ends), _bytes(offsets), b"\n", b"\n".join(terms), b"\n"))


def find(block: bytes, term: str) -> array[int] | None:
    """The passages that hold a term, by the block that would hold it."""
    (count,) = struct.unpack_from("<I", block)
    (whole,) = struct.unpack_from("<I", block, 4 * count)
    start = 4 + 4 * count
    names = start + 2 * whole
    at = block.find(b"\n" + term.encode() + b"\n", names)
    if at < 0:
        return None
    place = block.count(b"\n", names, at)
    first = struct.unpack_from("<I", block, 4 * place)[0] if place else 0
    (last,) = struct.unpack_from("<I", block, 4 * place + 4)
    return _offsets(block[start + 2 * first : start + 2 * last])


def unpack(block: bytes) -> Iterator[tuple[str, array[int]]]:
    """All terms of a block with their passages."""
    (count,) = struct.unpack_from("<I", block)
    ends = struct.unpack_from(f"<{count}I", block, 4)
    start = 4 + 4 * count
    names = start + 2 * ends[-1]
    rows = _offsets(block[start:names])
    first = 0
    for term, last in zip(block[names + 1 : -1].decode().split("\n"), ends, strict=True):
        yield term, rows[first:last]
        first = last


def _bytes(numbers: array[int]) -> bytes:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


def _offsets(data: bytes) -> array[int]:
    numbers = array("H")
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
