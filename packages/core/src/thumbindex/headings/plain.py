"""Headings of plain text: underlined, numbered, in capitals, or standing out to the left of an indented text. Pure.

Covers what programs and typists write: reStructuredText and its like, RFCs, manual pages, reports, books as Project
Gutenberg sets them. Conversations have rules of their own (`conversations`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from ..outline import Heading, Outline
from ..pages import Document
from .blocks import wording_fits
from .conversations import conversation_headings
from .layout import is_caps
from .nesting import Ranked, nest
from .numbering import WORD_KINDS, Label, is_bare_label, parse_label

RULE_NAME = "plain"
MAX_TITLE = 100
"""Characters of a heading: it stands on one line."""
MAX_RAW = 300
"""Characters of a line, white space included, from which it is no heading and no entry."""
SURE, NUMBERED = 0.9, 0.6
"""Confidence of a heading that its style shows, and of one that only its number shows."""
IN_PARAGRAPHS = 0.25
"""Share of the lines at the left edge that may stand inside paragraphs, where that edge is the place of headings."""
OUTDENTED = 4
"""Spaces from the left edge up to which a line stands out of an indented text."""
OUTDENTED_WORDS, OUTDENTED_WORDS_IN_TEXT = 8, 5
"""Words of such a heading, with and without a blank line below."""
LABELLED = 90
"""Characters of a heading that begins with "Chapter 3" or the like."""
IN_ORDER = 0.7
"""Share of a list's entries that must come again in its order."""
MARGIN_LINES = 5
"""Lines from a page break in which a header or footer stands."""
HANGING = 0.5
"""Share of the lines that are indented, from which what stands to the left of them are headings."""
CONTENTS = 5
"""Lines of a list of contents."""
RESTARTS = 3
"""Times that a count may restart; counts of lists restart more often."""

NUMBERED_BEFORE = 2
"""Numbered headings before a first message or turn, from which a text is no conversation: a specification gives examples."""
REPEATED = 3
"""Headings of the same words from which they are parts of the sections around them."""
_REPEATED: tuple[str, str | int] = ("repeated", 0)

