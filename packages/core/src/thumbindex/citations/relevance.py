"""Comparison of locations with a sentence: by shared terms, by what they bear out, by what comes close. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ..text.languages import detect_language
from ..text.terms import content_terms, tokenize
from .assertions import Assertion, bears_out
from .figures import figures
from .read_document import Location, ReadDocument
from .sentences import Sentence
from .wording import closest_passage, may_contain

_FEW_SHARED = 0.2
"""A location that shares fewer of a sentence's terms is about something else, even where it bears out its figures."""
_SOME_SHARED = 2 * _FEW_SHARED
"""Asked of a location that no figure, or not the citation itself, speaks for."""
_MANY_SHARED = 0.6
"""Asked of a location that is to be named for a sentence without quotes and figures."""
_FEWEST_TERMS = 3
"""Fewer terms make no share that could be compared."""
_SCRIPT_SAMPLE = 2000
"""Characters of a text by which its script is recognized."""
_SCRIPT_LETTERS = 200
"""Letters among them that are counted."""


def is_about(sentence: Sentence, asserted: Sequence[Assertion], locations: Iterable[Location]) -> bool:
    """Returns whether some location speaks of what the sentence does; a quote that stands there is proof enough."""
    if any(assertion.quote for assertion in asserted):
        return True
    share = shared_terms(sentence, locations)
    return share is None or share >= (_FEW_SHARED if asserted else _SOME_SHARED)


def shared_terms(sentence: Sentence, locations: Iterable[Location]) -> float | None:
    """Returns the greatest share of the sentence's terms that a location has, 0 to 1; None where they cannot be compared."""
    best: float | None = None
    for location in locations:
        language = location.document.language
        if detect_language(sentence.text) not in (language, "english") or (
            language != "english" and detect_language(sentence.text) == "english" and sentence.text.isascii()
        ):
            return None  # an answer in another language than the document
        if _script(sentence.text) != _script(location.text):
            return None
        terms = {term for term in content_terms(sentence.text, language) if not term[0].isdigit()}
        if len(terms) < _FEWEST_TERMS:
            return None
        best = max(best or 0.0, len(terms & location.terms) / len(terms))
    return best


@lru_cache(maxsize=1024)
def _script(text: str) -> str:
    """Returns the script of most of a text's first letters: "LATIN", "CYRILLIC", "CJK" with the kana beside it."""
    letters = [character for character in text[:_SCRIPT_SAMPLE] if character.isalpha()][:_SCRIPT_LETTERS]
    names = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    script = names.most_common(1)[0][0] if names else ""
    return "CJK" if script in ("HIRAGANA", "KATAKANA") else script


def find_elsewhere(
    sentence: Sentence,
    asserted: Sequence[Assertion],
    documents: Sequence[ReadDocument],
    excluded: Sequence[Location],
) -> Location | None:
    """Returns a location that bears out everything asserted, those that were read first.

    Of the rest only quotes are looked up, which do not stand anywhere by coincidence.
    """
    avoided = set(excluded)
    others = [location for document in documents for location in document.locations if location not in avoided]
    quotes = [assertion.quote for assertion in asserted if assertion.quote]
    read = [location for location in others if location.is_read]
    unread = [location for location in others if not location.is_read] if quotes else []
    for location in (*read, *unread):
        if not location.is_read and not all(may_contain(location.text, quote) for quote in quotes):
            continue
        if asserted and all(bears_out(location, assertion) for assertion in asserted):
            share = 1.0 if quotes else shared_terms(sentence, [location])
            if share is None or share >= _SOME_SHARED:
                return location
        elif not asserted and (share := shared_terms(sentence, [location])) is not None and share >= _MANY_SHARED:
            return location
    return None


def narrowest(asserted: Sequence[Assertion], locations: Sequence[Location]) -> tuple[Location, ...]:
    """Returns the fewest locations that bear out all that any of them does, in reading order; those read are preferred."""
    left = [assertion for assertion in asserted if any(bears_out(location, assertion) for location in locations)]
    chosen: list[Location] = []
    while left:
        best = max(
            locations,
            key=lambda location: (
                sum(bears_out(location, assertion) for assertion in left),
                location.is_read,
                -location.lines.first,
            ),
        )
        chosen.append(best)
        left = [assertion for assertion in left if not bears_out(best, assertion)]
    return tuple(sorted(chosen, key=lambda location: location.lines.first))


def nearest(sentence: Sentence, missing: Sequence[Assertion], locations: Sequence[Location]) -> tuple[str, str]:
    """Returns the words of the locations that come closest to what is missing, and a note on what differs."""
    best, closeness, wanted = "", 0.0, ""
    for assertion in missing:
        if not assertion.quote:
            continue
        for location in locations:
            near, share = closest_passage(location.text, assertion.quote)
            if share > closeness:
                best, closeness, wanted = near, share, assertion.quote
    if best:
        return best, _differing_figures(best, wanted)
    return _nearest_line(sentence, locations), _missing_figures(missing)


def _differing_figures(found: str, wanted: str) -> str:
    theirs, ours = [figure.text for figure in figures(found)], [figure.text for figure in figures(wanted)]
    if len(theirs) != len(ours):
        return ""
    pairs = [(their, our) for their, our in zip(theirs, ours, strict=True) if their != our]
    return "; ".join(f"The number differs: {their} against {our}." for their, our in pairs)


def _missing_figures(missing: Sequence[Assertion]) -> str:
    shown = ", ".join(assertion.shown for assertion in missing if assertion.figure)
    return f"{shown} stands on no page that was read." if shown else ""


def _nearest_line(sentence: Sentence, locations: Sequence[Location]) -> str:
    """Returns the line with a digit that shares most terms with a sentence, at least two; "" without one."""
    terms = set(content_terms(sentence.text, locations[0].document.language)) if locations else set()
    scored = [
        (len(terms & set(tokenize(line, location.document.language))), line)
        for location in dict.fromkeys(locations)
        for line in location.text.splitlines()
        if re.search(r"\d", line)
    ]
    shared, line = max(scored, key=lambda pair: pair[0], default=(0, ""))
    return " ".join(line.split()) if shared > 1 else ""
