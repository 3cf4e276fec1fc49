"""Recognising titles in HTML pages: what belongs to one, what only looks like one, and how long ones are shortened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...pages import Style
from ..line_writer import TextRun
from .structure import is_first_term

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_SIGNATURE = 80
"""Characters of a signature from which its arguments are left out of the title."""
MAX_TITLE = 150
"""Characters of a bold, centred paragraph that may be a title."""
_FEW_RUNS = 8
"""Runs below which a paragraph may be a bullet or a link back."""
_BULLETS = frozenset("•●○◦▪▫■□►‣⁃·∙–")


def is_bullet(runs: list[TextRun]) -> bool:
    """Returns whether a paragraph is only the bullet before an item."""
    return len(runs) < _FEW_RUNS and "".join(run.text for run in runs).strip().strip("\u200b") in _BULLETS


def link_alone(runs: list[TextRun]) -> str | None:
    """Returns the anchor of a text that is one link within the document and nothing else; None for any other text."""
    filled = [run for run in runs if run.text.strip()]
    links = {run.link for run in filled} if len(filled) < _FEW_RUNS else set()
    return links.pop() if len(links) == 1 else None


def title_style(runs: list[TextRun]) -> Style | None:
    """Returns the style of a centred paragraph that is bold as a whole, whose neighbours of that style belong to its title.

    None for other paragraphs, and for a remark in parentheses.
    """
    filled = [run for run in runs if run.text.strip()]
    styles = {run.style for run in filled}
    style = styles.pop() if len(styles) == 1 else None
    is_title = style is not None and style.bold and not filled[0].text.lstrip().startswith("(")
    return style if is_title and sum(len(run.text) for run in filled) <= MAX_TITLE else None


def is_permalink(link: Element) -> bool:
    """Returns whether a link within a title is not part of it: a "#", "¶" or image by which readers copy its address."""
    return link.get("href", "").startswith("#") and not any(char.isalnum() for char in "".join(link.itertext()))


def is_signature(element: Element) -> bool:
    """Returns whether a term is a function, class or option as Sphinx marks it and lists it in its contents.

    Of several terms with one definition, only the first is.
    """
    return bool(element.get("id")) and "sig" in element.get("class", "").split() and is_first_term(element)


def short_signature(runs: list[TextRun]) -> str:
    """Returns a signature such as `json.dump(obj, fp)`; a long list of arguments is replaced by an ellipsis."""
    text = " ".join("".join(run.text for run in runs).split())
    name, bracket, _ = text.partition("(")
    return f"{name}(…)" if bracket and len(text) > MAX_SIGNATURE else text
