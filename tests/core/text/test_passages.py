"""Splitting of long texts into passages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from thumbindex.text.passages import split_lines
from thumbindex.text.tokens import estimate_tokens

SENTENCE = "The miller grinds the corn between two heavy stones."


def test_a_short_text_is_one_passage() -> None:
    """Whatever its pages."""
    assert split_lines(["a", "b", "c"], [1, 3], lambda number: number) == [[1, 3]]


def test_a_long_text_is_cut_between_pages() -> None:
    """Pages that fit are kept whole."""
    lines = [SENTENCE] * 9
    pages = split_lines(lines, range(1, 10), lambda number: (number - 1) // 3, 3 * estimate_tokens(SENTENCE))
    assert pages == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_a_long_page_is_cut_after_a_paragraph() -> None:
    """Rather than inside a sentence in the exact middle."""
    line = SENTENCE.removesuffix(".")
    lines = [line] * 3 + [""] + [line] * 5
    numbers = [1, 2, 3, 5, 6, 7, 8, 9]
    assert split_lines(lines, numbers, lambda _: None, 6 * estimate_tokens(line)) == [[1, 2, 3], [5, 6, 7, 8, 9]]


@given(
    st.lists(st.sampled_from(["", "word", SENTENCE, SENTENCE * 9, "Rent 1,200 1,300"]), min_size=1, max_size=40),
    st.integers(1, 12),
    st.integers(5, 200),
)
def test_every_line_is_in_one_passage(lines: list[str], lines_per_page: int, max_tokens: int) -> None:
    """In order; a passage is longer than the maximum only where it is a single line."""
    numbers = [number for number, line in enumerate(lines, 1) if line] or [1]
    passages = split_lines(lines, numbers, lambda number: number // lines_per_page, max_tokens)
    assert [number for passage in passages for number in passage] == numbers
    for passage in passages:
        size = sum(max(1, estimate_tokens(lines[number - 1])) for number in passage)
        assert size <= max_tokens or len(passage) == 1
