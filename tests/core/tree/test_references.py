"""References: what counts as one, and where it leads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex import Library, build_tree
from thumbindex.outline import Heading, Outline
from thumbindex.pages import Box, Document, Line, LineRange, LinkAnnotation, Page
from thumbindex.tree import build
from thumbindex.tree.model import Tree
from thumbindex.tree.references import resolve, with_references


def references(tree: Tree, title: str) -> list[tuple[str, str | None]]:
    """What the section with that title refers to, with the titles of the targets."""
    tree = with_references(tree)
    node = next(one for one in tree.walk() if one.title == title)
    return [(one.text, None if one.target is None else tree.node(one.target).title) for one in node.references]


def in_text(text: str) -> list[str]:
    tree = build_tree(f"# Text\n\n{text}\n".encode(), name="t.md")
    return [text for text, _ in references(tree, "Text")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("For details see Appendix G and Note 14.", ["Appendix G", "Note 14"]),
        ("see Section 4.2, Item 7A, Chapter 3 or Table 5", ["Section 4.2", "Item 7A", "Chapter 3", "Table 5"]),
        ("Sections 4.2, 4.3 and 5", ["Sections 4.2", "Sections 4.3", "Sections 5"]),
        ("on page 97 (p. 98)", ["page 97", "p. 98"]),
        ("as Box 5.2 shows, in a box 5 deep", ["Box 5.2"]),
        (
            "under § 12, Annex II, Schedule B, Exhibit 10.1 and Article 9",
            ["§ 12", "Annex II", "Schedule B", "Exhibit 10.1", "Article 9"],
        ),
        ("see Appendix\nG", ["Appendix G"]),
        ("siehe Kapitel 3 und Anhang B", ["Kapitel 3", "Anhang B"]),
        ("voir l'annexe 2 et le chapitre IV", ["annexe 2", "chapitre IV"]),
        ("véase el capítulo 5; см. главу 6", ["capítulo 5", "главу 6"]),
        ("参见第三章、第4.2节和附录A", ["第三章", "第4.2节", "附录A"]),
    ],
)
def test_words_for_places_with_a_label_are_references(text: str, found: list[str]) -> None:
    """In several languages, over the end of a line, and each label of a list."""
    assert in_text(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Note that the notes are due.",
        "In section we describe the part of the item.",
        "Of these items 12 were sold; part 3 of them were table wine.",
        "Note I believe in articles about chapters.",
        "It pays notes 5% a year.",
        "Senior notes 5,440 5,440 and senior notes 160,000 or notes 160 000 or notes 440",
        "As Section 404 of the Sarbanes-Oxley Act and Section 13(a) of the Securities Exchange Act require.",
        "Keynote 14 and footprints 3",
    ],
)
def test_other_uses_of_these_words_are_none(text: str) -> None:
    """Precision comes first: a wrong reference sends a reader astray."""
    assert in_text(text) == []


REPORT = b"""\
# Report

Loans are shown in Note 14 of Item 8. The report itself is explained in Chapter 2.

## Item 7 Review

### 1. Sales

See Note 1, Section 2 and Appendix G.

### 2. Costs

See section 1, Table 3 and Appendix Z.

## Item 8 Statements

### Notes to the statements

#### 1. Basis

See Note 14.

#### Note 14 Debt

Debt is defined in Section 2.

Table 3: Loans by bank

## Appendix G Definitions

