"""The features of both rankings, of pages and of documents, with their fitted weights."""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter, mul


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """Features of a page for a question, each from 0 to 1 (`words`: to 3); or the weight of each.

    Shares of the question's words are weighted by idf.

    Args:
        words: BM25 score of its best passage, as a share of the highest possible.
        pairs: Neighbouring words of the question that stand close together on it.
        covered: Words of the question that it contains, each counted alike: a rare one alone makes no answer.
        head: Words of the question in its first lines, where those are about nothing else.
        title: Words of the question in the titles of its sections.
        title_only: The same where those titles contain nothing else.
        path: Words of the question in the titles above, or in running heads.
        table: Table rows, where their labels contain a word of the question.
        figures: Share of its words that are numbers, where the question asks for a figure: others ask for prose.
        listing: Entries of a table of contents or an index.
        position: Place in the document, from its beginning to its end.
        begins: 1 if a section begins on it: sections start with what they are about.
        full: Amount of text: a full page contains more words by chance.
    """

    words: float = 0.0
    pairs: float = 0.0
    covered: float = 0.0
    head: float = 0.0
    title: float = 0.0
    title_only: float = 0.0
    path: float = 0.0
    table: float = 0.0
    figures: float = 0.0
    listing: float = 0.0
    position: float = 0.0
    begins: float = 0.0
    full: float = 0.0


PAGE_WEIGHTS = PageFeatures(
    words=2.8,
    pairs=4.8,
    covered=3.1,
    head=3.4,
    title=2.2,
    title_only=2.7,
    path=2.5,
    table=2.0,
    figures=4.0,
    listing=-1.0,
    position=-1.6,
    begins=0.9,
    full=-1.3,
)
"""Fitted to real questions by maximum likelihood: a conditional logit over the pages of a document, whose weighted sum is the
logarithm of the odds of a page against the others."""

_values = attrgetter(*(feature.name for feature in fields(PageFeatures)))


def page_score(features: PageFeatures) -> float:
    """Returns the weighted sum of the features of a page."""
    return float(sum(map(mul, _values(PAGE_WEIGHTS), _values(features))))


@dataclass(frozen=True, slots=True)
class DocumentWeights:
    """Weights of the features of a document; each feature is a share of the question's words, by weight and idf.

    The weighted sum is the logarithm of the odds that the document is meant.

    Args:
        best: Words in each of its best passages, on average.
        throughout: Words in all of its passages.
        opening: Words in its first passages.
        half_saturation: Share of its passages that must contain a word for half of `throughout`.
        top: Words in its best passage. Counts for the order only, not for the score.
    """

    best: float
    throughout: float
    opening: float
    half_saturation: float
    top: float = 0.0


DOCUMENT_WEIGHTS = DocumentWeights(best=6.0, throughout=7.0, opening=5.0, half_saturation=0.05)
TOP_WEIGHT = 6.0
"""Weight of `top` where the sections of the documents are ranked next."""
NAME_WEIGHT, YEAR_WEIGHT = 3.0, 5.0
"""Weights of the share of the question's words in a document's name and metadata, and of the question's year being its own."""
