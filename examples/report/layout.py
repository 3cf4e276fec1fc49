"""From blocks to PDF, with every page number recorded while it is drawn.

Page numbers are known only after setting the report, and setting it needs them; so it is set again and again,
each time with the numbers of the time before, until they no longer change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from xml.sax.saxutils import escape

from reportlab.lib.colors import Color, black
from reportlab.lib.enums import TA_JUSTIFY, TA_LEFT, TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

from report.content import Report, plain
from report.markup import ANCHOR, Block, Grid, Heading, Prose, Row, page_references, resolve
from report.profile import Company, Style

RULE = Color(0.35, 0.35, 0.35)
FONTS = {
    "Times": ("Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"),
    "Helvetica": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique"),
}
CONTENTS = "Contents"
WHOLE_ROWS = 20
"""Tables of up to so many rows are not divided between pages."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A heading where it was drawn; the page is physical, 1-based."""

    key: str
    title: str
    level: int
    page: int


@dataclass(frozen=True, slots=True)
class PageReference:
    """A page number printed in running text, and the heading it promises to lead to."""

    page: int
    printed: str
    target: str


@dataclass(slots=True)
class Record:
    """What was drawn where, in one run."""

    headings: list[Placed] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    references: list[PageReference] = field(default_factory=list)
    front_pages: int = 0

    def printed(self, page: int) -> str:
        """Number at the foot of a page: roman in the front matter, then arabic from 1."""
        return roman(page) if page <= self.front_pages or not self.front_pages else str(page - self.front_pages)

    @property
    def pages(self) -> dict[str, str]:
        """Printed page of every heading."""
        return {heading.key: self.printed(heading.page) for heading in self.headings}


@dataclass(frozen=True, slots=True)
class Setting:
    """The finished PDF and the record of its last run."""

    pdf: bytes
    record: Record


def typeset(company: Company, report: Report) -> Setting:
    """Set the report until its page numbers agree with themselves."""
    before = Record()
    for _ in range(8):
        pdf, record = _Run(company, report, before).pdf()
        if record == before:
            return Setting(pdf, record)
        before = record
    raise RuntimeError("The page numbers of the report do not settle; reword a paragraph at the end of a page.")