Costs are in Item 7.
"""


@pytest.mark.parametrize(
    ("section", "targets"),
    [
        ("Report", [("Note 14", "Note 14 Debt"), ("Item 8", "Item 8 Statements"), ("Chapter 2", "2. Costs")]),
        ("1. Sales", [("Note 1", "1. Basis"), ("Section 2", "2. Costs"), ("Appendix G", "Appendix G Definitions")]),
        ("2. Costs", [("section 1", "1. Sales"), ("Table 3", "Note 14 Debt"), ("Appendix Z", None)]),
        ("1. Basis", [("Note 14", "Note 14 Debt")]),
        ("Appendix G Definitions", [("Item 7", "Item 7 Review")]),
    ],
)
def test_a_label_leads_to_the_section_that_bears_it(section: str, targets: list[tuple[str, str | None]]) -> None:
    """By kind of place, by number under the right parent, by caption; what is not there stays unresolved."""
    assert references(build_tree(REPORT, name="r.md"), section) == targets


def test_numbering_that_starts_again_is_resolved_in_the_same_chapter() -> None:
    """Section 2 is the one of the chapter where the reference stands."""
    text = "".join(
        f"# Chapter {n}\n\n## 1. First\n\nsee Section 2\n\n## 2. Second of {n}\n\ntext\n\n" for n in (1, 2, 3)
    )
    tree = with_references(build_tree(text.encode(), name="t.md"))
    targets = [tree.node(one.target).title for node in tree.walk() for one in node.references if one.target]
    assert targets == ["2. Second of 1", "2. Second of 2", "2. Second of 3"]


def test_a_part_named_before_an_item_says_which_item() -> None:
    """Quarterly reports have an Item 1 in both parts."""
    text = "# Part I\n\n## Item 1 Statements\n\na\n\n# Part II\n\n## Item 1 Legal\n\nb\n\n# Index\n\nPart II, Item 1\n"
    assert references(build_tree(text.encode(), name="t.md"), "Index")[-1] == ("Item 1", "Item 1 Legal")


def test_a_page_is_meant_by_its_printed_number() -> None:
    """Where the pages' own numbers run two behind the physical ones."""
    pages = ["Cover", "Contents"] + [f"# Part {n}\n\ntext, see page {3 if n == 1 else 1}\n\n{n}" for n in range(1, 7)]
    tree = with_references(build_tree(pages, name="p"))
    first = next(one for node in tree.walk() for one in node.references)
    assert (first.text, first.page) == ("page 3", 5)


def test_a_title_and_an_id_are_taken_for_a_reference_too() -> None:
    """Models repeat what they were shown."""
    tree = build_tree(REPORT, name="r.md")
    sales = next(one for one in tree.walk() if one.title == "1. Sales")
    for text in (sales.id, "1. sales"):
        found = resolve(tree, text)
        assert found is not None
        assert found.target == sales.id
    assert resolve(tree, "the weather") is None


@given(st.text(alphabet="Note Section page 14.2()§第章三IVXpP-–,& \n", max_size=80))
def test_any_text_is_read_without_an_error(text: str) -> None:
    """Whatever stands in a document."""
    in_text(text.replace("#", ""))


def test_a_number_that_a_bookmark_lacks_is_read_from_the_page() -> None:
    """Outlines often say "Debt" where the page has "14.2 Debt"."""
    lines = tuple(Line(text) for text in ("1 Review", "see Section 14.2", "14.2 Debt", "It is repaid."))
    document = Document("r", "markdown", lines)
    headings = (Heading("Review", 1, None, 1, "test", 1.0), Heading("Debt", 1, None, 3, "test", 1.0))
    tree = build(document, Outline("bookmarks", headings))
    assert references(tree, "Review") == [("Section 14.2", "Debt")]


def linked(*links: LinkAnnotation) -> Tree:
    """Two pages: on the first a text with references, on the second "7 Debt" at 700, a table at 500, and "8 Tax" at 300."""

    def line(text: str, top: float) -> Line:
        return Line(text, Box(100, top - 10, 100 + 5 * len(text), top))

    lines = (
        line("1 Review", 700),
        line("Loans are in Section 7, rates in Table 2 and the policy in Income taxes; see also note (9).", 680),
        line("7 Debt", 700),
        line("Owed to banks.", 680),
        line("Table 2 Rates", 500),
        line("8 Income taxes", 300),
        line("Paid each year.", 280),
    )
    pages = (Page(1, LineRange(1, 2), None, 600, 800), Page(2, LineRange(3, 7), None, 600, 800))
    document = Document("r", "pdf", lines, pages, link_annotations=links)
    headings = [Heading(lines[n - 1].text[2:], 1, 1 if n < 3 else 2, n, "test", 1.0) for n in (1, 3, 6)]
    return build(document, Outline("bookmarks", tuple(headings)))


def link(text: str, top: float | None) -> LinkAnnotation:
    """A link on some words of the second line."""
    whole = "Loans are in Section 7, rates in Table 2 and the policy in Income taxes; see also note (9)."
    first = 100 + 5 * whole.index(text)
    return LinkAnnotation(1, Box(first, 668, first + 5 * len(text), 682), 2, top)


