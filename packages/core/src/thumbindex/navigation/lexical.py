"""The navigator without a model: documents by name and best sections, sections by words, then the references they give."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..evidence import Evidence
from ..store import DocumentInfo, Passage, Store, StoredPassage
from ..store.selection import SelectedDocument, rank_documents
from ..store.terms import tokenize
from ..tokens import TokenCounter, estimate_tokens
from ..trail import RunnerUp
from .actions import Action, Choose, RankDocuments, SearchSections, Stop
from .forms import other_forms
from .question import read_question, with_forms
from .ranking import POINTER_SHARE, Query, Scored, rank, spread

CANDIDATES = 1000
"""Passages that are ranked for each language of the scope: all of a report of 200 pages, the likeliest of a library."""
DOCUMENTS_SEARCHED = 16
"""Documents whose sections are ranked, where the scope holds more."""
RUNNERS_UP = 5
POINTING_PASSAGES = 8
"""How many of the best passages may lend weight to the sections that they refer to."""
LEAST_ABOUT = 0.3
"""A reference counts where its lines hold at least this share of the question's words."""
WEAK_COVERAGE = 0.33
"""Below this share of the question's words in each of the best sections (the mean of the best three of `WEIGHED`), nothing
fits well.

Measured on 494 pairs of question and document, with the threshold from one half of the documents and the count from the
other: 89 % of the questions put to a wrong document fall below it, and 7 % of those that the document answers.
"""
WEIGHED = 5


def navigate(
    store: Store,
    question: str,
    documents: Sequence[DocumentInfo],
    *,
    k: int,
    max_tokens: int | None = None,
    count: TokenCounter = estimate_tokens,
) -> list[Action]:
    """What to do about a question: the actions that choose the `k` sections of these documents that fit it best.

    Nothing outside `documents` is searched, chosen or named. A long section comes by its parts. Fewer than `k` are
    chosen where fewer hold any word of the question, or where `max_tokens` allows no more whole passages (the best one
    is always taken). Call it inside `store.snapshot()`.
    """
    if not question.strip():
        return [Stop("there is no question")]
    if not documents:
        return [Stop("there is no document to search")]
    started = time.perf_counter()
    selected = rank_documents(store, question, documents, keep=DOCUMENTS_SEARCHED)
    names = tuple(one.info.name for one in selected)
    actions: list[Action] = [RankDocuments(names, len(documents), time.perf_counter() - started)]

    started = time.perf_counter()
    ranked, terms, absent = _rank_sections(store, question, selected)
    actions.append(SearchSections(terms, absent, len(ranked), time.perf_counter() - started))

    sections = spread(ranked)
    shares = _falling_shares(sections)[: k + RUNNERS_UP]
    infos = {one.info.doc_id: one.info for one in selected}
    passages = _load(store, sections[: k + RUNNERS_UP])
    chosen = _within_budget(passages[:k], max_tokens, count)
    for one, share, passage in zip(sections, shares, passages[:chosen], strict=False):
        actions.append(Choose(to_evidence(passage, infos[one.candidate.doc_id], share, _why(one), one.best_page)))
    others = tuple(
        _runner_up(one.candidate.doc_id, passage, share)
        for one, share, passage in list(zip(sections, shares, passages, strict=False))[chosen : chosen + RUNNERS_UP]
    )
    if not chosen:
        reason = "no section holds a word of the question"
    elif chosen == k:
        reason = "as many sections as asked for"
    elif chosen < len(passages):
        reason = f"the budget of {max_tokens} tokens is spent"
    else:
        reason = "no other section holds a word of the question"
    coverages = sorted((one.coverage for one in sections[:WEIGHED]), reverse=True)[:3]
    weak = sum(coverages) < 3 * WEAK_COVERAGE
    return [*actions, Stop(reason, weak, others)]


def _rank_sections(
    store: Store, question: str, selected: Sequence[SelectedDocument]
) -> tuple[list[Scored], tuple[str, ...], tuple[str, ...]]:
    """All candidates best first, the question's words that count, and those of them that occur nowhere."""
    ranked: list[Scored] = []
    words: dict[str, bool] = {}
    liked = {one.info.doc_id: one.liking for one in selected}
    for language in dict.fromkeys(one.info.language for one in selected):
        ids = [one.info.doc_id for one in selected if one.info.language == language]
        name = selected[0].info.name if len(selected) == 1 else ""
        query = read_question(question, language, name)
        candidates = store.candidates(query.terms, ids, limit=CANDIDATES)
        absent = [term for term in query.terms if not candidates.holding.get(term)]
        forms = {term: other for term in absent if (other := other_forms(term, candidates.found))}
        if forms:
            query = with_forms(query, forms)
            candidates = store.candidates(query.terms, ids, limit=CANDIDATES)
        for term in query.terms:
            if term in query.needed:
                word = query.words.get(term, term)
                words[word] = words.get(word, False) or candidates.holding.get(term, 0) > 0
        ranked += _follow_pointers(store, query, rank(query, candidates), language)
    for one in ranked:
        liking = liked[one.candidate.doc_id]
        one.score *= liking
    ranked.sort(key=lambda one: (-one.score, one.candidate.doc_id, one.candidate.number))
    return ranked, tuple(words), tuple(word for word, is_present in words.items() if not is_present)


