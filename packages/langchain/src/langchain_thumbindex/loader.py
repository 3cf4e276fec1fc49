"""Sections as documents for a vector store: a loader of files, and a splitter of documents that another loader has read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import BaseDocumentTransformer, Document

from thumbindex import Library
from thumbindex.errors import EmptySource
from thumbindex.pages import MetadataValue
from thumbindex.sources.folders import expand
from thumbindex.sources.loaded import by_document

from .documents import to_document, to_loaded_text


class ThumbIndexLoader(BaseLoader):
    """Loads files as sections: one document each, with its path and pages in the metadata.

    >>> loader = ThumbIndexLoader(["report.pdf", "notes/"])  # doctest: +SKIP
    >>> store.add_documents(loader.load())  # doctest: +SKIP

    A section is never cut, and its document equals the one that `ThumbIndexRetriever` returns, with the same `id`.

    Args:
        paths: Files, and folders whose files are all loaded.
        max_tokens: A longer section comes in parts, cut between paragraphs or at least sentences; None for whole sections.
        library: Stores the files and recognises them the next time; None for a library in memory per file.
        metadata: Added to the metadata of each document.
    """

    def __init__(
        self,
        paths: str | PathLike[str] | Iterable[str | PathLike[str]],
        *,
        max_tokens: int | None = None,
        library: Library | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
    ) -> None:
        self.paths = [Path(path) for path in ([paths] if isinstance(paths, str | PathLike) else paths)]
        self.max_tokens, self.library, self.metadata = max_tokens, library, metadata

    def lazy_load(self) -> Iterator[Document]:
        """The sections, file by file.

        Raises:
            SourceError: a file cannot be read; the subclass says why.
        """
        for path in expand(self.paths):
            library = Library() if self.library is None else self.library
            info = library.add(path, metadata=self.metadata)
            yield from map(to_document, library.sections(info.doc_id, max_tokens=self.max_tokens))


class ThumbIndexSplitter(BaseDocumentTransformer):
    """Splits documents that a loader has read, whole or page by page, into their sections.

    >>> sections = ThumbIndexSplitter().split_documents(PyPDFLoader("report.pdf").load())  # doctest: +SKIP

    Sections are whole, also across pages. A section has the metadata of the document that it begins in, and our keys besides:
    `section_path`, `section_id`, `page_start`, `page_end`, …

    Args:
        max_tokens: See `ThumbIndexLoader`.
        first_page: The loader's `page` of a first page: 0 as in LangChain's own loaders, or 1.
    """

    def __init__(self, *, max_tokens: int | None = None, first_page: Literal[0, 1] = 0) -> None:
        self.max_tokens, self.first_page = max_tokens, first_page

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """The sections of all documents, in their order; documents without text give none."""
        loaded = [(to_loaded_text(document, first_page=self.first_page), document) for document in documents]
        originals = {id(text): document for text, document in loaded}
        sections: list[Document] = []
        for group in by_document(text for text, _ in loaded):
            library = Library()
            try:
                (info,) = library.add_texts(group.texts)
            except EmptySource:
                continue
            by_page = {text.page: originals[id(text)] for text in reversed(group.texts)}
            for evidence in library.sections(info.doc_id, max_tokens=self.max_tokens):
                page = None if evidence.pages is None else evidence.pages.first
                original = by_page.get(page) or originals[id(group.texts[0])]
                section = to_document(evidence)
                section.metadata = {**original.metadata, **section.metadata}
                sections.append(section)
        return sections

    def split_text(self, text: str) -> list[str]:
        """The texts of the sections of a text."""
        return [section.page_content for section in self.split_documents([Document(text)])]

    def create_documents(
        self, texts: Sequence[str], metadatas: Sequence[dict[str, Any]] | None = None
    ) -> list[Document]:
        """The sections of some texts, each with its metadata."""
        pairs = zip(texts, metadatas or [{}] * len(texts), strict=True)
        return self.split_documents(Document(text, metadata=metadata) for text, metadata in pairs)

    def transform_documents(self, documents: Sequence[Document], **_kwargs: Any) -> Sequence[Document]:
        """`split_documents`, as pipelines call it."""
        return self.split_documents(documents)
