"""Reading PDF with PDFium: lines with place and style, bookmarks, links, page labels; and pictures of pages.

The only module that imports pypdfium2. PDFium is not safe for threads: call it from one thread of a process at a time
(`thumbindex.sources.worker` gives it a process of its own). Zero-based page indexes end here.

A line's style is read from three of its characters, because touching every character costs ten times the extraction of
the text (measured on 4,765 pages).
"""

from __future__ import annotations

import ctypes
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from ..errors import (
    DamagedSource,
    EmptySource,
    NoPages,
    PasswordNeeded,
    SourceLimit,
    SourceUnreadable,
)
from ..outline import MAX_LEVEL
from ..pages import Bookmark, Box, Document, LineRange, LinkAnnotation, MetadataValue, Page, Style
from ..text.garbled import is_garbled
from .columns import Columns, Row
from .image import PageImage, View

MAX_BOOKMARKS = 50_000
"""Hostile files hold outlines without end; the longest honest one seen has some 6,000 items."""
MAX_PAGES = 50_000
"""A small file may name one page any number of times; the longest honest file seen has some 5,000."""
HANDFUL = 100
"""Signs below which the text of a page that is a picture is a stamp or a number, and not what the picture shows."""
FULL = 0.85
"""Share of a page from which pictures make it a scan. Scanners leave a margin, and some cut a page into strips."""
_MOST_OBJECTS = 1000
SMALLEST = 4.0
"""Size in points that type is taken to have at least, where distances are told in sizes."""

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
# PDFium marks a hyphen at a line's end with U+FFFE; other control and invisible characters mean nothing to a reader.
_CLEAN = {
    **dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x200B, 0x2060, 0xFEFF]),
    **dict.fromkeys([*map(ord, "\n\r\t"), 0xA0, 0x2028, 0x2029], " "),
    **dict.fromkeys(range(0x2000, 0x200B), " "),
    **_LIGATURES,
    0xFFFE: "-",
    0x02: "-",
}
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_SUBSET = re.compile(r"^[A-Z]{6}\+")
_BOLD = re.compile(
    r"bold|black|heavy|semib|demi|medi(?!um)|(?:cm|sf|ec|lm|t1-?)\w*bx|bx\d|[-,.](?:bd|b|bi|dm|hv|blk)\b|-bo\b|[a-z]BoldMT",
    re.IGNORECASE,
)
_ITALIC = re.compile(r"ital|obliq|slant|kursiv|[-,.](?:i|it|bi|ita)\b|(?:cm|sf|ec)(?:ti|sl)\d|cmmi", re.IGNORECASE)
_FONT_ITALIC, _FONT_FORCE_BOLD = 1 << 6, 1 << 18
_STROKED = (raw.FPDF_TEXTRENDERMODE_FILL_STROKE, raw.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP)


def read_pdf(data: bytes | Path, name: str, password: str | None = None) -> Document:
    """Read a PDF from its bytes or its path; `name` is what errors and citations call it.

    A document without a line has scanned pages, which OCR may read.

    Raises:
        PasswordNeeded: it is encrypted, and the password is missing or wrong.
        DamagedSource: PDFium cannot open it, or cannot load any of its pages.
        NoPages: it has no page.
        SourceLimit: it has more than `MAX_PAGES`.
        EmptySource: no page has text or images.
    """
    document, columns = read_columns(data, name, password)
    return replace(document, lines=columns.lines())


def read_columns(data: bytes | Path, name: str, password: str | None = None) -> tuple[Document, Columns]:
    """`read_pdf`, with the lines apart from the document in the form in which they travel.

    Raises:
        SourceError: as `read_pdf` does.
    """
    pdf = _open(data, name, password)
    try:
        return _Reader(pdf, name).read()
    finally:
        pdf.close()


