"""Search without a model: documents by name and best sections, sections by words, then the references they give."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..evidence import Evidence
from ..store import DocumentInfo, Passage, Store, StoredPassage
from ..text.terms import tokenize
from ..text.tokens import TokenCounter, estimate_tokens
from ..trail import RunnerUp
from ..tree.model import Tree
from .documents import SelectedDocument, rank_documents
from .evidence import to_evidence
from .expansion import other_forms
from .query import read_question, with_forms
from .ranking import POINTER_SHARE, Query, Scored, rank, spread
from .reasons import coverage, explain, pairs_together
from .surroundings import Include, surroundings
from .vectors import Vectors, fuse

CANDIDATES = 1000
"""Passages that are ranked for each language of the scope: all of a report of 200 pages, the likeliest of a library."""
LIKELIEST = 192
"""The same, where the documents were chosen among many: the others hold one common word."""
DOCUMENTS_SEARCHED = 64
"""Documents whose sections are ranked, where the scope holds more.

Of 10,000 documents, 64 hold the best section of all for 98 % of 115 queries, 32 for 93 % (benchmarks/library.py).
"""
RUNNERS_UP = 5
NEAREST = 10
"""So many passages are called close in meaning, where there is an embedding."""
POINTING_PASSAGES = 8
"""How many of the best passages may lend weight to the sections that they refer to."""
LEAST_ABOUT = 0.3
"""A reference counts where its lines hold at least this share of the question's words."""
WEAK = 0.36
"""Below this strength (see `_strength`) nothing fits well.

Measured on 837 pairs of question and document, with the threshold from one half of the documents and the count from the
other: 87 % of the questions put to a wrong document fall below it, and 7 % of those whose answer was found. Counted again on
1,075 pairs, 232 of them with questions written later: 90 % and 8 %.
"""
TOGETHER, ABSENT = 0.25, 0.25
"""What it adds that the question's neighbours stand together in a section, and takes that its words occur nowhere."""
WEIGHED = 5
"""Best sections that are looked at for that."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A passage that may be returned; `scored` is None where only an embedding found it."""

    doc_id: str
    node_id: str
    score: float
    why: str
    scored: Scored | None


