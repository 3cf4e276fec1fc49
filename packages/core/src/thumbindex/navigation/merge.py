"""Merging the evidence of several documents that were navigated at once. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from itertools import zip_longest

from ..evidence import Evidence
from ..text.tokens import TokenCounter
from ..trail import RunnerUp
from .actions import Merge
from .state import State, reading_score

RUNNERS_UP = 5


def merge(
    parts: Sequence[State],
    section_of: Callable[[Evidence], Hashable],
    *,
    k: int | None,
    max_tokens: int | None,
    count: TokenCounter,
) -> Merge:
    """Takes the best section of each document, then the second of each, and so on; the rest are runners-up.

    A document in which the model found nothing has only sections that fit by their words: they are left out where another
    document has more.

    Args:
        parts: The final state of each document, the one that fits the question best first.
        section_of: The section of a passage; the passages of a section stay together.
        k: Sections at most; None for all.
        max_tokens: Of all text together; whole sections are left out from the end, never the first.
    """
    strong = [part for part in parts if part.chosen and not part.weak]
    taken = strong or [part for part in parts if part.chosen]
    columns = [_sections(part.chosen, section_of) for part in taken]
    turns = [section for row in zip_longest(*columns) for section in row if section]
    chosen: list[Evidence] = []
    left: list[RunnerUp] = []
    sections = used = 0
    for section in turns:
        size = sum(count(evidence.text) for evidence in section)
        if (k is None or sections < k) and (max_tokens is None or not chosen or used + size <= max_tokens):
            sections += 1
            used += size
            chosen += section
        else:
            best = section[0]
            page = best.pages.first if best.pages else None
            left.append(RunnerUp(best.id, best.section_path, page, best.score))
    others = [other for part in parts for other in part.runners_up]
    return Merge(
        tuple(replace(evidence, score=reading_score(rank)) for rank, evidence in enumerate(chosen)),
        documents=len(parts),
        found=sum(len(part.chosen) for part in taken),
        weak=not strong,
        runners_up=tuple(
            replace(other, score=reading_score(len(chosen) + rank))
            for rank, other in enumerate([*left, *others][:RUNNERS_UP])
        ),
    )


def _sections(chosen: Sequence[Evidence], section_of: Callable[[Evidence], Hashable]) -> list[list[Evidence]]:
    """Passages by section, sections in the order of their first passage."""
    sections: dict[Hashable, list[Evidence]] = {}
    for evidence in chosen:
        sections.setdefault(section_of(evidence), []).append(evidence)
    return list(sections.values())
