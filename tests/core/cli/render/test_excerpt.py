"""The excerpt of a long passage: the lines that fit the question best."""

from __future__ import annotations

from thumbindex.cli.render.excerpt import best_lines, matching_words, terms_of

LINES = ["The harbour."] * 10 + ["Boats moor here.", "The mooring fee is 12 crowns."] + ["The harbour."] * 10


def test_terms_leave_out_question_words():
    """The others are stemmed."""
    assert terms_of("What are the mooring fees?", "english") == {"moor", "fee"}


def test_the_lines_with_the_terms_are_in_the_middle():
    """A rare word weighs more than one in every line."""
    start, end = best_lines(LINES, {"harbour", "moor", "fee"}, "english", 7)
    assert end - start == 7
    assert start <= 9
    assert end >= 13


def test_short_passages_are_shown_whole():
    """There is nothing to select."""
    assert best_lines(["a", "b"], {"x"}, "english", 3) == (0, 2)
    assert best_lines([], {"x"}, "english", 3) == (0, 0)


def test_without_a_match_the_beginning_is_shown():
    """Any other lines would be as good."""
    assert best_lines(LINES, {"zebra"}, "english", 3) == (0, 3)


def test_words_are_marked_in_every_form():
    """Figures too, with or without separators."""
    text = "Moorings: 1,200 boats moored."
    assert [text[a:b] for a, b in matching_words(text, terms_of("moor 1200", "english"), "english")] == [
        "Moorings",
        "1,200",
        "moored",
    ]
