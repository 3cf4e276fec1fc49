"""Section numbers as a grammar: what is a number, of which counter, and what only looks like one."""

from __future__ import annotations

import pytest

from thumbindex.headings.numbering import Label, is_bare_label, parse_label, parse_labels, roman


@pytest.mark.parametrize(
    ("text", "kind", "value", "title"),
    [
        ("1 Scope", "decimal", "1", "Scope"),
        ("1. Scope", "decimal", "1", "Scope"),
        ("1.2 Scope", "decimal", "1.2", "Scope"),
        ("1.2.3. Scope", "decimal", "1.2.3", "Scope"),
        ("A.1 Order form", "decimal", "A.1", "Order form"),
        ("3Scope", "decimal", "3", "Scope"),
        ("1.2 ASN.1", "decimal", "1.2", "ASN.1"),
        ("Chapter 4 Land", "chapter", "4", "Land"),
        ("CHAPTER IV: LAND", "chapter", "IV", "LAND"),
        ("Chapter Two", "chapter", "2", ""),
        ("Kapitel 3. Betrieb", "chapter", "3", "Betrieb"),
        ("Capítulo 2 Agua", "chapter", "2", "Agua"),
        ("Глава 5. Вода", "chapter", "5", "Вода"),
        ("第三章 水库", "chapter", "3", "水库"),
        ("第十二节 水位", "section", "12", "水位"),
        ("第２条 目的", "article", "2", "目的"),
        ("Part II", "part", "II", ""),
        ("PART II", "part", "II", ""),
        ("Item 7A. Market Risk", "item", "7A", "Market Risk"),
        ("Note 14. Debt", "note", "14", "Debt"),
        ("Appendix B Forms", "appendix", "B", "Forms"),
        ("Anhang A – Formulare", "appendix", "A", "Formulare"),
        ("§ 12 Duty", "section-sign", "12", "Duty"),
        ("(a) Oats", "paren-lower-letter", "a", "Oats"),
        ("(3) Oats", "paren-decimal", "3", "Oats"),
        ("IV. Costs", "upper-roman", "IV", "Costs"),
        ("b) Oats", "lower-letter", "b", "Oats"),
    ],
)
def test_numbers_are_read(text, kind, value, title):
    """Kind of counter, value and the title without them."""
    label = parse_label(text)
    assert label is not None
    assert (label.kind, ".".join(label.value), label.title) == (kind, value, title)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("Scope", id="a word"),
        pytest.param("2021 was a good year", id="a year"),
        pytest.param("1.000 crowns", id="a figure"),
        pytest.param("007 Bond", id="leading zeros"),
        pytest.param("A tale of the valley", id="an article"),
        pytest.param("I went down to the river", id="a pronoun"),
        pytest.param("Note that the gate is closed", id="a word that also opens labels"),
        pytest.param("Part of the valley", id="another"),
        pytest.param("Section a bit longer", id="a small letter after such a word"),
        pytest.param("Chapterhouse", id="a longer word"),
        pytest.param("3rd quarter", id="an ordinal in figures"),
    ],
)
def test_what_only_looks_like_a_number(text):
    """Prose and figures have none."""
    assert parse_labels(text) == ()


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("I. Land", ["upper-roman", "upper-letter"]),
        ("C. Land", ["upper-letter", "upper-roman"]),
        ("v) land", ["lower-roman", "lower-letter"]),
        ("B. Land", ["upper-letter"]),
        ("II. Land", ["upper-roman"]),
    ],
)
def test_a_letter_that_may_be_roman_has_both_readings(text, kinds):
    """The likelier first; the neighbours decide."""
    assert [label.kind for label in parse_labels(text)] == kinds


@pytest.mark.parametrize(
    ("text", "marked"), [("1 Scope", False), ("1. Scope", True), ("1.2 Scope", True), ("1) Scope", True)]
)
def test_a_marked_number_is_closed_by_punctuation(text, marked):
    """Plain figures at the start of a line are not."""
    assert [label.marked for label in parse_labels(text)] == [marked]


@pytest.mark.parametrize(
    ("label", "ordinal"),
    [
        (Label("decimal", ("2", "10"), ""), 10),
        (Label("item", ("7A",), ""), 7),
        (Label("upper-letter", ("C",), ""), 3),
        (Label("upper-roman", ("C",), ""), 100),
        (Label("chapter", ("IV",), ""), 4),
    ],
)
def test_the_ordinal_of_a_number(label, ordinal):
    """Its last part as a number, in the counter's own way to count."""
    assert label.ordinal == ordinal


@pytest.mark.parametrize(
    ("text", "value"),
    [("iv", 4), ("XII", 12), ("mcmxc", 1990), ("iiii", None), ("civil", None), ("", None), ("4", None)],
)
def test_roman_numbers(text, value):
    """Well-formed ones alone."""
    assert roman(text) == value


@pytest.mark.parametrize(
    ("text", "bare"),
    [("Chapter 3", True), ("B.", True), ("1.2", True), ("第三章", True), ("1.2 Scope", False), ("Scope", False)],
)
def test_a_bare_label_waits_for_its_title(text, bare):
    """The title stands on the next line."""
    assert is_bare_label(text) is bare
