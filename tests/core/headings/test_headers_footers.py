"""Page numbers in their many dresses, told apart from numbers that belong to the text."""

from __future__ import annotations

import pytest

from thumbindex.headings.headers_footers import is_page_number


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
