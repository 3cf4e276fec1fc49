"""Images of pages of a library's documents, for people and for models that accept images.

The library stores text, not files: a page is rendered from the file it was read from, if that still has the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import PageImageUnavailable, PageOutOfRange, SourceLimit
from ..pages import Box
from ..sources.image import View
from ..sources.pool import render_apart
from ..sources.settings import ReaderSettings
from ..store.records import DocumentInfo, SourceKey
from .jobs import file_sha256

DPI = 120.0
"""Default resolution in pixels per inch: models accept the 1320 by 1020 pixels of a letter page without scaling them down."""
MAX_BYTES = 32 << 20
"""Largest PNG file in bytes; models accept a fifth of that at most."""


def page_image(
    info: DocumentInfo,
    source_key: SourceKey,
    page: int,
    boxes: Sequence[Box],
    *,
    dpi: float | None,
    password: str | None,
    reader: ReaderSettings,
) -> bytes:
    """Returns a page as a PNG file with boxes marked; see `Library.page_image`.

    Args:
        source_key: Source of the document.
        boxes: Boxes on the page as shown, in points, origin at the bottom left.
        dpi: Pixels per inch; None for `DPI`, or less where the page is very large.

    Raises:
        PageImageUnavailable: There is no file to render the page from, or it has changed.
        PageOutOfRange: The document has no such page.
        SourceError: The file cannot be read; SourceLimit where the image is too large or takes too long.
    """
    if dpi is not None and not dpi > 0:
        raise ValueError(f"dpi must be above zero, got {dpi}.")
    path = _file(info, source_key)
    if not 1 <= page <= info.page_count:
        raise PageOutOfRange(page, info.page_count)
    view = View(page, DPI if dpi is None else dpi, exact=dpi is not None)
    image = render_apart(path, info.name, view, password, reader=reader)
    png = (image.marked(boxes) if boxes else image).png()
    if len(png) > MAX_BYTES:
        raise SourceLimit(
            info.name, f"the image of page {page} has more than {MAX_BYTES >> 20} MiB.", "Ask for fewer dpi."
        )
    return png


def _file(info: DocumentInfo, source_key: SourceKey) -> Path:
    """Returns the file that the current revision was read from.

    Raises:
        PageImageUnavailable: There is none, or it has changed.
    """
    if info.kind != "pdf":
        raise PageImageUnavailable(
            info.name, f"its pages cannot be rendered: it is not a PDF, but {info.kind}.", "Read its text instead."
        )
    if source_key.kind != "path":
        what = "its pages cannot be rendered: it was not added from a file, and the library stores text only."
        raise PageImageUnavailable(info.name, what, "Add it from a file.")
    path = Path(source_key.place)
    try:
        sha256 = file_sha256(path) if path.is_file() else None
    except OSError:
        sha256 = None
    if sha256 is None:
        what = f"its pages cannot be rendered: its file, {source_key.place}, is gone or cannot be read."
        raise PageImageUnavailable(info.name, what, "Put it back, or add the document from its new path.")
    if sha256 != info.sha256:
        what = f"its pages cannot be rendered: its file, {source_key.place}, has changed since it was read."
        raise PageImageUnavailable(info.name, what, "Add it again, and search again.")
    return path
