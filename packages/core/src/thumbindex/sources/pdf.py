"""Reading PDF with PDFium: lines with place and style, bookmarks, links, page labels.

The only module that imports pypdfium2. PDFium is not safe for threads: call `read_pdf` from one thread of a process at a
time (`thumbindex.sources.worker` gives it a process of its own). Zero-based page indexes end here.

A line's style is read from three of its characters, because touching every character costs ten times the extraction of
the text (measured on 4,765 pages).
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from ..errors import DamagedSource, EmptySource, NoPages, NoTextLayer, PasswordNeeded, SourceUnreadable
from ..outline import MAX_LEVEL
from ..pages import Bookmark, Box, Document, Line, LineRange, Link, MetadataValue, Page, Style

MAX_BOOKMARKS = 50_000
"""Hostile files hold outlines without end; the longest honest one seen has some 6,000 items."""

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

    Raises:
        PasswordNeeded: it is encrypted, and the password is missing or wrong.
        DamagedSource: PDFium cannot open it, or cannot load any of its pages.
        NoPages: it has no page.
        NoTextLayer: no page has text, and some hold images.
        EmptySource: no page has text or images.
    """
    try:
        pdf = pdfium.PdfDocument(data, password=password)
    except FileNotFoundError:
        raise SourceUnreadable(
            name, "the file went away before it was read.", "Check the path and try again."
        ) from None
    except pdfium.PdfiumError as error:
        raise _explain(error, name, password, _opens(data, password)) from None
    try:
        return _Reader(pdf, name).document()
    finally:
        pdf.close()


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

    lines: list[Line]
    width: float
    height: float
    label: str | None = None
    has_image: bool = False


