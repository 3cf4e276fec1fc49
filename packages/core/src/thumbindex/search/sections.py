"""Search without a model: documents first, then the passages of the best documents, then the references that they make."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..evidence import Evidence, EvidenceId
from ..store import DocumentInfo, Passage, Store
from ..text.tokens import TokenCounter, estimate_tokens
from ..trail import RunnerUp
from ..tree.model import Tree
from .candidates import Candidates, find_candidates
from .documents import SelectedDocument, rank_documents
from .evidence import SCORE_STEP, to_evidence
from .expansion import find_expansions
from .pointers import follow_pointers
from .query import Query, expand, read_question
from .ranking import RankedPassage, rank, spread
from .reasons import explain
from .strength import is_weak
from .surroundings import Include, surroundings
from .vectors import Vectors, fuse

CANDIDATES = 1000
"""Passages that are ranked for each language: all of a report of 200 pages, the likeliest of a library."""
CANDIDATES_OF_MANY = 192
"""The same where the documents were chosen among many: further passages contain one common word."""
SEARCHED_DOCUMENTS = 64
"""Documents whose passages are ranked, where there are more.

Of 10,000 documents, 64 contain the best section of all for 98 % of 115 queries, 32 for 93 % (benchmarks/library.py).
"""
RUNNERS_UP = 5
"""Sections behind the chosen ones that the trail names."""
CLOSE_PASSAGES = 10
"""Passages that are called close in meaning, where there is an embedding."""


@dataclass(frozen=True, slots=True)
class SectionSearch:
    """The sections that fit a question best, and how they were found.

    Args:
        documents: Names of the documents whose sections were searched, best first.
        considered: Number of documents that these were chosen from; 0 where nothing was searched.
        terms: The question's words that count.
        absent: Those of them that none of the documents contains.
        found: Number of passages with a word of the question.
        chosen: Evidence, best first.
        reason: Why no more sections were chosen.
        weak: Whether the best sections contain too little of the question to answer it.
        runners_up: The sections that came next.
        seconds: Wall time of ranking the documents, and of ranking their sections.
    """

    documents: tuple[str, ...] = ()
    considered: int = 0
    terms: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    found: int = 0
    chosen: tuple[Evidence, ...] = ()
    reason: str = ""
    weak: bool = False
    runners_up: tuple[RunnerUp, ...] = ()
    seconds: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A passage that may be returned; `ranked` is None where only an embedding found it."""

    doc_id: str
    node_id: str
    section: str
    score: float
    why: str
    ranked: RankedPassage | None


def search_sections(
    store: Store,
    question: str,
    documents: Sequence[DocumentInfo],
    *,
    k: int,
    max_tokens: int | None = None,
    count: TokenCounter = estimate_tokens,
    include: Collection[Include] = (),
    vectors: Vectors | None = None,
    tree_of: Callable[[DocumentInfo], Tree] | None = None,
) -> SectionSearch:
    """Choose the `k` sections of these documents that fit a question best. Call it inside `store.snapshot()`.

    Nothing outside `documents` is searched, chosen or named. Of a long section the best part is chosen. Fewer than `k` are
    chosen where fewer contain any word of the question, or where `max_tokens` allows no more whole passages.

    Args:
        max_tokens: Budget for the texts together. The best passage is always chosen.
        count: Counts the tokens of a text.
        include: What to return besides, as far as the budget allows: further parts by their rank, and the rest behind the
            section that it belongs to.
        vectors: Ranks passages by an embedding too.
        tree_of: Returns the tree of a document, which `include` needs.
    """
    if not question.strip():
        return SectionSearch(reason="there is no question")
    if not documents:
        return SectionSearch(reason="there is no document to search")
    started = time.perf_counter()
    selected = rank_documents(store, question, documents, keep=SEARCHED_DOCUMENTS, by_passages=True)
    if not selected and vectors is not None:
        selected = [SelectedDocument(info, 1.0) for info in documents[:SEARCHED_DOCUMENTS]]
    infos = {document.info.doc_id: document.info for document in selected}
    documents_ranked = time.perf_counter()
    ranked, queries = _rank_passages(store, question, selected, documents)
    passages = spread(ranked)
    choices: Iterable[_Choice] = map(_as_choice, passages)
    if vectors is not None:
        choices = _with_vectors(store, question, passages, infos, vectors, tree_of)
    candidates, wanted = _best_of_sections(choices, infos, k, with_parts="parts" in include)
    terms, absent = _words(queries)
    sections_ranked = time.perf_counter()

    loaded = _load(store, candidates)
    kept = _within_budget(loaded[:wanted], max_tokens, count)
    chosen = list(zip(candidates, loaded, strict=True))[:kept]
    extras = _surroundings(store, infos, tree_of, chosen, include)
    tokens_left = None if max_tokens is None else max_tokens - sum(count(passage.text) for _, passage in chosen)
    evidence = _evidence(chosen, extras, infos, queries, tokens_left, count)
    runners_up: list[RunnerUp] = []
    score = evidence[-1].score if evidence else 1.0
    for choice, passage in list(zip(candidates, loaded, strict=True))[kept : kept + RUNNERS_UP]:
        score = min(choice.score / candidates[0].score, score * SCORE_STEP)
        runners_up.append(_runner_up(choice.doc_id, passage, score))
    if not kept:
        reason = "no section holds a word of the question"
    elif kept < wanted:
        reason = f"the budget of {max_tokens} tokens is spent"
    elif len({_section_of(choice, infos) for choice, _ in chosen}) == k:
        reason = "as many sections as asked for"
    else:
        reason = "no other section holds a word of the question"
    return SectionSearch(
        documents=tuple(document.info.name for document in selected),
        considered=len(documents),
        terms=terms,
        absent=absent,
        found=len(ranked),
        chosen=tuple(evidence),
        reason=reason,
        weak=is_weak(passages, queries, infos),
        runners_up=tuple(runners_up),
        seconds=(documents_ranked - started, sections_ranked - documents_ranked),
    )


