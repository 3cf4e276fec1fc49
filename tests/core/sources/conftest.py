"""Small PDF files, made on the spot."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

MakePdf = Callable[..., bytes]


@pytest.fixture
def make_pdf() -> MakePdf:
    """Bytes of a PDF with one line of text for each page; None makes a page without text."""

    def make(*pages: str | None, password: str | None = None) -> bytes:
        buffer = io.BytesIO()
        encryption = StandardEncryption(password, canPrint=0) if password else None
        canvas = Canvas(buffer, invariant=1, encrypt=encryption)
        for text in pages:
            canvas.setFont("Helvetica", 12)
            if text is not None:
                canvas.drawString(72, 700, text)
            canvas.showPage()
        canvas.save()
        return buffer.getvalue()

    return make
