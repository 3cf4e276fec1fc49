"""Rows of the tables `documents` and `passages` as values, and values as rows."""

from __future__ import annotations

import json
import sqlite3
import struct
import sys
import zlib
from collections.abc import Sequence
from typing import get_args

from ...outline import Origin
from ...pages import Box, Kind, LineRange, PageRange
from .. import StoredPassage
from ..records import DocumentInfo, Passage
from .conditions import to_json

DOCUMENT_COLUMNS = (
    "doc_id, name, source, kind, origin, page_count, section_count, pages_without_text, revision, added, sha256, "
    "metadata, language, reused_sections, tenant"
)
PASSAGE_COLUMNS = (
    "p.id, d.doc_id, p.node_id, p.section, p.path, p.text, p.first_line, p.last_line, p.first_page, p.last_page, "
    "p.first_label, p.last_label, p.pointers, p.boxes, p.anchor"
)
"""Columns that `to_passage` takes, of `passages AS p` and `documents AS d`."""

UNREADABLE = (
    sqlite3.Error,
    zlib.error,
    struct.error,
    ValueError,
    TypeError,
    LookupError,
    StopIteration,
    AttributeError,
)
"""Errors raised by damaged rows, JSON, blobs and trees; `InvalidTree` is a ValueError."""


def document_row(info: DocumentInfo) -> tuple[str | int, ...]:
    """Returns the values of `DOCUMENT_COLUMNS`."""
    return (
        info.doc_id,
        info.name,
        info.source,
        info.kind,
        info.origin,
        info.page_count,
        info.section_count,
        json.dumps(info.pages_without_text),
        info.revision,
        info.added,
        info.sha256,
        to_json(info.metadata),
        info.language,
        info.reused_sections,
        info.tenant,
    )


def to_document(row: Sequence[object]) -> DocumentInfo:
    """Returns the document with these `DOCUMENT_COLUMNS`; further columns are ignored."""
    doc_id, name, source, kind, origin, pages, sections, without, revision, added, sha256, metadata, language = row[:13]
    return DocumentInfo(
        doc_id=str(doc_id),
        name=str(name),
        # Thousands of documents are in memory: equal texts are one object.
        source=str(name) if source == name else str(source),
        kind=next(known for known in get_args(Kind) if known == kind),
        origin=next(known for known in get_args(Origin) if known == origin),
        page_count=int(str(pages)),
        section_count=int(str(sections)),
        pages_without_text=tuple(json.loads(str(without))),
        revision=int(str(revision)),
        added=sys.intern(str(added)),
        sha256=str(sha256),
        metadata=json.loads(str(metadata)),
        language=sys.intern(str(language)),
        reused_sections=int(str(row[13])),
        tenant=sys.intern(str(row[14])),
    )


def passage_row(number: int, document: int, passage: Passage) -> tuple[str | int | None, ...]:
    """Returns the values of all columns of `passages`."""
    pages, labels = passage.pages, passage.page_labels
    return (
        number,
        document,
        passage.node_id,
        passage.section,
        passage.path,
        passage.text,
        passage.lines.first,
        passage.lines.last,
        pages.first if pages else None,
        pages.last if pages else None,
        labels[0] if labels else None,
        labels[1] if labels else None,
        json.dumps(passage.pointers),
        boxes_to_json(passage.boxes),
        passage.anchor,
    )


def to_passage(
    row: tuple[
        int, str, str, str, str, str, int, int, int | None, int | None, str | None, str | None, str, str, str | None
    ],
) -> StoredPassage:
    """Returns the passage with these `PASSAGE_COLUMNS`."""
    number, doc_id, node_id, section, path, text, first_line, last_line, first_page, last_page = row[:10]
    first_label, last_label, pointers, boxes, anchor = row[10:]
    passage = Passage(
        node_id=node_id,
        section=section,
        path=path,
        text=text,
        lines=LineRange(first_line, last_line),
        pages=None if first_page is None or last_page is None else PageRange(first_page, last_page),
        page_labels=None if first_label is None or last_label is None else (first_label, last_label),
        pointers=tuple((line, tuple(targets)) for line, targets in json.loads(pointers)),
        boxes=_boxes_from_json(boxes),
        anchor=anchor,
    )
    return StoredPassage(number, doc_id, passage)


def boxes_to_json(boxes: Sequence[tuple[int, Box]]) -> str:
    """Returns boxes as a JSON list of [page, left, bottom, right, top]."""
    if not boxes:
        return "[]"
    return json.dumps([(page, box.left, box.bottom, box.right, box.top) for page, box in boxes])


def _boxes_from_json(text: str) -> tuple[tuple[int, Box], ...]:
    return tuple((page, Box(*edges)) for page, *edges in json.loads(text))
