"""Documents without pages, from the file to the citation: HTML, plain text and mail as Markdown before them."""

from __future__ import annotations

import pytest

from thumbindex import Library
from thumbindex.citations import ReadDocument, check_answer
from thumbindex.tools import ToolError, catalogue

HTML = (
    b"<html><body><h1>Ferry guide</h1><h2 id='fares'>Fares</h2><table><tr><th>Ticket</th><th>Crowns</th></tr>"
    b"<tr><td>single</td><td>14</td></tr><tr><td>return</td><td>25</td></tr></table>"
    b"<h2>Boarding</h2><p>Be at the pier ten minutes early; see <a href='#fares'>the fares</a>.</p></body></html>"
)
TEXT = b"Ferry guide\n***********\n\nFares\n=====\n\nA single ticket costs 14 crowns.\n\nBoarding\n========\n\nSee Fares.\n"


@pytest.fixture(params=[(HTML, "ferry.html"), (TEXT, "ferry.txt")], ids=["html", "text"])
def library(request):
    library = Library()
    library.add(request.param[0], name=request.param[1])
    return library


def test_evidence_is_cited_by_section(library):
    """And says its lines, never a page."""
    best = library.retrieve("What does a single ticket cost?").evidence[0]
    assert best.citation == f"[{best.document}, § Fares]"
    assert best.pages is None
    flat = best.flat_metadata()
    assert flat["line_start"] == best.lines.first
    assert not {"page", "page_start", "page_label"} & flat.keys()


def test_evidence_says_by_which_name_its_place_is_opened():
    """That of its section, or of a place in it before a later part; the name of another section is none."""
    long = "".join(
        f"<p id='day{n}'>On day {n} the ferry sails at {n % 24} o'clock. {'The sea is calm. ' * 40}</p>"
        for n in range(30)
    )
    page = HTML.replace(
        b"</body>", f"<div id='x1'></div><h2 id='times'>Times</h2>{long}<h2>Dogs</h2><p>On a lead.</p></body>".encode()
    )
    library = Library()
    (info,) = [library.add(page, name="ferry.html")]
    fares, boarding = (
        library.retrieve(one).evidence[0] for one in ("single ticket crowns", "at the pier ten minutes early")
    )
    assert (fares.anchor, fares.flat_metadata()["anchor"]) == ("fares", "fares")
    assert boarding.anchor is None
    assert "anchor" not in boarding.flat_metadata()
    first, *_, last = [
        one for one in library.sections(info.doc_id, max_tokens=500) if one.section_path.endswith("Times")
    ]
    assert first.anchor == "x1"
    assert last.anchor is not None
    assert last.text.startswith(f"On day {int(last.anchor.removeprefix('day'))} ")
    assert [one.anchor for one in library.sections(info.doc_id) if one.section_path.endswith("Dogs")] == [None]


def test_pages_are_asked_for_in_vain(library):
    """The tool says what to use instead."""
    tools = {tool.name: tool.run for tool in catalogue(library)}
    (info,) = library.list()
    with pytest.raises(ToolError, match=r"has no pages; use read_section"):
        tools["get_page_content"](document=info.doc_id, pages="1")
    assert "14" in tools["read_section"](document=info.doc_id, node="Fares").text


def test_citations_are_checked_as_those_of_pages_are(library):
    """By the text of the section."""
    (info,) = library.list()
    tree = library.tree(info.doc_id)
    fares = next(node for node in tree.nodes if node.title == "Fares")
    source = ReadDocument(info.doc_id, info.name, tree, (fares.span,))
    (right,), _ = check_answer(f"A single ticket costs 14 crowns [{info.name}, § Fares].", [source])
    (wrong,), _ = check_answer(f"A single ticket costs 16 crowns [{info.name}, § Fares].", [source])
    assert (right.status, wrong.status) == ("verified", "unsupported")


def test_a_place_in_a_page_can_be_followed():
    """By the name that the page gives it."""
    library = Library()
    info = library.add(HTML, name="ferry.html")
    tools = {tool.name: tool.run for tool in catalogue(library)}
    assert "Fares" in tools["follow_reference"](document=info.doc_id, reference="#fares").text
