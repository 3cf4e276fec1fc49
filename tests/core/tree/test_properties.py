"""What holds for every document and every outline, however odd: random pages, headings, headers and styles."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from thumbindex.headings import find_outline
from thumbindex.outline import MAX_LEVEL, Heading, Outline
from thumbindex.pages import Bookmark, Box, Document, Line, LineRange, LinkAnnotation, Page, Style
from thumbindex.sources.markdown import read_markdown
from thumbindex.sources.parsed import read_pages
from thumbindex.text.tokens import estimate_tokens
from thumbindex.tree import build, from_json, to_json

TITLES = st.sampled_from(
    [
        *(
            "Notes",
            "notes",
            "Wheat",
            "1 Wheat",
            "1.1 Sowing",
            "2.1.3 Rye",
            "Part I",
            "PART II",
            "Chapter 2",
            "§ 12 Duty",
        ),
        *(
            "Item 1A. Risks",
            "A. Barley",
            "(a) oats",
            "Appendix B",
            "第三章 水库",
            "Глава 1",
            "Contents",
            "Index",
            "Abstract",
        ),
    ]
)
LINES = st.sampled_from(
    [
        *(
            "3",
            "iv",
            "Page 3 of 9",
            "1 Wheat ........ 3",
            "Wheat   7",
            "Revenue 41.2 39.8",
            "• Lash the boats",
            "THE BOOK",
        ),
        *(
            "Figure 1: Rain",
            "(continued)",
            "–",
            "a=b",
            "   ",
            "1.",
            "II.",
            "and so it goes on until it comes to its end.",
        ),
    ]
)
TEXTS = st.one_of(TITLES, LINES, st.text(max_size=30).map(lambda text: " ".join(text.split()) or "x"))
STYLES = st.builds(
    Style,
    st.sampled_from([0.0, 7.0, 10.0, 10.5, 12.0, 18.0]),
    st.sampled_from(["Times", "Courier", ""]),
    st.booleans(),
    st.booleans(),
)


@st.composite
def documents(draw, layout=False):
    """Pages with and without lines; with `layout`, lines have places and styles."""
    pages: list[Page] = []
    lines: list[Line] = []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        texts = draw(st.lists(TEXTS, max_size=8))
        first = len(lines) + 1
        for text in texts:
            if not layout:
                lines.append(Line(text))
                continue
            left, bottom = draw(st.integers(-10, 600)), draw(st.integers(-10, 800))
            style, other = draw(STYLES), draw(STYLES)
            box = Box(left, bottom, left + len(text) * style.size / 2, bottom + style.size)
            lines.append(Line(text, box, style, draw(st.sampled_from([style, other])), style))
        span = LineRange(first, len(lines)) if texts else None
        pages.append(Page(number, span, draw(st.sampled_from([None, "iv", str(number)])), 612, 792))
    if not lines:
        pages[0] = Page(1, LineRange(1, 1))
        lines.append(Line("x"))
    targets = st.integers(1, len(pages))
    tops = st.one_of(st.none(), st.integers(0, 800).map(float))
    marks = st.builds(Bookmark, TITLES, st.integers(1, 4), st.one_of(st.none(), targets), tops)
    links = st.builds(LinkAnnotation, targets, st.just(Box(0, 0, 600, 800)), targets, tops)
    return Document(
        "book.pdf",
        "pdf",
        tuple(lines),
        tuple(pages),
        tuple(draw(st.lists(marks, max_size=5))) if layout else (),
        tuple(draw(st.lists(links, max_size=3))) if layout else (),
    )


@st.composite
def outlined(draw):
    """A document and an outline over it: titles twice, levels that jump, lines taken twice or outside the document."""
    document = draw(documents())
    count = len(document.lines)
    headings = []
    for _ in range(draw(st.integers(0, 12))):
        line, level = draw(st.integers(-1, count + 2)), draw(st.one_of(st.integers(1, 4), st.integers(1, MAX_LEVEL)))
        # Lines of its own: unknown, none, one or two.
        last = draw(st.sampled_from([None, line - 1, line, line + 1]))
        headings.append(Heading(draw(TITLES), level, None, line, "test", last_line=last))
    headers_footers = draw(st.frozensets(st.integers(-1, count + 2), max_size=4))
    return document, Outline("layout", tuple(headings), headers_footers=headers_footers)


def holds(tree):
    """Every promise that a tree makes."""
    nodes = tree.nodes
    covered = {line for node in nodes for line in node.span}
    text = {n for n, line in enumerate(tree.lines, 1) if line.strip() and n not in tree.headers_footers}
    assert text <= covered, "every line of text lies in some section"
    if tree.pages:
        pages = {page for node in nodes for page in node.pages}
        assert pages == set(range(1, tree.page_count + 1)), "every page belongs to some section"
        assert all(one.pages.first <= two.pages.first for one, two in pairwise(nodes)), "sections come in page order"
    for node in nodes:
        parent = tree.parent(node)
        if parent is not None:
            assert parent.level < node.level
            assert parent.span.first <= node.span.first <= node.span.last <= parent.span.last
            assert parent.pages is None or parent.pages.last >= node.pages.last
        for one, two in pairwise(tree.children(node)):
            assert one.span.last < two.span.first, "neighbours are disjoint"
            assert one.pages is None or one.pages.last <= two.pages.first <= one.pages.last + 1, "and leave no page out"
    assert len({node.id for node in nodes}) == len(nodes), "ids are unique"
    for node in nodes:
        assert tree.node(node.id) is node
        assert node in (*tree.children(tree.parent(node)),)
    return True


@given(outlined())
def test_any_outline_makes_a_tree_that_keeps_its_promises(case):
    """Coverage, order, nesting, ids."""
    assert holds(build(*case))


@given(outlined())
def test_ids_depend_on_titles_alone(case):
    """A second run, and another order of the same headings, give the same ones."""
    document, outline = case
    lines = [heading.line for heading in outline.headings]
    tree = build(document, outline)
    assert [node.id for node in build(document, outline).nodes] == [node.id for node in tree.nodes]
    if len(set(lines)) == len(lines):
        turned = Outline("layout", outline.headings[::-1], headers_footers=outline.headers_footers)
        assert build(document, turned) == tree


@given(outlined())
def test_any_tree_comes_back_from_json_equal(case):
    """Whatever letters its text holds."""
    tree = build(*case)
    assert from_json(to_json(tree)) == tree


@given(outlined(), st.integers(0, 200), st.booleans())
def test_any_tree_prints_within_any_budget(case, budget, explain):
    """But for the line that says what it is, which is always there."""
    tree = build(*case)
    shown = tree.render(budget, explain=explain)
    head = tree.render(0, explain=explain)
    assert shown.startswith(tree.name)
    assert estimate_tokens(shown) <= max(budget, estimate_tokens(head))
    assert len(tree.render().splitlines()) == 1 + len(tree.nodes)


@given(documents(layout=True))
def test_any_pages_have_an_outline_that_makes_a_tree(document):
    """Wherever lines stand and however they are set; twice the same."""
    outline = find_outline(document)
    assert outline == find_outline(document)
    assert outline.headers_footers <= set(range(1, len(document.lines) + 1))
    assert holds(build(document, outline))


@given(st.text(alphabet="# -=`~>*\n\tab1.", max_size=200).filter(str.strip))
@example("# a\n" * 3)
def test_any_markdown_makes_a_tree(text):
    """Also what is no good Markdown."""
    document = read_markdown(text, "a.md")
    assert holds(build(document, find_outline(document)))


@given(
    st.lists(st.text(alphabet="# -\nab1", max_size=40), min_size=1, max_size=25).filter(
        lambda texts: "".join(texts).strip()
    )
)
@example([*[""] * 10, "1"])
def test_any_page_texts_make_a_tree(texts):
    """Pages that a parser found empty among them; without headings, a section has ten pages of text at most."""
    document = read_pages(texts, "a")
    tree = build(document, find_outline(document))
    assert holds(tree)
    filled = {page.number for page in tree.pages or () if page.lines}
    assert tree.origin == "markup" or all(len(filled.intersection(node.pages)) <= 10 for node in tree.nodes)
