"""Evidence as a LlamaIndex node."""

from __future__ import annotations

from llama_index.core.schema import NodeRelationship, NodeWithScore, ObjectType, RelatedNodeInfo, TextNode

from thumbindex.evidence import Evidence

# Bookkeeping, ours and that of PDF writers, that a prompt need not show. Section path, page label, file name and what
# the document says of itself or its owner of it stay.
HIDDEN_FROM_LLM = [
    "section_id",
    "doc_id",
    "file_path",
    "page_start",
    "page_end",
    "line_start",
    "line_end",
    "total_pages",
    "created",
    "modified",
    "creator",
    "producer",
]


def to_node(evidence: Evidence) -> NodeWithScore:
    """A new node with the keys of LlamaIndex's own readers: `file_name`, `file_path` and `page_label` as text."""
    file = {"file_name": evidence.document, "file_path": evidence.source}
    metadata = evidence.flat_metadata() | file
    node = TextNode(
        id_=evidence.id,
        text=evidence.text,
        metadata=metadata,
        excluded_llm_metadata_keys=[key for key in HIDDEN_FROM_LLM if key in metadata],
        excluded_embed_metadata_keys=[key for key in metadata if key != "section_path"],
        relationships={
            NodeRelationship.SOURCE: RelatedNodeInfo(
                node_id=evidence.doc_id, node_type=ObjectType.DOCUMENT, metadata=file
            )
        },
    )
    return NodeWithScore(node=node, score=evidence.score)