_UNDERLINE = re.compile(r"^\s*([=\-~^*#+_.:`'\"<>])\1{2,}\s*$")
_COLUMNS = re.compile(r"\S(?: {3,}|\t)\S")
_LEADERS = re.compile(
    r"(?<![.·…_])(?:(?<![.·…_]\s)|(?=\s))(?:\s?[.·…_]){4,}+\s*+\w{0,20}+\s*+$|(?<!\s)\s{3,}+(?:\d{1,4}|[ivxl]{1,6})\s*+$"
)
_FOOT = re.compile(r"\[Page \w+\]\s*$|^\s*(?:-\s*)?(?:Page )?\d{1,4}(?:\s*-)?\s*$", re.IGNORECASE)
_SIGNS = re.compile(r"^(={1,6})[ \t]++(\S(?:.*\S)?)\s*+$")
_CODE = re.compile(r"[={}\\<>|;]|://|\(\)|^\W")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A line that may be a heading; lines are counted from 0."""

    first: int
    last: int
    text: str
    look: tuple[str, str | int]
    label: Label | None
    sure: bool
    """True if its style alone marks it; a number in running text is weaker evidence."""


def plain_outline(document: Document) -> Outline:
    """The outline of a plain text."""
    texts = [line.text.expandtabs() for line in document.lines]
    turns = conversation_headings(texts)
    headers_footers = _page_margins(texts)
    contents = _contents(texts, headers_footers)
    marked = _marked_by_signs(texts)
    candidates = marked or _without_lists(_candidates(texts, headers_footers | contents))
    if turns and sum(found.first + 1 < turns[0].line and _is_numbered(found) for found in candidates) < NUMBERED_BEFORE:
        return Outline("layout", tuple(turns), 0.8)
    if len(candidates) < 2:
        return Outline("layout", (), 0.5, frozenset(n + 1 for n in headers_footers))
    candidates = _with_repeated_apart(candidates)
    ranks = _style_ranks(candidates)
    levels = nest([Ranked(ranks[candidate.look], candidate.label) for candidate in candidates])
    headings = tuple(
        Heading(
            candidate.text,
            level,
            None,
            candidate.first + 1,
            RULE_NAME,
            SURE if candidate.sure else NUMBERED,
            candidate.last + 1,
        )
        for candidate, level in zip(candidates, levels, strict=True)
    )
    return Outline("layout", headings, 0.7, frozenset(n + 1 for n in headers_footers | contents))


def _is_numbered(candidate: _Candidate) -> bool:
    return candidate.label is not None


def _page_margins(texts: Sequence[str]) -> set[int]:
    """Returns the headers and footers of printed pages: around form feeds, and footers such as "[Page 3]" with the header that follows."""
    breaks = [n for n, text in enumerate(texts) if text.startswith("\f")]
    if not breaks:
        breaks = [n + 1 for n, text in enumerate(texts) if text.rstrip().endswith("]") and _FOOT.search(text)]
    if len(breaks) < 2:
        return set()
    near: list[int] = []
    for here in breaks:
        above = next((n for n in range(here - 1, max(here - MARGIN_LINES, -1), -1) if texts[n].strip()), None)
        below = next((n for n in range(here, min(here + MARGIN_LINES, len(texts))) if texts[n].strip(" \f")), None)
        near += [n for n in (above, below) if n is not None]
    counts = Counter(_masked(texts[n]) for n in near)
    found = {n for n in near if counts[_masked(texts[n])] >= max(2, len(breaks) // 4) or _FOOT.search(texts[n])}
    return found | {n for n in breaks if n < len(texts) and not texts[n].strip(" \f")}


def _masked(text: str) -> str:
    return _DIGITS.sub("#", " ".join(text.split()))


def _candidates(texts: Sequence[str], headers_footers: set[int]) -> list[_Candidate]:
    filled = [n for n, text in enumerate(texts) if text.strip(" \f") and n not in headers_footers]
    if not filled:
        return []
    indents = [_indent(texts[n]) for n in filled]
    body = median(indents)
    hanging = body >= 2 and sum(indent >= 2 for indent in indents) >= HANGING * len(filled)
    if hanging:
        # Paragraphs that stand at the left edge too make it no place of headings alone.
        left = [at for at, indent in enumerate(indents) if indent < 2]
        inside = sum(at > 0 and indents[at - 1] < 2 and filled[at] == filled[at - 1] + 1 for at in left)
        hanging = inside <= IN_PARAGRAPHS * len(left)
    position = {n: at for at, n in enumerate(filled)}
    found: list[_Candidate] = []
    skip = -1
    for n in filled:
        if n <= skip:
            continue
        candidate = _candidate(texts, filled, position[n], hanging, headers_footers)
        if candidate is not None:
            found.append(candidate)
            skip = candidate.last
    return found


def _candidate(
    texts: Sequence[str], filled: Sequence[int], at: int, hanging: bool, headers_footers: set[int]
) -> _Candidate | None:
    n = filled[at]
    raw = texts[n].strip("\f")
    text = " ".join(raw[: 2 * MAX_RAW].split())
    following = filled[at + 1] if at + 1 < len(filled) else None
    above = filled[at - 1] if at else None
    overline = _UNDERLINE.match(texts[n])
    if overline and following == n + 1 and at + 2 < len(filled) and filled[at + 2] == n + 2:
        under = _UNDERLINE.match(texts[n + 2])
        title = texts[n + 1].strip()
        if (
            under
            and under[1] == overline[1]
            and _is_title(title)
            and not _UNDERLINE.match(title)
            and len(title) <= MAX_TITLE
        ):
            title = " ".join(title.split())
            return _Candidate(n, n + 2, title, ("over", under[1]), parse_label(title), True)
    if (
        overline
        or len(text) > MAX_TITLE
        or len(raw) > MAX_RAW
        or not any(char.isalpha() for char in text)
        or _LEADERS.search(raw)
    ):
        return None
    opens = above is None or above < n - 1 or above in headers_footers
    under = _UNDERLINE.match(texts[following]) if following == n + 1 else None
    if under and opens and following is not None and not _COLUMNS.search(raw.strip()):
        width = len(texts[following].strip())
        if (
            _is_title(text)
            and 0.5 * len(raw.strip()) <= width <= len(raw.strip()) + 12
            and _is_alone(texts, filled, at + 1)
        ):
            return _Candidate(n, following, text, ("under", under[1]), parse_label(text), True)
    label = parse_label(text)
    if not opens or not wording_fits(text) or (_COLUMNS.search(raw.strip()) and label is None):
        return None
    closes = following is None or following > n + 1
    indent = _indent(raw)
    stands_out = hanging and following is not None and indent <= OUTDENTED and _indent(texts[following]) > indent + 1
    if label is not None and closes and _number_says_so(label, text):
        last = n
        if is_bare_label(text) and following is not None and following <= n + 2 and closes is (following > n + 1):
            title = texts[following].strip()
            if _is_alone(texts, filled, at + 1) and len(title) <= 70 and parse_label(title) is None:
                text, last = f"{text} {' '.join(title.split())}", following
        word = label.kind in WORD_KINDS
        return _Candidate(n, last, text, ("plain", indent if hanging else 0), parse_label(text), word or stands_out)
    if text[-1] in ".,;:" or not (text[0].isupper() or text[0].isdigit()) or ". " in text:
        return None
    if (
        stands_out
        and len(text.split()) <= (OUTDENTED_WORDS if closes else OUTDENTED_WORDS_IN_TEXT)
        and not _CODE.search(text)
    ):
        return _Candidate(n, n, text, ("plain", indent), label, True)
    if is_caps(text) and closes and len(text) >= 4:
        return _Candidate(n, n, text, ("caps", 0), label, True)
    return None


def _is_title(text: str) -> bool:
    """Returns whether an underlined line may be a title: it has letters and is not a command between two rules."""
    return bool(text) and text[0] not in "$>#|+" and any(char.isalpha() for char in text)


def _is_alone(texts: Sequence[str], filled: Sequence[int], at: int) -> bool:
    """Returns whether a blank line (or the end) follows a line, or what follows is indented more."""
    n = filled[at]
    return at + 1 == len(filled) or filled[at + 1] > n + 1 or texts[n + 1][:1] not in ("-", "=")


def _number_says_so(label: Label, text: str) -> bool:
    if label.title.endswith(("。", "다.")):
        return False  # an article of a law: the whole of its text stands beside its number
    if label.kind in WORD_KINDS:
        # "Section 2.3 explains …" is a sentence.
        return len(text) <= LABELLED and (label.marked or not label.title[:1].islower())
    if label.kind != "decimal" and not label.kind.startswith("upper"):
        return False
    title = label.title
    return label.marked and bool(title) and (title[0].isupper() or label.depth > 1) and text[-1] not in ".,;:?"


def _indent(text: str) -> int:
    text = text.strip("\f")
    return len(text) - len(text.lstrip(" "))


def _with_repeated_apart(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The candidates, those without number whose words come time and again in the lowest place: "Rationale", "Example"."""
    counts = Counter(
        candidate.text for candidate in candidates if candidate.label is None and candidate.look[0] in ("plain", "caps")
    )
    return [
        replace(candidate, look=_REPEATED) if counts[candidate.text] >= REPEATED else candidate
        for candidate in candidates
    ]


