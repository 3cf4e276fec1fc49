"""Reading PDF with PDFium: lines with position and style, bookmarks, links, page labels; and rendering pages.

The only package that imports pypdfium2. PDFium is not safe for threads: call it from one thread of a process at a time
(`thumbindex.sources.worker` gives it a process of its own). Zero-based page indexes end here.
"""

from __future__ import annotations

from .document import MAX_BOOKMARKS, MAX_PAGES, read_columns, read_pdf
from .render import render_page

__all__ = ["MAX_BOOKMARKS", "MAX_PAGES", "read_columns", "read_pdf", "render_page"]
