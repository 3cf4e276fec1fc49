"""Finding passages that hold a question's terms: the lists of the index pick candidates, ranking is another's work.

How rare a term is depends on what is searched: within one document other words are rare than in the library.
"""

from __future__ import annotations

import heapq
import json
import math
import operator
import sqlite3
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from itertools import chain

from ...ingest.passages import LINE_END, PAGE_START
from ...text.terms import stop_stems
from .. import Candidate, Candidates, Part
from .searched import Searched


def rarity(holding: int, total: int) -> float:
    """Inverse document frequency of BM25 (Robertson and Spärck Jones, with the 1+ that keeps it positive)."""
    return math.log(1.0 + (total - holding + 0.5) / (holding + 0.5))


def weigh_rows(
    connection: sqlite3.Connection, terms: Sequence[str], searched: Searched
) -> tuple[dict[int, float], dict[str, int]]:
    """Passages that hold any term, with the sum of the terms' rarities; how many passages hold each term."""
    rows = {term: searched.read(connection, term).rows(searched.scope) for term in dict.fromkeys(terms)}
    weights: dict[int, float] = {}
    for found in sorted(rows.values(), key=len):
        weight = rarity(len(found), searched.scope.total)
        for row in found:
            weights[row] = weights.get(row, 0.0) + weight
    return weights, {term: len(found) for term, found in rows.items()}


class CandidateCache:
    """Passages that were taken apart for ranking, kept for the next question; safe to use from several threads.

    A token takes about 46 bytes (measured on a report of 500 pages), so that they never take more than some 30 MB.
    """

    def __init__(self, limit: int = 2500, tokens: int = 700_000) -> None:
        self._limit = limit
        self._tokens = tokens
        self._size = 0
        self._kept: OrderedDict[tuple[int, int], Candidate] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, keys: Sequence[tuple[int, int]]) -> list[Candidate | None]:
        """The candidates with these keys, None for those that are not kept."""
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
            return [self._kept.get(key) for key in keys]

    def put(self, key: tuple[int, int], candidate: Candidate) -> None:
        """Keep a candidate; the ones that were not used for longest make room."""
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = candidate
            self._size += _length(candidate)
            while len(self._kept) > self._limit or (self._size > self._tokens and len(self._kept) > 1):
                self._size -= _length(self._kept.popitem(last=False)[1])


def _length(candidate: Candidate) -> int:
    return sum(len(part.tokens) for part in candidate.parts)


def find_candidates(
    connection: sqlite3.Connection, terms: Sequence[str], searched: Searched, limit: int, cache: CandidateCache
) -> Candidates:
    """Up to `limit` passages that hold any term, chosen by the rarity of what they hold."""
    weights, holding = weigh_rows(connection, terms, searched)
    rows = sorted(heapq.nsmallest(limit, weights, key=lambda row: (-weights[row], row)))
    keys = [(searched.document(row).state, row) for row in rows]
    found = cache.get(keys)
    missing = [row for row, one in zip(rows, found, strict=True) if one is None]
    loaded = {one.number: one for one in _load_candidates(connection, missing, searched)}
    for key in keys:
        if key[1] in loaded:
            cache.put(key, loaded[key[1]])
    kept = tuple(one or loaded[row] for row, one in zip(rows, found, strict=True))
    return Candidates(kept, holding, searched.scope.total)


def _load_candidates(connection: sqlite3.Connection, rows: Sequence[int], searched: Searched) -> Iterator[Candidate]:
    query = """
        SELECT p.id, d.doc_id, p.node_id, p.section, p.first_page, p.pointers, d.language, t.title, t.path, t.body
        FROM json_each(?) AS wanted
        JOIN passages AS p ON p.id = wanted.value
        JOIN documents AS d ON d.id = p.document
        JOIN passage_tokens AS t ON t.id = p.id
        ORDER BY p.id
    """
    for row in connection.execute(query, (json.dumps(list(rows)),)):
        number, doc_id, node_id, section, first_page, pointers, language, title, path, body = row
        stop = stop_stems(language)
        span = searched.document(number)
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


LEAST_ENTRIES, LEAST_ORDER = 6, 0.85
"""Entries that a listing has at least, and the share of neighbours among them that stand in order."""
MOST_LISTED = 0.5
"""Above this share of entries the lines of a text are no rows of tables and no heads."""
PAGE_DIGITS = 4


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
    tokens = tuple(chain.from_iterable(lines))
    listing = _listing(lines)
    is_list = listing > MOST_LISTED
    heads: tuple[frozenset[str], ...] = ()
    if opens_page and not is_list:
        labels = (_label(line, stop) for line in lines[:HEAD_LINES])
        heads = tuple(label for label in labels if 0 < len(label) <= LABEL_LENGTH)
    rows = [] if is_list else list(_rows_of_tables(lines, stop))
    return Part(
        page=page,
        lines=len(lines),
        tokens=tokens,
        counts=Counter(tokens),
        numbers=sum(_are_figures(tokens)),
        rows=len(rows),
        labels=frozenset[str]().union(*rows),
        heads=heads,
        listing=listing,
    )


def _are_figures(tokens: Sequence[str]) -> Iterator[bool]:
    return map(str.isdigit, map(operator.itemgetter(0), tokens))


def _label(line: Sequence[str], stop: frozenset[str]) -> frozenset[str]:
    return frozenset(token for token in line if token not in stop and not token[0].isdigit())


def _rows_of_tables(lines: Sequence[tuple[str, ...]], stop: frozenset[str]) -> Iterator[frozenset[str]]:
    for line in lines:
        figures = list(_are_figures(line))
        words = figures.index(True) if True in figures else 0
        if 0 < words <= ROW_LABEL_LENGTH and figures[words:].count(False) <= WORDS_AMONG_FIGURES:
            label = _label(line[:words], stop)
            if label:
                yield label


def _listing(lines: Sequence[tuple[str, ...]]) -> float:
    """Share of the lines that are words and a page number, if these rise or the words are in alphabetical order; else 0.

    Such a page names everything and says nothing: contents, an index, a list of tables.
    """
    words: list[str] = []
    pages: list[int] = []
    for line in lines:
        at = len(line)
        while at and line[at - 1].isdigit() and len(line[at - 1]) <= PAGE_DIGITS:
            at -= 1
        if at < len(line) and any(not token[0].isdigit() for token in line[:at]):
            words.append(line[0])
            if at == len(line) - 1:
                pages.append(int(line[-1]))
    entries = max((len(column) for column in (words, pages) if _is_in_order(column)), default=0)
    return entries / len(lines)


def _is_in_order(column: Sequence[str] | Sequence[int]) -> bool:
    if len(column) < LEAST_ENTRIES or len(set(column)) * 3 < len(column):
        return False
    return bool(sum(map(operator.le, column, column[1:])) >= LEAST_ORDER * (len(column) - 1))
