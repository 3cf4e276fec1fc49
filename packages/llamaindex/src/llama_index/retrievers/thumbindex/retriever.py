"""The retriever: a library's sections as scored nodes, with the steps of each search as instrumentation events."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from os import PathLike
from typing import Any, Self, TypedDict, Unpack

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.chat_engine.types import BaseChatEngine, ChatMode
from llama_index.core.llms.llm import LLM
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.schema import BaseNode, IndexNode, NodeWithScore, QueryBundle
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.storage_context import StorageContext

from thumbindex import Budget, Library, Retrieval, Scope, Select, Walk
from thumbindex.async_library import AsyncLibraryView
from thumbindex.library_view import LibraryView
from thumbindex.navigation import Navigator, NavigatorName, WalkLimits, navigator_named

from . import engines
from .documents import add_nodes
from .events import report_end, tree_step
from .filters import Filters
from .model import LlamaIndexModel
from .nodes import Granularity, NodeFactory
from .scope import to_scopes, visible, within


class BaseOptions(TypedDict, total=False):
    """Arguments of LlamaIndex's `BaseRetriever`."""

    callback_manager: CallbackManager | None
    object_map: dict[str, Any] | None
    objects: list[IndexNode] | None
    verbose: bool


class RetrieverOptions(BaseOptions, total=False):
    """Arguments of `ThumbIndexRetriever` that its other constructors take too."""

    navigator: NavigatorName | Navigator
    llm: LLM | None
    granularity: Granularity
    budget: Budget | None
    filters: Filters | None
    first_stage: BaseRetriever | None