def _follow_pointers(store: Store, query: Query, ranked: list[Scored], language: str) -> list[Scored]:
    """The ranking after sections took over a share from passages that refer to them in a line about the question."""
    if not ranked:
        return ranked
    sections: dict[tuple[str, str], list[Scored]] = {}
    for one in ranked:
        sections.setdefault((one.candidate.doc_id, one.candidate.section), []).append(one)
    pointing = [one for one in ranked[:POINTING_PASSAGES] if one.candidate.pointers]
    gains: dict[int, tuple[float, Scored, StoredPassage]] = {}
    for one in pointing:
        stored = store.load(one.candidate.doc_id, [one.candidate.node_id]).get(one.candidate.node_id)
        if stored is None:
            continue
        for line, targets in one.candidate.pointers:
            about = _share_of_line(stored, line, query, language)
            meant = [goal for target in targets for goal in sections.get((one.candidate.doc_id, target), ())]
            if not meant or about < LEAST_ABOUT or one.candidate.section in targets:
                continue
            gain = POINTER_SHARE * about * one.score
            goal = max(meant, key=lambda goal: goal.score)
            if gain > gains.get(goal.candidate.number, (0.0,))[0]:
                gains[goal.candidate.number] = (gain, goal, stored)
    for gain, goal, source in gains.values():
        goal.score += gain
        goal.pointed_from = source.passage.title
    return sorted(ranked, key=lambda one: (-one.score, one.candidate.number))


def _share_of_line(stored: StoredPassage, line: int, query: Query, language: str) -> float:
    """How much of the question the neighbourhood of a line speaks of, 0 to 1."""
    # The passage's text has no furniture, so line numbers may be off by the lines left out: three lines forgive that.
    lines = stored.passage.text.splitlines()
    at = line - stored.passage.lines.first
    near = set(tokenize("\n".join(lines[max(0, at - 2) : at + 2]), language))
    return len(near & query.needed) / max(1, len(query.needed))


def _falling_shares(ranked: Sequence[Scored]) -> list[float]:
    """Scores against the best, 1.0 first, each less than the one before."""
    shares: list[float] = []
    for one in ranked:
        share = one.score / ranked[0].score
        shares.append(min(share, shares[-1] * (1 - 1e-6)) if shares else 1.0)
    return shares


def _load(store: Store, sections: Sequence[Scored]) -> list[Passage]:
    """The passages of these candidates, in the same order."""
    wanted: dict[str, list[str]] = {}
    for one in sections:
        wanted.setdefault(one.candidate.doc_id, []).append(one.candidate.node_id)
    found = {doc_id: store.load(doc_id, node_ids) for doc_id, node_ids in wanted.items()}
    return [found[one.candidate.doc_id][one.candidate.node_id].passage for one in sections]


def _within_budget(passages: Sequence[Passage], max_tokens: int | None, count: TokenCounter) -> int:
    """How many passages, from the best on, fit the budget together; at least one if there is one."""
    if max_tokens is None:
        return len(passages)
    used = 0
    for number, passage in enumerate(passages):
        used += count(passage.text)
        if used > max_tokens:
            return max(1, number)
    return len(passages)


def _why(one: Scored) -> str:
    reasons = [f"matches {', '.join(one.matched[:8])}" if one.matched else "other forms of the question's words"]
    if one.in_title:
        reasons.append(f"in the title: {', '.join(one.in_title[:4])}")
    if one.in_rows:
        reasons.append(f"in rows of a table: {', '.join(one.in_rows[:4])}")
    if one.pairs:
        reasons.append(f"together: {', '.join(one.pairs[:3])}")
    if one.pointed_from:
        reasons.append(f"{one.pointed_from} refers to it")
    return "; ".join(reasons)


def to_evidence(passage: Passage, info: DocumentInfo, score: float, why: str, best_page: int | None = None) -> Evidence:
    """A passage of a document as what the caller gets: a new object, with metadata of its own, each time."""
    return Evidence(
        doc_id=info.doc_id,
        node_id=passage.node_id,
        section_path=passage.path,
        pages=passage.pages,
        page_labels=passage.page_labels,
        text=passage.text,
        score=score,
        lines=passage.lines,
        document=info.name,
        source=info.source,
        metadata=dict(info.metadata),
        why=why,
        page_count=info.page_count,
        best_page=best_page,
    )


def _runner_up(doc_id: str, passage: Passage, score: float) -> RunnerUp:
    first = None if passage.pages is None else passage.pages.first
    return RunnerUp(f"{doc_id}#{passage.node_id}", passage.path, first, score)