@dataclass(slots=True)
class _Reader:
    pdf: pdfium.PdfDocument
    name: str
    styles: dict[Style, Style] = field(default_factory=dict)
    corners: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Lower left corner of what is shown of each page, which its own coordinates need not count from."""

    def document(self) -> Document:
        count = len(self.pdf)
        labels = self._labels(count)
        lines: list[Line] = []
        pages: list[Page] = []
        links: list[Link] = []
        loaded = images = 0
        for index in range(count):
            handle = raw.FPDF_LoadPage(self.pdf.raw, index)
            if not handle:
                # A page that cannot be loaded is a page without text: the others are still worth reading.
                pages.append(Page(index + 1, None, labels[index]))
                continue
            try:
                loaded += 1
                text = _read_page(handle, self.styles)
                self.corners[index + 1] = _corner(handle)
                links.extend(self._links(handle, index))
                images += text.has_image
            finally:
                raw.FPDF_ClosePage(handle)
            span = LineRange(len(lines) + 1, len(lines) + len(text.lines)) if text.lines else None
            pages.append(Page(index + 1, span, labels[index], text.width, text.height))
            lines.extend(text.lines)
        if not loaded:
            raise DamagedSource(
                self.name, f"none of the PDF's {count} pages can be loaded.", "Open it in a viewer and save it anew."
            )
        if not lines:
            self._refuse_without_text(count, images)
        return Document(
            name=self.name,
            kind="pdf",
            lines=tuple(lines),
            pages=tuple(pages),
            bookmarks=tuple(self._bookmarks(count)),
            links=tuple(replace(link, top=self._above_corner(link.target, link.top)) for link in links),
            metadata=self._metadata(),
        )

    def _refuse_without_text(self, count: int, images: int) -> None:
        if images:
            raise NoTextLayer(
                self.name,
                f"none of its {count} pages has a text layer: they are scanned images.",
                "Run OCR on it first (for example ocrmypdf) and add the result.",
                count,
            )
        raise EmptySource(self.name, f"its {count} pages hold no text.", "Check that this is the right file.")

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
        has_x, has_y, has_zoom = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        x, y, zoom = ctypes.c_float(), ctypes.c_float(), ctypes.c_float()
        if raw.FPDFDest_GetLocationInPage(destination, has_x, has_y, has_zoom, x, y, zoom) and has_y.value:
            return index + 1, y.value
        return index + 1, None

    def _above_corner(self, page: int | None, top: float | None) -> float | None:
        return top if page is None or top is None else top - self.corners.get(page, (0.0, 0.0))[1]

    def _links(self, page: object, index: int) -> Iterator[Link]:
        x, y = self.corners[index + 1]
        position, link, rect = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
        while raw.FPDFLink_Enumerate(page, position, link):
            target, top = self._destination(raw.FPDFLink_GetDest(self.pdf.raw, link), len(self.pdf))
            if target is not None and raw.FPDFLink_GetAnnotRect(link, rect):
                yield Link(index + 1, Box(rect.left - x, rect.bottom - y, rect.right - x, rect.top - y), target, top)


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


def _read_page(page: object, styles: dict[Style, Style]) -> _PageText:
    width, height = raw.FPDF_GetPageWidthF(page), raw.FPDF_GetPageHeightF(page)
    text_page = raw.FPDFText_LoadPage(page)
    if not text_page:
        return _PageText([], width, height)
    try:
        lines = _PageLines(page, text_page, width, height, styles).lines()
    finally:
        raw.FPDFText_ClosePage(text_page)
    result = _PageText(lines, width, height)
    if not lines:
        objects = (raw.FPDFPage_GetObject(page, n) for n in range(min(raw.FPDFPage_CountObjects(page), 1000)))
        result.has_image = any(raw.FPDFPageObj_GetType(item) in _DRAWN for item in objects)
    return result


_DRAWN = (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM, raw.FPDF_PAGEOBJ_PATH)


@dataclass(slots=True)
class _Glyph:
    """What three sampled characters of a line say: origin, box edges, style, and the direction of writing."""

    x: float
    y: float
    left: float
    right: float
    style: Style
    angle: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run of text on one baseline, with three of its characters."""

    text: str
    first: _Glyph
    middle: _Glyph
    last: _Glyph

    def goes_on(self, other: _Piece) -> bool:
        """Whether `other` continues this run: the same baseline, a word's space apart."""
        size = max(self.last.style.size, other.first.style.size, 1.0)
        if self.last.angle != other.first.angle or self.last.angle % 180:
            return False
        gap = other.first.left - self.last.right
        return abs(other.first.y - self.last.y) < 0.25 * size and -0.3 * size < gap < 0.9 * size

    def joined(self, other: _Piece) -> _Piece:
        middle = self.middle if len(self.text) >= len(other.text) else other.middle
        return _Piece(f"{self.text} {other.text}", self.first, middle, other.last)


