"""Summaries of sections without a model: the phrases that set a section apart from the rest of its document.

A section's first sentence mostly repeats its title. What a reader looks for are its own terms, figures, dates and defined
words; so a summary is a list of the phrases whose words are frequent here and rare elsewhere (after RAKE, Rose et al.,
"Automatic keyword extraction from individual documents", 2010, with document frequencies in the place of degrees).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..pages import LineRange
from ..text.tokens import estimate_tokens
from ..tree.model import Node, Tree

MAX_TOKENS = 40
_PIECE = re.compile(
    r"(?P<number>[$€£¥]?\d+(?:[.,]\d+)*\s?(?:%|per\s?cent\b|percent\b|million\b|billion\b)?)"
    r"|(?P<unspaced>[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+)"
    r"|(?P<word>[^\W\d_]+(?:['’&-][^\W\d_]+)*)"
    r"|(?P<mark>[^\w\s]|\n\s*\n)"
)
_COMMON_SHARE = 0.6
"""Words of more than this share of the sections end a phrase: mostly function words, in whatever language.

Measured with summaries ranked by BM25 in the place of sections: a share of 0.25 drops words that questions use.
"""
_LONGEST_PHRASE = 4
"""Words besides function words."""
_MOST_FIGURES = 2


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    key: str
    is_number: bool = False


def summarize(
    tree: Tree, *, max_tokens: int = MAX_TOKENS, function_words: Container[str] = frozenset()
) -> dict[str, str]:
    """A summary of at most `max_tokens` tokens for each section that has text, by its id; its subsections' text counts.

    Args:
        function_words: Words of the document's language without content of their own ("of", "its"), lower case: no phrase begins or
            ends with one.
    """
    own = {node.id: _phrases_of(tree.text(_body(tree, node))) for node in tree.nodes}
    spread = Counter(key for rows in own.values() for key in {word.key for row in rows for word in row})
    total = sum(1 for rows in own.values() if rows) or 1
    rare = {key: math.log(1 + total / count) for key, count in spread.items()}
    common = {key for key, count in spread.items() if count > max(2.0, _COMMON_SHARE * total)}
    summaries: dict[str, str] = {}
    for node in tree.nodes:
        rows = [row for item in (node, *tree.descendants(node)) for row in own[item.id]]
        text = _choose(rows, rare, common, function_words, max_tokens)
        if text:
            summaries[node.id] = text
    return summaries


def _body(tree: Tree, node: Node) -> LineRange:
    """The section's own lines without its heading, where it has others."""
    own = tree.own_span(node)
    return LineRange(node.body, own.last) if own.first < node.body <= own.last else own


def _phrases_of(text: str) -> list[list[_Word]]:
    """The words of a text between marks."""
    rows: list[list[_Word]] = [[]]
    for match in _PIECE.finditer(text):
        shown = " ".join(match.group().split())
        match match.lastgroup:
            case "mark":
                rows.append([])
            case "number":
                rows[-1].append(_Word(shown, shown, is_number=True))
            case "unspaced":
                rows[-1] += [_Word(shown[at : at + 2], shown[at : at + 2]) for at in range(0, len(shown), 2)]
            case _:
                rows[-1].append(_Word(shown, _key(shown)))
    return [row for row in rows if row]


def _key(word: str) -> str:
    """A word without its plural, so that "loans" and "loan" count together."""
    folded = word.casefold()
    if len(folded) > 4 and folded.endswith("ies"):
        return folded[:-3] + "y"
    return folded[:-1] if len(folded) > 3 and folded.endswith("s") and not folded.endswith("ss") else folded


def _choose(
    rows: Sequence[Sequence[_Word]],
    rare: Mapping[str, float],
    common: Container[str],
    function_words: Container[str],
    max_tokens: int,
) -> str:
    counts = Counter(word.key for row in rows for word in row if not _is_small(word, function_words))
    worth = {key: rare.get(key, 1.0) * count for key, count in counts.items() if key not in common and len(key) > 1}
    candidates: dict[tuple[str, ...], list[_Word]] = {}
    for row in rows:
        for phrase in (_trimmed(run, function_words) for run in _runs(row, common, function_words)):
            candidates.setdefault(tuple(word.key for word in phrase), phrase)
    chosen: list[str] = []
    covered: set[str] = set()
    left, figures = max_tokens, 0
    scored = [(_worth(phrase, worth, covered), order, phrase) for order, phrase in enumerate(candidates.values())]
    scored.sort(key=lambda item: (-item[0], item[1]))
    while scored and left > 0:
        _, order, phrase = scored.pop(0)
        fresh = _worth(phrase, worth, covered)
        if fresh <= 0:
            continue
        if scored and fresh < scored[0][0]:
            # Some of its words were covered meanwhile: sort it in again with its new weight.
            _insert(scored, (fresh, order, phrase))
            continue
        numbers = sum(word.is_number for word in phrase)
        text = " ".join(word.text for word in phrase)
        size = estimate_tokens(text) + 1
        if size > left or figures + numbers > _MOST_FIGURES:
            continue
        figures += numbers
        left -= size
        chosen.append(text)
        covered.update(word.key for word in phrase)
    return "; ".join(chosen)


def _runs(row: Sequence[_Word], common: Container[str], function_words: Container[str]) -> Iterable[list[_Word]]:
    """Phrases of a row: cut at common words and at the maximum length."""
    run: list[_Word] = []
    telling = 0
    for word in row:
        if word.key in common or telling == _LONGEST_PHRASE:
            if run:
                yield run
            run, telling = [], 0
        if word.key not in common:
            run.append(word)
            telling += not _is_small(word, function_words)
    if run:
        yield run


def _is_small(word: _Word, function_words: Container[str]) -> bool:
    """Returns whether a word is a function word or a single character."""
    return not word.is_number and (len(word.text) < 2 or word.text.casefold() in function_words)


def _trimmed(run: Sequence[_Word], function_words: Container[str]) -> list[_Word]:
    """A phrase without small words at its ends: "terms of its loan", not "its loan and"."""
    telling = [at for at, word in enumerate(run) if not _is_small(word, function_words)]
    return list(run[telling[0] : telling[-1] + 1]) if telling else []


def _worth(phrase: Sequence[_Word], worth: Mapping[str, float], covered: set[str]) -> float:
    """Returns the weight of a phrase's uncovered words per token, so that short specific phrases come first."""
    fresh = sum(
        worth.get(key, 0.0) * (0.5 if is_number else 1.0)
        for key, is_number in {(w.key, w.is_number) for w in phrase}
        if key not in covered
    )
    return fresh / (1 + 0.5 * len(phrase))


def _insert(scored: list[tuple[float, int, list[_Word]]], item: tuple[float, int, list[_Word]]) -> None:
    low, high = 0, len(scored)
    while low < high:
        middle = (low + high) // 2
        if (-scored[middle][0], scored[middle][1]) < (-item[0], item[1]):
            low = middle + 1
        else:
            high = middle
    scored.insert(low, item)
