"""The retriever: a library's sections as documents, found by their words or by a model that reads the outline."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal, Self, TypedDict, Unpack

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.runnables import Runnable
from pydantic import ConfigDict, Field, field_validator, model_validator

from thumbindex import Budget, Library, Retrieval, Scope
from thumbindex.async_library import AsyncLibraryView
from thumbindex.errors import DocumentNotFound
from thumbindex.library_view import LibraryView
from thumbindex.models import ChatModel
from thumbindex.navigation import Navigator, NavigatorName, navigator_named
from thumbindex.store.lookup import NAME_KEYS, documents_named_in

from .documents import to_document, to_loaded_text
from .filters import Filters, to_scope
from .models import as_chat_model
from .steps import STEP_EVENT, StepReporter

__all__ = ["STEP_EVENT", "RetrieverOptions", "ThumbIndexRetriever"]


class SearchOptions(TypedDict, total=False):
    """Arguments of `ThumbIndexRetriever` besides the library and `documents`."""

    k: int
    navigator: NavigatorName | Navigator | None
    llm: BaseChatModel | Runnable[Any, Any] | ChatModel | str | None
    budget: Budget | None
    filters: Filters | None
    document_retriever: Runnable[str, list[Document]] | None
    drop_weak: bool
    name: str | None
    tags: list[str] | None
    metadata: dict[str, Any] | None


class RetrieverOptions(SearchOptions, total=False):
    """Arguments of `ThumbIndexRetriever` besides the library."""

    documents: Sequence[str] | None


class ThumbIndexRetriever(BaseRetriever):
    """Finds the sections of long documents that answer a question, each with its section path and pages.

    Setup:
        `pip install langchain-thumbindex`; without `llm` no key, no model and no network are needed.

    Key init args:
        library: A `thumbindex.Library`, or a view of some of its documents: `library.view(Scope(...))`.
        k: Number of sections to return.
        navigator: Finds them. `lexical` ranks sections by their words, `select` shows `llm` the outline of a document once,
            `walk` lets it open, read and search step by step. By default `select` if there is an `llm`, else `lexical`. Or a
            navigator object with settings of its own: `Lexical(embedding=...)`, `Walk(LangChainChat(model), limits=...)`.
        llm: Any chat model, or "provider:model" (needs `langchain`).
        budget: Limits on the text of all sections, and on model calls.
        documents: Ids or names of the documents to search; None for all.
        filters: Conditions on a document's metadata; see `Filters`.
        document_retriever: Chooses documents first: its results name documents of the library in their metadata, and only
            those are searched.
        drop_weak: Return no sections if none fits the question well.

    A call may set `k`, and may narrow the retriever's `documents` and `filters`, never widen them.

    Instantiate:
        >>> retriever = ThumbIndexRetriever.from_files(["report.pdf"], k=4)  # doctest: +SKIP
        >>> retriever = ThumbIndexRetriever(library=Library("reports.db"), llm=ChatOpenAI(), navigator="walk")  # doctest: +SKIP

    Usage:
        >>> retriever.invoke("Which rate applies to the term loan?")  # doctest: +SKIP
        >>> retriever.invoke("Which rate applies?", k=2, documents=["report.pdf"])  # doctest: +SKIP

    Use within a chain:
        >>> chain = {"context": retriever | format_docs, "question": RunnablePassthrough()} | prompt | model  # doctest: +SKIP
    """

    # A misspelt or foreign argument (`search_kwargs`) must be an error.
    model_config = ConfigDict(extra="forbid")

    # A public field, so that `configurable_fields` and copies share the library; excluded from repr and dumps, which end up
    # in traces.
    library: LibraryView = Field(exclude=True, repr=False)
    k: int = Field(default=4, ge=1)
    navigator: NavigatorName | Navigator | None = Field(default=None, exclude=True)
    llm: BaseChatModel | Runnable[Any, Any] | ChatModel | str | None = Field(default=None, exclude=True, repr=False)
    budget: Budget | None = None
    documents: Sequence[str] | None = None
    filters: Filters | None = None
    document_retriever: Runnable[str, list[Document]] | None = Field(default=None, exclude=True, repr=False)
    drop_weak: bool = False

    @field_validator("llm", mode="plain")
    @classmethod
    def _to_chat_model(cls, llm: object) -> ChatModel | None:
        return None if llm is None else as_chat_model(llm)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.navigator in ("select", "walk") and self.llm is None:
            raise ValueError(f"navigator={self.navigator!r} needs a model: pass llm=, or leave navigator out.")
        to_scope(self.documents, self.filters)
        return self

    @classmethod
    def from_files(
        cls,
        paths: Iterable[str | PathLike[str]],
        *,
        path: str | PathLike[str] | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> Self:
        """A retriever over these files; `path` is the library's own file, None keeps it in memory."""
        return cls(library=Library.from_files(paths, path=path), **options)

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        *,
        path: str | PathLike[str] | None = None,
        first_page: Literal[0, 1] = 0,
        **options: Unpack[SearchOptions],
    ) -> Self:
        """A retriever over documents that a loader has read: whole pages or whole documents, grouped by `source`.

        Args:
            path: The library's own file; None keeps it in memory.
            first_page: The loader's `page` of a first page: 0 as in LangChain's own loaders, or 1.
        """
        library = Library(path)
        library.add_texts(to_loaded_text(document, first_page=first_page) for document in documents)
        return cls(library=library, **options)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
    ) -> list[Document]:
        steps = StepReporter(run_manager)
        first = self.document_retriever
        chosen = None if first is None else first.invoke(query, steps.config)
        view = self._view(documents, filters, chosen)
        try:
            found = view.retrieve(
                query,
                k=self.k if k is None else k,
                navigator=steps.watch(self._navigator()),
                budget=self.budget,
                on_step=steps.pending.append,
            )
        finally:
            steps.report()
        return self._documents(found)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
    ) -> list[Document]:
        steps = StepReporter(run_manager)
        first = self.document_retriever
        chosen = None if first is None else await first.ainvoke(query, steps.config)
        view = await asyncio.to_thread(self._view, documents, filters, chosen)
        try:
            found = await AsyncLibraryView(view).retrieve(
                query,
                k=self.k if k is None else k,
                navigator=steps.watch(self._navigator()),
                budget=self.budget,
                on_step=steps.pending.append,
            )
        finally:
            await steps.report_async()
        return self._documents(found)

    def _navigator(self) -> Navigator:
        if isinstance(self.navigator, Navigator):
            return self.navigator
        model = None if self.llm is None else as_chat_model(self.llm)
        return navigator_named(self.navigator, model, exact_k=True)

    def _view(
        self, documents: Sequence[str] | None, filters: Filters | None, chosen: Sequence[Document] | None
    ) -> LibraryView:
        view = self.library.view(to_scope(self.documents, self.filters)).view(to_scope(documents, filters))
        return view if chosen is None else view.view(Scope(_chosen_ids(chosen, view, self.library)))

    def _documents(self, found: Retrieval) -> list[Document]:
        return [] if found.weak and self.drop_weak else [to_document(evidence) for evidence in found.evidence]

    def _get_ls_params(self, **_kwargs: Any) -> LangSmithRetrieverParams:
        return LangSmithRetrieverParams(ls_retriever_name="thumbindex")


def _chosen_ids(chosen: Sequence[Document], view: LibraryView, library: LibraryView) -> list[str]:
    """Ids of the documents of a view that the results of `document_retriever` name.

    Raises:
        DocumentNotFound: they name no document of the whole library.
    """
    metadata = [document.metadata for document in chosen]
    ids = documents_named_in(view.list(), metadata)
    if metadata and not ids and not documents_named_in(library.list(), metadata):
        raise DocumentNotFound(
            f"The results of document_retriever name no document of the library: one of {', '.join(NAME_KEYS)} in their metadata "
            f"must be the id, source or name of a document. Their keys are {', '.join(sorted(metadata[0])) or 'none'}."
        )
    return ids
