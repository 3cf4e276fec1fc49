"""Reading the scanned pages of a document with an OCR engine, whichever way up they are."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from ...errors import NoTextLayer, OcrFailed
from ...pages import Document, Line, LineRange, Page, Style, format_runs
from ...text.garbled import is_garbled
from ..image import POINTS_PER_INCH, PageImage
from .choice import Ocr, OcrChoice, OcrEngine, OcrProgress, as_ocr
from .layout import lay_out
from .measure import ReadPage, measure
from .rapid import RapidEngine
from .recognized import RecognizedLine, Side

MAX_PIXELS = 8_000_000
"""Pixels of an image for OCR: an A3 page at 200 dpi has 7.7 million. Scans whose pixels were mistaken for points have pages of a
metre."""
UPRIGHT_CONFIDENCE = 0.75
"""Mean confidence from which a page is upright. Of 40 pages upside down none exceeded 0.68."""
MIN_CONFIDENCE = 0.5
"""Confidence below which a line is left out: it is more likely a drawing than text."""
MIN_CHARACTERS = 12
"""Characters below which the orientation of a page is unknown, and taken to be upright."""
OCR_PAGES, OCR_CONFIDENCE = "ocr_pages", "ocr_confidence"
"""Keys of a document's metadata: the pages that OCR has read ("1-30, 41"), and its mean confidence per character."""
_SMALLEST_AREA = 1e-6
"""Square inches that a page is taken to have at least."""

Render = Callable[[int, float, Side], PageImage]
"""Renders a page in shades of grey: takes its number, the resolution in pixels per inch, and quarter turns clockwise."""


def read_scans(document: Document, render: Render, choice: OcrChoice) -> Document:
    """Returns the document with the text of its scanned pages, as far as they can be read.

    Without an engine they remain in `scanned`; a page in which the engine finds nothing is a page without text.

    Raises:
        NoTextLayer: The document has no text, and none could be read.
        OcrFailed: The engine failed on a page.
    """
    settings = as_ocr(choice)
    engine = None if choice == "off" or not document.scanned else settings.find_engine()
    if engine is not None:
        document = _read(document, render, engine, settings)
    if not document.lines:
        raise _no_text(document, engine, choice)
    return document


def _no_text(document: Document, engine: OcrEngine | None, choice: OcrChoice) -> NoTextLayer:
    count = len(document.pages or ())
    if engine is not None:
        what = f"its {count} pages are images, and OCR found no text in them."
        return NoTextLayer(
            document.name, what, "Check that this is the right file, or scan it with more contrast.", count
        )
    remedy = (
        "Leave ocr='off' out to read them."
        if choice == "off" and RapidEngine.is_installed()
        else "Read them with OCR: pip install 'thumbindex[ocr]', or pass an engine of your own as ocr=..."
    )
    return NoTextLayer(
        document.name, f"none of its {count} pages has a text layer: they are scanned images.", remedy, count
    )


def _read(document: Document, render: Render, engine: OcrEngine, settings: Ocr) -> Document:
    read_pages: dict[int, ReadPage] = {}
    side: Side = 0
    for done, number in enumerate(document.scanned, 1):
        page = (document.pages or ())[number - 1]
        images = _Images(document.name, number, _dpi(page, settings), render)
        recognition = _recognize(images, engine, settings, side)
        side = recognition.side
        lines = [line for line in recognition.lines if line.confidence >= MIN_CONFIDENCE and line.text.strip()]
        # A caption beside a photograph is worth more than what OCR makes of the photograph.
        own = " ".join(line.text for line in document.page_lines(page))
        if lines and (_characters(lines) > len(own) or is_garbled(own)):
            read_pages[number] = measure(lines, recognition.image, side)
        if settings.on_page is not None:
            total = len(document.scanned)
            settings.on_page(OcrProgress(document.name, number, done, total, recognition.is_cached))
    return _with_text(document, read_pages)


def _dpi(page: Page, settings: Ocr) -> float:
    area = page.width * page.height / POINTS_PER_INCH**2
    return min(settings.dpi, sqrt(MAX_PIXELS / max(area, _SMALLEST_AREA)))


