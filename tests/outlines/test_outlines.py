"""Outlines from example files: the title says the claim, below it stand the pages, below the rule the outline.

    A line of the example            means
    page, or page iv                 a page begins; its label is iv
    18B | Scope                      a line in 18 points, bold; the letters are B bold, I italic, M monospaced, F another font
    10B/10 | Costs. They rose        a line that begins bold and goes on regular; 10/10/10B is one that ends bold
    10 | Costs                       in body type
    18B 300 | Scope                  with its left edge at 300 points instead of 72
    18B @700 | Scope                 with its baseline at 700 points instead of below the line before
    18B +20 | Scope                  with 20 points more white space above it
    10 480 ^ | 17                    on the baseline of the line before
    ~ 12, or ~ 12 310                twelve lines of running text, the same paragraph nowhere twice; its left edge at 310 points
    bookmark 2 5 | Scope             a bookmark of level 2 to page 5; "-" for no page
    bookmark 2 5 @300 | Scope        to a height on page 5

Below `----` stand the sections as the tree prints them: indented titles, two spaces, their pages. A first line "from ..."
says where the outline must come from, where that is part of the claim.
"""

from __future__ import annotations

import io
import itertools
import random
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from thumbindex.headings import find_outline
from thumbindex.pages import Bookmark, Box, Document, Line, LineRange, Page, Style
from thumbindex.sources.pdf import read_pdf
from thumbindex.tree import build

EXAMPLES = sorted(Path(__file__).parent.glob("*.txt"))
BODY = Style(10.0, "Times-Roman")
FONTS = {"M": "Courier", "F": "Optima"}
PROSE = (
    "river stone lantern measure quiet harbour winter letter garden copper meadow signal timber engine silver market "
    "orchard bridge candle thread barrel pasture anchor ribbon cellar mirror window saddle pepper blanket"
)
WORDS = PROSE.split()
TEXT_LINE = re.compile(r"(?P<styles>\S+)(?: (?P<left>\d+))?(?: (?P<move>[@+]\d+|\^))? \| (?P<text>.+)")
BOOKMARK = re.compile(r"bookmark (?P<level>\d+) (?P<page>\d+|-)(?: @(?P<top>\d+))? \| (?P<title>.+)")

pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))


def style(notation: str) -> Style:
    match = re.fullmatch(r"([\d.]+)([BIMF]*)", notation)
    assert match, f"not a style: {notation}"
    size, letters = match.groups()
    font = next((FONTS[letter] for letter in letters if letter in FONTS), BODY.font)
    return Style(float(size), font, "B" in letters, "I" in letters)