class _PageLines:
    """Turns one text page into lines: PDFium's own lines, split where it glued two, with place and style."""

    def __init__(
        self, page: object, text_page: object, width: float, height: float, styles: dict[Style, Style]
    ) -> None:
        self._text_page = text_page
        self._styles = styles
        self._width, self._height = width, height
        self._fonts: dict[int, tuple[str, bool, bool]] = {}
        self._objects: dict[int, tuple[Style, int]] = {}
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._edges = tuple(ctypes.c_double() for _ in range(4))
        self._matrix = raw.FS_MATRIX()
        self._float = ctypes.c_float()
        self._bounds = _corner(page)
        self._rotation = raw.FPDFPage_GetRotation(page) % 4
        count = max(0, raw.FPDFText_CountChars(text_page))
        buffer = (ctypes.c_ushort * (count * 2 + 2))()
        written = raw.FPDFText_GetText(text_page, 0, count, buffer) if count else 0
        self._text = bytes(memoryview(buffer).cast("B")[: max(0, written - 1) * 2]).decode(
            "utf-16-le", errors="replace"
        )
        # On some pages PDFium's text leaves characters out or puts some in; positions then need its own map.
        self._mapped = len(self._text) != count

    def lines(self) -> list[Line]:
        found: list[_Piece] = []
        position = 0
        # PDFium ends its lines with CR LF; a lone LF is a glyph of the file's own, usually a space.
        for run in self._text.split("\r\n"):
            stripped = run.strip()
            if stripped:
                start = position + run.index(stripped[0])
                for piece in self._measure(start, start + len(stripped)):
                    if found and found[-1].goes_on(piece):
                        found[-1] = found[-1].joined(piece)
                    else:
                        found.append(piece)
            position += len(run) + 2
        if not found:
            return []
        turned = self._direction([(piece.first.angle, len(piece.text)) for piece in found])
        return [self._line(piece, turned) for piece in found]

    def _measure(self, start: int, end: int) -> Iterator[_Piece]:
        for begin, stop in self._split(start, end):
            text = self._text[begin:stop]
            clean = " ".join(text.translate(_CLEAN).split())
            if not clean:
                continue
            middle = (begin + stop - 1) // 2
            while middle > begin and self._text[middle].isspace():
                middle -= 1
            first = self._glyph(begin)
            yield _Piece(clean, first, self._glyph(middle), self._glyph(stop - 1) if stop - begin > 1 else first)

    def _split(self, start: int, end: int) -> list[tuple[int, int]]:
        """Where PDFium glued lines together (a heading after the last words of a paragraph), cut them apart."""
        if end - start < 2:
            return [(start, end)]
        first, last = self._origin(start), self._origin(end - 1)
        style, angle = self._style(start)
        size = max(style.size, self._style(end - 1)[0].size, 4.0)
        along, across = (0, 1) if angle % 180 == 0 else (1, 0)
        forward = 1 if angle in (0, 90) else -1
        if abs(last[across] - first[across]) < 0.45 * size and (last[along] - first[along]) * forward >= 0:
            return [(start, end)]
        cuts, begin, level, reach = [], start, first[across], first[along]
        for index in range(start + 1, end):
            if self._text[index].isspace():
                continue
            place = self._origin(index)
            here = max(self._style(index)[0].size, 4.0)
            moved = abs(place[across] - level)
            back = (place[along] - reach) * forward < -1.5 * here
            if moved > 0.8 * max(size, here) or (back and moved > 0.3 * here):
                cuts.append((begin, index))
                begin, level = index, place[across]
            reach = place[along]
        cuts.append((begin, end))
        return [(a, b) for a, b in (self._trim(a, b) for a, b in cuts) if a < b]

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        while start < end and self._text[start].isspace():
            start += 1
        while end > start and self._text[end - 1].isspace():
            end -= 1
        return start, end

    def _char(self, index: int) -> int:
        if not self._mapped:
            return index
        found: int = raw.FPDFText_GetCharIndexFromTextIndex(self._text_page, index)
        return max(found, 0)

    def _origin(self, index: int) -> tuple[float, float]:
        raw.FPDFText_GetCharOrigin(self._text_page, self._char(index), self._x, self._y)
        return self._x.value, self._y.value

    def _glyph(self, index: int) -> _Glyph:
        char = self._char(index)
        raw.FPDFText_GetCharOrigin(self._text_page, char, self._x, self._y)
        left, right, bottom, top = self._edges
        raw.FPDFText_GetCharBox(self._text_page, char, left, right, bottom, top)
        style, angle = self._style(index, char)
        if angle % 180 == 0:
            low, high = left.value, right.value
        else:
            low, high = bottom.value, top.value
        return _Glyph(self._x.value, self._y.value, low, high, style, angle)

    def _style(self, index: int, char: int | None = None) -> tuple[Style, int]:
        if char is None:
            char = self._char(index)
        item = raw.FPDFText_GetTextObject(self._text_page, char)
        if not item:
            return self._intern(Style(0.0)), 0
        address = ctypes.addressof(item.contents)
        known = self._objects.get(address)
        if known is None:
            known = self._objects[address] = self._object_style(item, char)
        return known

    def _object_style(self, item: object, char: int) -> tuple[Style, int]:
        raw.FPDFTextObj_GetFontSize(item, self._float)
        size = self._float.value
        matrix = self._matrix
        angle = 0
        if raw.FPDFText_GetMatrix(self._text_page, char, matrix):
            size *= (matrix.c**2 + matrix.d**2) ** 0.5
            if abs(matrix.b) > abs(matrix.a):
                angle = 90 if matrix.b > 0 else 270
            elif matrix.a < 0 and matrix.d < 0:
                angle = 180
        name, bold, italic = self._font(raw.FPDFTextObj_GetFont(item))
        bold = bold or raw.FPDFTextObj_GetTextRenderMode(item) in _STROKED
        return self._intern(Style(min(round(size * 2) / 2, 1000.0), name, bold, italic)), angle

    def _intern(self, style: Style) -> Style:
        return self._styles.setdefault(style, style)

    def _font(self, font: object) -> tuple[str, bool, bool]:
        if not font:
            return "", False, False
        address = ctypes.addressof(font.contents)  # type: ignore[attr-defined]
        known = self._fonts.get(address)
        if known is None:
            size = raw.FPDFFont_GetBaseFontName(font, None, 0)
            buffer = ctypes.create_string_buffer(max(1, min(size, 512)))
            raw.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
            name = _SUBSET.sub("", buffer.value.decode("utf-8", errors="replace"))
            flags = max(0, raw.FPDFFont_GetFlags(font))
            bold = bool(_BOLD.search(name)) or bool(flags & _FONT_FORCE_BOLD)
            italic = bool(_ITALIC.search(name)) or bool(flags & _FONT_ITALIC)
            known = self._fonts[address] = (name, bold, italic)
        return known

    def _direction(self, angles: list[tuple[int, int]]) -> int:
        """How far most text of the page is turned, in degrees counter-clockwise, before the page's own rotation."""
        weights: Counter[int] = Counter()
        for angle, length in angles:
            weights[angle] += length
        return weights.most_common(1)[0][0]

    def _line(self, piece: _Piece, turned: int) -> Line:
        first, middle, last = piece.first, piece.middle, piece.last
        votes = (first.style, middle.style, last.style)
        style = middle.style if len(set(votes)) == 3 else max(votes, key=votes.count)
        # Small capitals are set in two sizes: the larger one is the heading's.
        if style.font == first.style.font and first.style.size > style.size and first.style.bold == style.bold:
            style = first.style
        size = max(style.size, 1.0)
        along = (min(first.left, last.left), max(first.right, last.right))
        if first.angle % 180 == 0:
            x0, x1, y0, y1 = along[0], along[1], first.y - 0.22 * size, first.y + 0.75 * size
        else:
            x0, x1, y0, y1 = first.x - 0.75 * size, first.x + 0.22 * size, along[0], along[1]
        return Line(piece.text, self._upright(x0, y0, x1, y1, turned), style, first.style, last.style)

    def _upright(self, x0: float, y0: float, x1: float, y1: float, turned: int) -> Box:
        """The box in coordinates in which most of the page's text reads upright, origin at the bottom left."""
        dx, dy = self._bounds
        x0, x1, y0, y1 = x0 - dx, x1 - dx, y0 - dy, y1 - dy
        # Width and height are of the page as shown; text that is turned reads along the other one.
        shown_w, shown_h = self._width, self._height
        wide, high = (shown_h, shown_w) if self._rotation % 2 else (shown_w, shown_h)
        if turned == 90:
            x0, y0, x1, y1 = y0, wide - x1, y1, wide - x0
        elif turned == 270:
            x0, y0, x1, y1 = high - y1, x0, high - y0, x1
        elif turned == 180:
            x0, y0, x1, y1 = wide - x1, high - y1, wide - x0, high - y0
        return Box(round(x0, 1), round(y0, 1), round(max(x0, x1), 1), round(max(y0, y1), 1))
