"""Walking the elements of an HTML page once, and writing the text that a reader sees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from ...pages import Style
from ..archive import joined_path
from ..line_writer import LineWriter, TextRun
from .blocks import Blocks
from .css import BODY, Rules, alignment, has_width, page_break, parse_rules, restyled, stands_apart
from .elements import (
    BLOCKS,
    BOX_CLASSES,
    DROPPED,
    DROPPED_CLASSES,
    DROPPED_ROLES,
    FONT_SIZES,
    FORMATTING,
    HEADING_LEVELS,
    LISTS,
    PREFORMATTED,
    SECTIONS,
    SIZE_STEP,
    TITLE_PAGE_CLASSES,
    tag_of,
)
from .headers_footers import drop_headers_footers, drop_running_links
from .structure import (
    find_layout_tables,
    find_main,
    find_titled_lists,
    has_anchor,
    has_levels_by_sections,
    is_first_term,
    is_page_header_or_footer,
)
from .titles import is_permalink, is_signature, short_signature

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MIN_DESCRIPTION = 20
"""Characters from which the description of an image is text: shorter ones, such as "logo", rarely help."""
ARIA_LEVEL = 2
"""Level of an element with the role "heading" and no valid level (WAI-ARIA 1.2)."""
_MAX_ARIA_LEVEL = 99


def write_html(writer: LineWriter, root: Element, *, prefix: str = "") -> None:
    """Writes the text that a reader of a page sees.

    Args:
        prefix: Prefix of the names of anchors, for several pages in one document.
    """
    _Walker(writer, root, prefix).write()


@dataclass(slots=True)
class _State:
    """Properties that an element passes on to its descendants.

    Attributes:
        style: Style of its text.
        pre: Whether it is preformatted.
        link: Anchor that it links to.
        level: Level of the heading that it is part of.
        depth: Number of sections around it.
        boxed: Whether it is in a note or the like, whose caption is not a heading.
        centered: Whether its lines are centred.
    """

    style: Style
    pre: bool = False
    link: str | None = None
    level: int | None = None
    depth: int = 0
    boxed: bool = False
    centered: bool = False


class _Walker:
    """Walks a page without recursion, since pages may nest to any depth."""

    def __init__(self, writer: LineWriter, root: Element, prefix: str) -> None:
        self.writer, self.root, self.prefix = writer, root, prefix
        self.blocks = Blocks(writer)
        self.rules: Rules = parse_rules("".join(element.text or "" for element in root.iter("style")))
        self.main = find_main(root)
        self.layout_tables = find_layout_tables(root)
        self.titled_lists = find_titled_lists(root)
        self.has_levels_by_sections = has_levels_by_sections(root)
        self.last_level = 0
        """Level of the last heading."""
        self.open_titled_lists = 0
        """Number of open lists whose terms are titles, such as lists of documented functions."""

    def write(self) -> None:
        """Writes the page."""
        from lxml import etree

        if self.main is not None:
            self._write_title_outside_main(self.main)
        top = self.root if self.main is None else self.main
        states = [_State(BODY)]
        walk = etree.iterwalk(top, events=("start", "end"))
        for event, element in walk:
            tag = tag_of(element)
            if event == "start":
                if self._is_dropped(element, tag, states[-1]):
                    if self.blocks.open_titles:  # the anchor of a title may be that of its permalink
                        self._add_anchors(tag, element.attrib, states[-1].pre)
                    walk.skip_subtree()
                    states.append(states[-1])
                    continue
                states.append(self._open(element, tag, states[-1]))
                self._add_text(element.text, states[-1])
            else:
                state = states.pop()
                if state is not states[-1]:  # a dropped element has its parent's state
                    self._close(element, tag, state, states[-1])
                if element is not top:
                    self._add_text(element.tail, states[-1])
        self.blocks.flush()
        drop_running_links(self.writer, self.blocks.running_links())
        drop_headers_footers(self.writer, self.blocks.breaks)

    def _add_text(self, text: str | None, state: _State) -> None:
        if not text:
            return
        if not state.pre:
            text = text.replace("\n", " ")
        self.blocks.runs.append(TextRun(text, state.style, state.link))
        self.blocks.is_centered = state.centered

    def _is_dropped(self, element: Element, tag: str, state: _State) -> bool:
        if tag in DROPPED:
            return not (tag == "button" and state.level is not None)
        attributes = element.attrib
        if not attributes:
            return tag in ("header", "footer") and is_page_header_or_footer(element, tag)
        if "hidden" in attributes and attributes["hidden"] != "until-found":
            return True
        if attributes.get("aria-hidden") == "true" or attributes.get("role") in DROPPED_ROLES:
            return True
        if attributes.get("role") == "banner" and element.find(".//h1") is None:
            return True
        classes = attributes.get("class", "").split()
        if any(name in DROPPED_CLASSES for name in classes):
            return True
        if tag == "a" and self.blocks.open_titles and is_permalink(element):
            return True
        if tag in ("header", "footer", "aside") and is_page_header_or_footer(element, tag):
            return True
        return self.rules.hides(tag, classes, attributes.get("style", ""))

    def _add_anchors(self, tag: str, attributes: Mapping[str, str], is_preformatted: bool) -> None:
        add = self.blocks.add_preformatted_anchor if is_preformatted else self.writer.add_anchor
        for key in ("id", "name") if tag == "a" else ("id",):
            if attributes.get(key):
                add(self.prefix + attributes[key])

    # Start of an element

    def _open(self, element: Element, tag: str, parent: _State) -> _State:
        attributes: Mapping[str, str] = element.attrib
        state = replace(parent, style=self._style(element, tag, parent.style))
        if tag in BLOCKS:
            self.blocks.end_paragraph()
        if attributes:
            self._open_attributes(tag, attributes, state)
        if tag == "center":
            state.centered = True
        classes = attributes.get("class", "").lower().split() if attributes else ()
        state.boxed = parent.boxed or any(name in BOX_CLASSES for name in classes)
        self._open_tag(element, tag, state, parent, classes)
        if attributes.get("role") == "heading" and tag not in HEADING_LEVELS:
            self.blocks.end_paragraph()
            level = attributes.get("aria-level", str(ARIA_LEVEL)).strip()
            state.level = int(level) if re.fullmatch(r"\d{1,2}", level) and int(level) else ARIA_LEVEL
        self.blocks.open_titles += state.level is not parent.level
        return state

    def _open_attributes(self, tag: str, attributes: Mapping[str, str], state: _State) -> None:
        self._add_anchors(tag, attributes, state.pre)
        style = attributes.get("style", "")
        if page_break(style, before=True):
            self.blocks.break_page()
        if tag not in BLOCKS:
            if self.blocks.runs and stands_apart(style):
                self.blocks.runs.append(TextRun(" "))
        elif aligned := alignment(style) or attributes.get("align", "").lower():
            state.centered = aligned == "center"

    def _open_tag(
        self, element: Element, tag: str, state: _State, parent: _State, classes: list[str] | tuple[()]
    ) -> None:
        attributes: Mapping[str, str] = element.attrib
        blocks = self.blocks
        match tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if attributes.get("role") in (None, "heading"):
                if not state.boxed and not any(name in TITLE_PAGE_CLASSES for name in classes):
                    state.level = self._level(element, HEADING_LEVELS[tag], parent)
            case "br":
                blocks.runs.append(TextRun("\n", parent.style))
            case "pre" | "listing" | "xmp" | "plaintext":
                blocks.flush()
                state.pre = True
            case "a":
                link = attributes.get("href", "").strip()
                if link and (target := self._target(link)) is not None:
                    state.link = target
            case "img":
                alt = " ".join(attributes.get("alt", "").split())
                if alt and parent.level is not None:
                    blocks.runs.append(TextRun(alt, parent.style))
                elif len(alt) >= MIN_DESCRIPTION:
                    blocks.runs.append(TextRun(f"[image: {alt}]", parent.style))
            case "ol":
                blocks.open_numbered_list(attributes)
            case "ul" | "menu" | "dir":
                blocks.open_list()
            case "li":
                blocks.open_item(attributes)
            case "dl":
                self.open_titled_lists += self._is_titled_list(element)
            case "table" if blocks.table is None and element not in self.layout_tables:
                blocks.open_table()
            case "tr":
                blocks.add_row()
            case "td" | "th":
                blocks.add_cell(attributes)
            case "hr":
                if page_break(attributes.get("style", ""), before=False):
                    blocks.break_page()
            case "sup" if (
                blocks.runs and blocks.runs[-1].text[-1:].isdigit() and (element.text or "").strip().isdigit()
            ):
                blocks.runs.append(TextRun("^", parent.style))
            case _ if tag in SECTIONS:
                state.depth += 1
            case _:
                pass

    def _style(self, element: Element, tag: str, parent: Style) -> Style:
        formatting = FORMATTING.get(tag)
        style = parent
        if formatting == "bold":
            style = replace(style, bold=True)
        elif formatting == "italic":
            style = replace(style, italic=True)
        elif formatting == "larger":
            style = replace(style, size=style.size * SIZE_STEP)
        elif formatting == "smaller":
            style = replace(style, size=round(style.size / SIZE_STEP * 2) / 2)
        elif formatting == "mono":
            style = replace(style, font="monospace")
        elif tag == "th" and not style.bold:
            style = replace(style, bold=True)
        elif tag == "font":
            size = element.get("size", "")
            if size in FONT_SIZES:
                style = replace(style, size=FONT_SIZES[size])
        if element.attrib or self.rules.by_tag:
            classes = element.get("class", "").split()
            style = restyled(style, self.rules.declarations(tag, classes), element.get("style", ""))
        return style

    def _level(self, element: Element, level: int, parent: _State) -> int:
        aria_level = element.get("aria-level", "")
        if aria_level.isdecimal() and 0 < int(aria_level) <= _MAX_ARIA_LEVEL:
            return int(aria_level)
        return max(1, parent.depth) if self.has_levels_by_sections else level

    def _target(self, link: str) -> str | None:
        """Returns the anchor that a link leads to, inside this page or, with a prefix, this book; None for others."""
        if link.startswith("#"):
            return self.prefix + unquote(link[1:])
        if not self.prefix or re.match(r"[a-z][a-z0-9+.-]*:|/", link, re.IGNORECASE):
            return None
        path, _, fragment = link.partition("#")
        base = self.prefix[:-1].rpartition("/")[0]
        return f"{joined_path(base, unquote(path))}#{unquote(fragment)}"

    # End of an element

    def _close(self, element: Element, tag: str, state: _State, parent: _State) -> None:
        blocks = self.blocks
        if state.level is not parent.level:
            blocks.open_titles -= 1
            if blocks.flush_heading(state.level):
                self.last_level = state.level or self.last_level
        elif tag in PREFORMATTED:
            blocks.flush_preformatted()
        elif tag == "dt" and (is_signature(element) or self._is_titled_term(element)):
            level = self.last_level + self.open_titled_lists
            blocks.flush(level=level, title=short_signature(blocks.runs))
        elif tag in BLOCKS:
            blocks.end_paragraph()
        elif element.attrib and blocks.runs and has_width(element.get("style", "")):
            blocks.runs.append(TextRun(" "))
        if tag == "dl":
            self.open_titled_lists -= self._is_titled_list(element)
        elif tag == "table" and blocks.table is not None and element not in self.layout_tables:
            blocks.close_table()
        elif tag in LISTS:
            blocks.close_list()
        elif tag == "li":
            blocks.close_item()
        if page_break(element.get("style", ""), before=False):
            blocks.break_page()

    def _is_titled_term(self, term: Element) -> bool:
        return term.getparent() in self.titled_lists and is_first_term(term) and has_anchor(term)

    def _is_titled_list(self, element: Element) -> bool:
        return element in self.titled_lists or any(tag_of(child) == "dt" and is_signature(child) for child in element)

    def _write_title_outside_main(self, main: Element) -> None:
        """Writes the title of a page whose `<main>` has no heading of level 1, which may be above it."""
        if main.find(".//h1") is not None:
            return
        for title in self.root.iter("h1"):
            around = [title, *title.iterancestors()]
            if not any(self._is_dropped(element, tag_of(element), _State(BODY, level=1)) for element in around):
                self.writer.write([TextRun(" ".join("".join(title.itertext()).split()))], level=1)
                return
