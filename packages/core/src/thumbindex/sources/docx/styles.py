"""Styles and lists of a Word file, from which paragraphs inherit their properties (ECMA-376 part 1, 17.7 and 17.9)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from ..office import whole_number
from .numbering import MAX_LEVELS, Level, Numbering
from .parts import Parts

DEFAULT_SIZE = 10.0
"""Size in points of text without a declared size (ECMA-376 17.3.2.38)."""
HALF_POINTS = 2
"""Half points per point: Word declares sizes in half points."""
BODY_LEVEL = 9
"""Outline level of text (ECMA-376 17.3.1.20)."""

_CONTENTS_STYLE = re.compile(r"(?:toc|table of figures|table of authorities|index) ?\d?$", re.IGNORECASE)
_HEADING_STYLE = re.compile(r"heading ([1-9])$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """A style with the properties that it inherits; None for those it does not declare.

    Args:
        name: Name of the style.
        outline: Outline level, 0 at the top, 9 for text.
        list_id: Id of the list that numbers its paragraphs, "0" for none.
        list_level: Level in that list, 0 at the top.
        size: Size in points.
        bold: Whether its text is bold.
        italic: Whether its text is italic.
        hidden: Whether its text is not shown.
        contents: Whether it is a style of generated tables of contents and indexes.
    """

    name: str = ""
    outline: int | None = None
    list_id: str | None = None
    list_level: int | None = None
    size: float | None = None
    bold: bool | None = None
    italic: bool | None = None
    hidden: bool = False
    contents: bool = False


@dataclass(frozen=True, slots=True)
class StyleSheet:
    """The styles of a Word file.

    Args:
        styles: Styles by id.
        default: Id of the default paragraph style.
        default_size: Size in points of text without a declared size.
    """

    styles: dict[str, ParagraphStyle]
    default: str = ""
    default_size: float = DEFAULT_SIZE


def read_styles(parts: Parts) -> StyleSheet:
    """Reads all styles, with the properties that they inherit."""
    root = parts.part("styles")
    if root is None:
        return StyleSheet({})
    size = parts.number(root, "docDefaults", "rPrDefault", "rPr", "sz")
    elements = {parts.get(element, "styleId") or "": element for element in root.iter(f"{parts.namespace}style")}
    default = next((key for key, element in elements.items() if _is_default(element, parts)), "")
    styles: dict[str, ParagraphStyle] = {}
    for key in elements:
        _resolve(key, elements, styles, parts)
    return StyleSheet(styles, default, size / HALF_POINTS if size else DEFAULT_SIZE)


def _is_default(element: Element, parts: Parts) -> bool:
    return parts.get(element, "type") == "paragraph" and parts.get(element, "default") in ("1", "true", "on")


def _resolve(key: str, elements: Mapping[str, Element], styles: dict[str, ParagraphStyle], parts: Parts) -> None:
    """Adds a style, after those it is based on; a cycle is cut where it closes."""
    chain: list[str] = []
    current: str | None = key
    while current is not None and current in elements and current not in styles and current not in chain:
        chain.append(current)
        current = parts.value(elements[current], "basedOn")
    style = styles.get(current or "", ParagraphStyle())
    for link in reversed(chain):
        style = styles[link] = _derived(elements[link], link, style, parts)


def _derived(element: Element, key: str, base: ParagraphStyle, parts: Parts) -> ParagraphStyle:
    name = parts.value(element, "name") or key
    built_in = _HEADING_STYLE.match(name)
    outline = parts.number(element, "pPr", "outlineLvl")
    if outline is None and built_in:
        outline = int(built_in[1]) - 1
    size = parts.number(element, "rPr", "sz")
    list_level = parts.number(element, "pPr", "numPr", "ilvl")
    bold, italic = parts.switch(element, "rPr", "b"), parts.switch(element, "rPr", "i")
    hidden = parts.switch(element, "rPr", "vanish")
    return ParagraphStyle(
        name=name,
        outline=base.outline if outline is None else outline,
        list_id=parts.value(element, "pPr", "numPr", "numId") or base.list_id,
        list_level=base.list_level if list_level is None else list_level,
        size=size / HALF_POINTS if size else base.size,
        bold=base.bold if bold is None else bold,
        italic=base.italic if italic is None else italic,
        hidden=base.hidden if hidden is None else hidden,
        contents=base.contents or bool(_CONTENTS_STYLE.match(name)),
    )


def read_lists(parts: Parts, styles: dict[str, ParagraphStyle]) -> dict[str, Numbering]:
    """Reads all lists by id, and sets the list level of the styles that belong to one, which declare only the list."""
    root = parts.part("numbering")
    if root is None:
        return {}
    space = parts.namespace
    definitions = {parts.get(element, "abstractNumId") or "": element for element in root.iter(f"{space}abstractNum")}
    nums = list(root.iter(f"{space}num"))
    definition_ids = {parts.get(num, "numId") or "": parts.value(num, "abstractNumId") or "" for num in nums}
    lists: dict[str, Numbering] = {}
    for num in nums:
        key = parts.get(num, "numId") or ""
        definition = definitions.get(definition_ids[key])
        link = parts.value(definition, "numStyleLink")
        if link is not None and link in styles:
            # A list style: the definition is the one of the style's list.
            linked = definition_ids.get(styles[link].list_id or "")
            definition = definitions.get(linked or "", definition)
        if definition is None:
            continue
        levels: dict[int, Level] = {}
        starts: dict[int, int] = {}
        for element in definition.iter(f"{space}lvl"):
            _read_level(element, parts, levels, styles, key)
        for override in num.iter(f"{space}lvlOverride"):
            level = whole_number(parts.get(override, "ilvl"))
            start = parts.number(override, "startOverride")
            for element in override.iter(f"{space}lvl"):
                _read_level(element, parts, levels, styles, key)
            if level is not None and start is not None:
                starts[level] = start
        lists[key] = Numbering(parts.get(definition, "abstractNumId") or "", levels, starts)
    return lists


def _read_level(
    element: Element, parts: Parts, levels: dict[int, Level], styles: dict[str, ParagraphStyle], list_id: str
) -> None:
    level = whole_number(parts.get(element, "ilvl"))
    if level is None or not 0 <= level < MAX_LEVELS:
        return
    start = parts.number(element, "start")
    levels[level] = Level(
        1 if start is None else start,
        parts.value(element, "numFmt") or "decimal",
        parts.value(element, "lvlText") or "",
        parts.number(element, "lvlRestart"),
        bool(parts.switch(element, "isLgl")),
    )
    style = parts.value(element, "pStyle")
    if style in styles and styles[style].list_id == list_id:
        styles[style] = replace(styles[style], list_level=level)
