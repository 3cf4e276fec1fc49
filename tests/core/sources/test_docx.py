"""Word files: headings by style and outline level, numbers as Word counts them, changes accepted, notes and text boxes in
place."""

from __future__ import annotations

import io
import zipfile

import pytest

from thumbindex import build_tree
from thumbindex.errors import DamagedSource, EmptySource, SourceError
from thumbindex.sources import read_source
from thumbindex.sources.docx.numbering import Counter, Level, Numbering
from thumbindex.sources.number_formats import format_number
from thumbindex.tree.references import with_references

STYLES = """
<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/>
  <w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:basedOn w:val="berschrift2"/></w:style>
<w:style w:type="paragraph" w:styleId="TOCHeading"><w:name w:val="TOC Heading"/><w:basedOn w:val="berschrift1"/>
  <w:pPr><w:numPr><w:numId w:val="0"/></w:numPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Round"><w:name w:val="Round"/><w:basedOn w:val="Round2"/></w:style>
<w:style w:type="paragraph" w:styleId="Round2"><w:name w:val="Round2"/><w:basedOn w:val="Round"/></w:style>
"""
NUMBERING = """
<w:abstractNum w:abstractNumId="7">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1"/><w:pStyle w:val="berschrift1"/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/><w:pStyle w:val="berschrift2"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="8">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%1)"/></w:lvl>
<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/><w:lvlText w:val="·"/></w:lvl>
</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>
"""


START = '<w:vMerge w:val="restart"/>'


def p(text: str, style: str = "", properties: str = "") -> str:
    """Returns a paragraph; a text that begins with `<` is runs."""
    runs = text if text.startswith("<") else f"<w:r><w:t>{text}</w:t></w:r>"
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{runs}</w:p>"


def r(text: str, properties: str = "") -> str:
    """Returns a run."""
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


