"""Lone surrogates, as in file names and in texts of other programs, are replaced and cause no error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex import Library, build_tree
from thumbindex.errors import SectionNotFound
from thumbindex.models import Message, Reply
from thumbindex.sources.loaded import LoadedText
from thumbindex.text.characters import replace_surrogates, replace_surrogates_in
from thumbindex.tree import from_json, to_json
from thumbindex.tree.corrections import Rename

ANY_CHARACTERS = st.text(st.characters())  # surrogates too


@given(ANY_CHARACTERS)
def test_any_text_can_be_encoded_afterwards(text: str) -> None:
    """Text that could be encoded before is unchanged."""
    cleaned = replace_surrogates(text)
    cleaned.encode("utf-8")
    assert len(cleaned) <= len(text)
    assert replace_surrogates(cleaned) == cleaned
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert cleaned == text


def test_pairs_are_joined_and_lone_surrogates_replaced() -> None:
    """Also in keys, values and lists of metadata."""
    assert replace_surrogates("a\ud83d\ude00b\ud83d") == "a😀b�"
    assert replace_surrogates_in({"\ud800": ["\udc00", 1], "b": "c"}) == {"�": ["�", 1], "b": "c"}


def test_messages_and_replies_hold_no_lone_surrogates() -> None:
    """A reply that was cut inside an emoji can be sent with the next request."""
    assert Message("user", "\ud83d").content == "�"
    assert Reply("Yes \ud83d").text == "Yes �"


@given(st.lists(ANY_CHARACTERS, min_size=1, max_size=3), ANY_CHARACTERS.filter(str.strip))
def test_any_page_texts_and_names_can_be_stored(texts: list[str], name: str) -> None:
    """In a tree as JSON, and in a library."""
    texts = ["Boats moor.", *texts]
    tree = build_tree(texts, name=name)
    assert from_json(to_json(tree)) == tree
    with Library() as library:
        (info,) = library.add_texts((LoadedText(text, "a", page) for page, text in enumerate(texts, 1)))
        assert library.retrieve("boats").evidence[0].doc_id == info.doc_id
        assert library.get(library.import_tree(tree).name).page_count == len(texts)


def test_titles_and_summaries_set_later_hold_no_lone_surrogates() -> None:
    """A corrected title and a given summary are cleaned; an unknown section id with a surrogate is reported as missing."""
    with Library() as library:
        name = library.add(b"# Quay\n\nBoats moor.\n", name="quay.md").name
        node = library.tree(name).nodes[0].id
        library.correct(name, Rename(node, "Pier \ud800"))
        library.summarize(name, summaries={node: "boats \ud83d"})
        (section,) = library.tree(name).nodes
        assert (section.title, section.summary) == ("Pier �", "boats �")
        with pytest.raises(SectionNotFound):
            library.read(name, node="\ud800")


@pytest.mark.skipif(os.name == "nt", reason="file names are UTF-16 on Windows")
def test_a_file_whose_name_is_not_utf8_is_added_and_found_again(tmp_path: Path) -> None:
    """Such names are common in old archives."""
    path = os.path.join(os.fsencode(tmp_path), b"gr\xfc\xdfe.md")
    try:
        Path(os.fsdecode(path)).write_bytes(b"# Greetings\n\nFrom the quay.\n")
    except OSError:
        pytest.skip("the file system accepts only UTF-8 names")
    with Library(tmp_path / "a.db") as library:
        info = library.add(os.fsdecode(path))
        assert info.name == "gr��e.md"
        assert library.add(os.fsdecode(path)).doc_id == info.doc_id
        assert library.get(os.fsdecode(path)) == info
        assert len(library) == 1
