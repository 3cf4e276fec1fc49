"""The navigator without a model: documents by name and best sections, sections by words, then the references they give."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import get_args

from ..evidence import Retrieval
from ..search.sections import SectionSearch
from ..search.surroundings import Include
from ..search.vectors import Embedding
from .actions import Action, Choose, RankDocuments, SearchSections, Stop
from .log import ActionLog
from .lookups import SearchSections as SearchRequest
from .protocol import Flow, Task, look_up


@dataclass(frozen=True, slots=True)
class Lexical:
    """Ranks sections by their words, titles, structure and references. Calls no model.

    >>> Lexical(include=["references"]).name
    'lexical'

    Args:
        include: Passages that come along with the sections, beyond `k` and within the budget: `parts` (further parts of long sections,
            where they fit the question better than the next section), `subsections` (all of their parts and what is under
            them), `references` (what their text refers to).
        embedding: Joins the ranking by words: a function from a list of texts to vectors, LangChain's `Embeddings` or
            LlamaIndex's `BaseEmbedding`. Vectors of sections (of their summaries, where there are any) are made at first
            use and cached in memory.

    Raises:
        ValueError: `include` with anything else.
    """

    include: Collection[Include] = ()
    embedding: Embedding | None = None

    def __post_init__(self) -> None:
        known = get_args(Include)
        if isinstance(self.include, str) or not set(self.include) <= set(known):
            raise ValueError(f"include takes a list of {', '.join(map(repr, known))}, not {self.include!r}.")

    @property
    def name(self) -> str:
        """`lexical`."""
        return "lexical"

    def navigate(self, task: Task) -> Flow[Retrieval]:
        """Looks the question up; a single lookup and no model call."""
        log = ActionLog(task.question)
        include = {*self.include, "parts"} if task.for_answer else self.include
        budget = task.budget
        found = yield from look_up(
            SearchRequest(task.question, task.k, budget.evidence_tokens, budget.count_tokens, include, self.embedding)
        )
        for action in actions_of(found):
            yield from log.record(action)
        return log.retrieval()


def actions_of(search: SectionSearch) -> list[Action]:
    """The actions that lead to the result of a search, in their order."""
    stop = Stop(search.reason, search.weak, search.runners_up)
    if not search.considered:
        return [stop]
    ranking, searching = search.seconds
    return [
        RankDocuments(search.documents, search.considered, ranking),
        SearchSections(search.terms, search.absent, search.found, searching),
        *map(Choose, search.chosen),
        stop,
    ]