def render_page(data: bytes | Path, name: str, view: View, password: str | None = None) -> PageImage:
    """The picture of a page, with its annotations and what was filled into its forms.

    Raises:
        SourceError: the file cannot be opened; DamagedSource where it has no such page or cannot load it; SourceLimit
            where the view is `exact` and too large.
    """
    pdf = _open(data, name, password)
    try:
        handle = raw.FPDF_LoadPage(pdf.raw, view.page - 1)
        if not handle:
            what = f"its page {view.page} is missing or cannot be loaded."
            raise DamagedSource(name, what, "Open it in a viewer and save it anew.")
        try:
            return _render(handle, name, view)
        finally:
            raw.FPDF_ClosePage(handle)
    finally:
        pdf.close()


def _render(page: object, name: str, view: View) -> PageImage:
    inches = raw.FPDF_GetPageWidthF(page) / 72, raw.FPDF_GetPageHeightF(page) / 72
    dpi = view.dpi
    most = (view.max_pixels / max(inches[0] * inches[1], 1e-6)) ** 0.5
    if dpi > most:
        if view.exact:
            what = f"page {view.page} at {dpi:g} dpi has more than {view.max_pixels / 1e6:g} million pixels."
            raise SourceLimit(name, what, f"Ask for at most {max(1, int(most))} dpi.")
        dpi = most
    width, height = (max(1, round(side * dpi)) for side in (inches[::-1] if view.quarters % 2 else inches))
    kind, channels = (raw.FPDFBitmap_Gray, 1) if view.grey else (raw.FPDFBitmap_BGR, 3)
    bitmap = raw.FPDFBitmap_CreateEx(width, height, kind, None, 0)
    if not bitmap:
        raise SourceLimit(name, f"page {view.page} at {dpi:g} dpi takes too much memory.", "Ask for fewer dpi.")
    try:
        raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
        flags = raw.FPDF_ANNOT | (raw.FPDF_GRAYSCALE if view.grey else raw.FPDF_REVERSE_BYTE_ORDER)
        raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, view.quarters % 4, flags)
        stride, used = raw.FPDFBitmap_GetStride(bitmap), width * channels
        whole = ctypes.string_at(raw.FPDFBitmap_GetBuffer(bitmap), stride * height)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)
    # Rows are padded to whole words.
    rows = whole if stride == used else b"".join(whole[at : at + used] for at in range(0, len(whole), stride))
    return PageImage(width, height, dpi, rows)


def _open(data: bytes | Path, name: str, password: str | None) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(data, password=password)
    except FileNotFoundError:
        raise SourceUnreadable(
            name, "the file went away before it was read.", "Check the path and try again."
        ) from None
    except pdfium.PdfiumError as error:
        raise _explain(error, name, password, _opens(data, password)) from None


def _opens(data: bytes | Path, password: str | None) -> bool:
    """Whether PDFium opens the file. One without pages opens, and leaves the error of the file before it in place."""
    secret = None if password is None else password.encode()
    if isinstance(data, Path):
        handle = raw.FPDF_LoadDocument(str(data).encode(), secret)
    else:
        handle = raw.FPDF_LoadMemDocument64(data, len(data), secret)
    if not handle:
        return False
    raw.FPDF_CloseDocument(handle)
    return True


def _explain(error: pdfium.PdfiumError, name: str, password: str | None, opens: bool) -> Exception:
    if opens:
        return NoPages(name, "the PDF has no pages.", "Check that the export which made it came to its end.")
    code = getattr(error, "err_code", None)
    if code == raw.FPDF_ERR_PASSWORD:
        what = (
            "the PDF is encrypted and needs a password." if password is None else "the password does not open the PDF."
        )
        return PasswordNeeded(name, what, "Pass the right one as password=... (command line: --password).")
    if code == raw.FPDF_ERR_SECURITY:
        return PasswordNeeded(
            name, "the PDF uses a protection that PDFium does not know.", "Save a copy without protection and add that."
        )
    return DamagedSource(
        name,
        "the PDF is damaged and cannot be opened.",
        "Open it in a viewer and save it anew, or fetch it again: a broken download is the usual cause.",
    )


@dataclass(slots=True)
class _PageText:
    """The lines of one page while they are put together; boxes in the page's own upright coordinates."""

    rows: list[Row]
    width: float
    height: float
    turned: int = 0
    """How far the text is turned against the page as shown, in degrees counter-clockwise."""
    is_scan: bool = False
    """Whether the page is there for OCR to read."""


