"""Finding passages that hold a question's terms: FTS5 over our own token text picks candidates, ranking is ours.

FTS5's own bm25 knows one figure per library; a search is often over one document, where other words are rare.
"""

from __future__ import annotations

import heapq
import json
import math
import sqlite3
import sys
import threading
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import Candidate, Candidates, DocumentMatch, Part
from .passages import LINE_END, PAGE_START
from .terms import stop_stems

BEST_PASSAGES, FRONT_PASSAGES = 3, 3
_MANY_RANGES = 64
"""Up to so many documents each is searched by its own range of rows; above, the whole index is read and sifted."""


@dataclass(frozen=True, slots=True)
class Range:
    """The rows of one document's passages, inclusive; rows of a document are neighbours. `revision` tells its states apart."""

    doc_id: str
    first: int
    last: int
    revision: str = ""


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


def match_documents(
    connection: sqlite3.Connection, weights: Mapping[str, float], ranges: Sequence[Range]
) -> list[DocumentMatch]:
    """How each document that holds any of the terms holds them: see `DocumentMatch`."""
    total = sum(part.last - part.first + 1 for part in ranges)
    starts = [part.first for part in ranges]
    holding: list[Counter[str]] = [Counter() for _ in ranges]
    sums: list[dict[int, float]] = [{} for _ in ranges]
    fronts = [0.0] * len(ranges)
    whole = 0.0
    for term, weight in weights.items():
        rows = list(_rows(connection, term, ranges))
        worth = weight * rarity(len(rows), total) if rows else 0.0
        whole += worth
        in_front: set[int] = set()
        for row in rows:
            at = bisect_right(starts, row) - 1
            holding[at][term] += 1
            if worth:
                sums[at][row] = sums[at].get(row, 0.0) + worth
                if row - starts[at] < FRONT_PASSAGES:
                    in_front.add(at)
        for at in in_front:
            fronts[at] += worth
    whole = whole or 1.0
    return [
        DocumentMatch(
            part.doc_id,
            part.last - part.first + 1,
            holding[at],
            sum(heapq.nlargest(BEST_PASSAGES, sums[at].values())) / BEST_PASSAGES / whole,
            fronts[at] / whole,
        )
        for at, part in enumerate(ranges)
        if holding[at]
    ]


class CandidateCache:
    """Passages that were taken apart for ranking, kept for the next question; safe to use from several threads."""

    def __init__(self, limit: int = 2500) -> None:
        self._limit = limit
        self._kept: OrderedDict[tuple[str, int], Candidate] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, keys: Sequence[tuple[str, int]]) -> list[Candidate | None]:
        """The candidates with these keys, None for those that are not kept."""
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
            return [self._kept.get(key) for key in keys]

    def put(self, key: tuple[str, int], candidate: Candidate) -> None:
        """Keep a candidate; the ones that were not used for longest make room."""
        with self._lock:
            self._kept[key] = candidate
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)


def find_candidates(
    connection: sqlite3.Connection, terms: Sequence[str], ranges: Sequence[Range], limit: int, cache: CandidateCache
) -> Candidates:
    """Up to `limit` passages that hold any term, chosen by the rarity of what they hold."""
    weights, holding, total = weigh_rows(connection, terms, ranges)
    rows = sorted(heapq.nsmallest(limit, weights, key=lambda row: (-weights[row], row)))
    starts = [part.first for part in ranges]
    keys = [(ranges[bisect_right(starts, row) - 1].revision, row) for row in rows]
    found = cache.get(keys)
    missing = [row for row, one in zip(rows, found, strict=True) if one is None]
    loaded = {one.number: one for one in _load_candidates(connection, missing, ranges)}
    for key in keys:
        if key[1] in loaded:
            cache.put(key, loaded[key[1]])
    return Candidates(tuple(one or loaded[row] for row, one in zip(rows, found, strict=True)), holding, total)


def _load_candidates(
    connection: sqlite3.Connection, rows: Sequence[int], ranges: Sequence[Range]
) -> Iterator[Candidate]:
    query = """
        SELECT p.id, d.doc_id, p.node_id, p.section, p.first_page, p.pointers, d.language, t.title, t.path, t.body
        FROM json_each(?) AS wanted
        JOIN passages AS p ON p.id = wanted.value
        JOIN documents AS d ON d.id = p.document
        JOIN passage_terms AS t ON t.rowid = p.id
        ORDER BY p.id
    """
    starts = [part.first for part in ranges]
    for row in connection.execute(query, (json.dumps(list(rows)),)):
        number, doc_id, node_id, section, first_page, pointers, language, title, path, body = row
        stop = stop_stems(language)
        span = ranges[bisect_right(starts, number) - 1]
        yield Candidate(
            number=number,
            doc_id=doc_id,
            node_id=node_id,
            section=section,
            position=(number - span.first) / max(1, span.last - span.first),
            title=frozenset(_tokens(title)) - stop,
            path=frozenset(_tokens(path)) - stop,
            parts=tuple(_parts(body, first_page, stop)),
            pointers=tuple((line, tuple(targets)) for line, targets in json.loads(pointers)),
        )


HEAD_LINES = 5
"""A page says in its first lines what it is about."""
LABEL_LENGTH, ROW_LABEL_LENGTH = 9, 14
"""Words up to which a line is a label and no sentence."""
WORDS_AMONG_FIGURES = 2
"""Words that may stand after the first figure of a table's row; in a sentence that holds a figure there are more."""


def _tokens(text: str) -> tuple[str, ...]:
    # One object for each word, however often it occurs: passages are kept in memory.
    return tuple(map(sys.intern, text.split(" "))) if text else ()


def _parts(body: str, page: int | None, stop: frozenset[str]) -> Iterator[Part]:
    """The parts of a body, page by page: see `index_terms`."""
    opens = body.startswith(PAGE_START)
    for number, text in enumerate(body[opens:].split(PAGE_START)):
        lines = [tokens for line in text.split(LINE_END) if (tokens := _tokens(line))]
        if lines:
            yield take_apart(None if page is None else page + number, lines, stop, opens_page=opens or number > 0)


def take_apart(page: int | None, lines: Sequence[tuple[str, ...]], stop: frozenset[str], *, opens_page: bool) -> Part:
    """The part that these lines make, with what they say as rows of tables and as the head of a page."""
    tokens = tuple(token for line in lines for token in line)
    heads: tuple[frozenset[str], ...] = ()
    if opens_page:
        labels = (_label(line, stop) for line in lines[:HEAD_LINES])
        heads = tuple(label for label in labels if 0 < len(label) <= LABEL_LENGTH)
    return Part(
        page=page,
        tokens=tokens,
        counts=Counter(tokens),
        numbers=sum(1 for token in tokens if token[0].isdigit()),
        rows=tuple(_rows_of_tables(lines, stop)),
        heads=heads,
    )


def _label(line: Sequence[str], stop: frozenset[str]) -> frozenset[str]:
    return frozenset(token for token in line if token not in stop and not token[0].isdigit())


def _rows_of_tables(lines: Sequence[tuple[str, ...]], stop: frozenset[str]) -> Iterator[frozenset[str]]:
    for line in lines:
        words = next((place for place, token in enumerate(line) if token[0].isdigit()), 0)
        after = sum(1 for token in line[words:] if not token[0].isdigit())
        if 0 < words <= ROW_LABEL_LENGTH and after <= WORDS_AMONG_FIGURES:
            label = _label(line[:words], stop)
            if label:
                yield label
