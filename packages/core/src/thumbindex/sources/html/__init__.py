"""HTML pages: the text that a reader sees, with headings as marked, tables row by row, anchors and links.

lxml parses the page: of the parsers tried, it alone takes time and memory in proportion to hostile input (Lexbor takes minutes
for a megabyte of `<option>` or of nested `<div>`; pure Python parsers read a third of a megabyte per second). It is an extra.
The encoding is determined before, so that a wrong one can be reported.

Left out: scripts, styles, hidden elements, navigation, headers and footers of the page, forms. If a page has a `<main>` with
most of its text, only that is read.
"""

from __future__ import annotations

from ...pages import Document
from ..line_writer import LineWriter
from .parse import parse_html, read_metadata
from .walker import write_html

__all__ = ["parse_html", "read_html", "write_html"]


def read_html(text: str, name: str) -> Document:
    """Returns the document in an HTML page.

    Its metadata are the page's title, language, author, description, keywords and date, as far as it declares them.

    Raises:
        MissingExtra: lxml is not installed.
        EmptySource: There is no visible text.
        SourceLimit: The page is too large, or nested deeper than the parser supports.
    """
    root = parse_html(text, name)
    writer = LineWriter(name)
    write_html(writer, root)
    return writer.document("html", read_metadata(root))
