"""The retriever: a library's sections as documents, found by their words or by a model that reads the outline."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import PurePath
from typing import Any, Literal, Self

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.runnables import Runnable
from pydantic import ConfigDict, Field, field_validator, model_validator
from thumbindex.fence import Fence
from thumbindex.navigation.navigate import NavigatorName

from thumbindex import DocumentInfo, Library
from thumbindex.errors import DocumentNotFound
from thumbindex.evidence import Retrieval
from thumbindex.models import ChatModel
from thumbindex.navigation import WalkLimits
from thumbindex.search.surroundings import Include

from .documents import to_document, to_loaded_text
from .models import LangChainChat, as_chat_model
from .steps import STEP_EVENT, StepReportingModel, Steps

__all__ = ["STEP_EVENT", "ThumbIndexRetriever"]

NAMES = ("doc_id", "source", "name", "file_name", "file_path")
"""Keys under which the documents of a first stage may say which document of the library they mean."""


class ThumbIndexRetriever(BaseRetriever):
    """Finds the sections of long documents that answer a question, each with its section path and pages.

    Setup:
        `pip install langchain-thumbindex`; without `llm` no key, no model and no network are needed.

    Key init args:
        library: A `thumbindex.Library`.
        k: How many sections to return.
        strategy: `lexical` ranks sections by their words, `select` shows an `llm` the outline of a document once, `walk` lets
            it open, read and search step by step. By default `select` if there is an `llm`.
        llm: Any chat model, or "provider:model" (needs `langchain`).
        max_tokens: Budget for the text of all sections; None for no limit.
        documents: Ids or names of the documents to search; None for all.
        filters: Values that a document's metadata must have; a list means any of its values.
        fence: Filters too, which hold even where `filters` is made configurable: what a tenant may see.
        document_retriever: Any retriever whose documents name, in their metadata, documents of the library: those are
            searched, and no others.
        limits: Of a walk.
        include: What comes along beyond `k`, with `lexical`: `parts`, `subsections`, `references`.
        embedding: Joins the ranking by words, with `lexical`: LangChain's `Embeddings`.
        drop_weak: Return nothing where nothing fits the question well.

    A call may say `k`, and may narrow `documents` and `filters`: it never sees more than the retriever does.

    Instantiate:
        >>> retriever = ThumbIndexRetriever.from_files(["report.pdf"], k=4)  # doctest: +SKIP
        >>> retriever = ThumbIndexRetriever(library=Library("reports.db"), llm=ChatOpenAI(), strategy="walk")  # doctest: +SKIP

    Usage:
        >>> retriever.invoke("Which rate applies to the term loan?")  # doctest: +SKIP
        >>> retriever.invoke("Which rate applies?", k=2, documents=["report.pdf"])  # doctest: +SKIP

    Use within a chain:
        >>> chain = {"context": retriever | format_docs, "question": RunnablePassthrough()} | prompt | model  # doctest: +SKIP
    """

    # A misspelt or foreign argument (`search_kwargs`) must not be dropped in silence.
    model_config = ConfigDict(extra="forbid")

    # A public field, so that `configurable_fields` and copies share the library; untyped, so that pydantic takes any
    # object with `retrieve` and `aretrieve`; out of the repr and of dumps, which end up in traces.
    library: Any = Field(exclude=True, repr=False)
    k: int = Field(default=4, ge=1)
    strategy: NavigatorName | None = None
    llm: Any = Field(default=None, exclude=True, repr=False)
    max_tokens: int | None = Field(default=None, ge=1)
    documents: Sequence[str] | None = None
    filters: Mapping[str, Any] | None = None
    fence: Mapping[str, Any] | None = None
    document_retriever: Runnable[str, list[Document]] | None = Field(default=None, exclude=True, repr=False)
    limits: WalkLimits | None = None
    include: Sequence[Include] = ()
    embedding: Any = Field(default=None, exclude=True, repr=False)
    drop_weak: bool = False

    @field_validator("llm")
    @classmethod
    def _made(cls, llm: object) -> object:
        return None if llm is None else as_chat_model(llm)

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        if self.strategy in ("select", "walk") and self.llm is None:
            raise ValueError(f"strategy={self.strategy!r} asks a model: pass llm=, or leave strategy out.")
        return self

    @classmethod
    def from_files(
        cls, paths: Iterable[str | PathLike[str]], *, k: int = 4, path: str | PathLike[str] | None = None, **fields: Any
    ) -> Self:
        """A retriever over these files; `path` is the library's own file, None keeps it in memory."""
        return cls(library=Library.from_files(paths, path=path), k=k, **fields)

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        *,
        k: int = 4,
        path: str | PathLike[str] | None = None,
        first_page: Literal[0, 1] = 0,
        **fields: Any,
    ) -> Self:
        """A retriever over what a loader has read: whole pages or whole documents, told apart by `source`.

        Args:
            path: The library's own file; None keeps it in memory.
            first_page: What the loader's `page` says of the first page: 0 as in LangChain's own loaders, or 1.
        """
        library = Library(path)
        library.add_loaded(to_loaded_text(document, first_page=first_page) for document in documents)
        return cls(library=library, k=k, **fields)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        documents: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        steps = Steps(run_manager)
        stage = self.document_retriever
        first = None if stage is None else stage.invoke(query, steps.config)
        try:
            found = self.library.retrieve(query, **self._options(steps, k, documents, filters, first))
        finally:
            steps.tell()
        return self._documents(found)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        documents: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        steps = Steps(run_manager)
        stage = self.document_retriever
        first = None if stage is None else await stage.ainvoke(query, steps.config)
        options = await asyncio.to_thread(self._options, steps, k, documents, filters, first)
        try:
            found = await self.library.aretrieve(query, **options)
        finally:
            await steps.atell()
        return self._documents(found)

    def _options(
        self,
        steps: Steps,
        k: int | None,
        documents: Sequence[str] | None,
        filters: Mapping[str, Any] | None,
        first: Sequence[Document] | None,
    ) -> dict[str, Any]:
        """Arguments of `Library.retrieve` for one call. Reads the library."""
        fence = Fence(self.documents, self.fence).with_filters(self.filters)
        scope = fence.narrowed(self.library, documents, filters)
        if first is not None:
            scope = Fence(self._named(first, scope), scope.filters)
        strategy = self.strategy or ("select" if self.llm is not None else "lexical")
        options: dict[str, Any] = {
            "k": self.k if k is None else k,
            "max_tokens": self.max_tokens,
            "documents": scope.documents,
            "filters": scope.filters,
            "on_step": steps.waiting.append,
        }
        if strategy == "lexical":
            return options | {"include": self.include, "embedding": self.embedding}
        model = StepReportingModel(self._model(steps), steps)
        return options | {"navigator": strategy, "model": model, "limits": self.limits, "exact_k": True}

    def _model(self, steps: Steps) -> ChatModel:
        model: ChatModel = self.llm
        return model.calling(steps.config) if isinstance(model, LangChainChat) else model

    def _named(self, first: Sequence[Document], scope: Fence) -> list[str]:
        """Ids of the documents that a first stage names, best first, as far as they are in scope."""
        visible = _by_name(self.library.list(documents=scope.documents, filters=scope.filters))
        named = [doc_id for one in first for doc_id in _named_by(one, visible)]
        if first and not named and not any(_named_by(one, _by_name(self.library.list())) for one in first):
            raise DocumentNotFound(
                "The documents of document_retriever name none of the library: one of "
                f"{', '.join(NAMES)} in their metadata must be the id, source or name of a document. "
                f"Their keys are {', '.join(sorted(first[0].metadata)) or 'none'}."
            )
        return list(dict.fromkeys(named))

    def _documents(self, found: Retrieval) -> list[Document]:
        return [] if found.weak and self.drop_weak else [to_document(evidence) for evidence in found.evidence]

    def _get_ls_params(self, **_kwargs: Any) -> LangSmithRetrieverParams:
        return LangSmithRetrieverParams(ls_retriever_name="thumbindex")


def _by_name(infos: Iterable[DocumentInfo]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for info in infos:
        for name in {info.doc_id, info.source, info.name}:
            found.setdefault(name, []).append(info.doc_id)
    return found


def _named_by(document: Document, by_name: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Ids of the documents that a first stage's document names: by the first of its keys that names any.

    A path that is another one here, since it is relative or from another machine, names by its last part.
    """
    given = [str(document.metadata[key]) for key in NAMES if document.metadata.get(key)]
    names = (*given, *(PurePath(one).name for one in given))
    return next((by_name[name] for name in names if name in by_name), ())
