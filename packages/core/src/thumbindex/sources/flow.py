"""Text without pages while it is written down: paragraphs become lines, and headings, places and links keep their line.

What HTML, Word files and e-books share. A paragraph is one line, a long one several; rows of tables and items of lists
are lines of their own. A blank line stands between paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ..errors import EmptySource, SourceLimit
from ..outline import MAX_LEVEL
from ..pages import Bookmark, Document, Kind, Line, Link, Mark, MetadataValue, Style

MAX_LINE = 320
"""Characters of a line that is not broken: places are told by line, and passages are cut between lines."""
MAX_TEXT = 200_000_000
"""Characters of one document. The longest books have some 10 million; a small file can unpack to any size."""

_SPACE = re.compile(r"\s+")
# Soft hyphens and characters without width: they hide words from a search.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]?\s|[。！？；]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text set alike; `link` is the name of the place that it leads to. A line feed in it is a line break."""

    text: str
    style: Style | None = None
    link: str | None = None


@dataclass(slots=True)
class Flow:
    """The lines written so far. Names of places wait for the next line; links are resolved at the end."""

    name: str
    lines: list[Line] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    bookmarks: list[Bookmark] = field(default_factory=list)
    _links: list[tuple[int, int, int, str]] = field(default_factory=list)
    _waiting: list[str] = field(default_factory=list)
    _size: int = 0

    def place(self, anchor: str) -> None:
        """Name the place where the next line will stand; the first place of a name counts."""
        if anchor:
            self._waiting.append(anchor)

    @property
    def linked_lines(self) -> set[int]:
        """Numbers of the lines with a link in them."""
        return {line for line, *_ in self._links}

    @property
    def opens_place(self) -> bool:
        """Whether the next line has a name."""
        return bool(self._waiting)

    def write(
        self,
        pieces: Sequence[Piece],
        *,
        level: int | None = None,
        title: str | None = None,
        tight: bool = False,
        indent: str = "",
    ) -> int | None:
        """Write a paragraph and give the number of its first line, or None if it holds no text.

        Args:
            level: For a heading: its level, 1 at the top.
            title: What the heading is called, if not by all its words.
            tight: Without a blank line before, as for rows and list items.
            indent: What stands before each of its lines.
        """
        rows = [row for row in _rows(pieces) if row.text]
        if not rows:
            return None
        if self.lines and not tight and self.lines[-1].text:
            self._append(Line(""))
        first = len(self.lines) + 1
        for row in rows:
            for start, end in [(0, len(row.text))] if level is not None else _folds(row.text):
                number = len(self.lines) + 1
                self._append(Line(indent + row.text[start:end].rstrip(), None, row.style, row.start, row.end))
                for one in row.links:
                    if one.first < end and one.last > start and one.last > one.first:
                        shift = len(indent) - start
                        self._links.append((number, max(one.first, start) + shift, min(one.last, end) + shift, one.to))
        self._land(first)
        if level is not None:
            words = " ".join(row.text for row in rows)
            self.marks.append(Mark(title or words, max(1, min(level, MAX_LEVEL)), first, len(self.lines)))
        return first

    def verbatim(self, text: str) -> None:
        """Write preformatted text, its lines and their white space as they are."""
        lines = text.expandtabs().translate(_INVISIBLE).split("\n")
        while lines and not lines[0].strip():
            lines.pop(0)
        while lines and not lines[-1].strip():
            lines.pop()
        if not lines:
            return
        if self.lines and self.lines[-1].text:
            self._append(Line(""))
        self._land(len(self.lines) + 1)
        for line in lines:
            self._append(Line(line.rstrip()))

    def page_end(self) -> None:
        """Let the places that are still waiting stand at the last line: their page ends here."""
        if self.lines:
            self._land(len(self.lines))

    def document(self, kind: Kind, metadata: dict[str, MetadataValue]) -> Document:
        """The document, its links resolved: those that lead nowhere are dropped.

        Raises:
            EmptySource: nothing was written.
        """
        if not self.lines:
            raise EmptySource(self.name, "it holds no text.", "Check that it was saved or downloaded completely.")
        self.page_end()
        return Document(
            self.name,
            kind,
            tuple(self.lines),
            bookmarks=tuple(self.bookmarks),
            metadata=metadata,
            marks=tuple(self.marks),
            links=tuple(self._resolved()),
            anchors=self.anchors,
        )

    def _resolved(self) -> Iterator[Link]:
        for line, first, last, to in self._links:
            # Lines are cut at their end, and blanked where they belong to the page.
            last = min(last, len(self.lines[line - 1].text))
            if to in self.anchors and first < last:
                yield Link(line, first, last, self.anchors[to])

    def _append(self, line: Line) -> None:
        self._size += len(line.text) + 1
        if self._size > MAX_TEXT:
            raise SourceLimit(self.name, f"it unpacks to over {MAX_TEXT:,} characters.", "Split it into parts.")
        self.lines.append(line)

    def _land(self, line: int) -> None:
        for anchor in self._waiting:
            self.anchors.setdefault(anchor, line)
        self._waiting.clear()


@dataclass(slots=True)
class _Span:
    first: int
    last: int
    to: str


@dataclass(slots=True)
class _Row:
    """One line in the making."""

    text: str
    style: Style | None
    start: Style | None
    end: Style | None
    links: list[_Span]


def _rows(pieces: Iterable[Piece]) -> list[_Row]:
    """The lines of a paragraph: white space collapsed as browsers do, broken at line feeds."""
    rows = [_Row("", None, None, None, [])]
    parts: list[str] = []
    length, space = 0, False
    weights: dict[Style, int] = {}

    def close() -> None:
        row = rows[-1]
        row.text = "".join(parts)
        if weights:
            row.style = max(weights, key=weights.__getitem__)
        parts.clear()
        weights.clear()

    for piece in pieces:
        for number, text in enumerate(piece.text.translate(_INVISIBLE).split("\n")):
            if number:
                close()
                rows.append(_Row("", None, None, None, []))
                length, space = 0, False
            words = _SPACE.sub(" ", text)
            if not words:
                continue
            space = space or words[0] == " "
            core = words.strip(" ")
            if not core:
                continue
            if space and length:
                parts.append(" ")
                length += 1
            row = rows[-1]
            if piece.link is not None:
                above = row.links[-1] if row.links else None
                if above is not None and above.to == piece.link and above.last >= length - 1:
                    above.last = length + len(core)
                else:
                    row.links.append(_Span(length, length + len(core), piece.link))
            parts.append(core)
            length += len(core)
            space = words[-1] == " "
            if piece.style is not None:
                weights[piece.style] = weights.get(piece.style, 0) + len(core)
                row.start = row.start or piece.style
                row.end = piece.style
    close()
    return rows


def _folds(text: str) -> list[tuple[int, int]]:
    """Where a long line is broken: after sentences, else between words."""
    folds: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > MAX_LINE:
        end = 0
        for match in _SENTENCE_END.finditer(text, start + MAX_LINE // 3, start + MAX_LINE):
            end = match.end()
        if not end:
            end = text.rfind(" ", start + MAX_LINE // 3, start + MAX_LINE) + 1 or start + MAX_LINE
        folds.append((start, end))
        start = end
    folds.append((start, len(text)))
    return folds
