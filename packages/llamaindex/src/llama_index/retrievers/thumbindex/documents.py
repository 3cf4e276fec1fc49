"""LlamaIndex documents and nodes as texts for a library."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from llama_index.core.schema import BaseNode, MetadataMode, TextNode

from thumbindex import Library
from thumbindex.errors import UnsupportedSource
from thumbindex.evidence import SECTION_KEYS
from thumbindex.pages import MetadataValue
from thumbindex.sources import loaded
from thumbindex.sources.loaded import LoadedText
from thumbindex.sources.loaded_parts import join_chunks, pages_from_labels

_RANDOM_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The id that LlamaIndex gives a document without one: it differs from run to run and cannot serve as the source."""
_PAGE_KEYS = ("page_label", "page_number", "page")
_NOT_OF_DOCUMENT = SECTION_KEYS.union(_PAGE_KEYS, ("file_name", "file_path"))


def add_nodes(library: Library, nodes: Iterable[BaseNode], *, read_files: bool = False) -> None:
    """Adds the documents that these nodes are, or were cut from.

    Args:
        read_files: Reads the file itself where `file_path` names one of a supported format.

    Raises:
        EmptySource: no node has text.
    """
    texts: list[LoadedText] = []
    for group in by_document(nodes):
        of_document = [text for text, _ in group]
        if not (read_files and _add_file(library, of_document)):
            texts += of_document
    library.add_texts(texts)


def _add_file(library: Library, texts: Sequence[LoadedText]) -> bool:
    if not Path(texts[0].source).is_file():
        return False
    (document,) = loaded.by_document(texts)
    try:
        library.add(document.source, name=document.name, metadata=document.metadata)
    except UnsupportedSource:
        return False
    return True


def by_document(nodes: Iterable[BaseNode]) -> list[list[tuple[LoadedText, BaseNode]]]:
    """Groups nodes by document and joins the chunks of each text; every text comes with its first node.

    Nodes belong to one document where their `file_path` (else `file_name`, else a document id that the caller gave) is equal.
    """
    groups: dict[object, list[BaseNode]] = {}
    for number, node in enumerate(nodes):
        groups.setdefault(_source(node) or node.ref_doc_id or number, []).append(node)
    return [_texts(group) for group in groups.values()]


def _texts(nodes: Sequence[BaseNode]) -> list[tuple[LoadedText, BaseNode]]:
    chunks = groupby(enumerate(nodes), key=lambda item: item[1].ref_doc_id or item[0])
    texts = [[node for _, node in group] for _, group in chunks]
    labels = [_label(text[0].metadata) for text in texts]
    return [
        (_loaded_text(text, page, label), text[0])
        for text, page, label in zip(texts, pages_from_labels(labels), labels, strict=True)
    ]


def _loaded_text(chunks: Sequence[BaseNode], page: int | None, label: str | None) -> LoadedText:
    first = chunks[0]
    # A path gives the name too; the caller's own id is the name as it is.
    name = first.metadata.get("file_name") or (None if first.metadata.get("file_path") else _source(first))
    offsets = (node.start_char_idx if isinstance(node, TextNode) else None for node in chunks)
    contents = (node.get_content(metadata_mode=MetadataMode.NONE) for node in chunks)
    text = join_chunks(zip(contents, offsets, strict=True))
    return LoadedText(text, _source(first), page, label, str(name) if name else None, _plain(first.metadata))


def _source(node: BaseNode) -> str:
    """Path, name or given id of the document; empty where it has none."""
    document_id = node.ref_doc_id or node.node_id
    given = "" if _RANDOM_ID.fullmatch(document_id) else document_id
    return str(node.metadata.get("file_path") or node.metadata.get("file_name") or given)


def _label(metadata: Mapping[str, object]) -> str | None:
    label = next((metadata[key] for key in _PAGE_KEYS if metadata.get(key) not in (None, "")), None)
    if label is None and "total_pages" in metadata and str(metadata.get("source", "")).isdigit():
        label = metadata["source"]  # where PyMuPDFReader puts the page
    return None if label is None else str(label)


def _plain(metadata: Mapping[str, object]) -> dict[str, MetadataValue]:
    """Metadata of the document, in types that a library stores."""
    plain: dict[str, MetadataValue] = {}
    for key, value in metadata.items():
        if key in _NOT_OF_DOCUMENT:
            continue
        if value is None or isinstance(value, str | int | float):
            plain[key] = value
        elif isinstance(value, list | tuple | set) and all(isinstance(item, str) for item in value):
            plain[key] = sorted(value) if isinstance(value, set) else list(value)
        else:
            plain[key] = json.dumps(value, default=str, ensure_ascii=False)
    return plain
