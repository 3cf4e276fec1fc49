"""Retrievers of the user's own under evaluation: functions, and retrievers of LangChain or LlamaIndex."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..budget import Budget
from ..errors import DocumentNotFound
from ..evidence import Evidence
from ..library_view import LibraryView
from ..pages import LineRange, PageRange
from ..tree.model import Tree
from .protocol import Found, RetrieverError, retrieval_by, within_budget
from .questions import Question, documents_of, named

_METHODS = ("ainvoke", "aretrieve", "invoke", "retrieve")
"""Methods of a retriever in order of preference: LangChain's and LlamaIndex's, async first."""


class ExternalRetriever:
    """A function from a question to passages, best first, or a retriever of LangChain or LlamaIndex.

    A passage is a mapping with `document`, `pages` (a number or several, physical, 1-based) and `text`; a document of LangChain's
    loaders (`page_content`, metadata with `source` and a 0-based `page`); a node of LlamaIndex (metadata with `file_name`
    and `page_label`); or an `Evidence` of ours.

    Args:
        target: A function, awaited or not, or an object with one of the methods of these retrievers.

    Raises:
        RetrieverError: `target` is neither.
    """

    is_ranked = True

    def __init__(self, library: LibraryView, name: str, target: object, k: int, budget: Budget) -> None:
        self._library, self.name, self._k, self._budget = library, name, k, budget
        self._call, self._takes_documents = _callable_of(target, name)

    async def retrieve(self, question: Question) -> Found:
        """Returns its passages within the budget. Passages of documents outside the library are misses, and count as tokens.

        Raises:
            RetrieverError: it returned something else than a list of passages.
        """
        infos = documents_of(question, self._library.list())
        options = {"documents": [info.name for info in infos]} if self._takes_documents else {}
        returned = await _await_or_run(self._call, question.question, **options)
        if not isinstance(returned, Iterable) or isinstance(returned, str | Mapping):
            raise RetrieverError(
                f"{self.name} returned {type(returned).__name__}; it should return a list of passages."
            )
        passages = [self._evidence(passage, position) for position, passage in enumerate(returned)]
        return retrieval_by(self.name, question, within_budget(passages[: self._k], self._budget))

    def _evidence(self, returned: object, position: int) -> Evidence:
        if isinstance(returned, Evidence):
            return returned
        passage = _read_passage(returned, self.name)
        score = 1.0 / (1 + position)
        try:
            info = named(passage.document, self._library.list())
        except DocumentNotFound:
            return Evidence(
                doc_id="",
                node_id=str(position),
                section_path="",
                pages=None,
                page_labels=None,
                text=passage.text,
                score=score,
                lines=LineRange(1, 1),
                document=passage.document,
                source=passage.document,
                metadata={},
            )
        tree = self._library.tree(info.doc_id)
        pages = passage.page_range(tree.page_count)
        return Evidence(
            doc_id=info.doc_id,
            node_id=f"passage-{position}",
            section_path=f"pages {pages}" if pages else "",
            pages=pages,
            page_labels=None,
            text=passage.text,
            score=score,
            lines=_lines_of(tree, pages),
            document=info.name,
            source=info.source,
            metadata=info.metadata,
            page_count=tree.page_count,
        )


def load_target(spec: str) -> object:
    """Imports `module:name`, also from the current folder; `name` may have dots.

    Raises:
        RetrieverError: there is no such module or name.
    """
    module, _, path = spec.partition(":")
    # The folder of a script is on the path; the current folder of a command is not.
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    try:
        target: Any = importlib.import_module(module)
        for name in path.split("."):
            target = getattr(target, name)
    except (ImportError, AttributeError) as error:
        raise RetrieverError(f"{spec} cannot be loaded ({error}).") from error
    finally:
        sys.path.remove(folder)
    return target


def _callable_of(target: object, name: str) -> tuple[Callable[..., object], bool]:
    """Returns the function to call with a question, and whether it takes the names of documents."""
    for method in _METHODS:
        bound = getattr(target, method, None)
        if callable(bound):
            return bound, False
    if not callable(target):
        raise RetrieverError(f"{name} is neither a function from a question to passages nor a retriever.")
    return target, "documents" in inspect.signature(target).parameters


async def _await_or_run(call: Callable[..., object], question: str, **options: object) -> object:
    """Awaits an async function; calls any other in a thread."""
    if inspect.iscoroutinefunction(call):
        return await call(question, **options)
    returned = await asyncio.to_thread(call, question, **options)
    return await returned if isinstance(returned, Awaitable) else returned


@dataclass(frozen=True, slots=True)
class _Passage:
    """A passage as an external retriever describes it; pages are physical and 1-based, None if unknown."""

    document: str
    text: str
    first_page: int | None
    last_page: int | None

    def page_range(self, page_count: int) -> PageRange | None:
        """The pages, if the document has them."""
        if not self.first_page or not self.last_page or self.last_page > page_count:
            return None
        return PageRange(self.first_page, self.last_page)


def _read_passage(passage: object, name: str) -> _Passage:
    if isinstance(passage, Mapping):
        return _from_mapping(passage)
    metadata = getattr(passage, "metadata", None)
    if not isinstance(metadata, Mapping):
        raise RetrieverError(
            f"{name} returned {type(passage).__name__}; a passage is a mapping with document, pages and text."
        )
    content = getattr(passage, "page_content", None)
    return _from_node(passage, metadata) if not isinstance(content, str) else _from_langchain(content, metadata)


def _from_mapping(passage: Mapping[str, object]) -> _Passage:
    pages = passage.get("pages", passage.get("page"))
    numbers = [pages] if isinstance(pages, int) else [number for number in _items(pages) if isinstance(number, int)]
    return _Passage(
        str(passage.get("document", "")),
        str(passage.get("text", "")),
        min(numbers, default=None),
        max(numbers, default=None),
    )


def _from_langchain(content: str, metadata: Mapping[str, object]) -> _Passage:
    """A LangChain document: with our own keys, or with those of LangChain's loaders, which count pages from 0."""
    page = metadata.get("page")
    first, last = _our_pages(metadata) or ((page + 1, page + 1) if isinstance(page, int) else (None, None))
    return _Passage(str(metadata.get("source", "")), content, first, last)


def _from_node(node: object, metadata: Mapping[str, object]) -> _Passage:
    """A LlamaIndex node: with our own keys, or with a printed page label, which counts as a number if it is one."""
    get_content = getattr(node, "get_content", None)
    text = str(get_content()) if callable(get_content) else ""
    document = metadata.get("file_name", metadata.get("file_path", metadata.get("source", "")))
    label = str(metadata.get("page_label", ""))
    number = int(label) if label.isdigit() else None
    first, last = _our_pages(metadata) or (number, number)
    return _Passage(str(document), text, first, last)


def _our_pages(metadata: Mapping[str, object]) -> tuple[int, int] | None:
    """The pages by the keys of `Evidence.flat_metadata`."""
    start, end = metadata.get("page_start"), metadata.get("page_end")
    return (start, end) if isinstance(start, int) and isinstance(end, int) else None


def _items(pages: object) -> Iterable[object]:
    return pages if isinstance(pages, Iterable) else ()


def _lines_of(tree: Tree, pages: PageRange | None) -> LineRange:
    """The lines of these pages; those of the whole document without pages."""
    runs = [lines for page in pages or () if (lines := tree.page(page).lines) is not None]
    return LineRange(runs[0].first, runs[-1].last) if runs else LineRange(1, max(1, len(tree.lines)))
