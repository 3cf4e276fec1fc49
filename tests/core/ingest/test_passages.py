"""Passages of a tree: each section's own text, split where it is long, and its token texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex import build_tree
from thumbindex.ingest.passages import index_terms, split_passages
from thumbindex.text.passages import MAX_PASSAGE_TOKENS
from thumbindex.text.tokens import estimate_tokens
from thumbindex.tree.model import Tree

SENTENCE = "The miller grinds the corn between two heavy stones that turn all day."
LONG = "\n\n".join([SENTENCE * 4] * 20)


def tree(text: str) -> Tree:
    return build_tree(text.encode(), name="text.md")


def test_a_section_is_a_passage_up_to_its_first_subsection() -> None:
    """The text of a subsection belongs to the subsection alone."""
    passages = split_passages(tree("# Mill\n\nIt turns.\n\n## Stones\n\nThey grind.\n"))
    assert [(passage.path, passage.text) for passage in passages] == [
        ("Mill", "# Mill\n\nIt turns."),
        ("Mill › Stones", "## Stones\n\nThey grind."),
    ]


def test_a_heading_alone_is_no_passage() -> None:
    """It has no text of its own."""
    assert [passage.path for passage in split_passages(tree("# Mill\n\n## Stones\n\nThey grind.\n"))] == [
        "Mill › Stones"
    ]


def test_a_long_section_is_cut_after_paragraphs_into_even_parts() -> None:
    """Parts are numbered from 1 and have similar lengths."""
    parts = split_passages(tree(f"# Mill\n\n{LONG}\n"))
    assert [passage.node_id for passage in parts] == [
        f"{parts[0].section}.{number}" for number in range(1, len(parts) + 1)
    ]
    assert all(passage.text.endswith(".") for passage in parts)
    sizes = [estimate_tokens(passage.text) for passage in parts]
    assert max(sizes) <= MAX_PASSAGE_TOKENS
    assert min(sizes) > max(sizes) / 2


def test_a_page_is_kept_whole_where_it_fits() -> None:
    """A long section over several pages is cut between them."""
    page = "\n\n".join([SENTENCE * 4] * 8)
    parts = split_passages(build_tree([f"# Mill\n\n{page}", page, page], name="mill"))
    assert [str(passage.pages) for passage in parts] == ["1", "2", "3"]


def test_a_single_long_line_stays_one_passage() -> None:
    """Lines are never cut."""
    assert len(split_passages(tree("# Mill\n\n" + SENTENCE * 200))) <= 2


words = st.sampled_from(["# One", "## Two", "### Three", "", "A line of text.", SENTENCE * 12, "| a | b |"])


@given(st.lists(words, min_size=1, max_size=60))
def test_passages_contain_all_text_once(lines: list[str]) -> None:
    """Every line with text is in exactly one passage, except headings of sections without text of their own."""
    text = "\n".join(lines)
    if not text.strip():
        return
    built = tree(text)
    passages = split_passages(built)
    assert len({passage.node_id for passage in passages}) == len(passages)
    covered = [n for passage in passages for n in passage.lines if built.lines[n - 1].strip()]
    assert len(covered) == len(set(covered))
    for node in built.walk():
        own = [n for n in built.own_span(node) if n not in built.headers_footers and built.lines[n - 1].strip()]
        if any(n >= node.body for n in own):
            assert set(own) <= set(covered)


def test_token_texts_mark_lines_and_pages() -> None:
    """A line feed ends a line and a form feed starts a page; a broken word is complete in its first line."""
    tree = build_tree(["# Oil\n\nThe lamp burns oil that is pay-\nable in\n", "advance. Price 3.50"], name="oil")
    (passage,) = split_passages(tree)
    title, path, body = index_terms(tree, passage, "english")
    assert (title, path) == ("oil", "")
    assert body == "\foil\nthe lamp burn oil that is pay payabl\nabl in\n\fadvanc price 3.50"


HEAD = "Loans by year of maturity\nin millions 2022 2021"
ROWS = [f"Loan number {number} 1,{number:03} 2,{number:03}" for number in range(100, 140)]
PROSE = "\n".join([SENTENCE] * 40)


@pytest.mark.parametrize(
    "top",
    [
        pytest.param("", id="without a head"),
        pytest.param("in millions 2022 2021\n", id="with its head repeated"),
        pytest.param("Loans by year of maturity (continued)\n", id="with a mark that it continues"),
    ],
)
def test_a_table_that_runs_over_the_end_of_a_page_is_one_passage(top: str) -> None:
    """From the line above its head to its last row, whatever the next page repeats."""
    first, second = "\n".join(ROWS[:6]), "\n".join(ROWS[6:12])
    pages = [f"# Debt\n\n{PROSE}\n\n{HEAD}\n{first}", f"{top}{second}\n\n{PROSE}"]
    (table,) = [passage for passage in split_passages(build_tree(pages, name="debt")) if "Loan number" in passage.text]
    assert str(table.pages) == "1-2"
    assert "Loans by year" in table.text
    assert all(row in table.text for row in ROWS[:12])


@pytest.mark.parametrize(
    ("bottom", "top"),
    [
        pytest.param("\n".join(ROWS[:6]), "Rent 5 6 7 8\nHeat 6 7 8 9", id="another table"),
        pytest.param("\n".join(ROWS[:6]), SENTENCE, id="prose after a table"),
        pytest.param(
            SENTENCE + "\nIt was sold in 2022", "The mill was sold in 2021\nand again in 2022", id="years in prose"
        ),
    ],
)
def test_text_without_a_table_over_the_page_end_is_cut_there(bottom: str, top: str) -> None:
    """Each page is a passage."""
    parts = split_passages(build_tree([f"# Debt\n\n{PROSE}\n{bottom}", f"{top}\n{PROSE}"], name="debt"))
    assert [str(passage.pages) for passage in parts] == ["1", "2"]


def test_a_long_table_is_cut_between_its_pages() -> None:
    """A table that is longer than a passage is not one passage."""
    pages = ["\n".join(f"{row} and some more words of a long label 3,000" for row in ROWS) for _ in range(2)]
    parts = split_passages(build_tree([f"# Debt\n\n{pages[0]}", pages[1]], name="debt"))
    assert all(estimate_tokens(passage.text) <= MAX_PASSAGE_TOKENS for passage in parts)
    assert all(passage.pages is not None and len(passage.pages) == 1 for passage in parts)


def test_a_word_broken_at_the_end_of_a_passage_is_indexed_complete() -> None:
    """Its second half is in the next passage, on the next page."""
    page = "\n".join([SENTENCE] * 60)
    whole = build_tree([f"# Mill\n\n{page}\nThe water-", f"course is long.\n{page}"], name="mill")
    assert any("watercours" in index_terms(whole, passage, "english")[2].split() for passage in split_passages(whole))
