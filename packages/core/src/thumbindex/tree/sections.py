"""The data of a section tree: a flat preorder list of nodes over the lines of one document, and lookups in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..errors import InvalidTree, PageOutOfRange, SectionNotFound
from ..evidence import PATH_SEPARATOR
from ..outline import MAX_LEVEL, Origin
from ..pages import Kind, LineRange, Link, Metadata, Page, PageRange
from ..text.characters import replace_surrogates
from .boxes import Edges, PlacedBox, blocks, unpack_boxes


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference found in a section's text: its words, its line, and the section that it means.

    `target` is a node id, None while unresolved; `page` is the physical page it points to, where it names one.
    """

    text: str
    line: int
    target: str | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """A thin section that `balance` merged with its neighbours, as it was."""

    id: str
    title: str
    span: LineRange
    pages: PageRange | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One section.

    Args:
        id: Hash of the title path, with an ordinal among equals; stable between runs.
        level: 1 at the top; a child's level is greater than its parent's, by more than one where the source jumps.
        pages: Physical pages that hold text of the span, 1-based and inclusive; None without pages.
        span: From the heading's line to the line before the next heading at the same or a higher level.
        body: Line after the heading's own lines, where the section's text begins; may lie past the span's end.
        lines: Equal to `span` for formats without pages, else None: PDF line numbers mean nothing to a reader.
        rule: Name of the rule that found the heading.
        confidence: How sure that rule was, 0 to 1.
        merged: The thin sections that `balance` made it of, the first with its own id; empty for all others.
    """

    id: str
    title: str
    level: int
    span: LineRange
    body: int
    pages: PageRange | None = None
    lines: LineRange | None = None
    summary: str = ""
    key_items: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    rule: str = ""
    confidence: float = 1.0
    merged: tuple[Merged, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", replace_surrogates(self.title))
        object.__setattr__(self, "summary", replace_surrogates(self.summary))


@dataclass(frozen=True)
class Sections:
    """A document's sections in preorder, with its text: the data of a tree and every lookup in it.

    Every line lies in some node's span, so every page does too.

    Args:
        headers_footers: Numbers of the lines that belong to the page and not to its text: headers, footers, page numbers
            and printed contents pages.
        notes: Remarks about how the document was read, one sentence each.
        links: The links inside the file.
        anchors: Line of each named place (`id="term-loan"`).
        boxes: Position of every line, packed (see `boxes_of`).

    Raises:
        InvalidTree: spans overlap or lie outside the document or the parent's, levels are out of range, or ids repeat.
    """

    name: str
    kind: Kind
    origin: Origin
    nodes: tuple[Node, ...]
    lines: tuple[str, ...]
    pages: tuple[Page, ...] | None = None
    confidence: float = 1.0
    headers_footers: frozenset[int] = frozenset()
    metadata: Metadata = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    anchors: Mapping[str, int] = field(default_factory=dict)
    boxes: str = ""

    def __post_init__(self) -> None:
        open_nodes: list[Node] = []
        seen: set[str] = set()
        last_line = 0
        for node in self.nodes:
            if node.id in seen:
                raise InvalidTree(f"{self.name}: two sections have the id {node.id!r}.")
            seen.add(node.id)
            while open_nodes and open_nodes[-1].level >= node.level:
                last_line = max(last_line, open_nodes.pop().span.last)
            if not 1 <= node.level <= MAX_LEVEL:
                raise InvalidTree(f"{self.name}: section {node.title!r} has level {node.level}, not 1 to {MAX_LEVEL}.")
            floor = max(last_line + 1, open_nodes[-1].span.first if open_nodes else 1)
            ceiling = open_nodes[-1].span.last if open_nodes else len(self.lines)
            if not floor <= node.span.first <= node.span.last <= ceiling:
                raise InvalidTree(
                    f"{self.name}: section {node.title!r} spans lines {node.span}, outside lines {floor}-{ceiling}."
                )
            open_nodes.append(node)

    # Looking up

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {node.id: position for position, node in enumerate(self.nodes)}

    @cached_property
    def _parents(self) -> tuple[int, ...]:
        """Position of each node's parent, -1 at the top."""
        parents: list[int] = []
        open_positions: list[int] = []
        for position, node in enumerate(self.nodes):
            while open_positions and self.nodes[open_positions[-1]].level >= node.level:
                open_positions.pop()
            parents.append(open_positions[-1] if open_positions else -1)
            open_positions.append(position)
        return tuple(parents)

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._positions

    def node(self, node_id: str) -> Node:
        """The section with that id.

        Raises:
            SectionNotFound: no section has it.
        """
        try:
            return self.nodes[self._positions[node_id]]
        except KeyError:
            raise SectionNotFound(
                f"{self.name} has no section {node_id!r}. Use an id that its outline or a search printed."
            ) from None

    def parent(self, node: Node) -> Node | None:
        """The section that holds `node`, None at the top."""
        position = self._parents[self._positions[node.id]]
        return None if position < 0 else self.nodes[position]

    def ancestors(self, node: Node) -> tuple[Node, ...]:
        """The sections that hold `node`, from the top down, without itself."""
        found: list[Node] = []
        parent = self.parent(node)
        while parent is not None:
            found.append(parent)
            parent = self.parent(parent)
        return tuple(reversed(found))

    def children(self, node: Node | None = None) -> tuple[Node, ...]:
        """The sections directly under `node`, or the top sections."""
        wanted = -1 if node is None else self._positions[node.id]
        return tuple(child for child, parent in zip(self.nodes, self._parents, strict=True) if parent == wanted)

    def descendants(self, node: Node) -> tuple[Node, ...]:
        """All sections under `node` in reading order, without itself."""
        start = self._positions[node.id] + 1
        end = start
        while end < len(self.nodes) and self.nodes[end].level > node.level:
            end += 1
        return self.nodes[start:end]

    def path(self, node: Node) -> str:
        """Titles from the top down to `node`."""
        return PATH_SEPARATOR.join(item.title for item in (*self.ancestors(node), node))

    def merged(self, node_id: str) -> Merged | None:
        """Returns the section that had an id before `balance` merged it with its neighbours; None if there is none."""
        return next((part for node in self.nodes for part in node.merged if part.id == node_id), None)

    def deepest_at(self, line: int) -> Node | None:
        """The deepest section that holds a line."""
        at = bisect_right(self._firsts, line) - 1
        return self.nodes[at] if at >= 0 else None

    @cached_property
    def _firsts(self) -> list[int]:
        return [node.span.first for node in self.nodes]

    def walk(self) -> Iterator[Node]:
        """All sections in reading order."""
        return iter(self.nodes)

    # Text and pages

    def own_span(self, node: Node) -> LineRange:
        """Lines of the section before its first subsection, heading included."""
        position = self._positions[node.id] + 1
        if position < len(self.nodes) and self.nodes[position].level > node.level:
            return LineRange(node.span.first, max(node.span.first, self.nodes[position].span.first - 1))
        return node.span

    def text(self, lines: LineRange) -> str:
        """The text of some lines, without headers and footers."""
        return "\n".join(self.lines[n - 1] for n in lines if n not in self.headers_footers).strip("\n")

    def section_text(self, node: Node) -> str:
        """Exactly the section's text, heading and subsections included."""
        return self.text(node.span)

    def page(self, number: int) -> Page:
        """The page with that physical number.

        Raises:
            PageOutOfRange: it does not exist, or the document has no pages (then `page_count` is 0).
        """
        if not 1 <= number <= self.page_count:
            raise PageOutOfRange(number, self.page_count)
        return (self.pages or ())[number - 1]

    def page_text(self, number: int) -> str:
        """All text of one page as read, headers and footers included."""
        page = self.page(number)
        return "" if page.lines is None else "\n".join(self.lines[page.lines.first - 1 : page.lines.last])

    @property
    def page_count(self) -> int:
        """Number of pages; 0 for formats without pages."""
        return len(self.pages or ())

    @property
    def pages_without_text(self) -> tuple[int, ...]:
        """Physical numbers of the pages that hold no text."""
        return tuple(page.number for page in self.pages or () if page.lines is None)

    @cached_property
    def _page_starts(self) -> tuple[list[int], list[int]]:
        with_text = [page for page in self.pages or () if page.lines is not None]
        return [page.lines.first for page in with_text if page.lines], [page.number for page in with_text]

    def page_of_line(self, line: int) -> int | None:
        """Physical page that holds a line; None without pages."""
        starts, numbers = self._page_starts
        if not starts:
            return None
        return numbers[max(0, bisect_right(starts, line) - 1)]

    def pages_of(self, lines: LineRange) -> PageRange | None:
        """Physical pages that hold text of these lines, headers and footers not counted; None without pages."""
        if not self.pages:
            return None
        real = [n for n in lines if n not in self.headers_footers and self.lines[n - 1].strip()]
        first = self.page_of_line(real[0] if real else lines.first)
        last = self.page_of_line(real[-1] if real else lines.first)
        return None if first is None or last is None else PageRange(first, last)

    @cached_property
    def _boxes(self) -> list[Edges | None]:
        try:
            return unpack_boxes(self.boxes)
        except ValueError as error:
            raise InvalidTree(f"{self.name}: {error}") from None

    def anchor_of(self, lines: LineRange) -> str | None:
        """The name of the last place at or before these lines in their section: what `file.html#name` opens; else None."""
        node = self.deepest_at(lines.first)
        at = bisect_right(self._named_lines, lines.first) - 1
        if node is None or at < 0 or self._named_lines[at] < node.span.first:
            return None
        return self._names[self._named_lines[at]]

    @cached_property
    def _names(self) -> dict[int, str]:
        """The name of each line that has one; of several the first, which is the outermost element's."""
        names: dict[int, str] = {}
        for name, line in self.anchors.items():
            names.setdefault(line, name)
        return names

    @cached_property
    def _named_lines(self) -> list[int]:
        return sorted(self._names)

    def boxes_of(self, lines: LineRange) -> tuple[PlacedBox, ...]:
        """Returns the pages and the boxes of the blocks of text in these lines, without headers and footers, in reading order.

        Empty where no positions are known: formats without pages, and trees stored by earlier versions.
        """
        if not self.boxes or not self.pages:
            return ()
        placed: list[PlacedBox] = []
        starts, numbers = self._page_starts
        ends = [*(start - 1 for start in starts[1:]), len(self._boxes)]
        for at in range(max(0, bisect_right(starts, lines.first) - 1), bisect_right(starts, lines.last)):
            on_page = range(max(lines.first, starts[at]), min(lines.last, ends[at]) + 1)
            boxes = (self._boxes[n - 1] for n in on_page if n not in self.headers_footers)
            page = self.page(numbers[at])
            placed += [(page.number, page.as_shown(block)) for block in blocks(filter(None, boxes))]
        return tuple(placed)

    def page_labels(self, pages: PageRange) -> tuple[str, str] | None:
        """Labels of the first and the last of these pages; None where either has none."""
        first, last = self.page(pages.first).label, self.page(pages.last).label
        return None if first is None or last is None else (first, last)
