"""Reading PDF: text lines with position and style, pages with labels, bookmarks, links, and named errors."""

from __future__ import annotations

import contextlib
import io

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from thumbindex import build_tree
from thumbindex.errors import DamagedSource, EmptySource, NoPages, NoTextLayer, PasswordNeeded
from thumbindex.outline import MAX_LEVEL
from thumbindex.pages import Bookmark, Box, LineRange, LinkAnnotation, Page
from thumbindex.sources import read_source
from thumbindex.sources.pdf import read_pdf

FONTS = {
    "": "Helvetica",
    "B": "Helvetica-Bold",
    "I": "Helvetica-Oblique",
    "BI": "Helvetica-BoldOblique",
    "T": "Times-Roman",
}


HELVETICA = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def pdf(*draw, size=(612, 792), **options):
    """Returns the bytes of a PDF with one page for each function, which draws on the canvas."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=size, invariant=1, **options)
    for page in draw:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def text(*lines):
    """Returns a page with lines of (text, letters of the font, size, x, y)."""

    def draw(canvas):
        for words, letters, size, x, y in lines:
            canvas.setFont(FONTS[letters], size)
            canvas.drawString(x, y, words)

    return draw


def image_page(canvas):
    canvas.rect(100, 100, 300, 300, fill=1)


def blank(canvas):
    """Draws nothing."""


def raw_pdf(*objects):
    """Returns a PDF of hand-written objects, numbered from 1; the first is the catalogue."""
    body, places = b"%PDF-1.7\n", []
    for number, item in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, item.encode("latin-1") if isinstance(item, str) else item)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer <</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(body))
    return body + head + table + tail


def stream(data):
    data = data.encode("latin-1")
    return b"<</Length %d>>\nstream\n%b\nendstream" % (len(data), data)


def read(data, name="a.pdf", password=None):
    return read_pdf(data, name, password)


def words(document):
    return [line.text for line in document.lines]


# Lines


def test_a_line_has_its_style_and_its_box():
    """Size, weight and slant come from the font; the box is in points from the bottom left and contains the baseline."""
    document = read(pdf(text(("Scope", "B", 18, 72, 700), ("A note", "I", 9, 100, 650))))
    heading, note = document.lines
    assert (heading.text, heading.style.size, heading.style.bold, heading.style.italic) == ("Scope", 18, True, False)
    assert (note.text, note.style.size, note.style.bold, note.style.italic) == ("A note", 9, False, True)
    width = pdfmetrics.stringWidth("Scope", "Helvetica-Bold", 18)
    assert heading.box.left == pytest.approx(72, abs=2)
    assert heading.box.right == pytest.approx(72 + width, abs=2)
    assert heading.box.bottom < 700 < heading.box.top < 720
    assert heading.start == heading.end == heading.style


def test_a_line_has_the_styles_of_its_start_and_end():
    """Its own style is that of most of it."""

    def page(canvas):
        line = canvas.beginText(72, 700)
        line.setFont("Helvetica-Bold", 10)
        line.textOut("Price. ")
        line.setFont("Helvetica", 10)
        line.textOut("The price is named in crowns and holds for a year.")
        canvas.drawText(line)

    (line,) = read(pdf(page)).lines
    assert line.text == "Price. The price is named in crowns and holds for a year."
    assert (line.start.bold, line.style.bold, line.end.bold) == (True, False, False)


def test_size_includes_the_scale_of_the_text_matrix():
    """A font of one point drawn twelve times as large is twelve points."""

    def page(canvas):
        canvas.scale(12, 12)
        canvas.setFont("Helvetica", 1)
        canvas.drawString(6, 50, "Scaled")

    (line,) = read(pdf(page)).lines
    assert (line.style.size, line.box.left) == (12.0, pytest.approx(72, abs=2))


def test_pieces_of_text_on_one_baseline_are_one_line():
    """The number and the title of a heading, drawn separately; a row of a table too."""
    lines = [
        ("2.1", "B", 12, 72, 700),
        ("Screens", "B", 12, 95, 700),
        ("Coal", "", 10, 72, 600),
        ("17", "", 10, 300, 600),
    ]
    assert words(read(pdf(text(*lines)))) == ["2.1 Screens", "Coal 17"]


def test_two_columns_are_read_one_after_the_other():
    """In the order of the file, which draws a column before it starts the next."""
    left = [(f"left {n} of the text", "", 10, 72, 700 - 12 * n) for n in range(20)]
    right = [(f"right {n} of the text", "", 10, 320, 700 - 12 * n) for n in range(20)]
    assert words(read(pdf(text(*left, *right)))) == [line[0] for line in left + right]


def test_a_turned_table_below_a_header_keeps_its_rows():
    """The header is upright, the table runs up the page: neither splits the other."""

    def page(canvas):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(51, 577, "Markets and harvests")
        canvas.rotate(90)
        rows = ["Table 3 Tariffs by year", "Cheese 50 12", "Butter 45 10", "Flour 91 65"]
        for place, row in enumerate(rows):
            canvas.drawString(65, -60 - 11 * place, row)

    assert words(read(pdf(page, size=(436, 612)))) == [
        "Markets and harvests",
        "Table 3 Tariffs by year",
        "Cheese 50 12",
        "Butter 45 10",
        "Flour 91 65",
    ]


def test_a_heading_after_the_last_words_of_a_paragraph_is_a_line_of_its_own():
    """Pieces that are neighbours in the file and on different lines of the page are never one line."""
    lines = [("and so it ends.", "", 10, 72, 700), ("Costs", "B", 12, 140, 672), ("They rose.", "", 10, 72, 650)]
    assert words(read(pdf(text(*lines)))) == ["and so it ends.", "Costs", "They rose."]


UPRIGHT = {0: (0, 0), 90: (612, 0), 180: (612, 792), 270: (0, 792)}
"""Where the lower left corner goes when what is drawn on a page of 612 by 792 points is turned counter-clockwise."""


def turned(angle, rotation):
    """Returns a page of five lines that are turned by `angle`, on paper of 612 by 792 points shown turned by `rotation`."""

    def page(canvas):
        if rotation:
            canvas.setPageRotation(rotation)
        canvas.translate(*UPRIGHT[angle])
        canvas.rotate(angle)
        body = [(f"line {n} of the text", "", 10, 100, 480 - 12 * n) for n in range(4)]
        text(("Heading", "B", 14, 100, 500), *body)(canvas)

    # Reportlab takes the size as shown.
    return read(pdf(page, size=(792, 612) if rotation % 180 else (612, 792)))


@pytest.mark.parametrize(
    ("angle", "rotation"),
    [
        pytest.param(0, 0, id="upright"),
        pytest.param(90, 90, id="shown turned by 90 degrees"),
        pytest.param(180, 180, id="shown turned by 180 degrees"),
        pytest.param(270, 270, id="shown turned by 270 degrees"),
        pytest.param(90, 0, id="set upwards on an upright page"),
        pytest.param(180, 0, id="set upside down on an upright page"),
        pytest.param(270, 0, id="set downwards on an upright page"),
    ],
)
def test_turned_text_reads_like_any_other(angle, rotation):
    """Order, style and position are those for a reader who turns the page until the text is upright."""
    document = turned(angle, rotation)
    heading, *body = document.lines
    assert words(document) == ["Heading", *(f"line {n} of the text" for n in range(4))]
    assert (heading.style.size, heading.style.bold, body[0].style.size) == (14, True, 10)
    assert [line.box.left for line in document.lines] == pytest.approx([100] * 5, abs=2)
    baselines = [line.box.bottom + 0.22 * line.style.size for line in document.lines]
    assert baselines == pytest.approx([500, 480, 468, 456, 444], abs=0.5)
    width = pdfmetrics.stringWidth("Heading", "Helvetica-Bold", 14)
    assert heading.box.right - heading.box.left == pytest.approx(width, abs=3)
    size = document.pages[0].width, document.pages[0].height
    assert size == ((792, 612) if rotation % 180 else (612, 792))


def one_page(content, *more, catalogue="", font=HELVETICA):
    """Returns one page with a content stream as objects 1 to 5; `more` are objects 6, 7, ..."""
    return raw_pdf(
        f"<</Type/Catalog/Pages 2 0 R{catalogue}>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        stream(content),
        font,
        *more,
    )


@pytest.mark.parametrize("box", ["/MediaBox[100 200 712 992]", "/MediaBox[0 0 900 999]/CropBox[100 200 712 992]"])
def test_positions_count_from_the_corner_of_the_page_as_shown(box):
    """Lines, links and the targets of bookmarks agree, wherever the page's own coordinates start."""
    data = raw_pdf(
        "<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R{box}/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[8 0 R]>>",
        stream("BT /F1 12 Tf 172 900 Td (Corner) Tj ET"),
        HELVETICA,
        "<</Type/Outlines/First 7 0 R/Last 7 0 R>>",
        "<</Title(Corner)/Parent 6 0 R/Dest[3 0 R/XYZ 0 915 0]>>",
        "<</Type/Annot/Subtype/Link/Rect[170 895 230 915]/Dest[3 0 R/XYZ 0 915 0]>>",
    )
    document = read(data)
    (line,) = document.lines
    assert (document.pages[0].width, document.pages[0].height) == (612, 792)
    assert line.box.left == pytest.approx(72, abs=2)
    assert line.box.bottom < 700 < line.box.top < 715
    assert document.bookmarks == (Bookmark("Corner", 1, 1, 715.0),)
    assert document.link_annotations == (LinkAnnotation(1, Box(70, 695, 130, 715), 1, 715.0),)


