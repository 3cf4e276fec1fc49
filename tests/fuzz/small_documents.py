"""One small document of each format, with as many features of the format as possible, for the fuzzers to change."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from made_pdfs import page, pdf, stream

ROOT = Path(__file__).parents[2]
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def small_documents() -> dict[str, bytes]:
    """Returns file names and contents, with the report of the examples among them."""
    return {
        "report.pdf": (ROOT / "examples/annual-report.pdf").read_bytes(),
        "leaflet.pdf": leaflet(),
        "guide.md": guide().encode(),
        "guide.html": web_page().encode(),
        "filing.html": filing().encode(),
        "note.txt": b"QUAY RULES\n\n1. Moor\n\n1.1 Ropes\nUse two.\n\n2. Pump\nSee Section 1.1.\n\nARTICLE III\n(a) Dues\n"
        * 3,
        "thread.txt": b"From: a@b\nSubject: Quay\n\nHello.\n\n> On Monday b wrote:\n> 1. Moor\n> 2. Pump\n" * 5,
        "letter.eml": message().encode(),
        "box.mbox": "".join(f"From a@b Mon Jan  1 00:00:0{n} 2024\n{message()}\n" for n in range(3)).encode(),
        "book.epub": book(),
        "letter.docx": letter(),
    }


def leaflet() -> bytes:
    """Returns three pages with bookmarks, labels, links to names, two fonts, a form, and text in Japanese."""
    leaf = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources 6 0 R/Contents %d 0 R/Annots[9 0 R]/Rotate %d>>"
    text = (
        b"BT /F1 16 Tf 72 720 Td (%d Harbour) Tj /F1 10 Tf 0 -30 Td (Boats moor on the quay; see page 3.) Tj ET /X Do"
    )
    objects = page(
        stream(text % 1),
        b"<</Font<</F1 4 0 R/F2 11 0 R>>/XObject<</X 10 0 R>>>>",
        leaf % (5, 90),
        leaf % (13, 0),
        b"<</Type/Annot/Subtype/Link/Rect[72 680 200 700]/Dest(dues)>>",
        stream(
            b"BT /F2 12 Tf 72 600 Td <00480065> Tj ET",
            more=b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources 6 0 R",
        ),
        b"<</Type/Font/Subtype/Type0/BaseFont/Mincho/Encoding/Identity-H/DescendantFonts[12 0 R]/ToUnicode 14 0 R>>",
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Mincho/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 0>>>>",
        stream(text % 2),
        stream(
            b"begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0000> <FFFF> <0000> endbfrange"
        ),
        b"<</First 16 0 R/Last 17 0 R/Count 2>>",
        b"<</Title(Harbour)/Parent 15 0 R/Next 17 0 R/Dest[3 0 R/XYZ 0 730 0]>>",
        b"<</Title(\xfe\xff\x00D\x00u\x00e\x00s)/Parent 15 0 R/First 18 0 R/A<</S/GoTo/D(dues)>>>>",
        b"<</Title(Half)/Parent 17 0 R/Dest[8 0 R/FitH 700]>>",
        b"<</Nums[0<</S/r>>2<</S/D/P(A-)/St 5>>]>>",
        catalogue=b"/Outlines 15 0 R/PageLabels 19 0 R/Names<</Dests<</Names[(dues)[8 0 R/XYZ 0 700 0]]>>>>",
    )
    objects[1] = b"<</Type/Pages/Kids[3 0 R 7 0 R 8 0 R]/Count 3>>"
    return pdf(objects, b"/Info<</Title(Leaflet)/CreationDate(D:20240101000000Z)>>")


def guide() -> str:
    """Returns Markdown with front matter, headings of both kinds, tables, lists, fences, HTML, notes and links."""
    parts = (
        f"{'#' * (1 + number % 3)} {number} Part\n\nSee Section {number + 1} and [there](#{number}-part).\n\n"
        "A | table\n--- | ---\n1 | 2\n\n```py\n# no\n```\n\nSet out\n-------\n\n- one\n  - two\n\n> # quoted\n\n"
        "<div>\n<h2>In HTML</h2>\n</div>\n\n[^1]: A note.\n"
        for number in range(1, 12)
    )
    return "---\ntitle: Guide\ntags: [a, b]\ndate: 2024-01-02\n---\n" + "\n".join(parts)


def web_page() -> str:
    """Returns HTML with headings, links inside the page, nested tables and lists, and elements without text."""
    parts = (
        f"<h{1 + n % 3} id='a{n}'>{n} Part</h{1 + n % 3}><p>See <a href='#a{n - 1}'>there</a>.<br>Next</p>"
        "<table><caption>T</caption><tr><th colspan=2 rowspan='2'>H</th><td>1</td></tr><tr><td><table><tr><td>x</td></tr></table>"
        "</td></tr></table><ul><li>one<ol start=3><li>two</ol></ul><pre>  kept\n</pre><details><summary>S</summary>d</details>"
        for n in range(1, 12)
    )
    head = "<head><meta charset=utf-8><title>T</title><style>.h{font-weight:bold}</style><script>no()</script></head>"
    return f"<!DOCTYPE html><html lang=en>{head}<body><nav>x</nav>{''.join(parts)}<footer>f</footer></body></html>"


def filing() -> str:
    """Returns HTML without heading tags: bold and centred paragraphs, a contents table, page breaks, `ix:` tags."""
    bold = '<div style="text-align:center;font-weight:700;font-size:12pt"><a name="i{0}"></a><span>Item {0}. Part</span></div>'
    rows = "".join(f'<tr><td><a href="#i{n}">Item {n}.</a></td><td>Part</td><td>{n + 2}</td></tr>' for n in range(1, 8))
    parts = "".join(
        f'{bold.format(n)}<div style="margin-left:2em"><ix:nonFraction name="x">12</ix:nonFraction> boats.</div>'
        f'<div style="display:none">gone</div><p>{n}</p><hr style="page-break-after:always">'
        for n in range(1, 8)
    )
    return f"<html xmlns:ix='http://www.xbrl.org/2013/inlineXBRL'><body><table>{rows}</table>{parts}</body></html>"


def message() -> str:
    """Returns a mail with an HTML and a plain part, an attachment, folded and encoded header fields, and a quoted answer."""
    return (
        "From: =?utf-8?q?J=C3=B6rg?= <j@b.example>\nTo: a@b.example\nSubject: Quay\n dues\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n"
        'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="x"\n\n--x\n'
        'Content-Type: multipart/alternative; boundary="y"\n\n--y\nContent-Type: text/plain; charset=iso-8859-1\n'
        "Content-Transfer-Encoding: quoted-printable\n\nHello, gr=FC=DFe.\n\nOn Monday a wrote:\n> 1. Moor\n> > From: c\n"
        "--y\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\nPGgxPkhlbGxvPC9oMT4=\n--y--\n"
        "--x\nContent-Type: application/pdf; name=\"a.pdf\"\nContent-Disposition: attachment; filename*=utf-8''a%20b.pdf\n\n%PDF\n--x--\n"
    )


def book() -> bytes:
    """Returns an e-book of two pages with the outlines of EPUB 2 and 3."""
    container = (
        '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OPS/c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Book</dc:title><dc:creator>A</dc:creator></metadata><manifest>'
        '<item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '<item id="t" href="t.ncx" media-type="application/x-dtbncx+xml"/>'
        '<item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="b" href="text/b.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine toc="t"><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    page_of = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
    nav = (
        '<nav xmlns:epub="http://www.idpf.org/2007/ops" epub:type="toc"><ol><li><a href="text/a.xhtml#x">X</a><ol><li>'
        '<a href="text/b.xhtml">Y</a></li></ol></li></ol></nav>'
    )
    points = '<navPoint id="p"><navLabel><text>X</text></navLabel><content src="text/a.xhtml#x"/></navPoint>' * 2
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OPS/c.opf": package,
            "OPS/n.xhtml": page_of.format(nav),
            "OPS/t.ncx": f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap></ncx>',
            "OPS/text/a.xhtml": page_of.format("<h1 id='x'>X</h1><p>Some words; see <a href='b.xhtml#y'>Y</a>.</p>"),
            "OPS/text/b.xhtml": page_of.format("<h2 id='y'>Y</h2><table><tr><td>1</td></tr></table><p>More words.</p>"),
        }
    )


def letter() -> bytes:
    """Returns a Word file with styles, numbers, notes, a table in a table, changes, a box, fields, bookmarks and links."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/><w:basedOn w:val="Heading{n - 1 or 3}"/>'
        f'<w:pPr><w:outlineLvl w:val="{n - 1}"/><w:numPr><w:ilvl w:val="{n - 1}"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        for n in (1, 2, 3)
    )
    levels = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{shape}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for n, (shape, text) in enumerate((("decimal", "%1."), ("upperRoman", "%1.%2"), ("lowerLetter", "(%3)")))
    )
    numbering = f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="Heading{1 + n % 3}"/></w:pPr><w:bookmarkStart w:id="{n}" w:name="b{n}"/><w:r><w:t>Part</w:t>'
        f'</w:r><w:bookmarkEnd w:id="{n}"/></w:p><w:p><w:r><w:t xml:space="preserve">See </w:t></w:r>'
        f'<w:hyperlink w:anchor="b{n - 1}"><w:r><w:t>there</w:t></w:r></w:hyperlink><w:r><w:tab/><w:br/><w:footnoteReference w:id="1"/>'
        '</w:r><w:ins w:id="9"><w:r><w:t>new</w:t></w:r></w:ins><w:del w:id="8"><w:r><w:delText>old</w:delText></w:r></w:del>'
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/>'
        "</w:r><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p>"
        '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/><w:vMerge/></w:tcPr><w:p><w:r><w:t>cell</w:t></w:r></w:p><w:tbl><w:tr>'
        "<w:tc><w:p><w:r><w:t>in</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>"
        for n in range(1, 7)
    )
    part = f'<w:{{0}} xmlns:w="{WORD}">{{1}}</w:{{0}}>'
    notes = '<w:footnote w:id="1"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote>'
    return archive(
        {
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": part.format("document", f"<w:body>{body}</w:body>"),
            "word/styles.xml": part.format("styles", styles),
            "word/numbering.xml": part.format("numbering", numbering),
            "word/footnotes.xml": part.format("footnotes", notes),
        }
    )


def archive(members: dict[str, str]) -> bytes:
    """Returns a ZIP file of some texts."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in members.items():
            packed.writestr(name, text, zipfile.ZIP_STORED if name == "mimetype" else None)
    return made.getvalue()
