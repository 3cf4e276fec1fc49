"""Sections as documents for a vector store: loaded from files, or split from what another loader read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_thumbindex import ThumbIndexLoader, ThumbIndexRetriever, ThumbIndexSplitter
from thumbindex import Library
from thumbindex.errors import SourceNotFound
from thumbindex.text.tokens import estimate_tokens

PARAGRAPH = "The crew checks the pump each morning and notes what it finds in the log."
MANUAL = "# Pump\n\nFor the crew.\n\n## Daily\n\n" + "\n\n".join([PARAGRAPH] * 80) + "\n\n## Yearly\n\nPaint it blue.\n"
PAGES = ["# Boat\n\nA wooden boat.\n\n## Hull\n\nScrape the hull,", "then paint it.\n\n## Sails\n\nDry the sails."]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pump.md").write_text(MANUAL)
    (tmp_path / "boat.md").write_text("\n".join(PAGES))
    return tmp_path


def paths(documents: list[Document]) -> list[str]:
    return [document.metadata["section_path"] for document in documents]


def test_a_file_is_loaded_section_by_section(folder: Path) -> None:
    """One path will do; the documents are those that the retriever gives of the same sections."""
    loaded = ThumbIndexLoader(str(folder / "pump.md")).load()
    assert paths(loaded) == ["Pump", "Pump › Daily", "Pump › Yearly"]
    (found,) = ThumbIndexRetriever.from_files([folder / "pump.md"], k=1).invoke("What is painted blue?")
    assert found == loaded[2]


def test_no_section_is_cut_unless_a_limit_is_set(folder: Path) -> None:
    """A limit cuts between paragraphs, and each part has its place in the metadata."""
    whole = ThumbIndexLoader(folder / "pump.md").load()[1]
    assert whole.page_content.count(PARAGRAPH) == 80
    parts = ThumbIndexLoader(folder / "pump.md", max_tokens=200).load()[1:-1]
    assert {part.metadata["section_path"] for part in parts} == {"Pump › Daily"}
    assert sum(part.page_content.count(PARAGRAPH) for part in parts) == 80
    assert all(estimate_tokens(part.page_content) <= 200 for part in parts)


async def test_files_and_folders_are_loaded_lazily_and_in_async_code(folder: Path) -> None:
    """The second file is not read before the first one's sections are taken."""
    (folder / "zebra.md").write_text(" ")  # cannot be read: it is empty
    lazy = ThumbIndexLoader([folder]).lazy_load()
    assert next(lazy).metadata["source"].endswith("boat.md")
    lazily = [document async for document in ThumbIndexLoader([folder / "boat.md", folder / "pump.md"]).alazy_load()]
    assert paths(lazily) == ["Boat", "Boat › Hull", "Boat › Sails", "Pump", "Pump › Daily", "Pump › Yearly"]


def test_a_library_keeps_what_was_loaded(folder: Path) -> None:
    """With the metadata given; the next start reads nothing anew."""
    library = Library()
    loaded = ThumbIndexLoader(folder, library=library, metadata={"team": "deck"}).load()
    assert {document.metadata["team"] for document in loaded} == {"deck"}
    assert len(library) == 2
    assert ThumbIndexLoader(folder, library=library).load() == loaded


def test_a_file_that_is_not_there_is_an_error() -> None:
    """And not an empty list."""
    with pytest.raises(SourceNotFound):
        ThumbIndexLoader("no-such.pdf").load()


def test_pages_of_another_loader_are_split_at_sections_and_not_at_pages() -> None:
    """A section that runs over the end of a page stays in one piece, with both pages in its metadata."""
    pages = [
        Document(text, metadata={"source": "boat.pdf", "page": n, "crew": ["a", "b"], "seen": {"by": n}})
        for n, text in enumerate(PAGES)
    ]
    boat, hull, sails = ThumbIndexSplitter().split_documents(pages)
    assert hull.page_content == "## Hull\n\nScrape the hull,\nthen paint it."
    assert (hull.metadata["page"], hull.metadata["page_start"], hull.metadata["page_end"]) == (0, 1, 2)
    assert (boat.metadata["page"], sails.metadata["page"]) == (0, 1)
    assert hull.metadata["section_path"] == "Boat › Hull"
    assert hull.id == hull.metadata["section_id"]


def test_a_section_keeps_the_metadata_of_the_document_it_begins_in() -> None:
    """All of it, as text splitters do, whatever the values are."""
    pages = [
        Document(text, metadata={"source": "boat.pdf", "page": n, "seen": {"by": n}}) for n, text in enumerate(PAGES)
    ]
    split = ThumbIndexSplitter().transform_documents(pages)
    assert [document.metadata["seen"]["by"] for document in split] == [0, 0, 1]


def test_texts_are_split_too() -> None:
    """With the calls that text splitters have."""
    splitter = ThumbIndexSplitter()
    assert splitter.split_text("# A\n\nOne.\n\n# B\n\nTwo.\n") == ["# A\n\nOne.", "# B\n\nTwo."]
    made = splitter.create_documents(["# A\n\nOne.", "# B\n\nTwo."], [{"source": "a"}, {"source": "b"}])
    assert [(section.metadata["source"], section.metadata["section_path"]) for section in made] == [
        ("a", "A"),
        ("b", "B"),
    ]
    assert (
        splitter.split_documents([Document(" "), Document("No heading at all.")])[0].page_content
        == "No heading at all."
    )


@pytest.mark.parametrize("options", [{}, {"max_tokens": 100}])
def test_a_vector_store_takes_the_sections_as_they_are(folder: Path, options: dict[str, Any]) -> None:
    """Ids are unique, metadata are flat, and what is found again still has its place."""
    sections = ThumbIndexLoader(folder, **options).load()
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    assert store.add_documents(sections) == [section.id for section in sections]
    found = store.similarity_search("## Yearly\n\nPaint it blue.", k=1)
    assert found[0].metadata["section_path"]
