"""Ids are values: read and written in one place, whatever they hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex.evidence import EvidenceId, PassageId
from thumbindex.store.records import SourceKey

WORDS = st.text(st.characters(exclude_characters="#", exclude_categories=["Cs"]), min_size=1, max_size=20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a1b2c3", PassageId("a1b2c3"), id="a section"),
        pytest.param("a1b2c3.2", PassageId("a1b2c3", 2), id="a part"),
        pytest.param("loans-1f2e#a1b2c3.2", PassageId("a1b2c3", 2), id="an evidence id"),
        pytest.param("4.1", PassageId("4", 1), id="a part of a section with a number for its id"),
        pytest.param("4.1.2", PassageId("4.1", 2), id="a part of a section with a dot in its id"),
        pytest.param("a1b2c3.0", PassageId("a1b2c3.0"), id="parts are counted from 1"),
        pytest.param("a1b2c3.02", PassageId("a1b2c3.02"), id="no leading zero"),
        pytest.param("a1b2c3.x", PassageId("a1b2c3.x"), id="no number"),
        pytest.param("a1b2c3." + "9" * 5000, PassageId("a1b2c3." + "9" * 5000), id="no number that a part can have"),
        pytest.param(".2", PassageId(".2"), id="no section"),
        pytest.param("", PassageId(""), id="nothing"),
    ],
)
def test_a_passage_id_is_a_section_and_perhaps_a_part(text: str, expected: PassageId) -> None:
    """Text that is no id is taken for a section, which no document has."""
    assert PassageId.parse(text) == expected
    assert str(expected) == text.rpartition("#")[2]


def test_a_section_of_the_document_is_no_part() -> None:
    """Imported trees have ids of their own."""
    assert PassageId.parse("4.1", sections={"4", "4.1"}) == PassageId("4.1")
    assert PassageId.parse("4.1.1", sections={"4", "4.1"}) == PassageId("4.1", 1)


@given(WORDS, WORDS, st.none() | st.integers(1, 10**9 - 1))
def test_ids_are_read_as_they_are_written(doc_id: str, section: str, part: int | None) -> None:
    """Whatever a document and a section are called."""
    passage = PassageId(section, part)
    assert PassageId.parse(str(passage), sections={section}) == passage
    evidence = EvidenceId(doc_id, str(passage))
    assert EvidenceId.parse(str(evidence)) == evidence


@pytest.mark.parametrize("text", ["a1b2c3", "#a1b2c3", "loans#", "#", ""])
def test_an_evidence_id_names_document_and_section(text: str) -> None:
    with pytest.raises(ValueError, match="An evidence id is"):
        EvidenceId.parse(text)


@given(st.sampled_from(["path", "name", "tree", "loaded"]), st.text(st.characters(exclude_categories=["Cs"])))
def test_source_keys_are_read_as_they_are_written(kind: str, place: str) -> None:
    """Colons in a name or path too."""
    key = SourceKey(kind, place)
    assert SourceKey.parse(str(key)) == key


def test_a_source_key_holds_what_a_database_takes() -> None:
    """A path may have bytes that are no UTF-8."""
    assert SourceKey("path", "/a/\udcff.md") == SourceKey("path", "/a/\ufffd.md")


@pytest.mark.parametrize("text", ["mill.md", "url:mill.md", ":mill.md", ""])
def test_a_source_key_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="begins with one of path, name, tree, loaded"):
        SourceKey.parse(text)
