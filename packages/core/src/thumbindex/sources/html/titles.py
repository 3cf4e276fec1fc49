"""Recognising titles in HTML pages: what belongs to one, what only looks like one, and how long ones are shortened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...pages import Style
from ..line_writer import TextRun
from .headers_footers import is_back_link
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


def leads_back(runs: list[TextRun]) -> bool:
    """Returns whether a heading is only a link to the contents or the top."""
    filled = [run for run in runs if run.text.strip()]
    is_link = bool(filled) and len(filled) < _FEW_RUNS and all(run.link is not None for run in filled)
    return is_link and is_back_link("".join(run.text for run in runs))


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
