"""Evidence as LlamaIndex nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Literal, TypeAlias

from llama_index.core.schema import NodeRelationship, NodeWithScore, ObjectType, RelatedNodeInfo, TextNode

from thumbindex import DocumentInfo, Evidence, Scope, Tree
from thumbindex.evidence import SECTION_KEYS, EvidenceId
from thumbindex.library_view import LibraryView
from thumbindex.pages import LineRange
from thumbindex.scope import Compare
from thumbindex.tree.node_graph import PAGE_SUFFIX, Relations, build_node_graph, related_nodes, split_pages

Granularity: TypeAlias = Literal["section", "page"]
"""A node per section (of long ones per part), or per page of each section, so that `page_label` holds for all of its text."""

HIDDEN_FROM_LLM = frozenset(
    (
        *(SECTION_KEYS - {"section_path", "page_label"}),
        *("doc_id", "file_path", "total_pages"),
        *("created", "modified", "creator", "producer"),
        *("file_type", "file_size", "creation_date", "last_modified_date", "last_accessed_date"),
    )
)
"""Metadata that prompts do not show: bookkeeping of this package, of PDF writers and of LlamaIndex's readers."""

SCORE_EXPONENT = 0.55
"""Maps our scores, which say how much weaker than the best a section is, to the scale that LlamaIndex's users know from
embeddings, where they cut at 0.7.

Measured without a model on 65 questions about annual reports whose pages are known: where one of the first four sections is
right, the first right one has at least 0.53 of the best score in 19 of 20 cases, and 0.53 to the power of 0.55 is 0.7.
"""

_PAGE_STEP = 1e-10
"""Share by which the score falls from one page of a section to the next. Scores of sections differ by a millionth at least."""

_DOCUMENTS_CACHED = 32


class NodeFactory:
    """Makes nodes of the evidence of one library; caches how the nodes of its documents are related."""

    def __init__(self, library: LibraryView, granularity: Granularity) -> None:
        self._library, self._granularity = library, granularity
        self._by_page = granularity == "page"
        self._relations = lru_cache(maxsize=_DOCUMENTS_CACHED)(self._find_relations)

    def __reduce__(self) -> tuple[type[NodeFactory], tuple[LibraryView, Granularity]]:
        return type(self), (self._library, self._granularity)

    def scored(self, evidence: Iterable[Evidence]) -> list[NodeWithScore]:
        """New nodes in the order of the evidence; of a section's pages the one that fits best comes first."""
        evidence = tuple(evidence)
        found = Scope(where=Compare("doc_id", "in", {passage.doc_id for passage in evidence}))
        infos = {info.doc_id: info for info in self._library.list(scope=found)}
        return [
            NodeWithScore(node=node, score=passage.score**SCORE_EXPONENT * (1 - _PAGE_STEP * rank))
            for passage in evidence
            if passage.doc_id in infos  # else it was removed meanwhile
            for rank, node in enumerate(self._nodes(passage, infos[passage.doc_id]))
        ]

    def _nodes(self, passage: Evidence, info: DocumentInfo) -> Iterator[TextNode]:
        relations = self._relations(info.doc_id, info.sha256, info.revision)
        pages = split_pages(self._library.tree(info.doc_id), passage) if self._by_page else (passage,)
        for page in sorted(pages, key=lambda page: page.best_page != passage.best_page):
            yield to_node(page, relations.get(page.id, Relations()))

    def all_nodes(self, documents: Iterable[DocumentInfo], *, enclosing: bool = True) -> Iterator[TextNode]:
        """All nodes of these documents: of each the texts in reading order, then the nodes that enclose others."""
        for info in documents:
            tree, passages = self._read(info.doc_id)
            for evidence, relations in related_nodes(tree, passages, by_page=self._by_page):
                if enclosing or not relations.children:
                    yield to_node(evidence, relations)

    def _find_relations(self, doc_id: str, _sha256: str, _revision: int) -> Mapping[str, Relations]:
        tree, passages = self._read(doc_id)
        return build_node_graph(tree, passages, by_page=self._by_page).relations

    def _read(self, doc_id: str) -> tuple[Tree, tuple[Evidence, ...]]:
        tree = self._library.tree(doc_id)
        return tree, self._library.passages(doc_id, LineRange(1, max(1, len(tree.lines))))


def to_node(evidence: Evidence, relations: Relations) -> TextNode:
    """A new node with the keys of LlamaIndex's own readers: `file_name`, `file_path` and `page_label` as text."""
    file = {"file_name": evidence.document, "file_path": evidence.source}
    section_id = str(EvidenceId(evidence.doc_id, evidence.node_id.partition(PAGE_SUFFIX)[0]))
    metadata = evidence.flat_metadata() | file | {"section_id": section_id}
    source = RelatedNodeInfo(node_id=evidence.doc_id, node_type=ObjectType.DOCUMENT, metadata=dict(file))
    related: dict[NodeRelationship, RelatedNodeInfo | list[RelatedNodeInfo]] = {
        relationship: _related(node_id)
        for relationship, node_id in (
            (NodeRelationship.PARENT, relations.parent),
            (NodeRelationship.PREVIOUS, relations.previous),
            (NodeRelationship.NEXT, relations.next),
        )
        if node_id is not None
    }
    if relations.children:
        related[NodeRelationship.CHILD] = [_related(child) for child in relations.children]
    return TextNode(
        id_=evidence.id,
        text=evidence.text,
        metadata=metadata,
        excluded_llm_metadata_keys=[key for key in metadata if key in HIDDEN_FROM_LLM],
        excluded_embed_metadata_keys=[key for key in metadata if key != "section_path"],
        relationships={NodeRelationship.SOURCE: source, **related},
    )


def _related(node_id: str) -> RelatedNodeInfo:
    # Without metadata: `AutoMergingRetriever` takes two relations for the same node only if they are equal.
    return RelatedNodeInfo(node_id=node_id, node_type=ObjectType.TEXT)