@dataclass(frozen=True, slots=True)
class SectionSearch:
    """The sections that fit a question best, and how they were found.

    Args:
        documents: Names of the documents whose sections were searched, best first.
        considered: Number of documents that these were chosen from; 0 where nothing was searched.
        terms: The question's words that count.
        absent: Those of them that occur in none of the documents.
        found: Number of passages that hold a word of the question.
        chosen: Evidence, best first.
        reason: Why no more sections were chosen.
        weak: Whether the best sections hold too little of the question to be its answer.
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
    """Choose the `k` sections of these documents that fit a question best.

    Nothing outside `documents` is searched, chosen or named. Of a long section the best part is chosen. Fewer than `k` are
    chosen where fewer hold any word of the question, or where `max_tokens` allows no more whole passages (the best one
    is always taken). What `include` names comes beside them, as far as the budget allows: further parts by their rank, and
    the rest behind the section that it belongs to; `tree_of` gives the trees that this needs. Call it inside
    `store.snapshot()`.
    """
    if not question.strip():
        return SectionSearch(reason="there is no question")
    if not documents:
        return SectionSearch(reason="there is no document to search")
    started = time.perf_counter()
    selected = rank_documents(store, question, documents, keep=DOCUMENTS_SEARCHED, by_passages=True)
    if not selected and vectors is not None:
        selected = [SelectedDocument(info, 1.0) for info in documents[:DOCUMENTS_SEARCHED]]
    infos = {one.info.doc_id: one.info for one in selected}
    documents_ranked = time.perf_counter()
    ranked, queries = _rank_sections(store, question, selected, documents)
    sections = spread(ranked)
    choices: Iterable[_Choice] = (
        _Choice(one.candidate.doc_id, one.candidate.node_id, one.score, "", one) for one in sections
    )
    if vectors is not None:
        choices = _with_vectors(store, question, sections, infos, vectors, tree_of)
    found, wanted = _cut(choices, infos, k, is_with_parts="parts" in include)
    terms, absent = _words(queries)
    sections_ranked = time.perf_counter()

    passages = _load(store, found)
    chosen = _within_budget(passages[:wanted], max_tokens, count)
    best = found[0].score if found else 1.0
    share = 1.0
    extras = _surroundings(store, infos, tree_of, list(zip(found, passages, strict=True))[:chosen], include)
    left = None if max_tokens is None else max_tokens - sum(count(passage.text) for passage in passages[:chosen])
    evidence: list[Evidence] = []
    others: list[RunnerUp] = []
    for place, (one, passage) in enumerate(zip(found, passages, strict=True)):
        share = min(one.score / best, share * (1 - 1e-6)) if place else 1.0
        if place >= chosen:
            others.append(_runner_up(one.doc_id, passage, share))
            continue
        info = infos[one.doc_id]
        why = "; ".join(filter(None, (explain(queries[info.language], one.scored) if one.scored else "", one.why)))
        page = one.scored.best_page if one.scored else None
        evidence.append(to_evidence(passage, info, share, why, page))
        for extra, reason in extras.get(place, ()):
            if left is not None:
                left -= count(extra.text)
                if left < 0:
                    break
            share *= 1 - 1e-6
            evidence.append(to_evidence(extra, info, share, reason))
    if not chosen:
        reason = "no section holds a word of the question"
    elif chosen < wanted:
        reason = f"the budget of {max_tokens} tokens is spent"
    elif len({_section(one, infos) for one in found[:chosen]}) == k:
        reason = "as many sections as asked for"
    else:
        reason = "no other section holds a word of the question"
    return SectionSearch(
        documents=tuple(one.info.name for one in selected),
        considered=len(documents),
        terms=terms,
        absent=absent,
        found=len(ranked),
        chosen=tuple(evidence),
        reason=reason,
        weak=_is_weak(sections, queries, infos),
        runners_up=tuple(others[:RUNNERS_UP]),
        seconds=(documents_ranked - started, sections_ranked - documents_ranked),
    )


def _cut(
    choices: Iterable[_Choice], infos: Mapping[str, DocumentInfo], k: int, *, is_with_parts: bool
) -> tuple[list[_Choice], int]:
    """The best passage of each of the best `k` sections, and how many passages that are; then those that came next.

    With parts, also the further parts of these sections that stand before the next section.
    """
    chosen: list[_Choice] = []
    others: list[_Choice] = []
    seen: set[tuple[str, str]] = set()
    for one in choices:
        section = _section(one, infos)
        if section in seen and not (is_with_parts and not others):
            continue
        (chosen if section in seen or len(seen) < k else others).append(one)
        seen.add(section)
        if len(others) == RUNNERS_UP:
            break
    return [*chosen, *others], len(chosen)


def _section(one: _Choice, infos: Mapping[str, DocumentInfo]) -> tuple[str, str]:
    """What counts as one section: the passage's own, but where a document has no headings its passages count."""
    info = infos[one.doc_id]
    has_sections = info.section_count > 1 and info.origin != "pages"
    return one.doc_id, one.node_id.partition(".")[0] if has_sections else one.node_id


def _is_weak(sections: Sequence[Scored], queries: Mapping[str, Query], infos: Mapping[str, DocumentInfo]) -> bool:
    """Whether the best sections hold too little of the question to be its answer."""
    asked = [(queries[infos[one.candidate.doc_id].language], one) for one in sections[:WEIGHED]]
    return not asked or _strength(asked) < WEAK


def _strength(asked: Sequence[tuple[Query, Scored]]) -> float:
    """Share of the question's words in the three sections that hold most, more or less by what stands together and what is
    nowhere; about 0 to 1."""
    covered = sorted((coverage(query, one) for query, one in asked), reverse=True)[:3]
    together = max(pairs_together(query, one) for query, one in asked[:3])
    query = asked[0][0]
    absent = len(query.absent & query.needed) / max(1, len(query.needed))
    return sum(covered) / len(covered) + TOGETHER * together - ABSENT * absent


def _with_vectors(
    store: Store,
    question: str,
    sections: Sequence[Scored],
    infos: Mapping[str, DocumentInfo],
    vectors: Vectors,
    tree_of: Callable[[DocumentInfo], Tree] | None,
) -> list[_Choice]:
    """The sections again, joined by rank with what an embedding finds near the question."""
    texts: dict[tuple[str, str], str] = {}
    for doc_id, info in infos.items():
        tree = tree_of(info) if tree_of is not None else None
        for stored in store.passages(doc_id):
            passage = stored.passage
            summary = tree.node(passage.section).summary if tree is not None else ""
            texts[doc_id, passage.node_id] = f"{passage.path}\n{summary or passage.text}"
    near = vectors.rank(question, texts)
    by_words = {(one.candidate.doc_id, one.candidate.node_id): one for one in sections}
    among_nearest = set(near[:NEAREST])
    return [
        _Choice(*key, score, "close in meaning" if key in among_nearest else "", by_words.get(key))
        for key, score in fuse(list(by_words), near).items()
    ]


