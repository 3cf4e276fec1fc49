"""Scans made for tests: images of pages of text in a PDF, and an OCR engine that knows their text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field

import pypdfium2 as pdfium
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from thumbindex.sources.image import PageImage
from thumbindex.sources.ocr import RecognizedLine
from thumbindex.sources.pdf import read_pdf

DPI = 150
FONTS = {"": "Times-Roman", "B": "Times-Bold", "H": "Helvetica-Bold"}

Placed = tuple[str, str, float, float, float]
"""Text, letter of the font, size, left end and baseline, both from the bottom left of a page of 612 by 792 points."""


def typeset(*pages: Sequence[Placed]) -> bytes:
    """Returns a PDF with a text layer."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792), invariant=1)
    for page in pages:
        for words, font, size, x, y in page:
            canvas.setFont(FONTS[font], size)
            canvas.drawString(x, y, words)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def page_scans(pdf: bytes, *, quarters: int = 0, skew: float = 0.0) -> list[Image.Image]:
    """Returns images of the pages of a PDF in grey, turned by quarter turns and skewed by degrees, both clockwise."""
    return [
        page.render(scale=DPI / 72, grayscale=True)
        .to_pil()
        .rotate(-skew, resample=Image.Resampling.BICUBIC, fillcolor=255)
        .rotate(-90 * quarters, expand=True)
        for page in pdfium.PdfDocument(pdf)
    ]


def bound(*pages: Image.Image | None, stamp: str = "", hidden: str = "") -> bytes:
    """Returns a PDF of page images; None makes a page of text. A stamp is text on each image, and hidden text invisible."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=1)
    for page in pages:
        wide, tall = (612, 792) if page is None else (side * 72 / DPI for side in page.size)
        canvas.setPageSize((wide, tall))
        if page is None:
            canvas.drawString(72, 700, "This page has a text layer of its own, and nobody needs to read it again.")
        else:
            canvas.drawImage(ImageReader(page), 0, 0, wide, tall)
        if stamp and page is not None:
            canvas.drawString(40, 40, stamp)
        if hidden and page is not None:
            text = canvas.beginText(72, 700)
            text.setTextRenderMode(3)
            for line in hidden.split("\n"):
                text.textLine(line)
            canvas.drawText(text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


@dataclass
class Knowing:
    """An engine that knows the text of a PDF with a text layer, and gets images of its pages in order.

    It reads a page that is not upright badly: as boxes of nonsense, tall ones for a sideways page.
    """

    source: bytes
    name: str = "knowing 1"
    seen: list[PageImage] = field(default_factory=list)
    read: int = 0

    def __call__(self, image: PageImage, /) -> list[RecognizedLine]:
        self.seen.append(image)
        if image.width > image.height:
            return [RecognizedLine.upright("nonsense", 90 * n, 50, 90 * n + 20, 400, 0.9) for n in range(1, 9)]
        if not self._is_upright(image):
            return [RecognizedLine.upright("nonsense", 90, 90 * n, 500, 90 * n + 20, 0.4) for n in range(1, 9)]
        document = read_pdf(self.source, "source.pdf")
        page = (document.pages or ())[self.read]
        self.read += 1
        scale = image.dpi / 72
        return [
            RecognizedLine.upright(
                line.text,
                line.box.left * scale,
                image.height - line.box.top * scale - 3,
                line.box.right * scale,
                image.height - line.box.bottom * scale + 3,
                0.98,
            )
            for line in document.page_lines(page)
            if line.box is not None
        ]

    def _is_upright(self, image: PageImage) -> bool:
        """Returns whether there is more ink in the upper half, as on the pages of these tests."""
        half = image.width * (image.height // 2)
        return sum(255 - value for value in image.pixels[:half:7]) > sum(255 - value for value in image.pixels[half::7])
