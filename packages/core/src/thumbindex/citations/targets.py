"""The locations that a citation points to, or what is wrong with it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InvalidPageSpec, PageOutOfRange
from ..pages import format_runs
from ..text.page_spec import parse_pages
from ..text.untrusted import one_line
from ..tree.model import Node
from .read_document import Location, ReadDocument
from .sentences import Cited
from .titles import bare_title, plain_title

_PAGE_SEPARATOR = re.compile(r",|&|\band\b|\bund\b")
_PAGE_WORD = re.compile(r"^(?:pages?|pp?|seiten?|s)\b\.?\s*", re.IGNORECASE)
_DASH = r"\s*+[-\u2010-\u2015]\s*+"
_NUMBER_RANGE = re.compile(rf"(\d{{1,18}}){_DASH}(\d{{1,18}})")
_LABEL_RANGE = re.compile(rf"(.+?)(?<!\s){_DASH}(.+)")


@dataclass(frozen=True, slots=True)
class Target:
    """The locations that a citation points to.

    Args:
        document: None where the run knows no such document.
        pages: The cited pages, physical and 1-based; empty where the document has none.
        note: What a reader should know of it, or what is wrong.
        is_missing: Whether the document, the page or the section does not exist.
    """

    cited: Cited
    document: ReadDocument | None
    locations: tuple[Location, ...] = ()
    pages: tuple[int, ...] = ()
    note: str = ""
    is_missing: bool = False


def resolve(cited: Cited, documents: Sequence[ReadDocument]) -> Target:
    """Returns what a citation points to among the documents of a run."""
    document = next((known for known in documents if known.doc_id == cited.document), None) if cited.is_known else None
    if document is None:
        return Target(cited, None, note=f"There is no document {cited.document!r} in this run.", is_missing=True)
    if not document.tree.pages:
        return _resolve_section(cited, document)
    if cited.pages:
        return _resolve_pages(cited, document)
    if not cited.section:
        return _pages_target(
            cited, document, [page.number for page in document.tree.pages], "The citation names no page."
        )
    nodes = _sections_titled(document, cited.section)
    if not nodes:
        return Target(cited, document, note=f"It has no section {cited.section!r}.", is_missing=True)
    return _pages_target(cited, document, sorted({page for node in nodes for page in node.pages or ()}), "")


def _resolve_pages(cited: Cited, document: ReadDocument) -> Target:
    numbers: set[int] = set()
    notes: list[str] = []
    page_count = document.tree.page_count
    for item in _PAGE_SEPARATOR.split(cited.pages):
        item = _PAGE_WORD.sub("", item.strip())
        if not item:
            continue
        labelled = _labelled_pages(item, document)
        try:
            ends = _NUMBER_RANGE.fullmatch(item)
            if ends and int(ends[1]) > int(ends[2]):
                notes.append(f"The pages {item} run backwards.")
                item = f"{ends[2]}-{ends[1]}"
            numbers.update(parse_pages(item, page_count))
        except (InvalidPageSpec, PageOutOfRange):
            if labelled:
                numbers.update(labelled)
                notes.append(f"{item} is what is printed there.")
            else:
                notes.append(f"{one_line(document.name)} has no page {item}: its pages are 1 to {page_count}.")
    if not numbers:
        return Target(cited, document, note=" ".join(notes), is_missing=True)
    return _pages_target(cited, document, sorted(numbers), " ".join(notes))


def _labelled_pages(item: str, document: ReadDocument) -> list[int]:
    """Returns the physical pages of a printed label, or of a range of labels."""
    labels = {label.upper(): page for label, page in document.labels.items()}
    page = labels.get(item.upper().replace("–", "-"))
    if page is not None:
        return [page]
    ends = _LABEL_RANGE.fullmatch(item)
    if ends is None:
        return []
    first, last = labels.get(ends[1].upper()), labels.get(ends[2].upper())
    return list(range(first, last + 1)) if first is not None and last is not None and first <= last else []


def _pages_target(cited: Cited, document: ReadDocument, pages: Sequence[int], note: str) -> Target:
    wanted = set(pages)
    locations = tuple(location for location in document.locations if location.page in wanted)
    scanned = {
        page.number: page.ocr for page in document.tree.pages or () if page.number in wanted and page.ocr is not None
    }
    if scanned and cited.pages:
        which = f"Page {format_runs(scanned)} was" if len(scanned) == 1 else f"Pages {format_runs(scanned)} were"
        note = f"{note} {which} read by OCR, sure of its letters to {min(scanned.values()):.0%}.".strip()
    return Target(cited, document, locations, tuple(pages), note)


def _resolve_section(cited: Cited, document: ReadDocument) -> Target:
    title = cited.section or cited.pages
    if not title:
        return Target(cited, document, document.locations, note="The citation names no section.")
    nodes = _sections_titled(document, title)
    if not nodes:
        return Target(cited, document, note=f"It has no section {title!r}.", is_missing=True)
    wanted = {inner.id for node in nodes for inner in (node, *document.tree.descendants(node))}
    return Target(
        cited,
        document,
        tuple(location for location in document.locations if location.node and location.node.id in wanted),
    )


def _sections_titled(document: ReadDocument, title: str) -> tuple[Node, ...]:
    """Returns the sections of that title; a path or the number before it makes no difference."""
    title = re.split(r"[›>]", title)[-1]
    wanted = plain_title(title)
    exact = tuple(node for node in document.tree.nodes if plain_title(node.title) == wanted)
    if exact or not wanted:
        return exact
    bare = bare_title(title)
    return tuple(node for node in document.tree.nodes if bare_title(node.title) == bare)