@pytest.mark.parametrize(
    ("links", "found"),
    [
        pytest.param([], [("Section 7", "Debt"), ("Table 2", "Debt")], id="by the text alone"),
        pytest.param(
            [link("7", 705), link("Table 2", 310)],
            [("Section 7", "Debt"), ("Table 2", "Income taxes")],
            id="a named link says where",
        ),
        pytest.param(
            [link("Income taxes", 305)],
            [("Section 7", "Debt"), ("Table 2", "Debt"), ("Income taxes", "Income taxes")],
            id="a link to a heading is a reference by its words",
        ),
        pytest.param(
            [link("(9)", 290), link("rates", 510)],
            [("Section 7", "Debt"), ("Table 2", "Debt")],
            id="links into the middle of a text are notes and citations",
        ),
    ],
)
def test_links_of_the_file_say_where_references_lead(
    links: list[LinkAnnotation], found: list[tuple[str, str | None]]
) -> None:
    """They name the place, and their rectangles the words."""
    assert references(linked(*links), "Review") == found


def test_a_tree_gives_all_references_in_reading_order() -> None:
    """Of all sections."""
    tree = with_references(build_tree(REPORT, name="r.md"))
    assert [one.text for one in tree.references][:4] == ["Note 14", "Item 8", "Chapter 2", "Note 1"]


def test_an_outline_shows_what_sections_refer_to() -> None:
    """At most three of each, and not what lies in the section itself or above it."""
    text = "# A\n\nsee Section 1, Note 7 and Section 1.1\n\n## 1. One\n\nsee Sections 2, 3, 4, 5 and 1\n\n### 1.1 Sub\n\nx\n\n"
    text += "".join(f"## {n}. Part\n\nsee Section 1\n\n" for n in (2, 3, 4, 5))
    lines = build_tree(text.encode(), name="t.md").render(references=True).splitlines()
    assert [line.strip() for line in lines[1:5]] == [
        "A  lines 1-28",
        "1. One  lines 5-12 → Sections 2, Sections 3, Sections 4, +1",
        "1.1 Sub  lines 9-12",
        "2. Part  lines 13-16 → Section 1",
    ]


def test_evidence_brings_the_sections_it_refers_to() -> None:
    """On request, as evidence of their own."""
    library = Library()
    library.add(REPORT, name="r.md")
    sales = next(one for one in library.retrieve("sales", k=9).evidence if one.title == "1. Sales")
    assert [(one.title, one.why) for one in library.referenced(sales)] == [
        ("1. Basis", "referred to as Note 1"),
        ("2. Costs", "referred to as Section 2"),
        ("Appendix G Definitions", "referred to as Appendix G"),
    ]


def outlined(pages: list[str], *headings: tuple[str, int, int]) -> Tree:
    """A tree over these pages with headings given as title, level and line: as bookmarks give them, without numbers."""
    lines: list[Line] = []
    numbered: list[Page] = []
    for number, text in enumerate(pages, 1):
        first = len(lines) + 1
        lines += [Line(line) for line in text.split("\n")]
        numbered.append(Page(number, LineRange(first, len(lines))))
    document = Document("paper.pdf", "pdf", tuple(lines), tuple(numbered))
    found = [Heading(title, level, None, line, "bookmarks", 1.0) for title, level, line in headings]
    return build(document, Outline("bookmarks", tuple(found)))


def test_a_label_is_read_where_it_is_printed_before_the_title() -> None:
    """The outline has long titles without their numbers, and letters stand for appendices."""
    title = "An auxiliary confidence loss can dramatically improve generalization on tasks"
    tree = outlined(
        [
            "INTRODUCTION\nSee Section 4.3.2, Appendix B and appendix A.1.",
            f"4.3.2 {title.upper()}\nIt does.\nA FURTHER DETAILS\nMore.\nA.1 DATA\nMuch.\nB PROOFS\nShort.",
        ],
        ("Introduction", 1, 1),
        (title, 1, 3),
        ("Further details", 1, 5),
        ("Data", 2, 7),
        ("Proofs", 1, 9),
    )
    assert references(tree, "Introduction") == [
        ("Section 4.3.2", title),
        ("Appendix B", "Proofs"),
        ("appendix A.1", "Data"),
    ]


def test_a_title_that_begins_with_a_word_of_one_letter_is_no_appendix() -> None:
    """There is no second one beside it."""
    tree = build_tree(b"# A short guide\n\n## Use\n\nSee Appendix A.\n", name="guide.md")
    assert references(tree, "Use") == [("Appendix A", None)]