@dataclass(frozen=True, slots=True)
class _Setting:
    """How characters are set: number of the style, its size, and how far they are turned counter-clockwise."""

    number: int
    size: float
    angle: int


class _Settings:
    """The styles of one document by number, and the fonts behind them."""

    def __init__(self) -> None:
        self.styles: list[Style] = []
        self._numbers: dict[Style, int] = {}
        self._fonts: dict[tuple[bytes, int], tuple[str, bool, bool]] = {}
        self.unknown = self._setting(Style(0.0), 0)
        """What a character without a text object is set in: a space that PDFium put in."""

    def find(self, font: tuple[bytes, int], mode: int, shape: tuple[float, ...]) -> _Setting:
        """The setting for a font (name and flags), a rendering mode, and a shape: size, then a, b, c, d of the matrix."""
        known = self._fonts.get(font)
        if known is None:
            known = self._fonts[font] = _read_font(*font)
        name, bold, italic = known
        size, a, b, c, d = shape
        size *= (c**2 + d**2) ** 0.5
        angle = 0
        if abs(b) > abs(a):
            angle = 90 if b > 0 else 270
        elif a < 0 and d < 0:
            angle = 180
        return self._setting(Style(min(round(size * 2) / 2, 1000.0), name, bold or mode in _STROKED, italic), angle)

    def _setting(self, style: Style, angle: int) -> _Setting:
        number = self._numbers.setdefault(style, len(self.styles))
        if number == len(self.styles):
            self.styles.append(style)
        return _Setting(number, style.size, angle)


def _read_font(base_name: bytes, flags: int) -> tuple[str, bool, bool]:
    """Name without the subset prefix, whether it is bold, and whether it is italic."""
    name = _SUBSET.sub("", base_name.decode("utf-8", errors="replace"))
    bold = bool(_BOLD.search(name)) or bool(flags & _FONT_FORCE_BOLD)
    italic = bool(_ITALIC.search(name)) or bool(flags & _FONT_ITALIC)
    return name, bold, italic


