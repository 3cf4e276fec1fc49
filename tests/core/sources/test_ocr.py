"""Scanned pages are recognised one by one, read by an engine, and become lines like those of a text layer."""

from __future__ import annotations

import sqlite3

import pytest

from made_scans import Knowing, bound, page_scans, typeset
from thumbindex import Library, build_tree
from thumbindex.citations import ReadDocument, check_answer
from thumbindex.errors import NoTextLayer, OcrFailed
from thumbindex.sources import read_source
from thumbindex.sources.ocr import Ocr, OcrProgress, RapidEngine, RecognitionCache, RecognizedLine
from thumbindex.sources.ocr.reading import _key

ARTICLE = [
    ("The copper road", "H", 20, 72, 720),
    ("1 Mines", "B", 14, 72, 680),
    ("The first mines lay where the river leaves the hills, and were dug by hand", "", 11, 72, 655),
    ("until the winter in which the pumps came. Nobody counted the miners then.", "", 11, 72, 641),
    ("A century later there were two thousand of them, and eleven inns.", "", 11, 72, 627),
    ("2 Smelters", "B", 14, 72, 590),
    ("Charcoal came down the valley on sledges. What it cost is known to the", "", 11, 72, 565),
    ("shilling, since the bishop taxed it, and his clerks wrote small and clearly.", "", 11, 72, 551),
]
WORDS = [words for words, *_ in ARTICLE]


def texts(document):
    return [line.text for line in document.lines]


def read(data, engine, **options):
    return read_source(data, name="a.pdf", isolation="none", ocr=Ocr(engine, **options))


@pytest.fixture(scope="module")
def article():
    return typeset(ARTICLE)


@pytest.fixture(scope="module")
def scan(article):
    return bound(*page_scans(article))


# Which pages


def test_only_pages_without_text_are_read(article):
    """In a mixed file, the engine gets the scanned page only."""
    engine = Knowing(article)
    document = read(bound(None, *page_scans(article), None), engine)
    assert len(engine.seen) == 1
    assert [page.ocr for page in document.pages] == [None, 0.98, None]
    assert [line.text for line in document.page_lines(document.pages[1])] == WORDS
    assert (
        texts(document)[0]
        == texts(document)[-1]
        == ("This page has a text layer of its own, and nobody needs to read it again.")
    )


def test_a_stamp_on_a_scan_is_not_a_text_layer(article):
    """A few characters over an image of the whole page are not the text of the page."""
    engine = Knowing(article)
    document = read(bound(*page_scans(article), stamp="Filed 03/11/2021, page 7 of 12"), engine)
    assert texts(document) == WORDS


def test_a_caption_is_kept_where_nothing_is_read(article):
    """A page with a photograph and a caption."""
    document = read(bound(*page_scans(article), stamp="The harbour in 1921"), lambda image: [])
    assert texts(document) == ["The harbour in 1921"]
    assert document.pages[0].ocr is None


@pytest.mark.parametrize(
    "garbage",
    [
        pytest.param("(cid:12)(cid:7)(cid:31) (cid:4)(cid:88) " * 10, id="numbers of glyphs"),
        pytest.param(
            "7KH FRSSHU URDG ZDV EXLOW LQ WKH ZLQWHU RI WKH JUHDW IURVW DQG QRERG\\ " * 5, id="shifted letters"
        ),
    ],
)
def test_a_page_with_a_garbled_text_layer_is_read(article, garbage):
    """Nobody searches for words of no language."""
    hidden = "\n".join(garbage[at : at + 70] for at in range(0, len(garbage), 70))
    assert texts(read(bound(*page_scans(article), hidden=hidden), Knowing(article))) == WORDS


def test_an_invisible_text_layer_is_used(article):
    """Another program has run OCR before: the engine is not called."""
    engine = Knowing(article)
    document = read(bound(*page_scans(article), hidden="\n".join(WORDS)), engine)
    assert engine.seen == []
    assert texts(document) == WORDS


# Lines


