"""Half a letter, as names of files and other programs' texts hold them, stops nothing."""

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
from thumbindex.text.characters import whole, whole_values
from thumbindex.tree import from_json, to_json
from thumbindex.tree.corrections import Rename

ALL_LETTERS = st.text(st.characters())  # surrogates too


@given(ALL_LETTERS)
def test_any_text_can_be_written_after(text: str) -> None:
    """And what could be before is the same."""
    made = whole(text)
    made.encode("utf-8")
    assert len(made) <= len(text)
    assert whole(made) == made
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        assert made == text


def test_halves_are_joined_or_replaced() -> None:
    """In keys, values and lists of metadata alike."""
    assert whole("a\ud83d\ude00b\ud83d") == "a😀b�"
    assert whole_values({"\ud800": ["\udc00", 1], "b": "c"}) == {"�": ["�", 1], "b": "c"}


def test_messages_and_replies_are_of_whole_letters() -> None:
    """A reply that was cut inside an emoji is sent back with the next request."""
    assert Message("user", "\ud83d").content == "�"
    assert Reply("Yes \ud83d").text == "Yes �"


@given(st.lists(ALL_LETTERS, min_size=1, max_size=3), ALL_LETTERS.filter(str.strip))
def test_any_page_texts_and_names_can_be_kept(texts: list[str], name: str) -> None:
    """As a tree in JSON, and in a library."""
    texts = ["Boats moor.", *texts]
    tree = build_tree(texts, name=name)
    assert from_json(to_json(tree)) == tree
    with Library() as library:
        (info,) = library.add_loaded(LoadedText(text, "a", page) for page, text in enumerate(texts, 1))
        assert library.retrieve("boats").evidence[0].doc_id == info.doc_id
        assert library.get(library.add_tree(tree).name).page_count == len(texts)


def test_what_is_said_of_sections_later_is_of_whole_letters() -> None:
    """A title that a person gives, and a summary that a program makes; an id that never was is a section that is missing."""
    with Library() as library:
        name = library.add(b"# Quay\n\nBoats moor.\n", name="quay.md").name
        node = library.tree(name).nodes[0].id
        library.correct(name, Rename(node, "Pier \ud800"))
        library.set_summaries(name, {node: "boats \ud83d"})
        (section,) = library.tree(name).nodes
        assert (section.title, section.summary) == ("Pier �", "boats �")
        with pytest.raises(SectionNotFound):
            library.read(name, node="\ud800")


@pytest.mark.skipif(os.name == "nt", reason="names of files are UTF-16 there")
def test_a_file_whose_name_is_no_utf8_is_kept_and_found_again(tmp_path: Path) -> None:
    """Old archives are full of them."""
    path = os.path.join(os.fsencode(tmp_path), b"gr\xfc\xdfe.md")
    try:
        Path(os.fsdecode(path)).write_bytes(b"# Greetings\n\nFrom the quay.\n")
    except OSError:
        pytest.skip("the file system takes UTF-8 alone")
    with Library(tmp_path / "a.db") as library:
        info = library.add(os.fsdecode(path))
        assert info.name == "gr��e.md"
        assert library.add(os.fsdecode(path)).doc_id == info.doc_id
        assert library.get(os.fsdecode(path)) == info
        assert len(library) == 1
