"""Reports laid out at random, with running heads, contents pages, numbers and bookmarks true and false: nothing is lost."""

from __future__ import annotations

import itertools
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from made_pdfs import HELLO, page, pdf, stream
from soundness import faults
from thumbindex import build_tree
from thumbindex.headings import find_outline
from thumbindex.ingest.reading import tree_of
from thumbindex.outline import MAX_LEVEL
from thumbindex.pages import Bookmark, Box, Document, Line, LineRange, Page, Style
from thumbindex.sources.pdf import MAX_BOOKMARKS, read_pdf
from thumbindex.tree import build

BODY, HEAD, SMALL = Style(10.0, "Times"), Style(14.0, "Times", bold=True), Style(8.0, "Times")
NOUNS = [
    "boats",
    "ropes",
    "masts",
    "lamps",
    "barges",
    "pilots",
    "tides",
    "gulls",
    "nets",
    "sheds",
    "cranes",
    "stones",
    "sails",
    "anchors",
]
NAMES = ["Harbour", "Dues and tolls", "Dredging", "The lamp", "Summary", "Notes", "油灯", "Repairs of the mole"]


def sentence(number: int) -> str:
    """One of some thousand sentences that share no beginning with their neighbours."""
    one, two, three = (NOUNS[number // len(NOUNS) ** place % len(NOUNS)] for place in range(3))
    return (
        f"{one.capitalize()} were told from {two} by those who kept {three}, and paid for as long as the {two} lasted."
    )


@st.composite
def reports(draw: st.DrawFn) -> Document:
    """Chapters with sections, set as books are: numbers, heads and feet, contents and bookmarks may be there, and may be wrong."""
    numbered, heads, contents = (
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.sampled_from(["no", "right", "wrong"])),
    )
    chapters = draw(
        st.lists(
            st.tuples(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=3), st.integers(1, 3)),
            min_size=1,
            max_size=5,
        )
    )
    sheets: list[list[tuple[str, Style, float]]] = []
    told = itertools.count()

    def body(count: int) -> list[tuple[str, Style, float]]:
        return [(sentence(next(told)), BODY, 72.0) for _ in range(count)]

    entries: list[tuple[str, int, int]] = []
    for number, (title, sections, length) in enumerate(chapters, 1):
        label = f"{number} {title}" if numbered else title
        entries.append((label, 1, len(sheets)))
        sheet: list[tuple[str, Style, float]] = [(label, HEAD, 72.0)]
        for at, section in enumerate(sections, 1):
            label = f"{number}.{at} {section}" if numbered else section
            entries.append((label, 2, len(sheets)))
            sheet += [*body(draw(st.integers(0, 4))), (label, Style(11.0, "Times", bold=True), 72.0)]
        sheets.append(sheet + body(3))
        sheets += [body(draw(st.integers(0, 6))) for _ in range(length - 1)]
    if contents != "no":
        shift = 1 if contents == "right" else draw(st.integers(-3, 9))
        rows = [(f"{label} ........ {first + 1 + shift}", BODY, 72.0 + 12 * level) for label, level, first in entries]
        sheets.insert(0, [("Contents", HEAD, 72.0), *rows])
    lines: list[Line] = []
    pages: list[Page] = []
    for number, sheet in enumerate(sheets, 1):
        framed = [("Harbour report", SMALL, 72.0), *sheet, (str(number), SMALL, 300.0)] if heads else sheet
        first = len(lines) + 1
        for row, (text, style, left) in enumerate(framed):
            bottom = 740.0 - 14 * row
            box = Box(left, bottom, left + len(text) * style.size / 2, bottom + style.size)
            lines.append(Line(text, box, style, style, style))
        pages.append(Page(number, LineRange(first, len(lines)) if framed else None, None, 612, 792))
    marks = st.builds(
        Bookmark,
        st.sampled_from([label for label, *_ in entries] + ["Nowhere", ""]),
        st.integers(1, MAX_LEVEL),
        st.none() | st.integers(1, len(pages)),
        st.none() | st.floats(-100, 900),
    )
    true = [Bookmark(label, level, first + 1 + (contents != "no")) for label, level, first in entries]
    bookmarks = draw(st.sampled_from([[], true, true[::-1]]) | st.lists(marks, max_size=8))
    return Document("report.pdf", "pdf", tuple(lines), tuple(pages), tuple(bookmarks))


@given(reports())
def test_any_report_is_a_sound_tree(document: Document) -> None:
    """With all its text, twice the same, and by a rule that ran to its end."""
    tree = tree_of(document)
    assert list(faults(tree)) == []
    assert tree.lines == tuple(line.text for line in document.lines)
    assert tree == tree_of(document)
    sentences = [n for n, line in enumerate(tree.lines, 1) if " were told from " in line]
    assert not tree.headers_footers.intersection(sentences), "text is no header or footer"


@given(
    st.lists(
        st.tuples(*[st.sampled_from(["First", "Next", "Parent", "Last", "Dest"])] * 2, st.integers(5, 14)), max_size=12
    ),
    st.integers(1, 7),
)
@example([("First", "Next", 7)] * 3, 7)
def test_any_net_of_bookmarks_comes_to_an_end(links: list[tuple[str, str, int]], count: int) -> None:
    """Items around each other, around the root, of no kind or missing; the page's text is there."""
    items = [b"<</Title(T%d)/Dest[3 0 R/Fit]%s>>" for _ in range(count)]
    made = [b"<</First 7 0 R/Last 7 0 R>>"]
    for at, item in enumerate(items):
        given_links = b"".join(
            b"/%s %d 0 R" % (key.encode(), to) for one, two, to in links[at::count] for key in (one, two)
        )
        made.append(item % (at, given_links))
    document = read_pdf(pdf(page(stream(HELLO), *made, catalogue=b"/Outlines 6 0 R")), "a.pdf")
    assert len(document.bookmarks) <= min(MAX_BOOKMARKS, count + 8)
    assert [line.text for line in document.lines] == ["Hello world text"]
    assert list(faults(build(document, find_outline(document)))) == []


def test_a_contents_page_that_lists_every_item_and_more_decides_the_levels() -> None:
    """The order of Items binds where a contents page stops at them; a full one knows what stands before them too."""
    tree = build_tree(Path(__file__).parents[3] / "examples" / "annual-report.pdf")
    paths = [tree.path(node) for node in tree.nodes]
    assert "About this report › Conventions" in paths
    assert "Letters to shareholders › From the chair" in paths
    assert "Item 8 Financial statements › Note 14 Debt › 14.2 Term loan" in paths
