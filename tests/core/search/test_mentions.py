"""What counts as a mention; all mentions are found."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from thumbindex import Library, Scope, build_tree
from thumbindex.outline import Heading, Outline
from thumbindex.pages import Document, Line, LineRange, Page
from thumbindex.search.mentions import find_mentions
from thumbindex.tree import build


def lines(text: str, wanted: str, language: str = "english", *, exact: bool = False) -> list[int]:
    """Returns the lines on which mentions begin."""
    tree = build_tree(text.encode(), name="t.md")
    return [found.line for found in find_mentions(tree, wanted, language, exact=exact)]


@pytest.mark.parametrize(
    ("wanted", "text", "found"),
    [
        pytest.param(
            "term loan", "The Term  Loan, a TERM\nLOAN and term loan.", [1, 1, 2], id="case, blanks, line ends"
        ),
        pytest.param(
            "loan", "loan loans loaned\npayloan loanword", [1, 1, 1], id="inflections, but not parts of words"
        ),
        pytest.param("loans", "one loan", [1], id="asked in the plural"),
        pytest.param("inter*", "interest internal winter", [1, 1], id="any ending"),
        pytest.param(
            "interest rate", "the inter-\nest rate and interest-\nrate", [1, 2], id="words broken at a line's end"
        ),
        pytest.param("long term", "long-term, long term", [1, 1], id="with a hyphen"),
        pytest.param("long-term", "long-term, long term, longterm", [1, 1], id="asked with a hyphen"),
        pytest.param("Note 1", "Note 1, Note 14, Note 1.2, Notes 1.", [1, 1], id="not parts of numbers"),
        pytest.param("1234", "1,234 and 1234 but 12345 and 1,234.5", [1, 1], id="numbers by value"),
        pytest.param("resume", "Résumé, resumé", [1, 1], id="without diacritics"),
        pytest.param("Résumé", "resume", [1], id="asked with diacritics"),
        pytest.param("company's duty", "the company's duty", [1], id="an apostrophe"),
        pytest.param("$", "5 $ or 6 $", [1, 1], id="a symbol alone"),
        pytest.param("  ", "text", [], id="nothing"),
    ],
)
def test_words_are_found_in_any_form(wanted: str, text: str, found: list[int]) -> None:
    """Each mention once, at the line where it begins."""
    assert lines(text, wanted) == found


@pytest.mark.parametrize(
    ("wanted", "text", "language", "count"),
    [
        ("利率", "年利率は変動利\n率です。", "english", 2),
        ("借款", "本公司借款及借 款", "english", 2),
        ("附录A", "见附录A的说明", "english", 1),
        ("금리", "변동금리와 고정금리", "english", 2),
        ("Zinssatz", "der Zinssatz, des Zinssatzes, die Zinssätze", "german", 3),
        ("банк", "банк, банка, банком", "russian", 3),
    ],
)
def test_mentions_in_other_languages(wanted: str, text: str, language: str, count: int) -> None:
    """By characters where there are no spaces between words, otherwise by the stems of the language."""
    assert len(lines(text, wanted, language)) == count


def test_exact_takes_the_words_as_they_are_written() -> None:
    """With their punctuation and without other inflections; line ends make no difference."""
    text = "The loan (A), the loans\n(A), a loan A and the loan\n(A)."
    assert lines(text, "loan (A)", exact=True) == [1, 2]
    assert lines(text, "loan (A)") == [1, 1, 2, 2]


def test_mentions_continue_over_page_breaks_and_headers() -> None:
    """The header itself does not count as one."""
    texts = ("Loan report", "It has a term", "Loan report", "loan.")
    pages = (Page(1, LineRange(1, 2)), Page(2, LineRange(3, 4)))
    document = Document("r", "pdf", tuple(map(Line, texts)), pages)
    outline = Outline("layout", (Heading("All", 1, 1, 2, "test"),), headers_footers=frozenset({1, 3}))
    tree = build(document, outline)
    (found,) = find_mentions(tree, "term loan", "english")
    assert (found.line, found.last_line, found.snippet) == (2, 4, "It has a term loan.")
    assert [mention.line for mention in find_mentions(tree, "loan", "english")] == [4]


def test_a_snippet_has_complete_words_around_the_mention() -> None:
    """About 80 characters on each side, with dots where the line is longer."""
    text = " ".join(["before"] * 40 + ["kernel"] + ["after"] * 40)
    (found,) = find_mentions(build_tree(text.encode(), name="t.md"), "kernel", "english")
    assert found.snippet.startswith("…before ")
    assert found.snippet.endswith(" after…")
    assert " kernel " in found.snippet
    assert len(found.snippet) < 180


def test_the_number_of_mentions_is_exact() -> None:
    """Compared with a count of the words, over documents with random line ends and hyphens."""
    chance = random.Random(7)
    library = Library()
    expected = 0
    for number in range(80):
        words = chance.choices(["alpha", "beta", "gamma", "delta"], k=200)
        expected += sum(pair == ("alpha", "beta") for pair in pairwise(words))
        text = ""
        for word in words:
            broken = f"{word[:2]}-\n{word[2:]}" if chance.random() < 0.05 else word
            text += broken + chance.choice([" "] * 9 + ["\n"])
        library.add(f"# Volume {number}\n\n{text}\n".encode(), name=f"{number}.md")
    assert len(library.find_all("alpha beta")) == expected
    first, rest = library.find_all("alpha beta", limit=10), library.find_all("alpha beta", start=10)
    assert [*first, *rest] == library.find_all("alpha beta")
    assert len(first) == 10


def test_a_heading_without_text_of_its_own_is_searched_among_many_documents() -> None:
    """Where the index first selects the documents that can contain the words."""
    library = Library()
    for number in range(80):
        library.add(f"# Volume {number}\n\ntext\n".encode(), name=f"{number}.md")
    library.add(b"# Sail\n\n## Rigging\n\n## Keel\n\ntext\n", name="ship.md", metadata={"kind": "ship"})
    assert [mention.document for mention in library.find_all("rigging")] == ["ship.md"]
    assert library.find_all("rigging", scope=Scope(where={"kind": "mill"})) == []
