"""Pages that another program has parsed: one text per page, as PDF-to-Markdown parsers and OCR write them."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import EmptySource, NoPages
from ..pages import Document, Line, LineRange, Page
from .encoding import split_lines


def read_pages(texts: Sequence[str], name: str, labels: Sequence[str | None] | None = None) -> Document:
    """Returns the document of some page texts, the first of which is page 1.

    Args:
        texts: One text per page, which may contain Markdown headings. A blank text is a page without lines.
        name: Name of the document.
        labels: Printed or declared labels of the pages, one for each text.

    Raises:
        NoPages: The list is empty.
        EmptySource: Every text is blank.
    """
    if not texts:
        raise NoPages(name, "the list of page texts is empty.", "Pass one string per page.")
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
            name, f"all {len(pages)} page texts are blank.", "Check the parser that wrote them; scans need OCR first."
        )
    return Document(name, "pages", tuple(lines), pages=tuple(pages))
