"""Pages that another parser made."""

from __future__ import annotations

from thumbindex.pages import LineRange, Page
from thumbindex.sources.parsed import read_pages


def test_lines_are_numbered_through_the_document():
    """And each page has its own range."""
    document = read_pages(["# One\r\n\r\ntext\r\n", "two"], "parsed")
    assert [line.text for line in document.lines] == ["# One", "", "text", "two"]
    assert document.pages == (Page(1, LineRange(1, 3)), Page(2, LineRange(4, 4)))


def test_a_blank_page_keeps_its_number():
    """It has no lines."""
    document = read_pages(["one", "\n \n", "three"], "parsed")
    assert document.pages == (Page(1, LineRange(1, 1)), Page(2), Page(3, LineRange(2, 2)))
    assert document.pages_without_text == (2,)
