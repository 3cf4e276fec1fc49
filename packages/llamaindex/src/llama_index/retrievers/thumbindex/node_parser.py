"""A node parser that cuts documents by their section tree."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal

from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document, NodeRelationship
from llama_index.core.utils import get_tqdm_iterable
from pydantic import Field

from thumbindex import Library
from thumbindex.errors import EmptySource
from thumbindex.sources.loaded import LoadedText

from .documents import by_document
from .nodes import Shelf


class ThumbIndexNodeParser(NodeParser):
    """Turns documents into one node for each section, of long sections for each part, in reading order.

    For an `IngestionPipeline`, or wherever else a `SentenceSplitter` stands. Documents that a reader made of the pages of one
    file are put together first, so that a section may go over the end of a page. The nodes are those of
    `ThumbIndexRetriever`: the same ids, texts, metadata and relations; `ref_doc_id` is the id of the document that was parsed,
    of several pages that of the first page of the section.
    """

    granularity: Literal["section", "page"] = Field(
        default="section", description="A node for each section, or for each page of each section."
    )
    hierarchy: bool = Field(
        default=False,
        description="Also give the nodes that enclose others, which HierarchicalNodeParser gives too (see get_leaf_nodes).",
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
            shelf = Shelf(library, self.granularity)
            groups = get_tqdm_iterable(by_document(nodes), show_progress, "Parsing documents")
            for texts in groups:
                try:
                    infos = library.add_loaded([text for text, _ in texts])
                except EmptySource:  # a document without text has no nodes
                    continue
                for node in shelf.everything(infos, enclosing_too=self.hierarchy):
                    source = _begins_in(node.metadata.get("page_start"), texts)
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
        # The base class links nodes in the order of the list, within one page: ours follow the text from page to page.
        links = (NodeRelationship.PREVIOUS, NodeRelationship.NEXT)
        kept = [{link: node.relationships[link] for link in links if link in node.relationships} for node in nodes]
        for node, own in zip(super()._postprocess_parsed_nodes(nodes, parent_doc_map), kept, strict=True):
            for link in links:
                node.relationships.pop(link, None)
            if self.include_prev_next_rel:
                node.relationships.update(own)
        return nodes


def _begins_in(page: int | None, texts: Sequence[tuple[LoadedText, BaseNode]]) -> BaseNode:
    """The node that was parsed whose text holds the beginning of a page."""
    before = [node for text, node in texts if page is not None and text.page is not None and text.page <= page]
    return before[-1] if before else texts[0][1]
