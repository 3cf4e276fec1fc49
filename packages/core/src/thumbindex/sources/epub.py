"""EPUB books, versions 2 and 3: the pages of the spine in order, and the book's own outline as bookmarks.

The outline is a `nav` page (EPUB 3) or a `toc.ncx` (EPUB 2). `thumbindex.headings.marked` checks whether it fits the text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from posixpath import dirname
from typing import TYPE_CHECKING
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from ..errors import DamagedSource, SourceError, UnsupportedSource
from ..outline import MAX_LEVEL
from ..pages import Bookmark, Document, MetadataValue
from ..text.characters import letters_and_digits
from .archive import Archive, all_named, joined_path, local_name
from .encoding import decode
from .html import parse_html, write_html
from .line_writer import LineWriter

if TYPE_CHECKING:
    from lxml.etree import _Element as HtmlElement

MAX_ENTRIES = 50_000
"""Entries of an outline that are read; the longest honest one seen has some 6,000."""
MAX_VALUE = 500
"""Characters of a metadata value."""
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
_METADATA = {
    "title": "title",
    "creator": "author",
    "language": "language",
    "publisher": "publisher",
    "date": "date",
    "subject": "subject",
    "description": "description",
    "identifier": "identifier",
    "rights": "rights",
}
_REMEDY = "Open it in an e-book program and save it again."


@dataclass(frozen=True, slots=True)
class _Item:
    """A file of the book: its path in the archive, its media type, and its properties."""

    path: str
    media: str
    properties: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the outline; its target is an anchor, or None for an entry that only holds others together."""

    title: str
    level: int
    target: str | None


def read_epub(archive: Archive, name: str) -> Document:
    """Returns the document in a book.

    Raises:
        UnsupportedSource: The book is protected against copying.
        DamagedSource: Its package file is missing or broken.
        EmptySource: There is no text.
        SourceLimit: The book is too large.
        MissingExtra: lxml is not installed.
    """
    package = _package_path(archive, name)
    root = archive.xml(package)
    items = _manifest(root, dirname(package))
    _refuse_protected(archive, items, name)
    writer = LineWriter(name)
    for path in _spine(root, items, archive):
        html = decode(archive.read(path), name).text
        writer.add_anchor(f"{path}#")
        write_html(writer, parse_html(html, name), prefix=f"{path}#")
        writer.end_page()
    entries = _outline(archive, items, name)
    if len(entries) > MAX_ENTRIES:
        writer.notes.append(f"Entries of the book's own outline after the first {MAX_ENTRIES:,} were not read.")
    writer.bookmarks += _bookmarks(writer, entries[:MAX_ENTRIES])
    return writer.document("epub", _metadata(root))


def _package_path(archive: Archive, name: str) -> str:
    for element in all_named(archive.xml("META-INF/container.xml"), "rootfile"):
        path = element.get("full-path", "")
        if path in archive:
            return path
    package = next((member for member in archive.names() if member.endswith(".opf")), None)
    if package is None:
        raise DamagedSource(name, "it is an e-book without its package file.", _REMEDY)
    return package


def _manifest(root: Element, folder: str) -> dict[str, _Item]:
    items = {}
    for element in all_named(root, "item"):
        path = joined_path(folder, unquote(element.get("href", "")))
        items[element.get("id", "")] = _Item(path, element.get("media-type", ""), element.get("properties", ""))
    return items


def _refuse_protected(archive: Archive, items: dict[str, _Item], name: str) -> None:
    """Refuses a book with encrypted pages; encrypted fonts do not matter."""
    if "META-INF/encryption.xml" not in archive:
        return
    pages = {item.path for item in items.values() if item.media in _PAGES}
    for element in all_named(archive.xml("META-INF/encryption.xml"), "CipherReference"):
        if unquote(element.get("URI", "")) in pages:
            raise UnsupportedSource(
                name, "it is protected against copying (DRM), and cannot be read.", "Use a copy without protection."
            )


def _spine(root: Element, items: dict[str, _Item], archive: Archive) -> Iterator[str]:
    """Yields the paths of the pages in reading order; without a spine, those of all pages in the order of the manifest."""
    seen: set[str] = set()
    order = [items.get(element.get("idref", "")) for element in all_named(root, "itemref")] or list(items.values())
    for item in order:
        if item is None or item.path in seen or item.path not in archive:
            continue
        if item.media in _PAGES or item.path.lower().endswith((".xhtml", ".html", ".htm")):
            seen.add(item.path)
            yield item.path


