"""Texts from another loader, page by page or whole, put together again as documents."""

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
"""Largest page number. No document has so many pages: a larger number is a mistake in the metadata, and would make as many
blank pages."""
_LAST_OF_PATH = re.compile(r"[^/\\]+(?=[/\\]*\Z)")


@dataclass(frozen=True, slots=True)
class LoadedText:
    """A text from a loader: one page of a document, a piece of a page, or a document without pages.

    Args:
        text: The text of the page, piece or document.
        source: Path, address or id of its document; texts of one source make one document. A text without a source is a
            document of its own.
        page: Physical page number, 1-based; None without pages.
        label: Printed or declared label of that page, such as "iv" or "F-12".
        name: Name of the document in citations; defaults to the last part of the source.
        metadata: Metadata of the document. A value in which the texts of one document differ is dropped.
    """

    text: str
    source: str = ""
    page: int | None = None
    label: str | None = None
    name: str | None = None
    metadata: Metadata = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.page is not None and self.page < 1:
            raise ValueError(f"Pages of LoadedText start at 1, got page {self.page} of {self.source or 'a text'}.")


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """The texts of one document, at least one, in the order in which they were loaded."""

    source: str
    texts: tuple[LoadedText, ...]

    @property
    def name(self) -> str:
        """The given name, else the last part of the source, else a name derived from the contents."""
        given = next((text.name for text in self.texts if text.name), None)
        last = _LAST_OF_PATH.search(self.source)
        return given or (last[0] if last else f"text-{self.sha256[:8]}")

    @property
    def sha256(self) -> str:
        """Hash of everything that determines the tree: texts, pages and labels."""
        parts = [(text.text, text.page, text.label) for text in self.texts]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def metadata(self) -> Metadata:
        """The metadata on which all texts agree."""
        first, *others = (text.metadata for text in self.texts)
        return {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}

    def read(self) -> Document:
        """Returns the document; pages that no text belongs to are blank.

        Raises:
            EmptySource: There is no text.
            SourceLimit: A page number exceeds `MAX_PAGES`.
        """
        if any(text.page for text in self.texts):
            return self._read_pages()
        return read_markdown("\n\n".join(text.text for text in self.texts), self.name)

    def _read_pages(self) -> Document:
        pages: dict[int, list[str]] = {}
        labels: dict[int, str] = {}
        # A text without a page belongs to the page of the previous one.
        page = next(text.page for text in self.texts if text.page)
        for text in self.texts:
            page = text.page or page
            if page > MAX_PAGES:
                what = f"the page number of a text is {page:,}."
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
    """Groups texts into documents by their source, in the order in which the sources first occur."""
    groups: dict[object, list[LoadedText]] = {}
    for number, text in enumerate(texts):
        groups.setdefault(text.source or number, []).append(text)
    return [LoadedDocument(group[0].source, tuple(group)) for group in groups.values()]
