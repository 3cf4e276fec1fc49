"""The part of CSS that distinguishes headings from text: size, weight, slant and visibility.

Only selectors of one class, one element, or both are read. Sizes are in points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ...pages import Style

BODY = Style(12.0)
"""Style of text without declarations: browsers set it in 16 pixels, which are 12 points."""

MAX_SHEET = 2_000_000
"""Characters of a style sheet that are read."""
MAX_SIZE = 400.0
"""Largest size in points: a declaration may name any number."""
BOLD_WEIGHT = 600
"""Font weight from which text is bold: browsers use the bold face from 600 on (CSS Fonts 4, 5.2)."""
_FONT_NAME = 60
"""Characters of a font's name that are stored."""
_SIZE_STEPS = 2
"""Steps per point to which sizes are rounded."""
_SIMPLE_SELECTOR = re.compile(r"^([a-z][a-z0-9]*)?(?:\.([\w-]+))?$", re.IGNORECASE)
_SIZE = re.compile(r"([\d.]{1,8})\s*(pt|px|em|rem|%|in|cm|mm|pc)")
_POINTS_PER_UNIT = {"pt": 1.0, "px": 0.75, "in": 72.0, "cm": 28.35, "mm": 2.835, "pc": 12.0}
_NAMED_SIZES = {
    "xx-small": 7.0,
    "x-small": 7.5,
    "small": 10.0,
    "medium": 12.0,
    "large": 13.5,
    "x-large": 18.0,
    "xx-large": 24.0,
}
_BREAK_BEFORE = re.compile(r"(?:page-)?break-before\s*:\s*(?:always|page|left|right)", re.IGNORECASE)
_BREAK_AFTER = re.compile(r"(?:page-)?break-after\s*:\s*(?:always|page|left|right)", re.IGNORECASE)
_GAP_BEFORE = re.compile(r"(?:padding|margin)-left\s*:\s*[\d.]*[1-9]", re.IGNORECASE)
_INLINE_BOX = re.compile(r"display\s*:\s*inline-(?:block|flex)", re.IGNORECASE)
_WIDTH = re.compile(r"(?<![\w-])(?:min-)?width\s*:\s*[\d.]*[1-9]", re.IGNORECASE)
_ALIGNED = re.compile(r"(?<![\w-])text-align\s*:\s*(\w+)", re.IGNORECASE)

Declarations = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Rules:
    """Declarations of a style sheet, by element name and by class."""

    by_tag: dict[str, Declarations] = field(default_factory=dict)
    by_class: dict[tuple[str, str], Declarations] = field(default_factory=dict)

    def declarations(self, tag: str, classes: Sequence[str]) -> Declarations:
        """Returns the declarations for an element, in ascending order of precedence."""
        declarations = self.by_tag.get(tag, ())
        for name in classes:
            declarations += self.by_class.get(("", name), ()) + self.by_class.get((tag, name), ())
        return declarations

    def hides(self, tag: str, classes: Sequence[str], style: str) -> bool:
        """Returns whether an element is hidden by the sheet or by its `style` attribute."""
        is_shown = True
        for key, value in (*(self.declarations(tag, classes) if self.by_class else ()), *_parsed(style)):
            if key == "display":
                is_shown = value != "none"
            elif key == "visibility" and value in ("hidden", "collapse"):
                return True
        return not is_shown


def parse_rules(sheet: str) -> Rules:
    """Returns the rules of a style sheet that have simple selectors."""
    rules = Rules()
    for selector, body in _blocks(_without_comments(sheet[:MAX_SHEET])):
        declarations = _parsed(body)
        if not declarations:
            continue
        for part in selector.split(","):
            match = _SIMPLE_SELECTOR.match(part.strip())
            if not match:
                continue
            tag, name = (match[1] or "").lower(), match[2]
            if name:
                rules.by_class[tag, name] = rules.by_class.get((tag, name), ()) + declarations
            elif tag:
                rules.by_tag[tag] = rules.by_tag.get(tag, ()) + declarations
    return rules


def _without_comments(sheet: str) -> str:
    """Returns the sheet without comments; an unclosed one extends to the end."""
    parts = []
    at = 0
    while (start := sheet.find("/*", at)) >= 0:
        parts.append(sheet[at:start])
        end = sheet.find("*/", start + 2)
        at = end + 2 if end >= 0 else len(sheet)
    return " ".join([*parts, sheet[at:]])


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """Yields selector and body of each rule; at-rules such as `@media print` are skipped with their contents."""
    at, depth, start = 0, 0, 0
    selector = ""
    for match in re.finditer(r"[{}]", sheet):
        if match.group() == "{":
            if depth == 0:
                selector, start = sheet[at : match.start()].strip(), match.end()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                if not selector.startswith("@"):
                    yield selector, sheet[start : match.start()]
                at = match.end()


@lru_cache(maxsize=4096)
def _parsed(style: str) -> Declarations:
    declarations = []
    for declaration in style.split(";"):
        key, colon, value = declaration.partition(":")
        key = key.strip().lower()
        if colon and key in ("font-size", "font-weight", "font-style", "font", "display", "visibility", "font-family"):
            declarations.append((key, value.replace("!important", "").strip().lower()))
    return tuple(declarations)


@lru_cache(maxsize=8192)
def restyled(style: Style, declarations: Declarations, inline: str) -> Style:
    """Returns a style changed by declarations of the sheet and by an element's `style` attribute."""
    for key, value in (*declarations, *_parsed(inline)):
        if key == "font-size":
            style = _sized(style, value)
        elif key == "font-weight":
            style = replace(
                style, bold=value in ("bold", "bolder") or (value.isdecimal() and int(value) >= BOLD_WEIGHT)
            )
        elif key == "font-style":
            style = replace(style, italic=value in ("italic", "oblique"))
        elif key == "font-family":
            style = replace(style, font=value.split(",")[0].strip(" \"'")[:_FONT_NAME])
        elif key == "font":
            style = replace(style, bold=bool(re.search(r"\bbold\b|\b[6-9]00\b", value)), italic="italic" in value)
            style = _sized(style, value)
    return style


def _sized(style: Style, value: str) -> Style:
    match = _SIZE.search(value)
    size = style.size
    if match:
        try:
            number = float(match[1])
        except ValueError:
            return style
        unit = match[2]
        if unit in _POINTS_PER_UNIT:
            size = number * _POINTS_PER_UNIT[unit]
        elif unit == "rem":
            size = number * BODY.size
        else:
            size = style.size * number / (100 if unit == "%" else 1)
    else:
        size = next((points for name, points in _NAMED_SIZES.items() if value == name), size)
    return replace(style, size=round(min(size, MAX_SIZE) * _SIZE_STEPS) / _SIZE_STEPS)


def page_break(style: str, *, before: bool) -> bool:
    """Returns whether a `style` attribute starts a new page before the element, or after it."""
    return bool(style) and bool((_BREAK_BEFORE if before else _BREAK_AFTER).search(style))


def stands_apart(style: str) -> bool:
    """Returns whether a `style` attribute moves an inline element away from the words before it, without a space between."""
    return bool(style) and bool(_GAP_BEFORE.search(style) or has_width(style))


def has_width(style: str) -> bool:
    """Returns whether a `style` attribute makes an inline element a box of fixed width, at whose end the next text begins."""
    return bool(style) and bool(_INLINE_BOX.search(style)) and bool(_WIDTH.search(style))


def alignment(style: str) -> str | None:
    """Returns the text alignment of a `style` attribute, such as "center"; None without one."""
    match = _ALIGNED.search(style) if style else None
    return match[1].lower() if match else None