class ThumbIndexRetriever(BaseRetriever):
    """Finds the sections of long documents that answer a question, each with its section path and pages.

    Args:
        library: A library, a view of some of its documents (`library.view(scope)`), or the path of a library's file.
        similarity_top_k: Number of sections to return. With `granularity="page"` a section of three pages is three nodes.
        navigator: Finds the sections: `lexical` calls no model, `select` calls `llm` once to pick sections from the outline,
            `walk` once per step; or a navigator object, such as `Walk(LlamaIndexModel(llm), limits=...)`.
        llm: Any LlamaIndex LLM, for `select` and `walk`; `Settings.llm` is never used for them. `as_query_engine` and
            `as_chat_engine` answer with it too, unless they are given another one.
        granularity: `page` gives a node per page of a section, so that `page_label` holds for all of its text.
        budget: Limits the text of all sections, and the model calls.
        documents: Ids or names of the documents to search; None for all.
        filters: Conditions on the metadata of documents: `MetadataFilters`, or what `thumbindex.Scope` takes.
        first_stage: Any retriever that chooses documents: only those of its nodes are searched. A node is recognised by
            its `doc_id`, `file_path` or `file_name`, or the id of its document.
        **base: For LlamaIndex's `BaseRetriever`.

    Raises:
        TypeError: a single name for `documents`.
        ValueError: a navigator that needs `llm` and has none, or filters that documents cannot answer.
    """

    def __init__(
        self,
        library: Library | LibraryView | str | PathLike[str],
        similarity_top_k: int = 4,
        *,
        navigator: NavigatorName | Navigator = "lexical",
        llm: LLM | None = None,
        granularity: Granularity = "section",
        budget: Budget | None = None,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
        first_stage: BaseRetriever | None = None,
        **base: Unpack[BaseOptions],
    ) -> None:
        super().__init__(**base)
        if granularity not in ("section", "page"):
            raise ValueError(f"There is no granularity {granularity!r}: choose 'section' or 'page'.")
        self.library = library if isinstance(library, LibraryView) else Library(library)
        self.navigator = _navigator(navigator, llm) if isinstance(navigator, str) else navigator
        self.similarity_top_k, self.llm, self.budget, self.first_stage = similarity_top_k, llm, budget, first_stage
        self._scopes = to_scopes(self.library, documents, filters)
        self._factory = NodeFactory(self.library, granularity)

    @classmethod
    def from_files(
        cls,
        paths: Iterable[str | PathLike[str]],
        *,
        similarity_top_k: int = 4,
        path: str | PathLike[str] | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> Self:
        """A retriever over these files; `path` is the library's own file, None keeps it in memory."""
        return cls(Library.from_files(paths, path=path), similarity_top_k, **options)

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[BaseNode],
        *,
        similarity_top_k: int = 4,
        path: str | PathLike[str] | None = None,
        read_files: bool = False,
        **options: Unpack[RetrieverOptions],
    ) -> Self:
        """A retriever over documents that a LlamaIndex reader has loaded, page by page or whole.

        Nodes that a splitter cut from documents are put together again. Documents with the same `file_path` (else `file_name`,
        else id) are one, with the metadata that they have in common and the pages of `page_label`.

        Args:
            path: The library's own file; None keeps it in memory.
            read_files: Reads the file itself where `file_path` names one of a supported format, and takes only the metadata
                from the documents: readers drop the bookmarks and the typography of a PDF, by which its sections are found.

        Raises:
            EmptySource: no document has text.
        """
        library = Library(path)
        retriever = cls(library, similarity_top_k, **options)
        add_nodes(library, documents, read_files=read_files)
        return retriever

    # Narrowing

    def scoped(
        self,
        *,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
        similarity_top_k: int | None = None,
    ) -> Self:
        """A copy that sees fewer documents, never others than this retriever sees.

        A search raises `DocumentNotFound` where a document that is named is not among those, and names no others.
        """
        scoped = copy.copy(self)
        scoped._scopes = (*self._scopes, *to_scopes(self.library, documents, filters))
        if similarity_top_k is not None:
            scoped.similarity_top_k = similarity_top_k
        return scoped

    def within(
        self, *, documents: Sequence[str] | None = None, filters: Filters | None = None
    ) -> AbstractContextManager[None]:
        """Narrows all searches of the same library in a block: also in engines, agents and tools that were made before.

        It holds for the task or thread that enters the block and for those that these start, so that requests side by side do
        not see each other's documents.

        Raises:
            DocumentNotFound: a document that is named cannot be seen here.
        """
        return within(self.library, self._scopes, documents, filters)

    as_retriever = scoped

    # Engines

    def as_query_engine(
        self,
        llm: LLM | None = None,
        *,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
        similarity_top_k: int | None = None,
        **kwargs: Any,
    ) -> BaseQueryEngine:
        """A `RetrieverQueryEngine` over this retriever, or over `scoped(...)` with these arguments.

        Args:
            llm: Answers; by default the retriever's own, and without one `Settings.llm`. The response modes `no_text` and
                `context_only` need none.
            **kwargs: Those of `RetrieverQueryEngine.from_args`: `response_mode`, `streaming`, `node_postprocessors`, …

        Raises:
            TypeError: an argument that neither takes.
        """
        retriever = self._scoped_or_self(documents, filters, similarity_top_k)
        return engines.query_engine(retriever, llm or self.llm, kwargs)

    def as_chat_engine(
        self,
        chat_mode: ChatMode | str = ChatMode.BEST,
        llm: LLM | None = None,
        *,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
        similarity_top_k: int | None = None,
        **kwargs: Any,
    ) -> BaseChatEngine:
        """A chat engine over this retriever, or over `scoped(...)` with these arguments.

        Args:
            chat_mode: `condense_plus_context` (also `best`), `context`, `condense_question` or `simple`.
            llm: As for `as_query_engine`.
            **kwargs: Those of the chat engine's `from_defaults`.

        Raises:
            TypeError: an argument that none of them takes.
            ValueError: another mode.
        """
        retriever = self._scoped_or_self(documents, filters, similarity_top_k)
        return engines.chat_engine(retriever, ChatMode(chat_mode), llm or self.llm, kwargs)

    def _scoped_or_self(
        self, documents: Sequence[str] | None, filters: Filters | None, similarity_top_k: int | None
    ) -> Self:
        # Without arguments the engine follows what is changed in this retriever later.
        if documents is None and filters is None and similarity_top_k is None:
            return self
        return self.scoped(documents=documents, filters=filters, similarity_top_k=similarity_top_k)

    # LlamaIndex's stores

    def docstore(self, *, documents: Sequence[str] | None = None) -> SimpleDocumentStore:
        """A store of all nodes that this retriever can see and those that enclose them, for postprocessors."""
        view = visible(self.library, (*self._scopes, *to_scopes(self.library, documents, None)))
        store = SimpleDocumentStore()
        store.add_documents(list(self._factory.all_nodes(view.list())))
        return store

    def storage_context(self, *, documents: Sequence[str] | None = None) -> StorageContext:
        """A storage context around `docstore`, for `AutoMergingRetriever`."""
        return StorageContext.from_defaults(docstore=self.docstore(documents=documents))

    # Searching

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        chosen = None if self.first_stage is None else self.first_stage.retrieve(query_bundle)
        found = self._view(chosen).retrieve(
            _question(query_bundle),
            k=self.similarity_top_k,
            navigator=_for_sync_code(self.navigator),
            budget=self.budget,
            on_step=tree_step,
        )
        return self._nodes(found)

    # `aretrieve` of the base class passes `query_bundle` by name.
    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        chosen = None if self.first_stage is None else await self.first_stage.aretrieve(query_bundle)
        view = await asyncio.to_thread(self._view, chosen)
        found = await AsyncLibraryView(view).retrieve(
            _question(query_bundle),
            k=self.similarity_top_k,
            navigator=self.navigator,
            budget=self.budget,
            on_step=tree_step,
        )
        return await asyncio.to_thread(self._nodes, found)

    def _view(self, chosen: Sequence[NodeWithScore] | None) -> LibraryView:
        view = visible(self.library, self._scopes)
        return view if chosen is None else view.view(Scope(_documents_of(chosen, view)))

    def _nodes(self, found: Retrieval) -> list[NodeWithScore]:
        report_end(found)
        return self._factory.scored(found.evidence)

    # Prompts

    def _get_prompts(self) -> PromptDictType:
        if not isinstance(self.navigator, Select | Walk):
            return {}
        prompts = self.navigator.prompts
        return {"select_prompt": PromptTemplate(prompts.select), "walk_prompt": PromptTemplate(prompts.walk)}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        if isinstance(self.navigator, Select | Walk):
            own = self.navigator.prompts
            select, walk = _text(prompts.get("select_prompt")), _text(prompts.get("walk_prompt"))
            own = replace(own, select=select or own.select, walk=walk or own.walk)
            self.navigator = replace(self.navigator, prompts=own)


