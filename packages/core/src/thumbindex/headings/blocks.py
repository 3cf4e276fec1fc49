"""Lines that may be headings: one to five lines in one style, with their label, their type and the space around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..pages import Line, Style
from ..text.tables import cells
from .layout import Layout, family, is_caps
from .numbering import WORD_KINDS, Label, is_bare_label, may_be_numbered, parse_label

TYPOGRAPHY = "typography"
"""Name of the rule that finds headings by their type."""
BY_TYPE = 0.5
"""Confidence of a heading that its type alone shows."""
LARGER, LARGER_BOLD = 0.9, 0.4
"""Points above the body's size from which a line is in larger type, and from which it is if it is bold too: sizes are rounded
to a half, and a difference of half a point may be rounding."""
LIGHTER = 0.6
"""Points below the body's size down to which slant and font still count; smaller type is a footnote's."""
LABEL_ABOVE = 4.5
"""Distance, in type sizes, of a number alone from the title below it."""
LINE_DROP = 1.75
"""Distance of two baselines, in type sizes, up to which lines set alike are one heading."""
WORD_GAP = 1.5
"""Distance, in type sizes, of two pieces of one line."""
RIGHT_EDGE = 0.06
"""Share of the text's width before its right edge from which a line is full."""
TIGHT, LOOSE = 1.15, 1.2
"""Distance of lines, as multiples of the usual one, up to which a line stands inside a paragraph, and words in lower case do."""
TIGHT_BELOW = 1.1
"""Distance below up to which a full line in italics goes on in the next one."""
SHORT_NUMBERED, SHORT_SEQUENTIAL = 120, 150
"""Characters of a heading in body type, and of one whose number continues a sequence."""
LETTERS = 0.4
"""Share of letters in a title: fewer are a formula, or a row of figures."""
FORMULA = 12
"""Letters up to which a line with an equals sign is a formula."""
FIGURE_SHARE = 0.25
"""Share of figures among the words of a line from which it is a row of a table."""
CAPITAL_WIDTH, CJK_WIDTH, STRETCHED = 0.8, 1.1, 1.15
"""Widths of a bold capital and of a CJK character in type sizes, and how much wider a line may be than these give."""
FAR = 9.0
"""Distance to a neighbour where there is none in the column."""
MAX_LINES = 5
MAX_CHARS = 240
LABEL_CHARS = 8
"""Characters of a number that stands apart from its title."""
LABEL_GAP = 6.0
"""Distance of a number from its title, in type sizes."""
SAME_BASELINE = 0.45
"""Difference of height, in type sizes, up to which two pieces of text stand on one line."""
SAME_SIZE = 0.6
"""Points by which sizes of one title may differ: they are rounded to a half."""
ROW_FIGURES = 2
"""Figures at the end of a line from which it is a row of a table."""
COLONS, COLON_SHARE = 10, 0.6
"""Different captions with a colon, and their share of the lines in one style, from which the colon is that style's custom."""
COLON_SPACE, COLON_CHARS = 1.3, 80
"""White space above, in lines, and characters of a bold line that ends in a colon and is a caption all the same."""
LIST = 4
"""Unnumbered headings in a row, without text between them, from which they are taken for a list."""
NUMBER_GAP = 5
"""Character widths between a number and its title at most."""
COMMON = 0.25
"""Share of the document's characters from which a style is that of running text."""
SMALLER = 1.5
"""Points below the body's size down to which bold or capital lines still count as headings."""

_CAPTION = re.compile(
    r"^(?:figure|fig\.|table|tab\.|chart|graph|diagram|listing|algorithm|plate|map|photo|source|abbildung|abb\.|tabelle|"
    r"figura|tabla|cuadro|gráfico|tableau|graphique|рис\.?|рисунок|таблица|图|圖|表)\s*(?:[A-Z]?[\d一二三四五六七八九十]|[IVX]+\b)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^[•●○◦▪▫■□►▶➢➤✓✔❖◆◇\-–—*·‣⁃\uf0b7\uf0a7]\s*(?=\S)")
