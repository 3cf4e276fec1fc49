"""Writing text without pages as lines; headings, anchors and links get the lines that they are on.

Shared by HTML, Word files, presentations, e-books and mail. A paragraph is one line, a long one several; rows of tables and
items of lists are lines of their own. A blank line separates paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ..errors import EmptySource, SourceLimit
from ..outline import MAX_LEVEL
from ..pages import Bookmark, Document, Kind, Line, Link, Mark, MetadataValue, Style

MAX_LINE = 320
"""Characters from which a line is broken: places are given as lines, and passages are split between lines."""
MAX_TEXT = 200_000_000
"""Characters of one document. The longest books have some 10 million; a small file can unpack to any size."""

_SPACE = re.compile(r"\s+")
# Soft hyphens and characters without width, which hide words from a search.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]?\s|[。！？；]")


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text of one style. A line feed in it is a line break.

    Args:
        link: Name of the anchor that the text links to.
    """

    text: str
    style: Style | None = None
    link: str | None = None


@dataclass(slots=True)
class LineWriter:
    """The lines written so far, and everything that refers to them.

    Attributes:
        name: Name of the document.
        marks: Headings.
        anchors: Line of each anchor, by its name.
        bookmarks: The outline of an e-book.
        notes: What could not be read, one sentence each.
    """

    name: str
    lines: list[Line] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    bookmarks: list[Bookmark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _links: list[tuple[int, int, int, str]] = field(default_factory=list)
    _pending_anchors: list[str] = field(default_factory=list)
    _size: int = 0

    def add_anchor(self, name: str) -> None:
        """Adds an anchor at the next line; the first anchor of a name counts."""
        if name:
            self._pending_anchors.append(name)

    @property
    def linked_lines(self) -> set[int]:
        """Numbers of the lines that contain a link."""
        return {line for line, *_ in self._links}

    @property
    def has_pending_anchor(self) -> bool:
        """True if the next line has an anchor."""
        return bool(self._pending_anchors)

    def write(
        self,
        runs: Sequence[TextRun],
        *,
        level: int | None = None,
        title: str | None = None,
        tight: bool = False,
        indent: str = "",
    ) -> int | None:
        """Writes a paragraph, and returns the number of its first line, or None if it contains no text.

        Args:
            level: Level of a heading, 1 at the top; None for text.
            title: Title of the heading, if it is not all of its text.
            tight: Whether to omit the blank line before it, as for rows and list items.
            indent: Prefix of each of its lines.
        """
        rows = [row for row in _rows(runs) if row.text]
        if not rows:
            return None
        if self.lines and not tight and self.lines[-1].text:
            self._append(Line(""))
        first = len(self.lines) + 1
        for row in rows:
            for start, end in [(0, len(row.text))] if level is not None else _broken(row.text):
                number = len(self.lines) + 1
                self._append(Line(indent + row.text[start:end].rstrip(), None, row.style, row.start, row.end))
                for link in row.links:
                    if link.first < end and link.last > start and link.last > link.first:
                        shift = len(indent) - start
                        span = max(link.first, start) + shift, min(link.last, end) + shift
                        self._links.append((number, *span, link.target))
        self._set_anchors(first)
        if level is not None:
            text = " ".join(row.text for row in rows)
            self.marks.append(Mark(title or text, max(1, min(level, MAX_LEVEL)), first, len(self.lines)))
        return first

    def write_preformatted(self, text: str, anchors: Sequence[tuple[str, int]] = ()) -> None:
        """Writes preformatted text, with its lines and their white space unchanged.

        Args:
            anchors: Names of anchors in the text, each with its line in it, counted from 0.
        """
        lines = text.expandtabs().translate(_INVISIBLE).split("\n")
        filled = [number for number, line in enumerate(lines) if line.strip()]
        if not filled:
            self._pending_anchors += [name for name, _ in anchors]
            return
        if self.lines and self.lines[-1].text:
            self._append(Line(""))
        self._set_anchors(len(self.lines) + 1)
        start = len(self.lines) + 1 - filled[0]
        for name, line in anchors:
            self.anchors.setdefault(name, start + min(max(line, filled[0]), filled[-1]))
        for line_text in lines[filled[0] : filled[-1] + 1]:
            self._append(Line(line_text.rstrip()))

    def end_page(self) -> None:
        """Ends a page of an e-book: pending anchors are set to its last line."""
        if self.lines:
            self._set_anchors(len(self.lines))

    def document(self, kind: Kind, metadata: dict[str, MetadataValue]) -> Document:
        """Returns the document, with its links resolved; links without a target are dropped.

        Raises:
            EmptySource: Nothing was written.
        """
        if not self.lines:
            raise EmptySource(self.name, "it contains no text.", "Check that it was saved or downloaded completely.")
        self.end_page()
        return Document(
            self.name,
            kind,
            tuple(self.lines),
            bookmarks=tuple(self.bookmarks),
            metadata=metadata,
            marks=tuple(self.marks),
            links=tuple(self._resolved_links()),
            anchors=self.anchors,
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def _resolved_links(self) -> Iterator[Link]:
        for line, first, last, target in self._links:
            # Lines were stripped at their end, and headers and footers blanked.
            last = min(last, len(self.lines[line - 1].text))
            if target in self.anchors and first < last:
                yield Link(line, first, last, self.anchors[target])

    def _append(self, line: Line) -> None:
        self._size += len(line.text) + 1
        if self._size > MAX_TEXT:
            raise SourceLimit(self.name, f"it unpacks to over {MAX_TEXT:,} characters.", "Split it into parts.")
        self.lines.append(line)

    def _set_anchors(self, line: int) -> None:
        for name in self._pending_anchors:
            self.anchors.setdefault(name, line)
        self._pending_anchors.clear()


@dataclass(slots=True)
class _RowLink:
    """A link from characters `first` to `last` of a row."""

    first: int
    last: int
    target: str


@dataclass(slots=True)
class _Row:
    """A line of a paragraph before it is broken."""

    text: str
    style: Style | None
    start: Style | None
    end: Style | None
    links: list[_RowLink]


def _rows(runs: Iterable[TextRun]) -> list[_Row]:
    """Returns the lines of a paragraph: white space is collapsed as in browsers, and line feeds start new lines."""
    rows = [_Row("", None, None, None, [])]
    parts: list[str] = []
    length, has_space = 0, False
    weights: dict[Style, int] = {}

    def close() -> None:
        row = rows[-1]
        row.text = "".join(parts)
        if weights:
            row.style = max(weights, key=weights.__getitem__)
        parts.clear()
        weights.clear()

    for run in runs:
        for number, text in enumerate(run.text.translate(_INVISIBLE).split("\n")):
            if number:
                close()
                rows.append(_Row("", None, None, None, []))
                length, has_space = 0, False
            words = _SPACE.sub(" ", text)
            if not words:
                continue
            has_space = has_space or words[0] == " "
            core = words.strip(" ")
            if not core:
                continue
            if has_space and length:
                parts.append(" ")
                length += 1
            row = rows[-1]
            if run.link is not None:
                previous = row.links[-1] if row.links else None
                if previous is not None and previous.target == run.link and previous.last >= length - 1:
                    previous.last = length + len(core)
                else:
                    row.links.append(_RowLink(length, length + len(core), run.link))
            parts.append(core)
            length += len(core)
            has_space = words[-1] == " "
            if run.style is not None:
                weights[run.style] = weights.get(run.style, 0) + len(core)
                row.start = row.start or run.style
                row.end = run.style
    close()
    return rows


def _broken(text: str) -> list[tuple[int, int]]:
    """Returns the bounds of the lines of a long text, broken after sentences, else between words."""
    bounds: list[tuple[int, int]] = []
    start = 0
    # No line is shorter than a third of the longest.
    shortest = MAX_LINE // 3
    while len(text) - start > MAX_LINE:
        end = 0
        for match in _SENTENCE_END.finditer(text, start + shortest, start + MAX_LINE):
            end = match.end()
        if not end:
            end = text.rfind(" ", start + shortest, start + MAX_LINE) + 1 or start + MAX_LINE
        bounds.append((start, end))
        start = end
    bounds.append((start, len(text)))
    return bounds
