"""Ways of retrieval that know no sections, to compare with: pages or chunks ranked by BM25, or the whole document.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.4, over the same
word stems as our own index, so that the difference is that of the method.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ..evidence import Evidence
from ..library import DocumentInfo
from ..pages import LineRange
from ..text.terms import content_terms, tokenize
from ..text.tokens import TokenCounter, estimate_tokens
from ..tree.model import Tree

CHUNK_TOKENS = 512
OVERLAP_TOKENS = 64
_K1, _B = 1.2, 0.75


@dataclass(frozen=True)
class Piece:
    """Some lines of a document, as a baseline cuts it."""

    info: DocumentInfo
    tree: Tree
    lines: LineRange

    def evidence(self, score: float) -> Evidence:
        """The piece as other retrieval gives it."""
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
    """The document in one piece."""
    if tree.lines:
        yield Piece(info, tree, LineRange(1, len(tree.lines)))


def pages(info: DocumentInfo, tree: Tree) -> Iterator[Piece]:
    """Each page; a document without pages in chunks."""
    if not tree.pages:
        yield from chunks(info, tree)
    for page in tree.pages or ():
        if page.lines is not None:
            yield Piece(info, tree, page.lines)


def chunks(info: DocumentInfo, tree: Tree, count: TokenCounter = estimate_tokens) -> Iterator[Piece]:
    """Stretches of about `CHUNK_TOKENS` tokens that overlap by about `OVERLAP_TOKENS`; lines are never cut."""
    sizes = [count(line) for line in tree.lines]
    first = 0
    while first < len(sizes):
        last, used = first, sizes[first]
        while last + 1 < len(sizes) and used + sizes[last + 1] <= CHUNK_TOKENS:
            last += 1
            used += sizes[last]
        yield Piece(info, tree, LineRange(first + 1, last + 1))
        if last + 1 == len(sizes):
            return
        start, first, shared = first, last + 1, 0
        while first - 1 > start and shared + sizes[first - 1] <= OVERLAP_TOKENS:
            first -= 1
            shared += sizes[first]


class Ranking:
    """Pieces that can be ranked for any number of questions."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = list(pieces)
        self._counts = [Counter(tokenize(one.tree.text(one.lines), one.info.language)) for one in self._pieces]
        self._sizes = [counts.total() for counts in self._counts]
        self._mean = sum(self._sizes) / max(1, len(self._sizes))
        self._spread = Counter(term for counts in self._counts for term in counts)

    def rank(self, question: str, k: int) -> list[Evidence]:
        """The `k` best pieces that hold a word of the question, best first."""
        terms = {
            language: set(content_terms(question, language)) for language in {one.info.language for one in self._pieces}
        }
        scored = sorted(
            ((self._score(terms[piece.info.language], number), number) for number, piece in enumerate(self._pieces)),
            key=lambda one: (-one[0], one[1]),
        )
        best = [(score, number) for score, number in scored[:k] if score > 0]
        # Scores of ours lie in (0, 1] and fall strictly.
        falling: list[float] = []
        for score, _ in best:
            share = score / best[0][0]
            falling.append(min(share, falling[-1] * (1 - 1e-9)) if falling else 1.0)
        return [self._pieces[number].evidence(score) for score, (_, number) in zip(falling, best, strict=True)]

    def _score(self, terms: Collection[str], number: int) -> float:
        counts, total = self._counts[number], len(self._pieces)
        length = 1 - _B + _B * self._sizes[number] / max(1.0, self._mean)
        return sum(
            math.log(1 + (total - self._spread[term] + 0.5) / (self._spread[term] + 0.5))
            * counts[term]
            * (_K1 + 1)
            / (counts[term] + _K1 * length)
            for term in terms
            if counts[term]
        )
