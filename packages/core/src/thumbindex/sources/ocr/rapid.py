"""The OCR engine of the extra `thumbindex[ocr]`."""

from __future__ import annotations

import os
import threading
from functools import cache
from importlib.util import find_spec
from typing import Any

from ...errors import MissingExtra
from ..image import PageImage
from .recognized import RecognizedLine


class RapidEngine:
    """The PP-OCR models in the RapidOCR package, on the CPU, without downloads. Reads Latin and Chinese characters.

    Args:
        threads: Threads of the models; defaults to one for each processor.

    Raises:
        MissingExtra: It is not installed.
    """

    DETECTION_SIDE = 1280
    """Pixels of the longer side of the image in which lines are detected; they are read in the whole image. Detection in the
    whole image takes twice the time and finds the same lines (30 pages at 200 dpi)."""

    def __init__(self, threads: int | None = None) -> None:
        if not self.is_installed():
            raise MissingExtra("ocr", "Reading scanned pages")
        self._threads = threads
        self.name = f"rapidocr {_version('rapidocr')} {self.DETECTION_SIDE}"

    @staticmethod
    def is_installed() -> bool:
        """Returns whether the packages are installed, without importing them."""
        return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime", "numpy"))

    def __call__(self, image: PageImage, /) -> list[RecognizedLine]:
        """Returns the lines of an image; one page at a time in a process."""
        import numpy

        grey = numpy.frombuffer(image.pixels, dtype=numpy.uint8).reshape(image.height, image.width)
        with _one_page:
            result = _models(self._threads or os.cpu_count() or 1)(numpy.stack([grey] * 3, axis=-1))
        if result.boxes is None or result.txts is None or result.scores is None:
            return []
        return [
            RecognizedLine(str(text), tuple((float(x), float(y)) for x, y in corners), float(score))  # type: ignore[arg-type]
            for text, corners, score in zip(result.txts, result.boxes, result.scores, strict=True)
        ]


_one_page = threading.Lock()


@cache
def _models(threads: int) -> Any:  # RapidOCR has no types
    """Returns the models, loaded once in a process."""
    from rapidocr import RapidOCR

    settings = {
        "Global.log_level": "error",
        # The orientation is determined for the page as a whole; for each line it would be a guess.
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
