"""Paragraphs that carry a number of their own, as the clauses of contracts and the articles of laws do. Pure.

"3.2 The fee is due …" below "3. Fees", "§ 12 …" and "第十二条 …" are the units in which such texts are cited. Their number opens a
paragraph, and no style sets them apart; the evidence is that they count on from 1 without a gap.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ..outline import MAX_LEVEL, Heading
from ..pages import Document
from .numbering import Label, may_be_numbered, parse_label

RULE_NAME = "numbered_paragraphs"
CONFIDENCE = 0.7
LEAST = 2
"""Paragraphs below one heading that count on from 1."""
LEAST_ARTICLES = 3
"""Articles or numbered sections of a whole text that count on."""
IN_ORDER = 0.6
"""Share of the paragraphs that open with such a label which must count on; the others refer to an article."""
MAX_CAPTION, MAX_CAPTION_WORDS = 60, 8
"""Characters and words of a caption that runs into its paragraph: "3.2 Payment. The fee …"."""
MAX_OPENING = 60
"""Characters of a paragraph that are its title where it has no caption."""
_SCANNED = 200
"""Characters of a line in which label and caption are looked for."""
_CAPTION = re.compile(r"(?P<caption>[^\W\d_a-z][^.:;!?。]*?)(?:\.|:|\s?[—–]|\.\s?[-—–]{1,2})(?=\s+\S|$)")
_BRACKETED = re.compile(r"[(（【\[](?P<caption>[^()（）【】\[\]]{1,40})[)）】\]]")
_CJK_START = "\u2e80"
_ARTICLES = frozenset({"article", "section", "section-sign", "clause", "rule"})


@dataclass(frozen=True, slots=True)
class _Paragraph:
    line: int
    label: Label
    text: str


def with_numbered_paragraphs(document: Document, headings: Sequence[Heading], skip: frozenset[int]) -> list[Heading]:
    """Returns the headings of a document without pages with the numbered paragraphs below them.

    Args:
        skip: Lines that are no text, such as headers, footers and code.
    """
    paragraphs = list(_paragraphs(document, headings, skip))
    if not paragraphs:
        return list(headings)
    return _with_articles(_with_clauses(headings, paragraphs), paragraphs)


def _paragraphs(document: Document, headings: Sequence[Heading], skip: frozenset[int]) -> list[_Paragraph]:
    """Returns the lines that open with a number and are no headings; paragraphs begin after a blank line.

    A line with a link, or with the number of a heading, is an entry of a list of contents.
    """
    linked = {link.line for link in document.links}
    numbers = {(label.kind, label.value) for heading in headings if (label := parse_label(heading.title)) is not None}
    taken = {line for heading in headings for line in range(heading.line, (heading.last_line or heading.line) + 1)}
    found = []
    is_open = True
    for number, line in enumerate(document.lines, 1):
        text = line.text[:_SCANNED].strip()
        opens, is_open = is_open, not text or number in taken or number in skip
        if not text or not opens or number in taken or number in skip or number in linked or not may_be_numbered(text):
            continue
        label = parse_label(text)
        if (
            label is not None
            and (label.kind, label.value) not in numbers
            and (_is_clause(label) or label.kind in _ARTICLES)
        ):
            found.append(_Paragraph(number, label, text))
    return found


def _is_clause(label: Label) -> bool:
    return label.kind == "decimal" and label.depth >= 2 and label.value[-1].isdigit()


def _with_clauses(headings: Sequence[Heading], paragraphs: Sequence[_Paragraph]) -> list[Heading]:
    """Adds the paragraphs whose number continues that of a heading around them: 3.1, 3.2 … below "3. Fees" or "Article 3"."""
    events: list[tuple[int, Heading | _Paragraph]] = [
        *((heading.line, heading) for heading in headings),
        *((paragraph.line, paragraph) for paragraph in paragraphs if _is_clause(paragraph.label)),
    ]
    events.sort(key=lambda event: event[0])
    stack: list[tuple[int, tuple[str, ...] | None]] = []
    last: dict[tuple[str, ...], int] = {}
    groups: dict[tuple[int, tuple[str, ...]], list[Heading]] = defaultdict(list)
    opened = 0
    for _, item in events:
        if isinstance(item, Heading):
            while stack and stack[-1][0] >= item.level:
                stack.pop()
            value = _number(parse_label(item.title))
            stack.append((item.level, value))
            if value is not None:
                last[value] = 0
                if len(value) > 1 and value[-1].isdigit():
                    last[value[:-1]] = int(value[-1])
            opened = item.line
            continue
        value = item.label.value
        prefix = value[:-1]
        place = next((at for at in range(len(stack) - 1, -1, -1) if stack[at][1] == prefix), None)
        if place is None or int(value[-1]) != last.get(prefix, 0) + 1 or not _reads_on(item.label):
            continue
        last[prefix], last[value] = int(value[-1]), 0
        # Headings without number inside the article stay open; clauses as deep as this one end.
        while stack[place + 1 :] and stack[-1][1] is not None and len(stack[-1][1]) >= len(value):
            stack.pop()
        level = min(stack[-1][0] + 1, MAX_LEVEL)
        stack.append((level, value))
        groups[opened, prefix].append(_heading(item, level))
    clauses = [heading for group in groups.values() if len(group) >= LEAST for heading in group]
    return sorted([*headings, *clauses], key=lambda heading: heading.line)


def _number(label: Label | None) -> tuple[str, ...] | None:
    """Returns the number that clauses of a heading begin with."""
    if label is None or label.kind not in ("decimal", "article", "section", "clause", "chapter", "upper-roman"):
        return None
    if label.kind == "decimal":
        return label.value
    return (str(label.ordinal),) if label.ordinal else None


def _reads_on(label: Label) -> bool:
    """Returns whether prose follows the number, and no row of figures."""
    letters = sum(char.isalpha() for char in label.title)
    return bool(label.title) and not label.title[0].islower() and 2 * letters > len(label.title.replace(" ", ""))


def _with_articles(headings: Sequence[Heading], paragraphs: Sequence[_Paragraph]) -> list[Heading]:
    """Adds the articles of a law ("§ 12", "第十二条", "Article 5"), each below the heading around it."""
    known = {label.kind for heading in headings if (label := parse_label(heading.title)) is not None}
    found: list[_Paragraph] = []
    for kind in _ARTICLES - known:
        alike = [paragraph for paragraph in paragraphs if paragraph.label.kind == kind and paragraph.label.depth == 1]
        counting: list[_Paragraph] = []
        for paragraph in alike:
            if not counting or paragraph.label.ordinal == counting[-1].label.ordinal + 1:
                counting.append(paragraph)
        if len(counting) >= LEAST_ARTICLES and len(counting) >= IN_ORDER * len(alike):
            found += counting
    result: list[Heading] = []
    pending = sorted(found, key=lambda paragraph: paragraph.line)
    level = 0
    for heading in [*headings, None]:
        while pending and (heading is None or pending[0].line < heading.line):
            result.append(_heading(pending.pop(0), min(level + 1, MAX_LEVEL)))
        if heading is not None:
            result.append(heading)
            level = heading.level
    return result


def _heading(paragraph: _Paragraph, level: int) -> Heading:
    # No line is its own: the whole paragraph is its text.
    return Heading(_title(paragraph), level, None, paragraph.line, RULE_NAME, CONFIDENCE, paragraph.line - 1)


def _title(paragraph: _Paragraph) -> str:
    """Returns the number with the caption; without one, with the first words, or alone where no spaces part the words."""
    rest = paragraph.label.title
    number = paragraph.text[: len(paragraph.text) - len(rest)].strip() if rest else paragraph.text
    bracketed = _BRACKETED.match(rest)
    if bracketed:
        return f"{number}{bracketed.group()}" if number[-1:] > _CJK_START else f"{number} {bracketed.group()}"
    caption = _CAPTION.match(rest)
    if caption and len(caption["caption"]) <= MAX_CAPTION and len(caption["caption"].split()) <= MAX_CAPTION_WORDS:
        return f"{number} {caption['caption'].strip()}"
    if rest[:1] > _CJK_START:
        return number
    return f"{number} {rest if len(rest) <= MAX_OPENING else rest[:MAX_OPENING].rsplit(' ', 1)[0] + '…'}"