@dataclass(slots=True)
class _Reader:
    pdf: pdfium.PdfDocument
    name: str
    settings: _Settings = field(default_factory=_Settings)
    corners: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Lower left corner of what is shown of each page, which its own coordinates need not count from."""
    location: tuple[Any, ...] = field(
        default_factory=lambda: (*(ctypes.c_int() for _ in range(3)), *(ctypes.c_float() for _ in range(3)))
    )
    """Where PDFium writes a destination's place: whether it has an x, a y and a zoom, then the three."""

    def read(self) -> tuple[Document, Columns]:
        count = len(self.pdf)
        if count > MAX_PAGES:
            what = f"the PDF has {count:,} pages, and at most {MAX_PAGES:,} are read."
            raise SourceLimit(self.name, what, "Split it into several files.")
        labels = self._labels(count)
        columns = Columns(styles=self.settings.styles)
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
                text = _read_page(handle, self.settings)
                self.corners[index + 1] = _corner(handle)
                links.extend(self._links(handle, index, count))
                if text.is_scan:
                    scanned.append(index + 1)
            finally:
                raw.FPDF_ClosePage(handle)
            before = len(columns.texts)
            span = LineRange(before + 1, before + len(text.rows)) if text.rows else None
            pages.append(Page(index + 1, span, labels[index], text.width, text.height, text.turned))
            columns.extend(text.rows)
        if not loaded:
            raise DamagedSource(
                self.name, f"none of the PDF's {count} pages can be loaded.", "Open it in a viewer and save it anew."
            )
        if not columns.texts and not scanned:
            raise EmptySource(self.name, f"its {count} pages hold no text.", "Check that this is the right file.")
        document = Document(
            name=self.name,
            kind="pdf",
            lines=(),
            pages=tuple(pages),
            bookmarks=tuple(self._bookmarks(count)),
            link_annotations=tuple(self._above_corner_of_target(link) for link in links),
            metadata=self._metadata(),
            scanned=tuple(scanned),
        )
        return document, columns

    def _labels(self, count: int) -> list[str | None]:
        """Declared page labels; all None where the file declares none (PDF 32000-1:2008, 12.4.2)."""
        if not any(self._label(index) for index in range(min(count, 3))):
            return [None] * count
        return [self._label(index) or None for index in range(count)]

    def _label(self, index: int) -> str:
        return _utf16(partial(raw.FPDF_GetPageLabel, self.pdf.raw, index)).strip()

    def _metadata(self) -> dict[str, MetadataValue]:
        keys = {
            "Title": "title",
            "Author": "author",
            "Subject": "subject",
            "Keywords": "keywords",
            "Creator": "creator",
            "Producer": "producer",
            "CreationDate": "created",
        }
        found: dict[str, MetadataValue] = {}
        for key, ours in keys.items():
            value = _utf16(partial(raw.FPDF_GetMetaText, self.pdf.raw, key.encode()))
            value = " ".join(value.translate(_CLEAN).split())
            if value:
                found[ours] = value
        return found

    def _bookmarks(self, page_count: int) -> Iterator[Bookmark]:
        document = self.pdf.raw
        seen: set[int] = set()
        # A stack of "next sibling" items: real files hold outlines that point back to an ancestor, and deep ones.
        stack = [raw.FPDFBookmark_GetFirstChild(document, None)]
        while stack:
            item = stack.pop()
            if not item:
                continue
            address = ctypes.addressof(item.contents)
            if address in seen or len(seen) >= MAX_BOOKMARKS:
                continue
            seen.add(address)
            title = _utf16(partial(raw.FPDFBookmark_GetTitle, item))
            page, top = self._destination(raw.FPDFBookmark_GetDest(document, item), page_count)
            level = min(len(stack) + 1, MAX_LEVEL)
            top = self._above_corner(page, top)
            yield Bookmark(" ".join(title.translate(_CLEAN).split()), level, page, top)
            stack.append(raw.FPDFBookmark_GetNextSibling(document, item))
            child = raw.FPDFBookmark_GetFirstChild(document, item)
            if child:
                stack.append(child)

    def _destination(self, destination: object, page_count: int) -> tuple[int | None, float | None]:
        if not destination:
            return None, None
        index = raw.FPDFDest_GetDestPageIndex(self.pdf.raw, destination)
        if not 0 <= index < page_count:
            return None, None
        has_x, has_y, has_zoom, x, y, zoom = self.location
        if raw.FPDFDest_GetLocationInPage(destination, has_x, has_y, has_zoom, x, y, zoom) and has_y.value:
            return index + 1, y.value
        return index + 1, None

    def _above_corner_of_target(self, link: LinkAnnotation) -> LinkAnnotation:
        top = self._above_corner(link.target, link.top)
        return link if top == link.top else replace(link, top=top)

    def _above_corner(self, page: int | None, top: float | None) -> float | None:
        return top if page is None or top is None else top - self.corners.get(page, (0.0, 0.0))[1]

    def _links(self, page: object, index: int, page_count: int) -> Iterator[LinkAnnotation]:
        x, y = self.corners[index + 1]
        position, link, rect = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
        while raw.FPDFLink_Enumerate(page, position, link):
            target, top = self._destination(raw.FPDFLink_GetDest(self.pdf.raw, link), page_count)
            if target is not None and raw.FPDFLink_GetAnnotRect(link, rect):
                yield LinkAnnotation(
                    index + 1, Box(rect.left - x, rect.bottom - y, rect.right - x, rect.top - y), target, top
                )


def _clean(text: str) -> str:
    """The text without what means nothing to a reader, ligatures taken apart, and one space between words."""
    # Almost every line is clean, and finding that out takes a tenth of the time: all that goes is unprintable but for
    # ligatures, and all white space but the space as well.
    if text.isprintable() and "  " not in text and (text.isascii() or not _LIGATURE.search(text)):
        return text
    return " ".join(text.translate(_CLEAN).split())


