"""How files are read: where, within which limits, and with what engine for scans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .ocr import OcrChoice

Isolation = Literal["process", "none"]
"""Where files are parsed: in a process of its own, or in the caller's."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading one file may take, and when a reader process is replaced.

    Time and memory hold for reader processes alone, which `isolation="none"` does without; the size of a file always holds.

    Args:
        seconds: Wall time for one file, whatever its size; and for the picture of one page.
        seconds_per_megabyte: Wall time added for each megabyte of the file.
        memory: Bytes of resident memory (enforced on Linux and macOS).
        file_size: Bytes of the largest file that is read. The largest annual reports have some 100 MB.
        documents: A process that has read so many is replaced, since PDFium keeps some memory of each.
    """

    seconds: float = 120.0
    seconds_per_megabyte: float = 5.0
    memory: int = 2 << 30
    file_size: int = 1 << 30
    documents: int = 200

    def __post_init__(self) -> None:
        above_zero = (self.seconds, self.memory, self.file_size, self.documents)
        # Not `min() <= 0`: that lets a NaN through.
        if not all(value > 0 for value in above_zero) or not self.seconds_per_megabyte >= 0:
            raise ValueError(f"Limits are above zero, got {self}.")

    def seconds_for(self, size: int) -> float:
        """Wall time for a file of `size` bytes."""
        return self.seconds + self.seconds_per_megabyte * size / 1e6


LIMITS = Limits()
"""What holds unless something else is asked for."""


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """How files are read; see `build_tree`, which takes the same one by one."""

    isolation: Isolation = "process"
    limits: Limits = LIMITS
    ocr: OcrChoice = "auto"

    def __post_init__(self) -> None:
        # A word that is misspelt must not turn isolation off.
        if self.isolation not in ("process", "none"):
            raise ValueError(f"isolation is 'process' or 'none', got {self.isolation!r}.")
        if not isinstance(self.limits, Limits):
            raise TypeError(f"limits takes thumbindex.Limits, got {self.limits!r}.")


READER = ReaderSettings()
"""How files are read unless something else is asked for."""
