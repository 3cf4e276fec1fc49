"""The health of a tree: what a reader should know before trusting it. Pure.

Each finding names the place, the problem, and for a suspect heading the reason. A finding is a hint: a question may well be a good title.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..outline import Origin
from ..pages import format_runs
from ..text.characters import letters_and_digits
from ..text.garbled import GARBLED, garbled_share
from .build import FAULT, FRONT_MATTER
from .model import Node, Tree

Kind = Literal[
    "pages_without_text",
    "read_by_ocr",
    "fault",
    "garbled_text",
    "guessed_encoding",
    "long_heading",
    "sentence_heading",
    "repeated_heading",
    "empty_section",
    "out_of_order",
    "not_found",
    "unresolved_reference",
    "no_outline",
    "uncovered",
]

LONG_HEADING = 150
"""Characters above which a heading is suspect. Titles of legal sections reach 120."""
SURE_OCR = 0.9
"""Mean confidence below which OCR misread words: clean scans lie at 0.98 and above."""
REPEATED = 4
"""Headings of one title under one parent from which they are more likely a running head or a label."""

_CONTENTS_ENTRY = re.compile(
    r"^(?P<title>.+?)(?:(?<![\s.])\s*+\.(?:\s*+\.)++\s*+|(?<!\s)\s++)(?P<page>\d{1,4}|[ivxlc]{1,6}|[A-Z]-\d{1,3})$"
)
_NUMBER = re.compile(r"^(?:(?:item|part|note|chapter|section)\s+)?(?P<number>\d+(?:\.\d+)*)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at; `node_id` and `page` are None where it concerns the document."""

    kind: Kind
    text: str
    node_id: str | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """The findings of `check` in one tree.

    Args:
        coverage: Share of the lines of text, headers and footers excepted, that lie in a section under a heading of the document's own;
            the rest is front matter or chunks of pages.
        references: How many references were found, and `resolved` how many of them lead somewhere.
        rules: Sections by the rule that found their heading.
    """

    name: str
    origin: Origin
    confidence: float
    pages: int
    sections: int
    coverage: float
    references: int
    resolved: int
    rules: dict[str, int]
    findings: tuple[Finding, ...]

    def count(self, kind: Kind) -> int:
        """Findings of one kind."""
        return sum(finding.kind == kind for finding in self.findings)


def check(tree: Tree) -> Health:
    """Examine a tree."""
    references = tree.references
    findings = (
        *(Finding("fault", note) for note in tree.notes if note.startswith(FAULT)),
        *_pages(tree),
        *_headings(tree),
        *_contents(tree),
        *_encoding(tree),
        *_outline(tree),
        *(
            Finding("unresolved_reference", reference.text, page=tree.page_of_line(reference.line))
            for reference in references
            if reference.target is None and reference.page is None
        ),
    )
    return Health(
        name=tree.name,
        origin=tree.origin,
        confidence=tree.confidence,
        pages=tree.page_count,
        sections=len(tree.nodes),
        coverage=_coverage(tree),
        references=len(references),
        resolved=sum(reference.target is not None or reference.page is not None for reference in references),
        rules=dict(Counter(node.rule for node in tree.nodes).most_common()),
        findings=findings,
    )


def _pages(tree: Tree) -> Iterator[Finding]:
    missing = tree.pages_without_text
    if missing:
        yield Finding("pages_without_text", f"pages {format_runs(missing)} hold no text", page=missing[0])
    read = {page.number: page.ocr for page in tree.pages or () if page.ocr is not None}
    if read:
        faint = [number for number, sure in read.items() if sure < SURE_OCR]
        doubt = f"; it was unsure on pages {format_runs(faint)}" if faint else ""
        yield Finding("read_by_ocr", f"pages {format_runs(read)} were read by OCR{doubt}", page=min(faint or read))
    for page in tree.pages or ():
        if page.lines is not None and (share := garbled_share(tree.page_text(page.number))) >= GARBLED:
            yield Finding("garbled_text", f"{share:.0%} of the characters mean nothing", page=page.number)


def _encoding(tree: Tree) -> Iterator[Finding]:
    guessed = tree.metadata.get("encoding_guessed")
    if guessed:
        yield Finding(
            "guessed_encoding",
            f"The text was taken for {guessed} by a guess: if characters look wrong, save it as UTF-8.",
        )


