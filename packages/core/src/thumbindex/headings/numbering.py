"""Section numbers as a grammar: "1.2 Scope", "Item 7A.", "Chapter IV", "§ 12", "(a)", "第3章".

A label has a kind and a value. The kind is the counter it belongs to ("decimal", "item", "upper-roman"); the value is
what the counter shows, as a tuple for decimals. "I.", "V." or "C." can be a letter or a Roman number; `parse_labels` gives
both and the reader decides by what stands before and after.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from ..text.numerals import MAX_CHARACTERS, chinese_number

_WORDS: dict[str, str] = {
    # The word that opens a label, as printed in lower case -> the kind of the counter, the same in every language.
    **dict.fromkeys(["part", "teil", "partie", "parte", "часть", "deel", "del", "część"], "part"),
    **dict.fromkeys(["book", "buch", "livre", "libro", "книга"], "book"),
    **dict.fromkeys(["volume", "band", "tome", "tomo", "vol", "том"], "volume"),
    **dict.fromkeys(["title", "titel", "titre", "título", "titolo", "раздел"], "title"),
    **dict.fromkeys(
        [
            "chapter",
            "kapitel",
            "chapitre",
            "capítulo",
            "capitulo",
            "capitolo",
            "глава",
            "hoofdstuk",
            "rozdział",
            "kapitola",
        ],
        "chapter",
    ),
    **dict.fromkeys(["item"], "item"),
    **dict.fromkeys(
        ["section", "sec", "abschnitt", "sección", "seccion", "sezione", "seção", "секция", "paragraaf", "avsnitt"],
        "section",
    ),
    **dict.fromkeys(["article", "artikel", "artículo", "articulo", "articolo", "artigo", "статья"], "article"),
    **dict.fromkeys(["rule", "regel", "règle", "regla"], "rule"),
    **dict.fromkeys(["clause", "klausel", "cláusula"], "clause"),
    **dict.fromkeys(["lesson", "lecture", "lektion", "leçon", "lección", "unit", "module", "step"], "lesson"),
    **dict.fromkeys(["note"], "note"),
    **dict.fromkeys(["box", "kasten", "encadré", "recuadro"], "box"),
    **dict.fromkeys(
        ["appendix", "anhang", "appendice", "apéndice", "apendice", "apêndice", "приложение", "bijlage", "bilaga"],
        "appendix",
    ),
    **dict.fromkeys(["annex", "anlage", "annexe", "anexo", "allegato"], "annex"),
    **dict.fromkeys(["schedule"], "schedule"),
    **dict.fromkeys(["exhibit", "attachment"], "exhibit"),
}
WORD_KINDS = frozenset(_WORDS.values())
"""Kinds of labels that open with a word, which mean a heading even without a title: "Part II"."""
_ORDINALS = {
    word: number
    for number, words in enumerate(
        [
            "one first i",
            "two second",
            "three third",
            "four fourth",
            "five fifth",
            "six sixth",
            "seven seventh",
            "eight eighth",
            "nine ninth",
            "ten tenth",
            "eleven eleventh",
            "twelve twelfth",
        ],
        1,
    )
    for word in words.split()
    if word != "i"
}
_WORD_LABEL = re.compile(
    rf"^(?P<word>{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})"
    r"\s*+[.]?\s*+(?:no\.?\s*+|nr\.?\s*+|№\s*+|§\s*+)?"
    r"(?P<value>\d+(?:\.\d+)*[a-z]?|[ivxlcdm]+|[a-z]|[а-я]|" + "|".join(_ORDINALS) + r")(?![\w'’])"
    r"(?P<mark>\s*[.:)|—–-]*)(?:\s+|$|(?<=[.:)|—–-]))",
    re.IGNORECASE,
)
_SECTION_SIGN = re.compile(r"^§§?\s*(?P<value>\d+[a-z]?(?:\.\d+)*)[.:)]?(?:\s+|$)", re.IGNORECASE)
_CJK = re.compile(
    rf"^第\s*(?P<value>[0-9０-９〇零一二三四五六七八九十百]{{1,{MAX_CHARACTERS}}})\s*(?P<unit>[编編篇部卷章节節条條回講讲])\s*"
)
_KOREAN = re.compile(r"^제\s?(?P<value>\d{1,4})\s?(?P<unit>[편부장절조])\s*")
_CJK_UNITS = {
    "편": "part",
    "부": "part",
    "장": "chapter",
    "절": "section",
    "조": "article",
    **dict.fromkeys("编編篇部卷", "part"),
    **dict.fromkeys("章回講讲", "chapter"),
    **dict.fromkeys("节節", "section"),
    **dict.fromkeys("条條", "article"),
}
_DECIMAL = re.compile(
    r"^(?P<value>(?:[A-Z]\.)?\d{1,3}(?:\s?\.\s?\d{1,3})*|[A-Z](?:\.\d{1,3})+)(?P<mark>[.:)]|\s*\||\s*[—–-](?=\s))?"
    r"(?P<gap>\s+|$|(?=[^\W\d_]))"
)
_PAREN = re.compile(r"^[(\[](?P<value>\d{1,3}|[a-z]|[A-Z]|[ivxl]{1,6}|[IVXL]{1,6})[)\]]\s*")
_LETTER = re.compile(r"^(?P<value>[A-Z]|[a-z])(?P<mark>[.)]|\s*\|)(?:\s+|$)")
_ROMAN = re.compile(r"^(?P<value>[IVXLC]{1,7}|[ivxlc]{1,7})(?P<mark>[.):]|\s*\||\s*[—–-](?=\s))(?:\s+|$)")
_BARE_ROMAN = re.compile(r"^(?P<value>[IVX]{1,5})\s+(?=\w)")
_BARE_LETTER = re.compile(r"^(?P<value>[A-Z])\s+(?=[A-Z][a-z]{2,})")


@dataclass(frozen=True, slots=True)
class Label:
    """The number at the start of a title: its counter's kind, its value, and the title without it.

    `depth` is the number of parts of a decimal ("1.2.3" -> 3), otherwise 1. `marked` is true when punctuation closes the
    number ("1." or "1)"), which plain figures in running text lack.
    """

    kind: str
    value: tuple[str, ...]
    title: str
    marked: bool = True

    @property
    def depth(self) -> int:
        return len(self.value)

    @property
    def ordinal(self) -> int:
        """The last part as a number: "B" -> 2, "iv" -> 4, "7A" -> 7."""
        last = self.value[-1]
        if self.kind.endswith("roman"):
            return roman(last) or 0
        digits = re.match(r"\d+", last)
        if digits:
            return int(digits.group())
        if len(last) == 1 and last.isalpha():
            return ord(last.lower()) - ord("a") + 1
        return roman(last) or 0


_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN_SHAPE = re.compile(r"^m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})$")


def roman(text: str) -> int | None:
    """Value of a Roman number in either case; None for anything else ("mix" is 1009, "civil" is none)."""
    low = text.lower()
    if not low or not _ROMAN_SHAPE.match(low):
        return None
    total = 0
    for here, following in zip(low, [*low[1:], ""], strict=True):
        value = _ROMAN_VALUES[here]
        total += -value if following and _ROMAN_VALUES[following] > value else value
    return total


def _cjk_number(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text)
    return normal if normal.isdecimal() else str(chinese_number(normal))


def may_be_numbered(text: str) -> bool:
    """Returns whether a number could open the text, by its first characters: a quick test that most lines fail."""
    first, second = text[:1], text[1:2]
    if not first.isalpha() or first in "第제":
        return first.isdigit() or first in "([§第제"
    if not second.isalpha() or first in "IVXLCivxlc":
        return True
    return text.partition(" ")[0].rstrip(".:0123456789").lower() in _WORDS


@lru_cache(maxsize=1 << 15)
def parse_labels(text: str) -> tuple[Label, ...]:
    """The readings of a title's number, the likeliest first; empty when it has none."""
    text = text.strip()
    if not text or not may_be_numbered(text):
        return ()
    match = _CJK.match(text) or _KOREAN.match(text)
    if match:
        return (Label(_CJK_UNITS[match["unit"]], (_cjk_number(match["value"]),), text[match.end() :].strip()),)
    match = _WORD_LABEL.match(text)
    if match:
        kind = _WORDS[match["word"].lower()]
        value = match["value"]
        if value.lower() in _ORDINALS:
            value = str(_ORDINALS[value.lower()])
        rest = text[match.end() :].strip()
        # "Part of", "Note that", "Section a": a lower-case letter after a lower-case word is prose.
        if value.isalpha() and value.islower() and not (match["mark"].strip() or not rest) and not value.isdigit():
            return ()
        return (Label(kind, tuple(value.split(".")), rest, bool(match["mark"].strip())),)
    match = _SECTION_SIGN.match(text)
    if match:
        return (Label("section-sign", tuple(match["value"].split(".")), text[match.end() :].strip()),)
    match = _PAREN.match(text)
    if match:
        return tuple(
            Label(f"paren-{kind}", (match["value"],), text[match.end() :].strip()) for kind in _counters(match["value"])
        )
    match = _DECIMAL.match(text)
    if match:
        value = tuple(part.strip() for part in match["value"].split("."))
        rest = text[match.end() :].strip()
        glued = not match["gap"] and bool(rest)
        marked = bool(match["mark"]) or len(value) > 1
        if not (glued and not marked and not rest[0].isupper()) and _plausible(value):
            return (Label("decimal", value, rest, marked),)
        return ()
    for pattern in (_ROMAN, _LETTER):
        match = pattern.match(text)
        if match:
            kinds = _counters(match["value"])
            if kinds:
                return tuple(Label(kind, (match["value"],), text[match.end() :].strip()) for kind in kinds)
    match = _BARE_ROMAN.match(text) or _BARE_LETTER.match(text)
    if match and match["value"] not in ("A", "I"):
        kinds = _counters(match["value"])
        return tuple(Label(kind, (match["value"],), text[match.end() :].strip(), marked=False) for kind in kinds)
    return ()


def _plausible(value: tuple[str, ...]) -> bool:
    """Section numbers are small and have no leading zeros; "2021" and "1.000" are figures."""
    return (
        all(part.isalpha() or (len(part) <= 3 and (part == "0" or not part.startswith("0"))) for part in value)
        and len(value) <= 7
    )


def _counters(value: str) -> list[str]:
    """Kinds of counter that show this value, the likelier first."""
    if value.isdigit():
        return ["decimal"]
    case = "upper" if value.isupper() else "lower"
    kinds = []
    if roman(value) is not None and value.islower() == (value == value.lower()):
        kinds.append(f"{case}-roman")
    if len(value) == 1:
        # A lone "I" or "V" or "X" is more often Roman; "C", "D", "L", "M" more often letters.
        kinds.insert(0 if value.lower() not in "ivx" else len(kinds), f"{case}-letter")
    return kinds


def parse_label(text: str) -> Label | None:
    """The likeliest reading of a title's number."""
    if not may_be_numbered(text):
        return None
    return next(iter(parse_labels(text)), None)


def is_bare_label(text: str) -> bool:
    """Returns whether the text is a number and nothing else ("Chapter 3", "B.", "1.2"), its title standing on the next line."""
    label = parse_label(text)
    return label is not None and not label.title
