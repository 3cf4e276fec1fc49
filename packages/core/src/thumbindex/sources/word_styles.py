"""Styles and lists of a Word file: what a paragraph is, though it says so only through its style (ECMA-376 part 1, 17.7 and 17.9)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from .word_numbering import Level, Numbering

DEFAULT_SIZE = 10.0
"""Points of text where the file says nothing (ECMA-376 17.3.2.38)."""
_CONTENTS = re.compile(r"(?:toc|table of figures|table of authorities|index) ?\d?$", re.IGNORECASE)
_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a style, with those it is based on, says; None where it says nothing.

    Args:
        outline: Outline level, 0 at the top, 9 for text.
        list_id: The list that numbers its paragraphs, "0" for none.
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


def whole_number(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"-?\d{1,9}", text.strip()) else None


def switch(element: Element | None, space: str) -> bool | None:
    """What a switch such as `<w:b w:val="0"/>` says; None where it is not there."""
    if element is None:
        return None
    return element.get(f"{space}val", "1") not in ("0", "false", "off", "none")


def read_styles(root: Element | None, space: str) -> tuple[dict[str, ParagraphStyle], str, float]:
    """All styles by id, with what they inherit; the id of the default paragraph style; the default size in points."""
    if root is None:
        return {}, "", DEFAULT_SIZE
    size = root.find(f"{space}docDefaults/{space}rPrDefault/{space}rPr/{space}sz")
    points = whole_number(None if size is None else size.get(f"{space}val"))
    raw = {element.get(f"{space}styleId", ""): element for element in root.iter(f"{space}style")}
    default = next(
        (
            key
            for key, element in raw.items()
            if element.get(f"{space}type") == "paragraph" and element.get(f"{space}default") in ("1", "true", "on")
        ),
        "",
    )
    found: dict[str, ParagraphStyle] = {}
    for key in raw:
        _resolve(key, raw, found, space)
    return found, default, points / 2 if points else DEFAULT_SIZE


def _resolve(key: str, raw: Mapping[str, Element], found: dict[str, ParagraphStyle], space: str) -> None:
    """Put a style into `found`, after those that it is based on; a circle of them ends where it closes."""
    chain: list[str] = []
    here: str | None = key
    while here is not None and here in raw and here not in found and here not in chain:
        chain.append(here)
        based = raw[here].find(f"{space}basedOn")
        here = None if based is None else based.get(f"{space}val")
    base = found.get(here or "", ParagraphStyle())
    for one in reversed(chain):
        base = _derived(raw[one], one, base, space)
        found[one] = base


def _derived(element: Element, key: str, base: ParagraphStyle, space: str) -> ParagraphStyle:
    def value(*path: str) -> str | None:
        child = element.find("/".join(space + name for name in path))
        return None if child is None else child.get(f"{space}val")

    name = value("name") or key
    built_in = _HEADING.match(name)
    outline = whole_number(value("pPr", "outlineLvl"))
    if outline is None and built_in:
        outline = int(built_in[1]) - 1
    size = whole_number(value("rPr", "sz"))
    list_level = whole_number(value("pPr", "numPr", "ilvl"))
    bold, italic = (switch(element.find(f"{space}rPr/{space}{letter}"), space) for letter in "bi")
    hidden = switch(element.find(f"{space}rPr/{space}vanish"), space)
    return ParagraphStyle(
        name=name,
        outline=base.outline if outline is None else outline,
        list_id=value("pPr", "numPr", "numId") or base.list_id,
        list_level=base.list_level if list_level is None else list_level,
        size=size / 2 if size else base.size,
        bold=base.bold if bold is None else bold,
        italic=base.italic if italic is None else italic,
        hidden=base.hidden if hidden is None else hidden,
        contents=base.contents or bool(_CONTENTS.match(name)),
    )


def read_lists(root: Element | None, space: str, styles: dict[str, ParagraphStyle]) -> dict[str, Numbering]:
    """All lists by id. The levels that a style belongs to are written into the styles: there the file tells only the list."""
    if root is None:
        return {}
    definitions = {one.get(f"{space}abstractNumId", ""): one for one in root.iter(f"{space}abstractNum")}
    nums = list(root.iter(f"{space}num"))
    by_num = {one.get(f"{space}numId", ""): _value(one.find(f"{space}abstractNumId"), space) or "" for one in nums}
    found: dict[str, Numbering] = {}
    for num in nums:
        key = num.get(f"{space}numId", "")
        definition = definitions.get(by_num[key])
        link = None if definition is None else _value(definition.find(f"{space}numStyleLink"), space)
        if link is not None and link in styles:
            # A list style: its definition stands where the style points.
            linked = by_num.get(styles[link].list_id or "")
            definition = definitions.get(linked or "", definition)
        if definition is None:
            continue
        levels: dict[int, Level] = {}
        starts: dict[int, int] = {}
        for element in definition.iter(f"{space}lvl"):
            _read_level(element, space, levels, styles, key)
        for override in num.iter(f"{space}lvlOverride"):
            at = whole_number(override.get(f"{space}ilvl"))
            start = whole_number(_value(override.find(f"{space}startOverride"), space))
            for element in override.iter(f"{space}lvl"):
                _read_level(element, space, levels, styles, key)
            if at is not None and start is not None:
                starts[at] = start
        found[key] = Numbering(definition.get(f"{space}abstractNumId", ""), levels, starts)
    return found


def _read_level(
    element: Element, space: str, levels: dict[int, Level], styles: dict[str, ParagraphStyle], list_id: str
) -> None:
    at = whole_number(element.get(f"{space}ilvl"))
    if at is None or not 0 <= at < 9:
        return
    start = whole_number(_value(element.find(f"{space}start"), space))
    text = element.find(f"{space}lvlText")
    levels[at] = Level(
        1 if start is None else start,
        _value(element.find(f"{space}numFmt"), space) or "decimal",
        "" if text is None else text.get(f"{space}val", ""),
        whole_number(_value(element.find(f"{space}lvlRestart"), space)),
        bool(switch(element.find(f"{space}isLgl"), space)),
    )
    style = _value(element.find(f"{space}pStyle"), space)
    if style in styles and styles[style].list_id == list_id:
        styles[style] = replace(styles[style], list_level=at)


def _value(element: Element | None, space: str) -> str | None:
    return None if element is None else element.get(f"{space}val")
