"""The retriever: a library's sections as scored nodes, with the steps of each search as instrumentation events."""

from __future__ import annotations

import asyncio
import copy
import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Self

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.chat_engine.types import BaseChatEngine, ChatMode
from llama_index.core.llms.llm import LLM
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.schema import BaseNode, Document, NodeWithScore, QueryBundle
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.storage_context import StorageContext

from thumbindex import Library
from thumbindex.evidence import Retrieval
from thumbindex.library import DocumentInfo
from thumbindex.models import Prompts
from thumbindex.navigation import WalkLimits
from thumbindex.search.surroundings import Include

from . import engines
from .documents import add
from .events import report_end, tree_step
from .filters import Filters
from .model import LlamaIndexModel
from .nodes import Granularity, Shelf
from .scope import Scope, within

Strategy = Literal["lexical", "select", "walk"]


class ThumbIndexRetriever(BaseRetriever):
    """Finds the sections of long documents that answer a question, each with its section path and pages.

    Args:
        library: A `thumbindex.Library`, or the path of its file.
        similarity_top_k: How many sections to return. With `granularity="page"` a section of three pages is three nodes.
        strategy: `lexical` calls no model, `select` calls it once to pick sections from the outline, `walk` once a step.
        llm: For `select` and `walk`, any LlamaIndex LLM; `Settings.llm` is never used for them. `as_query_engine` and
            `as_chat_engine` answer with it too, unless they are given another.
        granularity: `page` gives a node for each page of a section, so that `page_label` holds for all of its text.
        max_tokens: Budget for the text of all sections; None for no limit.
        documents: Ids or names of the documents to search; None for all.
        filters: What a document's metadata must be: `MetadataFilters`, or a mapping as `Library.retrieve` takes it.
        first_stage: Any retriever that chooses documents: only those that its nodes are from are searched. A node is
            recognised by its `doc_id`, `file_path` or `file_name`, or the id of its document.
        include: What comes along with the sections; see `Library.retrieve`. For `lexical`.
        embed_model: Joins the ranking by words. For `lexical`.
        limits: Of a walk; by default the usual ones, or lower ones where the context window of `llm` is smaller.
        prompts: The rules that `llm` is told; also reached by `get_prompts` and `update_prompts`.
        **kwargs: For LlamaIndex's `BaseRetriever`: `callback_manager`, `object_map`, `objects`, `verbose`.

    Raises:
        ValueError: a strategy that needs `llm` and has none, or filters that documents cannot answer.
    """

    def __init__(
        self,
        library: Library | str | os.PathLike[str],
        similarity_top_k: int = 4,
        *,
        strategy: Strategy = "lexical",
        llm: LLM | None = None,
        granularity: Granularity = "section",
        max_tokens: int | None = None,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
        first_stage: BaseRetriever | None = None,
        include: Collection[Include] = (),
        embed_model: BaseEmbedding | None = None,
        limits: WalkLimits | None = None,
        prompts: Prompts | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if strategy not in ("lexical", "select", "walk"):
            raise ValueError(f"There is no strategy {strategy!r}: choose 'lexical', 'select' or 'walk'.")
        if granularity not in ("section", "page"):
            raise ValueError(f"There is no granularity {granularity!r}: choose 'section' or 'page'.")
        if strategy != "lexical" and llm is None:
            raise ValueError(
                f"The strategy {strategy!r} needs a model: pass llm=..., any LlamaIndex LLM. Settings.llm is not used, so that no "
                "search calls a model that nobody asked for."
            )
        self.library = library if isinstance(library, Library) else Library(library)
        self.similarity_top_k, self.strategy, self.llm = similarity_top_k, strategy, llm
        self.max_tokens, self.first_stage, self.include = max_tokens, first_stage, tuple(include)
        self.embed_model, self.limits, self.prompts = embed_model, limits, prompts or Prompts()
        self._scope = Scope().narrowed(documents, filters)
        self._shelf = Shelf(self.library, granularity)
        # One for each kind of caller; they remember what the LLM's provider refuses.
        self._model = None if llm is None else LlamaIndexModel(llm)
        self._sync_model = None if llm is None else LlamaIndexModel(llm, is_sync=True)

    # Making one

    @classmethod
    def from_files(
        cls,
        paths: Iterable[str | os.PathLike[str]],
        *,
        similarity_top_k: int = 4,
        path: str | os.PathLike[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """A retriever over these files; `path` is the library's own file, None keeps it in memory."""
        return cls(Library.from_files(paths, path=path), similarity_top_k, **kwargs)

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        *,
        similarity_top_k: int = 4,
        path: str | os.PathLike[str] | None = None,
        read_files: bool = False,
        **kwargs: Any,
    ) -> Self:
        """A retriever over documents that a LlamaIndex reader has loaded, page by page or whole; see `from_nodes`."""
        return cls.from_nodes(documents, similarity_top_k=similarity_top_k, path=path, read_files=read_files, **kwargs)

    @classmethod
    def from_nodes(
        cls,
        nodes: Iterable[BaseNode],
        *,
        similarity_top_k: int = 4,
        path: str | os.PathLike[str] | None = None,
        read_files: bool = False,
        **kwargs: Any,
    ) -> Self:
        """A retriever over the documents that these nodes were cut from, put together again.

        Nodes of the same `file_path` (else `file_name`, else id of the document) are one document, whose metadata is what
        they have in common. Pages are those that the reader tells in `page_label`.

        Args:
            path: The library's own file, None keeps it in memory.
            read_files: Read a document's file itself where `file_path` leads to one that the library reads, and take only the
                metadata from the nodes: the text that readers give has lost the bookmarks and the typography of a PDF, by which
                its sections are found.

        Raises:
            EmptySource: no node has text.
        """
        library = Library(path)
        retriever = cls(library, similarity_top_k, **kwargs)
        add(library, nodes, read_files=read_files)
        return retriever

    # Narrowing

    def scoped(
        self,
        *,
        documents: Sequence[str] | None = None,
        filters: Filters | None = None,
        similarity_top_k: int | None = None,
    ) -> Self:
        """A retriever over the same library that sees fewer documents; this one stays as it is.

        What it is given narrows what this one may see, and cannot widen it: a search raises `DocumentNotFound` where a document
        that is named is not among that, and names no others.
        """
        scoped = copy.copy(self)
        scoped._scope = self._scope.narrowed(documents, filters)
        if similarity_top_k is not None:
            scoped.similarity_top_k = similarity_top_k
        return scoped

    def within(
        self, *, documents: Sequence[str] | None = None, filters: Filters | None = None
    ) -> AbstractContextManager[None]:
        """Narrow the searches of a block, in engines and agents that were made before, and in tools over the same library.

        It counts for the task or thread that entered the block, and for what these start, so that requests side by side do not
        see each other's documents.
        """
        return within(self.library, documents, filters)

    def as_retriever(self, **kwargs: Any) -> Self:
        """`scoped`, by the name that an index has for it."""
        return self.scoped(**kwargs)

    # Engines

    def as_query_engine(self, llm: LLM | None = None, **kwargs: Any) -> BaseQueryEngine:
        """A `RetrieverQueryEngine` over this retriever, as an index makes it.

        Args:
            llm: Answers; by default the retriever's own, and without one what LlamaIndex takes (`Settings.llm`). The response
                modes `no_text` and `context_only` need none.
            **kwargs: Those of `scoped`, and those of `RetrieverQueryEngine.from_args`: `response_mode`, `streaming`,
                `node_postprocessors`, `text_qa_template`, ...

        Raises:
            TypeError: an argument that neither takes.
        """
        narrow, rest = engines.split_arguments(kwargs)
        return engines.query_engine(self.scoped(**narrow) if narrow else self, llm or self.llm, rest)

    def as_chat_engine(
        self, chat_mode: ChatMode | str = ChatMode.BEST, llm: LLM | None = None, **kwargs: Any
    ) -> BaseChatEngine:
        """A chat engine over this retriever, as an index makes it: `condense_plus_context` (also `best`), `context`,
        `condense_question` or `simple`.

        Args:
            llm: As for `as_query_engine`.
            **kwargs: Those of `scoped`, and those of the chat engine's `from_defaults`.

        Raises:
            TypeError: an argument that none of them takes.
            ValueError: another mode.
        """
        narrow, rest = engines.split_arguments(kwargs)
        retriever = self.scoped(**narrow) if narrow else self
        return engines.chat_engine(retriever, ChatMode(chat_mode), llm or self.llm, rest)

    # LlamaIndex's stores

    def docstore(self, *, documents: Sequence[str] | None = None) -> SimpleDocumentStore:
        """All nodes that this retriever may see, and those that enclose them, for postprocessors that look up neighbours."""
        store = SimpleDocumentStore()
        visible = self._scope.narrowed(documents, None).visible(self.library)
        store.add_documents(list(self._shelf.everything(self.library.list() if visible is None else visible)))
        return store

    def storage_context(self, *, documents: Sequence[str] | None = None) -> StorageContext:
        """A storage context around `docstore`, as `AutoMergingRetriever` takes it."""
        return StorageContext.from_defaults(docstore=self.docstore(documents=documents))

    # Searching

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        suggested = None if self.first_stage is None else self.first_stage.retrieve(query_bundle)
        options = self._options(suggested, is_sync=True)
        return self._nodes(self.library.retrieve(_question(query_bundle), **options))

    # `aretrieve` of the base class passes `query_bundle` by name.
    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        suggested = None if self.first_stage is None else await self.first_stage.aretrieve(query_bundle)
        options = await asyncio.to_thread(self._options, suggested, is_sync=False)
        found = await self.library.aretrieve(_question(query_bundle), **options)
        return await asyncio.to_thread(self._nodes, found)

    def _options(self, suggested: Sequence[NodeWithScore] | None, *, is_sync: bool) -> dict[str, Any]:
        visible = self._scope.visible(self.library)
        if suggested is not None:
            visible = _suggested(suggested, self.library.list() if visible is None else visible)
        options: dict[str, Any] = {
            "k": self.similarity_top_k,
            "max_tokens": self.max_tokens,
            "documents": None if visible is None else [info.doc_id for info in visible],
            "navigator": self.strategy,
            "on_step": tree_step,
        }
        if self.strategy == "lexical":
            return options | {"include": self.include, "embedding": self.embed_model}
        assert self.llm is not None  # checked at birth
        model = self._sync_model if is_sync else self._model
        limits = self.limits or _limits(self.llm.metadata.context_window)
        return options | {"model": model, "limits": limits, "exact_k": True, "prompts": self.prompts}

    def _nodes(self, found: Retrieval) -> list[NodeWithScore]:
        report_end(found)
        return self._shelf.scored(found.evidence)

    # Prompts

    def _get_prompts(self) -> PromptDictType:
        return {"select_prompt": PromptTemplate(self.prompts.select), "walk_prompt": PromptTemplate(self.prompts.walk)}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        self.prompts = Prompts(
            select=_text(prompts.get("select_prompt")) or self.prompts.select,
            walk=_text(prompts.get("walk_prompt")) or self.prompts.walk,
        )


def _suggested(nodes: Iterable[NodeWithScore], infos: Iterable[DocumentInfo]) -> list[DocumentInfo]:
    """Those of the documents that nodes of another retriever are from."""
    told: set[object] = set()
    for found in nodes:
        metadata = found.node.metadata
        told |= {found.node.ref_doc_id, *(metadata.get(key) for key in ("doc_id", "file_path", "file_name"))}
    return [info for info in infos if told & {info.doc_id, info.source, info.name}]


def _limits(context_window: int) -> WalkLimits:
    """The usual limits, or lower ones where they would not fit."""
    usual = WalkLimits()
    return usual if context_window >= usual.context else WalkLimits.for_context(context_window)


def _question(query_bundle: QueryBundle) -> str:
    # `RetrieverTool` turns the question into "what is X?\n\n", or into "\ninput is what is X?\n" if it came by name.
    return " ".join(query_bundle.query_str.removeprefix("\ninput is ").split())


def _text(template: BasePromptTemplate | None) -> str:
    return "" if template is None else template.format()
