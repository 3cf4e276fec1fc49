"""The report of a company as a sequence of blocks, with headings numbered and figures filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from report.markup import ANCHOR, Block, Grid, Heading, Prose, Row, fill, parse
from report.profile import Company

TEXT = Path(__file__).parent / "text"


@dataclass(frozen=True, slots=True)
class Report:
    """Everything to be set, in order; `labels` are the words by which the text refers to a heading."""

    front: tuple[Block, ...]
    body: tuple[Block, ...]
    labels: dict[str, str]
    enclosing: dict[str, str]
    """Anchor to the printed title of the heading it stands under."""

    @property
    def prose(self) -> tuple[str, ...]:
        """Paragraphs and bullets, without headings and tables."""
        return tuple(block.text for block in (*self.front, *self.body) if isinstance(block, Prose))


def compose(company: Company) -> Report:
    """The report of a company."""
    labels: dict[str, str] = {}
    arrangement = company.arrangement
    front = [block for key in arrangement.front for block in _numbered(company, key, "", "", labels)]
    body: list[Block] = []
    for number, key in arrangement.chapters:
        body += _numbered(company, key, company.style.chapter_word, number, labels)
        if key == "statements":
            body += _notes(company, labels)
    for letter, key in zip("ABCDEFGHIJ", arrangement.appendices, strict=False):
        body += _numbered(company, key, "Appendix", letter, labels)
    return Report(tuple(front), tuple(body), labels, _enclosing([*front, *body]))


def _blocks(company: Company, key: str) -> list[Block]:
    """Blocks of a text file, with the company's titles and figures."""
    source = (TEXT / f"{key}.txt").read_text(encoding="utf-8")
    values = company.values
    titles = company.arrangement.titles

    def filled(block: Block) -> Block:
        match block:
            case Heading():
                return replace(block, title=fill(titles.get(block.key, block.title), values))
            case Prose():
                return replace(block, text=fill(block.text, values))
            case Grid():
                rows = (Row(tuple(fill(cell, values) for cell in row.cells), row.kind) for row in block.rows)
                return replace(block, rows=tuple(rows))

    return [filled(block) for block in parse(source, {"subsidiaries": company.subsidiaries})]


def _sections(blocks: list[Block]) -> tuple[list[Block], dict[str, list[Block]]]:
    """What stands before the first section, and the sections by key."""
    intro: list[Block] = []
    sections: dict[str, list[Block]] = {}
    current = intro
    for block in blocks:
        if isinstance(block, Heading) and block.level == 2:
            current = sections.setdefault(block.key, [])
        current.append(block)
    return intro, sections


def _numbered(company: Company, key: str, word: str, number: str, labels: dict[str, str]) -> Iterator[Block]:
    """A chapter; its sections are numbered where the chapter's own number is a plain one."""
    intro, sections = _sections(_blocks(company, key))
    order = company.arrangement.sections.get(key, tuple(sections))
    if set(order) != set(sections):
        raise ValueError(f"The arrangement of {key!r} does not name its sections: {set(order) ^ set(sections)}.")
    position = 0
    for block in [*intro, *(block for name in order for block in sections[name])]:
        if not isinstance(block, Heading):
            yield block
        elif block.level == 1:
            labels[block.key] = f"{word} {number}" if word else f'"{block.title}"'
            yield replace(block, title=f"{word} {number}  {block.title}" if word else block.title)
        elif block.level == 2 and number:
            position += 1
            labels[block.key] = f"Section {number}.{position}"
            yield replace(block, title=f"{number}.{position}  {block.title}")
        else:
            labels[block.key] = f'"{block.title}"'
            yield block


def _notes(company: Company, labels: dict[str, str]) -> Iterator[Block]:
    _, notes = _sections(_blocks(company, "notes"))
    for number, key in enumerate(company.arrangement.notes, 1):
        position = 0
        for block in notes[key]:
            if isinstance(block, Heading):
                if block.level == 2:
                    label, title = f"Note {number}", f"Note {number}  {block.title}"
                else:
                    position += 1
                    label, title = f"Note {number}.{position}", f"{number}.{position}  {block.title}"
                labels[block.key] = label
                block = replace(block, title=title)
            yield block


def _enclosing(blocks: list[Block]) -> dict[str, str]:
    found: dict[str, str] = {}
    title = ""
    for block in blocks:
        match block:
            case Heading():
                title = plain(block.title)
            case Prose():
                found |= {anchor[1]: title for anchor in ANCHOR.finditer(block.text)}
            case Grid():
                for row in block.rows:
                    for cell in row.cells:
                        found |= {anchor[1]: title for anchor in ANCHOR.finditer(cell)}
    return found


def plain(text: str) -> str:
    """The text as a reader sees it: without anchors, emphasis and doubled spaces."""
    text = ANCHOR.sub(lambda found: found[2], text)
    return re.sub(r"\s+", " ", re.sub(r"\*+([^*]+)\*+", r"\1", text)).strip()