def _utf16(fill: Callable[[object, int], int]) -> str:
    """Text of one of PDFium's two-call functions: size first, then UTF-16LE bytes with a final NUL."""
    size = fill(None, 0)
    if not 2 < size < 1 << 20:
        return ""
    buffer = ctypes.create_string_buffer(size)
    fill(buffer, size)
    return buffer.raw[: size - 2].decode("utf-16-le", errors="replace")


def _corner(page: object) -> tuple[float, float]:
    bounds = raw.FS_RECTF()
    return (bounds.left, bounds.bottom) if raw.FPDF_GetPageBoundingBox(page, bounds) else (0.0, 0.0)


def _read_page(page: object, settings: _Settings) -> _PageText:
    width, height = raw.FPDF_GetPageWidthF(page), raw.FPDF_GetPageHeightF(page)
    text_page = raw.FPDFText_LoadPage(page)
    if not text_page:
        return _PageText([], width, height)
    try:
        lines = _PageLines(page, text_page, width, height, settings)
        rows = lines.rows()
    finally:
        raw.FPDFText_ClosePage(text_page)
    return _PageText(rows, width, height, lines.turned, _is_scan(page, rows))


_PICTURES = (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)
_DRAWN = (*_PICTURES, raw.FPDF_PAGEOBJ_PATH)


def _is_scan(page: object, rows: list[Row]) -> bool:
    """Whether OCR could say what the text layer does not.

    Letters may be drawn as paths, so a page without text is worth a look as soon as anything is drawn on it.
    """
    if not rows:
        return any(kind in _DRAWN for kind, _ in _objects(page))
    signs = 0
    for row in rows:
        signs += len(row[0])
        if signs >= HANDFUL:
            break
    else:
        return _pictured(page) >= FULL
    return is_garbled(" ".join([row[0] for row in rows]))


def _pictured(page: object) -> float:
    """Share of the page that its pictures take."""
    bounds = raw.FS_RECTF()
    if not raw.FPDF_GetPageBoundingBox(page, bounds):
        return 0.0
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    area = 0.0
    for kind, item in _objects(page):
        if kind in _PICTURES and raw.FPDFPageObj_GetBounds(item, left, bottom, right, top):
            wide = min(right.value, bounds.right) - max(left.value, bounds.left)
            tall = min(top.value, bounds.top) - max(bottom.value, bounds.bottom)
            area += max(0.0, wide) * max(0.0, tall)
    return area / max(float((bounds.right - bounds.left) * (bounds.top - bounds.bottom)), 1.0)


