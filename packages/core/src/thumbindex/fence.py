"""What one caller may see of a library: a question of his can narrow it, and nothing can widen it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .library import Library, find_document
from .scope import Scope


@dataclass(frozen=True, slots=True)
class Fence:
    """Some documents of a library, by name and by what their metadata must have.

    >>> tenant = Fence(filters={"tenant": "north"})
    >>> tenant.with_filters({"year": 2024}).filters
    AllOf(Compare('tenant', '==', 'north'), Compare('year', '==', 2024))

    Args:
        documents: Ids, names or sources; None for all.
        filters: As `Library.retrieve` takes them; None for all.
    """

    documents: Sequence[str] | None = None
    filters: Any = None

    def with_filters(self, filters: Any) -> Fence:
        """The same documents, as far as they pass these filters too."""
        return Fence(self.documents, (Scope(where=self.filters) & Scope(where=filters)).where)

    def narrowed(self, library: Library, documents: Sequence[str] | None = None, filters: Any = None) -> Fence:
        """What a call that names documents or filters may see. Reads the library.

        Raises:
            DocumentNotFound: one of `documents` is not within the fence; the message names none outside of it.
        """
        narrower = self.with_filters(filters)
        if documents is None:
            return narrower
        if isinstance(documents, str):
            raise TypeError("documents takes a list of ids or names, not one str.")
        visible = library.list(documents=self.documents, filters=self.filters)
        return Fence([find_document(visible, document).doc_id for document in documents], narrower.filters)
