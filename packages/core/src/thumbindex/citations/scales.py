"""Powers of ten in words, letters and characters, and those that a text states for its tables. Pure."""

from __future__ import annotations

import re

_WORDS_BY_POWER = {
    3: "thousand thousands tausend mille mil тыс тысяч тысячи 千",
    4: "万 萬",
    6: "million millions millionen mio mn mln mm millón millones milhão milhões milione milioni миллион миллиона миллионов "
    "млн 百万 百萬",
    8: "亿 億",
    9: "billion billions bn bln milliarde milliarden mrd milliard milliards miliardi миллиард миллиарда миллиардов млрд 十亿",
    12: "trillion trillions tn trn billionen трлн 万亿 兆",
}
_POWERS = {word: power for power, words in _WORDS_BY_POWER.items() for word in words.split()}
# Languages in which a billion has twelve zeros say a thousand millions for nine.
_POWERS |= dict.fromkeys(("mil millones", "mil milhões", "mil millions", "thousand million", "thousand millions"), 9)
_CHARACTER_POWERS = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8, "兆": 12}
LETTER_POWERS = {"k": 3, "m": 6, "b": 9, "t": 12}
"""Letters behind a figure. They may be units as well: "7.5 m" may be metres."""
SCALE_WORD = "|".join(sorted(map(re.escape, _POWERS), key=len, reverse=True))
"""Names of powers of ten, for a regular expression that ignores case."""
SCALE_CHARACTER = "[千万萬百亿億兆十]"
"""Chinese and Japanese powers of ten, which stand behind a figure without a space and combine: 百万."""
CURRENCY = r"[$€£¥₽]|US\$|(?:EUR|USD|GBP|CHF|JPY|CNY|RMB)\s?"
_STATED = re.compile(
    rf"(?<!\d)(?<!\d[\s.,'’-])(?<![\w])(?:(?P<word>(?i:{SCALE_WORD}))\b(?!\s?\d)|(?:{CURRENCY})\s?(?P<letter>[kKmMbB](?:ns?)?|0{{3}}s?)\b"
    rf"|(?P<thousands>['’‘]?000s?\b|T(?:EUR|€|CHF|USD)\b)|(?P<characters>{SCALE_CHARACTER}+)(?=[元円圓圆人]))"
)


def power_of(word: str | None) -> int:
    """Returns the power of ten that a word or a row of characters names; 0 for none.

    >>> power_of("million"), power_of("百万"), power_of(None)
    (6, 6, 0)
    """
    if not word:
        return 0
    known = _POWERS.get(word.lower())
    if known is not None:
        return known
    return sum(_CHARACTER_POWERS.get(character, 0) for character in word)


def stated_scales(text: str) -> frozenset[int]:
    """Returns the powers of ten that a text states for its tables: "in millions" is 6, "€m" too, "'000" is 3."""
    found: set[int] = set()
    for match in _STATED.finditer(text):
        if match["thousands"]:
            found.add(3)
        elif match["letter"]:
            found.add(3 if match["letter"].startswith("0") else LETTER_POWERS[match["letter"][0].lower()])
        else:
            found.add(power_of(match["word"] or match["characters"]))
    return frozenset(found - {0})
