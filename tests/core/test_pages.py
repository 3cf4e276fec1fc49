"""Page and line numbers, and runs of them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from thumbindex.pages import LineRange, format_runs, line_ranges


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([4], "4"),
        ([1, 2, 3, 7], "1-3, 7"),
        ([7, 2, 1, 3, 2], "1-3, 7"),
        ([1, 3, 5], "1, 3, 5"),
        (range(1, 2001), "1-2000"),
    ],
)
def test_runs_of_numbers_are_written_as_ranges(numbers: Iterable[int], text: str) -> None:
    """Order and repetition do not matter."""
    assert format_runs(numbers) == text


def test_consecutive_lines_become_one_range() -> None:
    """Lines apart from each other become ranges of their own."""
    assert line_ranges([4, 2, 3, 9]) == (LineRange(2, 4), LineRange(9, 9))
    assert line_ranges([]) == ()
