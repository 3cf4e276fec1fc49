"""The little of style sheets that tells headings from text: size, weight, slant, and what is not shown.

Selectors of one class, one element, or both; others are passed over. Sizes are in points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ..pages import Style

BODY = Style(12.0)
"""How text is set where nothing says otherwise."""

_MAX_SHEET = 2_000_000
_SIMPLE = re.compile(r"^([a-z][a-z0-9]*)?(?:\.([\w-]+))?$", re.IGNORECASE)
_SIZE = re.compile(r"([\d.]{1,8})\s*(pt|px|em|rem|%|in|cm|mm|pc)")
_POINTS = {"pt": 1.0, "px": 0.75, "in": 72.0, "cm": 28.35, "mm": 2.835, "pc": 12.0}
_NAMED = {
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
_BOX = re.compile(r"display\s*:\s*inline-(?:block|flex)", re.IGNORECASE)
_WIDTH = re.compile(r"(?<![\w-])(?:min-)?width\s*:\s*[\d.]*[1-9]", re.IGNORECASE)
_ALIGNED = re.compile(r"(?<![\w-])text-align\s*:\s*(\w+)", re.IGNORECASE)

Declarations = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Rules:
    """Declarations by element name and by class."""

    by_tag: dict[str, Declarations] = field(default_factory=dict)
    by_class: dict[tuple[str, str], Declarations] = field(default_factory=dict)

    def declarations(self, tag: str, classes: Sequence[str]) -> Declarations:
        """What the sheet says of an element, the weightier last."""
        found = self.by_tag.get(tag, ())
        for one in classes:
            found += self.by_class.get(("", one), ()) + self.by_class.get((tag, one), ())
        return found

    def hides(self, tag: str, classes: Sequence[str], style: str) -> bool:
        """Whether an element is not shown."""
        shown = True
        for key, value in (*(self.declarations(tag, classes) if self.by_class else ()), *_parsed(style)):
            if key == "display":
                shown = value != "none"
            elif key == "visibility" and value in ("hidden", "collapse"):
                return True
        return not shown


def parse_rules(sheet: str) -> Rules:
    """The simple rules of a style sheet."""
    rules = Rules()
    for selector, body in _blocks(_without_comments(sheet[:_MAX_SHEET])):
        declarations = _parsed(body)
        if not declarations:
            continue
        for one in selector.split(","):
            match = _SIMPLE.match(one.strip())
            if not match:
                continue
            tag, name = (match[1] or "").lower(), match[2]
            if name:
                rules.by_class[tag, name] = rules.by_class.get((tag, name), ()) + declarations
            elif tag:
                rules.by_tag[tag] = rules.by_tag.get(tag, ()) + declarations
    return rules


def _without_comments(sheet: str) -> str:
    """The sheet without comments; one that is not closed takes the rest."""
    kept = []
    at = 0
    while (start := sheet.find("/*", at)) >= 0:
        kept.append(sheet[at:start])
        end = sheet.find("*/", start + 2)
        at = end + 2 if end >= 0 else len(sheet)
    return " ".join([*kept, sheet[at:]])


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """Each rule's selector and body; what stands inside `@media print` and the like is passed over."""
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
    found = []
    for declaration in style.split(";"):
        key, colon, value = declaration.partition(":")
        key = key.strip().lower()
        if colon and key in ("font-size", "font-weight", "font-style", "font", "display", "visibility", "font-family"):
            found.append((key, value.replace("!important", "").strip().lower()))
    return tuple(found)


@lru_cache(maxsize=8192)
def restyled(style: Style, declarations: Declarations, inline: str) -> Style:
    """A style after what sheet and `style` attribute say."""
    for key, value in (*declarations, *_parsed(inline)):
        if key == "font-size":
            style = _sized(style, value)
        elif key == "font-weight":
            style = replace(style, bold=value in ("bold", "bolder") or (value.isdecimal() and int(value) >= 600))
        elif key == "font-style":
            style = replace(style, italic=value in ("italic", "oblique"))
        elif key == "font-family":
            style = replace(style, font=value.split(",")[0].strip(" \"'")[:60])
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
        if unit in _POINTS:
            size = number * _POINTS[unit]
        elif unit == "rem":
            size = number * BODY.size
        else:
            size = style.size * number / (100 if unit == "%" else 1)
    else:
        size = next((points for name, points in _NAMED.items() if value == name), size)
    return replace(style, size=round(min(size, 400.0) * 2) / 2)


def page_break(style: str, *, before: bool) -> bool:
    """Whether an element's style asks for a new page before (or after) it."""
    return bool(style) and bool((_BREAK_BEFORE if before else _BREAK_AFTER).search(style))


def stands_apart(style: str) -> bool:
    """Whether an element inside a line is moved away from the words before it, which no space then shows."""
    return bool(style) and bool(_GAP_BEFORE.search(style) or has_width(style))


def has_width(style: str) -> bool:
    """Whether an element inside a line is a box of its own width: what follows begins at the end of the box."""
    return bool(style) and bool(_BOX.search(style)) and bool(_WIDTH.search(style))


def alignment(style: str) -> str | None:
    """What an element's own style says of its lines: "center", "left" and so on."""
    match = _ALIGNED.search(style) if style else None
    return match[1].lower() if match else None
