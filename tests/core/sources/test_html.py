"""HTML pages: the text that a reader sees, with the lines of headings, tables, anchors and links."""

from __future__ import annotations

import sys

import pytest

from thumbindex import build_tree
from thumbindex.errors import EmptySource, MissingExtra, SourceLimit
from thumbindex.sources import read_source
from thumbindex.sources.html import read_html
from thumbindex.tree.references import resolve, with_references


def lines(html: str) -> list[str]:
    """Returns the lines of text of a page."""
    return [line.text for line in read_html(html, "page").lines if line.text]


def marks(html: str) -> list[tuple[str, int]]:
    """Returns titles and levels of a page's headings."""
    return [(mark.title, mark.level) for mark in read_html(html, "page").marks]


PUMP = """<!DOCTYPE html>
<html lang="en"><head><title>Pump guide | Acme</title><style>.off { display: none }</style>
<script>document.write("<h2>Written by a script</h2>");</script></head><body>
<nav><h2>Pages</h2><a href="#start">Start</a></nav>
<header><p>Acme support</p></header>
<main><h1 id="top">Pump <em>guide</em></h1><p>For models P-1 to P-9.</p>
<section><h2 id="start">Starting</h2><p>Open valve A, then read <a href="#limits">the limits</a>.</p>
<h4>Cold weather</h4><p>Wait ten&nbsp;minutes.</p><pre>&lt;h2&gt;not one&lt;/h2&gt;
  $ pump --start</pre></section>
<!-- <h2>Commented out</h2> --><h2 hidden>Draft</h2><h2 class="off">Switched off</h2>
<section><h2 id="limits">Limits</h2><table><caption>Pressure</caption>
<tr><th>Speed</th><th>bar</th></tr><tr><td>1200</td><td>2.5</td></tr><tr><td>2400</td><td>4.1</td></tr></table></section>
<div role="heading" aria-level="2">Storage</div><p>Keep it dry.</p></main>
<footer><h2>Imprint</h2></footer></body></html>"""


def test_a_page_is_read_as_its_reader_sees_it():
    """Headings and ARIA headings with their levels, and rows of tables; no navigation, footer, script, comment or hidden
    element; and a tag in a listing is text."""
    tree = build_tree(PUMP.encode(), name="pump.html")
    assert tree.kind == "html"
    assert tree.origin == "markup"
    assert [(node.title, node.level) for node in tree.nodes] == [
        ("Pump guide", 1),
        ("Starting", 2),
        ("Cold weather", 4),
        ("Limits", 2),
        ("Storage", 2),
    ]
    assert tree.section_text(tree.nodes[3]) == "Limits\n\nPressure\n\nSpeed | bar\n1200 | 2.5\n2400 | 4.1\n"[:-1]
    assert "  $ pump --start" in tree.lines
    for unseen in ("Pages", "Acme support", "script", "Commented", "Draft", "Switched", "Imprint"):
        assert unseen not in "\n".join(tree.lines)
    assert tree.metadata == {"title": "Pump guide | Acme", "language": "en"}


