"""Of a long passage those lines are shown that say most about the question."""

from __future__ import annotations

from thumbindex.cli.render.excerpt import best_lines, matching_words, terms_of

LINES = ["The harbour."] * 10 + ["Boats moor here.", "The mooring fee is 12 crowns."] + ["The harbour."] * 10


def test_terms_leave_out_what_every_question_holds():
    """And are stems."""
    assert terms_of("What are the mooring fees?", "english") == {"moor", "fee"}


def test_the_lines_with_the_terms_stand_in_the_middle():
    """A rare word weighs more than one that every line holds."""
    start, end = best_lines(LINES, {"harbour", "moor", "fee"}, "english", 7)
    assert end - start == 7
    assert start <= 9
    assert end >= 13


def test_short_passages_are_shown_whole():
    """There is nothing to choose."""
    assert best_lines(["a", "b"], {"x"}, "english", 3) == (0, 2)
    assert best_lines([], {"x"}, "english", 3) == (0, 0)


def test_nothing_found_shows_the_beginning():
    """As good a place as any."""
    assert best_lines(LINES, {"zebra"}, "english", 3) == (0, 3)


def test_words_are_marked_in_every_form():
    """Figures too, however they are written."""
    text = "Moorings: 1,200 boats moored."
    assert [text[a:b] for a, b in matching_words(text, terms_of("moor 1200", "english"), "english")] == [
        "Moorings",
        "1,200",
        "moored",
    ]
