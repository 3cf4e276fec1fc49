"""Rows of an SQLite file from the pages that hold them, where the pages that lead there are lost.

The leaf pages of a table tell all of its rows, but not its name: a row is known by the kinds of its columns. Format:
sqlite.org/fileformat2.html, sections 1.5 and 1.6 (pages) and 2.1 (records).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

PAGE = 4096
"""Bytes of a page of a library's file."""
HEADER = 100
"""Bytes at the start of the first page that are no part of its rows."""
_LEAF = 0x0D
_MOST_LOCAL, _LEAST_LOCAL, _ON_OVERFLOW = PAGE - 35, (PAGE - 12) * 32 // 255 - 23, PAGE - 4
_INTEGERS = (0, 1, 2, 3, 4, 6, 8)

Value = None | int | str | bytes
NULL, INTEGER, TEXT, BLOB = "null", "integer", "text", "blob"
Place = tuple[int, int]
"""Where a row stands: the number of its page, and the byte there."""


def find_rows(file: Path, wanted: Callable[[Sequence[str]], bool]) -> Iterator[tuple[int, int, Place]]:
    """Rowid, number of columns and place of each row of those kinds of columns that are wanted, in no order; what cannot be
    read is left out.

    Raises:
        ValueError: the list of free pages is damaged, so that rows that are gone cannot be told from the others.
    """
    with file.open("rb") as stream:
        free = _free_pages(stream)
        count = file.stat().st_size // PAGE
        for number in range(2, count + 1):
            page = _page(stream, number)
            if number in free or page[0] != _LEAF:
                continue
            (cells,) = struct.unpack_from(">H", page, 3)
            for place in struct.unpack_from(f">{min(cells, (PAGE - 8) // 2)}H", page, 8):
                with suppress(IndexError):
                    rowid, _, _, kinds = _head(page, place)
                    if wanted([_name(kind) for kind in kinds]):
                        yield rowid, len(kinds), (number, place)


def read_row(file: Path, place: Place) -> list[Value]:
    """The columns of a row.

    Raises:
        ValueError: some of it cannot be read.
    """
    with file.open("rb") as stream:
        page = _page(stream, place[0])
        _, size, start, kinds = _head(page, place[1])
        if size > file.stat().st_size:
            raise ValueError("a row is larger than its file")
        payload = _payload(stream, page, start, size)
    values: list[Value] = []
    at, _ = _varint(payload, 0)
    for kind in kinds:
        value, at = _value(payload, at, kind)
        values.append(value)
    return values


def _page(stream: BinaryIO, number: int) -> bytes:
    stream.seek((number - 1) * PAGE)
    page = stream.read(PAGE)
    if len(page) != PAGE or number < 1:
        raise ValueError(f"there is no page {number}")
    return page


def _free_pages(stream: BinaryIO) -> set[int]:
    """All pages on the file's list of free ones, which still hold what was removed.

    Raises:
        ValueError: there are not as many on the list as the file counts.
    """
    free: set[int] = set()
    trunk, whole = struct.unpack_from(">II", _page(stream, 1), 32)
    while trunk and trunk not in free:
        page = _page(stream, trunk)
        free.add(trunk)
        trunk, count = struct.unpack_from(">II", page)
        free.update(struct.unpack_from(f">{min(count, PAGE // 4 - 2)}I", page, 8))
    if len(free) != whole:
        raise ValueError(f"{len(free)} free pages are listed instead of {whole}")
    return free


def _head(page: bytes, place: int) -> tuple[int, int, int, list[int]]:
    """Rowid of a row, size of what it holds, where that begins, and the kinds of its columns."""
    size, place = _varint(page, place)
    rowid, place = _varint(page, place)
    header_size, at = _varint(page, place)
    kinds: list[int] = []
    while at < place + header_size:
        kind, at = _varint(page, at)
        kinds.append(kind)
    return rowid, size, place, kinds


def _payload(stream: BinaryIO, page: bytes, place: int, size: int) -> bytes:
    """A row whole, from its own page and those that it flows over to."""
    local = size
    if size > _MOST_LOCAL:
        fitting = _LEAST_LOCAL + (size - _LEAST_LOCAL) % _ON_OVERFLOW
        local = fitting if fitting <= _MOST_LOCAL else _LEAST_LOCAL
    parts = [page[place : place + local]]
    left = size - local
    follows = page[place + local : place + local + 4]
    while left > 0:
        over = _page(stream, int.from_bytes(follows, "big"))
        follows = over[:4]
        parts.append(over[4 : 4 + min(left, _ON_OVERFLOW)])
        left -= _ON_OVERFLOW
    return b"".join(parts)


def _name(kind: int) -> str:
    if kind == 0:
        return NULL
    if kind >= 12:
        return TEXT if kind % 2 else BLOB
    return INTEGER


def _value(payload: bytes, at: int, kind: int) -> tuple[Value, int]:
    """A column and where the next one begins; real numbers stand in no table of a library."""
    if kind in (8, 9):
        return kind - 8, at
    if 6 < kind < 12:
        raise ValueError(f"no kind of column: {kind}")
    end = at + (_INTEGERS[kind] if kind < 12 else (kind - 12) // 2)
    data = payload[at:end]
    if end > len(payload):
        raise ValueError("a column ends behind its row")
    if kind >= 12:
        return (data.decode() if kind % 2 else data), end
    return (int.from_bytes(data, "big", signed=True) if kind else None), end


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9
