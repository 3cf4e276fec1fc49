"""The retriever: a library's sections as scored nodes, with the steps of each search as instrumentation events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from typing import Any, Self

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.vector_stores.types import MetadataFilters

from thumbindex import Library
from thumbindex.trail import Step

from .filters import to_filters
from .nodes import to_node

dispatcher = get_dispatcher(__name__)


class TreeStepEvent(BaseEvent):
    """One step of a search; the fields are those of `thumbindex.trail.Step`."""

    action: str
    target: str
    reason: str
    outcome: str
    tokens_in: int
    tokens_out: int
    seconds: float

    @classmethod
    def class_name(cls) -> str:
        """What handlers tell events apart by."""
        return "TreeStepEvent"


class ThumbIndexRetriever(BaseRetriever):
    """Finds the sections of long documents that answer a question, each with its section path and pages.

    Args:
        library: A `thumbindex.Library`.
        similarity_top_k: How many sections to return.
        max_tokens: Budget for the text of all of them; None for no limit.
        documents: Ids or names of the documents to search; None for all.
        filters: Values that a document's metadata must have: a mapping, or `MetadataFilters` of `==` and `in`.
        **kwargs: For LlamaIndex's `BaseRetriever`: `callback_manager`, `object_map`, `objects`, `verbose`.

    Raises:
        ValueError: filters that the library cannot answer.
    """

    def __init__(
        self,
        library: Library,
        similarity_top_k: int = 4,
        *,
        max_tokens: int | None = None,
        documents: Sequence[str] | None = None,
        filters: MetadataFilters | Mapping[str, object] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.library, self.similarity_top_k = library, similarity_top_k
        self.max_tokens, self.documents, self.filters = max_tokens, documents, to_filters(filters)

    @classmethod
    def from_files(
        cls,
        paths: Iterable[str | PathLike[str]],
        *,
        similarity_top_k: int = 4,
        path: str | PathLike[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """A retriever over these files; `path` is the library's own file, None keeps it in memory."""
        return cls(Library.from_files(paths, path=path), similarity_top_k, **kwargs)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self.library.retrieve(_question(query_bundle), **self._options(), on_step=_report)
        return [to_node(evidence) for evidence in found.evidence]

    # `aretrieve` of the base class passes `query_bundle` by name.
    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await self.library.aretrieve(_question(query_bundle), **self._options(), on_step=_report)
        return [to_node(evidence) for evidence in found.evidence]

    def _options(self) -> dict[str, Any]:
        return {
            "k": self.similarity_top_k,
            "max_tokens": self.max_tokens,
            "documents": self.documents,
            "filters": self.filters,
        }


def _question(query_bundle: QueryBundle) -> str:
    # `RetrieverTool` turns the question into "what is X?\n\n", or into "\ninput is what is X?\n" if it came by name.
    return " ".join(query_bundle.query_str.removeprefix("\ninput is ").split())


def _report(step: Step) -> None:
    dispatcher.event(TreeStepEvent(**asdict(step)))
