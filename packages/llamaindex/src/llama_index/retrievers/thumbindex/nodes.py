"""Evidence as LlamaIndex nodes, and the nodes of whole documents for LlamaIndex's own stores."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from llama_index.core.schema import NodeRelationship, NodeWithScore, ObjectType, RelatedNodeInfo, TextNode

from thumbindex import Library
from thumbindex.evidence import SECTION_KEYS, Evidence, EvidenceId
from thumbindex.library import DocumentInfo
from thumbindex.pages import LineRange
from thumbindex.tree.model import Tree

from .family import PAGE, Family, Kin, enclosing, find_family, split_pages

Granularity: TypeAlias = Literal["section", "page"]
"""A node for each section (of long ones each part), or for each page of each section, so that `page_label` holds for all of it."""

# Bookkeeping, ours, that of PDF writers and that of LlamaIndex's readers, that a prompt need not show. Section path, page
# label, file name and what the document says of itself or its owner of it stay.
HIDDEN_FROM_LLM = frozenset(
    (
        *(SECTION_KEYS - {"section_path", "page_label"}),
        *("doc_id", "file_path", "total_pages"),
        *("created", "modified", "creator", "producer"),
        *("file_type", "file_size", "creation_date", "last_modified_date", "last_accessed_date"),
    )
)

SCORE_EXPONENT = 0.55
"""Applied to our scores, which say how much weaker than the best a section is, to put them on the scale that LlamaIndex's
users know from embeddings, where they keep what has 0.7 and more.

Measured without a model on 65 questions about annual reports whose pages are known: where one of the first four sections is
right, the first right one has at least 0.53 of the best score in 19 of 20 cases, and 0.53 to the power of 0.55 is 0.7.
"""

_FAMILIES_KEPT = 32


class Shelf:
    """Makes nodes from the evidence of one library, and remembers how the nodes of its documents belong together."""

    def __init__(self, library: Library, granularity: Granularity) -> None:
        self.library, self.granularity = library, granularity
        self._families: OrderedDict[tuple[str, str, int], Family] = OrderedDict()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Shelf], tuple[Library, Granularity]]:
        return type(self), (self.library, self.granularity)

    def scored(self, found: Iterable[Evidence]) -> list[NodeWithScore]:
        """New nodes in the order of the evidence; of a section of several pages, the page that fits best comes first."""
        infos = {info.doc_id: info for info in self.library.list()}
        nodes: list[NodeWithScore] = []
        for evidence in found:
            info = infos.get(evidence.doc_id)
            if info is None:  # removed since it was found
                continue
            family = self._family(info)
            pages = split_pages(self.library.tree(info.doc_id), evidence) if self.granularity == "page" else (evidence,)
            best_first = sorted(pages, key=lambda page: page.best_page != evidence.best_page)
            for place, page in enumerate(best_first):
                # The next section's score is lower by a millionth at least.
                score = evidence.score**SCORE_EXPONENT * (1 - 1e-10 * place)
                nodes.append(NodeWithScore(node=to_node(page, family.kin.get(page.id, Kin())), score=score))
        return nodes

    def everything(self, documents: Iterable[DocumentInfo], *, enclosing_too: bool = True) -> Iterator[TextNode]:
        """All nodes of documents: the texts in reading order, and the nodes that enclose them unless told otherwise."""
        for info in documents:
            family, tree = self._family(info), self.library.tree(info.doc_id)
            passages = {passage.id: passage for passage in _passages(self.library, tree, info)}
            by_page = self.granularity == "page"
            pages = {page.id: page for one in passages.values() if by_page for page in split_pages(tree, one)}
            texts = passages | pages
            for leaf in family.leaves:
                yield to_node(texts[leaf], family.kin[leaf])
            if not enclosing_too:
                continue
            for passage in passages.values():
                if passage.id not in pages and by_page:
                    yield to_node(passage, family.kin[passage.id])
            for section in family.wholes:
                whole = enclosing(tree, section, next(iter(passages.values())))
                yield to_node(whole, family.kin[whole.id])

    def _family(self, info: DocumentInfo) -> Family:
        key = (info.doc_id, info.sha256, info.revision)
        with self._lock:
            family = self._families.pop(key, None)
        if family is None:
            tree = self.library.tree(info.doc_id)
            family = find_family(tree, _passages(self.library, tree, info), by_page=self.granularity == "page")
        with self._lock:
            self._families[key] = family
            if len(self._families) > _FAMILIES_KEPT:
                self._families.popitem(last=False)
        return family


def _passages(library: Library, tree: Tree, info: DocumentInfo) -> tuple[Evidence, ...]:
    return library.passages(info.doc_id, LineRange(1, max(1, len(tree.lines))))


def to_node(evidence: Evidence, kin: Kin) -> TextNode:
    """A new node with the keys of LlamaIndex's own readers: `file_name`, `file_path` and `page_label` as text."""
    file: dict[str, str | int | float | None] = {"file_name": evidence.document, "file_path": evidence.source}
    # A page keeps the id of its section here.
    section = {"section_id": str(EvidenceId(evidence.doc_id, evidence.node_id.partition(PAGE)[0]))}
    metadata = evidence.flat_metadata() | file | section
    relationships: dict[NodeRelationship, RelatedNodeInfo | list[RelatedNodeInfo]] = {
        NodeRelationship.SOURCE: RelatedNodeInfo(
            node_id=evidence.doc_id, node_type=ObjectType.DOCUMENT, metadata=dict(file)
        )
    }
    for relationship, other in (
        (NodeRelationship.PARENT, kin.parent),
        (NodeRelationship.PREVIOUS, kin.previous),
        (NodeRelationship.NEXT, kin.next),
    ):
        if other is not None:
            relationships[relationship] = _related(other)
    if kin.children:
        relationships[NodeRelationship.CHILD] = [_related(child) for child in kin.children]
    return TextNode(
        id_=evidence.id,
        text=evidence.text,
        metadata=metadata,
        excluded_llm_metadata_keys=[key for key in metadata if key in HIDDEN_FROM_LLM],
        excluded_embed_metadata_keys=[key for key in metadata if key != "section_path"],
        relationships=relationships,
    )


def _related(node_id: str) -> RelatedNodeInfo:
    # Without metadata: `AutoMergingRetriever` takes two relations for the same node only if they are equal.
    return RelatedNodeInfo(node_id=node_id, node_type=ObjectType.TEXT)
