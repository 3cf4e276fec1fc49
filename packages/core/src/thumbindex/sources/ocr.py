"""Reading pages that are pictures: which engine reads them, from which side, and what is kept of what it read.

An engine is any callable that takes the picture of a page and gives its lines; the extra `thumbindex[ocr]` brings one. It
gets one page at a time, in shades of grey, the page upright as far as is known. Pages that it read before are recognised by
their pixels.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from typing import Any, Literal, Protocol

from ..errors import MissingExtra, NoTextLayer, OcrFailed
from ..pages import Document, Line, LineRange, Page, Style, format_runs
from ..text.garbled import is_garbled
from .image import PageImage
from .ocr_layout import ReadPage, RecognizedLine, lay_out, measure

__all__ = [
    "Ocr",
    "OcrChoice",
    "OcrEngine",
    "OcrProgress",
    "PageImage",
    "RecognitionCache",
    "RecognizedLine",
    "read_scans",
]

DPI = 200.0
"""Pixels in an inch that pages are pictured with: letters of 8 points are 22 pixels tall then."""
MAX_PIXELS = 8_000_000
"""Of a page for OCR: an A3 page at 200 dpi has 7.7 million. Scans whose pixels were taken for points have pages of a metre."""
SURE = 0.75
"""Mean confidence from which a page is taken to stand upright. Of 40 pages upside down none came above 0.68."""
FAINT = 0.5
"""Confidence below which a line is left out: it is more likely a drawing than words."""

FEWEST = 12
"""Letters below which nothing is said of the side that a page stands on."""
OCR_PAGES, OCR_CONFIDENCE = "ocr_pages", "ocr_confidence"
"""Keys of a document's metadata: which pages OCR read ("1-30, 41"), and how sure it was of their letters on average."""

Side = Literal[0, 1, 2, 3]


class OcrEngine(Protocol):
    """What reads the picture of a page. A function is one.

    An engine with an attribute `name: str` has what it read kept under it, where there is a place to keep it; change the
    name when it would read otherwise.
    """

    def __call__(self, image: PageImage, /) -> Sequence[RecognizedLine]:
        """The lines of the picture, in any order; cells of a table row may be lines of their own."""
        ...


@dataclass(frozen=True, slots=True)
class OcrProgress:
    """How far the scanned pages of a document are: `done` of `total`, the latest being `page`; `known` was read before."""

    document: str
    page: int
    done: int
    total: int
    known: bool = False


@dataclass(frozen=True, slots=True)
class Ocr:
    """How scanned pages are read.

    Args:
        engine: What reads them; "auto" takes that of `thumbindex[ocr]` where it is installed.
        cache: Where results are kept.
        dpi: Pixels in an inch of the pictures it is given.
        on_page: Called after each page, in the process that was asked to read: processes that add many files at once say
            nothing of their pages.
    """

    engine: OcrEngine | Literal["auto"] = "auto"
    cache: RecognitionCache | None = None
    dpi: float = DPI
    on_page: Callable[[OcrProgress], None] | None = None

    def __reduce__(self) -> tuple[type[Ocr], tuple[OcrEngine | str, RecognitionCache | None, float]]:
        return type(self), (self.engine, self.cache, self.dpi)


OcrChoice = Ocr | OcrEngine | Literal["auto", "off"]
"""How to read scanned pages: "auto" (with the extra where it is installed), "off", an engine, or `Ocr` for more."""


