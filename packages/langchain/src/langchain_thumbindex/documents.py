"""Evidence as a LangChain document, and a loader's documents as texts for the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from langchain_core.documents import Document

from thumbindex.evidence import SECTION_KEYS, Evidence
from thumbindex.pages import MetadataValue
from thumbindex.sources.loaded import LoadedText

_SOURCES = ("source", "file_path", "file_name", "filename", "url")
_PAGE_KEYS = SECTION_KEYS | {"page", "page_number", "doc_id", "total_pages", "start_index"}
"""Keys that describe a page or a chunk, and not the document."""


def to_document(evidence: Evidence) -> Document:
    """Returns a new document with the keys of LangChain's own loaders: `source`, and `page` counted from 0."""
    metadata = evidence.flat_metadata() | {"source": evidence.source}
    if evidence.pages is not None:
        metadata["page"] = evidence.pages.first - 1
    return Document(id=evidence.id, page_content=evidence.text, metadata=metadata)


def to_loaded_text(document: Document, *, first_page: Literal[0, 1] = 0) -> LoadedText:
    """Translates a document of a loader, which is a page or a whole file.

    The page number comes from `page`, or else from `page_number`, which counts from 1 in all loaders that have it.

    Args:
        first_page: The loader's `page` of a first page: 0 as in LangChain's own PDF loaders, 1 as in some others.
    """
    metadata = document.metadata
    page = _integer(metadata.get("page"))
    number = _integer(metadata.get("page_number")) if page is None else page + 1 - first_page
    label = metadata.get("page_label")
    return LoadedText(
        document.page_content,
        next((str(metadata[key]) for key in _SOURCES if metadata.get(key)), ""),
        number if number and number > 0 else None,
        None if label is None else str(label),
        metadata={
            str(key): _plain(value)
            for key, value in metadata.items()
            if key not in _PAGE_KEYS and not isinstance(value, Mapping)
        },
    )


def _integer(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _plain(value: object) -> MetadataValue:
    """A value that a library can store and filter by; dates and paths become texts."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return [str(item) for item in value] if isinstance(value, list | tuple | set | frozenset) else str(value)
