"""Chunks of splitters become their text again, and labels of readers become pages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from thumbindex.sources.loaded_parts import join_chunks, pages_from_labels


@pytest.mark.parametrize(
    ("chunks", "text"),
    [
        pytest.param([], "", id="nothing"),
        pytest.param([("One.", 0)], "One.", id="one chunk"),
        pytest.param([("One. Two.", 0), ("Two. Three.", 5)], "One. Two. Three.", id="an overlap comes once"),
        pytest.param([("One.", 0), ("Two.", 4)], "One.Two.", id="chunks that touch"),
        pytest.param([("One.", 0), ("Two.", 5)], "One.\nTwo.", id="a dropped blank"),
        pytest.param([("One.", 0), ("Two.", 9)], "One.\n\nTwo.", id="several dropped blanks are a paragraph"),
        pytest.param([("One two.", 0), ("two", 4), ("two. Three.", 4)], "One two. Three.", id="a chunk inside another"),
        pytest.param([("One.", None), ("Two.", 4)], "One.\nTwo.", id="an unknown offset"),
    ],
)
def test_chunks_are_joined(chunks: Sequence[tuple[str, int | None]], text: str) -> None:
    """Nothing twice, nothing lost."""
    assert join_chunks(chunks) == text


@pytest.mark.parametrize(
    ("labels", "pages"),
    [
        pytest.param([], [], id="no text"),
        pytest.param([None, None], [None, None], id="no labels"),
        pytest.param(["1", "2", "5"], [1, 2, 5], id="labels that count from 1 are the pages"),
        pytest.param(["345", "346"], [1, 2], id="others are counted"),
        pytest.param(["i", "ii", "ii", "1"], [1, 2, 2, 3], id="neighbours with one label are on one page"),
        pytest.param([None, "1", None, "2"], [1, 2, 2, 3], id="a text without a label continues the page"),
        pytest.param(["1", "3", "2"], [1, 2, 3], id="labels out of order are counted"),
    ],
)
def test_labels_become_pages(labels: Sequence[str | None], pages: Sequence[int | None]) -> None:
    """Physical pages, 1-based."""
    assert pages_from_labels(labels) == pages