def score_passages(store: Store, question: str, document: DocumentInfo) -> dict[str, float]:
    """Returns the score of each passage of a document that contains a word of the question, by its id within the document."""
    query = read_question(question, document.language, document.name)
    candidates = find_candidates(store, query.terms, [document.doc_id], limit=CANDIDATES)
    return {passage.candidate.node_id: passage.score for passage in rank(query, candidates)}


def _rank_passages(
    store: Store, question: str, selected: Sequence[SelectedDocument], scope: Sequence[DocumentInfo]
) -> tuple[list[RankedPassage], dict[str, Query]]:
    """All candidates, best first, and the query in each language.

    Args:
        scope: What the documents were selected from.
    """
    ranked: list[RankedPassage] = []
    queries: dict[str, Query] = {}
    priors = {document.info.doc_id: document.prior for document in selected}
    are_of_many = len(scope) > SEARCHED_DOCUMENTS
    limit = CANDIDATES_OF_MANY if are_of_many else CANDIDATES
    for language in dict.fromkeys(document.info.language for document in selected):
        ids = [document.info.doc_id for document in selected if document.info.language == language]
        name = selected[0].info.name if len(selected) == 1 else ""
        scope_ids = [info.doc_id for info in scope if info.language == language] if are_of_many else []
        query, candidates = find_matches(store, question, language, ids, name=name, limit=limit, scope=scope_ids)
        queries[language] = query
        ranked += follow_pointers(store, query, rank(query, candidates), language)
    for passage in ranked:
        passage.score *= priors[passage.candidate.doc_id]
    ranked.sort(key=lambda passage: (-passage.score, passage.candidate.doc_id, passage.candidate.number))
    return ranked, queries


def find_matches(
    store: Store,
    question: str,
    language: str,
    ids: Sequence[str],
    *,
    name: str = "",
    limit: int = CANDIDATES,
    scope: Sequence[str] = (),
) -> tuple[Query, Candidates]:
    """Returns the question with its expansions, and the passages of these documents that contain any of its terms.

    Args:
        ids: Documents of one language.
        name: Name of the document, where only one is searched.
        limit: Number of passages, at most.
        scope: Ids of the documents that these were chosen from.
    """
    query = read_question(question, language, name)
    candidates = find_candidates(store, query.terms, ids, limit=limit, scope=scope)
    absent = frozenset(term for term in query.terms if not candidates.frequencies.get(term))
    query = replace(query, absent=absent)
    expansions = find_expansions([term for term in query.terms if term in absent], candidates.found)
    if expansions:
        query = expand(query, expansions)
        candidates = find_candidates(store, query.terms, ids, limit=limit, scope=scope)
    return query, candidates


def _as_choice(passage: RankedPassage) -> _Choice:
    candidate = passage.candidate
    return _Choice(candidate.doc_id, candidate.node_id, candidate.section, passage.score, "", passage)


def _with_vectors(
    store: Store,
    question: str,
    ranked: Sequence[RankedPassage],
    infos: Mapping[str, DocumentInfo],
    vectors: Vectors,
    tree_of: Callable[[DocumentInfo], Tree] | None,
) -> list[_Choice]:
    """The passages again, with what an embedding ranks near the question: both rankings are fused."""
    texts: dict[tuple[str, str], str] = {}
    sections: dict[tuple[str, str], str] = {}
    for doc_id, info in infos.items():
        tree = tree_of(info) if tree_of is not None else None
        for stored in store.passages(doc_id):
            passage = stored.passage
            summary = tree.node(passage.section).summary if tree is not None else ""
            texts[doc_id, passage.node_id] = f"{passage.path}\n{summary or passage.text}"
            sections[doc_id, passage.node_id] = passage.section
    nearest = vectors.rank(question, texts)
    by_words = {(passage.candidate.doc_id, passage.candidate.node_id): passage for passage in ranked}
    close = set(nearest[:CLOSE_PASSAGES])
    return [
        _Choice(*key, sections[key], score, "close in meaning" if key in close else "", by_words.get(key))
        for key, score in fuse(list(by_words), nearest).items()
    ]


