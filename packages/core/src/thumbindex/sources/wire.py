"""Documents and errors as a reader process sends them to its parent.

Columns of numbers travel as they lie in memory, since both ends are on one machine: 33,000 lines take a fiftieth of a second
to send and to load. Nothing that is loaded can run code, as a pickle could.
"""

from __future__ import annotations

import json
import struct
from dataclasses import replace

from .. import errors
from ..concurrency.messages import Header
from ..errors import MissingExtra, SourceError
from ..pages import Bookmark, Box, Document, LineRange, Link, LinkAnnotation, Mark, Page, Style
from .columns import NUMBERS, Columns

_HEAD = struct.Struct(">Q")


def error_to_json(error: SourceError | MissingExtra) -> Header:
    """Returns one of our errors as JSON: its class and the arguments that make it."""
    kind, arguments = error.__reduce__()
    return {"error": kind.__name__, "arguments": arguments}


def error_from_json(header: Header) -> SourceError | MissingExtra:
    """Returns the error that `error_to_json` described, with the same class, message and attributes.

    Raises:
        TypeError: It names no error of a reader.
    """
    kind: object = getattr(errors, str(header["error"]))
    if not (isinstance(kind, type) and issubclass(kind, SourceError | MissingExtra)):
        raise TypeError(f"{kind} is not an error of a reader")
    return kind(*header["arguments"])


def dump_document(document: Document, columns: Columns) -> bytes:
    """Returns a document, whose lines are in `columns`, as bytes."""
    texts = "\n".join(columns.texts).encode("utf-8", "surrogatepass")
    pages, annotations = document.pages, document.link_annotations
    facts = {
        "name": document.name,
        "kind": document.kind,
        "lines": len(columns.texts),
        "texts": len(texts),
        "styles": [(style.size, style.font, style.bold, style.italic) for style in columns.styles],
        "pages": pages
        and [
            (
                page.number,
                page.lines and (page.lines.first, page.lines.last),
                page.label,
                page.width,
                page.height,
                page.turned,
                page.ocr,
            )
            for page in pages
        ],
        "bookmarks": [(mark.title, mark.level, mark.page, mark.top, mark.line) for mark in document.bookmarks],
        "annotations": [
            (link.page, link.box.left, link.box.bottom, link.box.right, link.box.top, link.target, link.top)
            for link in annotations
        ],
        "marks": [(mark.title, mark.level, mark.line, mark.last) for mark in document.marks],
        "links": [(link.line, link.first, link.last, link.target_line) for link in document.links],
        "anchors": dict(document.anchors),
        "metadata": dict(document.metadata),
        "scanned": document.scanned,
        "notes": document.notes,
    }
    head = json.dumps(facts, separators=(",", ":")).encode("ascii")
    numbers = (getattr(columns, name).tobytes() for name in NUMBERS)
    return b"".join((_HEAD.pack(len(head)), head, texts, *numbers))


def load_document(data: bytes) -> Document:
    """Returns the document of `dump_document`, with its lines."""
    view = memoryview(data)
    start = _HEAD.size
    end = start + _HEAD.unpack_from(data)[0]
    facts = json.loads(data[start:end])
    start, end = end, end + facts["texts"]
    count = facts["lines"]
    columns = Columns(
        texts=str(view[start:end], "utf-8", "surrogatepass").split("\n") if count else [],
        styles=[Style(*row) for row in facts["styles"]],
    )
    for name in NUMBERS:
        column = getattr(columns, name)
        start, end = end, end + count * column.itemsize
        column.frombytes(view[start:end])
    document = Document(
        name=facts["name"],
        kind=facts["kind"],
        lines=(),
        pages=None
        if facts["pages"] is None
        else tuple(
            Page(page, lines and LineRange(*lines), label, width, height, turned, ocr)
            for page, lines, label, width, height, turned, ocr in facts["pages"]
        ),
        bookmarks=tuple(Bookmark(*row) for row in facts["bookmarks"]),
        link_annotations=tuple(
            LinkAnnotation(page, Box(*edges), target, top) for page, *edges, target, top in facts["annotations"]
        ),
        marks=tuple(Mark(*row) for row in facts["marks"]),
        links=tuple(Link(*row) for row in facts["links"]),
        anchors=facts["anchors"],
        metadata=facts["metadata"],
        scanned=tuple(facts["scanned"]),
        notes=tuple(facts["notes"]),
    )
    return replace(document, lines=columns.lines())