def test_a_document_without_pages_is_cited_by_section():
    """It has lines but no pages, anchors for places, and links to the sections of their targets."""
    tree = with_references(build_tree(PUMP.encode(), name="pump.html"))
    starting, limits = tree.nodes[1], tree.nodes[3]
    assert (tree.pages, starting.pages, starting.lines) == (None, None, starting.span)
    assert [(reference.text, reference.target) for reference in starting.references] == [("the limits", limits.id)]
    place = resolve(tree, "#limits")
    assert place is not None
    assert place.target == limits.id
    assert resolve(tree, "#nowhere") is None


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param("<p>text</p><title>x-20231231</title>", ["text"], id="a title that stands outside the head"),
        pytest.param("<p>one<br>two</p>", ["one", "two"], id="a line break"),
        pytest.param("<p>co\u00adop</p>", ["coop"], id="a soft hyphen hides no word"),
        pytest.param("<ol start=3><li>a<li>b</ol>", ["3. a", "4. b"], id="a numbered list, its items left open"),
        pytest.param("<ol type=a><li>x</ol><ol type=I><li>y</ol>", ["a. x", "I. y"], id="letters and Roman numbers"),
        pytest.param("<ul><li>a<ul><li>b</ul></ul>", ["- a", "  - b"], id="a list in a list"),
        pytest.param("<p>10<sup>2</sup> bar", ["10^2 bar"], id="a power"),
        pytest.param("<svg><text>x</text></svg><p>seen", ["seen"], id="drawings have no text"),
        pytest.param("<p>a</p><form><select><option>b</select></form>", ["a"], id="choices of forms"),
        pytest.param(
            "<img alt='A curve that rises from 1 to 9'><img alt='logo'><p>x",
            ["[image: A curve that rises from 1 to 9]", "x"],
            id="alt",
        ),
    ],
)
def test_elements_are_read_as_browsers_show_them(html, expected):
    """As far as lines can."""
    assert lines(f"<html><body>{html}") == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(
            "<tr><td>Cash<td>$<td>1,234<td>)", ["Cash $1,234)"], id="signs in cells of their own join their figure"
        ),
        pytest.param(
            "<tr><td>a<td><td>1<tr><td>b<td><td>2", ["a | 1", "b | 2"], id="a column that is always empty is left out"
        ),
        pytest.param(
            "<tr><td>a<td><td>1<tr><td>b<td>x<td>2", ["a |  | 1", "b | x | 2"], id="an empty cell keeps its column"
        ),
        pytest.param(
            "<tr><td rowspan=2>EU<td>1<tr><td>2", ["EU | 1", "EU | 2"], id="a cell over two rows is repeated in both"
        ),
        pytest.param(
            "<tr><th colspan=2>H<th>K<tr><td>1<td>2<td>3", ["H |  | K", "1 | 2 | 3"], id="a cell over two columns"
        ),
        pytest.param("<tr><td>Item 1.<td>Business", ["Item 1. Business"], id="one row is a line of text"),
        pytest.param(
            "<tr><td colspan=99999999>a<td rowspan=99999999>b<tr><td>c<td>d", ["a | b", "c | d"], id="absurd spans"
        ),
    ],
)
def test_a_row_of_a_table_is_a_line(rows, expected):
    """Parts of one figure stay together."""
    got = lines(f"<html><table>{rows}</table>")
    assert [" | ".join(cell.strip() for cell in line.split("|")) for line in got] == [
        " | ".join(cell.strip() for cell in line.split("|")) for line in expected
    ]


def test_a_table_around_a_page_is_layout():
    """Old pages are one table: their headings count, and their text is not a row."""
    html = "<html><table><tr><td><h1>Tides</h1><p>Twice a day.</p><td><table><tr><td>low<td>6:00<tr><td>high<td>12:10</table></table>"
    assert marks(html) == [("Tides", 1)]
    assert lines(html) == ["Tides", "Twice a day.", "low | 6:00", "high | 12:10"]


def test_only_the_main_part_of_a_page_is_read():
    """If `<main>` has most of the text; a title above it is read too."""
    html = f"<html><body><div><h1>Tides</h1></div><div>Buy now</div><main><h2>Low</h2><p>{'Water goes. ' * 20}</main><div>Ads"
    assert marks(html) == [("Tides", 1), ("Low", 2)]
    assert "Buy now" not in lines(html)
    small = f"<html><body><p>{'Water goes. ' * 20}<main>x</main>"
    assert lines(small)[0].startswith("Water")


def test_nested_sections_give_levels_where_all_headings_are_h1():
    """As HTML 5 once specified."""
    html = "<html><body><article><h1>A</h1><section><h1>B</h1><section><h1>C</h1></section></section></article>"
    assert marks(html) == [("A", 1), ("B", 2), ("C", 3)]


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div class='admonition note'><h3>Note</h3><p>x</div>", id="the caption of a box"),
        pytest.param("<h3 class='author'>Ann Lee</h3>", id="the author on a title page"),
        pytest.param("<h2 role='presentation'>x</h2>", id="a role that says so"),
        pytest.param("<h2> </h2>", id="nothing in it"),
    ],
)
def test_marked_headings_that_are_not_headings(html):
    """A heading names a part of the text."""
    assert marks(f"<html><body>{html}<p>text") == []


@pytest.mark.parametrize(
    ("html", "title"),
    [
        pytest.param("<h2>Start<a class='headerlink' href='#s'>¶</a></h2>", "Start", id="without the sign of its link"),
        pytest.param("<h2>Start<span><a class='mark' href='#s'>#</a></span></h2>", "Start", id="by whatever class"),
        pytest.param("<h2>The <a href='#hash'># and 1</a></h2>", "The # and 1", id="with a link of its words"),
        pytest.param("<h2><div>Two</div><div>parts</div></h2>", "Two parts", id="blocks inside are words"),
        pytest.param("<h2><button>Folded</button></h2>", "Folded", id="a button to unfold it"),
        pytest.param("<h2><img alt='Map of pumps'></h2>", "Map of pumps", id="the description of an image"),
        pytest.param("<h2>Line<br>break</h2>", "Line break", id="over two lines"),
    ],
)
def test_titles_are_the_visible_words(html, title):
    """And nothing else."""
    assert marks(f"<html><body>{html}<p>text") == [(title, 2)]