def _objects(page: object) -> Iterator[tuple[int, Any]]:
    """Kind and handle of the page's objects, not of all where there are very many."""
    for number in range(min(raw.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        item = raw.FPDFPage_GetObject(page, number)
        yield raw.FPDFPageObj_GetType(item), item


def _quick(function: object, result: type = ctypes.c_int) -> Callable[..., Any]:
    """A function of PDFium for the inner loops: its arguments must be C values already, and Python's lock is kept.

    Checking arguments and giving the lock away take longer than these functions do: a call costs a third of the usual.
    Busy threads of the caller cannot slip in between, either, ten times a line.
    """
    return ctypes.PYFUNCTYPE(result)(ctypes.cast(function, ctypes.c_void_p).value)  # type: ignore[arg-type]


_get_origin = _quick(raw.FPDFText_GetCharOrigin)
_get_box = _quick(raw.FPDFText_GetCharBox)
_get_matrix = _quick(raw.FPDFText_GetMatrix)
_get_char_index = _quick(raw.FPDFText_GetCharIndexFromTextIndex)
_get_text_object = _quick(raw.FPDFText_GetTextObject, ctypes.c_void_p)
_get_font_size = _quick(raw.FPDFTextObj_GetFontSize)
_get_font = _quick(raw.FPDFTextObj_GetFont, ctypes.c_void_p)
_get_render_mode = _quick(raw.FPDFTextObj_GetTextRenderMode)
_get_font_name = _quick(raw.FPDFFont_GetBaseFontName, ctypes.c_size_t)
_get_font_flags = _quick(raw.FPDFFont_GetFlags)


class _Slots:
    """C numbers side by side that PDFium writes, one address each, and Python reads all at once."""

    def __init__(self, code: str, size: int, count: int, read: int) -> None:
        self._bytes = ctypes.create_string_buffer(count * size)
        start = ctypes.addressof(self._bytes)
        self.at = [ctypes.c_void_p(start + place * size) for place in range(count)]
        self._layout = struct.Struct(f"{read}{code}")

    def read(self) -> tuple[float, ...]:
        return self._layout.unpack_from(self._bytes)


# Plain tuples, since some four are made for each line.
_Glyph = tuple[float, float, float, float, _Setting, int | None]
"""One character: its origin, the low and the high edge of its box along the line, how it is set, and its text object."""
_Piece = tuple[str, _Glyph, _Glyph, _Setting]
"""A run of text on one baseline, its first and its last character, and how one in the middle is set."""


class _PageLines:
    """Turns one text page into lines: PDFium's own lines, split where it glued two, with place and style."""

    def __init__(self, page: object, text_page: object, width: float, height: float, settings: _Settings) -> None:
        self._text_page = ctypes.cast(text_page, ctypes.c_void_p)  # type: ignore[arg-type]
        self._settings = settings
        self._width, self._height = width, height
        self._places = _Slots("d", 8, 6, read=6)
        self._shape = _Slots("f", 4, 7, read=5)
        # By address, which holds for as long as the page is open.
        self._objects: dict[int | None, _Setting] = {None: settings.unknown}
        self._fonts: dict[int | None, tuple[bytes, int]] = {None: (b"", 0)}
        self._known: dict[tuple[int | None, int, tuple[float, ...]], _Setting] = {}
        self._bounds = _corner(page)
        self._rotation = raw.FPDFPage_GetRotation(page) % 4
        self.turned = 0
        """How far the text is turned against the page as shown, in degrees counter-clockwise; known after `rows`."""
        count = max(0, raw.FPDFText_CountChars(text_page))
        buffer = (ctypes.c_ushort * (count * 2 + 2))()
        written = raw.FPDFText_GetText(text_page, 0, count, buffer) if count else 0
        self._text = bytes(memoryview(buffer).cast("B")[: max(0, written - 1) * 2]).decode(
            "utf-16-le", errors="replace"
        )
        # On some pages PDFium's text leaves characters out or puts some in; positions then need its own map.
        self._mapped = len(self._text) != count

    def rows(self) -> list[Row]:
        """The page's lines in the order in which the file shows them."""
        pieces = self._pieces()
        if not pieces:
            return []
        turned = _direction(pieces)
        rows = [self._row(piece, turned) for piece in pieces]
        self.turned = (turned - 90 * self._rotation) % 360
        return _turned_over(rows) if self.turned == 270 else rows

    def _pieces(self) -> list[_Piece]:
        found: list[_Piece] = []
        position = 0
        # PDFium ends its lines with CR LF; a lone LF is a glyph of the file's own, usually a space.
        for run in self._text.split("\r\n"):
            text = run.strip()
            if text:
                start = position + run.index(text[0])
                end = start + len(text)
                first = self._glyph(start)
                last = self._glyph(end - 1) if len(text) > 1 else first
                if _in_a_row(first, last):
                    self._add(found, text, start, first, last)
                else:
                    for begin, stop in self._split(start, end, first, last):
                        first = self._glyph(begin)
                        last = self._glyph(stop - 1) if stop - begin > 1 else first
                        self._add(found, self._text[begin:stop], begin, first, last)
            position += len(run) + 2
        return found

    def _add(self, found: list[_Piece], text: str, start: int, first: _Glyph, last: _Glyph) -> None:
        """Add a piece to those found, or its text to the last one of them where it goes on."""
        clean = _clean(text)
        if not clean:
            return
        middle = first[4]
        if middle.number != last[4].number:  # else two of three decide without it
            place = (len(text) - 1) // 2
            while place > 0 and text[place].isspace():
                place -= 1
            middle = self._setting(self._char(start + place))
        if found:
            before, before_first, before_last, before_middle = found[-1]
            if _goes_on(before_last, first):
                heavier = before_middle if len(before) >= len(clean) else middle
                found[-1] = (f"{before} {clean}", before_first, last, heavier)
                return
        found.append((clean, first, last, middle))

    def _split(self, start: int, end: int, first: _Glyph, last: _Glyph) -> list[tuple[int, int]]:
        """Where PDFium glued lines together (a heading after the last words of a paragraph), cut them apart."""
        angle, shown_by = first[4].angle, first[5]
        along, across, forward = _AXES[angle]
        size = max(first[4].size, last[4].size, SMALLEST)
        text, text_page = self._text, self._text_page
        cuts, begin, level, before = [], start, first[:2][across], start
        for index in range(start + 1, end):
            if text[index].isspace():
                continue
            char = self._char(index) if self._mapped else index
            item = _get_text_object(text_page, char)
            if item != shown_by:  # a text object lies on one baseline
                shown_by = item
                place = self._origin(char)
                moved = abs(place[across] - level)
                if moved > 0.3 * SMALLEST:
                    setting = self._setting(char)
                    here = max(setting.size, SMALLEST)
                    if setting.angle != angle:  # a running head, and the table that is turned below it
                        cuts.append((begin, index))
                        angle, size = setting.angle, here
                        along, across, forward = _AXES[angle]
                        begin, before, level = index, index, place[across]
                        continue
                    reach = self._origin(self._char(before))[along]
                    back = (place[along] - reach) * forward < -1.5 * here
                    if moved > 0.8 * max(size, here) or (back and moved > 0.3 * here):
                        cuts.append((begin, index))
                        begin, level = index, place[across]
            before = index
        cuts.append((begin, end))
        return [(a, b) for a, b in (self._trim(a, b) for a, b in cuts) if a < b]

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        while start < end and self._text[start].isspace():
            start += 1
        while end > start and self._text[end - 1].isspace():
            end -= 1
        return start, end

    def _char(self, index: int) -> int:
        """PDFium's number of the character at that place of the text."""
        return max(_get_char_index(self._text_page, index), 0) if self._mapped else index

    def _origin(self, char: int) -> tuple[float, ...]:
        x, y, *_ = self._places.at
        _get_origin(self._text_page, char, x, y)
        return self._places.read()[:2]

    def _glyph(self, index: int) -> _Glyph:
        char = self._char(index) if self._mapped else index
        text_page, places = self._text_page, self._places
        x, y, left, right, bottom, top = places.at
        _get_origin(text_page, char, x, y)
        _get_box(text_page, char, left, right, bottom, top)
        item = _get_text_object(text_page, char)
        setting = self._objects.get(item) or self._object_setting(item, char)
        x_origin, y_origin, left_edge, right_edge, bottom_edge, top_edge = places.read()
        if setting.angle % 180 == 0:
            return x_origin, y_origin, left_edge, right_edge, setting, item
        return x_origin, y_origin, bottom_edge, top_edge, setting, item

    def _setting(self, char: int) -> _Setting:
        item = _get_text_object(self._text_page, char)
        return self._objects.get(item) or self._object_setting(item, char)

    def _object_setting(self, address: int, char: int) -> _Setting:
        item = ctypes.c_void_p(address)
        size, matrix, *_ = self._shape.at
        _get_font_size(item, size)
        _get_matrix(self._text_page, char, matrix)
        key = (_get_font(item), _get_render_mode(item), self._shape.read())
        known = self._known.get(key)
        if known is None:
            font, mode, shape = key
            known = self._known[key] = self._settings.find(self._font(font), mode, shape)
        self._objects[address] = known
        return known

    def _font(self, address: int | None) -> tuple[bytes, int]:
        """Name and flags of a font."""
        known = self._fonts.get(address)
        if known is None:
            font = ctypes.c_void_p(address)
            length = _get_font_name(font, _font_name, ctypes.c_size_t(len(_font_name)))
            name = _font_name.value if 0 < length <= len(_font_name) else b""
            known = self._fonts[address] = (name, max(0, _get_font_flags(font)))
        return known

    def _row(self, piece: _Piece, turned: int) -> Row:
        text, (x, y, low, high, start, _), (_, _, last_low, last_high, end, _), style = piece
        if start.number == end.number:
            style = start
        # Small capitals are set in two sizes: the larger one is the heading's.
        elif style.number != start.number and start.size > style.size:
            styles = self._settings.styles
            one, other = styles[start.number], styles[style.number]
            if one.font == other.font and one.bold == other.bold:
                style = start
        size = max(style.size, 1.0)
        if last_low < low:
            low = last_low
        if last_high > high:
            high = last_high
        before, after = 0.22 * size, 0.75 * size
        if start.angle in (90, 180):  # letters stand towards the smaller numbers
            before, after = after, before
        if start.angle % 180 == 0:
            x0, y0, x1, y1 = low, y - before, high, y + after
        else:
            x0, y0, x1, y1 = x - before, low, x + after, high
        # The box in coordinates in which most of the page's text reads upright, origin at the bottom left.
        dx, dy = self._bounds
        x0, x1, y0, y1 = x0 - dx, x1 - dx, y0 - dy, y1 - dy
        if turned:
            # Width and height are of the page as shown; text that is turned reads along the other one.
            shown_w, shown_h = self._width, self._height
            wide, tall = (shown_h, shown_w) if self._rotation % 2 else (shown_w, shown_h)
            if turned == 90:
                x0, y0, x1, y1 = y0, wide - x1, y1, wide - x0
            elif turned == 270:
                x0, y0, x1, y1 = tall - y1, x0, tall - y0, x1
            elif turned == 180:
                x0, y0, x1, y1 = wide - x1, tall - y1, wide - x0, tall - y0
        # To tenths. `round(x, 1)` goes through a decimal string and takes five times as long.
        left, bottom = round(x0 * 10) / 10, round(y0 * 10) / 10
        right, top = round(max(x0, x1) * 10) / 10, round(max(y0, y1) * 10) / 10
        return text, left, bottom, right, top, style.number, start.number, end.number


_font_name = ctypes.create_string_buffer(512)


# Of each direction of writing: the coordinate along the line (0 is x), the one across it, and the sign along it.
_AXES = {0: (0, 1, 1), 90: (1, 0, 1), 180: (0, 1, -1), 270: (1, 0, -1)}


def _in_a_row(first: _Glyph, last: _Glyph) -> bool:
    """Whether the last character of a line stands on the baseline of the first one and not before it."""
    x, y, _, _, setting, _ = first
    last_x, last_y, _, _, last_setting, _ = last
    room = 0.45 * max(setting.size, last_setting.size, SMALLEST)
    if setting.angle == 0:
        return -room < last_y - y < room and last_x >= x
    if setting.angle == 180:
        return -room < last_y - y < room and last_x <= x
    return -room < last_x - x < room and (last_y >= y if setting.angle == 90 else last_y <= y)


def _goes_on(last: _Glyph, first: _Glyph) -> bool:
    """Whether a piece that begins with `first` goes on where `last` ended: the same baseline, a word's space apart."""
    _, y, _, high, setting, _ = last
    _, next_y, low, _, next_setting, _ = first
    size = max(setting.size, next_setting.size, 1.0)
    return (
        abs(next_y - y) < 0.25 * size
        and -0.3 * size < low - high < 0.9 * size
        and setting.angle == next_setting.angle
        and setting.angle % 180 == 0
    )


def _direction(pieces: list[_Piece]) -> int:
    """How far most text of the page is turned, in degrees counter-clockwise, before the page's own rotation."""
    weights: Counter[int] = Counter()
    for text, (_, _, _, _, setting, _), _, _ in pieces:
        weights[setting.angle] += len(text)
    return weights.most_common(1)[0][0]


def _turned_over(rows: list[Row]) -> list[Row]:
    """Lines of a page whose text runs downwards as shown, each run of them that climbs the page turned over.

    PDFium sorts what begins at one height from left to right, which is from the last of such lines to the first.
    """
    runs: list[list[Row]] = []
    height = 0.0
    for row in rows:
        bottom = row[2]
        if runs and bottom > height + 1.0:
            runs[-1].append(row)
        else:
            runs.append([row])
        height = bottom
    return [row for run in runs for row in reversed(run)]
