"""Retrieval without sections, as a baseline: pages or chunks ranked by BM25, or the whole document.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.4, over the same
word stems as our own index, so that only the methods differ.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ..budget import Budget
from ..evidence import Evidence
from ..library_view import LibraryView
from ..pages import LineRange
from ..store import DocumentInfo
from ..text.terms import content_terms, tokenize
from ..text.tokens import TokenCounter, estimate_tokens
from ..tree.model import Tree
from .protocol import Found, retrieval_by, within_budget
from .questions import Question, documents_of

BaselineName = Literal["bm25", "chunks", "whole"]
"""`bm25` ranks pages, `chunks` ranks chunks, `whole` returns whole documents."""
BASELINE_NAMES: tuple[str, ...] = get_args(BaselineName)

CHUNK_TOKENS = 512
"""Size of a chunk, by our estimate: a common default of text splitters."""
OVERLAP_TOKENS = 64
"""Overlap of neighbouring chunks: an eighth of their size."""
BM25_K1, BM25_B = 1.2, 0.75
"""The usual parameters of BM25 (Robertson and Zaragoza, section 3.4.3)."""
_DECREASE = 1 - 1e-9
"""Factor between the scores of two pieces that BM25 ranks equal: scores of evidence fall strictly."""


@dataclass(frozen=True)
class Piece:
    """A run of lines of a document: the unit that a baseline ranks."""

    info: DocumentInfo
    tree: Tree
    lines: LineRange

    def evidence(self, score: float) -> Evidence:
        """The piece in the form of other evidence."""
        pages = self.tree.pages_of(self.lines)
        title = f"pages {pages}" if pages else f"lines {self.lines}"
        return Evidence(
            doc_id=self.info.doc_id,
            node_id=f"lines-{self.lines.first}-{self.lines.last}",
            section_path=title,
            pages=pages,
            page_labels=None,
            text=self.tree.text(self.lines),
            score=score,
            lines=self.lines,
            document=self.info.name,
            source=self.info.source,
            metadata=self.info.metadata,
            page_count=self.tree.page_count,
        )


def whole(info: DocumentInfo, tree: Tree) -> Iterator[Piece]:
    """The whole document as one piece."""
    if tree.lines:
        yield Piece(info, tree, LineRange(1, len(tree.lines)))


def pages(info: DocumentInfo, tree: Tree) -> Iterator[Piece]:
    """One piece per page; chunks for a document without pages."""
    if not tree.pages:
        yield from chunks(info, tree)
    for page in tree.pages or ():
        if page.lines is not None:
            yield Piece(info, tree, page.lines)


def chunks(info: DocumentInfo, tree: Tree, count: TokenCounter = estimate_tokens) -> Iterator[Piece]:
    """Chunks of about `CHUNK_TOKENS` tokens that overlap by about `OVERLAP_TOKENS`; lines are never split."""
    sizes = [count(line) for line in tree.lines]
    first = 0
    while first < len(sizes):
        last, tokens = first, sizes[first]
        while last + 1 < len(sizes) and tokens + sizes[last + 1] <= CHUNK_TOKENS:
            last += 1
            tokens += sizes[last]
        yield Piece(info, tree, LineRange(first + 1, last + 1))
        if last + 1 == len(sizes):
            return
        start, first, overlap = first, last + 1, 0
        while first - 1 > start and overlap + sizes[first - 1] <= OVERLAP_TOKENS:
            first -= 1
            overlap += sizes[first]


class Ranking:
    """A BM25 index of pieces."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = list(pieces)
        self._term_counts = [
            Counter(tokenize(piece.tree.text(piece.lines), piece.info.language)) for piece in self._pieces
        ]
        self._lengths = [counts.total() for counts in self._term_counts]
        self._mean_length = sum(self._lengths) / max(1, len(self._lengths))
        self._document_frequency = Counter(term for counts in self._term_counts for term in counts)

    def rank(self, question: str, k: int) -> list[Evidence]:
        """The `k` best pieces that contain a word of the question, best first."""
        languages = {piece.info.language for piece in self._pieces}
        terms = {language: set(content_terms(question, language)) for language in languages}
        scores = [
            (self._score(terms[piece.info.language], number), number) for number, piece in enumerate(self._pieces)
        ]
        best = [(score, number) for score, number in sorted(scores, key=_best_first)[:k] if score > 0]
        # Scores of evidence lie in (0, 1] and fall strictly.
        falling: list[float] = []
        for score, _ in best:
            share = score / best[0][0]
            falling.append(min(share, falling[-1] * _DECREASE) if falling else 1.0)
        return [self._pieces[number].evidence(score) for score, (_, number) in zip(falling, best, strict=True)]

    def _score(self, terms: Collection[str], number: int) -> float:
        counts = self._term_counts[number]
        length = 1 - BM25_B + BM25_B * self._lengths[number] / max(1.0, self._mean_length)
        return sum(
            self._idf(term) * counts[term] * (BM25_K1 + 1) / (counts[term] + BM25_K1 * length)
            for term in terms
            if counts[term]
        )

    def _idf(self, term: str) -> float:
        frequency = self._document_frequency[term]
        return math.log(1 + (len(self._pieces) - frequency + 0.5) / (frequency + 0.5))


def _best_first(scored: tuple[float, int]) -> tuple[float, int]:
    """Sort key: the score, falling; equal scores in the order of the document."""
    score, number = scored
    return -score, number


class Baseline:
    """Pages or chunks ranked by BM25, or documents as a whole, whatever their length."""

    def __init__(self, library: LibraryView, name: BaselineName, k: int, budget: Budget) -> None:
        self._library, self._name, self._k, self._budget = library, name, k, budget
        self._rankings: dict[tuple[str, ...], Ranking] = {}

    @property
    def name(self) -> str:
        """`bm25`, `chunks` or `whole`."""
        return self._name

    @property
    def is_ranked(self) -> bool:
        """False for `whole`."""
        return self._name != "whole"

    async def retrieve(self, question: Question) -> Found:
        """Finds pieces within the budget; `whole` ignores it."""
        return await asyncio.to_thread(self._retrieve, question)

    def prepare(self, question: Question) -> None:
        """Indexes the documents of a question, so that the time of indexing is not measured, as it is not for libraries."""
        if self.is_ranked:
            self._ranking(documents_of(question, self._library.list()))

    def _retrieve(self, question: Question) -> Found:
        infos = documents_of(question, self._library.list())
        if not self.is_ranked:
            pieces = [piece for info in infos for piece in whole(info, self._library.tree(info.doc_id))]
            evidence = [piece.evidence(1.0 / (1 + position)) for position, piece in enumerate(pieces)]
            return retrieval_by(self._name, question, evidence)
        ranked = self._ranking(infos).rank(question.question, self._k)
        return retrieval_by(self._name, question, within_budget(ranked, self._budget))

    def _ranking(self, infos: Sequence[DocumentInfo]) -> Ranking:
        key = tuple(info.doc_id for info in infos)
        if key not in self._rankings:
            split = pages if self._name == "bm25" else chunks
            self._rankings[key] = Ranking(
                [piece for info in infos for piece in split(info, self._library.tree(info.doc_id))]
            )
        return self._rankings[key]
