"""The documents of a scope: names resolved to documents, and nothing outside the scope named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..scope import AllOf, Condition, Scope
from . import Store
from .lookup import not_one
from .records import DocumentInfo


@dataclass(frozen=True, slots=True)
class ScopedDocuments:
    """The documents of a store that a caller may see.

    Args:
        ids: Ids of the documents; None for all.
        where: Condition on their metadata; None for none.
        tenant: Namespace that they were added to; None for all.
    """

    store: Store
    ids: frozenset[str] | None = None
    where: Condition | None = None
    tenant: str | None = None

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
        infos = _of_tenant(infos, scope.tenant)
        if scope.documents is None:
            return infos
        wanted = _resolve(_of_tenant(visible, scope.tenant), scope.documents)
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
            visible = _of_tenant(self._all(self.where), scope.tenant)
            ids = _resolve(visible, scope.documents, missing_ok=missing_ok)
        tenant = scope.tenant if self.tenant is None else self.tenant
        if scope.tenant is not None and scope.tenant != tenant:
            ids = frozenset()  # no document is in two namespaces
        return ScopedDocuments(self.store, ids, _both(self.where, scope.where), tenant)

    def _all(self, where: Condition | None) -> list[DocumentInfo]:
        infos = _of_tenant(self.store.documents(where=where), self.tenant)
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


def _of_tenant(infos: list[DocumentInfo], tenant: str | None) -> list[DocumentInfo]:
    return infos if tenant is None else [info for info in infos if info.tenant == tenant]


def _resolve(infos: Sequence[DocumentInfo], documents: Sequence[str], *, missing_ok: bool = False) -> frozenset[str]:
    """Ids of the documents that a scope names.

    A scope decides what its users may read, and a name may be chosen by someone who wants to be taken for another: what fits
    one document by its id and another by its name or source stands for neither.
    """
    wanted = dict.fromkeys(documents)
    fitting: dict[str, list[DocumentInfo]] = {}
    for info in infos:
        for name in {info.doc_id, info.name, info.source} & wanted.keys():
            fitting.setdefault(name, []).append(info)
    found: set[str] = set()
    for name in wanted:
        if len(fitting.get(name, ())) == 1:
            found.add(fitting[name][0].doc_id)
        elif not missing_ok:
            raise not_one(fitting.get(name, ()), infos, name)
    return frozenset(found)
