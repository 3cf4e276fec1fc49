"""Documents of a library, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import SourceError
from ...ingest.bulk import FileResult
from ...library import DocumentInfo
from ...pages import format_runs
from ...text.characters import counted
from ..terminal import console, print_error, printable_line, styled

if TYPE_CHECKING:
    from rich.text import Text

_OUTCOMES = {"known": "  already there", "moved": "  moved"}


def print_documents(infos: Sequence[DocumentInfo]) -> None:
    """Prints one line per document."""
    for info in infos:
        console().print(document_line(info))


def print_removed(info: DocumentInfo) -> None:
    """Prints that a document was removed."""
    console().print(styled("Removed ", (printable_line(info.name), "bold"), (f"   id {info.doc_id}", "dim")))


def print_added(results: Sequence[FileResult]) -> None:
    """Prints one line per document that was added or removed."""
    for result in results:
        if result.document is not None and result.what != "removed":
            console().print(document_line(result.document), styled((_outcome(result), "dim")), sep="")
    for result in results:
        if result.what == "removed":
            console().print(styled("Removed ", (printable_line(result.source), "bold")))


def print_failed(results: Sequence[FileResult]) -> None:
    """Prints an error for each file that could not be added, and how many there are."""
    failed = [result for result in results if result.error is not None]
    for result in failed:
        error = result.error
        # The whole path, since two folders may contain files of the same name.
        text = f"{error.what} {error.remedy}" if isinstance(error, SourceError) else str(error)
        print_error(f"{result.source}: {text}")
    if failed and len(results) > 1:
        attempted = sum(result.what != "removed" for result in results)
        print_error(f"{len(failed)} of {attempted} files could not be added.")


def document_line(info: DocumentInfo) -> Text:
    """One document on one line, and a second line if some of its pages have no text."""
    size = f"{counted(info.page_count, 'page')}, " if info.page_count else ""
    # Files of the same name differ by their folders.
    folder = printable_line(info.source).removesuffix(printable_line(info.name))
    line = styled(
        (folder, "dim"),
        (printable_line(info.name), "bold"),
        f"  {size}{counted(info.section_count, 'section')} ({info.origin})",
        (f"   id {info.doc_id}", "dim"),
    )
    if info.pages_without_text:
        pages = format_runs(info.pages_without_text)
        line.append(f"\n  no text on pages {pages}: scanned? OCR makes them searchable", "yellow")
    return line


def _outcome(result: FileResult) -> str:
    info = result.document
    if result.what == "revised" and info is not None:
        return f"  revision {info.revision}: {info.reused_sections} of {info.section_count} sections unchanged"
    return _OUTCOMES.get(result.what, "")
