"""From documents that a LangChain loader has read: their pages and metadata are respected."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_thumbindex import ThumbIndexRetriever
from langchain_thumbindex.documents import to_loaded_text
from thumbindex import Library
from thumbindex.sources.loaded import LoadedText

PAGES = (
    "# 1 Scope\n\nThis manual covers pumps of all sizes.",
    "# 2 Starting\n\nOpen the inlet valve before the motor starts.",
    "# 3 Winter\n\nDrain the housing before the first frost.",
)


def pages(**metadata: Any) -> list[Document]:
    """As loaders give the pages of a file."""
    return [
        Document(
            text,
            metadata={"source": "manuals/pump.pdf", "page": n, "page_label": str(n + 1), "total_pages": 3} | metadata,
        )
        for n, text in enumerate(PAGES)
    ]


def test_pages_of_a_loader_keep_their_numbers_and_labels() -> None:
    """`page` in is `page` out, counted from 0 as the loader did; ours count from 1."""
    retriever = ThumbIndexRetriever.from_documents(pages(), k=1)
    (found,) = retriever.invoke("Which valve do I open before the motor starts?")
    places = {
        key: found.metadata[key] for key in ("source", "page", "page_label", "page_start", "page_end", "total_pages")
    }
    assert places == {
        "source": "manuals/pump.pdf", "page": 1, "page_label": "2", "page_start": 2, "page_end": 2, "total_pages": 3,
    }  # fmt: skip
    assert "inlet valve" in found.page_content


def test_printed_labels_stay_apart_from_physical_pages() -> None:
    """Front matter in roman numerals: the label is what a reader looks for, the page where a viewer jumps."""
    loaded = [
        Document("# Preface\n\nFor the crew.", metadata={"source": "a.pdf", "page": 0, "page_label": "iv"}),
        Document("# 1 Sails\n\nHoist the mainsail first.", metadata={"source": "a.pdf", "page": 1, "page_label": "1"}),
    ]
    (found,) = ThumbIndexRetriever.from_documents(loaded, k=1).invoke("Which sail is hoisted first?")
    assert (found.metadata["page"], found.metadata["page_label"], found.metadata["page_start"]) == (1, "1", 2)


def test_documents_are_grouped_by_their_source() -> None:
    """Pages of two files in one list, as directory loaders return them."""
    other = [Document("# Boat\n\nPaint the hull each spring.", metadata={"source": "boat.md"})]
    retriever = ThumbIndexRetriever.from_documents([*pages(), *other])
    assert [info.name for info in retriever.library.list()] == ["pump.pdf", "boat.md"]
    (found,) = retriever.invoke("When is the hull painted?", k=1)
    assert (found.metadata["source"], found.metadata["section_path"], "page" in found.metadata) == (
        "boat.md",
        "Boat",
        False,
    )


def test_metadata_of_the_document_can_be_filtered_and_comes_back() -> None:
    """What the loader or its user added; what differs from page to page is not the document's."""
    loaded = pages(tenant="north", seen=date(2024, 5, 1), extra={"nested": 1})
    for number, document in enumerate(loaded):
        document.metadata["words"] = number
    retriever = ThumbIndexRetriever.from_documents(loaded, k=1)
    (found,) = retriever.invoke("frost", filters={"tenant": "north"})
    assert (found.metadata["tenant"], found.metadata["seen"]) == ("north", "2024-05-01")
    assert not {"extra", "words"} & found.metadata.keys()
    assert retriever.invoke("frost", filters={"tenant": "south"}) == []


@pytest.mark.parametrize(
    ("metadata", "first_page", "expected"),
    [
        pytest.param({"page": 0}, 0, 1, id="LangChain's own loaders count from 0"),
        pytest.param({"page": 1}, 1, 1, id="a loader that counts from 1, with first_page=1"),
        pytest.param({"page_number": 3}, 0, 3, id="page_number counts from 1"),
        pytest.param({"page": 2, "page_number": 9}, 0, 3, id="page goes first"),
        pytest.param({"page": "2"}, 0, 3, id="a number as text"),
        pytest.param({"page": None, "page_number": 3}, 0, 3, id="no page"),
        pytest.param({"page": 0}, 1, None, id="a page before the first"),
        pytest.param({"page": True}, 0, None, id="no number at all"),
        pytest.param({"page": "iv"}, 0, None, id="a label in the wrong place"),
        pytest.param({}, 0, None, id="no page in the metadata"),
    ],
)
def test_pages_are_read_from_what_loaders_write(
    metadata: dict[str, Any], first_page: Any, expected: int | None
) -> None:
    """Physical and 1-based inside."""
    document = Document("text", metadata={"source": "a.pdf"} | metadata)
    assert to_loaded_text(document, first_page=first_page).page == expected


def test_a_source_is_found_under_the_names_that_loaders_use() -> None:
    """`source` first; a path is as good as a text."""
    named = [to_loaded_text(Document("t", metadata=m)).source for m in (
        {"source": Path("x.pdf"), "file_path": "y"}, {"file_path": "y.pdf"}, {"file_name": "z.pdf"}, {"url": "w"}, {},
    )]  # fmt: skip
    assert named == ["x.pdf", "y.pdf", "z.pdf", "w", ""]
    assert to_loaded_text(Document("t")) == LoadedText("t")


def test_loading_again_is_recognised(tmp_path: Path) -> None:
    """A second start with the same documents reads nothing anew; sections keep their ids."""
    path = tmp_path / "library.db"
    first = ThumbIndexRetriever.from_documents(pages(), path=path)
    ids = [found.id for found in first.invoke("valve")]
    assert isinstance(first.library, Library)
    first.library.close()
    again = ThumbIndexRetriever.from_documents(pages(), path=path)
    assert [found.id for found in again.invoke("valve")] == ids
    assert [info.revision for info in again.library.list()] == [1]


def test_results_may_be_loaded_again() -> None:
    """Sections of one retriever as documents of another: keys of a page are not taken for keys of the document."""
    found = ThumbIndexRetriever.from_documents(pages(), k=10).invoke("valve frost pumps")
    again = ThumbIndexRetriever.from_documents(sorted(found, key=lambda document: document.metadata["page"]), k=1)
    (section,) = again.invoke("Which valve do I open?")
    assert (section.metadata["source"], section.metadata["page"]) == ("manuals/pump.pdf", 1)