_FIGURES = re.compile(r"^[\(\$€£¥]*\d[\d,.\s]*[%\)]*$|^[—–-]$|^[\$€£¥%]$|^n/?[am]\.?$", re.IGNORECASE)
_CONTINUED = re.compile(
    r"\((?:continued|cont[’']?d?\.?|fortsetzung|suite|continuaci[oó]n)\)$|[-–—]\s*(?:continued|cont[’']d)\.?$",
    re.IGNORECASE,
)
_CODE = re.compile(r"^[$#>%]\s|://|^[^\s/]*+/[^\s/]*+/\S*+$|\s--\w+")
"""Prompts, comments, addresses, paths and options of a command line."""
_LEADERS = re.compile(r"(?:\s?[.·…]){4,}")


@dataclass(frozen=True, slots=True)
class TextStyle:
    """The properties of a heading's type on which its level depends."""

    size: float
    bold: bool
    italic: bool
    caps: bool
    family: str = ""

    def rank(self) -> tuple[float, bool, bool, bool]:
        """Returns a key that sorts from the heaviest style to the lightest: size, then capitals, then bold, then upright."""
        return (-self.size, not self.bold, not self.caps, self.italic)


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines that may be a heading.

    `why` is what makes it stand out: "large", "bold", "caps", "italic", "font" or "number". `above` and `below` are the
    distances to the neighbouring lines as multiples of the usual one; large numbers at the top and bottom of a column.
    """

    first: int
    last: int
    page: int
    text: str
    style: TextStyle
    why: str
    label: Label | None
    left: float
    right: float
    above: float
    below: float
    full: bool
    """True if its last line runs to the right edge of the text, as lines inside a paragraph do."""
    rule: str = TYPOGRAPHY
    """Name of the rule that found it."""
    confidence: float = BY_TYPE

    @property
    def alone(self) -> bool:
        """True if it has the white space that its type asks for: the weaker the type, the more."""
        if self.why != "large" and self.text[:1].islower() and (self.above <= LOOSE or self.full):
            return False  # words picked out of a sentence
        if self.text[-1] == ":" and self.label is None and (self.above <= COLON_SPACE or len(self.text) > COLON_CHARS):
            return False  # it introduces what follows in the paragraph
        if self.why == "caps" and self.above <= TIGHT and (self.text[-1] in ".)" or self.text[-1].isdigit()):
            return False  # the end of a sentence: "… Article 8 / ECHR."
        if self.why in ("large", "bold", "caps"):
            # A bold line that goes on from the line above and into the one below is emphasis.
            inside = self.full and self.above <= TIGHT and self.below <= TIGHT and self.text[:1].islower()
            return not inside
        if self.text[-1] == "." or self.above <= TIGHT:
            return False
        if self.why == "number":
            return self.below > 1.0 and not self.full and len(self.text) < SHORT_NUMBERED and self.text[-1] != ":"
        return self.last - self.first < 3 and not (self.full and self.below < TIGHT_BELOW)

    @property
    def sequential(self) -> bool:
        """True if its number could be one of a sequence of headings, type and white space aside."""
        return (
            self.label is not None
            and self.label.marked
            and not self.full
            and len(self.text) < SHORT_SEQUENTIAL
            and self.text[-1] not in ".:"
        )


def find_blocks(layout: Layout) -> list[Block]:
    """Returns all runs of lines that stand out from the body text and could be headings, in reading order."""
    found: list[Block] = []
    for page, numbers in layout.page_lines():
        found.extend(_page_blocks(layout, page, numbers))
    return without_common_styles(layout, _without_lists(_without_leads(found)))


def _without_leads(blocks: Sequence[Block]) -> list[Block]:
    """Drops lines that end in a colon, unless all captions in their style do: "Net sales:", "Cost of sales:"."""
    captions: dict[TextStyle, list[Block]] = {}
    for block in blocks:
        if block.label is None:
            captions.setdefault(block.style, []).append(block)
    custom = {
        style
        for style, alike in captions.items()
        if len({block.text for block in alike if block.text[-1] == ":"}) >= max(COLONS, COLON_SHARE * len(alike))
    }
    return [block for block in blocks if block.label is not None or block.text[-1] != ":" or block.style in custom]


def _page_blocks(layout: Layout, page: int, numbers: list[int]) -> Iterator[Block]:
    position = 0
    while position < len(numbers):
        reason = reason_of(layout, numbers[position])
        if reason is None:
            position += 1
            continue
        end = _extent(layout, numbers, position, reason)
        block = _block(layout, page, numbers, position, end, reason)
        if block is not None:
            yield block
        position = end


def reason_of(layout: Layout, number: int) -> str | None:
    """Returns what makes a line stand out from the body text, or None."""
    line, body = layout.line(number), layout.body
    style = line.style
    if style is body and not (line.text.isupper() or may_be_numbered(line.text)):
        return None  # most lines of most documents
    if style is None or style.size <= 0 or layout.is_symbols(style):
        return None
    mono = layout.is_monospaced(style) and not layout.is_monospaced(body)
    if style.size >= body.size + LARGER or (style.size >= body.size + LARGER_BOLD and style.bold and not body.bold):
        return "large"
    if mono or style.size < body.size - SMALLER:
        return None
    if style.bold and not body.bold:
        return "bold"
    if is_caps(untitled(line.text)):
        return "caps"
    if style.size < body.size - LIGHTER:
        return None
    if style.italic and not body.italic:
        return "italic"
    if family(style.font) != family(body.font) and style.bold == body.bold:
        return "font"
    label = parse_label(line.text)
    if label is not None and label.marked:
        return "number"
    return None


def untitled(text: str) -> str:
    label = parse_label(text)
    return label.title if label is not None and label.title else text


def _extent(layout: Layout, numbers: Sequence[int], start: int, reason: str) -> int:
    """Returns the position after the last line of the block that begins at `start`."""
    end = start + 1
    while (
        end < len(numbers)
        and end - start < MAX_LINES + 3
        and _continues(layout, numbers[end - 1], numbers[end], reason)
    ):
        end += 1
    return end


def _continues(layout: Layout, above: int, below: int, reason: str) -> bool:
    first, second = layout.line(above), layout.line(below)
    upper, lower = layout.style(above), layout.style(below)
    box, next_box = layout.box(above), layout.box(below)
    if _same_row(layout, above, below):
        # The number and the title of one heading, set as two pieces of text.
        gap = next_box.left - box.right
        return -1.0 <= gap < LABEL_GAP * max(upper.size, 1.0) and (
            is_bare_label(first.text) or gap < WORD_GAP * upper.size
        )
    drop = box.bottom - next_box.bottom
    size = max(upper.size, lower.size)
    if (
        is_bare_label(first.text)
        and reason != "number"
        and 0 < drop < LABEL_ABOVE * size
        and lower.size >= layout.body.size
    ):
        stands_out = reason_of(layout, below)
        if stands_out is not None and stands_out != "number" and parse_label(second.text) is None:
            return True
    if abs(upper.size - lower.size) > SAME_SIZE or not _set_alike(first, second):
        return False
    if reason == "number":
        return False
    if not 0 < drop <= LINE_DROP * size or next_box.left > box.right or next_box.right < box.left:
        return False
    if reason in ("caps", "bold") and is_caps(untitled(first.text)) != is_caps(second.text) and len(first.text) > 3:
        return False
    label = parse_label(second.text)
    return not (label is not None and (label.marked or label.kind not in ("decimal", "upper-roman", "upper-letter")))


def _set_alike(above: Line, below: Line) -> bool:
    """Returns whether two lines have one weight and slant, or the second starts as the first ends: a title that quotes a title."""
    upper, lower = above.style, below.style
    if upper is None or lower is None:
        return upper is lower
    if (upper.bold, upper.italic) == (lower.bold, lower.italic):
        return True
    end, start = above.end or upper, below.start or lower
    return upper.bold == lower.bold and (end.bold, end.italic) == (start.bold, start.italic)


def _same_row(layout: Layout, upper: int, other: int) -> bool:
    size = max(layout.style(upper).size, layout.style(other).size, 4.0)
    return abs(layout.box(upper).bottom - layout.box(other).bottom) < SAME_BASELINE * size


def _block(layout: Layout, page: int, numbers: list[int], start: int, end: int, reason: str) -> Block | None:
    inside = numbers[start:end]
    if len(inside) > MAX_LINES:
        return None
    texts = [layout.line(n).text for n in inside]
    text = _joined(texts)
    if len(text) > MAX_CHARS or not wording_fits(text.removesuffix(":") if reason in ("large", "bold") else text):
        return None
    heaviest = max(inside, key=lambda n: (layout.style(n).size, len(layout.line(n).text)))
    style = layout.style(heaviest)
    last = layout.line(inside[-1])
    if reason != "number" and runs_in(layout, last, reason):
        return None
    if _in_table_row(layout, numbers, start, end) or _between_rows(layout, numbers, start, end):
        return None
    if any(_is_stretched(layout.line(n)) for n in inside):
        return None
    label = parse_label(text)
    if label is None and reason != "number":
        number = _number_apart(layout, page, inside[0])
        label = parse_label(f"{number} {text}") if number else None
        text = text if label is None else f"{number} {text}"
    above, below = _space(layout, numbers, start, end)
    left = min(layout.box(n).left for n in inside)
    right = max(layout.box(n).right for n in inside)
    edge = layout.margins.get(page, (0.0, 0.0))
    full = layout.box(inside[-1]).right > edge[1] - RIGHT_EDGE * (edge[1] - edge[0])
    text_style = TextStyle(style.size, style.bold, style.italic, is_caps(untitled(text)), family(style.font))
    block = Block(inside[0], inside[-1], page, text, text_style, reason, label, left, right, above, below, full)
    return block if block.alone or block.sequential else None


def _number_apart(layout: Layout, page: int, line: int) -> str:
    """Returns the number that stands before a title and elsewhere in the file's order of text; empty if there is none."""
    box, size = layout.box(line), layout.style(line).size
    for other in layout.once(_bare_labels).get(page, ()):
        label = layout.box(other)
        if (
            abs(label.bottom - box.bottom) < SAME_BASELINE * size
            and 0 <= box.left - label.right < LABEL_GAP * size
            and abs(layout.style(other).size - size) < SAME_SIZE
        ):
            return layout.line(other).text
    return ""


