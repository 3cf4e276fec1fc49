"""OCR of scanned pages: the engine that reads them, their orientation, and a cache of results.

An engine is any callable that takes the image of a page and returns its lines; the extra `thumbindex[ocr]` brings one. It gets
one page at a time, in shades of grey, upright as far as is known. Pages that it has read before are recognised by their pixels.
"""

from __future__ import annotations

from ..image import PageImage
from .cache import RecognitionCache
from .choice import Ocr, OcrChoice, OcrEngine, OcrProgress, engine_name, with_cache
from .rapid import RapidEngine
from .reading import OCR_CONFIDENCE, OCR_PAGES, read_scans
from .recognized import RecognizedLine

__all__ = [
    "OCR_CONFIDENCE",
    "OCR_PAGES",
    "Ocr",
    "OcrChoice",
    "OcrEngine",
    "OcrProgress",
    "PageImage",
    "RapidEngine",
    "RecognitionCache",
    "RecognizedLine",
    "engine_name",
    "read_scans",
    "with_cache",
]
