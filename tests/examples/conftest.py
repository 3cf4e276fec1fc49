"""Both example reports, made once for all tests."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

pytest.importorskip("reportlab", reason="the example report is made with reportlab")
pdfium = pytest.importorskip("pypdfium2", reason="the example report is read with pypdfium2")


@cache
def _page_texts(pdf: bytes) -> tuple[str, ...]:
    document = pdfium.PdfDocument(pdf)
    try:
        texts = (page.get_textpage().get_text_range() for page in document)
        return tuple(re.sub(r"\s+", " ", text).strip() for text in texts)
    finally:
        document.close()


@pytest.fixture(scope="session")
def page_texts() -> Callable[[bytes], tuple[str, ...]]:
    """The text of every page of a PDF, with runs of white space made one space."""
    return _page_texts


@pytest.fixture(params=["default", "second"])
def profile(request: pytest.FixtureRequest) -> str:
    """The name of a report; a test that takes it holds for both."""
    name: str = request.param
    return name


@pytest.fixture
def pdf(profile: str) -> bytes:
    """The PDF of the report."""
    import make_report

    return make_report.made(profile).setting.pdf


@pytest.fixture
def pages(pdf: bytes, page_texts: Callable[[bytes], tuple[str, ...]]) -> tuple[str, ...]:
    """The text of every page of the report; page 1 is at index 0."""
    return page_texts(pdf)
