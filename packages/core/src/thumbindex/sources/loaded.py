"""Texts that another loader has read already, page by page or whole: put together again as the documents they came from."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..errors import SourceLimit
from ..pages import Document, Metadata
from .markdown import read_markdown
from .parsed import read_pages

MAX_PAGES = 100_000
"""More pages than any document has: a larger number is a mistake in the metadata, and would cost a blank page each."""
_LAST_OF_PATH = re.compile(r"[^/\\]+(?=[/\\]*\Z)")


@dataclass(frozen=True, slots=True)
class LoadedText:
    """A text from a loader: one page of a document, a piece of a page, or a document without pages.

    Args:
        source: Path, address or id of the document it is from; texts of one source make one document. Empty: a document
            of its own.
        page: Physical page, 1-based; None without pages.
        label: What is printed or declared for that page ("iv", "F-12").
        name: What citations call the document; by default the last part of the source.
        metadata: Of the document. Where the texts of one document differ in a value, it is dropped.
    """

    text: str
    source: str = ""
    page: int | None = None
    label: str | None = None
    name: str | None = None
    metadata: Metadata = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.page is not None and self.page < 1:
            raise ValueError(f"LoadedText counts pages from 1, got page {self.page} of {self.source or 'a text'}.")


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """The texts of one document, in the order in which they were loaded; there is at least one."""

    source: str
    texts: tuple[LoadedText, ...]

    @property
    def name(self) -> str:
        """The name that was given, else the last part of the source, else one made from the contents."""
        given = next((text.name for text in self.texts if text.name), None)
        last = _LAST_OF_PATH.search(self.source)
        return given or (last[0] if last else f"text-{self.sha256[:8]}")

    @property
    def sha256(self) -> str:
        """Of all that makes the tree: texts, pages and labels."""
        parts = [(text.text, text.page, text.label) for text in self.texts]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def metadata(self) -> Metadata:
        """What all texts say of the document."""
        first, *others = (text.metadata for text in self.texts)
        return {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}

    def read(self) -> Document:
        """The document; its pages are those that the texts name, and pages that none names are blank.

        Raises:
            EmptySource: there is no text.
            SourceLimit: a page number that no document reaches.
        """
        if any(text.page for text in self.texts):
            return self._read_pages()
        return read_markdown("\n\n".join(text.text for text in self.texts), self.name)

    def _read_pages(self) -> Document:
        pages: dict[int, list[str]] = {}
        labels: dict[int, str] = {}
        # A text that names no page goes on where the one before it ended.
        page = next(text.page for text in self.texts if text.page)
        for text in self.texts:
            page = text.page or page
            if page > MAX_PAGES:
                what = f"a text says that it is from page {page:,}."
                raise SourceLimit(self.name, what, f"Correct its metadata; pages go up to {MAX_PAGES:,}.")
            pages.setdefault(page, []).append(text.text)
            if text.label:
                labels.setdefault(page, text.label)
        numbers = range(1, max(pages) + 1)
        return read_pages(
            ["\n".join(pages.get(number, ())) for number in numbers],
            self.name,
            labels=[labels.get(number) for number in numbers],
        )


def by_document(texts: Iterable[LoadedText]) -> Sequence[LoadedDocument]:
    """The texts sorted into documents by their source, in the order in which the sources first come."""
    groups: dict[object, list[LoadedText]] = {}
    for number, text in enumerate(texts):
        groups.setdefault(text.source or number, []).append(text)
    return [LoadedDocument(group[0].source, tuple(group)) for group in groups.values()]