def _bare_labels(layout: Layout) -> dict[int, list[int]]:
    """Returns the lines of each page that are a number and nothing else."""
    found: dict[int, list[int]] = {}
    for page, numbers in layout.page_lines():
        bare = [n for n in numbers if len(text := layout.line(n).text) <= LABEL_CHARS and is_bare_label(text)]
        if bare:
            found[page] = bare
    return found


def _joined(texts: Sequence[str]) -> str:
    text = ""
    for piece in texts:
        if text.endswith("-") and piece[:1].islower() and len(text) > 2 and text[-2].isalpha():
            text = text[:-1] + piece
        else:
            text = f"{text} {piece}" if text else piece
    return text.strip()


def wording_fits(text: str) -> bool:
    """Returns whether the words could be a heading's: letters, not a caption, a bullet point or a row of figures."""
    label = parse_label(text)
    title = label.title if label is not None else text
    letters = sum(char.isalpha() for char in title)
    if label is None or label.title:
        if letters < 2 and not (letters == 1 and len(title) == 1 and title > "\u2e80"):
            return False
        if letters < LETTERS * len(title.replace(" ", "")):
            return False
    elif label.kind not in WORD_KINDS:
        return False  # a number alone: an axis of a plot, a row of a table, a page number in large type
    if "©" in text[:20] or _CAPTION.match(text) or _BULLET.match(text) or _LEADERS.search(text):
        return False
    if text[-1] in ",;" or (text[-1] == ":" and label is None) or (text.count("=") >= 1 and letters < FORMULA):
        return False
    if _CODE.search(text):
        return False
    if _CONTINUED.search(text):
        return False  # the head of a page on which a table or section goes on
    if text[0] == "(" and text[-1] == ")" and label is None:
        return False  # a remark below a title: "(in millions)"
    words = text.split()
    # The number of a label is no figure of a row: "SEC. 103. AMENDMENT TO TITLE 46."
    opening = 2 if label is not None and label.kind in WORD_KINDS else 1
    figures = sum(bool(_FIGURES.match(word)) for word in words[opening:])
    return not (figures >= 2 and _FIGURES.match(words[-1]) and figures >= FIGURE_SHARE * len(words))


