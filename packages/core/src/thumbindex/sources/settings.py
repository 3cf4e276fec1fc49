"""Settings for reading files: the process, the limits, and the OCR engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .ocr import OcrChoice

Isolation = Literal["process", "none"]
"""Process in which files are parsed: one of their own, or the caller's."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of reading one file, and of the life of a reader process.

    Time and memory are limited in reader processes only, and so not with `isolation="none"`; the size of a file always is.

    Args:
        seconds: Wall time for one file, whatever its size; and for the image of one page.
        seconds_per_megabyte: Wall time added for each megabyte of the file.
        memory: Resident memory in bytes (enforced on Linux and macOS).
        file_size: Largest file in bytes. The largest annual reports have some 100 MB.
        documents: Documents after which a process is replaced, since PDFium retains some memory of each.
    """

    seconds: float = 120.0
    seconds_per_megabyte: float = 5.0
    memory: int = 2 << 30
    file_size: int = 1 << 30
    documents: int = 200

    def __post_init__(self) -> None:
        above_zero = (self.seconds, self.memory, self.file_size, self.documents)
        # Not `min() <= 0`, which accepts a NaN.
        if not all(value > 0 for value in above_zero) or not self.seconds_per_megabyte >= 0:
            raise ValueError(f"Limits must be above zero, got {self}.")

    def seconds_for(self, size: int) -> float:
        """Returns the wall time in seconds for a file of `size` bytes."""
        return self.seconds + self.seconds_per_megabyte * size / 1e6


LIMITS = Limits()
"""Default limits."""


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """Settings for reading files; `build_tree` takes the same settings as arguments.

    Args:
        isolation: Process in which files are parsed.
        limits: Limits of reading one file.
        ocr: OCR of scanned pages: "auto", "off", or an engine.
    """

    isolation: Isolation = "process"
    limits: Limits = LIMITS
    ocr: OcrChoice = "auto"

    def __post_init__(self) -> None:
        # A misspelt word must not turn isolation off.
        if self.isolation not in ("process", "none"):
            raise ValueError(f"isolation must be 'process' or 'none', got {self.isolation!r}.")
        if not isinstance(self.limits, Limits):
            raise TypeError(f"limits must be thumbindex.Limits, got {self.limits!r}.")


READER = ReaderSettings()
"""Default settings."""