@dataclass
class Example:
    """A document that is put together line by line."""

    lines: list[Line] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    bookmarks: list[Bookmark] = field(default_factory=list)
    baseline: float = 0.0
    random: random.Random = field(default_factory=lambda: random.Random(7))

    def read(self, row: str) -> None:
        if match := BOOKMARK.fullmatch(row):
            page = None if match["page"] == "-" else int(match["page"])
            top = None if match["top"] is None else float(match["top"])
            self.bookmarks.append(Bookmark(match["title"], int(match["level"]), page, top))
        elif row.startswith("page"):
            self.pages.append(Page(len(self.pages) + 1, None, row[4:].strip() or None, 612.0, 792.0))
            self.baseline = 760.0
        elif row.startswith("~"):
            count, *left = map(int, row[1:].split())
            for text in self.prose(count, 36 if left else 80):
                self.write(text, [BODY], *left)
        else:
            match = TEXT_LINE.fullmatch(row)
            assert match, f"not in the notation: {row}"
            styles = [style(part) for part in match["styles"].split("/")]
            height = 1.2 * styles[0].size
            move = match["move"] or ""
            if move == "^":
                self.baseline += height
            elif move.startswith("@"):
                self.baseline = int(move[1:]) + height
            elif move:
                self.baseline -= int(move[1:])
            self.write(match["text"], styles, int(match["left"] or 72))

    def prose(self, count: int, width: int) -> list[str]:
        """A paragraph: full lines, the last one short."""
        lines = []
        for number in range(count):
            text = self.random.choice(WORDS).capitalize() if number == 0 else self.random.choice(WORDS)
            while len(text) < (width if number < count - 1 or count == 1 else width // 2):
                text += " " + self.random.choice(WORDS)
            lines.append(text + ("." if number == count - 1 else ""))
        return lines

    def write(self, text: str, styles: list[Style], left: float = 72) -> None:
        start, middle, end = styles[0], styles[-1] if len(styles) < 3 else styles[1], styles[-1]
        self.baseline -= 1.2 * start.size
        wide = sum(1.0 if char > "\u2e80" else 0.5 for char in text) * start.size
        box = Box(left, self.baseline - 0.22 * start.size, left + wide, self.baseline + 0.75 * start.size)
        self.lines.append(Line(text, box, middle, start, end))
        page = self.pages[-1]
        first = page.lines.first if page.lines else len(self.lines)
        self.pages[-1] = Page(page.number, LineRange(first, len(self.lines)), page.label, page.width, page.height)

    def document(self, name: str) -> Document:
        return Document(name, "pdf", tuple(self.lines), tuple(self.pages), tuple(self.bookmarks))


def cases():
    for path in EXAMPLES:
        yield pytest.param(path, id=path.stem)


def printed(document: Document) -> bytes:
    """The document as a PDF, set in the fonts that every viewer has; bookmarks aside."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792), invariant=1)
    for page in document.pages or ():
        for line in document.page_lines(page):
            assert line.box is not None
            assert line.start is not None
            assert line.end is not None
            words = line.text.split(" ")
            # A line in two styles changes after its first word or before its last three.
            cut = 1 if line.start != line.style else len(words) - 3 if line.end != line.style else 0
            text = canvas.beginText(line.box.left, line.box.bottom + 0.22 * line.start.size)
            opening = [*words[:cut], ""] if cut else []
            for part, set_in in ((opening, line.start), (words[cut:], line.end)):
                text.setFont(typeface(set_in, line.text), set_in.size)
                text.textOut(" ".join(part))
            canvas.drawText(text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def typeface(style: Style, text: str) -> str:
    if max(text) > "\u2e80":
        return "STSong-Light"
    family = {"Times-Roman": "Times", "Courier": "Courier", "Optima": "Helvetica"}[style.font]
    slant = "Italic" if family == "Times" else "Oblique"
    letters = "Bold" * style.bold + slant * style.italic or "Roman" * (family == "Times")
    return f"{family}-{letters}".rstrip("-")


@pytest.mark.parametrize("path", list(cases()))
@pytest.mark.parametrize("medium", ["lines", "pdf"])
def test_outline(path, medium):
    """The tree of the pages above the rule is the outline below it, of the lines as described and as read from a PDF."""
    head, expected = path.read_text(encoding="utf-8").split("\n----\n")
    title, *rows = head.splitlines()
    assert title.endswith("."), "the first line states the claim"
    example = Example()
    for row in filter(None, rows):
        example.read(row)
    document = example.document(path.stem)
    if medium == "pdf":
        if any("\u0400" <= char <= "\u04ff" for char in head):
            pytest.skip("no font that every viewer has holds Cyrillic letters")
        document = replace(read_pdf(printed(document), path.stem), bookmarks=document.bookmarks)
    tree = build(document, find_outline(document))
    shown = [line.replace("  p. ", "  ") for line in tree.render().splitlines()[1:]]
    wanted = [line.rstrip() for line in expected.splitlines() if line.strip()]
    origins = list(itertools.takewhile(lambda line: line.startswith("from "), wanted))
    assert shown == wanted[len(origins) :], title
    assert not origins or tree.origin in origins[0].split()[1:], title


def test_every_example_makes_a_claim_of_its_own():
    """One file a claim, and none of them said twice."""
    titles = [path.read_text(encoding="utf-8").splitlines()[0] for path in EXAMPLES]
    assert len(set(titles)) == len(titles) >= 25