def _surroundings(
    store: Store,
    infos: Mapping[str, DocumentInfo],
    tree_of: Callable[[DocumentInfo], Tree] | None,
    chosen: Sequence[tuple[_Choice, Passage]],
    include: Collection[Include],
) -> dict[int, list[tuple[Passage, str]]]:
    """What comes along with each of the chosen passages, by its place; every passage once."""
    if not include or tree_of is None:
        return {}
    seen = {(one.doc_id, one.node_id) for one, _ in chosen}
    along: dict[int, list[tuple[Passage, str]]] = {}
    for place, (one, passage) in enumerate(chosen):
        for other, reason in surroundings(store, one.doc_id, tree_of(infos[one.doc_id]), passage, include):
            if (one.doc_id, other.node_id) not in seen:
                seen.add((one.doc_id, other.node_id))
                along.setdefault(place, []).append((other, reason))
    return along


def _words(queries: Mapping[str, Query]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The question's words that count, and those of them that occur nowhere."""
    words: dict[str, bool] = {}
    for query in queries.values():
        for term in query.terms:
            if term in query.needed:
                word = query.words.get(term, term)
                words[word] = words.get(word, False) or term not in query.absent
    return tuple(words), tuple(word for word, is_present in words.items() if not is_present)


def _rank_sections(
    store: Store, question: str, selected: Sequence[SelectedDocument], scope: Sequence[DocumentInfo]
) -> tuple[list[Scored], dict[str, Query]]:
    """All candidates best first, and the query in each language; `scope` is what the documents were selected from."""
    ranked: list[Scored] = []
    queries: dict[str, Query] = {}
    liked = {one.info.doc_id: one.liking for one in selected}
    for language in dict.fromkeys(one.info.language for one in selected):
        ids = [one.info.doc_id for one in selected if one.info.language == language]
        query = read_question(question, language, selected[0].info.name if len(selected) == 1 else "")
        is_chosen = len(scope) > DOCUMENTS_SEARCHED
        limit = LIKELIEST if is_chosen else CANDIDATES
        among = [info.doc_id for info in scope if info.language == language] if is_chosen else []
        candidates = store.candidates(query.terms, ids, limit=limit, among=among)
        absent = frozenset(term for term in query.terms if not candidates.holding.get(term))
        query = replace(query, absent=absent)
        forms = other_forms([term for term in query.terms if term in absent], candidates.found)
        if forms:
            query = with_forms(query, forms)
            candidates = store.candidates(query.terms, ids, limit=limit, among=among)
        queries[language] = query
        ranked += _follow_pointers(store, query, rank(query, candidates), language)
    for one in ranked:
        one.score *= liked[one.candidate.doc_id]
    ranked.sort(key=lambda one: (-one.score, one.candidate.doc_id, one.candidate.number))
    return ranked, queries


def _follow_pointers(store: Store, query: Query, ranked: list[Scored], language: str) -> list[Scored]:
    """The ranking after sections took over a share from passages that refer to them in a line about the question."""
    if not ranked:
        return ranked
    sections: dict[tuple[str, str], list[Scored]] = {}
    for one in ranked:
        sections.setdefault((one.candidate.doc_id, one.candidate.section), []).append(one)
    pointing = [
        (one, line, goals)
        for one in ranked[:POINTING_PASSAGES]
        for line, targets in one.candidate.pointers
        if one.candidate.section not in targets
        and (goals := [goal for target in targets for goal in sections.get((one.candidate.doc_id, target), ())])
    ]
    wanted: dict[str, list[str]] = {}
    for one, *_ in pointing:
        wanted.setdefault(one.candidate.doc_id, []).append(one.candidate.node_id)
    loaded = {doc_id: store.load(doc_id, node_ids) for doc_id, node_ids in wanted.items()}
    gains: dict[int, tuple[float, Scored, StoredPassage]] = {}
    for one, line, goals in pointing:
        stored = loaded[one.candidate.doc_id][one.candidate.node_id]
        about = _share_of_line(stored, line, query, language)
        if about < LEAST_ABOUT:
            continue
        gain = POINTER_SHARE * about * one.score
        goal = max(goals, key=lambda goal: goal.score)
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


def _load(store: Store, found: Sequence[_Choice]) -> list[Passage]:
    """The passages of these choices, in the same order."""
    wanted: dict[str, list[str]] = {}
    for one in found:
        wanted.setdefault(one.doc_id, []).append(one.node_id)
    loaded = {doc_id: store.load(doc_id, node_ids) for doc_id, node_ids in wanted.items()}
    return [loaded[one.doc_id][one.node_id].passage for one in found]


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


def _runner_up(doc_id: str, passage: Passage, score: float) -> RunnerUp:
    first = None if passage.pages is None else passage.pages.first
    return RunnerUp(f"{doc_id}#{passage.node_id}", passage.path, first, score)
