"""Finding passages that hold a question's terms: FTS5 over our own token text picks candidates, ranking is ours.

FTS5's own bm25 knows one figure per library; a search is often over one document, where other words are rare.
"""

from __future__ import annotations

import heapq
import json
import math
import sqlite3
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import Candidate, Candidates

_MANY_RANGES = 64
"""Up to so many documents each is searched by its own range of rows; above, the whole index is read and sifted."""


@dataclass(frozen=True, slots=True)
class Range:
    """The rows of one document's passages, inclusive; rows of a document are neighbours."""

    doc_id: str
    first: int
    last: int


def rarity(holding: int, total: int) -> float:
    """Inverse document frequency of BM25 (Robertson and Spärck Jones, with the 1+ that keeps it positive)."""
    return math.log(1.0 + (total - holding + 0.5) / (holding + 0.5))


def _rows(connection: sqlite3.Connection, term: str, ranges: Sequence[Range]) -> Iterator[int]:
    phrase = '"' + term.replace('"', '""') + '"'
    if len(ranges) <= _MANY_RANGES:
        for part in ranges:
            query = "SELECT rowid FROM passage_terms WHERE passage_terms MATCH ? AND rowid BETWEEN ? AND ?"
            for (row,) in connection.execute(query, (phrase, part.first, part.last)):
                yield row
        return
    starts = [part.first for part in ranges]
    for (row,) in connection.execute("SELECT rowid FROM passage_terms WHERE passage_terms MATCH ?", (phrase,)):
        at = bisect_right(starts, row) - 1
        if at >= 0 and row <= ranges[at].last:
            yield row


def weigh_rows(
    connection: sqlite3.Connection, terms: Sequence[str], ranges: Sequence[Range]
) -> tuple[dict[int, float], dict[str, int], int]:
    """Rows that hold any term, with the sum of the terms' rarities; how many rows hold each term; rows in all."""
    total = sum(part.last - part.first + 1 for part in ranges)
    rows = {term: list(_rows(connection, term, ranges)) for term in dict.fromkeys(terms)}
    weights: dict[int, float] = {}
    for found in sorted(rows.values(), key=len):
        weight = rarity(len(found), total)
        for row in found:
            weights[row] = weights.get(row, 0.0) + weight
    return weights, {term: len(found) for term, found in rows.items()}, total


def rank_by_best_rows(weights: Mapping[int, float], ranges: Sequence[Range], best: int = 3) -> dict[str, float]:
    """For each document the mean weight of its `best` heaviest rows."""
    per_document: dict[str, list[float]] = {}
    starts = [part.first for part in ranges]
    for row, weight in weights.items():
        per_document.setdefault(ranges[bisect_right(starts, row) - 1].doc_id, []).append(weight)
    return {doc_id: sum(heapq.nlargest(best, found)) / best for doc_id, found in per_document.items()}


def find_candidates(
    connection: sqlite3.Connection, terms: Sequence[str], ranges: Sequence[Range], limit: int
) -> Candidates:
    """Up to `limit` passages that hold any term, chosen by the rarity of what they hold."""
    weights, holding, total = weigh_rows(connection, terms, ranges)
    rows = heapq.nsmallest(limit, weights, key=lambda row: (-weights[row], row))
    return Candidates(tuple(load_candidates(connection, sorted(rows))), holding, total)


def load_candidates(connection: sqlite3.Connection, rows: Sequence[int]) -> Iterator[Candidate]:
    """Passages by row, with their tokens."""
    query = """
        SELECT p.id, d.doc_id, p.node_id, p.section, p.first_page, p.last_page, p.pointers, t.title, t.path, t.body
        FROM json_each(?) AS wanted
        JOIN passages AS p ON p.id = wanted.value
        JOIN documents AS d ON d.id = p.document
        JOIN passage_terms AS t ON t.rowid = p.id
        ORDER BY p.id
    """
    for row in connection.execute(query, (json.dumps(list(rows)),)):
        number, doc_id, node_id, section, first_page, last_page, pointers, title, path, body = row
        yield Candidate(
            number=number,
            doc_id=doc_id,
            node_id=node_id,
            section=section,
            pages=() if first_page is None else tuple(range(first_page, last_page + 1)),
            title=tuple(title.split()),
            path=tuple(path.split()),
            body=tuple(body.split()),
            pointers=tuple((line, tuple(targets)) for line, targets in json.loads(pointers)),
        )