def test_headings_are_recovered_from_the_image(scan, article):
    """Sizes and weight are measured in the image: the tree is that of the text layer."""
    tree = build_tree(scan, name="a.pdf", isolation="none", ocr=Knowing(article))
    assert [(node.title, node.level) for node in tree.nodes] == [
        ("The copper road", 1),
        ("1 Mines", 2),
        ("2 Smelters", 2),
    ]
    truth = build_tree(article, name="a.pdf", isolation="none")
    assert [(node.title, node.level) for node in truth.nodes] == [(node.title, node.level) for node in tree.nodes]
    assert "Pages read by OCR: 1." in tree.notes
    assert tree.metadata["ocr_pages"] == "1"
    assert tree.metadata["ocr_confidence"] == 0.98


def test_measured_styles_are_those_of_the_document(scan, article):
    """The sizes of body, headings and title, and bold type by its stems."""
    lines = read(scan, Knowing(article)).lines
    assert {line.style for line in lines if not line.style.bold and len(line.text) > 40} == {lines[2].style}
    assert [line.style.size for line in lines[:3]] == pytest.approx([20, 14, 11], abs=1.0)
    assert [line.style.bold for line in lines] == [True, True, False, False, False, True, False, False]


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_sideways_page_is_turned(article, quarters):
    """The lines are those of the upright page, and their boxes are on the page as shown."""
    upright = read(bound(*page_scans(article)), Knowing(article))
    engine = Knowing(article)
    turned = read(bound(*page_scans(article, quarters=quarters)), engine)
    assert texts(turned) == WORDS
    (page,) = turned.pages
    assert page.turned == pytest.approx((360 - 90 * quarters) % 360, abs=0.3)
    assert turned.lines[1].box.left == pytest.approx(upright.lines[1].box.left, abs=2)
    shown = page.as_shown(turned.lines[0].box)
    wide, tall = page.width, page.height
    title = upright.lines[0].box
    expected = {
        1: (title.bottom, tall - title.right),
        2: (wide - title.right, tall - title.top),
        3: (wide - title.top, title.left),
    }[quarters]
    assert (shown.left, shown.bottom) == pytest.approx(expected, abs=6)


def test_a_page_is_tried_in_the_orientation_of_the_one_before(article):
    """All pages of a scanned book are usually turned alike: the second one is read once."""
    both = typeset(ARTICLE, ARTICLE)
    engine = Knowing(both)
    assert texts(read(bound(*page_scans(both, quarters=2)), engine)) == WORDS * 2
    assert len(engine.seen) == 3


@pytest.mark.parametrize("skew", [-1.2, 0.6])
def test_skew_is_measured_and_removed(article, skew):
    """Lines at one height stay at one height, though the boxes of the engine differ."""

    class Skewed(Knowing):
        def __call__(self, image, /):
            from math import cos, radians, sin

            sine, cosine = sin(radians(skew)), cos(radians(skew))
            turned = []
            for line in super().__call__(image):
                corners = tuple(
                    (
                        (x - image.width / 2) * cosine - (y - image.height / 2) * sine + image.width / 2,
                        (x - image.width / 2) * sine + (y - image.height / 2) * cosine + image.height / 2,
                    )
                    for x, y in line.corners
                )
                # The box around the line, as engines draw it: its sides are parallel to the image.
                (left, right), (top, bottom) = [(min(side), max(side)) for side in zip(*corners, strict=True)]
                turned.append(RecognizedLine.upright(line.text, left, top, right, bottom, line.confidence))
            return turned

    straight = read(bound(*page_scans(article)), Knowing(article))
    document = read(bound(*page_scans(article, skew=skew)), Skewed(article))
    assert texts(document) == WORDS
    assert document.pages[0].turned == pytest.approx(-skew, abs=0.1)
    for line, other in zip(document.lines, straight.lines, strict=True):
        assert line.box.bottom == pytest.approx(other.box.bottom, abs=1.0)
        assert line.style == pytest.approx(other.style) or abs(line.style.size - other.style.size) <= 0.5