def test_text_has_no_invisible_characters():
    """Ligatures are split; control and invisible characters, such as soft hyphens, are removed."""
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def "
        "1 begincodespacerange <00> <ff> endcodespacerange 6 beginbfchar "
        "<01> <FB01> <02> <0018> <03> <200B> <04> <FB00> <05> <0065> <06> <00AD> endbfchar endcmap end end"
    )
    font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>"
    content = r"BT /F1 12 Tf 72 700 Td (\001\005ld o\004\002er wa\003ter mea\006sure) Tj ET"
    data = one_page(content, stream(cmap), font=font)
    (line,) = read(data).lines
    assert line.text == "field offer water measure"


def test_chinese_text_is_read():
    """Also without embedded fonts, which Asian PDFs leave to the viewer."""
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))

    def page(canvas):
        canvas.setFont("STSong-Light", 16)
        canvas.drawString(72, 700, "第一章 总则")
        canvas.setFont("STSong-Light", 10)
        canvas.drawString(72, 670, "为了加强水库管理，保障安全，制定本办法。")

    document = read(pdf(page))
    assert words(document) == ["第一章 总则", "为了加强水库管理，保障安全，制定本办法。"]
    assert [line.style.size for line in document.lines] == [16, 10]


# Pages


def test_pages_have_their_lines_and_their_labels():
    """Roman front matter, then Arabic numbers from 1; lines are numbered through the document."""

    def first(canvas):
        canvas.addPageLabel(0, style="ROMAN_LOWER")
        canvas.addPageLabel(2, style="ARABIC", start=1)
        text(("Cover", "", 12, 72, 700))(canvas)

    body = text(("one", "", 12, 72, 700), ("two", "", 12, 72, 680))
    document = read(pdf(first, blank, body, body))
    assert document.pages == (
        Page(1, LineRange(1, 1), "i", 612, 792),
        Page(2, None, "ii", 612, 792),
        Page(3, LineRange(2, 3), "1", 612, 792),
        Page(4, LineRange(4, 5), "2", 612, 792),
    )
    assert document.pages_without_text == (2,)


