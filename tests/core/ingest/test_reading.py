"""Building a tree from a source in one call."""

from __future__ import annotations

import io

import pytest
from reportlab.pdfgen.canvas import Canvas

from thumbindex import Library, Scope, build_tree
from thumbindex.errors import InvalidTree, SourceNotFound, UnsupportedSource
from thumbindex.ingest import reading
from thumbindex.ingest.reading import READER_VERSION
from thumbindex.pages import LineRange
from thumbindex.tree import build
from thumbindex.tree.check import check


@pytest.fixture(scope="module")
def report():
    """Returns a PDF of three pages whose bookmarks have other titles than its headings."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=1)
    for title in ("Wheat", "Rye", "Oats"):
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(72, 720, title)
        canvas.bookmarkPage(title)
        canvas.addOutlineEntry(title, title, 0)
        canvas.setFont("Helvetica", 10)
        for row in range(12):
            canvas.drawString(
                72, 690 - 12 * row, f"{title} was sown in row {row} of the field behind the mill, as before."
            )
        if title == "Rye":
            canvas.setFont("Helvetica-Bold", 12)
            canvas.drawString(72, 520, "Of the harvest")
            canvas.setFont("Helvetica", 10)
            canvas.drawString(72, 500, "It was brought in before the rain.")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def outline(tree):
    return [(node.title, node.level, str(node.pages)) for node in tree.nodes]


def test_a_path_bytes_and_an_open_file_give_one_tree(report, tmp_path):
    """Named after the file, or as the caller says."""
    path = tmp_path / "corn.pdf"
    path.write_bytes(report)
    tree = build_tree(path, isolation="none")
    assert tree.name == "corn.pdf"
    assert build_tree(str(path), isolation="none") == tree
    assert build_tree(report, name="corn.pdf", isolation="none") == tree
    assert build_tree(io.BytesIO(report), name="corn.pdf", isolation="none") == tree


def test_a_process_of_its_own_gives_the_same_tree(report):
    """Isolation changes the process, never the result."""
    assert build_tree(report, name="corn.pdf") == build_tree(report, name="corn.pdf", isolation="none")


def test_bookmarks_can_be_ignored(report):
    """The headings on the pages then make the outline."""
    with_them = build_tree(report, isolation="none")
    without = build_tree(report, isolation="none", bookmarks=False)
    assert (with_them.origin, without.origin) == ("bookmarks", "layout")
    assert outline(with_them) == [("Wheat", 1, "1"), ("Rye", 1, "2"), ("Oats", 1, "3")]
    assert outline(without) == [("Wheat", 1, "1"), ("Rye", 1, "2"), ("Of the harvest", 2, "2"), ("Oats", 1, "3")]


def test_markdown_and_page_texts_are_sources_too():
    """Markdown has lines; texts of pages have pages."""
    markdown = build_tree(b"# Wheat\n\n## Sowing\n", name="corn.md")
    assert [(node.title, str(node.lines)) for node in markdown.nodes] == [("Wheat", "1-3"), ("Sowing", "3")]
    pages = build_tree(["# Wheat\na", "b\n# Rye"], name="corn")
    assert outline(pages) == [("Wheat", 1, "1-2"), ("Rye", 1, "2")]


def test_errors_of_the_source_are_raised(tmp_path):
    """With the name that the caller gave."""
    with pytest.raises(SourceNotFound):
        build_tree(tmp_path / "nowhere.pdf")
    with pytest.raises(UnsupportedSource, match="photo"):
        build_tree(b"\x89PNG\r\n\x1a\n" + bytes(100), name="photo")


@pytest.mark.parametrize(
    "source", [["First page.", "Second page."], b"# Quay\n\nMoor here.\n"], ids=["pages", "markdown"]
)
def test_a_defect_in_a_rule_costs_the_headings_not_the_document(source, monkeypatch):
    """A note reports the defect; the text is there, on its pages."""

    def fails(document):
        raise ZeroDivisionError("a rule divided by nothing")

    monkeypatch.setattr(reading, "find_outline", fails)
    tree = build_tree(source, name="quay")
    assert tree.text(LineRange(1, len(tree.lines))) == "\n".join(tree.lines)
    assert "a rule divided by nothing" in tree.notes[0]
    assert check(tree).findings[0].kind == "fault"
    library = Library()
    assert library.retrieve("page moor", scope=Scope(documents=[library.import_tree(tree).doc_id])).evidence


def test_a_tree_that_violates_an_invariant_is_replaced(monkeypatch):
    """Sections that overlap would give wrong texts; chunks of pages do not."""

    def breaks(document, outline, **options):
        if outline.origin == "markup":
            raise InvalidTree("sections overlap")
        return build(document, outline, **options)

    monkeypatch.setattr(reading, "build", breaks)
    tree = build_tree(["# One\n\nFirst page.", "# Two\n\nSecond page."])
    assert "sections overlap" in tree.notes[0]
    assert {line for node in tree.nodes for line in node.span} == set(range(1, len(tree.lines) + 1))


def test_the_reader_has_a_version_for_caches():
    """A whole number that only grows."""
    assert isinstance(READER_VERSION, int)
    assert READER_VERSION >= 1
