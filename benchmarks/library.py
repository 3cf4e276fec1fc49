"""A large library: cost of adding, time of searching, and how near both come to an exhaustive ranking.

    uv run python benchmarks/library.py --documents 10000 [--place FOLDER]

Each document has 100 sections of 60 words, drawn from a vocabulary of 50,000 made-up words by Zipf's law from a fixed seed.
A query takes 2, 3, 4 or 6 words (a quarter each) of one section, the 100 commonest words of the vocabulary left out as
function words are. Section search is `Library.retrieve(k=10)` over all documents, document selection `Library.select`.

A hit is the first section (document) of an exhaustive ranking among the first ten of the search. That ranking is our own with
nothing left out: every passage of every word counts, each document gets its true score, and all passages that hold any word
are ranked, where the search ranks those of the likeliest documents. Beside it stands plain BM25 over all passages, which is
another ranking.

With `--place` the libraries, and the exhaustive rankings, stay where they are, and a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from book import make_book
from record import save
from thumbindex import DocumentInfo, Library
from thumbindex.search import documents, ranking, sections
from thumbindex.store.records import Prepared
from thumbindex.store.sqlite import SqliteStore
from thumbindex.text.terms import content_terms

SECTIONS, WORDS, VOCABULARY, FUNCTION_WORDS = 100, 60, 50_000, 100
QUERY_LENGTHS = (2, 3, 4, 6)
SMALL, STEP, TURN = 100, 250, 50


class Writer:
    """Writes documents; the same seed always writes the same ones."""

    def __init__(self) -> None:
        chance = random.Random(1)
        syllables = [a + b for a in "bcdfghklmnprstvz" for b in "aeiou"]
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            words["".join(chance.choices(syllables, k=chance.choice((2, 3, 3, 4)))) + chance.choice("nrlkt")] = None
        self.words = list(words)
        self._weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))

    def sections(self, number: int) -> list[list[str]]:
        """The words of each section of one document."""
        chance = random.Random(f"document {number}")
        return [chance.choices(self.words, cum_weights=self._weights, k=WORDS) for _ in range(SECTIONS)]

    def document(self, number: int) -> bytes:
        """One document as Markdown."""
        parts = [f"# Volume {number}\n"]
        for position, words in enumerate(self.sections(number), 1):
            parts.append(f"## {position}. {words[0]} {words[1]}\n\n{' '.join(words)}.\n")
        return "\n".join(parts).encode()

    def queries(self, documents: int, count: int, seed: str) -> Iterator[str]:
        """Words of sections of any of these documents."""
        chance = random.Random(seed)
        common = set(self.words[:FUNCTION_WORDS])
        for number in range(count):
            words = chance.choice(self.sections(chance.randrange(documents)))
            content = sorted({word for word in words if word not in common})
            yield " ".join(chance.sample(content, min(QUERY_LENGTHS[number % 4], len(content))))


def fill(library: Library, writer: Writer, documents: int, log: Path) -> list[float]:
    """Add documents up to so many, and keep the seconds that each step took: a run that is stopped goes on from there."""
    steps: list[float] = json.loads(log.read_text()) if log.exists() else []
    while (first := len(library)) < documents:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, f"volume-{number:06}.md") for number in range(first, min(documents, first + STEP))]
            for number, file in enumerate(files, first):
                file.write_bytes(writer.document(number))
            begun = time.perf_counter()
            library.add_all(files)
            steps.append(time.perf_counter() - begun)
        log.write_text(json.dumps(steps))
        print(f"{len(library)} documents, {steps[-1]:.0f} s for the last {len(files)}", flush=True)
    return steps


def compare_adds(writer: Writer, small: Path, large: Path, count: int) -> list[str]:
    """Rows about adding `count` documents to copies of two libraries, by turns, so that both meet the same machine."""
    seconds = {small: [0.0, 0.0], large: [0.0, 0.0]}
    with tempfile.TemporaryDirectory(dir=large.parent) as folder:
        copies = {path: Path(shutil.copy(path, folder)) for path in seconds}
        with Library(copies[small]) as first, Library(copies[large]) as second:
            for start in range(0, count, TURN):
                for path, library in ((small, first), (large, second)):
                    for part, spent in enumerate(_adds(library, writer, 1_000_000 + start, TURN)):
                        seconds[path][part] += spent
            held = len(first) - count, len(second) - count
    means = [[1000 * one / count for one in seconds[path]] for path in (small, large)]
    rows = [
        f"| mean of {count} adds at {documents} documents | {whole:.1f} ms, of it writing {writing:.1f} ms |"
        for documents, (whole, writing) in zip(held, means, strict=True)
    ]
    ratios = [after / before for before, after in zip(*means, strict=True)]
    return [*rows, f"| the second against the first | {ratios[0]:.2f} times, of it writing {ratios[1]:.2f} times |"]


def _adds(library: Library, writer: Writer, first: int, count: int) -> tuple[float, float]:
    """Seconds of so many `add`s of bytes in this process, and of the writing to the file alone."""
    documents = [(f"volume-{number:06}.md", writer.document(number)) for number in range(first, first + count)]
    put = library._store.put
    writing = 0.0

    def timed(document: Prepared) -> DocumentInfo | None:
        nonlocal writing
        begun = time.perf_counter()
        try:
            return put(document)
        finally:
            writing += time.perf_counter() - begun

    library._store.put = timed  # type: ignore[method-assign]
    begun = time.perf_counter()
    for name, data in documents:
        library.add(data, name=name)
    seconds = time.perf_counter() - begun
    library._store.put = put  # type: ignore[method-assign]
    return seconds, writing


def search(library: Library, queries: list[str], exhaustive: int, log: Path) -> list[str]:
    """Rows of the table about searching."""
    for query in queries[:20]:
        library.retrieve(query, k=10)
        library.list(query=query)
    load = os.getloadavg()[0]
    sections, selections = [], []
    found, selected = [], []
    for query in queries:
        begun = time.perf_counter()
        found.append([[one.doc_id, one.node_id] for one in library.retrieve(query, k=10).evidence])
        sections.append(time.perf_counter() - begun)
    for query in queries:
        begun = time.perf_counter()
        selected.append([info.doc_id for info in library.list(query=query)][:10])
        selections.append(time.perf_counter() - begun)
    rows = [f"| section search, load {load:.1f} | {_times(sections)} |"]
    rows.append(f"| document selection, load {load:.1f} | {_times(selections)} |")
    best = rank_exhaustively(library, queries[:exhaustive], log)
    hits = sum(one["sections"][0] in ours for one, ours in zip(best, found, strict=False))
    shared = sum(one in ours for full, ours in zip(best, found, strict=False) for one in full["sections"])
    document_hits = sum(one["documents"][0] in ours for one, ours in zip(best, selected, strict=False))
    bm25_hits = sum(one["bm25"] in ours for one, ours in zip(best, found, strict=False))
    both = sum(one["bm25"] in one["sections"] for one in best)
    return [
        *rows,
        f"| hit@10 against the same ranking of everything ({len(best)} queries) | sections {hits / len(best):.3f}, "
        f"documents {document_hits / len(best):.3f}; of its first ten sections {shared / len(best) / 10:.3f} are ours |",
        f"| hit@10 against BM25 over all rows | sections {bm25_hits / len(best):.3f}; the ranking of everything itself: "
        f"{both / len(best):.3f} |",
    ]


def rank_exhaustively(library: Library, queries: list[str], log: Path) -> list[dict[str, Any]]:
    """For each query the first ten sections and documents where nothing is left out, and the first section by BM25.

    Every document's true score is found, and every passage that holds any word is ranked: seconds for each query, so it is
    kept for the next run.
    """
    known: dict[str, dict[str, Any]] = json.loads(log.read_text()) if log.exists() else {}
    everything = 10**9
    modest = (documents.EXACT_SCORES, sections.SEARCHED_DOCUMENTS, sections.CANDIDATES, ranking.SCORED_PAGES)
    documents.EXACT_SCORES = sections.SEARCHED_DOCUMENTS = sections.CANDIDATES = ranking.SCORED_PAGES = everything
    for query in queries:
        if query not in known:
            with Library(library.path) as fresh:  # what it takes into memory goes with it
                evidence = fresh.retrieve(query, k=10).evidence
                selected = [info.doc_id for info in fresh.list(query=query)[:10]]
            ranked = [[one.doc_id, one.node_id] for one in evidence]
            known[query] = {"sections": ranked, "documents": selected, "bm25": first_by_bm25(library, query)}
            log.write_text(json.dumps(known))
    documents.EXACT_SCORES, sections.SEARCHED_DOCUMENTS, sections.CANDIDATES, ranking.SCORED_PAGES = modest
    return [known[query] for query in queries]


def first_by_bm25(library: Library, query: str) -> list[str]:
    """Document and id of the passage that plain BM25 (k1 = 1.2, b = 0.75) over title, path and body puts first."""
    terms = content_terms(query, "english")
    store = library._store
    assert isinstance(store, SqliteStore)
    with store._state() as (connection, catalogue):
        total, length = connection.execute(
            "SELECT count(*), avg(length(body) - length(replace(body, ' ', ''))) FROM passage_tokens"
        ).fetchone()
        texts: dict[int, list[str]] = {}
        view = catalogue.view(connection)
        held = {term: set(view.rows(term)) for term in terms}
        idf = {term: math.log(1 + (total - len(rows) + 0.5) / (len(rows) + 0.5)) for term, rows in held.items()}
        most = sum(idf.values())
        weights = {row: sum(idf[term] for term in terms if row in held[term]) for row in set().union(*held.values())}
        best, first = 0.0, 0
        # A passage scores at most 2.2 times the weight of its words.
        for row in sorted(weights, key=lambda row: -weights[row]):
            if weights[row] * 2.2 < best or (best > most and len(texts) > 20_000):
                break
            fields = connection.execute("SELECT title, path, body FROM passage_tokens WHERE id = ?", (row,)).fetchone()
            texts[row] = words = " ".join(fields).split()
            norm = 1.2 * (0.25 + 0.75 * len(words) / (length + 5))
            score = sum(idf[term] * (n := words.count(term)) * 2.2 / (n + norm) for term in terms)
            if score > best:
                best, first = score, row
        (node,) = connection.execute("SELECT node_id FROM passages WHERE id = ?", (first,)).fetchone()
    passages = view.documents.passages
    return [passages.ids[passages.document_of(first)], node]


def _times(seconds: list[float]) -> str:
    ordered = sorted(1000 * one for one in seconds)
    return f"p50 {statistics.median(ordered):.0f} ms, p95 {ordered[int(0.95 * len(ordered))]:.0f} ms"


def revisions() -> list[str]:
    """Rows about a book of 500 pages with two pages changed, and with one page put in."""
    rows = []
    for what, change in (("two pages changed", {"changed": (130, 400)}), ("one page put in", {"longer": (200,)})):
        with Library() as library:
            library.add(make_book(500), name="book.pdf")
            info = library.add(make_book(500, **change), name="book.pdf")
        share = info.reused_sections / info.section_count
        rows.append(
            f"| 500 pages, {what} | {info.reused_sections} of {info.section_count} sections reused ({share:.1%}) |"
        )
    return rows


def main() -> None:
    """Fill a library, print one table, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--exhaustive", type=int, default=60, help="queries that are compared with full rankings")
    parser.add_argument("--seed", default="queries", help="other queries")
    parser.add_argument("--adds", type=int, default=1000)
    parser.add_argument("--place", type=Path, help="keep the libraries in this folder, and go on with those there")
    parser.add_argument("--only", choices=["fill", "search", "adds"], action="append", help="one part of it")
    parser.add_argument("--keep", action="store_true", help="put the table into results/library.md")
    options = parser.parse_args()
    parts = options.only or ["fill", "search", "adds"]
    writer = Writer()
    rows: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        place = options.place or Path(folder)
        small, large = (place / f"library-{count}.db" for count in (SMALL, options.documents))
        for path, count in ((small, SMALL), (large, options.documents)):
            with Library(path) as library:
                steps = fill(library, writer, count, path.with_suffix(".json"))
        sections = options.documents * SECTIONS
        seconds = sum(steps)
        rows.append(
            f"| indexing with writing | {sections / seconds:.0f} sections/s, {sections * WORDS / seconds:.0f} words/s |"
        )
        size, text = large.stat().st_size, options.documents / 100 * sum(len(writer.document(n)) for n in range(100))
        rows.append(f"| size on disk | {size / 1e6:.0f} MB, {size / text:.2f} times the text |")
        if "search" in parts:
            with Library(large) as library:
                queries = list(writer.queries(options.documents, options.queries, options.seed))
                rows += search(library, queries, options.exhaustive, place / f"rankings-{options.documents}.json")
        if "adds" in parts:
            rows += compare_adds(writer, small, large, options.adds)
            rows += revisions()
    table = "\n".join([f"| {options.documents} documents of {SECTIONS} sections | |", "| --- | --- |", *rows])
    print(table)
    print(f"load at the end: {os.getloadavg()}")
    if options.keep:
        save("library", f"python benchmarks/library.py --documents {options.documents}", table)


if __name__ == "__main__":
    main()
