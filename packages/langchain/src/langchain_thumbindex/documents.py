"""Evidence as a LangChain document."""

from __future__ import annotations

from langchain_core.documents import Document

from thumbindex.evidence import Evidence


def to_document(evidence: Evidence) -> Document:
    """A new document with the keys of LangChain's own loaders: `source`, and `page` counted from 0 as they do."""
    metadata = evidence.flat_metadata() | {"source": evidence.source}
    if evidence.pages is not None:
        metadata["page"] = evidence.pages.first - 1
    return Document(id=evidence.id, page_content=evidence.text, metadata=metadata)
