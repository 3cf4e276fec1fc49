"""The map of passages to documents."""

from __future__ import annotations

import random

import pytest

from thumbindex.store import index
from thumbindex.store.index import DocumentPassages, PassageMap, SearchedDocuments


@pytest.mark.parametrize("max_gaps", [4, 0], ids=["by a table", "by bisection"])
def test_a_map_finds_the_document_of_each_passage(monkeypatch: pytest.MonkeyPatch, max_gaps: int) -> None:
    """After any changes, with and without passages of removed documents between the others."""
    monkeypatch.setattr(index, "MAX_GAPS", max_gaps)
    monkeypatch.setattr(index, "MIN_GARBAGE", 3)
    chance = random.Random(2)
    passages, present, next_passage = PassageMap(), dict[str, DocumentPassages](), 1
    for _ in range(200):
        doc_id = chance.choice("abcdefgh")
        if chance.random() < 0.2:
            present.pop(doc_id, None)
            passages = PassageMap(passages, removed=[doc_id])
        else:
            first = next_passage + chance.randrange(3)
            document = DocumentPassages(doc_id, first, first + chance.randrange(6), chance.getrandbits(62))
            present[doc_id] = document
            next_passage = document.last + 1
            passages = PassageMap(passages, [document], [doc_id])
        assert {doc_id: passages.passages_of(number) for doc_id, number in passages.numbers.items()} == present
        # Removed documents never take more room than those that are present.
        assert len(passages.ids) <= 2 * len(present) + 4
        openings = SearchedDocuments(passages, passages.numbers.values()).openings(3)
        for document in present.values():
            rows = range(document.first, document.last + 1)
            assert {passages.ids[passages.document_of(row)] for row in rows} == {document.doc_id}
            assert {passages.version_of(row) for row in rows} == {document.version}
            assert [openings[row] for row in rows] == ([1] * 3 + [0] * 3)[: len(rows)]
        assert sum(openings) == sum(min(3, len(document)) for document in present.values())
