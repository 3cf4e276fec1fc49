"""HTML pages: what a reader of the page sees, headings as marked, tables row by row, places and links kept.

lxml parses: of the parsers at hand it is the one whose time and memory stay in proportion to hostile input (Lexbor takes
minutes for a megabyte of `<option>` or of nested `<div>`, pure Python parsers read a third of a megabyte a second). It is
an extra. The encoding is found out before, so that a wrong one can be reported.

Left out: scripts, styles, hidden elements, navigation, the page's own head and foot, forms. Where a page has a `<main>`
that holds most of its text, only that is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import MissingExtra, SourceLimit
from ..pages import Document, MetadataValue, Style
from .archive import joined_path
from .css import BODY, Rules, alignment, has_width, page_break, parse_rules, restyled, stands_apart
from .flow import Flow, Piece
from .page_frame import (
    DROPPED,
    SECTIONS,
    TITLES,
    is_first_term,
    is_named,
    is_page_furniture,
    layout_tables,
    main_of,
    sections_tell_levels,
    tag_of,
    titled_lists,
)
from .running_lines import drop_running_lines, is_back_link
from .tables import Cell, write_table
from .word_numbering import roman_numeral

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_HTML = 256 << 20
"""Bytes of the largest page. The largest annual reports have some 100 MB."""
MAX_ATTRIBUTES = 2000
"""Of one tag; the parser compares each with all others."""
_BLOCKS = frozenset(
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
_DROPPED_ROLES = frozenset(
    ["navigation", "contentinfo", "search", "menu", "menubar", "toolbar", "tablist", "dialog", "alertdialog"]
)
# What generators of manuals call their navigation, and the signs that they hang on headings.
_DROPPED_CLASSES = frozenset(
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
# Boxes in the text whose captions DocBook and others mark as headings, and lines of a title page that they mark so too.
_BOXES = frozenset(
    ["note", "tip", "important", "warning", "caution", "danger", "hint", "attention", "admonition", "admonitionblock"]
)
_NO_TITLES = frozenset(["author", "editor", "subtitle", "edition", "corpauthor", "releaseinfo", "date", "legalnotice"])
_FORMATTING = {
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
_FONT_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0}
_VOID = "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_CLOSED_AT_ONCE = re.compile(rf"<(?!(?:{_VOID})\b)([A-Za-z][\w:.-]*)((?:\s[^<>]*?)?)/>", re.IGNORECASE)
_LONG_TAG = re.compile(r"<[A-Za-z][^<>]{8000,}")
_NESTING_TAG = re.compile(r"</?(a|b|i|u|em|strong|font|span|big|small|tt|code|nobr|center|div)\b[^<>]*>", re.IGNORECASE)
_LONG_SIGNATURE = 80
_LONGEST_TITLE = 150
_BULLETS = frozenset("•●○◦▪▫■□►‣⁃·∙–")


def read_html(text: str, name: str) -> Document:
    """The document that an HTML page holds.

    `metadata` is its title, language, author, description, keywords and date, where it names them.

    Raises:
        MissingExtra: lxml is not installed.
        EmptySource: nothing is left that a reader would see.
        SourceLimit: too large, or nested deeper than the parser goes.
    """
    root = parse_html(text, name)
    flow = Flow(name)
    write_html(flow, root)
    return flow.document("html", metadata_of(root))


def parse_html(text: str, name: str) -> Element:
    """The element tree of a page, XHTML included.

    Raises:
        MissingExtra, SourceLimit: see `read_html`.
    """
    try:
        from lxml import etree
    except ImportError:
        raise MissingExtra("html", "Reading HTML and e-books") from None
    if len(text) > MAX_HTML:
        raise SourceLimit(name, f"it is larger than {MAX_HTML >> 20} MiB of HTML.", "Split it into parts.")
    for match in _LONG_TAG.finditer(text):
        if len(match.group().split(None, MAX_ATTRIBUTES + 1)) > MAX_ATTRIBUTES:
            raise SourceLimit(name, f"one tag has over {MAX_ATTRIBUTES:,} attributes.", "Save it anew with a browser.")
    start = text[:2000]
    if "http://www.w3.org/1999/xhtml" in start or start.lstrip().startswith("<?xml"):
        # In XHTML `<a id="x"/>` and `<title/>` are whole elements; HTML would leave them open to the end of the page.
        text = _CLOSED_AT_ONCE.sub(r"<\1\2></\1>", text)
    for attempt in (text, None):
        # Old pages leave `<a name=…>` and `<font>` open by the thousand: without such tags nothing is nested.
        data = (attempt if attempt is not None else _NESTING_TAG.sub(_flattened, text)).encode("utf-8", "replace")
        parser = etree.HTMLParser(
            encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True
        )
        try:
            parser.feed(data or b" ")
            root: Element | None = parser.close()
        except etree.XMLSyntaxError:  # nothing but a comment, for one
            root = None
        last = parser.feed_error_log.last_error
        if last is None or last.type_name != "ERR_RESOURCE_LIMIT":
            break
    else:
        raise SourceLimit(name, "its elements are nested over 2,000 deep.", "Save it anew with a browser.")
    if root is None:
        return etree.fromstring(b"<html/>")
    return root


def _flattened(tag: re.Match[str]) -> str:
    return "<p>" if tag[1].lower() in ("div", "center") else " "


def metadata_of(root: Element) -> dict[str, MetadataValue]:
    """What a page says of itself in its head."""
    found: dict[str, MetadataValue] = {}
    for element in root.iter("title"):
        if title := " ".join("".join(element.itertext()).split()):
            found["title"] = title
        break
    language = root.get("lang") or root.get("xml:lang") or ""
    if re.fullmatch(r"[A-Za-z]{2,3}(?:[-_]\w+)*", language):
        found["language"] = language.lower()
    wanted = {"author": "author", "description": "description", "keywords": "keywords", "dc.creator": "author"}
    wanted |= dict.fromkeys(("date", "dc.date", "article:published_time", "dcterms.created"), "date")
    for element in root.iter("meta"):
        key = wanted.get((element.get("name") or element.get("property") or "").lower())
        value = " ".join((element.get("content") or "").split())
        if key and value:
            found.setdefault(key, value[:500])
    return found


def write_html(flow: Flow, root: Element, *, prefix: str = "") -> None:
    """Write what a reader of the page sees; names of places get `prefix`, so that several pages share one flow."""
    _Writer(flow, root, prefix).write()


@dataclass(slots=True)
class _State:
    """What an element hands down to those inside it."""

    style: Style
    pre: bool = False
    link: str | None = None
    level: int | None = None
    depth: int = 0
    """Sections around it."""
    boxed: bool = False
    """Whether it stands in a note or the like, whose caption is no heading."""
    centered: bool = False


@dataclass(slots=True)
class _List:
    """An open list: the number of its next item; None for bullets."""

    number: int | None
    marker: str = ""


class _Writer:
    """Walks a page once, without recursion: pages nest as deep as they like."""

    def __init__(self, flow: Flow, root: Element, prefix: str) -> None:
        self.flow, self.root, self.prefix = flow, root, prefix
        self.rules: Rules = parse_rules("".join(element.text or "" for element in root.iter("style")))
        self.pieces: list[Piece] = []
        self.lists: list[_List] = []
        self.bullet = ""
        self.table: list[list[Cell]] | None = None
        self.frames = layout_tables(root)
        self.only = main_of(root)
        self.by_depth = sections_tell_levels(root)
        self.breaks: list[int] = []
        self.tight = False
        self.base = 0
        """Level of the heading that was written last."""
        self.titled = titled_lists(root)
        self.signatures = 0
        """Lists of documented functions, or others whose terms are titles, that are open."""
        self.titles = 0
        """Headings that are open: blocks inside one are parts of its title."""
        self.centered = False
        """Whether the text written last is."""
        self.stacked: tuple[int, Style] | None = None
        """Where the paragraph written last ends, and its style, if it is centred and in bold."""

    def write(self) -> None:
        from lxml import etree

        if self.only is not None:
            self._write_title_outside()
        top = self.root if self.only is None else self.only
        states = [_State(BODY)]
        walk = etree.iterwalk(top, events=("start", "end"))
        for event, element in walk:
            tag = tag_of(element)
            if event == "start":
                if self._is_dropped(element, tag, states[-1]):
                    if self.titles:  # a title's name may be that of the sign beside it
                        self._name(tag, element.attrib)
                    walk.skip_subtree()
                    states.append(states[-1])
                    continue
                states.append(self._open(element, tag, states[-1]))
                self._text(element.text, states[-1])
            else:
                state = states.pop()
                if state is not states[-1]:  # an element that was dropped has its parent's
                    self._close(element, tag, state, states[-1])
                if element is not top:
                    self._text(element.tail, states[-1])
        self._flush()
        drop_running_lines(self.flow, self.breaks)

    # Elements

    def _is_dropped(self, element: Element, tag: str, state: _State) -> bool:
        if tag in DROPPED:
            return not (tag == "button" and state.level is not None)
        attributes = element.attrib
        if not attributes:
            return tag in ("header", "footer") and is_page_furniture(element, tag)
        if "hidden" in attributes and attributes["hidden"] != "until-found":
            return True
        if attributes.get("aria-hidden") == "true" or attributes.get("role") in _DROPPED_ROLES:
            return True
        if attributes.get("role") == "banner" and element.find(".//h1") is None:
            return True
        classes = attributes.get("class", "").split()
        if any(one in _DROPPED_CLASSES for one in classes):
            return True
        if tag == "a" and self.titles and _is_sign(element):
            return True
        if tag in ("header", "footer", "aside") and is_page_furniture(element, tag):
            return True
        return self.rules.hides(tag, classes, attributes.get("style", ""))

    def _name(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Note by what names links lead here."""
        for key in ("id", "name") if tag == "a" else ("id",):
            if attributes.get(key):
                self.flow.place(self.prefix + attributes[key])

    def _open(self, element: Element, tag: str, above: _State) -> _State:
        attributes: Mapping[str, str] = element.attrib
        state = replace(above, style=self._style(element, tag, above.style))
        if tag in _BLOCKS:
            self._boundary()
        if attributes:
            self._name(tag, attributes)
            if page_break(attributes.get("style", ""), before=True):
                self._break()
            if tag not in _BLOCKS and self.pieces and stands_apart(attributes.get("style", "")):
                self.pieces.append(Piece(" "))
            if (aligned := alignment(attributes.get("style", "")) or attributes.get("align", "").lower()) and (
                tag in _BLOCKS
            ):
                state.centered = aligned == "center"
        if tag == "center":
            state.centered = True
        classes = attributes.get("class", "").lower().split() if attributes else ()
        state.boxed = above.boxed or any(one in _BOXES for one in classes)
        match tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if attributes.get("role") in (None, "heading"):
                if not state.boxed and not any(one in _NO_TITLES for one in classes):
                    state.level = self._level(element, TITLES[tag], above)
            case "br":
                self.pieces.append(Piece("\n", above.style))
            case "pre" | "listing" | "xmp" | "plaintext":
                self._flush()
                state.pre = True
            case "a":
                link = attributes.get("href", "").strip()
                if link and (target := self._target(link)) is not None:
                    state.link = target
            case "img":
                alt = " ".join(attributes.get("alt", "").split())
                if alt and (above.level is not None or len(alt) >= 20):
                    self.pieces.append(Piece(alt if above.level is not None else f"[image: {alt}]", above.style))
            case "ol":
                start = attributes.get("start", "1").strip()
                self.lists.append(
                    _List(int(start) if re.fullmatch(r"-?\d{1,6}", start) else 1, attributes.get("type", "1"))
                )
            case "ul" | "menu" | "dir":
                self.lists.append(_List(None))
            case "li":
                self._open_item(attributes)
            case "dl":
                self.signatures += self._holds_titles(element)
            case "table" if self.table is None and element not in self.frames:
                self._flush()
                if not self.lists:
                    self.bullet = ""
                self.table = []
            case "tr" if self.table is not None:
                self.table.append([])
            case "td" | "th" if self.table is not None:
                if not self.table:
                    self.table.append([])
                self.table[-1].append(Cell([], _count(attributes, "colspan"), _count(attributes, "rowspan")))
            case "hr":
                if page_break(attributes.get("style", ""), before=False):
                    self._break()
            case "sup" if (
                self.pieces and self.pieces[-1].text[-1:].isdigit() and (element.text or "").strip().isdigit()
            ):
                self.pieces.append(Piece("^", above.style))
            case _ if tag in SECTIONS:
                state.depth += 1
            case _:
                pass
        if attributes.get("role") == "heading" and tag not in TITLES:
            self._boundary()
            stated = attributes.get("aria-level", "2").strip()
            state.level = int(stated) if re.fullmatch(r"\d{1,2}", stated) and int(stated) else 2
        self.titles += state.level is not above.level
        return state

    def _close(self, element: Element, tag: str, state: _State, above: _State) -> None:
        if state.level is not above.level:
            self.titles -= 1
            opens_page = bool(self.breaks) and self.breaks[-1] == len(self.flow.lines)
            if opens_page and self.titles == 0 and _leads_back(self.pieces):
                self._flush()  # at the top of each page of many a filing
            else:
                self._flush(level=state.level)
                self.base = state.level or self.base
        elif tag in ("pre", "listing", "xmp", "plaintext"):
            self._flush_verbatim()
        elif tag == "dt" and (_is_signature(element) or self._is_titled(element)):
            self._flush(level=self.base + self.signatures, title=_short_signature(self.pieces))
        elif tag in _BLOCKS:
            self._boundary()
        elif element.attrib and self.pieces and has_width(element.get("style", "")):
            self.pieces.append(Piece(" "))
        if tag == "dl":
            self.signatures -= self._holds_titles(element)
        elif tag == "table" and self.table is not None and element not in self.frames:
            rows, self.table = self.table, None
            write_table(self.flow, rows)
        elif tag in ("ol", "ul", "menu", "dir") and self.lists:
            self.lists.pop()
            self.tight = bool(self.lists)
        elif tag == "li":
            self.bullet = ""
        if page_break(element.get("style", ""), before=False):
            self._break()

    def _is_titled(self, term: Element) -> bool:
        return term.getparent() in self.titled and is_first_term(term) and is_named(term)

    def _holds_titles(self, element: Element) -> bool:
        return element in self.titled or any(tag_of(child) == "dt" and _is_signature(child) for child in element)

    def _style(self, element: Element, tag: str, above: Style) -> Style:
        manner = _FORMATTING.get(tag)
        style = above
        if manner == "bold":
            style = replace(style, bold=True)
        elif manner == "italic":
            style = replace(style, italic=True)
        elif manner == "larger":
            style = replace(style, size=style.size * 1.2)
        elif manner == "smaller":
            style = replace(style, size=round(style.size / 1.2 * 2) / 2)
        elif manner == "mono":
            style = replace(style, font="monospace")
        elif tag == "th" and not style.bold:
            style = replace(style, bold=True)
        elif tag == "font":
            size = element.get("size", "")
            if size in _FONT_SIZES:
                style = replace(style, size=_FONT_SIZES[size])
        if element.attrib or self.rules.by_tag:
            classes = element.get("class", "").split()
            style = restyled(style, self.rules.declarations(tag, classes), element.get("style", ""))
        return style

    def _level(self, element: Element, level: int, above: _State) -> int:
        stated = element.get("aria-level", "")
        if stated.isdecimal() and 0 < int(stated) < 100:
            return int(stated)
        return max(1, above.depth) if self.by_depth else level

    def _target(self, link: str) -> str | None:
        """The name of the place that a link leads to, inside this page (or, with a prefix, inside this book)."""
        if link.startswith("#"):
            return self.prefix + _unquoted(link[1:])
        if not self.prefix or re.match(r"[a-z][a-z0-9+.-]*:|/", link, re.IGNORECASE):
            return None
        path, _, fragment = link.partition("#")
        base = self.prefix[:-1].rpartition("/")[0]
        return f"{joined_path(base, _unquoted(path))}#{_unquoted(fragment)}"

    def _open_item(self, attributes: Mapping[str, str]) -> None:
        marker = "- "
        if self.lists and self.lists[-1].number is not None:
            here = self.lists[-1]
            value = attributes.get("value", "").strip()
            if re.fullmatch(r"-?\d{1,6}", value):
                here.number = int(value)
            assert here.number is not None
            marker = f"{_numeral(here.number, here.marker)}. "
            here.number += 1
        self.bullet = marker

    # Text

    def _text(self, text: str | None, state: _State) -> None:
        if not text:
            return
        if not state.pre:
            text = text.replace("\n", " ")
        self.pieces.append(Piece(text, state.style, state.link))
        self.centered = state.centered

    def _boundary(self) -> None:
        """The end of a paragraph; inside a heading of a word, inside a table of a line in its cell."""
        if self.titles:
            self.pieces.append(Piece(" "))
        elif self.table is None:
            self._flush()
        elif self.pieces:
            if self.table and self.table[-1]:
                self.table[-1][-1].pieces += [*self.pieces, Piece(" ")]
            else:  # a caption, or text that lost its cell
                self.flow.write(self.pieces)
            self.pieces = []

    def _flush(self, level: int | None = None, title: str | None = None) -> None:
        if self.table is not None or self.titles:
            self._boundary()
            return
        pieces, self.pieces = self.pieces, []
        if not any(piece.text.strip() for piece in pieces):
            if any("\xa0" in piece.text for piece in pieces):
                self.stacked = None  # an empty paragraph, for the space
            return
        if level is None and not self.bullet and _is_bullet(pieces):
            # A sign that floats beside its paragraph.
            self.bullet = "- "
            return
        if self.bullet and level is None:
            marker, self.bullet = self.bullet, ""
            indent = "  " * (len(self.lists) - 1)
            self.flow.write([Piece(marker), *pieces], tight=self.tight, indent=indent)
            self.tight = True
            return
        self.bullet = ""
        inside_item = bool(self.lists) and self.tight and level is None
        style = _title_style(pieces) if self.centered and level is None and not self.lists else None
        above, self.stacked = self.stacked, None
        goes_on = style is not None and above == (len(self.flow.lines), style) and not self.flow.opens_place
        self.flow.write(
            pieces,
            level=level,
            title=title,
            tight=inside_item or goes_on,
            indent="  " * len(self.lists) if inside_item else "",
        )
        if style is not None:
            self.stacked = len(self.flow.lines), style
        if not self.lists:
            self.tight = False

    def _flush_verbatim(self) -> None:
        pieces, self.pieces = self.pieces, []
        text = "".join(piece.text for piece in pieces)
        if self.table is None:
            self.flow.verbatim(text)
        elif self.table and self.table[-1]:
            self.table[-1][-1].pieces.append(Piece(text))

    def _break(self) -> None:
        self._flush()
        self.stacked = None
        self.breaks.append(len(self.flow.lines))

    def _write_title_outside(self) -> None:
        """A page whose `<main>` has no heading of level 1 may have its title above it."""
        assert self.only is not None
        if self.only.find(".//h1") is not None:
            return
        for title in self.root.iter("h1"):
            around = [title, *title.iterancestors()]
            if not any(self._is_dropped(one, tag_of(one), _State(BODY, level=1)) for one in around):
                self.flow.write([Piece(" ".join("".join(title.itertext()).split()))], level=1)
                return