def runs_in(layout: Layout, line: Line, reason: str) -> bool:
    """Returns whether the text goes on in the body's style after a bold or italic start: a run-in word and not a heading."""
    start, end, body = line.start, line.end, layout.body
    if start is None or end is None or start == end or len(line.text) < 3:
        return False
    if reason == "large":
        if is_caps(line.text):
            return False  # small capitals: a large initial, the rest smaller
        return start.size > end.size + 1 and abs(end.size - body.size) < SAME_SIZE and not end.bold
    if reason == "bold":
        return start.bold and not end.bold and line.text[-1] not in ".:)"
    if reason == "italic":
        return start.italic != end.italic
    if reason == "font":
        return family(start.font) != family(end.font) and family(end.font) == family(body.font)
    return False


def _in_table_row(layout: Layout, numbers: list[int], start: int, end: int) -> bool:
    """Returns whether another piece of text, next in the stream, stands on the same baseline: cells of one row."""
    for outside, inside in ((start - 1, start), (end, end - 1)):
        if 0 <= outside < len(numbers) and _same_row(layout, numbers[outside], numbers[inside]):
            return True
    return False


def _between_rows(layout: Layout, numbers: list[int], start: int, end: int) -> bool:
    """Returns whether rows of figures stand right above and right below: a caption inside a table."""
    if start == 0 or end >= len(numbers):
        return False
    above, below = layout.line(numbers[start - 1]).text, layout.line(numbers[end]).text
    return cells(above) >= ROW_FIGURES and cells(below) >= ROW_FIGURES