def test_a_file_that_declares_no_labels_has_none():
    """Physical numbers are not reported as printed ones."""
    document = read(pdf(text(("one", "", 12, 72, 700)), text(("two", "", 12, 72, 700))))
    assert [page.label for page in document.pages] == [None, None]


def test_metadata_of_the_file_is_read():
    """Title and author as the file has them."""

    def page(canvas):
        canvas.setTitle("The Copper Road")
        canvas.setAuthor("M. Cooper")
        text(("one", "", 12, 72, 700))(canvas)

    metadata = read(pdf(page)).metadata
    assert (metadata["title"], metadata["author"]) == ("The Copper Road", "M. Cooper")


def test_scanned_pages_in_a_file_with_text_are_reported_in_the_tree():
    """A reader must not think that the tree contains their text."""
    page = text(("Some text", "", 10, 72, 700))
    data = pdf(page, image_page, image_page, page, image_page, blank)
    tree = build_tree(data, name="a.pdf", isolation="none", ocr="off")
    assert tree.pages_without_text == (2, 3, 5, 6)
    assert any(note.startswith("Scanned pages that were not read: 2-3, 5. OCR reads them") for note in tree.notes)
    assert "Pages without text (blank or drawn): 6." in tree.notes


def test_blank_pages_belong_to_the_section_before_them():
    """A section ends where the next begins, and the blank back of its last page is its own."""

    def chapter(title):
        body = [
            (f"line {n} of {title} goes on for a while and then it ends", "", 10, 72, 660 - 12 * n) for n in range(9)
        ]
        return text((title, "B", 18, 72, 700), *body)

    tree = build_tree(
        pdf(blank, chapter("1 Wheat"), blank, chapter("2 Rye"), blank, blank), name="a.pdf", isolation="none"
    )
    assert [(node.title, str(node.pages)) for node in tree.nodes] == [("1 Wheat", "1-3"), ("2 Rye", "4-6")]


