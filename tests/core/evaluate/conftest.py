"""A small document with pages, and a question about it."""

from __future__ import annotations

import pytest

from thumbindex import Library, build_tree
from thumbindex.evaluate import Question


@pytest.fixture
def paged() -> Library:
    library = Library()
    texts = [
        "# Boats\nBoats float.",
        "# Hire\nThe hire of a boat is 36,500 crowns.",
        "# Crew\nThe crew is paid weekly.",
    ]
    library.import_tree(build_tree(texts, name="boats.pdf"))
    return library


@pytest.fixture
def hire() -> Question:
    return Question(id="hire", question="What is the hire of a boat?", pages=(2,), answer="36,500")