def _is_stretched(line: Line) -> bool:
    """Returns whether a line is far wider than its characters need: cells of a table row, which PDFium joins by one space."""
    if line.box is None or line.style is None or is_bare_label(line.text):
        return False
    wide = sum("\u2e80" <= char <= "\uffef" for char in line.text)
    # Capitals of a bold face take some 0.75 of the size; a number may stand well before its title.
    expected = (len(line.text) - wide + NUMBER_GAP) * CAPITAL_WIDTH + wide * CJK_WIDTH
    return line.box.right - line.box.left > expected * line.style.size * STRETCHED


def _space(layout: Layout, numbers: list[int], start: int, end: int) -> tuple[float, float]:
    above = below = FAR
    if start > 0:
        drop = layout.box(numbers[start - 1]).bottom - layout.box(numbers[start]).bottom
        above = drop / layout.pitch if drop > 0 else FAR
    if end < len(numbers):
        drop = layout.box(numbers[end - 1]).bottom - layout.box(numbers[end]).bottom
        below = drop / layout.pitch if drop > 0 else FAR
    return above, below


def _without_lists(blocks: list[Block]) -> list[Block]:
    """Drops runs of unnumbered lines in one style without text between them: cells of a table, a list, a title page."""
    kept: list[Block] = []
    run: list[Block] = []
    for block in [*blocks, None]:
        goes_on = run and block is not None and block.first == run[-1].last + 1 and block.style == run[-1].style
        if not goes_on:
            kept += run if len(run) < LIST else []
            run = []
        if block is None:
            break
        if block.label is not None:
            kept += run if len(run) < LIST else []
            kept.append(block)
            run = []
        else:
            run.append(block)
    return kept


def without_common_styles(layout: Layout, blocks: list[Block]) -> list[Block]:
    """Drops the blocks in styles that carry running text: a large share of the document's characters."""
    weights: Counter[TextStyle] = Counter()
    for style, weight in layout.weights.items():
        weights[_text_style(style, caps=False)] += weight
    capitals = {block.style for block in blocks if block.style.caps}
    styles = {style for style in layout.weights if _text_style(style, caps=True) in capitals}
    for number, line in enumerate(layout.lines if styles else (), 1):
        if line.style in styles and number not in layout.skip and is_caps(line.text):
            weights[_text_style(line.style, caps=True)] += len(line.text)
            weights[_text_style(line.style, caps=False)] -= len(line.text)
    total = sum(layout.weights.values())
    return [block for block in blocks if block.why == "number" or weights[block.style] < COMMON * total]


def _text_style(style: Style, *, caps: bool) -> TextStyle:
    return TextStyle(style.size, style.bold, style.italic, caps, family(style.font))
