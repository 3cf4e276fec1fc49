"""How a page of HTML is built, as far as it says what is the page's text and what is the page around it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAIN_SHARE = 0.5
"""Share of a page's text from which its `<main>` stands for all of it."""
LAYOUT_CELL = 700
"""Characters to a cell, on average, from which a table is a page's frame and no table."""
_LOOKED_AT = 500
"""Elements of one term or definition: lists may nest, and each would count all that is inside."""
MIN_TERMS = 3
"""Terms of a list of definitions whose terms are titles."""
NAMED_TERMS = 0.8
"""Share of them that have a name to link to."""
DEFINITION = 400
"""Letters of their definitions, the median: those of a chapter of commands are small sections, those of options a line or two.
In the manuals measured the former have 480 and more, the latter up to 290."""

TITLES = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
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
SECTIONS = frozenset({"article", "section", "main"})


def tag_of(element: Any) -> str:
    tag = element.tag
    if not isinstance(tag, str):  # an entity, or a comment
        return ""
    return tag.rpartition(":")[2] if ":" in tag and not tag.startswith("ix:") else tag


def is_page_furniture(element: Element, tag: str) -> bool:
    """Whether a header, footer or aside is the page's and not an article's; a header with the title stays."""
    if tag == "header" and element.find(".//h1") is not None:
        return False
    return not any(tag_of(above) in SECTIONS for above in element.iterancestors())


def main_of(root: Element) -> Element | None:
    """The page's one `<main>`, if it holds most of the text."""
    found = [one for one in root.iter() if one.tag == "main" or one.get("role") == "main"]
    if len(found) != 1:
        return None
    total = sum(len(text.strip()) for text in texts_of(root))
    return found[0] if sum(len(text.strip()) for text in texts_of(found[0])) >= MAIN_SHARE * total else None


def texts_of(root: Element) -> Iterator[str]:
    """Texts of the elements that are not dropped whatever the page's styles are."""
    from lxml import etree

    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            if element.tag in DROPPED:
                walk.skip_subtree()
            elif element.text:
                yield element.text
        elif element.tail:
            yield element.tail


def sections_tell_levels(root: Element) -> bool:
    """Whether all headings are `<h1>` and nested sections alone say how deep each is."""
    if any(next(root.iter(tag), None) is not None for tag in ("h2", "h3", "h4", "h5", "h6")):
        return False
    found = list(root.iter("h1"))
    return len(found) > 1 and any(tag_of(one) in SECTIONS for heading in found[:50] for one in heading.iterancestors())


def layout_tables(root: Element) -> set[Element]:
    """Tables that only frame a page: around other tables, headings or long text."""
    frames: set[Element] = set()
    for element in root.iter():
        inner = element.tag in TITLES or element.tag == "table" or element.get("role") == "heading"
        if element.tag == "table" and element.get("role") in ("presentation", "none"):
            frames.add(element)
        if not inner:
            continue
        above = element.getparent()
        while above is not None:
            if above.tag == "table":
                if above in frames:
                    break
                frames.add(above)
            above = above.getparent()
    for table in root.iter("table"):
        if table in frames:
            continue
        cells = sum(1 for one in table.iter("td", "th"))
        if sum(len(text) for text in texts_of(table)) > LAYOUT_CELL * max(1, cells):
            frames.add(table)
    return frames


def titled_lists(root: Element) -> set[Element]:
    """Lists of definitions whose terms head a small section each: the terms have names, the definitions are long."""
    found: set[Element] = set()
    for one in root.iter("dl"):
        children = [child for child in one if tag_of(child) in ("dt", "dd")]
        terms = [term for term in children if is_first_term(term)]
        if len(terms) < MIN_TERMS or sum(is_named(term) for term in terms) < NAMED_TERMS * len(terms):
            continue
        lengths = [_length(child) for child in children if tag_of(child) == "dd"]
        if lengths and median(lengths) >= DEFINITION:
            found.add(one)
    return found


def is_first_term(element: Element) -> bool:
    """Whether an element is a term, of several with one definition the first."""
    above = element.getprevious()
    return tag_of(element) == "dt" and (above is None or tag_of(above) != "dt")


def is_named(element: Element) -> bool:
    """Whether an element, or a mark inside it, can be linked to."""
    return bool(element.get("id")) or any(
        one.get("id") or (one.tag == "a" and one.get("name")) for one in islice(element.iter(), 1, _LOOKED_AT)
    )


def _length(element: Element) -> int:
    """Letters of an element's text, as far as the rule above needs to know."""
    total = 0
    for one in islice(element.iter(), _LOOKED_AT):
        total += len((one.text or "").strip()) + (len((one.tail or "").strip()) if one is not element else 0)
        if total >= DEFINITION:
            break
    return total
