"""Figures in texts, and whether two of them say the same: $1.2 billion and 1,200 (in millions), 5% and 5.0 per cent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from .number_words import number_words

_MOST_OPERANDS = 12
_FEW_OPERANDS = 3
# Names of powers of ten. The single letters are read both ways, since "7.5 m" may be metres.
_SCALE_WORDS = {
    3: "thousand thousands tausend mille mil тыс тысяч тысячи 千",
    4: "万 萬",
    6: "million millions millionen mio mn mln mm millón millones milhão milhões milione milioni миллион миллиона миллионов "
    "млн 百万 百萬",
    8: "亿 億",
    9: "billion billions bn bln milliarde milliarden mrd milliard milliards miliardi миллиард миллиарда миллиардов млрд 十亿",
    12: "trillion trillions tn trn billionen трлн 万亿 兆",
}
_SCALES = {word: power for power, words in _SCALE_WORDS.items() for word in words.split()}
# Where a billion has twelve noughts.
_SCALES |= dict.fromkeys(("mil millones", "mil milhões", "mil millions", "thousand million", "thousand millions"), 9)
_LETTERS = {"k": 3, "m": 6, "b": 9, "t": 12}
_SCALE = "|".join(sorted(map(re.escape, _SCALES), key=len, reverse=True))
_UNSPACED = "[千万萬百亿億兆十]"
_PERCENT = r"%|％|﹪|per\s?cent(?:age)?\b|percent\b|pct\b|prozent\b|pour\s?cent\b|por\s?ciento\b|процент\w*"
_BASIS = r"basis\s+points?\b|bps?\b"
_SPACES = "\u00a0\u2007\u2009\u202f '’"
_CURRENCY = r"[$€£¥₽]|US\$|(?:EUR|USD|GBP|CHF|JPY|CNY|RMB)\s?"
_FIGURE = re.compile(
    rf"""
    (?:(?<![\w])|(?<=FY)|(?<=CY)|(?<=[Ａ-Ｚ\u3000-\u9fff\uac00-\ud7af]))
    (?P<open>\()? (?P<sign>(?<![\d\w][-−–])(?<![\d\w])[-−–]\s?(?=[\d$€£¥.]))?
    (?P<currency>{_CURRENCY})? (?P<open2>\()? (?P<sign2>[-−])?
    (?P<digits>\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?![\d])(?:[.,]\d+)?|\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d{{1,3}}(?:\.\d{{3}})+(?!\d)(?:,\d+)?
      |\d+[.,]\d+|\d+|(?<![\d.])\.\d+)
    (?!\d)(?P<ordinal>(?:st|nd|rd|th)\b)?
    (?P<close>\))?
    (?:\s?(?P<percent>{_PERCENT})|\s?(?P<basis>{_BASIS})|[\s-]?(?P<scale>(?i:{_SCALE})(?![^\W\d_])|{_UNSPACED}+)|\s?(?P<letter>[kKmMbBtT])(?![^\W_]))?
    (?P<close2>\))? (?P<tail>\s?(?:{_PERCENT}))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_STATED = re.compile(
    rf"(?<!\d)(?<!\d[\s.,'’-])(?<![\w])(?:(?P<word>(?i:{_SCALE}))\b(?!\s?\d)|(?:{_CURRENCY})\s?(?P<letter>[kKmMbB](?:ns?)?|0{{3}}s?)\b"
    rf"|(?P<thousands>['’‘]?000s?\b|T(?:EUR|€|CHF|USD)\b)|(?P<unspaced>{_UNSPACED}+)(?=[元円圓圆人]))"
)
_REFERENCE = re.compile(
    r"(?:\b(?:notes?|section|sections|item|items|chapter|part|page|pages|pp?|appendix|annex|table|figure|fig|exhibit|schedule|article|art|no|nr|"
    r"abschnitt|kapitel|seite|anhang|tabelle|form|phase|step|level|tier|class|series|version|q|h|раздел|глава|стр)\.?\s?|§\s?|第)\Z",
    re.IGNORECASE,
)
_APPROXIMATE = re.compile(
    r"(?:\b(?:about|approximately|approx\.?|around|roughly|nearly|almost|over|under|more than|less than|some|circa|ca\.?|etwa|rund|environ|unos|около)\s+|[~≈]\s?)"
    rf"(?:{_CURRENCY})?\Z",
    re.IGNORECASE,
)
_LOSS = re.compile(
    r"loss|losses|deficit|negative|decreas|declin|fell|fall|outflow|reduc|lower|drop|minus|verlust|rückgang|perte|pérdida|убыт",
    re.IGNORECASE,
)
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_UNITS = {word: number for number, word in enumerate(_SMALL.split())} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12,
}  # fmt: skip
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_WORD = re.compile(
    rf"\b(?:(?P<tens>{_TENS})[-\s](?P<ones>one|two|three|four|five|six|seven|eight|nine)|(?P<single>{'|'.join(_UNITS)}))\b"
    rf"(?:\s(?P<scale>hundred|thousand|million|billion))?(?P<percent>\s?(?:{_PERCENT}))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text.

    Args:
        values: Its readings, without sign: "1.234" may be either of two; "7.5 m" too.
        step: The worth of its last digit, in the first reading.
        digits: How many digits say something: zeros before it do not.
        scaled: Whether it names its own power of ten.
        negative: Written with a minus or in brackets, as accounts do.
        approximate: Whether a word before it takes it back a little.
    """

    text: str
    start: int
    end: int
    values: tuple[Decimal, ...]
    step: Decimal
    digits: int
    percent: bool = False
    scaled: bool = False
    negative: bool = False
    approximate: bool = False
    spelled: bool = False

    @property
    def value(self) -> Decimal:
        """Its likeliest reading."""
        return self.values[0]

    def times_ten_to(self, power: int) -> Figure:
        """What the same digits mean in a unit of that power of ten."""
        values = tuple(value.scaleb(power) for value in self.values)
        # "382.00" in millions is not meant to the ten thousand: noughts are how money is written.
        step = max(self.step, Decimal(1)) if self.value % 1 == 0 else self.step
        return replace(self, values=values, step=step.scaleb(power), scaled=True)

    @property
    def is_year(self) -> bool:
        """Whether it is likely a year: four plain digits from 1900 to 2100."""
        return bool(re.fullmatch(r"\(?(?:19\d\d|20\d\d|2100)\)?", self.text.strip()))


def figures(text: str, *, cited_in: str | None = None) -> Iterator[Figure]:
    """All figures of a text, written in digits or, in English, in words; labels such as "Note 14" left out.

    What is cited is read in each way that it may be meant: "12 345" as two figures too, since two columns of a table look like
    that, and small numbers in words of its language, `cited_in`.
    """
    before: Figure | None = None
    for figure in _in_digits(text, is_cited=cited_in is not None):
        # 2万3,400 is one figure.
        joined = _joined(before, figure) if before else None
        if before and not joined:
            yield before
        before = joined or figure
    if before:
        yield before
    yield from _in_words(text)
    if cited_in is not None:
        for start, end, number in number_words(text, cited_in):
            digits = len(str(number))
            yield Figure(text[start:end], start, end, (Decimal(number),), Decimal(1), digits, spelled=True)


def _joined(one: Figure, other: Figure) -> Figure | None:
    """Two figures that are one: the first in ten thousands or more, the second what is left."""
    power = _power(one.text[-1:])
    if power < 4 or one.end != other.start or other.value >= Decimal(1).scaleb(power):
        return None
    return replace(
        one, text=one.text + other.text, end=other.end, values=(one.value + other.value,), step=other.step,
        digits=one.digits + other.digits, scaled=True,
    )  # fmt: skip


def _in_digits(text: str, *, is_cited: bool) -> Iterator[Figure]:
    for match in _FIGURE.finditer(text):
        start = match.start("digits")
        before = text[max(0, match.start() - 24) : match.start()]
        if _REFERENCE.search(before) or _is_list_number(text, match):
            continue
        if re.match(r"-[A-Z]\b", text[match.end("digits") :]):
            continue  # "10-K"
        if re.search(r"(?:[FC]Y|[A-Z]{3,}-)\Z", text[max(0, start - 8) : start]) and len(match["digits"]) == 2:
            continue  # "FY22", "COVID-19"
        values, step, digits = _readings(match["digits"])
        power = _power(match["scale"])
        readings = [value.scaleb(power) for value in values]
        if match["letter"]:
            letter = _LETTERS[match["letter"].lower()]
            scaled = [value.scaleb(letter) for value in values]
            # "$7.5m" is millions first, "7.5 m" metres first.
            readings = [*scaled, *readings] if match["currency"] or match["letter"].isupper() else [*readings, *scaled]
            power = letter if match["currency"] or match["letter"].isupper() else 0
        if match["basis"]:
            readings, power = [value / 100 for value in readings], -2
        opened, closed = match["open"] or match["open2"], match["close"] or match["close2"]
        end = match.end()
        yield Figure(
            text[start:end].strip(" ()") if not (opened and closed) else match.group().strip(),
            match.start(),
            end,
            tuple(dict.fromkeys(readings)),
            step.scaleb(power),
            digits,
            percent=bool(match["percent"] or match["basis"] or match["tail"]),
            scaled=bool(power and not match["basis"]),
            negative=bool(match["sign"] or match["sign2"] or (opened and closed)),
            approximate=bool(_APPROXIMATE.search(before)),
        )
        if is_cited and " " in match["digits"]:
            yield from figures(match["digits"].replace(" ", "  "))


def _in_words(text: str) -> Iterator[Figure]:
    for match in _WORD.finditer(text):
        number = (
            _UNITS[match["single"].lower()]
            if match["single"]
            else _UNITS[match["tens"].lower()] + _UNITS[match["ones"].lower()]
        )
        power = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9}.get((match["scale"] or "").lower(), 0)
        if number < 2 and not power:
            continue  # "one of them"
        value = Decimal(number).scaleb(power)
        yield Figure(
            match.group(), match.start(), match.end(), (value,), Decimal(1).scaleb(power), len(str(number)),
            percent=bool(match["percent"]), scaled=bool(power), spelled=True,
        )  # fmt: skip


def stated_scales(text: str) -> frozenset[int]:
    """Powers of ten that a text states for its tables: "in millions" is 6, "€m" too, "'000" is 3."""
    found: set[int] = set()
    for match in _STATED.finditer(text):
        if match["thousands"]:
            found.add(3)
        elif match["letter"]:
            found.add(3 if match["letter"].startswith("0") else _LETTERS[match["letter"][0].lower()])
        else:
            found.add(_power(match["word"] or match["unspaced"]))
    return frozenset(found - {0})


def same(claim: Figure, held: Figure, scales: Iterable[int] = (), *, percents: bool = True, near: str = "") -> bool:
    """Whether what a text holds bears out what is claimed.

    The claim may be rounded where it has two digits at least, and a decimal, a power of ten, a percent sign or a word
    such as "about". Signs count only if the claim is negative: reports print outflows in brackets.

    Args:
        scales: Powers of ten that the text states for figures without one of their own.
        percents: Whether the text speaks of percents: then a bare figure in it may be one.
        near: The text around the held figure: a loss may be told in words.
    """
    if claim.percent != held.percent and not (claim.percent and percents and not held.scaled):
        return False
    if claim.negative and not claim.is_year and not (held.negative or _LOSS.search(near)):
        return False
    powers = (0,) if held.scaled or held.percent or claim.percent else (0, *scales)
    step = claim.step
    may_round = claim.digits >= 2 and (claim.scaled or claim.percent or claim.step < 1 or claim.approximate)
    if claim.approximate and claim.step >= 1:
        step = max(step, _last_digit(claim.value))
    for power in powers:
        for value in held.values:
            worth = value.scaleb(power)
            for claimed in claim.values:
                if worth == claimed:
                    return True
                if may_round and held.step.scaleb(power) < step and abs(worth - claimed) <= step / 2:
                    return True
    return False


def derivation(claim: Figure, stated: Sequence[Figure], scales: Iterable[int] = ()) -> str:
    """How the claimed figure comes from two of those that the sentence states, as a formula; "" if it does not.

    Sums, differences, averages, ratios, shares in percent and growth. A claim of one digit fits something by chance, so it must be
    the sum or the difference of figures of which there are few.
    """
    usable = [figure for figure in stated if figure.value and not figure.is_year][:_MOST_OPERANDS]
    if claim.is_year or (claim.digits < 2 and len(usable) > _FEW_OPERANDS):
        return ""
    tolerance = claim.step / 2
    if claim.approximate and claim.step >= 1:
        tolerance = _last_digit(claim.value) / 2
    for one, other in combinations(usable, 2):
        for a, b in ((one, other), (other, one)):
            if a.percent != b.percent:
                continue
            for formula, result, is_percent in _combined(a, b):
                if claim.percent != is_percent and not (claim.percent and a.percent):
                    continue
                if claim.digits < 2 and "/" in formula:
                    continue
                powers = (0,) if is_percent or "/" in formula or a.scaled else (0, *scales)
                if any(
                    abs(abs(result).scaleb(power) - value) <= tolerance for power in powers for value in claim.values
                ):
                    return formula
    return ""


def _combined(a: Figure, b: Figure) -> Iterator[tuple[str, Decimal, bool]]:
    x, y = a.value, b.value
    one, other = a.text.strip(), b.text.strip()
    if x >= y:
        yield f"{one} + {other}", x + y, a.percent
        yield f"{one} - {other}", x - y, a.percent
        yield f"({one} + {other}) / 2", (x + y) / 2, a.percent
    if y:
        yield f"{one} / {other}", x / y, False
        yield f"{one} / {other} in percent", x / y * 100, True
        yield f"({one} - {other}) / {other}", (x - y) / y * 100, True


def _readings(digits: str) -> tuple[list[Decimal], Decimal, int]:
    """Values of a number as written, its last digit's worth in the first, and its significant digits."""
    plain = re.sub(rf"[{_SPACES}]", "", digits)
    commas, points = plain.count(","), plain.count(".")
    readings: list[str]
    if commas and points:
        decimal = max(plain.rfind(","), plain.rfind("."))
        readings = [re.sub(r"[.,]", "", plain[:decimal]) + "." + plain[decimal + 1 :]]
    elif commas + points > 1:
        readings = [re.sub(r"[.,]", "", plain)]
    elif commas + points == 1:
        whole, rest = re.split(r"[.,]", plain)
        decimal_reading = f"{whole or 0}.{rest}"
        grouped = len(rest) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0")
        if not grouped:
            readings = [decimal_reading]
        else:
            readings = [whole + rest, decimal_reading] if commas else [decimal_reading, whole + rest]
    else:
        readings = [plain]
    first = readings[0]
    step = Decimal(1).scaleb(-len(first.partition(".")[2]))
    return [Decimal(reading) for reading in readings], step, len(first.replace(".", "").lstrip("0")) or 1


def _power(word: str | None) -> int:
    if not word:
        return 0
    known = _SCALES.get(word.lower())
    if known is not None:
        return known
    # 百万 is a hundred times ten thousand.
    return sum(
        {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8, "兆": 12}.get(letter, 0) for letter in word
    )


def _last_digit(value: Decimal) -> Decimal:
    """Worth of the last digit that is not zero: 48,000 counts thousands."""
    _, digits, exponent = value.as_tuple()
    zeros = len(digits) - len("".join(map(str, digits)).rstrip("0"))
    return Decimal(1).scaleb(int(exponent) + min(zeros, len(digits) - 1))


def _is_list_number(text: str, match: re.Match[str]) -> bool:
    """`1.` or `2)` at the beginning of a line numbers a list."""
    line = text[text.rfind("\n", 0, match.start("digits")) + 1 : match.start("digits")]
    return (
        not line.strip(" *(#-") and len(match["digits"]) <= 2 and bool(re.match(r"[.)]\s", text[match.end("digits") :]))
    )
