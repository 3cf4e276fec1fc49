"""Reading a whole PDF: its pages' lines, page labels, outline, links and metadata."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from ...errors import DamagedSource, EmptySource, SourceLimit
from ...outline import MAX_LEVEL
from ...pages import Bookmark, Box, Document, LineRange, LinkAnnotation, MetadataValue, Page
from ..columns import Columns
from .opening import open_pdf
from .page import page_corner, read_page
from .strings import clean_string, utf16_string
from .styles import StyleTable

MAX_BOOKMARKS = 50_000
"""Most bookmarks read: hostile files hold outlines without end; the longest honest one seen has some 6,000 items."""
MAX_PAGES = 50_000
"""Most pages read: a small file may name one page any number of times; the longest honest file seen has some 5,000."""
_LABELS_PROBED = 3
"""Pages that decide whether a file declares page labels, from the first: asking for all of them takes long."""

_METADATA_KEYS = {
    "Title": "title",
    "Author": "author",
    "Subject": "subject",
    "Keywords": "keywords",
    "Creator": "creator",
    "Producer": "producer",
    "CreationDate": "created",
}


def read_pdf(data: bytes | Path, name: str, password: str | None = None) -> Document:
    """Reads a PDF from its bytes or its path.

    A document without any line has scanned pages, which OCR may read.

    Args:
        name: Name of the document in errors and citations.

    Raises:
        PasswordNeeded: The file is encrypted, and the password is missing or wrong.
        DamagedSource: PDFium cannot open the file, or cannot load any of its pages.
        NoPages: The file has no pages.
        SourceLimit: The file has more than `MAX_PAGES` pages.
        EmptySource: No page has text or images.
    """
    document, columns = read_columns(data, name, password)
    return replace(document, lines=columns.lines())


def read_columns(data: bytes | Path, name: str, password: str | None = None) -> tuple[Document, Columns]:
    """Returns `read_pdf` as a document without lines, and its lines as columns, as processes exchange them.

    Raises:
        SourceError: See `read_pdf`.
    """
    pdf = open_pdf(data, name, password)
    try:
        return _Reader(pdf, name).read()
    finally:
        pdf.close()


@dataclass(slots=True)
class _Reader:
    """Reads one open PDF."""

    pdf: pdfium.PdfDocument
    name: str
    styles: StyleTable = field(default_factory=StyleTable)
    corners: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Lower left corner of the visible part of each page, in the page's own coordinates, which may start elsewhere."""
    location: tuple[Any, ...] = field(
        default_factory=lambda: (*(ctypes.c_int() for _ in range(3)), *(ctypes.c_float() for _ in range(3)))
    )
    """Where PDFium writes the position of a destination: whether it has an x, a y and a zoom, then these three."""

    def read(self) -> tuple[Document, Columns]:
        count = len(self.pdf)
        if count > MAX_PAGES:
            what = f"the PDF has {count:,} pages, and at most {MAX_PAGES:,} are read."
            raise SourceLimit(self.name, what, "Split it into several files.")
        labels = self._labels(count)
        columns = Columns(styles=self.styles.styles)
        pages: list[Page] = []
        links: list[LinkAnnotation] = []
        scanned: list[int] = []
        loaded = 0
        for index in range(count):
            handle = raw.FPDF_LoadPage(self.pdf.raw, index)
            if not handle:
                # A page that cannot be loaded is a page without text: the others are still worth reading.
                pages.append(Page(index + 1, None, labels[index]))
                continue
            try:
                loaded += 1
                text = read_page(handle, self.styles)
                self.corners[index + 1] = page_corner(handle)
                links.extend(self._links(handle, index, count))
                if text.is_scan:
                    scanned.append(index + 1)
            finally:
                raw.FPDF_ClosePage(handle)
            previous = len(columns.texts)
            lines = LineRange(previous + 1, previous + len(text.rows)) if text.rows else None
            pages.append(Page(index + 1, lines, labels[index], text.width, text.height, text.turned))
            columns.extend(text.rows)
        if not loaded:
            raise DamagedSource(
                self.name, f"none of the PDF's {count} pages can be loaded.", "Open it in a viewer and save it again."
            )
        if not columns.texts and not scanned:
            raise EmptySource(self.name, f"its {count} pages contain no text.", "Check that this is the right file.")
        document = Document(
            name=self.name,
            kind="pdf",
            lines=(),
            pages=tuple(pages),
            bookmarks=tuple(self._bookmarks(count)),
            link_annotations=tuple(self._with_visible_top(link) for link in links),
            metadata=self._metadata(),
            scanned=tuple(scanned),
        )
        return document, columns

    def _labels(self, count: int) -> list[str | None]:
        """Returns the declared page labels; all None where the file declares none (PDF 32000-1:2008, 12.4.2)."""
        if not any(self._label(index) for index in range(min(count, _LABELS_PROBED))):
            return [None] * count
        return [self._label(index) or None for index in range(count)]

    def _label(self, index: int) -> str:
        return utf16_string(partial(raw.FPDF_GetPageLabel, self.pdf.raw, index)).strip()

    def _metadata(self) -> dict[str, MetadataValue]:
        metadata: dict[str, MetadataValue] = {}
        for key, name in _METADATA_KEYS.items():
            value = clean_string(utf16_string(partial(raw.FPDF_GetMetaText, self.pdf.raw, key.encode())))
            if value:
                metadata[name] = value
        return metadata

    def _bookmarks(self, page_count: int) -> Iterator[Bookmark]:
        document = self.pdf.raw
        seen: set[int] = set()
        # A stack of "next sibling" items: real files contain outlines that point back to an ancestor, and deep ones.
        stack = [raw.FPDFBookmark_GetFirstChild(document, None)]
        while stack:
            item = stack.pop()
            if not item:
                continue
            address = ctypes.addressof(item.contents)
            if address in seen or len(seen) >= MAX_BOOKMARKS:
                continue
            seen.add(address)
            title = clean_string(utf16_string(partial(raw.FPDFBookmark_GetTitle, item)))
            page, top = self._destination(raw.FPDFBookmark_GetDest(document, item), page_count)
            level = min(len(stack) + 1, MAX_LEVEL)
            yield Bookmark(title, level, page, self._visible_top(page, top))
            stack.append(raw.FPDFBookmark_GetNextSibling(document, item))
            child = raw.FPDFBookmark_GetFirstChild(document, item)
            if child:
                stack.append(child)

    def _links(self, page: object, index: int, page_count: int) -> Iterator[LinkAnnotation]:
        x, y = self.corners[index + 1]
        position, link, rect = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
        while raw.FPDFLink_Enumerate(page, position, link):
            target, top = self._destination(raw.FPDFLink_GetDest(self.pdf.raw, link), page_count)
            if target is not None and raw.FPDFLink_GetAnnotRect(link, rect):
                yield LinkAnnotation(
                    index + 1, Box(rect.left - x, rect.bottom - y, rect.right - x, rect.top - y), target, top
                )

    def _destination(self, destination: object, page_count: int) -> tuple[int | None, float | None]:
        """Returns the page of a destination, 1-based, and its height on that page; None for what it does not name."""
        if not destination:
            return None, None
        index = raw.FPDFDest_GetDestPageIndex(self.pdf.raw, destination)
        if not 0 <= index < page_count:
            return None, None
        has_x, has_y, has_zoom, x, y, zoom = self.location
        if raw.FPDFDest_GetLocationInPage(destination, has_x, has_y, has_zoom, x, y, zoom) and has_y.value:
            return index + 1, y.value
        return index + 1, None

    def _with_visible_top(self, link: LinkAnnotation) -> LinkAnnotation:
        top = self._visible_top(link.target, link.top)
        return link if top == link.top else replace(link, top=top)

    def _visible_top(self, page: int | None, top: float | None) -> float | None:
        """Returns a height on a page counted from the lower edge of its visible part."""
        return top if page is None or top is None else top - self.corners.get(page, (0.0, 0.0))[1]
