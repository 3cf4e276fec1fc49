"""Selection of the passages that are ranked for a question, by their posting lists; and their token texts."""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections.abc import Iterator, Sequence

from ..index import IndexedPassage, PassageKey, PassageMap, PassageSelection, SearchView, idf


def select_passages(view: SearchView, terms: Sequence[str], limit: int) -> PassageSelection:
    """Select up to `limit` passages that contain any term, by the sum of the idf of the terms that they contain."""
    rows = {term: view.rows(term) for term in dict.fromkeys(terms)}
    scores: dict[int, float] = {}
    for found in sorted(rows.values(), key=len):
        weight = idf(len(found), view.documents.runs.total)
        for row in found:
            scores[row] = scores.get(row, 0.0) + weight
    passages = view.documents.passages
    selected = sorted(heapq.nsmallest(limit, scores, key=lambda row: (-scores[row], row)))
    keys = tuple(PassageKey(row, passages.version_of(row)) for row in selected)
    return PassageSelection(keys, {term: len(found) for term, found in rows.items()})


def read_indexed(
    connection: sqlite3.Connection, passages: PassageMap, numbers: Sequence[int]
) -> Iterator[IndexedPassage]:
    """Yields the passages with these numbers, in their order."""
    query = """
        SELECT p.id, d.doc_id, p.node_id, p.section, p.first_page, p.pointers, d.language, t.title, t.path, t.body
        FROM json_each(?) AS wanted
        JOIN passages AS p ON p.id = wanted.value
        JOIN documents AS d ON d.id = p.document
        JOIN passage_tokens AS t ON t.id = p.id
        ORDER BY p.id
    """
    for row in connection.execute(query, (json.dumps(list(numbers)),)):
        number, doc_id, node_id, section, first_page, pointers, language, title, path, body = row
        own = passages.passages_of(passages.document_of(number))
        yield IndexedPassage(
            number=number,
            doc_id=doc_id,
            node_id=node_id,
            section=section,
            position=(number - own.first) / max(1, own.last - own.first),
            first_page=first_page,
            language=language,
            title=title,
            path=path,
            body=body,
            pointers=tuple((line, tuple(targets)) for line, targets in json.loads(pointers)),
        )