def _style_ranks(candidates: Sequence[_Candidate]) -> dict[tuple[str, str | int], int]:
    """Underlines in the order in which they first come, as in reStructuredText; then capitals, then the rest by indent."""
    lined = list(dict.fromkeys(candidate.look for candidate in candidates if candidate.look[0] in ("over", "under")))
    indents = sorted({int(candidate.look[1]) for candidate in candidates if candidate.look[0] == "plain"})
    signs = sorted({int(candidate.look[1]) for candidate in candidates if candidate.look[0] == "signs"})
    order: list[tuple[str, str | int]] = [
        *lined,
        *(("signs", count) for count in signs),
        ("caps", 0),
        *(("plain", indent) for indent in indents),
    ]
    ranks = {look: rank for rank, look in enumerate(order)}
    ranks[_REPEATED] = len(order)
    if not lined:
        # Capitals at the left edge are the same as other words there: "1. INTRODUCTION" after "Abstract".
        ranks["caps", 0] = ranks.get(("plain", indents[0]), 0) if indents else 0
    return ranks


def _contents(texts: Sequence[str], headers_footers: set[int]) -> set[int]:
    """The lines of a list of contents: close together, and most of them come again after it, one by one."""
    filled = [n for n, text in enumerate(texts) if text.strip(" \f") and n not in headers_footers]
    keys = {n: _entry_key(texts[n]) for n in filled}
    last = {key: n for n, key in keys.items()}
    first = {key: n for n, key in reversed(keys.items())}
    run: list[int] = []
    found: set[int] = set()
    between = 0

    def close() -> None:
        again = [n for n in run if last[keys[n]] > run[-1]]
        inside = filled[bisect_left(filled, run[0]) : bisect_right(filled, run[-1])] if run else []
        if len(again) >= CONTENTS and len(again) >= 0.5 * len(inside):
            places = [last[keys[n]] for n in again]
            if sum(candidate < other for candidate, other in pairwise(places)) >= IN_ORDER * (len(places) - 1):
                found.update(inside)
                # A list inside the first section names that one too, whose heading stands above it.
                for n in reversed(filled[: bisect_left(filled, run[0])][-2:]):
                    if len(keys[n]) < 4 or first[keys[n]] == n:
                        break
                    found.add(n)
        run.clear()

    for n in filled:
        if len(keys[n]) >= 4 and last[keys[n]] > n:
            run.append(n)
            between = 0
        elif run:
            between += 1
            if between > 2:
                close()
                between = 0
    close()
    return found


