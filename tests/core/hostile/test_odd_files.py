"""Families of odd PDF files: each ends in a sound tree or in one of our errors; what is broken is skipped where possible."""

from __future__ import annotations

import pytest

from odd_pdfs import odd_pdfs
from soundness import faults
from thumbindex.errors import SourceError
from thumbindex.ingest.reading import tree_of
from thumbindex.sources.pool import read_apart
from thumbindex.sources.settings import Limits, ReaderSettings

READER = ReaderSettings(limits=Limits(seconds=60.0, memory=250 << 20))
TEXT = "Hello world text"
# Those that are made and read in a moment; benchmarks/odd.py reads all.
READ = {
    "boxes": 1.0,
    "cross-references": 0.6,
    "encrypted": 0.1,
    "labels": 0.9,
    "linearized": 1.0,
    "object-streams": 0.4,
}
"""Share of a family's files whose text is read all the same, at least."""


@pytest.mark.parametrize(("family", "share"), READ.items(), ids=READ)
def test_a_family_of_odd_files_is_read_or_refused(family: str, share: float) -> None:
    texts: list[str] = []
    refused: dict[str, str] = {}
    for name, data in odd_pdfs(family):
        try:
            tree = tree_of(read_apart(data, "pdf", f"{name}.pdf", reader=READER))
        except SourceError as error:
            refused[f"{name}.pdf"] = str(error)
        else:
            assert list(faults(tree)) == [], name
            texts.append("\n".join(tree.lines))
    assert all(message.startswith(name) for name, message in refused.items())
    assert sum(TEXT in text for text in texts) >= share * (len(texts) + len(refused))