class RecognitionCache:
    """What engines read, by the pixels of the page, in an SQLite file of its own; safe to use from threads and processes.

    Nothing fails for its sake: where the file cannot be read or written, pages are read anew.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def get(self, key: str) -> tuple[Side, list[RecognizedLine]] | None:
        """From which side the page was read, and its lines."""
        with suppress(sqlite3.Error, ValueError, TypeError):
            if not self.path.exists():
                return None
            with closing(self._connect()) as connection:
                row = connection.execute("SELECT lines FROM recognized WHERE page = ?", (key,)).fetchone()
            if row is not None:
                side, lines = json.loads(row[0])
                return side, [RecognizedLine(text, tuple(map(tuple, corners)), sure) for text, corners, sure in lines]  # type: ignore[arg-type]
        return None

    def put(self, key: str, side: Side, lines: Sequence[RecognizedLine]) -> None:
        """Keep them."""
        kept = [(line.text, line.corners, round(line.confidence, 4)) for line in lines]
        with suppress(sqlite3.Error, OSError):
            # Made now, and not before something is kept; for this user alone, since it holds text.
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
            with closing(self._connect()) as connection, connection:
                connection.execute(
                    "INSERT OR REPLACE INTO recognized VALUES (?, ?)",
                    (key, json.dumps((side, kept), ensure_ascii=False)),
                )

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=10)
        connection.execute("CREATE TABLE IF NOT EXISTS recognized (page TEXT PRIMARY KEY, lines TEXT NOT NULL)")
        return connection


def kept_in(choice: OcrChoice, path: str) -> OcrChoice:
    """The same choice, its results kept in a file, unless it names a place for them itself."""
    if choice == "off":
        return choice
    settings = _settings(choice)
    return settings if settings.cache is not None else replace(settings, cache=RecognitionCache(path))


def _settings(choice: OcrChoice) -> Ocr:
    return choice if isinstance(choice, Ocr) else Ocr() if isinstance(choice, str) else Ocr(choice)


def engine_name(choice: OcrChoice) -> str:
    """What tells the results of one choice from those of another; empty where no engine reads."""
    engine = None if choice == "off" else _engine(_settings(choice))
    return "" if engine is None else str(getattr(engine, "name", repr(engine)))


Render = Callable[[int, float, Side], PageImage]
"""The picture of a page, in shades of grey: its number, pixels in an inch, and quarter turns clockwise."""


def read_scans(document: Document, render: Render, choice: OcrChoice) -> Document:
    """The document with the text of its scanned pages, as far as they can be read.

    Where there is no engine they stay among `scanned`; a page in which one found nothing is a page without text.

    Raises:
        NoTextLayer: the document has no text, and none could be read.
        OcrFailed: the engine failed on a page.
    """
    settings = _settings(choice)
    engine = None if choice == "off" or not document.scanned else _engine(settings)
    if engine is not None:
        document = _read(document, render, engine, settings)
    if not document.lines:
        raise _nothing_read(document, engine, choice)
    return document


def _engine(settings: Ocr) -> OcrEngine | None:
    if settings.engine != "auto":
        return settings.engine
    return RapidEngine() if RapidEngine.is_installed() else None


def _nothing_read(document: Document, engine: OcrEngine | None, choice: OcrChoice) -> NoTextLayer:
    count = len(document.pages or ())
    if engine is not None:
        what = f"its {count} pages are pictures, and OCR read no text in them."
        return NoTextLayer(
            document.name, what, "Check that this is the right file, or scan it with more contrast.", count
        )
    remedy = (
        "Leave ocr='off' out to read them."
        if choice == "off" and RapidEngine.is_installed()
        else "Read them with OCR: pip install 'thumbindex[ocr]', or pass an engine of yours as ocr=..."
    )
    return NoTextLayer(
        document.name, f"none of its {count} pages has a text layer: they are scanned images.", remedy, count
    )


def _read(document: Document, render: Render, engine: OcrEngine, settings: Ocr) -> Document:
    read: dict[int, ReadPage] = {}
    side: Side = 0
    for done, number in enumerate(document.scanned, 1):
        page = (document.pages or ())[number - 1]
        pictures = _Pictures(document.name, number, _dpi(page, settings), render)
        lines, image, side, known = _recognize(pictures, engine, settings, side)
        lines = [line for line in lines if line.confidence >= FAINT and line.text.strip()]
        # A caption beside a photograph is worth more than what OCR makes of the photograph.
        own = " ".join(line.text for line in document.page_lines(page))
        if lines and (_letters(lines) > len(own) or is_garbled(own)):
            read[number] = measure(lines, image, side)
        if settings.on_page is not None:
            settings.on_page(OcrProgress(document.name, number, done, len(document.scanned), known))
    return _with_text(document, read)


def _dpi(page: Page, settings: Ocr) -> float:
    area = page.width * page.height / 72**2
    return min(settings.dpi, sqrt(MAX_PIXELS / max(area, 1e-6)))


@dataclass(frozen=True, slots=True)
class _Pictures:
    """The pictures of one page, from each side."""

    document: str
    number: int
    dpi: float
    render: Render

    def from_side(self, side: Side) -> PageImage:
        return self.render(self.number, self.dpi, side)

    def read(self, engine: OcrEngine, image: PageImage) -> Sequence[RecognizedLine]:
        """What the engine makes of one of them."""
        try:
            lines = engine(image)
            if not all(isinstance(line, RecognizedLine) for line in lines):
                raise TypeError("an engine returns a sequence of RecognizedLine")
        except Exception as error:
            what = f"the OCR engine failed on page {self.number} ({type(error).__name__}: {error})."
            raise OcrFailed(self.document, what, "Mend the engine, or leave scans unread with ocr='off'.") from error
        return lines


def _recognize(
    pictures: _Pictures, engine: OcrEngine, settings: Ocr, guess: Side
) -> tuple[Sequence[RecognizedLine], PageImage, Side, bool]:
    """The lines of a page, the picture that shows them upright, from which side that is, and whether they were known."""
    image = pictures.from_side(0)
    name = getattr(engine, "name", None)
    key = _key(image, name) if isinstance(name, str) else None
    if settings.cache is not None and key is not None:
        kept = settings.cache.get(key)
        if kept is not None:
            return kept[1], image if kept[0] == 0 else pictures.from_side(kept[0]), kept[0], True
    side = guess
    if side != 0:
        image = pictures.from_side(side)
    lines = pictures.read(engine, image)
    if not _stands_upright(lines):
        sideways = sum(line.is_sideways for line in lines) > len(lines) / 2
        for turn in (1, 3) if sideways else (2,):
            other: Side = (guess + turn) % 4  # type: ignore[assignment]
            turned = pictures.from_side(other)
            found = pictures.read(engine, turned)
            if _worth(found) > _worth(lines):
                lines, image, side = found, turned, other
            if _stands_upright(found):
                break
    if settings.cache is not None and key is not None:
        settings.cache.put(key, side, lines)
    return lines, image, side, False


def _key(image: PageImage, engine: str) -> str:
    digest = hashlib.sha256(f"{engine}\0{image.width}\0{image.height}\0".encode())
    digest.update(image.pixels)
    return digest.hexdigest()


def _letters(lines: Sequence[RecognizedLine]) -> int:
    return sum(len(line.text) for line in lines)


def _stands_upright(lines: Sequence[RecognizedLine]) -> bool:
    """Whether these are the lines of a page that stands on its foot; a page almost without text is taken to do so."""
    letters = _letters(lines)
    return letters < FEWEST or _worth(lines) >= SURE * letters


def _worth(lines: Sequence[RecognizedLine]) -> float:
    """Letters that were read, by how sure the engine was; those of lines that run up or down count nothing."""
    return sum(line.confidence * len(line.text) for line in lines if not line.is_sideways)


def _with_text(document: Document, read: dict[int, ReadPage]) -> Document:
    """The document with lines for the pages that were read, in the place of what they had."""
    if not read:
        return replace(document, scanned=())
    styles: Counter[Style] = Counter()
    for page in document.pages or ():
        if page.number not in read:
            for line in document.page_lines(page):
                if line.style is not None:
                    styles[line.style] += len(line.text)
    used = [style for style, _ in styles.most_common()]
    laid_out = dict(zip(read, lay_out(list(read.values()), used), strict=True))
    lines: list[Line] = []
    pages: list[Page] = []
    for page in document.pages or ():
        own = laid_out.get(page.number, document.page_lines(page))
        span = LineRange(len(lines) + 1, len(lines) + len(own)) if own else None
        lines.extend(own)
        if page.number in read:
            scan = read[page.number]
            page = replace(page, turned=scan.turned, ocr=scan.confidence)
        pages.append(replace(page, lines=span))
    letters = {number: sum(len(line.text) for line in laid_out[number]) for number in read}
    sure = sum(read[number].confidence * letters[number] for number in read) / max(sum(letters.values()), 1)
    metadata = {**document.metadata, OCR_PAGES: format_runs(read), OCR_CONFIDENCE: round(sure, 3)}
    return replace(document, lines=tuple(lines), pages=tuple(pages), scanned=(), metadata=metadata)


# The engine of the extra


class RapidEngine:
    """The PP-OCR models that ship with RapidOCR, on the processor: nothing is downloaded. Reads Latin and Chinese letters.

    Raises:
        MissingExtra: it is not installed.
    """

    DETECTION_SIDE = 1280
    """Pixels of the longer side in which lines are looked for; they are read in all of the picture. The whole picture takes
    twice the time and finds the same lines (30 pages at 200 dpi)."""

    def __init__(self, threads: int | None = None) -> None:
        if not self.is_installed():
            raise MissingExtra("ocr", "Reading scanned pages")
        self._threads = threads
        self.name = f"rapidocr {_version('rapidocr')} {self.DETECTION_SIDE}"

    @staticmethod
    def is_installed() -> bool:
        """Whether the packages are there; they are not loaded for it."""
        return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime", "numpy"))

    def __call__(self, image: PageImage, /) -> list[RecognizedLine]:
        """The lines of the picture; one page at a time in a process, on all its processors."""
        import numpy

        grey = numpy.frombuffer(image.pixels, dtype=numpy.uint8).reshape(image.height, image.width)
        with _one_page:
            found = _models(self._threads or os.cpu_count() or 1)(numpy.stack([grey] * 3, axis=-1))
        if found.boxes is None or found.txts is None or found.scores is None:
            return []
        return [
            RecognizedLine(str(text), tuple((float(x), float(y)) for x, y in corners), float(score))  # type: ignore[arg-type]
            for text, corners, score in zip(found.txts, found.boxes, found.scores, strict=True)
        ]


_one_page = threading.Lock()


@cache
def _models(threads: int) -> Any:  # RapidOCR has no types
    """The models, loaded once in a process."""
    from rapidocr import RapidOCR

    settings = {
        "Global.log_level": "error",
        # Which side is up is found out for the page as a whole; for each line it is a guess that may be wrong.
        "Global.use_cls": False,
        "Det.limit_type": "max",
        "Det.limit_side_len": RapidEngine.DETECTION_SIDE,
        "EngineConfig.onnxruntime.intra_op_num_threads": threads,
    }
    return RapidOCR(params=settings)


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
