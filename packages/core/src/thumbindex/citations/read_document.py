"""A document of a run with what was read of it, and the locations in it that can be cited. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..pages import LineRange
from ..text.terms import tokenize
from ..text.untrusted import one_line
from ..tree.model import Node, Tree
from ..tree.references import printed_pages
from .figures import Figure, figures
from .listings import listing_lines
from .scales import stated_scales
from .table_rows import Row, rows_of

_UNIT_LINE = re.compile(
    r"\b(?:in|en|em|i|в)\s++(?:US\s?)?(?:\$|[A-Z€£¥]{0,4})\s*+(?:\w++\s++of\s++)?(?:thousand|million|billion|tausend|mio|mrd|mille|тыс|млн|млрд)"
    r"|^.{0,60}$|['’‘]?000s?\b|百万|万元|亿元",
    re.IGNORECASE,
)
"""A line that states the unit of a table: it says so, or it is short."""


@dataclass(frozen=True, eq=False)
class ReadDocument:
    """A document of a run and what of it was read.

    Args:
        read: Lines that were read, 1-based and inclusive.
        language: The document's language as `detect_language` names it.
    """

    doc_id: str
    name: str
    tree: Tree
    read: tuple[LineRange, ...] = ()
    language: str = "english"

    @cached_property
    def read_pages(self) -> frozenset[int]:
        """Physical pages of which something was read."""
        ranges = (self.tree.pages_of(lines) for lines in self.read)
        return frozenset(page for pages in ranges if pages for page in pages)

    @cached_property
    def locations(self) -> tuple[Location, ...]:
        """All locations that can be cited: pages, or sections with their own text where there are no pages."""
        if self.tree.pages:
            return tuple(
                Location(self, page.number, None, page.lines, page.number in self.read_pages)
                for page in self.tree.pages
                if page.lines is not None
            )
        return tuple(
            Location(self, None, node, span, self._is_read(span))
            for node in self.tree.nodes
            for span in [self.tree.own_span(node)]
        )

    def _is_read(self, span: LineRange) -> bool:
        return any(lines.first <= span.last and span.first <= lines.last for lines in self.read)

    @cached_property
    def labels(self) -> dict[str, int]:
        """Physical page of each printed or declared label."""
        return printed_pages(self.tree) if self.tree.pages else {}

    @cached_property
    def usual_scale(self) -> frozenset[int]:
        """The power of ten that the document states most often; empty where it states none."""
        counts = Counter(power for line in range(1, len(self.tree.lines) + 1) for power in _scales_of(self.tree, line))
        return frozenset(power for power, _ in counts.most_common(1))

    @cached_property
    def listing_lines(self) -> frozenset[int]:
        """Lines of contents pages, bibliographies and indexes."""
        return listing_lines(self.tree)


@dataclass(frozen=True, eq=False)
class Location:
    """A page, or a section of a document without pages.

    Args:
        page: Its physical number, 1-based; None for a section.
        node: The section; None for a page.
        is_read: Whether any of its lines was read.
    """

    document: ReadDocument
    page: int | None
    node: Node | None
    lines: LineRange
    is_read: bool

    @cached_property
    def text(self) -> str:
        """Its text without headers and footers, and without listings, which support nothing."""
        tree, listings = self.document.tree, self.document.listing_lines
        return "\n".join(tree.lines[n - 1] for n in self.lines if n not in tree.headers_footers and n not in listings)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of its text."""
        return tuple(figures(self.text, cited_in=self.document.language))

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The labelled rows of its tables."""
        return tuple(rows_of(self.text, self.document.language))

    @cached_property
    def scales(self) -> frozenset[int]:
        """Powers of ten that hold for its tables.

        Its own where it states any, else those stated last before it and the document's usual one.
        """
        tree = self.document.tree
        own = stated_scales(tree.text(self.lines))
        if own:
            return own
        for line in range(self.lines.first - 1, 0, -1):
            if found := _scales_of(tree, line):
                return found | self.document.usual_scale
        return self.document.usual_scale

    @cached_property
    def terms(self) -> frozenset[str]:
        """Terms of its text, of the titles above it and of the document's name."""
        path = self.document.tree.path(self.node) if self.node else " ".join(self._titles())
        # The company that a report is about often stands in the file's name only.
        name = re.sub(r"[\W_]+", " ", self.document.name)
        return frozenset(tokenize(f"{name}\n{path}\n{self.text}", self.document.language))

    def _titles(self) -> Iterator[str]:
        """Yields the titles of the sections that the page lies in: they say what its tables are about."""
        for node in self.document.tree.nodes:
            if node.span.first <= self.lines.last and self.lines.first <= node.span.last:
                yield node.title

    @property
    def citation(self) -> str:
        """The citation of it: `[report.pdf, p. 6]`."""
        name = one_line(self.document.name)
        return f"[{name}, § {one_line(self.node.title)}]" if self.node else f"[{name}, p. {self.page}]"


def _scales_of(tree: Tree, line: int) -> frozenset[int]:
    """Returns the powers of ten that a line states as a unit: "in millions", but not a sentence that speaks of billions."""
    text = tree.lines[line - 1]
    if not _UNIT_LINE.search(text):
        return frozenset()
    before = tree.lines[line - 2].split()[-1:] if line > 1 else []
    # "… of 13.2" and "billion in 2021" below it are one figure that a line breaks.
    return stated_scales(" ".join([*before, text]) if before and before[0][-1].isdigit() else text)