# Bookmarks and links


def outlined(*entries):
    """Returns pages and bookmarks from (title, level from 0, page)."""

    def page(number):
        def draw(canvas):
            for title, level, target in entries:
                if target == number:
                    canvas.bookmarkPage(title)
                    canvas.addOutlineEntry(title, title, level)
            text((f"page {number}", "", 10, 72, 700))(canvas)

        return draw

    return pdf(*[page(number + 1) for number in range(max(entry[2] for entry in entries))])


def test_bookmarks_come_in_order_with_levels_and_pages():
    """Levels and pages start at 1."""
    data = outlined(("Wheat", 0, 1), ("Sowing", 1, 1), ("Reaping", 1, 2), ("By hand", 2, 2), ("Rye", 0, 3))
    found = [(mark.title, mark.level, mark.page) for mark in read(data).bookmarks]
    assert found == [("Wheat", 1, 1), ("Sowing", 2, 1), ("Reaping", 2, 2), ("By hand", 3, 2), ("Rye", 1, 3)]


def with_outline(*items):
    """Returns one page, object 3, and outline items that are objects 7, 8, ... under the root, object 6."""
    root = f"<</Type/Outlines/First 7 0 R/Last {6 + len(items)} 0 R>>"
    return one_page("BT /F1 12 Tf 72 700 Td (Text) Tj ET", root, *items, catalogue="/Outlines 6 0 R")


def test_bookmarks_that_point_back_at_each_other_are_read_once():
    """A sibling that leads back, or a child that is its own ancestor, ends the reading and loses no other item."""
    data = with_outline(
        "<</Title(One)/Parent 6 0 R/Next 8 0 R/First 9 0 R/Dest[3 0 R/XYZ 0 600 0]>>",
        "<</Title(Two)/Parent 6 0 R/Next 7 0 R/Dest[3 0 R/Fit]>>",
        "<</Title(Child)/Parent 7 0 R/First 7 0 R/Next 9 0 R>>",
    )
    assert read(data).bookmarks == (
        Bookmark("One", 1, 1, 600.0),
        Bookmark("Child", 2, None),
        Bookmark("Two", 1, 1),
    )


def test_bookmarks_nested_by_the_hundred_have_the_deepest_level():
    """All of them are read; no level exceeds the limit."""
    depth = 300
    items = [f"<</Title(Item {n})/First {8 + n} 0 R/Dest[3 0 R/Fit]>>" for n in range(depth)]
    found = read(with_outline(*items)).bookmarks
    assert [mark.level for mark in found] == [min(n + 1, MAX_LEVEL) for n in range(depth)]


def test_bookmarks_to_pages_that_do_not_exist_have_no_page():
    """A broken target does not become page 1."""
    data = with_outline("<</Title(Lost)/Parent 6 0 R/Dest[99 0 R/Fit]>>")
    assert [(mark.title, mark.page) for mark in read(data).bookmarks] == [("Lost", None)]


def test_titles_of_bookmarks_are_cleaned():
    """Line endings, tabs and control characters are not part of a title; UTF-16 is read."""
    utf16 = "\ufeffГлава 1".encode("utf-16-be").hex()
    data = with_outline(
        r"<</Title(A\tlong\r\ntitle\000)/Parent 6 0 R/Next 8 0 R/Dest[3 0 R/Fit]>>",
        f"<</Title<{utf16}>/Parent 6 0 R/Dest[3 0 R/Fit]>>",
    )
    assert [mark.title for mark in read(data).bookmarks] == ["A long title", "Глава 1"]


