"""EPUB books, versions 2 and 3: the pages of the spine in their order, and the book's own outline as bookmarks.

The outline is a `nav` page (EPUB 3) or a `toc.ncx` (EPUB 2). Whether it fits the text is found out later, by
`thumbindex.headings.marked`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname
from typing import TYPE_CHECKING
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from ..errors import DamagedSource, SourceError, UnsupportedSource
from ..outline import MAX_LEVEL
from ..pages import Bookmark, Document, MetadataValue
from .archive import Archive, all_named, joined_path, local_name
from .encoding import decode
from .flow import Flow
from .html import parse_html, write_html

if TYPE_CHECKING:
    from lxml.etree import _Element as HtmlElement

MAX_ENTRIES = 50_000
"""Entries of an outline; the longest honest one seen has some 6,000."""
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
_FACTS = {
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
_REMEDY = "Open it in an e-book program and save it anew."


@dataclass(frozen=True, slots=True)
class _Item:
    """One file of the book: its path in the archive, its media type, its properties."""

    path: str
    media: str
    properties: str


@dataclass(frozen=True, slots=True)
class _Entry:
    title: str
    level: int
    target: str


def read_epub(archive: Archive, name: str) -> Document:
    """The document that a book holds.

    Raises:
        UnsupportedSource: it is protected against copying.
        DamagedSource: its list of contents is missing or broken. EmptySource: it holds no text. SourceLimit: too large.
        MissingExtra: lxml is not installed.
    """
    package = _package_path(archive, name)
    root = archive.xml(package)
    items = _manifest(root, dirname(package))
    _refuse_protected(archive, items, name)
    flow = Flow(name)
    for path in _spine(root, items, archive):
        html = decode(archive.read(path), name).text
        flow.place(f"{path}#")
        write_html(flow, parse_html(html, name), prefix=f"{path}#")
        flow.page_end()
    for entry in _outline(archive, items, name):
        flow.bookmarks.append(Bookmark(entry.title, min(entry.level, MAX_LEVEL), None, line=_line(flow, entry.target)))
        if len(flow.bookmarks) >= MAX_ENTRIES:
            break
    return flow.document("epub", _metadata(root))


def _package_path(archive: Archive, name: str) -> str:
    for element in all_named(archive.xml("META-INF/container.xml"), "rootfile"):
        path = element.get("full-path", "")
        if path in archive:
            return path
    found = next((one for one in archive.names() if one.endswith(".opf")), None)
    if found is None:
        raise DamagedSource(name, "it is an e-book without its package file.", _REMEDY)
    return found


def _manifest(root: Element, folder: str) -> dict[str, _Item]:
    items = {}
    for element in all_named(root, "item"):
        path = joined_path(folder, unquote(element.get("href", "")))
        items[element.get("id", "")] = _Item(path, element.get("media-type", ""), element.get("properties", ""))
    return items


def _refuse_protected(archive: Archive, items: dict[str, _Item], name: str) -> None:
    """Fonts may be scrambled; pages that are cannot be read."""
    if "META-INF/encryption.xml" not in archive:
        return
    pages = {item.path for item in items.values() if item.media in _PAGES}
    for element in all_named(archive.xml("META-INF/encryption.xml"), "CipherReference"):
        if unquote(element.get("URI", "")) in pages:
            raise UnsupportedSource(
                name, "it is protected against copying (DRM), and cannot be read.", "Use a copy without protection."
            )


def _spine(root: Element, items: dict[str, _Item], archive: Archive) -> Iterator[str]:
    """Paths of the pages in reading order; without a spine, of all pages as listed."""
    seen: set[str] = set()
    order = [items.get(element.get("idref", "")) for element in all_named(root, "itemref")] or list(items.values())
    for item in order:
        if item is None or item.path in seen or item.path not in archive:
            continue
        if item.media in _PAGES or item.path.lower().endswith((".xhtml", ".html", ".htm")):
            seen.add(item.path)
            yield item.path


def _metadata(root: Element) -> dict[str, MetadataValue]:
    found: dict[str, MetadataValue] = {}
    for block in all_named(root, "metadata"):
        for element in block.iter():
            key = _FACTS.get(local_name(element).lower())
            value = " ".join((element.text or "").split())[:500]
            if key is None or not value:
                continue
            before = found.get(key)
            if before is None:
                found[key] = value
            elif key in ("author", "subject"):
                found[key] = f"{before}, {value}"[:500]
        break
    return found


def _line(flow: Flow, target: str) -> int | None:
    """Where a target stands; a place that its page does not have is the page's start."""
    return flow.anchors.get(target, flow.anchors.get(target.partition("#")[0] + "#"))


def _outline(archive: Archive, items: dict[str, _Item], name: str) -> list[_Entry]:
    """The entries of the book's outline; of `nav` and `toc.ncx` the one that says more, none where both are broken."""
    found: list[_Entry] = []
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
            continue  # the text is good all the same
        if len(entries) > len(found):
            found = entries
    return found


def _nav(root: HtmlElement, path: str) -> Iterator[_Entry]:
    lists = [one for one in root.iter("nav") if (one.get("epub:type") or one.get("type") or "toc") == "toc"]
    for nav in lists[:1]:
        for link in nav.iter("a", "span"):
            href = link.get("href")
            title = " ".join("".join(link.itertext()).split())
            level = sum(1 for above in link.iterancestors("ol", "ul"))
            if title and href and level:
                yield _Entry(title, level, _target(path, href))


def _ncx(root: Element, path: str) -> Iterator[_Entry]:
    waiting = [(1, element) for block in all_named(root, "navMap") for element in reversed(list(block))]
    while waiting:
        level, element = waiting.pop()
        if local_name(element) != "navPoint":
            continue
        title, href = "", ""
        for child in element:
            if local_name(child) == "navLabel":
                title = " ".join("".join(child.itertext()).split())
            elif local_name(child) == "content":
                href = child.get("src", "")
        if title and href:
            yield _Entry(title, level, _target(path, href))
        waiting += [(level + 1, child) for child in reversed(list(element))]


def _target(path: str, href: str) -> str:
    page, _, fragment = href.partition("#")
    whole = joined_path(dirname(path), unquote(page)) if page else path
    return f"{whole}#{unquote(fragment)}"
