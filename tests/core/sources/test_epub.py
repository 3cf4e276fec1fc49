"""E-books: the pages of the spine in order, and the book's own outline checked against the text."""

from __future__ import annotations

import pytest

from thumbindex import build_tree
from thumbindex.errors import DamagedSource, EmptySource, UnsupportedSource
from thumbindex.sources import read_source
from thumbindex.tree.references import with_references

PAGES = {
    "cover": "<p><img src='cover.png' alt='Tides'/></p>",
    "one": "<h1 id='low'>Low water</h1><p>The harbour dries.</p><h2 id='when'>When</h2><p>Twice a day; see <a href='two.xhtml#high'>high water</a>.</p>",
    "two": "<h1 id='high'>High water</h1><p>The harbour fills.</p>",
}
NAV = (
    "<ol><li><a href='text/one.xhtml'>Low water</a><ol><li><a href='text/one.xhtml#when'>When</a></li></ol></li>"
    "<li><a href='text/two.xhtml#high'>High water</a></li></ol>"
)
NCX = (
    "<navPoint><navLabel><text>Low water</text></navLabel><content src='text/one.xhtml#low'/>"
    "<navPoint><navLabel><text>When</text></navLabel><content src='text/one.xhtml#when'/></navPoint></navPoint>"
    "<navPoint><navLabel><text>High water</text></navLabel><content src='text/two.xhtml'/></navPoint>"
)
METADATA = "<dc:title>Tides</dc:title><dc:creator>Ann Lee</dc:creator><dc:creator>Bo Ek</dc:creator><dc:language>en</dc:language>"


@pytest.mark.parametrize(
    "outline", [{"nav": NAV}, {"ncx": NCX}, {"nav": "<ol></ol>", "ncx": NCX}], ids=["nav", "ncx", "empty nav"]
)
def test_the_outline_of_the_book_is_the_outline(make_epub, outline):
    """Of either version; its entries lead to lines, and links lead from page to page."""
    tree = with_references(build_tree(make_epub(PAGES, metadata=METADATA, **outline), name="tides.epub"))
    assert (tree.kind, tree.origin, tree.pages) == ("epub", "bookmarks", None)
    assert [(node.title, node.level) for node in tree.nodes] == [("Low water", 1), ("When", 2), ("High water", 1)]
    assert tree.metadata == {"title": "Tides", "author": "Ann Lee, Bo Ek", "language": "en"}
    (link,) = tree.references
    assert (link.text, link.target) == ("high water", tree.nodes[2].id)


def test_without_an_outline_headings_are_the_outline(make_epub):
    """As in any page."""
    tree = build_tree(make_epub(PAGES))
    assert tree.origin == "markup"
    assert [node.title for node in tree.nodes] == ["Low water", "When", "High water"]


def test_an_outline_that_does_not_fit_the_text_is_ignored(make_epub):
    """Generated books may have the outline of another book; a note reports it."""
    wrong = "".join(f"<li><a href='text/one.xhtml'>Chapter of {name}</a></li>" for name in ("fish", "nets", "boats"))
    tree = build_tree(make_epub(PAGES, nav=f"<ol>{wrong}</ol>"))
    assert [node.title for node in tree.nodes] == ["Low water", "When", "High water"]
    assert "was not used" in tree.notes[0]


def test_an_entry_whose_title_is_not_in_the_text_keeps_its_line(make_epub):
    """A chapter whose title is an image."""
    pages = {
        "one": "<p><img src='i.png'/></p><p>It begins.</p>",
        "two": "<h1>Low water</h1><p>x</p>",
        "three": "<h1>High water</h1><p>y</p>",
    }
    nav = "".join(
        f"<li><a href='text/{page}.xhtml'>{title}</a></li>"
        for page, title in zip(pages, ("Prologue", "Low water", "High water"), strict=True)
    )
    tree = build_tree(make_epub(pages, nav=f"<ol>{nav}</ol>"))
    assert [node.title for node in tree.nodes] == ["Prologue", "Low water", "High water"]
    assert tree.section_text(tree.nodes[0]).strip() == "It begins."
    assert tree.notes == ("Of 3 entries of the book's own outline, 1 do not stand where they lead.",)


def test_headings_below_a_coarse_outline_are_sections(make_epub):
    """An outline of long chapters is only the top level."""
    inner = "".join(f"<h2>Part {n}</h2><p>{'Water comes and goes. ' * 900}</p>" for n in range(1, 4))
    pages = {"one": f"<h1>Low water</h1>{inner}", "two": f"<h1>High water</h1>{inner}"}
    nav = "<ol><li><a href='text/one.xhtml'>Low water</a></li><li><a href='text/two.xhtml'>High water</a></li></ol>"
    tree = build_tree(make_epub(pages, nav=nav))
    assert [(node.title, node.level) for node in tree.nodes][:5] == [
        ("Low water", 1),
        ("Part 1", 2),
        ("Part 2", 2),
        ("Part 3", 2),
        ("High water", 1),
    ]


def test_a_protected_book_is_refused(make_epub):
    """Encrypted fonts do not matter; encrypted pages do."""
    entry = (
        "<encryption><EncryptedData><CipherData><CipherReference URI='{}'/></CipherData></EncryptedData></encryption>"
    )
    fonts = {"META-INF__encryption.xml": entry.format("OPS/font.otf")}
    pages = {"META-INF__encryption.xml": entry.format("OPS/text/one.xhtml")}
    assert read_source(make_epub(PAGES, **fonts)).kind == "epub"
    with pytest.raises(UnsupportedSource, match="DRM"):
        read_source(make_epub(PAGES, **pages))


def test_broken_books_raise_our_errors():
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("META-INF/container.xml", "<container/>")
    with pytest.raises(DamagedSource, match="package file"):
        read_source(buffer.getvalue())


def test_a_book_of_images_is_empty(make_epub):
    """It contains nothing to find."""
    with pytest.raises(EmptySource):
        read_source(make_epub({"cover": "<p><img src='c.png'/></p>"}))


def test_parts_without_a_link_hold_their_chapters(make_epub):
    """A `span` in the navigation: a part with a page of its own begins there, one without begins with its first chapter."""
    pages = {
        "p1": "<h1>Part I Water</h1>",
        "c1": "<h1>Chapter 1 Low</h1><p>The harbour dries.</p>",
        "c2": "<h1>Chapter 2 High</h1><p>The harbour fills.</p>",
        "c3": "<h1>Chapter 3 Wind</h1><p>It blows.</p>",
    }
    link = "<li><a href='text/{}.xhtml'>{}</a></li>".format
    nav = (
        f"<ol><li><span>Part I Water</span><ol>{link('c1', 'Chapter 1 Low')}{link('c2', 'Chapter 2 High')}</ol></li>"
        f"<li><span>Part II Air</span><ol>{link('c3', 'Chapter 3 <span>Wind</span>')}</ol></li></ol>"
    )
    tree = build_tree(make_epub(pages, nav=nav))
    assert [(node.title, node.level) for node in tree.nodes] == [
        ("Part I Water", 1),
        ("Chapter 1 Low", 2),
        ("Chapter 2 High", 2),
        ("Part II Air", 1),
        ("Chapter 3 Wind", 2),
    ]
    assert tree.nodes[0].span.first == 1
    assert "It blows." in tree.section_text(tree.nodes[4])
