"""How the reader process and its parent talk: length-prefixed messages, and a Document as columns of plain JSON.

A message is a header (JSON) and a payload (bytes): 4 bytes with the header's length and 8 with the payload's,
big-endian, then both. Columns keep a Document small and quick to load: 33,000 lines take about a tenth of a second.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

from .. import errors
from ..errors import NoTextLayer, SourceError
from ..pages import Bookmark, Box, Document, Line, LineRange, Link, Page, Style

_LENGTHS = struct.Struct(">IQ")

Header = dict[str, Any]  # JSON, checked by the side that reads it


def send(stream: BinaryIO, header: Header, payload: bytes = b"") -> None:
    """Write one message."""
    head = json.dumps(header).encode("ascii")
    _write(stream, _LENGTHS.pack(len(head), len(payload)) + head)
    _write(stream, payload)


def receive(stream: BinaryIO) -> tuple[Header, bytes] | None:
    """The next message; None where the stream ends, in the middle of a message too."""
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
    # The pipes are unbuffered, so that nothing half-written can be flushed after a fork; a raw write may be partial.
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]


def _read(stream: BinaryIO, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        piece = stream.read(min(size - len(data), 1 << 20))
        if not piece:
            return None
        data += piece
    return bytes(data)


def error_to_json(error: SourceError) -> Header:
    """One of our own errors, to be raised again on the other side with the same class and message."""
    pages = {"page_count": error.page_count} if isinstance(error, NoTextLayer) else {}
    return {
        "error": type(error).__name__,
        "source": error.source,
        "what": error.what,
        "remedy": error.remedy,
        **pages,
    }


def error_from_json(header: Header) -> SourceError:
    """The error of `error_to_json`."""
    kind: object = getattr(errors, str(header["error"]))
    if not (isinstance(kind, type) and issubclass(kind, SourceError)):
        raise TypeError(f"{kind} is no SourceError")
    facts = (str(header["source"]), str(header["what"]), str(header["remedy"]))
    if issubclass(kind, NoTextLayer):
        return kind(*facts, page_count=int(header["page_count"]))
    return kind(*facts)


def dump_document(document: Document) -> bytes:
    """A document as columns of JSON."""
    styles: dict[Style | None, int] = {None: -1}

    def number(style: Style | None) -> int:
        return styles.setdefault(style, len(styles) - 1)

    lines, pages, links = document.lines, document.pages, document.links
    columns = {
        "name": document.name,
        "kind": document.kind,
        "texts": [line.text for line in lines],
        "boxes": [edge for line in lines for edge in _edges(line.box)],
        "style": [number(line.style) for line in lines],
        "start": [number(line.start) for line in lines],
        "end": [number(line.end) for line in lines],
        "styles": [(style.size, style.font, style.bold, style.italic) for style in styles if style is not None],
        "pages": pages
        and [
            (page.number, page.lines and (page.lines.first, page.lines.last), page.label, page.width, page.height)
            for page in pages
        ],
        "bookmarks": [(mark.title, mark.level, mark.page, mark.top) for mark in document.bookmarks],
        "links": [(link.page, *_edges(link.box), link.target, link.top) for link in links],
        "metadata": dict(document.metadata),
    }
    return json.dumps(columns, separators=(",", ":")).encode("ascii")


def load_document(data: bytes) -> Document:
    """The document of `dump_document`."""
    columns = json.loads(data)
    styles = [Style(*row) for row in columns["styles"]]
    boxes = iter(columns["boxes"])
    table: list[Style | None] = [*styles, None]  # index -1 is None
    return Document(
        name=columns["name"],
        kind=columns["kind"],
        lines=tuple(
            Line(
                text,
                None if left is None else Box(left, bottom, right, top),
                table[style],
                table[start],
                table[end],
            )
            for text, style, start, end, left, bottom, right, top in zip(
                columns["texts"],
                columns["style"],
                columns["start"],
                columns["end"],
                boxes,
                boxes,
                boxes,
                boxes,
                strict=True,
            )
        ),
        pages=None
        if columns["pages"] is None
        else tuple(
            Page(page, lines and LineRange(*lines), label, width, height)
            for page, lines, label, width, height in columns["pages"]
        ),
        bookmarks=tuple(Bookmark(*row) for row in columns["bookmarks"]),
        links=tuple(Link(page, Box(*edges), target, top) for page, *edges, target, top in columns["links"]),
        metadata=columns["metadata"],
    )


def _edges(box: Box | None) -> tuple[float | None, float | None, float | None, float | None]:
    return (None, None, None, None) if box is None else (box.left, box.bottom, box.right, box.top)