@pytest.mark.parametrize(
    "sign",
    ["<a class='mark' href='#start' id='start'>#</a>", "<a aria-hidden='true' class='legacy' id='start'></a>"],
)
def test_the_permalink_of_a_title_may_have_its_anchor(sign):
    """Links lead to the section all the same."""
    tree = build_tree(f"<html><body><h1>Pump</h1><p>a</p><h2>Start{sign}</h2><p>b".encode())
    assert tree.anchor_of(tree.nodes[1].span) == "start"


def test_documented_functions_are_sections():
    """As Sphinx marks them, which lists them in its contents; terms of a glossary are not."""
    html = (
        "<html><body><h1>pump</h1><dl><dt class='sig' id='run'>pump.run(speed)</dt><dd><p>Starts.</p>"
        "<dl><dt class='sig sig-object' id='Run.stop'>Run.stop()</dt><dd>Stops.</dd></dl></dd>"
        f"<dt class='sig' id='x'>pump.set({', '.join(f'option_{n}=None' for n in range(9))})</dt><dd>Sets.</dd></dl>"
        "<dl><dt id='bar'>bar</dt><dd>A unit.</dd></dl>"
    )
    assert marks(html) == [("pump", 1), ("pump.run(speed)", 2), ("Run.stop()", 3), ("pump.set(…)", 2)]


def test_lists_of_links_to_the_headings_are_left_out():
    """They name every section and answer no question; other lists of links are text."""
    titles = ["Low", "High", "Spring", "Neap", "Slack"]
    contents = "".join(f"<li><a href='#{title}'>{title}</a></li>" for title in titles)
    body = "".join(f"<h2 id='{title}'>{title}</h2><p>Water.</p>" for title in titles)
    tree = build_tree(f"<html><body><h1>Tides</h1><ul>{contents}</ul>{body}".encode())
    assert tree.text(tree.own_span(tree.nodes[0])).split() == ["Tides"]
    named = "".join(f"<li><a href='#{title}p'>{title}</a></li>" for title in titles)
    body = "".join(f"<h2>{title}</h2><p>Water.</p><p id='{title}p'>More.</p>" for title in titles)
    tree = build_tree(f"<html><body><h1>Tides</h1><ul>{named}</ul>{body}".encode())
    assert "- Spring" in tree.text(tree.own_span(tree.nodes[0]))


def test_self_closing_elements_of_xhtml_are_complete():
    """`<a id="x"/>` and `<title/>`; read as HTML they would contain the rest of the page."""
    html = (
        "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='a.js'/></head>"
        "<body><h1>Tides</h1><a id='x'/><p>Low</p></body></html>"
    )
    assert lines(html) == ["Tides", "Low"]


FILING = (
    "<html><body style='font-size:10pt'><div style='text-align:center;font-weight:bold'>ACME CORP</div>"
    "<div>Annual report</div><div><a name='toc'></a><b>TABLE OF CONTENTS</b></div><table>"
    + "".join(
        f"<tr><td><a href='#i{n}'>{label}</a></td><td><a href='#i{n}'>{title}</a></td><td>{page}</td></tr>"
        for n, (label, title, page) in enumerate(
            [
                ("PART I", "", ""),
                ("Item 1.", "Business", 4),
                ("Item 1A.", "Risk Factors", 9),
                ("PART II", "", ""),
                ("Item 7.", "Discussion of Results", 20),
                ("Item 8.", "Financial Statements", 31),
            ]
        )
    )
    + "</table><hr style='page-break-after:always'>"
    + "<div id='i0'></div><div style='font-weight:700'>PART I</div>"
    + "<div id='i1'></div><table><tr><td style='font-weight:bold'>Item 1.</td><td style='font-weight:bold'>Business</td></tr></table>"
    + f"<p>{'We make pumps and sell them. ' * 90}</p><p><i>Our Customers</i></p><p>{'They pump water. ' * 60}</p>"
    + "<div>4</div><hr style='page-break-after:always'><div><a href='#toc'>Table of Contents</a></div>"
    + f"<div id='i2'></div><p><b>Item 1A. Risk Factors</b></p><p>{'Pumps may fail. ' * 150}</p>"
    + "<div>5</div><hr style='page-break-after:always'><div><a href='#toc'>Table of Contents</a></div>"
    + "<div id='i3'></div><p><b>PART II</b></p>"
    + f"<div id='i4'></div><p><b>Item 7. Discussion of Results</b></p><p>{'Sales rose as more pumps were sold. ' * 120}</p>"
    + "<p><i>Outlook</i></p><p>We expect more of the same.</p>"
    + "<div>6</div><hr style='page-break-after:always'><div><a href='#toc'>Table of Contents</a></div>"
    + f"<div id='i5'></div><p><b>Item 8. Financial Statements</b></p><p>{'Cash is counted yearly. ' * 100}</p></body></html>"
)