def _navigator(name: NavigatorName, llm: LLM | None) -> Navigator:
    """The navigator with that name; a walk has limits that fit the context window of the LLM."""
    if name not in ("select", "walk"):
        return navigator_named(name)
    if llm is None:
        raise ValueError(
            f"The navigator {name!r} needs a model: pass llm=..., any LlamaIndex LLM. Settings.llm is not used, so that no search "
            "calls a model that nobody asked for."
        )
    limits, window = WalkLimits(), llm.metadata.context_window
    if window < limits.context:
        limits = WalkLimits.for_context(window)
    return navigator_named(name, LlamaIndexModel(llm), limits=limits, exact_k=True)


def _for_sync_code(navigator: Navigator) -> Navigator:
    """The same navigator, whose LLM is called by its sync methods."""
    if isinstance(navigator, Select | Walk) and isinstance(navigator.model, LlamaIndexModel):
        return replace(navigator, model=navigator.model.sync)
    return navigator


def _documents_of(nodes: Iterable[NodeWithScore], view: LibraryView) -> list[str]:
    """Ids of the documents of a view that nodes of another retriever are from."""
    names: set[object] = set()
    for found in nodes:
        names |= {found.node.ref_doc_id, *map(found.node.metadata.get, ("doc_id", "file_path", "file_name"))}
    return [info.doc_id for info in view.list() if names & {info.doc_id, info.source, info.name}]


def _question(query_bundle: QueryBundle) -> str:
    # `RetrieverTool` turns the question into "what is X?\n\n", or into "\ninput is what is X?\n" if it came by name.
    return " ".join(query_bundle.query_str.removeprefix("\ninput is ").split())


def _text(template: BasePromptTemplate | None) -> str:
    return "" if template is None else template.format()
