"""Reading one page of a PDF: its lines, its size, and whether it is a scan."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as raw

from ...text.garbled import is_garbled
from ..columns import Row
from .lines import PageLines
from .styles import StyleTable

STAMP_CHARACTERS = 100
"""Characters below which the text of a page that is one image is a stamp or a number, and not what the image shows."""
SCAN_SHARE = 0.85
"""Share of a page's area from which images make it a scan. Scanners leave a margin, and some cut a page into strips."""
MAX_OBJECTS = 1000
"""Objects of a page that are examined, from the first: a drawing may consist of very many."""

_IMAGES = (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)
_DRAWN = (*_IMAGES, raw.FPDF_PAGEOBJ_PATH)


@dataclass(slots=True)
class PageText:
    """The lines of one page, and facts about it.

    Args:
        rows: Lines in the order of the file; boxes in coordinates in which the page's text reads upright.
        width: Width of the page as shown, in points.
        height: Height of the page as shown, in points.
        turned: Rotation of the text against the page as shown, in degrees counter-clockwise.
        is_scan: Whether OCR should read the page.
    """

    rows: list[Row]
    width: float
    height: float
    turned: int = 0
    is_scan: bool = False


def read_page(page: object, styles: StyleTable) -> PageText:
    """Reads a loaded page; its styles are added to those of the document."""
    width, height = raw.FPDF_GetPageWidthF(page), raw.FPDF_GetPageHeightF(page)
    text_page = raw.FPDFText_LoadPage(page)
    if not text_page:
        return PageText([], width, height)
    try:
        rotation = raw.FPDFPage_GetRotation(page) % 4
        lines = PageLines(text_page, width, height, page_corner(page), rotation, styles)
        rows = lines.rows()
    finally:
        raw.FPDFText_ClosePage(text_page)
    return PageText(rows, width, height, lines.turned, _is_scan(page, rows))


def page_corner(page: object) -> tuple[float, float]:
    """Returns the lower left corner of the visible part of a page, in the page's own coordinates in points."""
    bounds = raw.FS_RECTF()
    return (bounds.left, bounds.bottom) if raw.FPDF_GetPageBoundingBox(page, bounds) else (0.0, 0.0)


def _is_scan(page: object, rows: list[Row]) -> bool:
    """Returns whether OCR may read what the text layer does not give.

    Characters may be drawn as paths, so a page without text is worth reading as soon as anything is drawn on it.
    """
    if not rows:
        return any(kind in _DRAWN for kind, _ in _objects(page))
    characters = 0
    for row in rows:
        characters += len(row[0])
        if characters >= STAMP_CHARACTERS:
            break
    else:
        return _image_share(page) >= SCAN_SHARE
    return is_garbled(" ".join([row[0] for row in rows]))


def _image_share(page: object) -> float:
    """Returns the share of the page's area that its images cover."""
    bounds = raw.FS_RECTF()
    if not raw.FPDF_GetPageBoundingBox(page, bounds):
        return 0.0
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    area = 0.0
    for kind, item in _objects(page):
        if kind in _IMAGES and raw.FPDFPageObj_GetBounds(item, left, bottom, right, top):
            width = min(right.value, bounds.right) - max(left.value, bounds.left)
            height = min(top.value, bounds.top) - max(bottom.value, bounds.bottom)
            area += max(0.0, width) * max(0.0, height)
    return area / max(float((bounds.right - bounds.left) * (bounds.top - bounds.bottom)), 1.0)


def _objects(page: object) -> Iterator[tuple[int, Any]]:
    """Yields kind and handle of the page's first objects, at most `MAX_OBJECTS`."""
    for number in range(min(raw.FPDFPage_CountObjects(page), MAX_OBJECTS)):
        item = raw.FPDFPage_GetObject(page, number)
        yield raw.FPDFPageObj_GetType(item), item
