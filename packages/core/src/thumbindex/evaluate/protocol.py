"""The protocol of a retriever under evaluation: a way from a question to evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..budget import Budget
from ..errors import ThumbIndexError
from ..evidence import Evidence, Retrieval
from ..models import Usage
from ..trail import Step, Trail
from .questions import Question

EVALUATION_BUDGET = Budget(evidence_tokens=6000)
"""The budget of every retriever by default: the evidence that `Library.ask` answers from."""


class RetrieverError(ThumbIndexError, ValueError):
    """A retriever that cannot be loaded, or that returned something else than passages."""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of one question; `usage` is that of the navigating model."""

    retrieval: Retrieval
    usage: Usage = field(default_factory=Usage)


class Retriever(Protocol):
    """One way of retrieval."""

    @property
    def name(self) -> str:
        """The name in tables."""
        ...

    @property
    def is_ranked(self) -> bool:
        """True if the evidence is ordered, best first; a whole document has no order."""
        ...

    async def retrieve(self, question: Question) -> Found:
        """Finds evidence for a question."""
        ...


def within_budget(evidence: Sequence[Evidence], budget: Budget) -> list[Evidence]:
    """The first passages that fit the budget together; the best passage is never dropped."""
    if budget.evidence_tokens is None:
        return [*evidence]
    chosen: list[Evidence] = []
    tokens = 0
    for passage in evidence:
        tokens += budget.count_tokens(passage.text)
        if chosen and tokens > budget.evidence_tokens:
            break
        chosen.append(passage)
    return chosen


def retrieval_by(name: str, question: Question, evidence: Sequence[Evidence]) -> Found:
    """The result of a retriever that calls no model and keeps no trail; it is weak if it is empty."""
    outcome = f"{len(evidence)} passage{'' if len(evidence) == 1 else 's'}"
    trail = Trail((Step("retrieve", name, "", outcome),))
    return Found(Retrieval(question.question, tuple(evidence), trail, weak=not evidence))
