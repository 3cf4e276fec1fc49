"""Settings of OCR, and the choice of an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from ..image import PageImage
from .cache import RecognitionCache
from .rapid import RapidEngine
from .recognized import RecognizedLine

DPI = 200.0
"""Pixels per inch of the images that engines read: characters of 8 points are 22 pixels tall."""


class OcrEngine(Protocol):
    """Reads the image of a page; a function can be an engine.

    The results of an engine with an attribute `name: str` are cached under that name, where there is a cache; change the name
    when the results would change.
    """

    def __call__(self, image: PageImage, /) -> Sequence[RecognizedLine]:
        """Returns the lines of an image, in any order; cells of a table row may be lines of their own."""
        ...


@dataclass(frozen=True, slots=True)
class OcrProgress:
    """Progress in reading the scanned pages of a document.

    Args:
        document: Name of the document.
        page: Physical page that was read last.
        done: Number of pages that were read.
        total: Number of scanned pages.
        known: Whether the page was in the cache.
    """

    document: str
    page: int
    done: int
    total: int
    known: bool = False


@dataclass(frozen=True, slots=True)
class Ocr:
    """Settings of OCR.

    Args:
        engine: The engine; "auto" for that of `thumbindex[ocr]`, if it is installed.
        cache: Cache of results.
        dpi: Pixels per inch of the images that the engine reads.
        on_page: Called after each page, in the process of the caller only: processes that add many files at once do not
            report their pages.
    """

    engine: OcrEngine | Literal["auto"] = "auto"
    cache: RecognitionCache | None = None
    dpi: float = DPI
    on_page: Callable[[OcrProgress], None] | None = None

    def __reduce__(self) -> tuple[type[Ocr], tuple[OcrEngine | str, RecognitionCache | None, float]]:
        return type(self), (self.engine, self.cache, self.dpi)

    def find_engine(self) -> OcrEngine | None:
        """Returns the engine; None for "auto" if the extra is not installed."""
        if self.engine != "auto":
            return self.engine
        return RapidEngine() if RapidEngine.is_installed() else None


OcrChoice = Ocr | OcrEngine | Literal["auto", "off"]
"""OCR of scanned pages: "auto" (the extra, if it is installed), "off", an engine, or `Ocr` for more settings."""


def as_ocr(choice: OcrChoice) -> Ocr:
    """Returns the settings for a choice other than "off"."""
    return choice if isinstance(choice, Ocr) else Ocr() if isinstance(choice, str) else Ocr(choice)


def with_cache(choice: OcrChoice, path: str) -> OcrChoice:
    """Returns a choice whose results are cached in a file, unless it has a cache of its own."""
    if choice == "off":
        return choice
    settings = as_ocr(choice)
    return settings if settings.cache is not None else replace(settings, cache=RecognitionCache(path))


def engine_name(choice: OcrChoice) -> str:
    """Returns a name that identifies the results of a choice; empty without an engine."""
    engine = None if choice == "off" else as_ocr(choice).find_engine()
    return "" if engine is None else str(getattr(engine, "name", repr(engine)))