def listed(text: str, level: int = 0, number: int = 2) -> str:
    """Returns a paragraph of a list."""
    return p(text, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


@pytest.fixture
def lines(make_docx):
    """Returns the lines of text of a body."""

    def read(body: str, **parts: str) -> list[str]:
        parts.setdefault("styles", STYLES)
        parts.setdefault("numbering", NUMBERING)
        return [line.text for line in read_source(make_docx(body, **parts)).lines if line.text]

    return read


def test_headings_by_style_and_level_with_their_numbers(make_docx):
    """A built-in style under any local name, a style based on it, a paragraph's own level; numbers are computed."""
    body = (
        p("Lease", "Title")
        + p("Contents", "TOCHeading")
        + p("Scope\t1", "TOC1")
        + p("Scope", "berschrift1")
        + p("This lease covers a pump.")
        + p("Term", "berschrift1")
        + p("Start", "berschrift2")
        + p("It starts on 1 May.")
        + p("End", "Clause")
        + p("It ends on 30 April.")
        + p("Signed", properties='<w:outlineLvl w:val="0"/>')
        + p("Ann Lee")
    )
    core = (
        '<cp:coreProperties xmlns:cp="http://x/cp" xmlns:dc="http://x/dc"><dc:title>Pump lease</dc:title>'
        "<dc:creator>Ann</dc:creator></cp:coreProperties>"
    )
    tree = build_tree(make_docx(body, styles=STYLES, numbering=NUMBERING, core=core), name="lease.docx")
    assert (tree.kind, tree.origin, tree.pages) == ("docx", "markup", None)
    assert [(node.title, node.level) for node in tree.nodes if node.rule != "front"] == [
        ("1 Scope", 1),
        ("2 Term", 1),
        ("2.1 Start", 2),
        ("2.2 End", 2),
        ("Signed", 1),
    ]
    assert not any("Scope 1" in line for line in tree.lines)
    assert tree.metadata == {"title": "Pump lease", "author": "Ann"}


def test_lists_are_numbered(lines):
    """Letters, bullets, and a count that continues after text between items and over an empty paragraph."""
    assert lines(listed("pay") + listed("monthly", 1) + p("text") + listed("") + listed("clean")) == [
        "(a) pay",
        "  - monthly",
        "text",
        "(c) clean",
    ]


def test_changes_are_accepted(lines):
    """Inserted and moved text is read; deleted text and its old place are not, nor is a paragraph deleted as a whole."""
    deleted_end = "<w:rPr><w:del w:id='1'/></w:rPr>"
    assert lines(
        p(f"<w:r><w:t>Rate </w:t></w:r><w:del><w:r><w:delText>4%</w:delText></w:r></w:del><w:ins>{r('5%')}</w:ins>")
        + p(f"<w:del>{r('gone')}</w:del>", properties=deleted_end)
        + p("one ", properties=deleted_end)
        + p("two")
        + p(f"<w:moveFrom>{r('old place')}</w:moveFrom>")
        + p(f"<w:moveTo>{r('new place')}</w:moveTo>")
    ) == ["Rate 5%", "one two", "new place"]


def test_a_deleted_row_is_left_out(lines):
    """And a cell merged with the one above has the text of that."""
    cell = "<w:tc><w:tcPr>{}</w:tcPr>{}</w:tc>".format
    table = (
        f"<w:tbl><w:tr>{cell('', p('Region'))}{cell('', p('Sales'))}</w:tr>"
        f"<w:tr>{cell(START, p('EU'))}{cell('', p('12'))}</w:tr>"
        f"<w:tr>{cell('<w:vMerge/>', p(''))}{cell('', p('14'))}</w:tr>"
        f"<w:tr><w:trPr><w:del w:id='1'/></w:trPr>{cell('', p('US'))}{cell('', p('99'))}</w:tr></w:tbl>"
    )
    assert lines(p("Before") + table + p("After")) == ["Before", "Region | Sales", "EU | 12", "EU | 14", "After"]


def test_notes_are_written_below_their_paragraph(lines):
    """With the mark that the text has; separators are left out."""
    notes = (
        '<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>'
        f'<w:footnote w:id="2">{p("See the annex.")}</w:footnote>'
    )
    body = p("<w:r><w:t>Rent is due</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r>") + p("Next")
    assert lines(body, footnotes=notes) == ["Rent is due[1]", "[1] See the annex.", "Next"]


def test_a_text_box_is_read_once(lines):
    """Word writes each twice, for new programs and for old ones."""
    box = f"<w:txbxContent>{p('In the box')}</w:txbxContent>"
    run = (
        '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice><w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    assert lines(p(f"{r('Beside')}{run}")) == ["Beside", "In the box"]


def test_links_and_cross_references_lead_to_sections(make_docx):
    """Hyperlinks to bookmarks, and fields such as REF."""
    field = (
        "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> REF _Ref5 \\h </w:instrText></w:r>"
        "<w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>the term</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>"
    )
    body = (
        p("Scope", "berschrift1")
        + p(f"{r('See ')}{field}{r(' and ')}<w:hyperlink w:anchor='rent'>{r('the rent')}</w:hyperlink>.")
        + p(f"<w:bookmarkStart w:id='1' w:name='_Ref5'/>{r('Term')}", "berschrift1")
        + p("One year.")
        + p(f"<w:bookmarkStart w:id='2' w:name='rent'/>{r('Rent')}", "berschrift1")
        + p("Ten a month.")
    )
    tree = with_references(build_tree(make_docx(body, styles=STYLES, numbering=NUMBERING)))
    assert [(reference.text, tree.node(reference.target or "").title) for reference in tree.references] == [
        ("the term", "2 Term"),
        ("the rent", "3 Rent"),
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(p(r("seen") + r("hidden", "<w:vanish/>")), ["seen"], id="hidden text"),
        pytest.param(
            p(r("a") + "<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>"), ["a b", "c"], id="tab and line break"
        ),
        pytest.param(
            p(r("non") + "<w:r><w:noBreakHyphen/></w:r>" + r("stop")),
            ["non-stop"],
            id="a hyphen that keeps a word whole",
        ),
        pytest.param(
            f"<w:sdt><w:sdtContent>{p('Filled in')}</w:sdtContent></w:sdt>", ["Filled in"], id="a field of a form"
        ),
        pytest.param(p(r("x"), "Round"), ["x"], id="styles based on each other in a circle"),
        pytest.param(p(r("x"), "Missing"), ["x"], id="a style that is not there"),
        pytest.param(listed("x", number=99), ["x"], id="a list that is not there"),
    ],
)
def test_text_is_read_as_word_shows_it(lines, body, expected):
    assert lines(body) == expected


def test_bold_paragraphs_are_headings_in_files_without_styles(make_docx):
    """Many contracts are typed without styles."""
    body = "".join(
        p(r(title, "<w:b/>")) + "".join(p("The lessee pays the rent on the first day. " * 9) for _ in range(9))
        for title in ("1. Rent", "2. Repairs", "3. Notice")
    )
    tree = build_tree(make_docx(body, styles=STYLES))
    assert tree.origin == "layout"
    assert [node.title for node in tree.nodes] == ["1. Rent", "2. Repairs", "3. Notice"]


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (4, "decimal", "4"),
        (4, "upperRoman", "IV"),
        (28, "lowerLetter", "bb"),
        (7, "decimalZero", "07"),
        (22, "ordinal", "22nd"),
        (13, "ordinal", "13th"),
        (42, "cardinalText", "Forty-two"),
        (12, "chineseCounting", "十二"),
        (0, "upperRoman", "0"),
        (5, "none", ""),
    ],
)
def test_formats_of_numbers(value, kind, shown):
    """As Word prints them."""
    assert format_number(value, kind) == shown


