"""LlamaIndex documents and nodes, as the library takes texts that another reader has read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from llama_index.core.schema import BaseNode, MetadataMode, TextNode

from thumbindex import Library
from thumbindex.errors import UnsupportedSource
from thumbindex.evidence import SECTION_KEYS
from thumbindex.pages import MetadataValue
from thumbindex.sources import loaded
from thumbindex.sources.loaded import LoadedText

_MADE_UP = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The id that LlamaIndex gives where the caller gives none: another one each time, so it says nothing of the source."""
_PAGE_KEYS = ("page_label", "page_number", "page")
_OF_PAGES = SECTION_KEYS.union(_PAGE_KEYS)


def add(library: Library, nodes: Iterable[BaseNode], *, read_files: bool = False) -> None:
    """Keep the documents that these nodes are, or were cut from.

    Args:
        read_files: Read the file itself where `file_path` leads to one that the library reads.

    Raises:
        EmptySource: no node has text.
    """
    texts: list[LoadedText] = []
    for group in by_document(nodes):
        own = [text for text, _ in group]
        if not (read_files and _read_file(library, own)):
            texts += own
    library.add_loaded(texts)


def _read_file(library: Library, texts: Sequence[LoadedText]) -> bool:
    if not Path(texts[0].source).is_file():
        return False
    (document,) = loaded.by_document(texts)
    try:
        library.add(document.source, name=document.name, metadata=document.metadata)
    except UnsupportedSource:
        return False
    return True


def by_document(nodes: Iterable[BaseNode]) -> list[list[tuple[LoadedText, BaseNode]]]:
    """Texts by the document that they are from, in the order in which they stand, each with the node that it begins with.

    Texts are of one document where their `file_path` (else `file_name`, else the id that the caller gave) is the same. Pages
    are what the reader says (`page_label`): where the labels count from 1 they are the pages, else pages are counted in the
    order of the texts and the labels kept. Nodes that a splitter cut from one text become that text again.
    """
    groups: dict[object, list[_Piece]] = {}
    for number, piece in enumerate(map(_Piece, nodes)):
        groups.setdefault(piece.source or piece.cut_from or number, []).append(piece)
    return [_texts(group) for group in groups.values()]


class _Piece:
    """The text of a node, with what its metadata say of the place it is from."""

    def __init__(self, node: BaseNode) -> None:
        self.node, self.metadata = node, node.metadata
        self.text = node.get_content(metadata_mode=MetadataMode.NONE)
        # Of a node that was cut from a document, the document; the places in it are known where the splitter tells them.
        self.cut_from = node.ref_doc_id
        self.start = node.start_char_idx if isinstance(node, TextNode) else None
        self.end = None if self.start is None else self.start + len(self.text)
        path, name = self.metadata.get("file_path"), self.metadata.get("file_name")
        own_id = self.cut_from or node.node_id
        given = "" if _MADE_UP.fullmatch(own_id) else own_id
        self.source = str(path or name or given)
        self.name = str(name or (PurePath(str(path)).name if path else given)) or None
        self.label = _label(self.metadata)

    def goes_on(self, before: _Piece) -> bool:
        """Whether it was cut from the same text as the piece before it."""
        return self.cut_from is not None and self.cut_from == before.cut_from

    def take(self, following: _Piece) -> None:
        """Join the piece that follows, without saying twice what both hold."""
        if self.end is None or following.start is None or following.end is None:
            self.text += f"\n{following.text}"
            return
        gap = following.start - self.end
        # A splitter drops the blanks between two pieces; how many tells a new paragraph from a new line.
        self.text += "\n" * min(2, gap) + following.text if gap > 0 else following.text[-gap:]
        self.end = max(self.end, following.end)


def _label(metadata: Mapping[str, Any]) -> str | None:
    """What a reader says of the page, as text."""
    told = next((metadata[key] for key in _PAGE_KEYS if metadata.get(key) not in (None, "")), None)
    if told is None and "total_pages" in metadata and str(metadata.get("source", "")).isdigit():
        told = metadata["source"]  # PyMuPDFReader keeps the page there
    return None if told is None else str(told)


def _texts(pieces: Sequence[_Piece]) -> list[tuple[LoadedText, BaseNode]]:
    joined: list[_Piece] = []
    for piece in pieces:
        if joined and piece.goes_on(joined[-1]):
            joined[-1].take(piece)
        else:
            joined.append(piece)
    pages = _pages([piece.label for piece in joined])
    return [
        (LoadedText(piece.text, piece.source, page, piece.label, piece.name, _metadata(piece.metadata)), piece.node)
        for piece, page in zip(joined, pages, strict=True)
    ]


def _pages(labels: Sequence[str | None]) -> list[int | None]:
    """Physical pages, 1-based; None for all where the reader names none."""
    if all(label is None for label in labels):
        return [None] * len(labels)
    numbers = [int(label) for label in labels if label is not None and label.isdecimal()]
    counts_from_one = len(numbers) == len(labels) and numbers == sorted(numbers) and numbers[0] == 1
    if counts_from_one:
        return list(numbers)
    pages: list[int | None] = []
    page = 0
    for number, label in enumerate(labels):
        # Two texts in a row with one label are of one page; a text without a label goes on with the page before it.
        if number == 0 or (label is not None and label != labels[number - 1]):
            page += 1
        pages.append(page)
    return pages


def _metadata(metadata: Mapping[str, Any]) -> dict[str, MetadataValue]:
    """What holds for the document, in values that the library can filter by."""
    kept: dict[str, MetadataValue] = {}
    for key, value in metadata.items():
        if key in _OF_PAGES or key in ("file_name", "file_path"):
            continue
        if value is None or isinstance(value, str | int | float):
            kept[key] = value
        elif isinstance(value, list | tuple | set) and all(isinstance(item, str) for item in value):
            kept[key] = sorted(value) if isinstance(value, set) else list(value)
        else:
            kept[key] = json.dumps(value, default=str, ensure_ascii=False)
    return kept
