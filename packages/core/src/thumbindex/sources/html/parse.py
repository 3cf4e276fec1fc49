"""Parsing HTML into elements, and the metadata in a page's head."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...errors import MissingExtra, SourceLimit
from ...pages import MetadataValue

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_HTML = 256 << 20
"""Characters of a page. The largest annual reports have some 100 million."""
MAX_ATTRIBUTES = 2000
"""Attributes of a tag: the parser compares each with all others."""
MAX_VALUE = 500
"""Characters of a metadata value."""
_XHTML_WINDOW = 2000
"""Characters from the start of a page in which it declares that it is XHTML."""

_VOID = "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_SELF_CLOSING = re.compile(rf"<(?!(?:{_VOID})\b)([A-Za-z][\w:.-]*)((?:\s[^<>]*?)?)/>", re.IGNORECASE)
_LONG_TAG = re.compile(r"<[A-Za-z][^<>]{8000,}")
_INLINE_TAG = re.compile(r"</?(a|b|i|u|em|strong|font|span|big|small|tt|code|nobr|center|div)\b[^<>]*>", re.IGNORECASE)
_METADATA = {"author": "author", "description": "description", "keywords": "keywords", "dc.creator": "author"} | (
    dict.fromkeys(("date", "dc.date", "article:published_time", "dcterms.created"), "date")
)


def parse_html(text: str, name: str) -> Element:
    """Returns the root element of a page, HTML or XHTML.

    Raises:
        MissingExtra: lxml is not installed.
        SourceLimit: The page is too large, or nested deeper than the parser supports.
    """
    try:
        from lxml import etree
    except ImportError:
        raise MissingExtra("html", "Reading HTML and e-books") from None
    if len(text) > MAX_HTML:
        raise SourceLimit(name, f"it is larger than {MAX_HTML >> 20} MiB of HTML.", "Split it into parts.")
    for match in _LONG_TAG.finditer(text):
        if len(match.group().split(None, MAX_ATTRIBUTES + 1)) > MAX_ATTRIBUTES:
            raise SourceLimit(name, f"one tag has over {MAX_ATTRIBUTES:,} attributes.", "Save it again with a browser.")
    start = text[:_XHTML_WINDOW]
    if "http://www.w3.org/1999/xhtml" in start or start.lstrip().startswith("<?xml"):
        # In XHTML `<a id="x"/>` and `<title/>` are complete elements; HTML would leave them open to the end of the page.
        text = _SELF_CLOSING.sub(r"<\1\2></\1>", text)
    for attempt in (text, None):
        # Old pages leave `<a name=…>` and `<font>` open by the thousand: without such tags nothing is nested.
        data = (attempt if attempt is not None else _INLINE_TAG.sub(_flattened, text)).encode("utf-8", "replace")
        parser = etree.HTMLParser(
            encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True
        )
        try:
            parser.feed(data or b" ")
            root: Element | None = parser.close()
        except etree.XMLSyntaxError:  # for example, a page that is only a comment
            root = None
        last = parser.feed_error_log.last_error
        if last is None or last.type_name != "ERR_RESOURCE_LIMIT":
            break
    else:
        raise SourceLimit(name, "its elements are nested over 2,000 deep.", "Save it again with a browser.")
    if root is None:
        return etree.fromstring(b"<html/>")
    return root


def _flattened(tag: re.Match[str]) -> str:
    return "<p>" if tag[1].lower() in ("div", "center") else " "


def read_metadata(root: Element) -> dict[str, MetadataValue]:
    """Returns the metadata in a page's head."""
    metadata: dict[str, MetadataValue] = {}
    for element in root.iter("title"):
        if title := " ".join("".join(element.itertext()).split()):
            metadata["title"] = title
        break
    language = root.get("lang") or root.get("xml:lang") or ""
    if re.fullmatch(r"[A-Za-z]{2,3}(?:[-_]\w+)*", language):
        metadata["language"] = language.lower()
    for element in root.iter("meta"):
        key = _METADATA.get((element.get("name") or element.get("property") or "").lower())
        value = " ".join((element.get("content") or "").split())
        if key and value:
            metadata.setdefault(key, value[:MAX_VALUE])
    return metadata
