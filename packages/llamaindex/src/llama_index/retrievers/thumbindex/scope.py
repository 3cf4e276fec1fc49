"""The documents that a call may see: narrowed where a component is made, and by the blocks that the call runs in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from thumbindex import Scope
from thumbindex.errors import DocumentNotFound
from thumbindex.library_view import LibraryView, is_same_library
from thumbindex.scope import Compare

from .filters import Filters, to_condition

Scopes = tuple[Scope, ...]
"""Scopes one inside the other, each of which may leave out documents of the one before it."""

_blocks: ContextVar[tuple[tuple[LibraryView, Scope], ...]] = ContextVar("thumbindex_blocks", default=())
"""The library and the scope of each `within` block around a call, outermost first."""


def _blocks_around(library: LibraryView) -> Scopes:
    return tuple(scope for narrowed, scope in _blocks.get() if is_same_library(narrowed, library))


def to_scopes(library: LibraryView, documents: Iterable[str] | None, filters: Filters | None) -> Scopes:
    """The scopes that these arguments stand for; documents are named among those that the enclosing blocks leave.

    Raises:
        TypeError: a single name instead of a list, or a value of a type that metadata cannot have.
        ValueError: filters that documents cannot answer.
    """
    if documents is None and filters is None:
        return ()
    scope = Scope(documents, None if filters is None else to_condition(filters))
    return (scope,) if documents is None else (*_blocks_around(library), scope)


def visible(library: LibraryView, scopes: Scopes) -> LibraryView:
    """The view that these scopes and the enclosing blocks leave.

    Raises:
        DocumentNotFound: a scope names a document that is not there or that those before it leave out. The message names only
            documents that can be seen here.
    """
    blocks = _blocks_around(library)
    try:
        # Blocks come last: they may be about other components, so that a document which they leave out is no mistake.
        return _narrowed(library, (*scopes, *blocks))
    except DocumentNotFound:
        if not blocks:
            raise
    return _narrowed(library, (*blocks, *scopes))


def _narrowed(library: LibraryView, scopes: Scopes) -> LibraryView:
    for scope in scopes:
        library = library.view(scope)
    return library


@contextmanager
def within(
    library: LibraryView, scopes: Scopes, documents: Sequence[str] | None, filters: Filters | None
) -> Iterator[None]:
    """Narrows the searches of a library in this block, in the task or thread that enters it and in those that these start.

    Args:
        scopes: Where the documents are named, together with the blocks around this one.

    Raises:
        DocumentNotFound: a document that is named cannot be seen here.
        TypeError: see `to_scopes`.
        ValueError: see `to_scopes`.
    """
    scope = Scope(where=None if filters is None else to_condition(filters))
    if documents is not None:
        named = visible(library, scopes).list(scope=Scope(documents))
        scope &= Scope(where=Compare("doc_id", "in", [info.doc_id for info in named]))
    token = _blocks.set((*_blocks.get(), (library, scope)))
    try:
        yield
    finally:
        _blocks.reset(token)
