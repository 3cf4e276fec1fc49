"""Reading answers: sentences, and citations as models write them."""

from __future__ import annotations

import pytest

from thumbindex.citations.sentences import Cited, alias_names, read_sentences

NAMES = alias_names([("ferry-1", "ferry.pdf"), ("tolls-2", "tolls.pdf")])


def cited(text: str) -> list[tuple[str, str]]:
    """Document and place of each citation in a text."""
    return [
        (cited.document, cited.pages or cited.section)
        for sentence in read_sentences(text, NAMES)
        for cited in sentence.cited
    ]


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("[ferry.pdf, p. 2]", "2"),
        ("[ferry.pdf, pp. 3-5, 9]", "3-5, 9"),
        ("[ferry.pdf p.2]", "2"),
        ("[ferry.pdf, page 2]", "2"),
        ("[ferry, p. 2]", "2"),
        ("[ferry-1, p. 2]", "2"),
        ("[FERRY.PDF, P. 2]", "2"),
        ("(ferry.pdf, p. 2)", "2"),
        ("【ferry.pdf, p. 2】", "2"),
        ("[ferry.pdf,p.2]", "2"),
        ("[ferry.pdf, S. 2]", "2"),
        ("[ferry.pdf, 第2页]", "2"),
        ("[ferry.pdf, p. iv]", "iv"),
        ("[ferry.pdf, p. F-12]", "F-12"),
        ("[ferry.pdf, p. 43 (printed 34)]", "43"),
        ("[ferry.pdf, Note 14, p. 4]", "4"),
        ("[ferry.pdf, § 4.2 Wick]", "4.2 Wick"),
        ("[ferry.pdf: 2]", "2"),
    ],
)
def test_a_citation_is_read_in_any_of_its_forms(written: str, place: str) -> None:
    """Models write citations in many ways."""
    assert cited(f"It sails at nine {written}.") == [("ferry-1", place)]


def test_one_bracket_may_cite_several_documents() -> None:
    """They are separated by semicolons; a page alone belongs to the document before it."""
    assert cited("Both [ferry.pdf, p. 2; tolls.pdf, p. 1; p. 3].") == [
        ("ferry-1", "2"),
        ("tolls-2", "1"),
        ("tolls-2", "3"),
    ]


def test_a_citation_of_an_unknown_document_is_read_too() -> None:
    """The check reports that the document is unknown."""
    (sentence,) = read_sentences("It sails [barge.pdf, p. 9].", NAMES)
    assert sentence.cited == (Cited("[barge.pdf, p. 9]", "barge.pdf", False, pages="9"),)


@pytest.mark.parametrize(
    "text", ["A loss of (1,234).", "He said so [sic].", "See [1].", "(see Note 14)", "f[0] and g(x)"]
)
def test_other_brackets_are_no_citations(text: str) -> None:
    """Accounts write losses in brackets, and prose its asides."""
    assert cited(text) == []


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        pytest.param("A [ferry.pdf, p. 1]. B [ferry.pdf, p. 2].", ["1", "2"], id="before the full stop"),
        pytest.param("A. [ferry.pdf, p. 1] B. [ferry.pdf, p. 2]", ["1", "2"], id="after it"),
        pytest.param("- A [ferry.pdf, p. 1]\n- B [ferry.pdf, p. 2]", ["1", "2"], id="a list"),
        pytest.param("A.\n[ferry.pdf, p. 1]", ["1"], id="on a line of its own"),
        pytest.param("Mr. A paid approx. 3 crowns [ferry.pdf, p. 1].", ["1"], id="abbreviations end no sentence"),
        pytest.param("“A. B.” he said [ferry.pdf, p. 1].", ["1"], id="nor does what is quoted"),
        pytest.param("票价3元。[ferry.pdf, p. 1] 早上开船。[ferry.pdf, p. 2]", ["1", "2"], id="Chinese"),
    ],
)
def test_a_citation_belongs_to_its_sentence(text: str, sentences: list[str]) -> None:
    """Before or after the full stop."""
    assert [sentence.cited[0].pages for sentence in read_sentences(text, NAMES) if sentence.cited] == sentences


def test_a_name_that_two_documents_share_is_ambiguous() -> None:
    """Their ids identify them."""
    names = alias_names([("a-1", "report.pdf"), ("b-2", "report.pdf")])
    assert set(names) == {"a-1", "b-2"}
