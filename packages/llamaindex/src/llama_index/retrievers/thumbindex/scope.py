"""Which documents a search may see: what the retriever was made for, and what a call narrows it to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from thumbindex import Library

from .filters import Filters, check, passes


@dataclass(frozen=True, slots=True)
class Scope:
    """Lists of documents and filters, all of which a document has to pass; without any, every document is in it.

    Args:
        documents: Ids, names or sources.
    """

    documents: tuple[tuple[str, ...], ...] = ()
    filters: tuple[Filters, ...] = ()

    def narrowed(self, documents: Sequence[str] | None, filters: Filters | None) -> Scope:
        """A scope inside this one: it can leave documents out, and never bring others in.

        Raises:
            TypeError: one name instead of a list.
            ValueError: filters that documents cannot answer.
        """
        if isinstance(documents, str):
            raise TypeError(f"documents takes a list of ids or names, not one text: documents=[{documents!r}].")
        narrower = self
        if documents is not None:
            narrower = replace(narrower, documents=(*narrower.documents, tuple(documents)))
        if filters is not None:
            check(filters)
            narrower = replace(narrower, filters=(*narrower.filters, filters))
        return narrower

    def choose(self, library: Library) -> list[str] | None:
        """Ids of the documents in this scope, None for all.

        Raises:
            DocumentNotFound: a document that was named is not in the library.
        """
        if not self.documents and not self.filters:
            return None
        infos = library.list()
        ids = {info.doc_id for info in infos}
        wanted = [{name if name in ids else library.get(name).doc_id for name in names} for names in self.documents]
        return [
            info.doc_id
            for info in infos
            if all(info.doc_id in ids for ids in wanted) and all(passes(info, filters) for filters in self.filters)
        ]