def _is_bullet(pieces: list[Piece]) -> bool:
    """Whether a paragraph is nothing but the sign before an item."""
    return len(pieces) < 8 and "".join(piece.text for piece in pieces).strip().strip("\u200b") in _BULLETS


def _leads_back(pieces: list[Piece]) -> bool:
    """Whether a heading is nothing but a link to the contents or the top."""
    filled = [piece for piece in pieces if piece.text.strip()]
    linked = bool(filled) and len(filled) < 8 and all(piece.link is not None for piece in filled)
    return linked and is_back_link("".join(piece.text for piece in pieces))


def _title_style(pieces: list[Piece]) -> Style | None:
    """The one bold style of a centred paragraph, whose neighbours in that style are lines of one title. A remark in brackets
    is none of them."""
    filled = [piece for piece in pieces if piece.text.strip()]
    styles = {piece.style for piece in filled}
    style = styles.pop() if len(styles) == 1 else None
    bold = style is not None and style.bold and not filled[0].text.lstrip().startswith("(")
    return style if bold and sum(len(piece.text) for piece in filled) <= _LONGEST_TITLE else None


def _is_sign(link: Element) -> bool:
    """Whether a link within a title is no part of it: "#", "¶" or a picture, by which readers copy the title's address."""
    return link.get("href", "").startswith("#") and not any(letter.isalnum() for letter in "".join(link.itertext()))