def _best_of_sections(
    choices: Iterable[_Choice], infos: Mapping[str, DocumentInfo], k: int, *, with_parts: bool
) -> tuple[list[_Choice], int]:
    """The best passage of each of the best `k` sections, and the number of these passages; then those that came next.

    With parts, also the further parts of these sections that come before the next section.
    """
    chosen: list[_Choice] = []
    others: list[_Choice] = []
    seen: set[tuple[str, str]] = set()
    for choice in choices:
        section = _section_of(choice, infos)
        if section in seen and not (with_parts and not others):
            continue
        (chosen if section in seen or len(seen) < k else others).append(choice)
        seen.add(section)
        if len(others) == RUNNERS_UP:
            break
    return [*chosen, *others], len(chosen)


def _section_of(choice: _Choice, infos: Mapping[str, DocumentInfo]) -> tuple[str, str]:
    """The section that a choice counts as: the passage's section, or the passage itself where the document has no headings."""
    info = infos[choice.doc_id]
    has_sections = info.section_count > 1 and info.origin != "pages"
    return choice.doc_id, choice.section if has_sections else choice.node_id


def _words(queries: Mapping[str, Query]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The question's words that count, and those of them that no document contains."""
    words: dict[str, bool] = {}
    for query in queries.values():
        for term in query.terms:
            if term in query.needed:
                word = query.words.get(term, term)
                words[word] = words.get(word, False) or term not in query.absent
    return tuple(words), tuple(word for word, is_present in words.items() if not is_present)


def _load(store: Store, choices: Sequence[_Choice]) -> list[Passage]:
    """The passages of these choices, in the same order."""
    wanted: dict[str, list[str]] = {}
    for choice in choices:
        wanted.setdefault(choice.doc_id, []).append(choice.node_id)
    loaded = {doc_id: store.load(doc_id, node_ids) for doc_id, node_ids in wanted.items()}
    return [loaded[choice.doc_id][choice.node_id].passage for choice in choices]


def _within_budget(passages: Sequence[Passage], max_tokens: int | None, count: TokenCounter) -> int:
    """Number of passages, from the best on, that fit the budget together; at least one if there is one."""
    if max_tokens is None:
        return len(passages)
    used = 0
    for number, passage in enumerate(passages):
        used += count(passage.text)
        if used > max_tokens:
            return max(1, number)
    return len(passages)


def _evidence(
    chosen: Sequence[tuple[_Choice, Passage]],
    extras: Mapping[int, Sequence[tuple[Passage, str]]],
    infos: Mapping[str, DocumentInfo],
    queries: Mapping[str, Query],
    tokens_left: int | None,
    count: TokenCounter,
) -> list[Evidence]:
    """The chosen passages, each followed by its extras as far as tokens are left; scores start at 1 and fall strictly."""
    evidence: list[Evidence] = []
    score = 1.0
    for position, (choice, passage) in enumerate(chosen):
        score = min(choice.score / chosen[0][0].score, score * SCORE_STEP) if position else 1.0
        info = infos[choice.doc_id]
        reasons = (explain(queries[info.language], choice.ranked) if choice.ranked else "", choice.why)
        page = choice.ranked.best_page if choice.ranked else None
        evidence.append(to_evidence(passage, info, score, "; ".join(filter(None, reasons)), page))
        for extra, reason in extras.get(position, ()):
            if tokens_left is not None:
                tokens_left -= count(extra.text)
                if tokens_left < 0:
                    break
            score *= SCORE_STEP
            evidence.append(to_evidence(extra, info, score, reason))
    return evidence


def _surroundings(
    store: Store,
    infos: Mapping[str, DocumentInfo],
    tree_of: Callable[[DocumentInfo], Tree] | None,
    chosen: Sequence[tuple[_Choice, Passage]],
    include: Collection[Include],
) -> dict[int, list[tuple[Passage, str]]]:
    """By position of a chosen passage, further passages that belong to it, with reasons; every passage once."""
    if not include or tree_of is None:
        return {}
    seen = {(choice.doc_id, choice.node_id) for choice, _ in chosen}
    extras: dict[int, list[tuple[Passage, str]]] = {}
    for position, (choice, passage) in enumerate(chosen):
        tree = tree_of(infos[choice.doc_id])
        for other, reason in surroundings(store, choice.doc_id, tree, passage, include):
            if (choice.doc_id, other.node_id) not in seen:
                seen.add((choice.doc_id, other.node_id))
                extras.setdefault(position, []).append((other, reason))
    return extras


def _runner_up(doc_id: str, passage: Passage, score: float) -> RunnerUp:
    first = None if passage.pages is None else passage.pages.first
    return RunnerUp(str(EvidenceId(doc_id, passage.node_id)), passage.path, first, score)
