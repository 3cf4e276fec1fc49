"""The options of reading files, as one value."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from ..sources.ocr import Ocr, OcrChoice, OcrProgress, RecognitionCache
from ..sources.settings import LIMITS, Limits
from .cache import ocr_file
from .limits import parse_limits
from .options import Scans


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """The options for reading the files of one command.

    Args:
        password: Opens encrypted PDF files.
        cached: Whether the user's cache may hold what was read. Files opened with a password are never cached: the cache
            would hold their text in the clear.
    """

    password: str | None = None
    limits: Limits = LIMITS
    scans: Scans = Scans.auto
    cached: bool = True

    @classmethod
    def parse(
        cls,
        *,
        password: str | None = None,
        password_stdin: bool = False,
        limits: Sequence[str] | None = None,
        scans: Scans = Scans.auto,
        no_cache: bool = False,
    ) -> ReadingOptions:
        """Checks the values of the command line.

        Raises:
            typer.BadParameter: two options exclude each other, or a limit is malformed.
        """
        try:
            parsed = parse_limits(limits or ())
        except ValueError as error:
            raise typer.BadParameter(f"--limit: {error}") from None
        if password_stdin:
            if password is not None:
                raise typer.BadParameter("--password and --password-stdin cannot be given together.")
            password = sys.stdin.readline().rstrip("\r\n")
        return cls(password, parsed, scans, cached=password is None and not no_cache)

    def ocr(self, show: Callable[[str], None], *, own_cache: bool = True) -> OcrChoice:
        """The engine that reads scanned pages, or "off".

        Args:
            show: Called with a line of progress for each page.
            own_cache: Whether recognised pages are stored in the user's cache, for all files alike; False where a library
                stores them beside its own file.
        """
        if self.scans is Scans.off:
            return "off"

        def on_page(progress: OcrProgress) -> None:
            name = Path(progress.document).name
            show(f"Reading {name}: page {progress.page} by OCR, {progress.done} of {progress.total}")

        store = RecognitionCache(ocr_file()) if own_cache and self.cached else None
        return Ocr(cache=store, on_page=on_page)
