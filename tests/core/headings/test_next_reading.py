"""Files whose markup gives no sections are read by the rules for plain text."""

from __future__ import annotations

import pytest

from thumbindex import build_tree

RULES = "1. Quiet hours\n\nFrom ten to six.\n\n2. Waste\n\nOn Mondays.\n\n3. Pets\n\nNo geese.\n"
TITLES = ["1. Quiet hours", "2. Waste", "3. Pets"]


def titles(source: str, name: str = "rules") -> list[str]:
    return [node.title for node in build_tree(source.encode(), name=name).nodes]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(f"<html><pre>{RULES}</pre></html>", id="text in a pre element"),
        pytest.param("<html>" + "".join(f"<p>{text}</p>" for text in RULES.split("\n\n")), id="paragraphs of a page"),
        pytest.param(f"{RULES}\n[Map](map.html)\n", id="Markdown with a link alone"),
        pytest.param(f"{RULES}\n______________________\n", id="a rule for a signature"),
        pytest.param(f"*** RULES OF THE HOUSE ***\n\n{RULES}", id="a line of asterisks"),
    ],
)
def test_numbered_lines_are_sections_where_no_heading_is_marked(source):
    assert [title for title in titles(source) if title in TITLES] == TITLES


def test_a_marked_title_stays_above_them_and_a_note_says_why():
    tree = build_tree(f"# House rules\n\n{RULES}".encode(), name="rules.md")
    assert [(node.title, node.level) for node in tree.nodes] == [("House rules", 1), *((title, 2) for title in TITLES)]
    assert tree.notes == ("The file marks no headings: they were found by the rules for plain text.",)


def test_code_in_fences_has_no_headings():
    assert titles(f"# Rules\n\n```\n{RULES}```\n") == ["Rules"]


def test_markup_with_headings_is_read_by_them_alone():
    assert titles(f"# Rules\n\n{RULES}\n## End\n") == ["Rules", "End"]


def test_a_specification_with_sample_messages_is_no_conversation():
    message = (
        "From: a@example.com\nTo: b@example.com\nDate: Mon, 4 Mar 2024 08:00:00 +0000\nSubject: Low water\n\nDry.\n\n"
    )
    text = f"1. Introduction\n\nReports.\n\n2. Format\n\n{message}{message}3. Security\n\nNone.\n"
    assert titles(text) == ["1. Introduction", "2. Format", "3. Security"]


def test_sections_of_an_act():
    """Its list of contents, in other letters, is no section; a sentence that opens with a reference is none either."""
    names = ["Fees", "Oil and wicks", "Amendment to title 46", "Penalties", "Entry into force"]
    listed = "".join(f"Sec. {number}. {name}.\n" for number, name in enumerate(names, 101))
    body = "".join(
        f"SEC. {number}. {name.upper()}.\n\nSection 2.3 of the old act ends.\n\n"
        for number, name in enumerate(names, 101)
    )
    assert titles(f"HARBOR ACT\n\n{listed}\n{body}")[-5:] == [
        f"SEC. {number}. {name.upper()}." for number, name in enumerate(names, 101)
    ]
