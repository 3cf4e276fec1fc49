"""A generated PDF of any number of pages, to measure what no collected file shows: the same book with two pages changed."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

WORDS = """account balance bearing bridge canal capital carbon ceiling clearing coal coast contract copper crane current
customs debt delivery depot draught drainage dredging engine estimate export ferry filter freight fuel gauge grain harbour
hazard hull import index inspection interest invoice iron keel labour ladder lantern lease ledger levy lighthouse liquidity
loan lock margin market method mineral mooring motor notice outlook output pension pilot pipeline port pressure price pump
quarter quay quota railway rate repair reserve revenue risk river route safety salt season sediment shipment signal sluice
standard station steel storage supply survey tariff tax tide timber tonnage towing track traffic turbine valley value vessel
voltage wage warehouse warranty water weather weir wharf wind winter yard yield"""


def make_book(pages: int, *, seed: int = 1, changed: Sequence[int] = (), longer: Sequence[int] = ()) -> bytes:
    """A book of numbered chapters and sections, with a contents page and a running foot.

    Args:
        pages: Pages of the body; a contents page for each 40 chapters comes before them.
        changed: Body pages, from 1, on which one paragraph reads otherwise.
        longer: Body pages before which a page is put in, so that all the pages behind move by one.
    """
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    chapters = [(number, first) for number, first in enumerate(range(1, pages + 1, 20), 1)]
    titles = [_title(random.Random(f"{seed} {number}")) for number, _ in chapters]
    moved = [first + sum(page <= first for page in longer) for _, first in chapters]
    for start in range(0, len(chapters), 40):
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(72, 780, "Contents")
        canvas.setFont("Helvetica", 11)
        for row, (number, _) in enumerate(chapters[start : start + 40]):
            y = 750 - 17 * row
            canvas.drawString(72, y, f"{number}  {titles[number - 1]}")
            canvas.drawRightString(520, y, str(moved[number - 1]))
        canvas.showPage()
    printed = 0
    for page in range(1, pages + 1):
        if page in longer:
            printed += 1
            _body(canvas, printed, random.Random(f"{seed} new {page}"), None, None)
        printed += 1
        chapter, first = chapters[(page - 1) // 20]
        heading = f"{chapter}  {titles[chapter - 1]}" if page == first else None
        chance = random.Random(f"{seed} {page}")
        section = f"{chapter}.{page - first + 1}  {_title(chance)}"
        _body(canvas, printed, chance, heading, section, other=page in changed)
    canvas.save()
    return buffer.getvalue()


def _title(chance: random.Random) -> str:
    return " ".join(chance.sample(WORDS.split(), 3)).capitalize()


def _body(
    canvas: Canvas, printed: int, chance: random.Random, chapter: str | None, section: str | None, other: bool = False
) -> None:
    y = 780.0
    for title, size in ((chapter, 18), (section, 13)):
        if title is not None:
            canvas.setFont("Helvetica-Bold", size)
            canvas.drawString(72, y, title)
            y -= 2 * size
    canvas.setFont("Times-Roman", 11)
    for paragraph in range(5):
        words = chance.choices(WORDS.split(), k=75)
        if other and paragraph == 2:
            words = [word.upper() for word in reversed(words)]
        text = (" ".join(words)).capitalize() + "."
        while text:
            line, text = text[:80].rpartition(" ")[0] if len(text) > 80 else text, text
            text = text[len(line) :].lstrip()
            canvas.drawString(72, y, line)
            y -= 14
        y -= 8
    canvas.setFont("Helvetica", 9)
    canvas.drawCentredString(297, 40, str(printed))
    canvas.showPage()
