"""Hostile PDF files: each ends in a tree or in one of our errors, within limits far below those of honest files."""

from __future__ import annotations

import pytest

from made_pdfs import HELLO, kids, outline, page, pdf, stream
from thumbindex.errors import SourceError, SourceLimit
from thumbindex.ingest.reading import tree_of
from thumbindex.sources.pool import read_apart
from thumbindex.sources.settings import Limits, ReaderSettings
from thumbindex.tree.model import Tree

READER = ReaderSettings(limits=Limits(seconds=60.0, memory=250 << 20))


def read(data: bytes) -> Tree:
    return tree_of(read_apart(data, "pdf", "evil.pdf", reader=READER))


FORM = b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X 6 0 R>>/Font<</F1 4 0 R>>>>"
READ_ALL_THE_SAME = {
    "spaces without end": lambda: pdf(page(stream(HELLO + b" " * (20 << 20)))),
    "spaces packed twice": lambda: pdf(page(stream(HELLO + b" " * (20 << 20), times=2))),
    "half a million saved states": lambda: pdf(page(stream(b"q " * 500_000 + HELLO))),
    "a page of a billion points": lambda: pdf(page(stream(HELLO), box=b"0 0 1e9 1e9")),
    "a page without a size": lambda: pdf(page(stream(HELLO), box=b"0 0 -5 999999999999999999999999")),
    "a page of words": lambda: pdf(page(stream(HELLO), box=b"nan inf /A (b)")),
    "a page tree around itself": lambda: pdf(kids(b"3 0 R 2 0 R", 2)),
    "a count of pages that is a lie": lambda: pdf(kids(b"3 0 R", 1_000_000_000)),
    "a form that draws itself": lambda: pdf(
        page(stream(b"/X Do " + HELLO), stream(b"/X Do ", more=FORM), things=b"/XObject<</X 6 0 R>>")
    ),
    "an outline around itself": lambda: outline(2_000, deep=True),
}


@pytest.mark.parametrize("make", READ_ALL_THE_SAME.values(), ids=READ_ALL_THE_SAME)
def test_the_page_of_a_hostile_file_is_read(make) -> None:
    """What is harmful is skipped, and the honest text is read."""
    assert "Hello world text" in "\n".join(read(make()).lines)


REFUSED = {
    "a page named a hundred thousand times": (lambda: pdf(kids(b"3 0 R " * 100_000, 100_000)), SourceLimit),
    "arrays in arrays": (lambda: pdf([*page(b"")[:4], b"[" * 200_000 + b"]" * 200_000]), SourceError),
    "text without end": (lambda: pdf(page(stream(HELLO * 1_000_000))), SourceLimit),
}


@pytest.mark.parametrize(("make", "error"), REFUSED.values(), ids=REFUSED)
def test_a_hostile_file_that_cannot_be_read_raises_our_error(make, error: type[SourceError]) -> None:
    with pytest.raises(error, match=r"evil\.pdf"):
        read(make())


def test_an_outline_of_tens_of_thousands_is_read_to_its_limit() -> None:
    document = read_apart(outline(50_500, deep=False), "pdf", "evil.pdf", reader=READER)
    assert len(document.bookmarks) == 50_000