def test_counts():
    """Deeper levels restart under each number; a level that was never used has its start; a legal level has digits; one that
    never restarts continues."""
    article = Level(format="upperRoman", text="Article %1")
    section = Level(format="decimal", text="%1.%2", legal=True)
    item = Level(format="lowerLetter", text="(%3)", restart=0)
    numbering = Numbering("1", {0: article, 1: section, 2: item})
    counter = Counter()
    steps = [0, 1, 2, 1, 2, 0, 1, 2]
    assert [counter.next("1", numbering, level) for level in steps] == [
        "Article I",
        "1.1",
        "(a)",
        "1.2",
        "(b)",
        "Article II",
        "2.1",
        "(c)",
    ]
    assert Counter().next("1", numbering, 1) == "1.1"


def test_a_list_with_a_start_of_its_own_starts_there_once():
    """Two lists share a count, and the second restarts at 1."""
    level = {0: Level(text="%1.")}
    first, second = Numbering("1", level), Numbering("1", level, {0: 1})
    counter = Counter()
    assert [
        counter.next("a", first, 0),
        counter.next("a", first, 0),
        counter.next("b", second, 0),
        counter.next("b", second, 0),
    ] == [
        "1.",
        "2.",
        "1.",
        "2.",
    ]


def rezipped(data: bytes, **changed: str | bytes) -> bytes:
    """Returns the archive with members changed; the `/` in their names is written `__`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, changed.get(name.removesuffix(".xml").replace("/", "__"), old.read(name)))
    return buffer.getvalue()


LAUGHS = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><d>&b;</d>'


@pytest.mark.parametrize(
    ("text", "match"),
    [
        pytest.param("<w:document>", "not well-formed XML", id="cut off"),
        pytest.param(LAUGHS, "declares entities", id="entities"),
        pytest.param(LAUGHS.encode("utf-16"), "declares entities", id="entities in utf-16"),
        pytest.param("<a>" * 5000 + "</a>" * 5000, "nested over", id="nested by the thousand"),
    ],
)
def test_hostile_parts_are_refused(make_docx, text, match):
    """By name, and before they grow."""
    with pytest.raises(DamagedSource, match=match):
        read_source(rezipped(make_docx(p("x")), word__document=text))


def test_a_file_that_unpacks_to_too_much_is_stopped(make_docx, monkeypatch):
    """Whatever its header declares."""
    monkeypatch.setattr("thumbindex.sources.archive.MAX_MEMBER", 10_000)
    with pytest.raises(SourceError, match="unpacks to over"):
        read_source(make_docx(p("x" * 100_000)), isolation="none")  # where the smaller limit is set


def test_broken_and_empty_files_have_errors_of_their_own(make_docx):
    data = make_docx(p("some text"))
    with pytest.raises(DamagedSource, match="broken or cut off"):
        read_source(data[:-30])
    with pytest.raises(EmptySource):
        read_source(make_docx(p("")))


EMBEDDED = (
    '<Relationships><Relationship Id="r1" Target="page.html"/><Relationship Id="r2" Target="/word/saved.mht"/>'
    '<Relationship Id="r3" Target="letter.docx"/><Relationship Id="r4" Target="old.rtf"/></Relationships>'
)
SAVED = b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<h2>Fares</h2><p>Four crowns.</p>\n--b--\n"


def test_embedded_parts_are_read_in_their_place(make_docx):
    """HTML, saved pages and Word files as report generators embed them; a note names what cannot be read."""
    chunks = "".join(f'<w:altChunk xmlns:r="urn:r" r:id="r{number}"/>' for number in range(1, 6))
    buffer = io.BytesIO(make_docx(p("Cover", "", '<w:outlineLvl w:val="0"/>') + chunks + p("The end.")))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("word/_rels/document.xml.rels", EMBEDDED)
        archive.writestr("word/page.html", "<h1>Ferry</h1><p>At seven.</p>")
        archive.writestr("word/saved.mht", SAVED)
        archive.writestr("word/letter.docx", make_docx(p("Dear reader.")))
        archive.writestr("word/old.rtf", r"{\rtf1 lost}")
    tree = build_tree(buffer.getvalue(), name="report.docx")
    assert [line for line in tree.lines if line] == [
        "Cover",
        "Ferry",
        "At seven.",
        "Fares",
        "Four crowns.",
        "Dear reader.",
        "The end.",
    ]
    assert [(node.title, node.level) for node in tree.nodes] == [("Cover", 1), ("Ferry", 1), ("Fares", 2)]
    assert tree.notes == (
        "The embedded part word/old.rtf was not read: save the file again in Word.",
        "A part that the file embeds is missing from it.",
    )
