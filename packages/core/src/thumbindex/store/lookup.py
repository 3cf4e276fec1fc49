"""Looking up documents and sections by name or id, with errors that list what there is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from ..errors import DocumentNotFound, SectionNotFound, SectionRevised
from ..evidence import PassageId
from ..text.characters import replace_surrogates
from ..tree.model import Tree
from . import Store
from .records import DocumentInfo

_NAMES_IN_ERROR = 5
"""Names that an error lists of those that could have been meant."""

NAME_KEYS = ("doc_id", "source", "name", "file_name", "file_path")
"""Metadata keys by which the results of another retriever may name a document."""


def find_document(infos: Sequence[DocumentInfo], document: str) -> DocumentInfo:
    """Returns the document with an id, or else the one with a name or source.

    Raises:
        DocumentNotFound: there is none, or several; the message names no other documents than these.
    """
    document = replace_surrogates(document)  # as names are stored
    for found in (
        [info for info in infos if info.doc_id == document],
        # A name is not preferred to a source: documents named after the path of another would take its place.
        [info for info in infos if document in (info.name, info.source)],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise not_one(found, infos, document)
    raise not_one((), infos, document)


def not_one(found: Sequence[DocumentInfo], infos: Sequence[DocumentInfo], document: str) -> DocumentNotFound:
    """The error for a name that several documents have, or none.

    Args:
        found: The documents that have it.
        infos: All that may be named.
    """
    if found:
        ids = ", ".join(info.doc_id for info in found[:_NAMES_IN_ERROR]) + (", …" if found[_NAMES_IN_ERROR:] else "")
        return DocumentNotFound(f"{len(found)} documents are called {document!r}. Use an id: {ids}.")
    names = ", ".join(info.name for info in infos[:_NAMES_IN_ERROR]) + (", …" if len(infos) > _NAMES_IN_ERROR else "")
    return DocumentNotFound(
        f"There is no document {document!r} in the library. "
        + (f"It has {names}." if infos else "It is empty: add one.")
    )


def documents_named_in(infos: Iterable[DocumentInfo], metadata: Iterable[Mapping[str, object]]) -> list[str]:
    """Ids of the documents that results of another retriever name in their metadata, in the order of the results.

    Of each result the first of `NAME_KEYS` counts that holds the id, source or name of a document. A path that no document has,
    since it is relative or from another machine, names by its last part.
    """
    ids: dict[str, list[str]] = defaultdict(list)
    for info in infos:
        for name in {info.doc_id, info.source, info.name}:
            ids[name].append(info.doc_id)
    found: dict[str, None] = {}
    for values in metadata:
        given = [str(values[key]) for key in NAME_KEYS if values.get(key)]
        names = (*given, *(PurePath(name).name for name in given))
        found |= dict.fromkeys(next((ids[name] for name in names if name in ids), ()))
    return list(found)


def missing_section(store: Store, info: DocumentInfo, tree: Tree, node: str) -> SectionNotFound:
    """The error for an id that the document does not have, or no longer has."""
    section = PassageId.parse(node, sections=tree).section
    nearest = section if section in tree else store.nearest(info.doc_id, node) or store.nearest(info.doc_id, section)
    if nearest is None or nearest not in tree:
        return SectionNotFound(f"{info.name} has no section {node!r}. Use an id that its outline or a search printed.")
    path = tree.path(tree.node(nearest))
    return SectionRevised(
        f"{info.name} was revised and has no section {node!r} any more; the nearest section is {nearest!r}, {path}.",
        nearest,
    )
