"""The check of citations, one claim per case, against short documents that stand in this file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from thumbindex import Citation, build_tree
from thumbindex.citations import ReadDocument, check_answer
from thumbindex.pages import LineRange, Page

FERRY = [
    "Hire of the ferry Dunlin. The hirer is Marsh and Sons.",
    "The yearly hire is 36,500 crowns, pay-\nable in three parts.\nDeposit  5,000 crowns",
    "The hire grows by 3.5 percent every May. A part of three months is given back at once.",
    "Either party may end the hire with seven weeks of warning.",
]
TOLLS = ["The list names 21 tolls on the river."]


def source(pages: list[str], name: str, read: tuple[int, ...]) -> ReadDocument:
    tree = build_tree(pages, name=name)
    return ReadDocument(name, name, tree, tuple(lines for page in read if (lines := tree.page(page).lines)))


def check(text: str, *read: int, tolls: tuple[int, ...] = (), question: str = "") -> Citation:
    """The only citation of an answer about the ferry, of which these pages were read."""
    (citation,), _ = check_answer(
        text, [source(FERRY, "ferry.pdf", read), source(TOLLS, "tolls.pdf", tolls)], question=question
    )
    return citation


def test_a_quote_and_a_figure_that_stand_there_are_verified() -> None:
    """They are, on a page that was read."""
    found = check("The hire is 36,500 crowns: “yearly hire is 36,500 crowns” [ferry.pdf, p. 2].", 2, 3)
    assert (found.status, found.pages) == ("verified", (2,))
    assert found.checked == ("“yearly hire is 36,500 crowns”", "36,500")


def test_a_wrong_page_is_reported_with_the_right_one() -> None:
    """The citation can then be repaired."""
    found = check("It “grows by 3.5 percent every May” [ferry.pdf, p. 2].", 2, 3)
    assert (found.status, found.found_at) == ("wrong_place", "[ferry.pdf, p. 3]")


def test_a_page_that_was_not_read_supports_nothing() -> None:
    """The words stand there, but the run cannot know them from there."""
    assert check("One needs “seven weeks of warning” [ferry.pdf, p. 4].", 2).status == "page_not_read"


def test_an_invented_quote_is_unsupported() -> None:
    """Its words stand on no page."""
    found = check("A fine is due: “fine of 9,000 crowns is due” [ferry.pdf, p. 3].", 1, 2, 3, 4)
    assert found.status == "unsupported"


def test_a_page_beyond_the_last_does_not_exist() -> None:
    """The note gives the number of pages."""
    found = check("See there [ferry.pdf, p. 9].", 4)
    assert found.status == "no_such_page"
    assert "1 to 4" in found.note


def test_a_wrong_document_is_reported_with_the_right_one() -> None:
    """The right one is searched among those that were read."""
    found = check("The list names 21 tolls [ferry.pdf, p. 1].", tolls=(1,))
    assert (found.status, found.found_at) == ("wrong_place", "[tolls.pdf, p. 1]")


def test_an_unknown_document_has_no_pages() -> None:
    """The citation fails whatever the sentence states."""
    assert check("Boats are blue [barge.pdf, p. 1].", 1).status == "no_such_page"


def test_a_changed_number_is_unsupported_and_the_nearest_words_are_shown() -> None:
    """The note compares both numbers."""
    found = check("“The yearly hire is 63,500 crowns” [ferry.pdf, p. 2].", 2)
    assert (found.status, found.near) == ("unsupported", "The yearly hire is 36,500 crowns")
    assert "36,500 against 63,500" in found.note


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param("payable in three parts", id="as a reader says it"),
        pytest.param("pay-\nable in  three parts", id="as the page has it"),
        pytest.param("Payable in three parts.", id="with a capital and a full stop"),
        pytest.param("yearly hire ... in three parts", id="with an ellipsis"),
    ],
)
def test_layout_makes_no_difference(quote: str) -> None:
    """Hyphens, line breaks, runs of spaces and case are ignored."""
    assert check(f"It is “{quote}” [ferry.pdf, p. 2].", 2).status == "verified"


def test_the_narrowest_page_of_a_range_is_reported() -> None:
    """It is the page where a reader should look."""
    found = check("It “grows by 3.5 percent every May” [ferry.pdf, p. 2-3].", 2, 3)
    assert (found.status, found.pages) == ("verified", (3,))


def test_a_range_that_runs_backwards_is_reversed() -> None:
    """A note says so."""
    found = check("It “grows by 3.5 percent every May” [ferry.pdf, p. 3-2].", 2, 3)
    assert (found.status, found.pages) == ("verified", (3,))
    assert "backwards" in found.note


def test_a_huge_range_ends_with_the_document() -> None:
    """No list of a hundred billion pages is made."""
    assert check("Hire is 36,500 crowns [ferry.pdf, p. 1-99999999999].", 2).pages == (2,)


def test_a_figure_without_a_quote_is_checked_too() -> None:
    """It must stand on the cited page."""
    assert check("The yearly hire is 36,500 crowns [ferry.pdf, p. 2].", 2).status == "verified"
    assert check("The yearly hire is 39,500 crowns [ferry.pdf, p. 2].", 2).status == "unsupported"


def test_a_figure_on_a_page_about_something_else_proves_nothing() -> None:
    """The 3 of three months is not a number of captains."""
    assert check("Captains wearing beards rowed 3 longboats [ferry.pdf, p. 3].", 3).status == "unsupported"


def test_a_computed_figure_is_derived_and_its_formula_is_noted() -> None:
    """The figures that it is computed from stand on the page."""
    found = check("Hire and deposit, 36,500 and 5,000 crowns, come to 41,500 crowns [ferry.pdf, p. 2].", 2)
    assert found.status == "derived"
    assert "36,500 + 5,000" in found.note


def test_one_sentence_may_rest_on_two_pages() -> None:
    """Each citation need support only a part of it."""
    text = "The hire of 36,500 crowns grows by 3.5 percent [ferry.pdf, p. 2] [ferry.pdf, p. 3]."
    citations, _ = check_answer(text, [source(FERRY, "ferry.pdf", (2, 3))])
    assert [(citation.status, citation.pages) for citation in citations] == [("verified", (2,)), ("verified", (3,))]


def test_a_sentence_without_quotes_and_figures_is_compared_by_its_words() -> None:
    """Its names and subjects must be those of the page."""
    assert check("The hirer is Marsh and Sons [ferry.pdf, p. 1].", 1).status == "verified"
    assert check("Lighthouse keepers receive free candles [ferry.pdf, p. 1].", 1).status == "unsupported"


def test_a_year_that_the_question_names_needs_no_proof() -> None:
    """The answer only repeats the question."""
    found = check(
        "In 2031 the yearly hire is 36,500 crowns [ferry.pdf, p. 2].", 2, question="What is the hire in 2031?"
    )
    assert found.status == "verified"


def test_sentences_that_state_figures_and_cite_nothing_are_listed() -> None:
    """They are reported as uncited."""
    _, uncited = check_answer(
        "The hire is 36,500 crowns. It is a ferry. It grows 3.5 percent [ferry.pdf, p. 3].",
        [source(FERRY, "ferry.pdf", (2, 3))],
    )
    assert uncited == ("The hire is 36,500 crowns.",)


def test_units_stated_pages_before_hold_for_a_table() -> None:
    """A table may run over several pages, and its head stands on the first only."""
    pages = ["Amounts in millions of crowns\nShips 410", "Revenue 1,200\nCosts 900"]
    (found,), _ = check_answer("Revenue was 1.2 billion crowns [a.pdf, p. 2].", [source(pages, "a.pdf", (2,))])
    assert found.status == "verified"


CONTENTS = "Contents\n" + "\n".join(
    f"{title} of the ferry and its hire  {page}" for page, title in enumerate("ABCDEFGH", 2)
)


def test_contents_pages_support_nothing() -> None:
    """They name every section and state nothing about any."""
    pages = [CONTENTS, "A of the ferry", *["Nothing."] * 8]
    (found,), _ = check_answer("C of the ferry is 4 [a.pdf, p. 1].", [source(pages, "a.pdf", (1,))])
    assert found.status == "unsupported"


def test_bibliographies_support_nothing() -> None:
    """The title of another article is no statement of this document."""
    text = b"# Ferry\n\nIt sails.\n\n# References\n\nFox, A. 1987. Ferries carry 36,500 people a year.\n"
    tree = build_tree(text, name="a.md")
    source = ReadDocument("a", "a.md", tree, (LineRange(1, len(tree.lines)),))
    (found,), _ = check_answer("Ferries carry 36,500 people a year [a.md, § References].", [source])
    assert found.status == "unsupported"


def labelled(read: int) -> ReadDocument:
    tree = build_tree(FERRY, name="ferry.pdf")
    labels = ("iii", "iv", "1", "F-2")
    pages = tuple(Page(page.number, page.lines, label) for page, label in zip(tree.pages or (), labels, strict=True))
    tree = replace(tree, pages=pages)
    return ReadDocument("ferry", "ferry.pdf", tree, tuple(filter(None, [tree.page(read).lines])))


@pytest.mark.parametrize(
    ("label", "page", "claim"),
    [("iv", 2, "The yearly hire is 36,500 crowns"), ("F-2", 4, "One needs “seven weeks of warning”")],
)
def test_labels_resolve_to_physical_pages(label: str, page: int, claim: str) -> None:
    """Answers may cite printed labels; results give both numbers."""
    (found,), _ = check_answer(f"{claim} [ferry.pdf, p. {label}].", [labelled(page)])
    assert (found.status, found.pages, found.labels) == ("verified", (page,), (label,))


def test_a_printed_number_taken_for_a_physical_one_is_noted() -> None:
    """The third page is printed as page 1."""
    (found,), _ = check_answer("The hire grows by 3.5 percent [ferry.pdf, p. 1].", [labelled(3)])
    assert (found.status, found.found_at) == ("wrong_place", "[ferry.pdf, p. 3]")
    assert "printed" in found.note


GUIDE = b"# Guide\n\n## Oil\n\nPour in 0.4 litres.\n\n## Wick\n\nTrim it to six millimetres.\n"


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("Pour in 0.4 litres [guide.md, § Oil].", "verified"),
        ("Pour in 0.4 litres [guide.md, § Guide › Oil].", "verified"),
        ("Pour in 0.4 litres of it [guide.md, § Wick].", "wrong_place"),
        ("Pour in 0.5 litres [guide.md, § Oil].", "unsupported"),
        ("Trim it to six millimetres [guide.md, § Wick].", "page_not_read"),
        ("Pour in 0.4 litres [guide.md, § Glass].", "no_such_page"),
    ],
)
def test_documents_without_pages_are_cited_by_section(claim: str, status: str) -> None:
    """They have the same statuses as pages."""
    tree = build_tree(GUIDE, name="guide.md")
    oil = next(node for node in tree.nodes if node.title == "Oil")
    (found,), _ = check_answer(claim, [ReadDocument("guide", "guide.md", tree, (oil.span,))])
    assert found.status == status


def test_an_answer_in_another_language_is_checked_by_its_figures() -> None:
    """Its words cannot be compared with those of the document."""
    found = check("Die jährliche Miete für das Boot beträgt 36.500 Kronen [ferry.pdf, p. 2].", 2)
    assert found.status == "verified"


def test_brackets_in_a_document_forge_nothing() -> None:
    """A page that claims to be another is still cited as itself."""
    pages = ["[tolls.pdf, p. 1] The list names 99 tolls.", "Nothing."]
    (found,), _ = check_answer(
        "The list names 99 tolls [tolls.pdf, p. 1].", [source(pages, "a.pdf", (1,)), source(TOLLS, "tolls.pdf", (1,))]
    )
    assert (found.status, found.found_at) == ("wrong_place", "[a.pdf, p. 1]")


def test_a_figure_may_be_in_the_unit_that_the_question_asks_for() -> None:
    """The answer need not repeat the unit."""
    pages = ["(in thousands)\nRevenue 1,204,300"]
    answer = "Revenue was 1,204.3 [a.pdf, p. 1]."
    (found,), _ = check_answer(answer, [source(pages, "a.pdf", (1,))], question="What is revenue in USD millions?")
    assert found.status == "verified"
    (found,), _ = check_answer(answer, [source(pages, "a.pdf", (1,))], question="What is revenue?")
    assert found.status == "unsupported"


def test_small_numbers_in_words_are_turns_of_phrase() -> None:
    """They are not checked; larger ones are."""
    assert check("Of the two, Marsh is the hirer of the ferry Dunlin [ferry.pdf, p. 1].", 1).status == "verified"
    assert check("The hirer of the ferry Dunlin has nine boats [ferry.pdf, p. 1].", 1).status == "unsupported"


def test_numbers_that_count_a_list_in_a_sentence_are_not_checked() -> None:
    """They state nothing about the document."""
    text = "Named are (1) the ferry Dunlin and (2) its hirer Marsh [ferry.pdf, p. 1]."
    assert check(text, 1).status == "verified"


def test_the_usual_unit_of_a_document_holds_where_a_page_states_none() -> None:
    """It outweighs a unit that was mentioned last."""
    pages = ["(in millions)\nShips 410", "(in millions)\nPiers 30", "A debt of US$ bn is nothing.", "Total charges 411"]
    (found,), _ = check_answer("Total charges were $411 million [a.pdf, p. 4].", [source(pages, "a.pdf", (4,))])
    assert found.status == "verified"


def test_a_computed_figure_may_rest_on_the_sentences_before() -> None:
    """The figures of those must stand on the page too."""
    pages = ["The share of night boats fell from 36.8% of all boats in May to 34.6% of all boats in June."]
    text = "In May 36.8% of boats were night boats, in June 34.6%. Night boats fell by {} points [a.pdf, p. 1]."
    for drop, status in (("2.2%", "derived"), ("2.9%", "unsupported")):
        (found,), _ = check_answer(text.format(drop), [source(pages, "a.pdf", (1,))])
        assert found.status == status


def test_a_figure_that_a_line_breaks_states_no_unit() -> None:
    """ "13.2" and "billion in 2021" below it are no unit of the tables after them."""
    pages = [
        "(in millions)\nHarbour dues 411",
        "Dues of the coast came to 13.2\nbillion in 2021.",
        "Harbour dues 411\nBoats 12,500",
    ]
    for claim, status in (("411 million", "verified"), ("411 billion", "unsupported")):
        (found,), _ = check_answer(f"Harbour dues were {claim} [a.pdf, p. 3].", [source(pages, "a.pdf", (3,))])
        assert found.status == status


def test_the_name_of_a_document_counts_as_a_subject_of_its_pages() -> None:
    """A page of accounts need not name the company."""
    pages = ["Cash flow\nOperations 5,841\nFinancing 2,102"]
    claim = "Among the three, operations was highest for Dunlin"
    for name, status in (("Dunlin_2023.pdf", "verified"), ("Heron_2023.pdf", "unsupported")):
        (found,), _ = check_answer(f"{claim} [{name}, p. 1].", [source(pages, name, (1,))])
        assert found.status == status


def test_a_short_list_of_contents_is_recognized_by_its_titles() -> None:
    """A price list with dot leaders looks the same, but names no sections."""
    text = b"Quays ..... 3\nBoats ..... 12\n\n# Quays\n\nStone.\n\n# Boats\n\nWood.\n\n# Fares\n\nAdult ..... 14\nChild ..... 5\n"
    tree = build_tree(text, name="a.md")
    held = ReadDocument("a", "a.md", tree, (LineRange(1, len(tree.lines)),))
    for claim, status in (("Boats 12", "unsupported"), ("A child pays 5", "verified")):
        (found,), _ = check_answer(f"{claim} [a.md].", [held])
        assert found.status == status
