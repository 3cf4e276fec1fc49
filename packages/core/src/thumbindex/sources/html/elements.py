"""Names, roles and classes of HTML elements, grouped by their meaning for a reader."""

from __future__ import annotations

from typing import Any

HEADING_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
SECTIONS = frozenset({"article", "section", "main"})
PREFORMATTED = frozenset({"pre", "listing", "xmp", "plaintext"})
LISTS = frozenset({"ol", "ul", "menu", "dir"})
BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "optgroup",
        "option",
        "p",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
"""Elements that start and end a paragraph."""
DROPPED = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "head",
        "title",
        "nav",
        "iframe",
        "object",
        "embed",
        "applet",
        "audio",
        "video",
        "canvas",
        "svg",
        "map",
        "input",
        "select",
        "textarea",
        "datalist",
        "button",
        "dialog",
        "annotation",
        "annotation-xml",
        "search",
        "rp",
        "frameset",
        "ix:header",
    ]
)
"""Elements without text for a reader."""
DROPPED_ROLES = frozenset(
    ["navigation", "contentinfo", "search", "menu", "menubar", "toolbar", "tablist", "dialog", "alertdialog"]
)
DROPPED_CLASSES = frozenset(
    [
        "headerlink",
        "copiable-anchor",
        "copiable-link",
        "id_link",
        "anchorjs-link",
        "mw-editsection",
        "navheader",
        "navfooter",
        "breadcrumb",
        "breadcrumbs",
        "sphinxsidebar",
        "nav-panel",
        "navpanel",
        "noprint",
        "copyright-notice",
        "skip-link",
        "wy-nav-side",
        "rst-versions",
        "sphinxfooter",
    ]
)
"""Classes that generators of manuals give to navigation, and to permalinks in headings."""
BOX_CLASSES = frozenset(
    ["note", "tip", "important", "warning", "caution", "danger", "hint", "attention", "admonition", "admonitionblock"]
)
"""Classes of boxes in the text, whose captions DocBook and others mark as headings."""
TITLE_PAGE_CLASSES = frozenset(
    ["author", "editor", "subtitle", "edition", "corpauthor", "releaseinfo", "date", "legalnotice"]
)
"""Classes of lines of a title page that DocBook marks as headings."""
FORMATTING = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "cite": "italic",
    "dfn": "italic",
    "big": "larger",
    "small": "smaller",
    "tt": "mono",
    "code": "mono",
    "kbd": "mono",
    "samp": "mono",
}
FONT_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0}
"""Sizes in points of `<font size="…">`."""
SIZE_STEP = 1.2
"""Factor of `<big>` and `<small>`."""


def tag_of(element: Any) -> str:
    """Returns an element's name without its namespace prefix, except for inline XBRL; "" for entities and comments."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    return tag.rpartition(":")[2] if ":" in tag and not tag.startswith("ix:") else tag
