"""Opening what a command works on: a library file, or files that are read for this command alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import typer

from ..errors import LibraryError, ThumbIndexError
from ..library import Library
from ..sources.folders import SUFFIXES
from ..sources.ocr import OcrChoice
from ..sources.settings import LIMITS, Limits
from .cache import OpenLibrary, with_files
from .exit_codes import ExitCode
from .progress import StatusLine
from .reading import ReadingOptions
from .terminal import print_error

Result = TypeVar("Result")


@contextmanager
def open_library(
    path: Path, *, create: bool = False, limits: Limits = LIMITS, ocr: OcrChoice = "auto"
) -> Iterator[Library]:
    """Opens a library file.

    Raises:
        LibraryError: there is no file and `create` is false, or it is not a library.
    """
    if not create:
        require_library(path)
    with Library(path, limits=limits, ocr=ocr) as library:
        yield library


def require_library(path: Path) -> None:
    """Raises LibraryError if there is no file at that path."""
    if not path.exists():
        raise LibraryError(f"There is no library {path}. Create one: thumbindex add FILES --library {path}")


def use_library(path: Path, use: Callable[[OpenLibrary, StatusLine], Result]) -> Result:
    """Calls `use` with the library of a file."""
    with open_library(path) as library, StatusLine(f"Opening {path}") as status:
        return use(OpenLibrary(library), status)


def use_files(
    files: Sequence[Path], use: Callable[[OpenLibrary, StatusLine], Result], options: ReadingOptions
) -> tuple[Result, tuple[ThumbIndexError, ...]]:
    """Calls `use` with a library of these files alone.

    Returns:
        What `use` returns, and an error for each file that could not be read.

    Raises:
        typer.Exit: the folders contain no documents.
        SourceError, MissingExtra: no file could be read.
    """
    require_documents(files)
    shown = files[0].name if len(files) == 1 else f"{len(files)} files"
    with StatusLine(f"Reading {shown}") as status:
        return with_files(
            files,
            lambda opened: (use(opened, status), opened.failures),
            password=options.password,
            cached=options.cached,
            limits=options.limits,
            ocr=options.ocr(status.update),
        )


def require_documents(files: Sequence[Path]) -> None:
    """Ends the command if the folders that were named contain no documents."""
    if not files:
        print_error(f"There are no documents in these folders. Supported: {', '.join(SUFFIXES)}.")
        raise typer.Exit(ExitCode.NOTHING_FOUND)


def report_failures(failures: Sequence[ThumbIndexError]) -> None:
    """Prints an error for each file that could not be read, and ends the command if there is one."""
    for failure in failures:
        print_error(str(failure))
    if failures:
        raise typer.Exit(ExitCode.NOTHING_FOUND)
