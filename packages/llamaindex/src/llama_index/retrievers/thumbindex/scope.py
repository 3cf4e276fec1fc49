"""Which documents a search may see: what the retriever was made for, and what a call narrows it to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType

from thumbindex import Library
from thumbindex.library import DocumentInfo, find_document

from .filters import Filters, check, passes


@dataclass(frozen=True, slots=True)
class _Narrowing:
    """Ids, names or sources of documents, and what their metadata must be; None for all."""

    documents: tuple[str, ...] | None
    filters: Filters | None

    def passed(self, infos: Sequence[DocumentInfo], wanted: Sequence[DocumentInfo] | None) -> list[DocumentInfo]:
        """Those of the documents that it leaves, of which `wanted` are those that it names."""
        ids = None if wanted is None else {info.doc_id for info in wanted}
        return [
            info
            for info in infos
            if (ids is None or info.doc_id in ids) and (self.filters is None or passes(info, self.filters))
        ]


@dataclass(frozen=True, slots=True)
class Scope:
    """Narrowings, each of which can leave documents out of what those before it left; without any, all are in it."""

    narrowings: tuple[_Narrowing, ...] = ()

    def narrowed(self, documents: Sequence[str] | None, filters: Filters | None) -> Scope:
        """A scope inside this one: it can leave documents out, and never bring others in.

        Raises:
            TypeError: one name instead of a list.
            ValueError: filters that documents cannot answer.
        """
        if isinstance(documents, str):
            raise TypeError(f"documents takes a list of ids or names, not one text: documents=[{documents!r}].")
        if filters is not None:
            check(filters)
        if documents is None and filters is None:
            return self
        named = None if documents is None else tuple(documents)
        return Scope((*self.narrowings, _Narrowing(named, filters)))

    def visible(self, library: Library) -> list[DocumentInfo] | None:
        """The documents of this scope, as far as the call that is under way may see them (see `within`); None for all.

        Raises:
            DocumentNotFound: a document that is named is not among those that the scope leaves up to there; the message names
                no others.
        """
        of_call = _within.get().get(id(library), Scope()).narrowings
        if not self.narrowings and not of_call:
            return None
        infos = library.list()
        for one in self.narrowings:
            infos = one.passed(infos, None if one.documents is None else _find(infos, one.documents))
        for one in of_call:
            # The block may be about other retrievers too, so that a document this one does not see is no mistake.
            names = None if one.documents is None else set(one.documents)
            wanted = None if names is None else [i for i in infos if names & {i.doc_id, i.name, i.source}]
            infos = one.passed(infos, wanted)
        return infos


def _find(infos: Sequence[DocumentInfo], names: Sequence[str]) -> list[DocumentInfo]:
    by_id = {info.doc_id: info for info in infos}
    return [by_id[name] if name in by_id else find_document(infos, name) for name in names]


_within: ContextVar[Mapping[int, Scope]] = ContextVar("thumbindex_within", default=MappingProxyType({}))
"""By the id of the library, which lives as long as the block that narrows it."""


@contextmanager
def within(library: Library, documents: Sequence[str] | None, filters: Filters | None) -> Iterator[None]:
    """Narrow all searches of a library in this block, for the task or thread that entered it and for what these start.

    Raises:
        DocumentNotFound: a document that is named is not in the library.
    """
    narrowed = _within.get().get(id(library), Scope()).narrowed(documents, filters)
    if documents is not None:
        _find(library.list(), documents)
    token = _within.set({**_within.get(), id(library): narrowed})
    try:
        yield
    finally:
        _within.reset(token)