def _is_signature(element: Element) -> bool:
    """Whether a term is what Sphinx sets a function, class or option as: it lists them in its contents too. Of several terms
    with one definition the first."""
    return bool(element.get("id")) and "sig" in element.get("class", "").split() and is_first_term(element)


def _short_signature(pieces: list[Piece]) -> str:
    """`json.dump(obj, fp)`, and of a long list of arguments no more than that there is one."""
    text = " ".join("".join(piece.text for piece in pieces).split())
    name, bracket, _ = text.partition("(")
    return f"{name}(…)" if bracket and len(text) > _LONG_SIGNATURE else text


def _count(attributes: Mapping[str, str], key: str) -> int:
    text = attributes.get(key, "1").strip()
    return int(text) if re.fullmatch(r"\d{1,5}", text) and int(text) else 1


def _numeral(number: int, kind: str) -> str:
    """An item's number as browsers show it: 1, a, A, i, I."""
    if kind in ("a", "A") and 1 <= number <= 26:
        letter = chr(ord("a") + number - 1)
        return letter if kind == "a" else letter.upper()
    if kind in ("i", "I") and 1 <= number < 4000:
        return roman_numeral(number) if kind == "i" else roman_numeral(number).upper()
    return str(number)


def _unquoted(text: str) -> str:
    from urllib.parse import unquote

    return unquote(text)