def _entry_key(text: str) -> str:
    """Returns what an entry shares with its heading: letters and digits, without leaders, page number and "Chapter"."""
    if len(text) > MAX_RAW:
        return ""
    text = re.sub(r"^\W*(?:chapter|appendix|section|sec)\b[.]?\s+", "", _LEADERS.sub("", text).strip().casefold())
    return "".join(char for char in text if char.isalnum())


def _marked_by_signs(texts: Sequence[str]) -> list[_Candidate]:
    """Titles as AsciiDoc (`== Title`) and wikis (`== Title ==`) have them; none where fewer than three are."""
    found: list[_Candidate] = []
    fence = ""
    for n, text in enumerate(texts):
        if re.fullmatch(r"(-{4,}|\.{4,}|`{3})\s*", text) and (not fence or text.strip() == fence):
            fence = "" if fence else text.strip()
            continue
        match = None if fence else _SIGNS.match(text)
        if match:
            title = " ".join(match[2].split()).removesuffix(f" {match[1]}")
            found.append(_Candidate(n, n, title, ("signs", len(match[1])), parse_label(title), True))
    return found if len(found) >= 3 else []


def _without_lists(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Without numbers that begin anew time and again and never have parts: items of lists."""
    first = [
        candidate
        for candidate in candidates
        if not candidate.sure and candidate.label is not None and candidate.label.depth == 1
    ]
    deep = any(candidate.label is not None and candidate.label.depth > 1 for candidate in candidates)
    restarts = sum(candidate.label is not None and candidate.label.ordinal == 1 for candidate in first)
    if deep or restarts <= RESTARTS:
        return list(candidates)
    return [candidate for candidate in candidates if candidate not in first]
