"""A node parser that cuts documents by their section tree."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document, NodeRelationship
from llama_index.core.utils import get_tqdm_iterable
from pydantic import Field

from thumbindex import Library
from thumbindex.errors import EmptySource
from thumbindex.sources.loaded import LoadedText

from .documents import by_document
from .nodes import Granularity, NodeFactory

_LINKS = (NodeRelationship.PREVIOUS, NodeRelationship.NEXT)


class ThumbIndexNodeParser(NodeParser):
    """Turns documents into one node per section, of long sections per part, in reading order.

    For an `IngestionPipeline`, or wherever else a `SentenceSplitter` stands. Pages of one file are put together first, so that
    a section may continue on the next page. The nodes have the ids, texts, metadata and relations of `ThumbIndexRetriever`'s;
    `ref_doc_id` is the id of the parsed document, of several pages that of the section's first page.
    """

    granularity: Granularity = Field(default="section", description="A node per section, or per page of each section.")
    hierarchy: bool = Field(
        default=False,
        description="Also returns the nodes that enclose others, as HierarchicalNodeParser does (see get_leaf_nodes).",
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores it."""
        return "ThumbIndexNodeParser"

    def _parse_nodes(
        self,
        nodes: Sequence[BaseNode],
        show_progress: bool = False,
        **kwargs: Any,  # noqa: ARG002, the base class passes them
    ) -> list[BaseNode]:
        parsed: list[BaseNode] = []
        with Library() as library:
            factory = NodeFactory(library, self.granularity)
            for texts in get_tqdm_iterable(by_document(nodes), show_progress, "Parsing documents"):
                try:
                    infos = library.add_texts([text for text, _ in texts])
                except EmptySource:  # a document without text has no nodes
                    continue
                for node in factory.all_nodes(infos, enclosing=self.hierarchy):
                    source = _parsed_from(node.metadata.get("page_start"), texts)
                    node.relationships[NodeRelationship.SOURCE] = source.as_related_node_info()
                    if not self.hierarchy:
                        node.relationships.pop(NodeRelationship.PARENT, None)  # it is not among the nodes
                    parsed.append(node)
        return parsed

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        return await asyncio.to_thread(self._parse_nodes, nodes, show_progress, **kwargs)

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        # The base class links nodes within one page, in the order of the list: ours are linked from page to page.
        links = [
            {link: node.relationships.pop(link) for link in _LINKS if link in node.relationships} for node in nodes
        ]
        for node, own in zip(super()._postprocess_parsed_nodes(nodes, parent_doc_map), links, strict=True):
            for link in _LINKS:
                node.relationships.pop(link, None)
            if self.include_prev_next_rel:
                node.relationships.update(own)
        return nodes


def _parsed_from(page: int | None, texts: Sequence[tuple[LoadedText, BaseNode]]) -> BaseNode:
    """The parsed document that holds the beginning of a page; the first one where there are no pages."""
    sources = [node for text, node in texts if page is not None and text.page is not None and text.page <= page]
    return sources[-1] if sources else texts[0][1]
