"""References against the links of PDF files: found on their line, and leading to the deepest section of the destination.

    uv run python benchmarks/references.py FOLDER...

A link counts if its anchor text, with the two words before it, names a section, appendix, table, note, chapter or page:
such a word and a label, the label within the anchor. It is found if the tree has a reference with that label on the line
of the anchor or a line beside it, and hit if that reference leads to the deepest section that holds the destination (for a
link to a whole page: to a section on it). The destination is the first line at its height and, where the file says so, in its
column, running heads aside. The numbers that open the entries of a list of notes, and headings that link back to the contents,
name no other place and are left out. Precision is taken over all references that a link lies on. The same is measured
with the links withheld from the tree, so that only the text is left to tell.

Anchors are read with PDFium at the link's rectangle, apart from the code that is measured.
"""

from __future__ import annotations

import argparse
import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw

from record import save
from thumbindex.errors import SourceError
from thumbindex.headings import find_outline
from thumbindex.pages import Document, LinkAnnotation
from thumbindex.sources import read_source
from thumbindex.tree import Tree, build
from thumbindex.tree.references import with_references

KINDS = (
    r"sections?|sec\.|appendix|appendices|tables?|notes?|chapters?|pages?|p\.|pp\.|§§?|abschnitt|kapitel|anhang|tabelle|seite|"
    r"chapitre|annexe|tableau|sección|secciones|capítulo|apéndice|tabla|página|раздел\w*|глав\w*|таблиц\w*|приложени\w*|страниц\w*"
)
NAMED = re.compile(
    rf"(?<!\w)(?i:{KINDS})(?:(?<=§)|\s+)(?P<label>[A-Z]{{0,2}}[-.]?\d+(?:[.-]\d+)*[a-z]?|[A-Z](?:\.\d+)*|[IVXL]+)(?!\w)"
)
ENUMERATOR = re.compile(r"\[?\d+[.\])]?")
INDENT = 15.0
"""Points by which a line may begin left of the destination of a link: programs name the text after its number."""


@dataclass(frozen=True)
class Named:
    """A link whose anchor names a place."""

    link: LinkAnnotation
    anchor: str
    label: str
    line: int
    left: float | None


@dataclass
class Count:
    """Links that name a place, those found, those hit; references under links, and those that lead where the link leads."""

    links: int = 0
    found: int = 0
    hit: int = 0
    under: int = 0
    right: int = 0

    def add(self, other: Count) -> None:
        """Count those too."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def row(self, name: str) -> str:
        """One line of the table."""
        share = [
            f"{a / b:.3f}" if b else "-"
            for a, b in ((self.found, self.links), (self.hit, self.links), (self.right, self.under))
        ]
        return f"| {name} | {self.links} | {' | '.join(share)} |"


def named_links(path: Path, document: Document, tree: Tree) -> Iterator[Named]:
    """The links of a file that name a place, contents pages left out."""
    pdf = pdfium.PdfDocument(path)
    lefts = columns(pdf)
    headings = {n for node in tree.nodes for n in range(node.span.first, node.body)}
    by_page: dict[int, list[LinkAnnotation]] = {}
    for link in document.link_annotations:
        by_page.setdefault(link.page, []).append(link)
    for number, links in by_page.items():
        text_page = pdf[number - 1].get_textpage()
        for link in links:
            box = link.box
            anchor = " ".join(
                text_page.get_text_bounded(box.left - 0.5, box.bottom + 1, box.right + 0.5, box.top - 1).split()
            )
            line = line_at(document, link)
            if not anchor or line is None or line in tree.headers_footers or line in headings:
                continue
            if ENUMERATOR.fullmatch(anchor) and document.lines[line - 1].text.startswith(anchor):
                continue
            start = text_page.get_text_bounded(0, box.bottom + 1, box.left, box.top - 1).split()[-2:]
            if len(start) < 2 and line > 1:
                start = [*document.lines[line - 2].text.split()[-2 + len(start) :], *start]
            before = " ".join(start)
            for match in NAMED.finditer(f"{before} {anchor}"):
                if match.end("label") > len(before):
                    yield Named(
                        link, anchor, match["label"], line, lefts.get(key(link.page, link.box.left, link.box.bottom))
                    )
                    break
    pdf.close()


def key(page: int, left: float, bottom: float) -> tuple[int, int, int]:
    """A link by its page and the lower left corner of its rectangle, in points."""
    return page, round(left), round(bottom)


def columns(pdf: pdfium.PdfDocument) -> dict[tuple[int, int, int], float]:
    """How far from the left each link's destination lies, in points, where the file says so."""
    found: dict[tuple[int, int, int], float] = {}
    has_x, has_y, has_zoom = (ctypes.c_int() for _ in range(3))
    x, y, zoom = (ctypes.c_float() for _ in range(3))
    position, link, box = ctypes.c_int(0), pdfium_raw.FPDF_LINK(), pdfium_raw.FS_RECTF()
    for number in range(1, len(pdf) + 1):
        page = pdf[number - 1]
        position.value = 0
        while pdfium_raw.FPDFLink_Enumerate(page.raw, position, link):
            to = pdfium_raw.FPDFLink_GetDest(pdf.raw, link)
            if to and pdfium_raw.FPDFDest_GetLocationInPage(to, has_x, has_y, has_zoom, x, y, zoom) and has_x.value:
                pdfium_raw.FPDFLink_GetAnnotRect(link, box)
                found[key(number, box.left, box.bottom)] = x.value
        page.close()
    return found