def _headings(tree: Tree) -> Iterator[Finding]:
    siblings: Counter[tuple[str, str]] = Counter()
    for node in tree.nodes:
        page = node.pages.first if node.pages else None
        if len(node.title) > LONG_HEADING:
            yield Finding("long_heading", f"{node.title[:60]}… ({len(node.title)} characters)", node.id, page)
        elif _is_sentence(node.title):
            yield Finding("sentence_heading", node.title, node.id, page)
        parent = tree.parent(node)
        key = (parent.id if parent else "", node.title.casefold())
        siblings[key] += 1
        if siblings[key] == REPEATED:
            yield Finding("repeated_heading", f"{node.title} (again under the same section)", node.id, page)
        if not tree.descendants(node) and not _has_text(tree, node):
            yield Finding("empty_section", node.title, node.id, page)
    yield from _disorder(tree)


def _is_sentence(title: str) -> bool:
    words = title.split()
    return len(words) >= 8 and title.rstrip().endswith((".", ";", ",")) and not words[-1].rstrip(".").isdigit()


def _has_text(tree: Tree, node: Node) -> bool:
    return any(n >= node.body and n not in tree.headers_footers and tree.lines[n - 1].strip() for n in node.span)


def _disorder(tree: Tree) -> Iterator[Finding]:
    """Numbers of siblings that go backwards."""
    last: dict[str, tuple[int, ...]] = {}
    for node in tree.nodes:
        match = _NUMBER.match(node.title)
        if match is None:
            continue
        number = tuple(int(part) for part in match["number"].split("."))
        parent = tree.parent(node)
        key = f"{parent.id if parent else ''} {len(number)} {node.title.split()[0].casefold() if not node.title[0].isdigit() else ''}"
        if key in last and number <= last[key] and number != (1,) * len(number):
            before = ".".join(map(str, last[key]))
            page = node.pages.first if node.pages else None
            yield Finding("out_of_order", f"{node.title} comes after {before}", node.id, page)
        last[key] = number


def _contents(tree: Tree) -> Iterator[Finding]:
    """Entries of the printed contents page that no section has. What counts as one was left out of the text as page artifacts."""
    joined = "\n".join(letters_and_digits(node.title) for node in tree.nodes)
    entries: list[tuple[str, int]] = []
    for n in sorted(tree.headers_footers):
        match = _CONTENTS_ENTRY.match(tree.lines[n - 1].strip())
        if match and re.search(r"[^\W\d_]{2}", match["title"]):
            entries.append((match["title"], n))
    # A running head with a page number looks alike; but a contents page has many entries, and each once.
    seen = Counter(_words(title) for title, _ in entries)
    entries = [(title, n) for title, n in entries if seen[_words(title)] == 1]
    on_page = Counter(tree.page_of_line(n) for _, n in entries)
    for title, n in entries:
        bare = re.sub(r"^(?:item|part|note|chapter)?\d+[a-z]?", "", letters_and_digits(title))
        if on_page[tree.page_of_line(n)] >= 4 and len(bare) > 3 and bare not in joined:
            yield Finding("not_found", f"the contents page lists {title.strip()!r}", page=tree.page_of_line(n))


def _outline(tree: Tree) -> Iterator[Finding]:
    if tree.origin == "pages":
        yield Finding("no_outline", "no headings were found: sections are fixed-size chunks of pages")
    elif tree.origin == "unreadable":
        yield Finding("no_outline", "the document could not be read")
    last = 0
    for node in tree.nodes:
        if node.span.first > last + 1:
            yield Finding("uncovered", f"lines {last + 1}-{node.span.first - 1} lie in no section")
        last = max(last, node.span.last)


def _coverage(tree: Tree) -> float:
    text = [n for n, line in enumerate(tree.lines, 1) if n not in tree.headers_footers and line.strip()]
    if not text or tree.origin in {"pages", "unreadable"}:
        return 0.0
    first = next((node.span.first for node in tree.nodes if node.rule != "front" and node.title != FRONT_MATTER), None)
    return 0.0 if first is None else sum(n >= first for n in text) / len(text)


def _words(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalpha())
