"""The quotes and figures of a sentence, which a text can bear out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .figures import Figure, agrees, figures
from .read_document import Location
from .scales import stated_scales
from .sentences import Sentence, quote_spans
from .wording import contains_quote, word_count

QUOTE_WORDS = 4
"""Fewer quoted words are a name or a term, and prove nothing by standing on a page."""
_SMALLEST_WORD_FIGURE = 4
"""Smaller numbers in words are turns of phrase: "among the three", "the two of them"."""
_LIST_NUMBER = re.compile(r"\(\d{1,2}\)")
_PERCENT_WORDS = re.compile(r"%|per\s?cent|prozent|процент|pour cent|por ciento", re.IGNORECASE)
_SIGN_CONTEXT = 80
"""Characters on each side of a figure, about a line, in which a word such as "loss" may stand for its minus."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """A quote or a figure of a sentence.

    Args:
        shown: How it is shown to a reader.
        readings: The figure, and its values in the unit that the question asks for: "in USD millions".
    """

    shown: str
    quote: str = ""
    figure: Figure | None = None
    readings: tuple[Figure, ...] = ()


def assertions(sentence: Sentence, question: str) -> Iterator[Assertion]:
    """Yields the quotes of a sentence that are long enough to prove something, then its figures outside of them."""
    long_quotes = [quote for quote in sentence.quotes if word_count(quote) >= QUOTE_WORDS]
    for quote in long_quotes:
        yield Assertion(f"“{' '.join(quote.split())}”", quote=quote)
    quoted = [
        span
        for span in quote_spans(sentence.text)
        if any(quote in sentence.text[slice(*span)] for quote in long_quotes)
    ]
    units = stated_scales(question)
    asked_years = {figure.value for figure in figures(question) if figure.is_year}
    for figure in figures(sentence.text):
        # A year that the question names is not asserted by the answer.
        if any(first <= figure.start < last for first, last in quoted) or (
            figure.is_year and figure.value in asked_years
        ):
            continue
        # "(1) the ferry, (2) the quay" counts what a sentence lists.
        if _LIST_NUMBER.fullmatch(figure.text) and re.match(r"\s+[^\W\d_]", sentence.text[figure.end :]):
            continue
        has_unit = figure.scaled or figure.percent
        if figure.spelled and figure.value < _SMALLEST_WORD_FIGURE and not has_unit:
            continue
        scaled = () if has_unit else tuple(figure.times_ten_to(power) for power in sorted(units))
        yield Assertion(figure.text.strip(), figure=figure, readings=(figure, *scaled))


def bears_out(location: Location, assertion: Assertion) -> bool:
    """Returns whether a quote or a figure stands at a location."""
    if assertion.quote:
        return contains_quote(location.text, assertion.quote)
    return any(find_figure(location, reading) is not None for reading in assertion.readings)


def find_figure(location: Location, claimed: Figure) -> Figure | None:
    """Returns the first figure of a location that agrees with the claimed one."""
    speaks_of_percent = _PERCENT_WORDS.search(location.text) is not None
    for figure in location.figures:
        near = ""
        if claimed.negative:
            near = location.text[max(0, figure.start - _SIGN_CONTEXT) : figure.end + _SIGN_CONTEXT]
        if agrees(claimed, figure, location.scales, percents=speaks_of_percent, near=near):
            return figure
    return None
