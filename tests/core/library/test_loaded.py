"""Texts that another loader has read become documents with the pages that it names."""

from __future__ import annotations

import pytest

from thumbindex import AsyncLibrary, Library, Scope
from thumbindex.errors import EmptySource, SourceLimit
from thumbindex.sources.loaded import LoadedText

PAGES = [
    "# 1 Mooring\n\nTie the bow line first.",
    "# 2 Fenders\n\nHang two fenders on each side.",
    "Replace a fender when its skin is cracked.\n\n# 3 Anchors\n\nPay out five times the depth.",
]


def loaded(texts: list[str], **fields: str) -> list[LoadedText]:
    return [LoadedText(text, "/boats/manual.pdf", page, **fields) for page, text in enumerate(texts, 1)]


def test_pages_of_one_source_make_one_document_that_cites_them() -> None:
    library = Library()
    (info,) = library.add_texts(loaded(PAGES))
    assert (info.name, info.source, info.page_count) == ("manual.pdf", "/boats/manual.pdf", 3)
    best = library.retrieve("When is a fender replaced?").evidence[0]
    assert (best.section_path, best.citation) == ("2 Fenders", "[manual.pdf, p. 2-3]")


def test_pages_may_come_in_any_order_and_in_pieces() -> None:
    """A loader may give each element of a page by itself."""
    first, second, third = loaded(PAGES)
    pieces = [LoadedText(half, second.source, 2) for half in second.text.split("\n\n")]
    library = Library()
    (info,) = library.add_texts([third, *pieces, first])
    assert [library.read(info.doc_id, pages=str(page)).text.split("\n")[0] for page in (1, 2, 3)] == [
        "# 1 Mooring",
        "# 2 Fenders",
        "Replace a fender when its skin is cracked.",
    ]


def test_a_page_that_no_text_names_is_blank_and_keeps_its_number() -> None:
    library = Library()
    (info,) = library.add_texts([LoadedText("# Front\n\nOne.", "a.pdf", 1), LoadedText("# Back\n\nTwo.", "a.pdf", 4)])
    assert (info.page_count, info.pages_without_text) == (4, (2, 3))
    assert library.retrieve("back").evidence[0].citation == "[a.pdf, p. 4]"


def test_labels_of_the_loader_are_kept() -> None:
    library = Library()
    library.add_texts([LoadedText(text, "a.pdf", page, label="F-" + str(page)) for page, text in enumerate(PAGES, 1)])
    assert library.retrieve("anchors depth").evidence[0].page_labels == ("F-3", "F-3")


def test_a_text_without_a_page_is_read_as_markdown() -> None:
    library = Library()
    (info,) = library.add_texts(
        [LoadedText("# Install\n\nRun it.\n\n# Remove\n\nDelete it.", "https://example.org/guide")]
    )
    assert (info.name, info.page_count, info.section_count) == ("guide", 0, 2)


def test_texts_without_a_source_are_documents_of_their_own() -> None:
    library = Library()
    one, two = library.add_texts([LoadedText("# One\n\nred"), LoadedText("# Two\n\nblue")])
    assert one.doc_id != two.doc_id
    assert one.name != two.name


def test_loading_again_changes_nothing_and_a_changed_page_makes_a_revision() -> None:
    library = Library()
    (first,) = library.add_texts(loaded(PAGES))
    assert library.add_texts(loaded(PAGES)) == [first]
    (second,) = library.add_texts(loaded([*PAGES[:2], PAGES[2].replace("five", "seven")]))
    assert (second.doc_id, second.revision) == (first.doc_id, 2)
    assert "seven times" in library.retrieve("anchor depth").evidence[0].text


def test_metadata_that_all_texts_share_belongs_to_the_document() -> None:
    texts = [
        LoadedText(text, "a.pdf", page, metadata={"tenant": "blue", "words": len(text)})
        for page, text in enumerate(PAGES, 1)
    ]
    library = Library()
    (info,) = library.add_texts(texts)
    assert dict(info.metadata) == {"tenant": "blue"}
    assert library.retrieve("fender", scope=Scope(where={"tenant": "blue"})).evidence
    assert not library.retrieve("fender", scope=Scope(where={"tenant": "red"})).evidence


def test_a_document_without_text_is_left_out_and_nothing_at_all_is_an_error() -> None:
    library = Library()
    (info,) = library.add_texts([LoadedText(" ", "scan.pdf", 1), LoadedText("# A\n\nb", "a.md")])
    assert info.name == "a.md"
    with pytest.raises(EmptySource, match=r"scan\.pdf"):
        library.add_texts([LoadedText(" ", "scan.pdf", 1)])


@pytest.mark.parametrize("page", [0, -1])
def test_pages_count_from_one(page: int) -> None:
    with pytest.raises(ValueError, match="start at 1"):
        LoadedText("text", "a.pdf", page)


def test_a_page_number_beyond_all_documents_is_refused() -> None:
    with pytest.raises(SourceLimit, match="1,000,000"):
        Library().add_texts([LoadedText("text", "a.pdf", 1_000_000)])


async def test_its_twin_for_async_code_does_the_same() -> None:
    library = Library()
    assert await AsyncLibrary(library).add_texts(iter(loaded(PAGES))) == library.add_texts(loaded(PAGES))
    assert library.retrieve("fenders").evidence[0].section_path == "2 Fenders"