def engine_of(*lines, tall=30):
    """Returns an engine that finds some texts (text, left, top), with characters half as wide as tall."""
    return lambda image: [
        RecognizedLine.upright(words, left, top, left + len(words) * tall / 2, top + tall) for words, left, top in lines
    ]


def test_cells_of_a_row_are_one_line(article):
    """As in a text layer; so are a number and its title, with the space that engines lose between them."""
    engine = engine_of(
        ("4,350", 700, 303), ("Term loan", 100, 300), ("9.1Handover of keys", 100, 200), ("5,100", 900, 298)
    )
    assert texts(read(bound(*page_scans(article)), engine)) == ["9.1 Handover of keys", "Term loan 4,350 5,100"]


def test_columns_are_read_one_after_the_other(article):
    """Two columns of running text, below a title over both and above a line over both."""
    left = [(f"left column, line number {n}", 100, 300 + 40 * n) for n in range(6)]
    right = [(f"right column, line number {n}", 700, 300 + 40 * n) for n in range(6)]
    title = ("A title that runs over both of the columns below", 250, 200)
    foot = ("A remark that runs over both of the columns above it", 240, 900)
    engine = engine_of(*(line for pair in zip(left, right, strict=True) for line in pair), foot, title)
    found = texts(read(bound(*page_scans(article)), engine))
    assert found == [title[0], *(words for words, *_ in left), *(words for words, *_ in right), foot[0]]


def test_lines_of_low_confidence_are_left_out(article):
    """A drawing mistaken for text is worse than nothing."""
    engine = lambda image: [  # noqa: E731
        RecognizedLine.upright("Words that are there", 100, 200, 400, 230, 0.95),
        RecognizedLine.upright("Tl~/x", 100, 500, 300, 560, 0.31),
    ]
    assert texts(read(bound(*page_scans(article)), engine)) == ["Words that are there"]


# The cache


def test_a_page_is_read_once(scan, article, tmp_path):
    """Results are cached by the pixels of the page and the name of the engine."""
    cache = RecognitionCache(tmp_path / "ocr.db")
    engine = Knowing(article)
    progresses: list[OcrProgress] = []
    first = read(scan, engine, cache=cache, on_page=progresses.append)
    assert read(scan, engine, cache=cache, on_page=progresses.append) == first
    assert [progress.known for progress in progresses] == [False, True]
    assert (progresses[0].page, progresses[0].done, progresses[0].total) == (1, 1, 1)
    assert len(engine.seen) == 1
    assert read(scan, other := Knowing(article, name="knowing 2"), cache=cache) == first
    assert len(other.seen) == 1


def test_results_of_an_engine_without_a_name_are_not_cached(scan, tmp_path):
    """Another engine's results could differ."""
    asked = []

    def engine(image):
        asked.append(image)
        return [RecognizedLine.upright("Words that are there", 100, 200, 400, 230)]

    cache = RecognitionCache(tmp_path / "ocr.db")
    for _ in range(2):
        read(scan, engine, cache=cache)
    assert len(asked) == 2


@pytest.mark.parametrize("broken", ["no database", "another table", "a folder"])
def test_a_broken_cache_costs_only_time(scan, article, tmp_path, broken):
    path = tmp_path / "ocr.db"
    if broken == "no database":
        path.write_bytes(b"scrap" * 100)
    elif broken == "another table":
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE recognized (page TEXT, lines TEXT)")
        key = _key(_first_image(scan, article), "knowing 1")
        with sqlite3.connect(path) as connection:
            connection.execute("INSERT INTO recognized VALUES (?, ?)", (key, '{"not": "lines"}'))
    else:
        path.mkdir()
    assert texts(read(scan, Knowing(article), cache=RecognitionCache(path))) == WORDS


def _first_image(scan, article):
    engine = Knowing(article)
    read(scan, engine)
    return engine.seen[0]


