"""Pages already parsed: one text a page, as PDF-to-Markdown parsers and OCR give them."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import EmptySource, NoPages
from ..pages import Document, Line, LineRange, Page
from .text import split_lines


def read_pages(texts: Sequence[str], name: str, labels: Sequence[str | None] | None = None) -> Document:
    """The document of these page texts; the first text is page 1.

    Texts may carry Markdown headings. A blank text is a page without lines. `labels` are what is printed or declared for
    the pages, one for each text.

    Raises:
        NoPages: there is no text at all in the list, not even a blank one.
        EmptySource: every text is blank.
    """
    if not texts:
        raise NoPages(name, "the list of page texts is empty.", "Pass one string for each page.")
    lines: list[Line] = []
    pages: list[Page] = []
    declared = labels or [None] * len(texts)
    for number, (text, label) in enumerate(zip(texts, declared, strict=True), 1):
        first = len(lines) + 1
        if text.strip():
            lines += [Line(line) for line in split_lines(text.removeprefix("\ufeff"))]
        pages.append(Page(number, LineRange(first, len(lines)) if len(lines) >= first else None, label))
    if not lines:
        raise EmptySource(
            name, f"all {len(pages)} page texts are blank.", "Check the parser that made them; scans need OCR first."
        )
    return Document(name, "pages", tuple(lines), pages=tuple(pages))