def test_a_page_beside_a_label_says_which_of_several_is_meant() -> None:
    """Sections are numbered anew in each part."""
    tree = outlined(
        ["1 Start\nSee Section 2 on page 3.", "2 Middle\nText.", "2 Middle of the end\nText."],
        ("1 Start", 1, 1),
        ("2 Middle", 1, 3),
        ("2 Middle of the end", 1, 5),
    )
    assert ("Section 2", "2 Middle of the end") in references(tree, "1 Start")


def test_a_page_beside_a_title_means_the_section_of_that_title() -> None:
    """Of the sections that begin on the page; the title may go over the end of a line, and a number may take its place."""
    tree = outlined(
        [
            "1 Plots\nSee set contour (page 2), [Quoting of labels], page 2, Section 2.3 on page 2 and more on page 2. See quot-\n"
            "ing of labels on page 2.",
            "2 Commands\n2.1 Contour\n2.2 Quoting of labels\n2.3 Keys\nWords.",
        ],
        ("1 Plots", 1, 1),
        ("2 Commands", 1, 4),
        ("2.1 Contour", 2, 5),
        ("2.2 Quoting of labels", 2, 6),
        ("2.3 Keys", 2, 7),
    )
    assert references(tree, "1 Plots") == [
        ("page 2", "2.1 Contour"),
        ("page 2", "2.2 Quoting of labels"),
        ("Section 2.3", "2.3 Keys"),
        ("page 2", "2.3 Keys"),
        ("page 2", "2 Commands"),
        ("page 2", "2.2 Quoting of labels"),
    ]


def test_a_page_beside_a_name_means_the_section_where_it_is_defined() -> None:
    """On that page: a line that begins with it, or has it before a bracket."""
    tree = outlined(
        [
            "1 Names\nSee [size], page 2, “rows” on page 2 and [lost], page 2.",
            "2 Sizes\nNo resize (x) and no size of rows\n2.1 Of all\nn = size (x)\n2.2 Of one\nrows: count them",
        ],
        ("1 Names", 1, 1),
        ("2 Sizes", 1, 3),
        ("2.1 Of all", 2, 5),
        ("2.2 Of one", 2, 7),
    )
    assert references(tree, "1 Names") == [("page 2", "2.1 Of all"), ("page 2", "2.2 Of one"), ("page 2", "2 Sizes")]


def test_a_number_that_no_heading_has_leads_into_the_section_above_it() -> None:
    """To the one where a line opens with it; to none if nothing of its number is there."""
    text = "# 2 Use\n\n## 2.13 Keys\n\n2.13.1 Help keys. Press F1.\n\n# 3 More\n\nSections 2.13.1, 2.13.4, 3.7 and 9.1.2 say so."
    assert references(build_tree(text.encode(), name="t.md"), "3 More") == [
        ("Sections 2.13.1", "2.13 Keys"),
        ("Sections 2.13.4", "2.13 Keys"),
        ("Sections 3.7", None),
        ("Sections 9.1.2", None),
    ]


def test_notes_are_footnotes_where_no_section_bears_the_number() -> None:
    """In the count of the same chapter; one whose line could not be told lies right after the one before it."""
    chapter = "\n\n".join(f"{n} See the rules of {1990 + n}." for n in range(1, 13) if n != 7)
    middle = f"See supra note 3 and infra notes 112, 113.\n\n3 of them paid.\n\n{chapter}"
    text = f"# Rules\n\n{chapter}\n\n# Costs\n\n{middle}\n\n# Ends\n\nSee notes 7 and 40."
    tree = build_tree(text.encode(), name="t.md")
    assert references(tree, "Costs") == [("notes 112", None), ("notes 113", None)]
    assert references(tree, "Ends") == [("notes 7", "Costs"), ("notes 40", None)]
    few = build_tree(b"# Rules\n\n1 See a.\n\n2 See b.\n\n# Costs\n\nSee note 2.", name="t.md")
    assert references(few, "Costs") == [("note 2", None)]


def test_a_line_that_begins_with_the_name_of_a_table_is_not_its_caption() -> None:
    """Where another has the colon of one."""
    text = "# A\n\nTable 5: Rates\n\n# B\n\nAll are in\nTable 5\nby year.\n\n# C\n\nSee Table 5."
    assert references(build_tree(text.encode(), name="t.md"), "C") == [("Table 5", "A")]