def roman(number: int) -> str:
    """Lower-case roman numeral of 1 to 39."""
    return "x" * (number // 10) + ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")[number % 10]


# Classes of reportlab have no types, hence the ignored errors.
class _Text(Paragraph):  # type: ignore[misc]
    """A paragraph that breaks its lines once for each width; tables and kept groups ask several times."""

    _wrapped: tuple[float, tuple[float, float]] | None = None

    def wrap(self, availWidth: float, availHeight: float) -> tuple[float, float]:
        # `split` and a change of style drop the broken lines, `blPara`.
        if self._wrapped is None or self._wrapped[0] != availWidth or not hasattr(self, "blPara"):
            self._wrapped = availWidth, super().wrap(availWidth, availHeight)
        return self._wrapped[1]


class _Title(_Text):
    """A heading, recorded when it is drawn."""

    def __init__(self, heading: Heading, style: ParagraphStyle, record: Record) -> None:
        super().__init__(escape(heading.title).replace("  ", "&nbsp;&nbsp;"), style)
        self._heading, self._record = heading, record

    def draw(self) -> None:
        heading = self._heading
        page = self.canv.getPageNumber()
        self._record.headings.append(Placed(heading.key, plain(heading.title), heading.level, page))
        super().draw()


class _Whole(_Text):
    """A paragraph with anchors or page references; never divided, so that each of them has one page."""

    def __init__(
        self,
        markup: str,
        style: ParagraphStyle,
        record: Record,
        anchors: Sequence[str],
        references: Sequence[tuple[str, str]],
        bullet: str | None = None,
    ) -> None:
        super().__init__(markup, style, bulletText=bullet)
        self._record, self._anchors, self._references = record, anchors, references

    def draw(self) -> None:
        page = self.canv.getPageNumber()
        self._record.anchors.update(dict.fromkeys(self._anchors, page))
        self._record.references += [PageReference(page, printed, target) for printed, target in self._references]
        super().draw()

    def split(self, availWidth: float, availHeight: float) -> list[Flowable]:  # noqa: ARG002
        return []


class _ContentsLine(Flowable):  # type: ignore[misc]
    """A line of the printed contents: title, dots, page."""

    def __init__(self, title: str, printed: str, level: int, style: Style) -> None:
        super().__init__()
        self.title, self.printed, self.level, self.style = title, printed, level, style

    def wrap(self, availWidth: float, availHeight: float) -> tuple[float, float]:  # noqa: ARG002
        self.width = availWidth
        self.height = 14.5 if self.level == 2 else 21
        return self.width, self.height

    def draw(self) -> None:
        regular, bold, *_ = FONTS[self.style.body_font]
        font, size = (bold, 10.5) if self.level == 1 else (regular, 10)
        left = 0 if self.level == 1 else 14
        canvas = self.canv
        canvas.setFont(font, size)
        canvas.drawString(left, 3, self.title)
        canvas.drawRightString(self.width, 3, self.printed)
        room = self.width - 22 - left - stringWidth(self.title, font, size) - 6
        canvas.setFont(regular, 10)
        # Set from the right, so that the dots of all lines stand below one another.
        canvas.drawRightString(self.width - 22, 3, " ." * int(room / stringWidth(" .", regular, 10)))


class _Run:
    """One run through the report."""

    def __init__(self, company: Company, report: Report, before: Record) -> None:
        self.company, self.report, self.before = company, report, before
        self.style = company.style
        self.record = Record()
        self.chapter = ""
        self.width = A4[0] - 2 * self.style.margin_mm * mm

    def pdf(self) -> tuple[bytes, Record]:
        target = BytesIO()
        margin = self.style.margin_mm * mm
        document = BaseDocTemplate(
            target,
            pagesize=A4,
            leftMargin=margin,
            rightMargin=margin,
            title=f"{self.company.names['company']}: annual report {self.company.names['y0']}",
            author=self.company.names["company"],
            invariant=1,
        )
        frame = Frame(margin, 25 * mm, self.width, A4[1] - 52 * mm, 0, 0, 0, 0)
        document.addPageTemplates(
            [
                PageTemplate("cover", [frame], onPage=self._cover),
                PageTemplate("front", [frame], onPageEnd=self._front_page),
                PageTemplate("body", [frame], onPageEnd=self._body_page),
            ]
        )

        document.build(list(self._story()))
        return target.getvalue(), self.record

    # Pages

    def _cover(self, canvas: Canvas, _document: BaseDocTemplate) -> None:
        names = self.company.names
        regular, bold, italic, _ = FONTS[self.style.heading_font]
        left, height = self.style.margin_mm * mm, A4[1]
        canvas.setFont(bold, 27)
        canvas.drawString(left, height - 95 * mm, names["company"])
        canvas.setLineWidth(2)
        canvas.line(left, height - 101 * mm, A4[0] - left, height - 101 * mm)
        canvas.setFont(regular, 20)
        canvas.drawString(left, height - 114 * mm, f"Annual report {names['y0']}")
        canvas.setFont(italic, 13)
        canvas.drawString(left, height - 124 * mm, names["motto"])
        canvas.setFont(regular, 10)
        canvas.drawString(left, 42 * mm, f"Financial year ended {names['yearend']}")
        canvas.drawString(left, 37 * mm, f"{names['street']}, {names['hq']}, {names['home']}")
        canvas.drawString(left, 32 * mm, f"Listed in {names['exchange']} under the symbol {names['symbol']}")

    def _front_page(self, canvas: Canvas, _document: BaseDocTemplate) -> None:
        self._foot(canvas, roman(canvas.getPageNumber()))

    def _body_page(self, canvas: Canvas, _document: BaseDocTemplate) -> None:
        number = canvas.getPageNumber() - self.record.front_pages
        names = self.company.names
        regular, _, italic, _ = FONTS[self.style.heading_font]
        left, right, top = self.style.margin_mm * mm, A4[0] - self.style.margin_mm * mm, A4[1] - 18 * mm
        if self.style.heads == "top":
            canvas.setFont(regular, 8)
            canvas.drawString(left, top, names["company"])
            canvas.drawRightString(right, top, self.chapter)
            canvas.setLineWidth(0.4)
            canvas.setStrokeColor(RULE)
            canvas.line(left, top - 4, right, top - 4)
            self._foot(canvas, str(number))
            return
        canvas.setFont(italic, 9)
        foot = f"{names['short']}  |  Annual report {names['y0']}"
        if number % 2:
            canvas.drawRightString(right, top, self.chapter)
            canvas.drawString(left, 15 * mm, foot)
            canvas.drawRightString(right, 15 * mm, str(number))
        else:
            canvas.drawString(left, top, self.chapter)
            canvas.drawString(left, 15 * mm, str(number))
            canvas.drawRightString(right, 15 * mm, foot)

    def _foot(self, canvas: Canvas, number: str) -> None:
        regular = FONTS[self.style.heading_font][0]
        canvas.setFillColor(black)
        canvas.setFont(regular, 8)
        canvas.drawString(self.style.margin_mm * mm, 15 * mm, f"Annual report {self.company.names['y0']}")
        canvas.drawCentredString(A4[0] / 2, 15 * mm, number)

    # Story

    def _story(self) -> Iterator[Flowable]:
        yield Spacer(1, 1)
        yield NextPageTemplate("front")
        first = [block for block in self.report.front if isinstance(block, Heading) and block.level == 1][1].key
        for block in self.report.front:
            if isinstance(block, Heading) and block.key == first:
                yield from self._contents()
            yield from self._flowables(block)
        yield NextPageTemplate("body")
        for position, block in enumerate(self.report.body):
            yield from self._flowables(block, opens_body=position == 0)

    def _contents(self) -> Iterator[Flowable]:
        yield PageBreak()
        yield _Title(Heading(1, "contents", CONTENTS), self.title_styles[1], self.record)
        for heading in self.before.headings:
            if heading.level < 3 and heading.key != "contents":
                if heading.level == 1:
                    yield CondPageBreak(38)
                yield _ContentsLine(heading.title, self.before.printed(heading.page), heading.level, self.style)

    def _flowables(self, block: Block, opens_body: bool = False) -> Iterator[Flowable]:
        match block:
            case Heading(level=1):
                yield PageBreak()
                if opens_body:
                    yield _OnDraw(self._begin_body)
                yield _OnDraw(lambda _page: self._begin_chapter(block))
                yield _Title(block, self.title_styles[1], self.record)
            case Heading():
                yield _Title(block, self.title_styles[block.level], self.record)
            case Prose():
                style = self.bullet_style if block.bullet else self.prose_style
                yield self._paragraph(block.text, style, "\u2022" if block.bullet else None)
            case Grid():
                yield self._table(block)

    def _begin_body(self, page: int) -> None:
        self.record.front_pages = page - 1

    def _begin_chapter(self, heading: Heading) -> None:
        self.chapter = plain(heading.title)

    def _paragraph(self, text: str, style: ParagraphStyle, bullet: str | None = None) -> _Text:
        anchors = [found[1] for found in ANCHOR.finditer(text)]
        pages = self.before.pages
        references = [(pages.get(target, ""), target) for target in page_references(text)]
        markup = _markup(resolve(text, self.report.labels, pages))
        if anchors or references:
            return _Whole(markup, style, self.record, anchors, references, bullet)
        return _Text(markup, style, bulletText=bullet)

    def _table(self, grid: Grid) -> Table:
        columns = len(grid.rows[0].cells)
        widths = grid.widths or (100 - 18 * (columns - 1), *[18] * (columns - 1))
        if sum(widths) > 100 or len(widths) != columns:
            raise ValueError(f"Widths {widths} do not fit {columns} columns: {grid.rows[0].cells}.")
        commands: list[tuple[object, ...]] = [
            ("VALIGN", (0, 0), (-1, -1), "TOP" if grid.text else "BOTTOM"),
            ("LEFTPADDING", (0, 0), (-1, -1), 3),
            ("RIGHTPADDING", (0, 0), (-1, -1), 3),
            ("TOPPADDING", (0, 0), (-1, -1), 2.2),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2.2),
            ("LINEABOVE", (0, 0), (-1, 0), 0.8, black),
            ("LINEBELOW", (0, 0), (-1, 0), 0.5, black),
            ("LINEBELOW", (0, -1), (-1, -1), 0.8, black),
        ]
        cells = []
        for number, row in enumerate(grid.rows):
            if row.kind == "=":
                commands.append(("LINEABOVE", (1, number), (-1, number), 0.4, black))
            cells.append(self._row(row, columns, head=number == 0, text=grid.text))
        if len(grid.rows) <= WHOLE_ROWS:
            commands.append(("NOSPLIT", (0, 0), (-1, -1)))
        table = Table(
            cells,
            colWidths=[self.width * width / sum(widths) for width in widths],
            repeatRows=1,
            spaceBefore=4,
            spaceAfter=10,
        )
        table.setStyle(commands)
        return table

    def _row(self, row: Row, columns: int, *, head: bool, text: bool) -> list[_Text]:
        bold = head or row.kind in ("=", "~")
        styles = self.cell_styles
        made = []
        for column in range(columns):
            cell = row.cells[column] if column < len(row.cells) else ""
            left = text or column == 0
            made.append(self._paragraph(cell, styles[bold, left]))
        return made

    # Styles

    @cached_property
    def prose_style(self) -> ParagraphStyle:
        regular = FONTS[self.style.body_font][0]
        return ParagraphStyle(
            "prose",
            fontName=regular,
            fontSize=self.style.body_size,
            leading=self.style.leading,
            alignment=TA_JUSTIFY if self.style.heads == "top" else TA_LEFT,
            spaceAfter=self.style.leading * 0.55,
            allowWidows=0,
            allowOrphans=0,
        )

    @cached_property
    def bullet_style(self) -> ParagraphStyle:
        return ParagraphStyle("bullet", self.prose_style, leftIndent=14, bulletIndent=3)

    @cached_property
    def title_styles(self) -> dict[int, ParagraphStyle]:
        _, bold, _, bold_italic = FONTS[self.style.heading_font]
        chapter, section, caption = self.style.chapter_size, self.style.section_size, self.style.caption_size
        return {
            1: ParagraphStyle(
                "t1", fontName=bold, fontSize=chapter, leading=chapter * 1.25, spaceAfter=16, keepWithNext=1
            ),
            2: ParagraphStyle(
                "t2",
                fontName=bold,
                fontSize=section,
                leading=section * 1.25,
                spaceBefore=12,
                spaceAfter=6,
                keepWithNext=1,
            ),
            3: ParagraphStyle(
                "t3",
                fontName=bold_italic,
                fontSize=caption,
                leading=caption * 1.3,
                spaceBefore=6,
                spaceAfter=3,
                keepWithNext=1,
            ),
        }

    @cached_property
    def cell_styles(self) -> dict[tuple[bool, bool], ParagraphStyle]:
        """Styles of table cells by (bold, left aligned)."""
        regular, bold, *_ = FONTS[self.style.body_font]
        size = self.style.body_size - 1.2
        return {
            (heavy, left): ParagraphStyle(
                f"cell{heavy}{left}",
                fontName=bold if heavy else regular,
                fontSize=size,
                leading=size * 1.2,
                alignment=TA_LEFT if left else TA_RIGHT,
            )
            for heavy in (False, True)
            for left in (False, True)
        }


class _OnDraw(Flowable):  # type: ignore[misc]
    """Nothing to see; calls back with the page on which it stands."""

    def __init__(self, callback: Callable[[int], None]) -> None:
        super().__init__()
        self.callback = callback

    def wrap(self, availWidth: float, availHeight: float) -> tuple[float, float]:  # noqa: ARG002
        return 0, 0

    def draw(self) -> None:
        self.callback(self.canv.getPageNumber())


def _markup(text: str) -> str:
    """Our emphasis as reportlab's, anchors dropped, and spaces that must not end a line made hard."""
    text = ANCHOR.sub(r"\2", escape(text))
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    text = re.sub(r"\*([^*]+)\*", r"<i>\1</i>", text)
    text = re.sub(r"\b(page|Note|Item|Chapter|Section|Appendix|EUR|CHF) (\d|[A-H]\b)", "\\1\u00a0\\2", text)
    return text.replace(" million", "\u00a0million").replace(" per cent", "\u00a0per cent")
