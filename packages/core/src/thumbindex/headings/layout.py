"""Measures over all lines of a document: the body style, the usual distance of lines, the position of lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import median
from typing import TypeVar

from ..pages import Box, Document, Line, LinkAnnotation, Style

_MONOSPACED = re.compile(
    r"mono|courier|cursor|typewriter|consol|menlo|andale|letter ?gothic|terminal|inconsolata|(?:cm|lm|ec|sf)?tt\d|cmtt|lucidacons|fixed",
    re.I,
)
_SYMBOLS = re.compile(
    r"cmmi|cmsy|cmex|msam|msbm|symbol|dingbat|wingding|mathematicalpi|lmmath|stixmath|euclidm|xits?math", re.I
)
MIN_CASED, CASED_SHARE, CAPITAL_SHARE = 4, 0.6, 0.95
"""Letters with case that capitals need, their share of all letters, and the share of capitals among them."""
LEAST_DROP, MOST_DROP, USUAL_DROP = 0.8, 3.0, 1.2
"""Distances of baselines, in type sizes, that count as those of body text, and the one taken where none does."""
NO_BOX = Box(0.0, 0.0, 0.0, 0.0)
NO_STYLE = Style(0.0)


Measured = TypeVar("Measured")


@dataclass(frozen=True)
class Layout:
    """Measures over all lines of a document. Line numbers are 1-based, as everywhere."""

    document: Document
    skip: frozenset[int] = frozenset()

    def without(self, skip: frozenset[int]) -> Layout:
        """Returns the same document with these lines skipped; measures of its body text are shared."""
        layout = Layout(self.document, skip)
        for name in ("body", "pitch", "page_of", "links"):
            layout.__dict__[name] = getattr(self, name)
        return layout

    def once(self, measure: Callable[[Layout], Measured]) -> Measured:
        """Returns `measure(self)`, computed at the first call: several rules look at the same blocks."""
        known: dict[Callable[[Layout], object], object] = self.__dict__.setdefault("_measured", {})
        if measure not in known:
            known[measure] = measure(self)
        return known[measure]  # type: ignore[return-value]  # stored under the function that returned it

    @property
    def lines(self) -> Sequence[Line]:
        return self.document.lines

    def line(self, number: int) -> Line:
        return self.document.lines[number - 1]

    def box(self, number: int) -> Box:
        return self.document.lines[number - 1].box or NO_BOX

    def style(self, number: int) -> Style:
        return self.document.lines[number - 1].style or NO_STYLE

    @cached_property
    def page_of(self) -> tuple[int, ...]:
        """Page of each line; index 0 is line 1."""
        pages: list[int] = []
        for page in self.document.pages or ():
            if page.lines is not None:
                pages.extend([page.number] * len(page.lines))
        return tuple(pages)

    def page_lines(self) -> Iterable[tuple[int, list[int]]]:
        """Each page's number and the numbers of its lines that are not skipped."""
        return self._page_lines

    @cached_property
    def _page_lines(self) -> tuple[tuple[int, list[int]], ...]:
        skip = self.skip
        return tuple(
            (page.number, [n for n in page.lines if n not in skip])
            for page in self.document.pages or ()
            if page.lines is not None
        )

    def height_of(self, line: int) -> float:
        """Returns the position of a line in pages from the start: 3.5 is half way down page 3. The line after the last gives the end."""
        if line > len(self.page_of):
            return self.page_of[-1] + 1.0 if self.page_of else 0.0
        page = (self.document.pages or ())[self.page_of[line - 1] - 1]
        return page.number + (0.0 if page.lines is None else (line - page.lines.first) / len(page.lines))

    def lines_of(self, page: int) -> list[int]:
        """Numbers of one page's lines that are not skipped."""
        pages = self.document.pages or ()
        span = pages[page - 1].lines if 1 <= page <= len(pages) else None
        return [] if span is None else [n for n in span if n not in self.skip]

    @cached_property
    def body(self) -> Style:
        """The style of most characters."""
        weights = self.weights
        return max(weights, key=weights.__getitem__) if weights else NO_STYLE

    @cached_property
    def weights(self) -> dict[Style, int]:
        """Characters set in each style."""
        # Counted by identity first: a source uses one object for each style, and hashing one takes longer than all else.
        found: dict[int, tuple[Style, list[int]]] = {}
        for number, line in enumerate(self.lines, 1):
            style = line.style
            if style is not None and number not in self.skip:
                known = found.get(id(style))
                if known is None:
                    known = found[id(style)] = style, [0]
                known[1][0] += len(line.text)
        weights: dict[Style, int] = {}
        for style, (count,) in found.values():
            if style.size > 0:
                weights[style] = weights.get(style, 0) + count
        return weights

    @cached_property
    def pitch(self) -> float:
        """Usual distance of two baselines in body text, in points."""
        gaps: list[float] = []
        body, lines = self.body, self.lines
        wanted = (body,)  # `in` looks for the very object before it compares
        least, most = LEAST_DROP * body.size, MOST_DROP * body.size
        for _, numbers in self.page_lines():
            above: float | None = None
            for number in numbers:
                line = lines[number - 1]
                here = line.box.bottom if line.box is not None and line.style in wanted else None
                if above is not None and here is not None and least < above - here < most:
                    gaps.append(above - here)
                above = here
        return median(gaps) if gaps else max(body.size, 1.0) * USUAL_DROP

    @cached_property
    def margins(self) -> dict[int, tuple[float, float]]:
        """Left and right edge of each page's text."""
        found = {}
        for page, numbers in self.page_lines():
            if numbers:
                boxes = [self.box(n) for n in numbers]
                found[page] = (min(box.left for box in boxes), max(box.right for box in boxes))
        return found

    @cached_property
    def links(self) -> dict[int, list[LinkAnnotation]]:
        """Internal links by the page that they stand on."""
        found: dict[int, list[LinkAnnotation]] = {}
        for link in self.document.link_annotations:
            found.setdefault(link.page, []).append(link)
        return found

    def is_monospaced(self, style: Style) -> bool:
        return _is_monospaced(style.font)

    def is_symbols(self, style: Style) -> bool:
        return _is_symbols(style.font)


# A document has some ten fonts and asks for each of its lines.
@lru_cache(maxsize=1024)
def _is_monospaced(font: str) -> bool:
    return bool(_MONOSPACED.search(font))


@lru_cache(maxsize=1024)
def _is_symbols(font: str) -> bool:
    return bool(_SYMBOLS.search(font))


@lru_cache(maxsize=1024)
def family(font: str) -> str:
    """Returns the family of a font name without weight and slant: "TimesNewRomanPS-BoldMT" -> "timesnewromanps"."""
    return re.split(r"[-,]", font, maxsplit=1)[0].casefold()


@lru_cache(maxsize=1 << 15)
def is_caps(text: str) -> bool:
    """Returns whether the text is set in capitals: at least four cased letters, (almost) all of them upper case."""
    # Most lines are running text: a count that stays inside C sends them away, at a fifth of the cost.
    if sum(map(str.islower, text)) > sum(map(str.isupper, text)):
        return False
    # One lower-case letter rules out a short text, and one at its start a long one: most lines end here.
    if not text.isupper() and (len(text) < 40 or any(map(str.islower, text[:12]))):
        return False
    letters = [char for char in text if char.isalpha()]
    cased = [char for char in letters if char.isupper() or char.islower()]
    if len(cased) < MIN_CASED or len(cased) < CASED_SHARE * len(letters):
        return False
    return sum(char.isupper() for char in cased) >= CAPITAL_SHARE * len(cased)
