"""Rendering a page of a PDF as an image."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pypdfium2.raw as raw

from ...errors import DamagedSource, SourceLimit
from ..image import POINTS_PER_INCH, PageImage, View
from .opening import open_pdf

_SMALLEST_AREA = 1e-6
"""Square inches that a page is taken to have at least: a page without any area has no limit of resolution."""
_WHITE = 0xFFFFFFFF


def render_page(data: bytes | Path, name: str, view: View, password: str | None = None) -> PageImage:
    """Returns a page as an image, with its annotations and the contents of its form fields.

    Raises:
        SourceError: The file cannot be opened; DamagedSource where it has no such page or cannot load it; SourceLimit
            where the view is `exact` and too large.
    """
    pdf = open_pdf(data, name, password)
    try:
        handle = raw.FPDF_LoadPage(pdf.raw, view.page - 1)
        if not handle:
            what = f"its page {view.page} is missing or cannot be loaded."
            raise DamagedSource(name, what, "Open it in a viewer and save it again.")
        try:
            return _render(handle, name, view)
        finally:
            raw.FPDF_ClosePage(handle)
    finally:
        pdf.close()


def _render(page: object, name: str, view: View) -> PageImage:
    inches = raw.FPDF_GetPageWidthF(page) / POINTS_PER_INCH, raw.FPDF_GetPageHeightF(page) / POINTS_PER_INCH
    dpi = view.dpi
    max_dpi = (view.max_pixels / max(inches[0] * inches[1], _SMALLEST_AREA)) ** 0.5
    if dpi > max_dpi:
        if view.exact:
            what = f"page {view.page} at {dpi:g} dpi has more than {view.max_pixels / 1e6:g} million pixels."
            raise SourceLimit(name, what, f"Ask for at most {max(1, int(max_dpi))} dpi.")
        dpi = max_dpi
    width, height = (max(1, round(side * dpi)) for side in (inches[::-1] if view.quarters % 2 else inches))
    kind, channels = (raw.FPDFBitmap_Gray, 1) if view.grey else (raw.FPDFBitmap_BGR, 3)
    bitmap = raw.FPDFBitmap_CreateEx(width, height, kind, None, 0)
    if not bitmap:
        raise SourceLimit(name, f"page {view.page} at {dpi:g} dpi takes too much memory.", "Ask for fewer dpi.")
    try:
        raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
        flags = raw.FPDF_ANNOT | (raw.FPDF_GRAYSCALE if view.grey else raw.FPDF_REVERSE_BYTE_ORDER)
        raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, view.quarters % 4, flags)
        stride, used = raw.FPDFBitmap_GetStride(bitmap), width * channels
        padded = ctypes.string_at(raw.FPDFBitmap_GetBuffer(bitmap), stride * height)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)
    # Rows are padded to whole words.
    rows = padded if stride == used else b"".join(padded[at : at + used] for at in range(0, len(padded), stride))
    return PageImage(width, height, dpi, rows)
