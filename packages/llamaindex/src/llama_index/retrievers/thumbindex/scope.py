"""Which documents a search may see: what the retriever was made for, and what a call narrows it to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from types import MappingProxyType

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

    def for_call(self, library: Library) -> Scope:
        """This scope, narrowed by what `within` says of the call that is under way."""
        of_call = _within.get().get(id(library), Scope())
        return Scope((*self.documents, *of_call.documents), (*self.filters, *of_call.filters))

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


_within: ContextVar[Mapping[int, Scope]] = ContextVar("thumbindex_within", default=MappingProxyType({}))
"""By the id of the library, which lives as long as the block that narrows it."""


@contextmanager
def within(library: Library, documents: Sequence[str] | None, filters: Filters | None) -> Iterator[None]:
    """Narrow all searches of a library in this block, for the task or thread that entered it and for what these start."""
    narrowed = _within.get().get(id(library), Scope()).narrowed(documents, filters)
    token = _within.set({**_within.get(), id(library): narrowed})
    try:
        yield
    finally:
        _within.reset(token)
