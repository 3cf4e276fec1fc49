"""The retriever: a library's sections as documents, with the steps of each search as custom events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from os import PathLike
from typing import Any, Self

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
    adispatch_custom_event,
    dispatch_custom_event,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.runnables import RunnableConfig
from pydantic import Field

from thumbindex import Library
from thumbindex.trail import Step

from .documents import to_document

STEP_EVENT = "thumbindex_step"
"""Name of the custom event of each step; its data are the fields of `thumbindex.trail.Step`."""


class ThumbIndexRetriever(BaseRetriever):
    """Finds the sections of long documents that answer a question, each with its section path and pages.

    Setup:
        `pip install langchain-thumbindex`; no key, no model and no network are needed.

    Key init args:
        library: A `thumbindex.Library`.
        k: How many sections to return.
        max_tokens: Budget for the text of all of them; None for no limit.
        documents: Ids or names of the documents to search; None for all.
        filters: Values that a document's metadata must have; a list means any of its values.

    Instantiate:
        >>> retriever = ThumbIndexRetriever.from_files(["report.pdf"], k=4)  # doctest: +SKIP
        >>> retriever = ThumbIndexRetriever(library=Library("reports.db"))  # doctest: +SKIP

    Usage:
        >>> retriever.invoke("Which rate applies to the term loan?")  # doctest: +SKIP
        >>> retriever.invoke("Which rate applies?", k=2, documents=["report.pdf"])  # doctest: +SKIP

    Use within a chain:
        >>> chain = {"context": retriever | format_docs, "question": RunnablePassthrough()} | prompt | model  # doctest: +SKIP
    """

    # A public field, so that `configurable_fields` and copies share the library; untyped, so that pydantic takes any
    # object with `retrieve` and `aretrieve`; out of the repr and of dumps, which end up in traces.
    library: Any = Field(exclude=True, repr=False)
    k: int = Field(default=4, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    documents: Sequence[str] | None = None
    filters: Mapping[str, Any] | None = None

    @classmethod
    def from_files(
        cls, paths: Iterable[str | PathLike[str]], *, k: int = 4, path: str | PathLike[str] | None = None, **fields: Any
    ) -> Self:
        """A retriever over these files; `path` is the library's own file, None keeps it in memory."""
        return cls(library=Library.from_files(paths, path=path), k=k, **fields)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        documents: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        config = RunnableConfig(callbacks=run_manager.get_child())

        def report(step: Step) -> None:
            dispatch_custom_event(STEP_EVENT, asdict(step), config=config)

        found = self.library.retrieve(query, **self._options(k, documents, filters), on_step=report)
        return [to_document(evidence) for evidence in found.evidence]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        documents: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        config = RunnableConfig(callbacks=run_manager.get_child())
        loop = asyncio.get_running_loop()
        in_order = asyncio.Lock()  # handlers may await; without it a later step could overtake an earlier one
        reports: list[Future[None]] = []

        async def dispatch(step: Step) -> None:
            async with in_order:
                await adispatch_custom_event(STEP_EVENT, asdict(step), config=config)

        def report(step: Step) -> None:  # called from the thread that searches
            reports.append(asyncio.run_coroutine_threadsafe(dispatch(step), loop))

        found = await self.library.aretrieve(query, **self._options(k, documents, filters), on_step=report)
        await asyncio.gather(*map(asyncio.wrap_future, reports))
        return [to_document(evidence) for evidence in found.evidence]

    def _options(
        self, k: int | None, documents: Sequence[str] | None, filters: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """What a call says, and the retriever's own settings for what it does not."""
        return {
            "k": self.k if k is None else k,
            "max_tokens": self.max_tokens,
            "documents": self.documents if documents is None else documents,
            "filters": self.filters if filters is None else filters,
        }

    def _get_ls_params(self, **_kwargs: Any) -> LangSmithRetrieverParams:
        return LangSmithRetrieverParams(ls_retriever_name="thumbindex")