def test_a_goto_action_is_a_destination():
    """An action that opens a web page is none."""
    data = with_outline(
        "<</Title(Here)/Parent 6 0 R/Next 8 0 R/A<</S/GoTo/D[3 0 R/Fit]>>>>",
        "<</Title(Elsewhere)/Parent 6 0 R/A<</S/URI/URI(https://example.org)>>>>",
    )
    assert read(data).bookmarks == (Bookmark("Here", 1, 1), Bookmark("Elsewhere", 1, None))


def test_links_inside_the_document_have_their_box_and_target():
    """Links to the outside are left out."""

    def first(canvas):
        text(("see page 2", "", 10, 72, 700))(canvas)
        canvas.linkAbsolute("", "second", Rect=(70, 698, 130, 710))
        canvas.linkURL("https://example.org", (70, 598, 130, 610))

    def second(canvas):
        canvas.bookmarkPage("second")
        text(("Here", "", 10, 72, 700))(canvas)

    (link,) = read(pdf(first, second)).link_annotations
    assert (link.page, link.target) == (1, 2)
    assert (link.box.left, link.box.bottom, link.box.right, link.box.top) == (70, 698, 130, 710)


# Files that cannot be read


def encrypted():
    return pdf(text(("Sealed", "B", 12, 72, 700)), encrypt=StandardEncryption("tide-4", canPrint=0))


@pytest.mark.parametrize(("password", "what"), [(None, "needs a password"), ("tide-5", "does not open")])
def test_an_encrypted_file_needs_its_password(password, what):
    """Errors for a missing password and a wrong one differ, and the remedy is named."""
    with pytest.raises(PasswordNeeded, match=f"sealed.pdf: .*{what}.*password="):
        read(encrypted(), "sealed.pdf", password)


def test_an_encrypted_file_opens_with_its_password():
    """And is read like any other."""
    assert words(read(encrypted(), "sealed.pdf", "tide-4")) == ["Sealed"]


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.7\n" + b"\x00\xff" * 500], ids=["header alone", "noise"])
def test_a_file_with_only_a_header_is_damaged(data):
    """The message says what to do about it."""
    with pytest.raises(DamagedSource, match=r"broken\.pdf: .*damaged"):
        read(data, "broken.pdf")


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_damaged_or_read_as_far_as_it_goes(share):
    """A broken download never gives an empty document, nor an error without a name."""
    page = text(*[(f"line {n} of the page", "", 10, 72, 700 - 12 * n) for n in range(40)])
    data = pdf(*[page] * 5)
    with contextlib.suppress(DamagedSource):
        assert read(data[: int(len(data) * share)], "cut.pdf").lines


def test_a_file_without_pages_is_an_error_of_its_own():
    """It is well-formed, but not a document, whatever was wrong with the file that was read before it."""
    data = raw_pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 0>>")
    for before in (encrypted(), b"%PDF-1.7\n"):
        with pytest.raises((PasswordNeeded, DamagedSource)):
            read(before, "before.pdf")
        with pytest.raises(NoPages, match=r"empty\.pdf: the PDF has no pages"):
            read(data, "empty.pdf")


def test_a_page_that_cannot_be_loaded_is_a_page_without_text():
    """The other pages are still read, under their own numbers."""
    data = raw_pdf(
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[99 0 R 3 0 R]/Count 2>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        stream("BT /F1 12 Tf 72 700 Td (Second) Tj ET"),
        HELVETICA,
    )
    document = read(data, "half.pdf")
    assert (words(document), document.pages_without_text) == (["Second"], (1,))
    assert document.pages[1].lines == LineRange(1, 1)


def test_images_of_pages_need_ocr():
    """The error says how many pages there are and what to run."""
    with pytest.raises(NoTextLayer, match=r"scan\.pdf: none of its 3 pages has a text layer.*ocr") as caught:
        read_source(pdf(image_page, image_page, image_page), name="scan.pdf", isolation="none", ocr="off")
    assert caught.value.page_count == 3


def test_blank_pages_alone_are_an_empty_source():
    """OCR would find nothing."""
    with pytest.raises(EmptySource, match=r"blank\.pdf: its 2 pages contain no text"):
        read(pdf(blank, blank), "blank.pdf")


def test_a_path_is_read_like_its_bytes(tmp_path):
    """The reader process gets paths, so that large files need not be copied."""
    data = pdf(text(("one", "", 12, 72, 700)))
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    assert read(path, "a.pdf") == read(data)
