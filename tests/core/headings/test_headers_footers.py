"""Page numbers in their many dresses, told apart from numbers that belong to the text."""

from __future__ import annotations

import pytest

from thumbindex.headings.headers_footers import find_headers_footers, is_page_number
from thumbindex.headings.layout import Layout
from thumbindex.pages import Box, Document, Line, LineRange, Page, Style


@pytest.mark.parametrize(
    "text",
    [
        "17",
        "iv",
        "XII",
        "- 17 -",
        "– iv –",
        "Page 3",
        "Page 3 of 9",
        "page 3/9",
        "Seite 4 von 12",
        "стр. 5 из 8",
        "F-12",
        "[4]",
        "17 |",
        "A.3",
    ],
)
def test_page_numbers(text):
    """Plain, roman, with their word, with a total, by chapter."""
    assert is_page_number(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("12.", id="the number of a heading on a line of its own"),
        pytest.param("b)", id="the letter of one"),
        pytest.param("IV.", id="a roman one"),
        pytest.param("12345", id="a figure too long for a page"),
        pytest.param("3.14", id="a decimal"),
        pytest.param("17 Scope", id="a heading"),
        pytest.param("civil", id="a word of roman letters"),
        pytest.param("Page", id="the word alone"),
        pytest.param("1 2 3", id="a row of figures"),
    ],
)
def test_what_is_no_page_number(text):
    """Labels, figures and words stay in the text."""
    assert not is_page_number(text)


def _pages(*rows_of_pages: list[str]) -> Document:
    """Pages of one style, one row of text every 20 points."""
    lines: list[Line] = []
    pages: list[Page] = []
    style = Style(10.0)
    for number, rows in enumerate(rows_of_pages, 1):
        first = len(lines) + 1
        for row, text in enumerate(rows):
            bottom = 700.0 - 20 * row
            lines.append(Line(text, Box(72, bottom, 72 + 5.0 * len(text), bottom + 10), style))
        pages.append(Page(number, LineRange(first, len(lines)), None, 612.0, 792.0))
    return Document("forms.pdf", "pdf", tuple(lines), tuple(pages))


def _removed(document: Document) -> set[str]:
    return {document.lines[number - 1].text for number in find_headers_footers(Layout(document))}


@pytest.mark.parametrize("pages", [4, 12])
def test_the_key_lines_of_forms_are_text(pages):
    """A number or an amount that does not count from page to page is no page number; the foot of the page does."""
    rows = [
        [
            f"Berth {1000 + 37 * page * page}",
            "Wharf",
            "Boat",
            "Crew",
            f"Due {page * 7919 % 900}.50",
            f"Port office {page}/{pages}",
        ]
        for page in range(1, pages + 1)
    ]
    removed = _removed(_pages(*rows))
    assert {f"Port office {page}/{pages}" for page in range(1, pages + 1)} <= removed
    assert not any(text.startswith(("Berth", "Due")) for text in removed)


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(lambda page: f"Harbour rules 2024 - {page}", id="a page number"),
        pytest.param(lambda page: f"{page // 3 + 1}.{page % 3} Tides and winds", id="a section"),
        pytest.param(lambda page: f"Chapter {page // 4 + 1} Tides", id="a chapter"),
    ],
)
def test_running_heads_count_on_or_stay(head):
    rows = [[head(page), "Text", f"of page {page * 811 % 97}", "and more", "text"] for page in range(1, 13)]
    assert {head(page) for page in range(1, 13)} <= _removed(_pages(*rows))