def test_a_filing_without_heading_tags_gets_a_tree():
    """Its list of links names the Items, bold and italic paragraphs fill them; the list itself, page numbers and the links
    back to it are left out."""
    tree = build_tree(FILING.encode(), name="10-k.htm")
    assert tree.origin == "hybrid"
    assert [(node.title, node.level) for node in tree.nodes if node.rule != "front"] == [
        ("PART I", 1),
        ("Item 1. Business", 2),
        ("Our Customers", 3),
        ("Item 1A. Risk Factors", 2),
        ("PART II", 1),
        ("Item 7. Discussion of Results", 2),
        ("Outlook", 3),
        ("Item 8. Financial Statements", 2),
    ]
    text = "\n".join(tree.section_text(node) for node in tree.nodes[1:])
    assert "Table of Contents" not in text
    assert not any(line.strip() in ("4", "5", "6") for line in text.splitlines())


def test_a_filing_without_links_starts_after_its_cover():
    """Bold text on the cover and in the contents is not a section."""
    cover = "<p><b>ACME CORP</b></p><p>of</p><p><b>Pumpville</b></p><p>Annual report</p>"
    items = ["Part I", "Item 1. Business", "Item 2. Properties", "Item 3. Proceedings", "Part II", "Item 7. Discussion"]
    contents = "".join(f"<p><b>{item}</b></p><p>page {n}</p>" for n, item in enumerate(items))
    text = "".join(f"<p><b>{item}</b></p>" + "<p>We make pumps and sell them.</p>" * 60 for item in items)
    tree = build_tree(f"<html><body>{cover}{contents}{text}".encode())
    assert [(node.title, node.level) for node in tree.nodes if node.rule != "front"] == [
        ("Part I", 1),
        ("Item 1. Business", 2),
        ("Item 2. Properties", 2),
        ("Item 3. Proceedings", 2),
        ("Part II", 1),
        ("Item 7. Discussion", 2),
    ]


def test_bold_paragraphs_are_headings_where_nothing_else_is():
    """A page with one `<h1>` for some fifteen pages of text has too few headings."""
    body = "".join(
        f"<p><b>{title}</b></p><p>{'Much water. ' * 900}</p>" for title in ("Low tide", "High tide", "Spring tide")
    )
    tree = build_tree(f"<html><body><h1>Tides</h1>{body}".encode())
    assert [(node.title, node.level) for node in tree.nodes] == [
        ("Tides", 1),
        ("Low tide", 2),
        ("High tide", 2),
        ("Spring tide", 2),
    ]
    short = build_tree(b"<html><body><h1>Tides</h1><p><b>Low tide</b></p><p>Water goes.</p>")
    assert [node.title for node in short.nodes] == ["Tides"]


def test_a_long_paragraph_is_several_lines():
    """Places are given as lines, and passages are split between lines; links stay on their words."""
    html = f"<html><body><p>{'The water goes out. ' * 30}<a href='#end'>See the end.</a></p><h2 id='end'>End</h2><p>x"
    document = read_html(html, "page")
    assert all(len(line.text) <= 320 for line in document.lines)
    (link,) = document.links
    assert document.lines[link.line - 1].text[link.first : link.last] == "See the end."


