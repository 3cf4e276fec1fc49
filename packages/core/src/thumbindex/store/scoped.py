"""The documents of a scope: names resolved to documents, and nothing outside the scope named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import DocumentNotFound
from ..scope import AllOf, Condition, Scope
from . import Store
from .lookup import find_document
from .records import DocumentInfo


@dataclass(frozen=True, slots=True)
class ScopedDocuments:
    """The documents of a store that a caller may see.

    Args:
        ids: Ids of the documents; None for all.
        where: Condition on their metadata; None for none.
    """

    store: Store
    ids: frozenset[str] | None = None
    where: Condition | None = None

    def select(self, scope: Scope | None = None) -> list[DocumentInfo]:
        """The documents, or those of a narrower scope, in the order in which they were first added.

        Raises:
            DocumentNotFound: a document that the scope names is not among those that can be seen; one that its own condition
                leaves out is.
        """
        if scope is not None:
            _check_type(scope)
        visible = self._all(self.where)
        if scope is None:
            return visible
        infos = visible if scope.where is None else self._all(_both(self.where, scope.where))
        if scope.documents is None:
            return infos
        wanted = _resolve(visible, scope.documents)
        return [info for info in infos if info.doc_id in wanted]

    def narrowed(self, scope: Scope, *, missing_ok: bool = False) -> ScopedDocuments:
        """The documents inside this scope and another, whose names are resolved to ids now.

        Args:
            missing_ok: Leaves out names that no document has, or several.

        Raises:
            DocumentNotFound: as for `select`.
        """
        _check_type(scope)
        ids = self.ids
        if scope.documents is not None:
            ids = _resolve(self._all(self.where), scope.documents, missing_ok=missing_ok)
        return ScopedDocuments(self.store, ids, _both(self.where, scope.where))

    def _all(self, where: Condition | None) -> list[DocumentInfo]:
        infos = self.store.documents(where=where)
        return infos if self.ids is None else [info for info in infos if info.doc_id in self.ids]


def _check_type(scope: Scope) -> None:
    if not isinstance(scope, Scope):
        raise TypeError(
            f"scope takes a Scope, such as Scope(['report.pdf']) or Scope(where={{'year': 2023}}), not {scope!r}."
        )


def _both(first: Condition | None, second: Condition | None) -> Condition | None:
    if first is None or second is None:
        return first if second is None else second
    return AllOf(first, second)


def _resolve(infos: Sequence[DocumentInfo], documents: Sequence[str], *, missing_ok: bool = False) -> frozenset[str]:
    # Thousands may be given by their ids; only other names are searched for.
    ids = {info.doc_id for info in infos}
    found: set[str] = set()
    for name in documents:
        try:
            found.add(name if name in ids else find_document(infos, name).doc_id)
        except DocumentNotFound:
            if not missing_ok:
                raise
    return frozenset(found)
