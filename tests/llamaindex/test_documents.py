"""Documents and nodes that LlamaIndex's readers and splitters made become the documents they came from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import SimpleDirectoryReader
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import BaseNode, Document, TextNode

from llama_index.retrievers.thumbindex import ThumbIndexRetriever
from llama_index.retrievers.thumbindex.documents import by_document
from thumbindex import Library
from thumbindex.errors import EmptySource
from thumbindex.sources.loaded import LoadedText

FILE = {"file_name": "report.pdf", "file_path": "/reports/report.pdf"}


def page(text: str, label: str, **metadata: object) -> Document:
    """As `PDFReader` gives the pages of a file: a document for each, with an id that it makes up."""
    return Document(text=text, metadata={**FILE, "page_label": label, **metadata})


def load(nodes: Sequence[BaseNode]) -> list[LoadedText]:
    """The texts of all documents, one after another."""
    return [text for group in by_document(nodes) for text, _ in group]


REPORT = [
    page("Contents", "i"),
    page("# 1 Loans\n\nThe term loan bears 4.25 percent.", "1"),
    page("It is repaid in 2031.\n\n# 2 Leases\n\nLeases run for ten years.", "2"),
]


def test_pages_of_one_file_are_one_document_with_sections_over_page_ends() -> None:
    """Physical pages are counted, and printed labels are preserved."""
    retriever = ThumbIndexRetriever.from_documents(REPORT, similarity_top_k=1)
    (info,) = retriever.library.list()
    assert (info.name, info.source, info.page_count) == ("report.pdf", "/reports/report.pdf", 3)
    (found,) = retriever.retrieve("When is the term loan repaid?")
    metadata = found.node.metadata
    assert metadata["section_path"] == "1 Loans"
    assert (metadata["page_label"], metadata["page_start"], metadata["page_end"]) == ("1", 2, 3)
    assert (metadata["file_name"], metadata["file_path"]) == ("report.pdf", "/reports/report.pdf")


def test_labels_that_count_from_one_are_the_pages_though_some_are_left_out() -> None:
    """Readers drop blank pages."""
    texts = load([page("One.", "1"), page("Two.", "2"), page("Five.", "5")])
    assert [(text.page, text.label) for text in texts] == [(1, "1"), (2, "2"), (5, "5")]


def test_an_excerpt_whose_labels_begin_later_is_counted_and_keeps_them() -> None:
    """A chapter of a journal: pages 345 and 346 are its first two."""
    texts = load([page("One.", "345"), page("Two.", "346")])
    assert [(text.page, text.label) for text in texts] == [(1, "345"), (2, "346")]


def test_pages_that_another_reader_numbers_in_source_are_known_too() -> None:
    """`PyMuPDFReader` has `total_pages`, and the page in `source`."""
    pages = [
        Document(text=f"Page {number}.", metadata={"file_path": "a.pdf", "total_pages": 2, "source": str(number)})
        for number in (1, 2)
    ]
    assert [(text.page, text.source) for text in load(pages)] == [(1, "a.pdf"), (2, "a.pdf")]


def test_a_file_that_a_reader_loaded_whole_has_lines_instead(tmp_path: Path) -> None:
    """`SimpleDirectoryReader` over a folder of Markdown; prompts do not show its dates and sizes."""
    (tmp_path / "guide.md").write_text("# Guide\n\n## Start\n\nPress the knob.\n\n## Stop\n\nPull the plug.\n")
    documents = SimpleDirectoryReader(str(tmp_path), file_extractor={".md": _Plain()}).load_data()
    (found,) = ThumbIndexRetriever.from_documents(documents, similarity_top_k=1).retrieve("Which plug do I pull?")
    assert found.node.metadata["section_path"] == "Guide › Stop"
    assert found.node.metadata["file_name"] == "guide.md"
    assert "page_label" not in found.node.metadata
    assert found.node.metadata["file_size"] > 0
    assert {"file_size", "last_modified_date", "file_path"} <= set(found.node.excluded_llm_metadata_keys)


class _Plain(BaseReader):
    """A reader that returns a file as it is; the usual reader for Markdown is in another package."""

    def load_data(self, file: Path, extra_info: dict[str, Any] | None = None, **_: Any) -> list[Document]:
        return [Document(text=file.read_text(), metadata=extra_info or {})]


@pytest.mark.parametrize("chunk_overlap", [0, 8])
def test_chunks_of_a_splitter_become_their_text_again(chunk_overlap: int) -> None:
    """Nothing comes twice, though the chunks overlap, and nothing is lost."""
    sentences = [f"Sentence number {number} speaks of pump {number}." for number in range(1, 60)]
    text = "# Pumps\n\n" + " ".join(sentences[:30]) + "\n\n# Valves\n\n" + " ".join(sentences[30:])
    document = Document(text=text, id_="pumps.md")
    nodes = SentenceSplitter(chunk_size=60, chunk_overlap=chunk_overlap).get_nodes_from_documents([document])
    assert len(nodes) > 5
    (loaded,) = load(nodes)
    assert loaded.text.split() == text.split()
    retriever = ThumbIndexRetriever.from_documents(nodes)
    assert [node.title for node in retriever.library.tree("pumps.md").nodes] == ["Pumps", "Valves"]


def test_chunks_of_a_text_without_name_are_one_document_each_time() -> None:
    """It has only an id that LlamaIndex made up: that joins its chunks, and the text names the document."""
    text = "# Pumps\n\n" + " ".join(f"Pump {number} turns." for number in range(60))
    splitter = SentenceSplitter(chunk_size=40, chunk_overlap=0)
    library = Library()
    for _ in range(2):
        nodes = splitter.get_nodes_from_documents([Document(text=text), Document(text="# Other\n\nA text.")])
        library.add_texts(load(nodes))
    assert [(info.section_count, info.revision) for info in library.list()] == [(1, 1), (1, 1)]


def test_chunks_of_pages_become_their_pages_again() -> None:
    """Each page was a document of its own when it was split."""
    nodes = SentenceSplitter(chunk_size=40, chunk_overlap=5).get_nodes_from_documents(REPORT)
    whole, pieces = ThumbIndexRetriever.from_documents(REPORT), ThumbIndexRetriever.from_documents(nodes)
    question = "When is the term loan repaid?"
    assert [found.node.metadata for found in pieces.retrieve(question)] == [
        found.node.metadata for found in whole.retrieve(question)
    ]


def test_an_id_of_the_caller_names_the_document_and_identifies_its_revisions() -> None:
    """A random id does neither, as it differs each time."""
    library = Library()
    for text in ("# A\n\nFirst.", "# A\n\nSecond."):
        library.add_texts(load([Document(text=text, id_="handbook"), Document(text="# B\n\nSame.")]))
    infos = library.list()
    assert [(info.name, info.revision) for info in infos if info.name == "handbook"] == [("handbook", 2)]
    assert len(infos) == 2


def test_metadata_of_the_document_can_be_filtered_by() -> None:
    """By values that all pages have in common; values that are neither texts nor numbers become text."""
    pages = [
        page(text, str(number), year=2024, tags=["a", "b"], box={"x": number}) for number, text in enumerate("xy", 1)
    ]
    retriever = ThumbIndexRetriever.from_documents(pages)
    (info,) = retriever.library.list()
    assert info.metadata["year"] == 2024
    assert info.metadata["tags"] == ["a", "b"]
    assert "box" not in info.metadata
    assert "page_label" not in info.metadata


def test_documents_are_stored_in_a_file_and_recognised(tmp_path: Path) -> None:
    """Loading them again into the same library reads nothing anew."""
    path = tmp_path / "library.db"
    first = ThumbIndexRetriever.from_documents(REPORT, path=path)
    again = ThumbIndexRetriever.from_documents(
        [Document(**doc.model_dump(exclude={"id_"})) for doc in REPORT], path=path
    )
    assert [(i.doc_id, i.revision) for i in again.library.list()] == [(i.doc_id, 1) for i in first.library.list()]
    reopened = ThumbIndexRetriever(path, 1)
    assert reopened.retrieve("term loan")[0].node.metadata["section_path"] == "1 Loans"


@pytest.mark.parametrize("nodes", [[Document(text="")], [TextNode(text=" \n ")]])
def test_documents_without_text_are_an_error(nodes: list[BaseNode]) -> None:
    """Not an index that never finds anything."""
    with pytest.raises(EmptySource):
        ThumbIndexRetriever.from_documents(nodes)


def test_a_file_is_read_itself_on_request(tmp_path: Path) -> None:
    """Its headings, which the reader dropped, make the sections; metadata come from the documents. Others are as loaded."""
    guide = tmp_path / "guide.md"
    guide.write_text("# Guide\n\n## Start\n\nPress the knob.\n")
    documents = [
        Document(
            text="Guide Start Press the knob.", metadata={"file_path": str(guide), "file_name": "guide.md", "year": 5}
        ),
        Document(text="# Other\n\nA knob too.", metadata={"file_path": str(tmp_path / "gone.md")}),
    ]
    retriever = ThumbIndexRetriever.from_documents(documents, read_files=True)
    found = {hit.node.metadata["section_path"]: hit.node.metadata for hit in retriever.retrieve("knob")}
    assert found.keys() == {"Guide › Start", "Other"}
    assert found["Guide › Start"]["year"] == 5
    plain = ThumbIndexRetriever.from_documents(documents)
    assert "Guide › Start" not in {hit.node.metadata["section_path"] for hit in plain.retrieve("knob")}


def test_no_documents_make_an_empty_library() -> None:
    """As an index over none; nothing is found."""
    assert ThumbIndexRetriever.from_documents([]).retrieve("anything") == []