def test_a_library_caches_the_text_of_scanned_pages(tmp_path, scan, article):
    """A document that is removed and added again is not read again, nor in another process."""
    path = tmp_path / "scan.pdf"
    path.write_bytes(scan)
    engine = Knowing(article)
    with Library(tmp_path / "library.db", ocr=engine) as library:
        info = library.add(path)
        library.remove(info.doc_id)
        library.add(path)
        assert len(engine.seen) == 1
        found = library.retrieve("Who taxed the charcoal?").evidence[0]
        assert "the bishop taxed it" in found.text
        assert found.is_ocr
        assert found.flat_metadata()["ocr_pages"] == "1"


# What is progresses


def test_health_and_citations_report_text_read_by_ocr(scan, article):
    """A misread figure is more likely there."""
    library = Library(isolation="none", ocr=Knowing(article))
    info = library.add(scan, name="a.pdf")
    assert [finding.text for finding in library.check("a.pdf").findings if finding.kind == "read_by_ocr"] == [
        "pages 1 were read by OCR"
    ]
    tree = library.tree("a.pdf")
    source = ReadDocument(info.doc_id, "a.pdf", tree, (tree.nodes[0].span,))
    (citation,), _ = check_answer("It says “there were two thousand of them” [a.pdf, p. 1].", [source])
    assert citation.status == "verified"
    assert citation.note == "Page 1 was read by OCR, sure of its letters to 98%."


def test_without_an_engine_a_scan_is_an_error_that_names_the_extra(scan, monkeypatch):
    """Nothing at all can be read."""
    monkeypatch.setattr(RapidEngine, "is_installed", staticmethod(lambda: False))
    with pytest.raises(NoTextLayer, match=r"none of its 1 pages has a text layer.*pip install 'thumbindex\[ocr\]'"):
        read_source(scan, name="a.pdf", isolation="none")


def test_without_an_engine_the_other_pages_are_indexed_and_the_scanned_ones_reported(article, monkeypatch):
    monkeypatch.setattr(RapidEngine, "is_installed", staticmethod(lambda: False))
    tree = build_tree(bound(None, *page_scans(article)), name="a.pdf", isolation="none")
    assert tree.pages_without_text == (2,)
    (note,) = (note for note in tree.notes if "Scanned" in note)
    assert note.startswith("Scanned pages that were not read: 2.")
    assert "thumbindex[ocr]" in note


def test_ocr_can_be_turned_off(scan):
    """The message says how to turn it on again."""
    with pytest.raises(NoTextLayer, match="Leave ocr='off' out"):
        read_source(scan, name="a.pdf", isolation="none", ocr="off")


def test_a_scan_in_which_nothing_is_found_is_an_error(scan):
    with pytest.raises(NoTextLayer, match="OCR found no text in them"):
        read(scan, lambda image: [])


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        pytest.param(lambda image: 1 / 0, r"failed on page 1 \(ZeroDivisionError", id="it raises"),
        pytest.param(lambda image: ["words"], "returns a sequence of RecognizedLine", id="it returns something else"),
    ],
)
def test_an_engine_that_fails_is_an_error_of_the_file(scan, engine, message):
    """Other files are still added."""
    with pytest.raises(OcrFailed, match=message):
        read(scan, engine)


# The engine of the extra


@pytest.fixture(scope="module")
def small():
    """A quarter of a page, which takes the engine a second."""
    return typeset([(words, font, size, x - 40, y) for words, font, size, x, y in ARTICLE[:5]])


@pytest.mark.parametrize("quarters", [pytest.param(0, id="upright"), pytest.param(2, id="upside down")])
def test_the_engine_of_the_extra_reads_a_scan(small, quarters):
    """Every word, in any orientation, without downloads."""
    image = page_scans(small, skew=0.4)[0].crop((0, 80, 1000, 420)).rotate(-90 * quarters, expand=True)
    document = read_source(bound(image), name="a.pdf", isolation="none")
    assert texts(document) == WORDS[:5]
    (page,) = document.pages or ()
    assert page.turned == pytest.approx(-0.4 + 90 * quarters, abs=0.2)
    assert page.ocr is not None
    assert page.ocr > 0.9
    assert [line.style is not None and line.style.bold for line in document.lines] == [True, True, False, False, False]