def _metadata(root: Element) -> dict[str, MetadataValue]:
    metadata: dict[str, MetadataValue] = {}
    for block in all_named(root, "metadata"):
        for element in block.iter():
            key = _METADATA.get(local_name(element).lower())
            value = " ".join((element.text or "").split())[:MAX_VALUE]
            if key is None or not value:
                continue
            previous = metadata.get(key)
            if previous is None:
                metadata[key] = value
            elif key in ("author", "subject"):
                metadata[key] = f"{previous}, {value}"[:MAX_VALUE]
        break
    return metadata


def _bookmarks(writer: LineWriter, entries: Sequence[_Entry]) -> list[Bookmark]:
    """Returns the outline with the lines that its entries lead to.

    An entry without a link (EPUB 3.3, section 5.4.1.1: a `span` heads the entries below it) is at the heading of its words before
    the first of these, else at that first one.
    """
    found: list[Bookmark] = []
    following: int | None = None
    for entry in reversed(entries):
        line = following if entry.target is None else _line(writer, entry.target)
        found.append(Bookmark(entry.title, min(entry.level, MAX_LEVEL), None, line=line))
        following = line
    found.reverse()
    headings: dict[str, list[int]] = {}
    for mark in writer.marks:
        headings.setdefault(letters_and_digits(mark.title), []).append(mark.line)
    start = 0
    for position, (entry, bookmark) in enumerate(zip(entries, found, strict=True)):
        if bookmark.line is None:
            continue
        if entry.target is None:
            lines = headings.get(letters_and_digits(entry.title), [])
            at = bisect_right(lines, start)
            if at < len(lines) and lines[at] <= bookmark.line:
                found[position] = bookmark = replace(bookmark, line=lines[at])
        start = bookmark.line or start
    return found


def _line(writer: LineWriter, target: str) -> int | None:
    """Returns the line of an anchor; the start of its page where the page has no such anchor."""
    return writer.anchors.get(target, writer.anchors.get(target.partition("#")[0] + "#"))


def _outline(archive: Archive, items: dict[str, _Item], name: str) -> list[_Entry]:
    """Returns the entries of the book's outline: of `nav` and `toc.ncx` the longer one, none where both are broken."""
    longest: list[_Entry] = []
    for item in items.values():
        if item.path not in archive:
            continue
        try:
            if "nav" in item.properties.split():
                entries = list(_nav(parse_html(decode(archive.read(item.path), name).text, name), item.path))
            elif item.media == "application/x-dtbncx+xml" or item.path.endswith(".ncx"):
                entries = list(_ncx(archive.xml(item.path), item.path))
            else:
                continue
        except SourceError:
            continue  # the text can be read all the same
        if len(entries) > len(longest):
            longest = entries
    return longest


def _nav(root: HtmlElement, path: str) -> Iterator[_Entry]:
    navs = [nav for nav in root.iter("nav") if (nav.get("epub:type") or nav.get("type") or "toc") == "toc"]
    for nav in navs[:1]:
        for link in nav.iter("a", "span"):
            href = link.get("href")
            title = " ".join("".join(link.itertext()).split())
            level = sum(1 for above in link.iterancestors("ol", "ul"))
            if title and level and (href or _heads_entries(link)):
                yield _Entry(title, level, _target(path, href) if href else None)


def _heads_entries(span: HtmlElement) -> bool:
    """Returns whether an element without a link is itself an entry, and not a part of one."""
    parent = span.getparent()
    return parent is not None and parent.tag == "li" and parent.find("a") is None and parent.find("span") is span


def _ncx(root: Element, path: str) -> Iterator[_Entry]:
    pending = [(1, element) for block in all_named(root, "navMap") for element in reversed(list(block))]
    while pending:
        level, element = pending.pop()
        if local_name(element) != "navPoint":
            continue
        title, href = "", ""
        for child in element:
            if local_name(child) == "navLabel":
                title = " ".join("".join(child.itertext()).split())
            elif local_name(child) == "content":
                href = child.get("src", "")
        if title:
            yield _Entry(title, level, _target(path, href) if href else None)
        pending += [(level + 1, child) for child in reversed(list(element))]


def _target(path: str, href: str) -> str:
    page, _, fragment = href.partition("#")
    target = joined_path(dirname(path), unquote(page)) if page else path
    return f"{target}#{unquote(fragment)}"