@pytest.mark.parametrize(
    ("data", "expected", "guessed"),
    [
        pytest.param(
            "<html><meta charset=iso-8859-1><p>caf\u00e9 \u2013".encode("cp1252"),
            "caf\u00e9 \u2013",
            None,
            id="declared",
        ),
        pytest.param(
            "<html><meta http-equiv='Content-Type' content='text/html; charset=windows-1251'><p>прилив".encode(
                "cp1251"
            ),
            "прилив",
            None,
            id="declared the old way",
        ),
        pytest.param(
            "<html><meta charset=utf-8><p>caf\u00e9".encode("cp1252"),
            "caf\u00e9",
            "windows-1252",
            id="declared wrongly",
        ),
        pytest.param("<html><p>caf\u00e9".encode("cp1252"), "caf\u00e9", "windows-1252", id="not declared"),
        pytest.param("<html><p>caf\u00e9".encode("utf-16"), "caf\u00e9", None, id="utf-16 with its mark"),
        pytest.param(
            b"<html><meta charset='unicode_escape'><p>\\x41", "\\x41", None, id="a codec that is none of text"
        ),
    ],
)
def test_encodings_of_pages(data, expected, guessed):
    """The declared encoding counts if the bytes are valid in it; a guess is reported."""
    document = read_source(data)
    assert [line.text for line in document.lines] == [expected]
    assert document.metadata.get("encoding_guessed") == guessed


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div>" * 100_000 + "deep", id="blocks"),
        pytest.param("<b>" * 100_000 + "deep", id="bold"),
        pytest.param("".join(f"<font color={n}><p>" for n in range(5000)) + "deep", id="open fonts"),
        pytest.param("<select>" + "<option>x" * 100_000 + "</select>deep", id="options"),
        pytest.param("<!--" * 100_000 + "--><p>deep", id="comments"),
        pytest.param("<table><td>" * 900 + "deep", id="tables"),
    ],
)
def test_hostile_nesting_costs_neither_time_nor_text(html):
    """Old pages leave elements open by the thousand; the text at the bottom is read all the same."""
    assert "deep" in " ".join(lines(f"<html><body>{html}"))


def test_hostile_pages_are_refused():
    """With one of our errors that says what to do."""
    with pytest.raises(SourceLimit, match="nested"):
        read_html("<html>" + "<blockquote>" * 3000 + "deep", "page")
    with pytest.raises(SourceLimit, match="attributes"):
        read_html("<html><p " + " ".join(f"a{n}" for n in range(5000)) + ">x", "page")
    with pytest.raises(EmptySource):
        read_html("<html><body><script>1</script>", "page")


def test_without_the_extra_the_message_names_it(monkeypatch):
    """HTML and e-books need lxml."""
    monkeypatch.setitem(sys.modules, "lxml", None)
    with pytest.raises(MissingExtra, match=r"thumbindex\[html\]"):
        read_html("<html><p>x", "page")


def definitions(named: bool, letters: int) -> str:
    """Returns a section with a list of three commands, of which two share a definition."""
    name = " id='index-{0}'" if named else ""
    term = f"<dt{name}><code>{{0}} [-n]</code><a class='copiable-anchor' href='#index-{{0}}'> &para;</a></dt>"
    text = f"<dd><p>{'Does it. ' * (letters // 9)}</p></dd>"
    return f"<h2>Commands</h2><dl>{term.format('cd')}{text}{term.format('read')}{term.format('mapfile')}{text}{term.format('wait')}{text}</dl>"


def test_terms_with_anchors_and_long_definitions_are_sections():
    """As in a manual of commands; of several terms with one definition the first; the permalink is not part of the title."""
    tree = build_tree(
        f"<h1>Shell</h1>{definitions(named=True, letters=600)}<h2>End</h2><p>Bye.</p>".encode(), name="shell.html"
    )
    assert [(node.title, node.level, tree.anchor_of(node.span)) for node in tree.nodes[1:]] == [
        ("Commands", 2, None),
        ("cd [-n]", 3, "index-cd"),
        ("read [-n]", 3, "index-read"),
        ("wait [-n]", 3, "index-wait"),
        ("End", 2, None),
    ]
    assert "mapfile [-n]" in tree.section_text(tree.nodes[3])


@pytest.mark.parametrize(
    "listed",
    [
        pytest.param(definitions(named=True, letters=100), id="short definitions, as of options"),
        pytest.param(definitions(named=False, letters=600), id="no names"),
    ],
)
def test_other_lists_of_definitions_are_text(listed):
    """Nothing shows that their author meant them as places to link to."""
    assert marks(listed) == [("Commands", 2)]


def test_a_heading_that_links_back_to_the_contents_is_a_heading_inside_a_page():
    """Only at the top of a page is it left out."""
    assert marks("<h2><a href='#toc'>Use</a></h2><p id='toc'>x</p><h2><a href='#toc'>Index</a></h2>") == [
        ("Use", 2),
        ("Index", 2),
    ]


def test_anchors_in_preformatted_text_are_at_their_lines():
    text = '<pre>First\n\n<span id="b">Second</span>\n\n<a name="c"></a>Third\n</pre>'
    document = read_source(f"<html>{text}</html>".encode())
    assert {name: document.lines[line - 1].text for name, line in document.anchors.items()} == {
        "b": "Second",
        "c": "Third",
    }
