"""The lines of a Markdown file are those an editor shows; its front matter is metadata."""

from __future__ import annotations

import pytest

from thumbindex.errors import EmptySource
from thumbindex.sources.markdown import MAX_FRONT_MATTER, front_matter, read_markdown
from thumbindex.text.front_matter import front_matter_length


def lines(text):
    return [line.text for line in read_markdown(text, "a.md").lines]


def test_lines_are_those_of_the_file():
    """Whatever their endings; other white space is unchanged, and a final line ending starts no further line."""
    assert lines("a\r\nb\rc\n\n d\u2028e\x0cf\n") == ["a", "b", "c", "", " d\u2028e\x0cf"]


def test_a_byte_order_mark_is_not_text():
    """Nor does it hide the front matter."""
    document = read_markdown("\ufeff---\ntitle: Tides\n---\ntext", "a.md")
    assert document.lines[0].text == "---"
    assert document.metadata == {"title": "Tides"}


def test_a_markdown_file_has_no_pages():
    document = read_markdown("# A", "a.md")
    assert (document.kind, document.pages, document.lines[0].box) == ("markdown", None, None)


def test_white_space_is_not_a_document():
    """Its tree would answer nothing."""
    with pytest.raises(EmptySource):
        read_markdown(" \n\n", "a.md")


@pytest.mark.parametrize(
    ("text", "length"),
    [
        pytest.param("---\ntitle: A\n---\n# B", 3, id="closed by dashes"),
        pytest.param("---\ntitle: A\n...\n# B", 3, id="closed by dots"),
        pytest.param("---\n# note\n\ntitle: A\n---  \n", 5, id="a comment first"),
        pytest.param("---\n---\ntext", 2, id="empty"),
        pytest.param("---\n\nOpening words.\n\nSafety\n---\n", 0, id="a thematic break, then a heading"),
        pytest.param("---\ntitle: A\ntext", 0, id="never closed"),
        pytest.param("\n---\ntitle: A\n---\n", 0, id="not on the first line"),
        pytest.param("--- \ntitle: A\n---\n", 3, id="white space after the dashes"),
        pytest.param("----\ntitle: A\n----\n", 0, id="four dashes"),
        pytest.param("# A", 0, id="none"),
        pytest.param("", 0, id="no lines"),
    ],
)
def test_where_front_matter_ends(text, length):
    """It starts on line 1, contains `key:` entries and is closed."""
    assert front_matter_length(text.split("\n")) == length


def test_values_of_the_front_matter():
    """Scalars, dates as ISO strings, lists of scalars as strings; nested values are dropped."""
    text = """\
---
title: "Tides: a manual"
version: 3
ratio: 0.5
draft: false
editor:
date: 2024-03-01
updated: 2024-03-01 10:20:30
tags: [harbour, 7, 2024-01-02, true]
empty: []
author: {name: Ada}
matrix: [[1], [2]]
limit: .inf
2024: year
---
"""
    assert front_matter(text.split("\n")) == {
        "title": "Tides: a manual",
        "version": 3,
        "ratio": 0.5,
        "draft": False,
        "editor": None,
        "date": "2024-03-01",
        "updated": "2024-03-01T10:20:30",
        "tags": ["harbour", "7", "2024-01-02", "True"],
        "empty": [],
        "limit": "inf",
        "2024": "year",
    }


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param("a: &x [1]\nb: *x", id="an alias"),
        pytest.param("a: " + "[" * 3000, id="deep nesting"),
        pytest.param("a: [1", id="not closed"),
        pytest.param("a: 2024-13-45", id="an impossible date"),
        pytest.param("a: !!bool maybe", id="a wrong tag"),
        pytest.param("a: !!timestamp soon", id="a wrong timestamp"),
        pytest.param("a: !!python/object/apply:os.getcwd []", id="a tag that would run code"),
        pytest.param("a: " + "9" * 5000, id="a number without end"),
        pytest.param("a: " + "x" * MAX_FRONT_MATTER, id="too long"),
    ],
)
def test_invalid_front_matter_is_reported(entry):
    """The text is still valid, and the metadata contain the reason."""
    document = read_markdown(f"---\n{entry}\n---\n# Tides\n", "a.md")
    assert list(document.metadata) == ["front_matter_error"]
    assert len(str(document.metadata["front_matter_error"])) <= 300
    assert document.lines[-1].text == "# Tides"
