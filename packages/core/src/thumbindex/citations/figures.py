"""Figures in texts, and whether two of them agree: $1.2 billion and 1,200 (in millions), 5% and 5.0 per cent. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from .number_words import number_words
from .scales import CURRENCY, LETTER_POWERS, SCALE_CHARACTER, SCALE_WORD, power_of

_PERCENT = r"%|％|﹪|per\s?cent(?:age)?\b|percent\b|pct\b|prozent\b|pour\s?cent\b|por\s?ciento\b|процент\w*"
_BASIS = r"basis\s+points?\b|bps?\b"
_SPACES = "\u00a0\u2007\u2009\u202f '’"
_FIGURE = re.compile(
    rf"""
    (?:(?<![\w])|(?<=FY)|(?<=CY)|(?<=[Ａ-Ｚ\u3000-\u9fff\uac00-\ud7af]))
    (?P<open>\()? (?P<sign>(?<![\d\w][-−–])(?<![\d\w])[-−–]\s?(?=[\d$€£¥.]))?
    (?P<currency>{CURRENCY})? (?P<open2>\()? (?P<sign2>[-−])?
    (?P<digits>\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?![\d])(?:[.,]\d+)?|\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d{{1,3}}(?:\.\d{{3}})+(?!\d)(?:,\d+)?
      |\d+[.,]\d+|\d+|(?<![\d.])\.\d+)
    (?!\d)(?P<ordinal>(?:st|nd|rd|th)\b)?
    (?P<close>\))?
    (?:\s?(?P<percent>{_PERCENT})|\s?(?P<basis>{_BASIS})|[\s-]?(?P<scale>(?i:{SCALE_WORD})(?![^\W\d_])|{SCALE_CHARACTER}+)|\s?(?P<letter>[kKmMbBtT])(?![^\W_]))?
    (?P<close2>\))? (?P<tail>\s?(?:{_PERCENT}))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"(?:\b(?:notes?|section|sections|item|items|chapter|part|page|pages|pp?|appendix|annex|table|figure|fig|exhibit|schedule|article|art|no|nr|"
    r"abschnitt|kapitel|seite|anhang|tabelle|form|phase|step|level|tier|class|series|version|q|h|раздел|глава|стр)\.?\s?|§\s?|第)\Z",
    re.IGNORECASE,
)
_APPROXIMATE = re.compile(
    r"(?:\b(?:about|approximately|approx\.?|around|roughly|nearly|almost|over|under|more than|less than|some|circa|ca\.?|etwa|rund|environ|unos|около)\s+|[~≈]\s?)"
    rf"(?:{CURRENCY})?\Z",
    re.IGNORECASE,
)
_LOSS = re.compile(
    r"loss|losses|deficit|negative|decreas|declin|fell|fall|outflow|reduc|lower|drop|minus|verlust|rückgang|perte|pérdida|убыт",
    re.IGNORECASE,
)
_FIRST_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_NUMBER_WORDS = {word: number for number, word in enumerate(_FIRST_NUMBERS.split())} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12,
}  # fmt: skip
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_SPELLED = re.compile(
    rf"\b(?:(?P<tens>{_TENS})[-\s](?P<ones>one|two|three|four|five|six|seven|eight|nine)|(?P<single>{'|'.join(_NUMBER_WORDS)}))\b"
    rf"(?:\s(?P<scale>hundred|thousand|million|billion))?(?P<percent>\s?(?:{_PERCENT}))?",
    re.IGNORECASE,
)
_SPELLED_POWERS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9}
_LABEL_CONTEXT = 24
"""Characters before a figure that are searched for a word that makes it a label ("Note 14") or takes it back ("about")."""
_PREFIX_CONTEXT = 8
"""Characters before the digits of FY22 or COVID-19 that may belong to the name."""
_JOINING_POWER = 4
"""From ten thousands on, 2万3,400 writes one figure in two pieces."""
_FEWEST_DIGITS_ROUNDED = 2
"""A figure of one digit is no rounding that could be checked: too many values round to it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text.

    Args:
        text: As written, with its sign and unit.
        start: Index of its first character in the text; `end` that behind its last.
        values: Its readings, without sign, the likeliest first: "1.234" may be either of two; "7.5 m" too.
        step: The worth of its last digit, in the first reading.
        digits: Its significant digits; zeros before the first do not count.
        percent: Whether it is given in percent or basis points.
        scaled: Whether it names its own power of ten.
        negative: Whether it is written with a minus, or in brackets as accounts do.
        approximate: Whether a word such as "about" stands before it.
        spelled: Whether it is written in words.
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
        """Returns the figure that the same digits mean in a unit of that power of ten."""
        values = tuple(value.scaleb(power) for value in self.values)
        # "382.00" in millions is not exact to ten thousands: money is written with two zeros.
        step = max(self.step, Decimal(1)) if self.value % 1 == 0 else self.step
        return replace(self, values=values, step=step.scaleb(power), scaled=True)

    @property
    def is_year(self) -> bool:
        """True if it is likely a year: four plain digits from 1900 to 2100."""
        return bool(re.fullmatch(r"\(?(?:19\d\d|20\d\d|2100)\)?", self.text.strip()))


def figures(text: str, *, cited_in: str | None = None) -> Iterator[Figure]:
    """Yields all figures of a text, in digits or in English words; labels such as "Note 14" are left out.

    Args:
        cited_in: The language of a cited text, which is read in each way that it may be meant: "12 345" as two figures
            too, since two columns of a table look like that, and small numbers in words of that language.
    """
    previous: Figure | None = None
    for figure in _in_digits(text, is_cited=cited_in is not None):
        joined = _joined(previous, figure) if previous else None
        if previous and not joined:
            yield previous
        previous = joined or figure
    if previous:
        yield previous
    yield from _in_words(text)
    if cited_in is not None:
        for start, end, number in number_words(text, cited_in):
            digits = len(str(number))
            yield Figure(text[start:end], start, end, (Decimal(number),), Decimal(1), digits, spelled=True)


def _joined(first: Figure, second: Figure) -> Figure | None:
    """Returns 2万 and 3,400 as one figure; None where the second does not go on with the first."""
    power = power_of(first.text[-1:])
    if power < _JOINING_POWER or first.end != second.start or second.value >= Decimal(1).scaleb(power):
        return None
    return replace(
        first, text=first.text + second.text, end=second.end, values=(first.value + second.value,), step=second.step,
        digits=first.digits + second.digits, scaled=True,
    )  # fmt: skip


def _in_digits(text: str, *, is_cited: bool) -> Iterator[Figure]:
    for match in _FIGURE.finditer(text):
        start = match.start("digits")
        before = text[max(0, match.start() - _LABEL_CONTEXT) : match.start()]
        if _REFERENCE.search(before) or _is_list_number(text, match):
            continue
        if re.match(r"-[A-Z]\b", text[match.end("digits") :]):
            continue  # "10-K"
        if (
            re.search(r"(?:[FC]Y|[A-Z]{3}-)\Z", text[max(0, start - _PREFIX_CONTEXT) : start])
            and len(match["digits"]) == 2
        ):
            continue  # "FY22", "COVID-19"
        values, step, digits = _readings(match["digits"])
        power = power_of(match["scale"])
        readings = [value.scaleb(power) for value in values]
        if match["letter"]:
            letter_power = LETTER_POWERS[match["letter"].lower()]
            scaled = [value.scaleb(letter_power) for value in values]
            # "$7.5m" is millions first, "7.5 m" metres first.
            is_scale = bool(match["currency"]) or match["letter"].isupper()
            readings = [*scaled, *readings] if is_scale else [*readings, *scaled]
            power = letter_power if is_scale else 0
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
    for match in _SPELLED.finditer(text):
        number = (
            _NUMBER_WORDS[match["single"].lower()]
            if match["single"]
            else _NUMBER_WORDS[match["tens"].lower()] + _NUMBER_WORDS[match["ones"].lower()]
        )
        power = _SPELLED_POWERS.get((match["scale"] or "").lower(), 0)
        if number < 2 and not power:
            continue  # "one of them"
        value = Decimal(number).scaleb(power)
        yield Figure(
            match.group(), match.start(), match.end(), (value,), Decimal(1).scaleb(power), len(str(number)),
            percent=bool(match["percent"]), scaled=bool(power), spelled=True,
        )  # fmt: skip


def agrees(
    claimed: Figure, found: Figure, scales: Iterable[int] = (), *, percents: bool = True, near: str = ""
) -> bool:
    """Returns whether a figure found in a text bears out a claimed one.

    The claimed figure may be rounded where it has two digits at least, and a decimal, a power of ten, a percent sign or a
    word such as "about". Its sign counts only if it is negative: reports print outflows in brackets.

    Args:
        scales: Powers of ten that the text states for figures without one of their own.
        percents: Whether the text speaks of percents: then a bare figure in it may be one.
        near: The text around the found figure, where words such as "loss" may stand for a minus.
    """
    if claimed.percent != found.percent and not (claimed.percent and percents and not found.scaled):
        return False
    if claimed.negative and not claimed.is_year and not (found.negative or _LOSS.search(near)):
        return False
    powers = (0,) if found.scaled or found.percent or claimed.percent else (0, *scales)
    step = claimed.step
    is_inexact = claimed.scaled or claimed.percent or claimed.step < 1 or claimed.approximate
    may_round = is_inexact and claimed.digits >= _FEWEST_DIGITS_ROUNDED
    if claimed.approximate and claimed.step >= 1:
        step = max(step, last_digit(claimed.value))
    for power in powers:
        for found_value in found.values:
            scaled = found_value.scaleb(power)
            for value in claimed.values:
                if scaled == value:
                    return True
                if may_round and found.step.scaleb(power) < step and abs(scaled - value) <= step / 2:
                    return True
    return False


def last_digit(value: Decimal) -> Decimal:
    """Returns the worth of the last digit that is not zero: 48,000 counts thousands."""
    _, digits, exponent = value.as_tuple()
    zeros = len(digits) - len("".join(map(str, digits)).rstrip("0"))
    return Decimal(1).scaleb(int(exponent) + min(zeros, len(digits) - 1))


def _readings(digits: str) -> tuple[list[Decimal], Decimal, int]:
    """Returns the values of a number as written, the worth of its last digit in the first, and its significant digits."""
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


def _is_list_number(text: str, match: re.Match[str]) -> bool:
    """Returns whether a number opens a line as that of a list does: `1.` or `2)`."""
    line = text[text.rfind("\n", 0, match.start("digits")) + 1 : match.start("digits")]
    return (
        not line.strip(" *(#-") and len(match["digits"]) <= 2 and bool(re.match(r"[.)]\s", text[match.end("digits") :]))
    )