def line_at(document: Document, link: LinkAnnotation) -> int | None:
    """The line under the middle of a link's rectangle (its first row, if it goes over two lines)."""
    page = (document.pages or ())[link.page - 1]
    best, most = None, 0.0
    for number in page.lines or ():
        box = document.lines[number - 1].box
        if box is None or box.right < link.box.left or box.left > link.box.right:
            continue
        shared = min(box.top, link.box.top) - max(box.bottom, link.box.bottom)
        if shared > most:
            best, most = number, shared
    return best


def right_targets(document: Document, tree: Tree, link: LinkAnnotation, left: float | None) -> set[str]:
    """The deepest section at the destination; on a page without a height, any section that begins on it or lies on it."""
    page = (document.pages or ())[link.target - 1]
    if page.lines is None:
        return {node.id for node in tree.nodes if node.pages and link.target in node.pages}
    if link.top is None:
        return {node.id for node in tree.nodes if page.lines.first <= node.span.first <= page.lines.last} | {
            deepest(tree, page.lines.first)
        }
    lines = [number for number in page.lines if number not in tree.headers_footers]
    below = [
        (box.top, number)
        for number in lines
        if (box := document.lines[number - 1].box) and (box.top + box.bottom) / 2 <= link.top + 1
    ]
    if left:
        column = (left - INDENT, left + page.width / 3)
        below = [
            (top, number)
            for top, number in below
            if (box := document.lines[number - 1].box) and column[0] <= box.left <= column[1]
        ] or below
    if not below:
        return {deepest(tree, page.lines.last)}
    # Columns: each has a line at that height.
    top = max(below)[0]
    return {deepest(tree, number) for height, number in below if height >= top - 3}


def deepest(tree: Tree, line: int) -> str:
    """The last section that begins at or before a line."""
    return max(
        (node for node in tree.nodes if node.span.first <= line), key=lambda node: (node.span.first, node.level)
    ).id


def measure(document: Document, tree: Tree, links: list[Named], show: bool) -> Count:
    """How the tree's references agree with the links."""
    count = Count(links=len(links))
    by_line: dict[int, list[tuple[str, str | None]]] = {}
    for node in tree.nodes:
        for one in node.references:
            by_line.setdefault(one.line, []).append((one.text, one.target))
    for named in links:
        wanted = right_targets(document, tree, named.link, named.left)
        own = deepest(tree, named.line)
        label = re.compile(rf"(?<![\w.]){re.escape(named.label)}(?!\w)", re.IGNORECASE)
        near = [
            one
            for n in (named.line, named.line - 1, named.line + 1)
            for one in by_line.get(n, ())
            if label.search(one[0])
        ]
        if own in wanted:
            # A reference to the very section it stands in is none.
            count.links -= 1
            continue
        count.found += bool(near)
        hit = bool(near) and near[0][1] in wanted
        count.hit += hit
        if near and near[0][1] is not None:
            count.under += 1
            count.right += hit
        if show and not hit:
            titles = [tree.node(one).title for one in sorted(wanted)][:3]
            got = [(text, target and tree.node(target).title) for text, target in near]
            print(
                f"    p. {named.link.page} {named.anchor!r} {named.label}: {got} instead of {titles}; {tree.lines[named.line - 1][:80]!r}"
            )
    return count


def main() -> None:
    """Print the table, one row a document with such links."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--show", action="store_true", help="print each link that is missed")
    parser.add_argument("--keep", action="store_true", help="put the table into results/references.md")
    options = parser.parse_args()
    table: list[str] = []

    def tell(row: str) -> None:
        table.append(row)
        print(row, flush=True)

    tell("| document | links | found | hit | precision | found by text | hit by text | precision by text |")
    tell("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    total, total_text = Count(), Count()
    seen: set[str] = set()
    for path in sorted(path for folder in options.folders for path in folder.rglob("*.pdf")):
        try:
            document = read_source(path, ocr="off")
        except SourceError:
            continue
        if not document.link_annotations or path.name in seen:
            continue
        seen.add(path.name)
        outline = find_outline(document)
        tree = with_references(build(document, outline))
        links = list(named_links(path, document, tree))
        if not links:
            continue
        by_text = with_references(build(replace(document, links=()), outline))
        one, other = measure(document, tree, links, options.show), measure(document, by_text, links, False)
        if one.links:
            tell(_both(path.name, one, other))
        total.add(one)
        total_text.add(other)
    tell(_both("all", total, total_text))
    if options.keep:
        save("references", "python benchmarks/references.py FOLDER...", "\n".join(table))


def _both(name: str, one: Count, other: Count) -> str:
    return f"{one.row(name)} {other.row('').split('|', 3)[3].strip()}"


if __name__ == "__main__":
    main()
