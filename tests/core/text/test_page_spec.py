"""Lists of pages as people and models write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex.errors import InvalidPageSpec, PageOutOfRange
from thumbindex.text.page_spec import parse_pages


@pytest.mark.parametrize(
    ("spec", "pages"),
    [
        ("5-8", (5, 6, 7, 8)),
        ("1-3, 2, 9", (1, 2, 3, 9)),
        (" 4 - 6 ", (4, 5, 6)),
        ("5–6", (5, 6)),
        ("18-99999999999", (18, 19, 20)),
    ],
)
def test_pages_come_in_order_and_once(spec: str, pages: tuple[int, ...]) -> None:
    """A range that goes past the end ends with the document, without a huge list on the way."""
    assert parse_pages(spec, 20) == pages


@pytest.mark.parametrize("spec", ["", " ", "two", "8-5", "1,,2", "-3", "3-", "1.5", "9" * 40])
def test_what_cannot_be_read_is_an_error_with_an_example(spec: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(InvalidPageSpec, match=r"Write"):
        parse_pages(spec, 20)


@pytest.mark.parametrize("spec", ["0", "0-3", "21", "30-40"])
def test_a_page_that_does_not_exist_is_an_error_with_the_range(spec: str) -> None:
    """Pages start at 1."""
    with pytest.raises(PageOutOfRange, match="1 to 20"):
        parse_pages(spec, 20)


def test_a_document_without_pages_has_none_to_read() -> None:
    """The message says what to read instead."""
    with pytest.raises(InvalidPageSpec, match="section"):
        parse_pages("1", 0)


@given(st.text(alphabet="0123456789-, x", max_size=12))
def test_any_text_gives_existing_pages_or_an_error_of_ours(spec: str) -> None:
    """No other exception, whatever a model writes."""
    try:
        pages = parse_pages(spec, 50)
    except (InvalidPageSpec, PageOutOfRange):
        return
    assert pages == tuple(sorted(set(pages)))
    assert all(1 <= page <= 50 for page in pages)
