"""Statements that write the parts of a document. Each is called in a write transaction; `document` is the row of the document."""

from __future__ import annotations

import json
import sqlite3

from ...pages import Metadata
from ...tree import corrections
from ..names import name_terms
from ..records import DocumentInfo, Prepared, content_key
from . import segments
from .conditions import metadata_rows, to_json
from .rows import DOCUMENT_COLUMNS, document_row, passage_row


def insert_document(connection: sqlite3.Connection, info: DocumentInfo, prepared: Prepared) -> int:
    """Adds the row of a new document and returns its number."""
    row = _columns(connection, info, prepared)
    places = ", ".join("?" * len(row))
    number = connection.execute(
        f"INSERT INTO documents ({', '.join(row)}, tree) VALUES ({places}, x'')", tuple(row.values())
    ).lastrowid
    assert number is not None
    return number


def update_document(connection: sqlite3.Connection, document: int, info: DocumentInfo, prepared: Prepared) -> None:
    """Replaces the row of a document, whose text was cleared before, by that of its next revision."""
    row = _columns(connection, info, prepared)
    changes = ", ".join(f"{column} = ?" for column in row)
    connection.execute(f"UPDATE documents SET {changes} WHERE id = ?", (*row.values(), document))
    _update_summaries(connection, document, prepared)
    _update_revised_sections(connection, document, prepared)


def _columns(connection: sqlite3.Connection, info: DocumentInfo, prepared: Prepared) -> dict[str, str | int]:
    first = segments.next_passage(connection)
    return {
        **dict(zip(DOCUMENT_COLUMNS.split(", "), document_row(info), strict=True)),
        "source_key": str(prepared.source_key),
        "content": content_key(info.sha256, info.tenant),
        "given": to_json(prepared.given),
        "corrections": json.dumps([corrections.to_json(correction) for correction in prepared.corrections]),
        "first_passage": first,
        "last_passage": first + len(prepared.passages) - 1,
    }


def write_text(connection: sqlite3.Connection, document: int, info: DocumentInfo, prepared: Prepared) -> None:
    """Writes tree, passages and index of a document whose row is written and whose text was cleared before."""
    first = segments.next_passage(connection)
    connection.execute("INSERT OR REPLACE INTO trees VALUES (?, ?)", (document, prepared.tree))
    write_metadata(connection, document, info.metadata)
    write_name(connection, document, info, prepared.headings)
    connection.executemany(
        "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (passage_row(first + i, document, passage) for i, passage in enumerate(prepared.passages)),
    )
    connection.executemany(
        "INSERT INTO passage_tokens (id, title, path, body) VALUES (?, ?, ?, ?)",
        ((first + i, *fields) for i, fields in enumerate(prepared.terms)),
    )
    segments.append(connection, first, prepared.terms)
    segments.compact(connection)


def clear_text(connection: sqlite3.Connection, document: int) -> None:
    """Removes passages, metadata and index of a document; its row, tree, summaries and revised sections stay."""
    first, last = connection.execute(
        "SELECT first_passage, last_passage FROM documents WHERE id = ?", (document,)
    ).fetchone()
    connection.execute("DELETE FROM passage_tokens WHERE id BETWEEN ? AND ?", (first, last))
    segments.remove(connection, first, last)
    connection.execute("DELETE FROM passages WHERE document = ?", (document,))
    connection.execute("DELETE FROM metadata WHERE document = ?", (document,))
    connection.execute("DELETE FROM document_names WHERE rowid = ?", (document,))
    connection.execute("UPDATE state SET version = version + 1")


def write_metadata(connection: sqlite3.Connection, document: int, metadata: Metadata) -> None:
    """Replaces the metadata that conditions find."""
    connection.execute("DELETE FROM metadata WHERE document = ?", (document,))
    rows = ((document, key, value) for key, value in sorted(metadata_rows(metadata)))
    connection.executemany("INSERT INTO metadata (document, key, value) VALUES (?, ?, ?)", rows)


def write_name(connection: sqlite3.Connection, document: int, info: DocumentInfo, headings: str | None = None) -> None:
    """Indexes the name of a document, and marks the document as changed for readers of the catalogue.

    Args:
        headings: Terms of its headings; None leaves those that are indexed.
    """
    name = " ".join(sorted(name_terms(info)))
    if headings is None:
        connection.execute("UPDATE document_names SET name = ? WHERE rowid = ?", (name, document))
    else:
        connection.execute(
            "INSERT OR REPLACE INTO document_names (rowid, name, headings) VALUES (?, ?, ?)", (document, name, headings)
        )
    connection.execute("UPDATE state SET version = version + 1")
    connection.execute("UPDATE documents SET changed = (SELECT version FROM state) WHERE id = ?", (document,))


def free_id(connection: sqlite3.Connection, wanted: str) -> str:
    """Returns the id, with a number added where another document has it, whose first revision had the same bytes."""
    free, number = wanted, 1
    while connection.execute("SELECT 1 FROM documents WHERE doc_id = ?", (free,)).fetchone():
        number += 1
        free = f"{wanted}-{number}"
    return free


def _update_summaries(connection: sqlite3.Connection, document: int, prepared: Prepared) -> None:
    """Drops summaries of changed sections."""
    connection.execute(
        "DELETE FROM summaries WHERE document = ? AND section NOT IN (SELECT value FROM json_each(?))",
        (document, json.dumps(sorted(prepared.same))),
    )


def _update_revised_sections(connection: sqlite3.Connection, document: int, prepared: Prepared) -> None:
    """Records the nearest section to each one that earlier revisions had and this one has not."""
    query = "SELECT section, nearest FROM revised_sections WHERE document = ?"
    gone = {
        section: prepared.nearest.get(nearest, nearest) for section, nearest in connection.execute(query, (document,))
    }
    gone |= prepared.nearest
    connection.execute("DELETE FROM revised_sections WHERE document = ?", (document,))
    connection.executemany(
        "INSERT INTO revised_sections (document, section, nearest) VALUES (?, ?, ?)",
        ((document, section, nearest) for section, nearest in gone.items()),
    )
