"""Pictures of a library's pages, made from the files that they came from: for people, and for models that see.

The library keeps text, not files. A picture is made only from a file that still holds the very bytes that were read.
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
"""A letter page has 1320 by 1020 pixels then, which models that see take without shrinking it."""
MAX_BYTES = 32 << 20
"""Of one PNG file; models take a fifth of that at most."""


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
    """A page as PNG with boxes marked; see `Library.page_image`.

    Args:
        source_key: Where the document came from.
        boxes: On the page as shown; points, origin at the bottom left.
        dpi: None takes the usual resolution, or less where the page is very large.
    """
    if dpi is not None and not dpi > 0:
        raise ValueError(f"dpi is above zero, got {dpi}.")
    path = _file(info, source_key)
    if not 1 <= page <= info.page_count:
        raise PageOutOfRange(page, info.page_count)
    view = View(page, DPI if dpi is None else dpi, exact=dpi is not None)
    image = render_apart(path, info.name, view, password, reader=reader)
    png = (image.marked(boxes) if boxes else image).png()
    if len(png) > MAX_BYTES:
        raise SourceLimit(
            info.name, f"the picture of page {page} has more than {MAX_BYTES >> 20} MiB.", "Ask for fewer dpi."
        )
    return png


def _file(info: DocumentInfo, source_key: SourceKey) -> Path:
    """The file that the present revision was read from.

    Raises:
        PageImageUnavailable: there is none, or it has changed.
    """
    if info.kind != "pdf":
        raise PageImageUnavailable(
            info.name, f"there are no pictures of its pages: it is no PDF, but {info.kind}.", "Read its text instead."
        )
    if source_key.kind != "path":
        what = "its pages cannot be pictured: it was not added from a file, and the library keeps text alone."
        raise PageImageUnavailable(info.name, what, "Add it from a file.")
    path = Path(source_key.place)
    try:
        sha256 = file_sha256(path) if path.is_file() else None
    except OSError:
        sha256 = None
    if sha256 is None:
        what = f"its pages cannot be pictured: its file, {source_key.place}, is gone or cannot be read."
        raise PageImageUnavailable(info.name, what, "Put it back, or add the document from where it is now.")
    if sha256 != info.sha256:
        what = f"its pages cannot be pictured: its file, {source_key.place}, has changed since it was read."
        raise PageImageUnavailable(info.name, what, "Add it again, and search again.")
    return path
