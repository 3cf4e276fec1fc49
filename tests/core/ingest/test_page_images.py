"""Images of pages: rendered from the very file that was read, with evidence marked."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from PIL import Image

from made_scans import Knowing, bound, page_scans, typeset
from thumbindex import AsyncLibrary, Library
from thumbindex.errors import PageImageUnavailable, PageOutOfRange, SourceLimit
from thumbindex.pages import Box, Page
from thumbindex.sources.image import PageImage

FIRST = [
    ("1 Tolls", "B", 14, 72, 720),
    ("The toll at the ford is nine crowns for a cart.", "", 11, 72, 690),
    ("Riders pay three, and bishops nothing.", "", 11, 72, 676),
    ("2 Ferries", "B", 14, 72, 400),
    ("The ferry runs from April to the first ice.", "", 11, 72, 370),
]
SECOND = [("3 Bridges", "B", 14, 72, 720), ("There is one bridge, of oak.", "", 11, 72, 690)]


@pytest.fixture
def report(tmp_path):
    path = tmp_path / "roads.pdf"
    path.write_bytes(typeset(FIRST, SECOND))
    return path


@pytest.fixture
def library(report):
    with Library(isolation="none") as made:
        made.add(report)
        yield made


def pixels(png):
    image = Image.open(io.BytesIO(png))
    image.load()
    return image


def is_marked(image, x, y):
    """Returns whether the paper near a point (pixels are points, from the bottom left) has the colour of a marker pen."""
    near = (image.getpixel((x + step, image.height - y)) for step in range(-20, 20))
    return any(red > 200 and green > 150 and blue < 180 for red, green, blue in near)


def test_a_page_becomes_a_png_of_the_size_asked_for(library):
    """In pixels per inch; by default, a letter page has 1,020 by 1,320 pixels."""
    image = pixels(library.page_image("roads.pdf", 1, dpi=72))
    assert (image.format, image.mode, image.size) == ("PNG", "RGB", (612, 792))
    assert image.info["dpi"] == pytest.approx((72, 72), abs=0.1)
    assert pixels(library.page_image("roads.pdf", 2)).size == (1020, 1320)


def test_evidence_is_marked_where_it_stands(library):
    """The section on the ferry, and nothing else."""
    (ferry,) = [
        evidence for evidence in library.retrieve("When does the ferry run?").evidence if "ice" in evidence.text
    ]
    image = pixels(library.page_image("roads.pdf", 1, dpi=72, evidence=ferry))
    assert is_marked(image, 200, 368)
    assert not is_marked(image, 200, 688)
    assert not is_marked(pixels(library.page_image("roads.pdf", 1, dpi=72)), 200, 368)
    plain = pixels(library.page_image("roads.pdf", 2, dpi=72, evidence=[ferry]))
    assert plain.getcolors(1 << 20) == pixels(library.page_image("roads.pdf", 2, dpi=72)).getcolors(1 << 20)


async def test_the_async_variant_gives_the_same(library):
    assert await AsyncLibrary(library).page_image("roads.pdf", 1, dpi=40) == library.page_image("roads.pdf", 1, dpi=40)


def test_a_process_of_its_own_renders_the_same_image(report):
    with Library() as apart, Library(isolation="none") as here:
        for library in (apart, here):
            library.add(report)
        assert apart.page_image("roads.pdf", 1, dpi=50) == here.page_image("roads.pdf", 1, dpi=50)


def test_a_file_that_changed_or_is_gone_gives_one_error(library, report):
    """An image of other pages than those that were read would mislead."""
    data = report.read_bytes()
    report.write_bytes(data + b"\n")
    with pytest.raises(PageImageUnavailable, match=r"roads\.pdf: its pages cannot be rendered: .* has changed"):
        library.page_image("roads.pdf", 1)
    report.unlink()
    with pytest.raises(PageImageUnavailable, match="is gone or cannot be read"):
        library.page_image("roads.pdf", 1)
    report.write_bytes(data)
    assert library.page_image("roads.pdf", 1)


def test_documents_without_a_file_or_without_pages_cannot_be_rendered(library, report):
    """Bytes are not stored, and formats without pages have no images of them."""
    library.add(report.read_bytes() + b"\n", name="bytes.pdf")
    library.add(b"# Notes\n\nNothing.", name="notes.md")
    with pytest.raises(PageImageUnavailable, match="it was not added from a file"):
        library.page_image("bytes.pdf", 1)
    with pytest.raises(PageImageUnavailable, match="it is not a PDF, but markdown"):
        library.page_image("notes.md", 1)


def test_a_page_that_does_not_exist_is_named(library):
    with pytest.raises(PageOutOfRange, match="Page 3 does not exist: pages are numbered 1 to 2"):
        library.page_image("roads.pdf", 3)


def test_an_image_that_is_too_large_is_refused(library):
    """The message says which resolution would do."""
    with pytest.raises(SourceLimit, match=r"page 1 at 1200 dpi has more than 25 million pixels\. Ask for at most 517"):
        library.page_image("roads.pdf", 1, dpi=1200)
    with pytest.raises(ValueError, match="dpi must be above zero"):
        library.page_image("roads.pdf", 1, dpi=0)


def test_evidence_of_another_document_cannot_be_marked(library):
    (other,) = library.retrieve("bridge of oak", k=1).evidence
    with pytest.raises(ValueError, match="cannot be marked"):
        library.page_image("roads.pdf", 1, evidence=replace(other, doc_id="someone-else"))


# Boxes


def test_evidence_has_the_boxes_of_its_blocks_of_text(library):
    """A heading stands apart from its paragraph, whose lines are one block; points from the bottom left."""
    (tolls,) = [
        evidence for evidence in library.retrieve("What is the toll for a cart?").evidence if "cart" in evidence.text
    ]
    (heading_page, heading), (page, paragraph) = tolls.boxes
    assert (heading_page, page) == (1, 1)
    assert heading.bottom < 720 < heading.top < 735
    assert paragraph.bottom < 676
    assert paragraph.top > 690
    assert paragraph.left == pytest.approx(72, abs=1)
    assert [passage.boxes for passage in library.passages("roads.pdf", tolls.lines)] == [tolls.boxes]


def test_boxes_survive_the_store_and_need_no_file(report, tmp_path):
    """A question touches no PDF: the file may be gone."""
    with Library(tmp_path / "library.db", isolation="none") as library:
        library.add(report)
    report.unlink()
    with Library(tmp_path / "library.db") as library:
        (bridge,) = [evidence for evidence in library.retrieve("oak bridge").evidence if "oak" in evidence.text]
        assert [page for page, _ in bridge.boxes] == [2, 2]


def test_formats_without_pages_have_no_boxes():
    with Library() as library:
        library.add(b"# Notes\n\nThe toll is nine crowns.", name="notes.md")
        assert library.retrieve("toll").evidence[0].boxes == ()


def test_what_ocr_read_is_marked_on_the_skewed_page(tmp_path):
    """Boxes lead back from the straightened text to the page as it is shown."""
    source = typeset(FIRST)
    path = tmp_path / "scan.pdf"
    path.write_bytes(bound(*page_scans(source, quarters=2)))
    with Library(isolation="none", ocr=Knowing(source)) as library:
        library.add(path)
        (ferry,) = [
            evidence for evidence in library.retrieve("When does the ferry run?").evidence if "ice" in evidence.text
        ]
        image = pixels(library.page_image("scan.pdf", 1, dpi=72, evidence=ferry))
    assert is_marked(image, 612 - 200, 792 - 368)
    assert not is_marked(image, 612 - 200, 792 - 688)


@pytest.mark.parametrize(
    ("turned", "expected"),
    [
        (0.0, Box(10, 20, 110, 40)),
        (90.0, Box(160, 10, 180, 110)),
        (180.0, Box(90, 260, 190, 280)),
        (270.0, Box(20, 190, 40, 290)),
    ],
)
def test_a_box_leads_back_to_the_page_as_shown(turned, expected):
    """Text that runs up the page is turned by 90 degrees: its left is the page's bottom."""
    page = Page(1, width=200, height=300, turned=turned)
    shown = page.as_shown(Box(10, 20, 110, 40))
    for side in ("left", "bottom", "right", "top"):
        assert getattr(shown, side) == pytest.approx(getattr(expected, side))


# Images


def test_a_png_has_the_pixels_of_the_image():
    """In grey and in colours."""
    grey = PageImage(3, 2, 72, bytes(range(6)))
    assert pixels(grey.png()).tobytes() == bytes(range(6))
    colours = PageImage(1, 2, 72, b"\x01\x02\x03\xff\x00\x7f")
    assert pixels(colours.png()).tobytes() == b"\x01\x02\x03\xff\x00\x7f"


def test_marks_stay_inside_the_image():
    """A box over the edge is cut, one outside it is none."""
    paper = PageImage(40, 40, 72, b"\xff" * 4800)
    marked = paper.marked([Box(-50, -50, 20, 20), Box(500, 500, 600, 600)])
    image = pixels(marked.png())
    assert is_marked(image, 20, 10)
    assert image.getpixel((35, 5)) == (255, 255, 255)


def test_pixels_must_match_the_size_of_the_image():
    with pytest.raises(ValueError, match="not an image of 2 by 2"):
        PageImage(2, 2, 72, b"123")