@dataclass(frozen=True, slots=True)
class _Images:
    """The images of one page, in each orientation."""

    document: str
    number: int
    dpi: float
    render: Render

    def turned(self, side: Side) -> PageImage:
        return self.render(self.number, self.dpi, side)

    def read(self, engine: OcrEngine, image: PageImage) -> Sequence[RecognizedLine]:
        try:
            lines = engine(image)
            if not all(isinstance(line, RecognizedLine) for line in lines):
                raise TypeError("an engine returns a sequence of RecognizedLine")
        except Exception as error:
            what = f"the OCR engine failed on page {self.number} ({type(error).__name__}: {error})."
            raise OcrFailed(self.document, what, "Fix the engine, or leave scans unread with ocr='off'.") from error
        return lines


@dataclass(frozen=True, slots=True)
class _Recognition:
    """The lines of a page, the image that shows it upright, its orientation, and whether it was in the cache."""

    lines: Sequence[RecognizedLine]
    image: PageImage
    side: Side
    is_cached: bool = False


def _recognize(images: _Images, engine: OcrEngine, settings: Ocr, guess: Side) -> _Recognition:
    """Reads a page, first in the orientation of the page before, and if that fails in others."""
    image = images.turned(0)
    name = getattr(engine, "name", None)
    key = _key(image, name) if isinstance(name, str) else None
    if settings.cache is not None and key is not None:
        cached = settings.cache.get(key)
        if cached is not None:
            side, cached_lines = cached
            return _Recognition(cached_lines, image if side == 0 else images.turned(side), side, is_cached=True)
    side = guess
    if side != 0:
        image = images.turned(side)
    lines = images.read(engine, image)
    if not _is_upright(lines):
        is_sideways = sum(line.is_sideways for line in lines) > len(lines) / 2
        for turn in (1, 3) if is_sideways else (2,):
            other: Side = (guess + turn) % 4  # type: ignore[assignment]
            other_image = images.turned(other)
            other_lines = images.read(engine, other_image)
            if _score(other_lines) > _score(lines):
                lines, image, side = other_lines, other_image, other
            if _is_upright(other_lines):
                break
    if settings.cache is not None and key is not None:
        settings.cache.put(key, side, lines)
    return _Recognition(lines, image, side)


def _key(image: PageImage, engine: str) -> str:
    digest = hashlib.sha256(f"{engine}\0{image.width}\0{image.height}\0".encode())
    digest.update(image.pixels)
    return digest.hexdigest()


def _characters(lines: Sequence[RecognizedLine]) -> int:
    return sum(len(line.text) for line in lines)


def _is_upright(lines: Sequence[RecognizedLine]) -> bool:
    """Returns whether a page with these lines is upright; a page almost without text is."""
    characters = _characters(lines)
    return characters < MIN_CHARACTERS or _score(lines) >= UPRIGHT_CONFIDENCE * characters


def _score(lines: Sequence[RecognizedLine]) -> float:
    """Returns the sum of the confidences of all characters, without those of lines that run up or down."""
    return sum(line.confidence * len(line.text) for line in lines if not line.is_sideways)


def _with_text(document: Document, read_pages: dict[int, ReadPage]) -> Document:
    """Returns the document with the lines that were read in place of those that their pages had."""
    if not read_pages:
        return replace(document, scanned=())
    styles: Counter[Style] = Counter()
    for page in document.pages or ():
        if page.number not in read_pages:
            for line in document.page_lines(page):
                if line.style is not None:
                    styles[line.style] += len(line.text)
    used = [style for style, _ in styles.most_common()]
    laid_out = dict(zip(read_pages, lay_out(list(read_pages.values()), used), strict=True))
    lines: list[Line] = []
    pages: list[Page] = []
    for page in document.pages or ():
        page_lines = laid_out.get(page.number, document.page_lines(page))
        span = LineRange(len(lines) + 1, len(lines) + len(page_lines)) if page_lines else None
        lines.extend(page_lines)
        if page.number in read_pages:
            scan = read_pages[page.number]
            page = replace(page, turned=scan.turned, ocr=scan.confidence)
        pages.append(replace(page, lines=span))
    characters = {number: sum(len(line.text) for line in laid_out[number]) for number in read_pages}
    total = max(sum(characters.values()), 1)
    confidence = sum(read_pages[number].confidence * characters[number] for number in read_pages) / total
    metadata = {**document.metadata, OCR_PAGES: format_runs(read_pages), OCR_CONFIDENCE: round(confidence, 3)}
    return replace(document, lines=tuple(lines), pages=tuple(pages), scanned=(), metadata=metadata)
