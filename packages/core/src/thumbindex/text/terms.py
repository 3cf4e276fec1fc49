"""Text as the index sees it: stems, numbers and bigrams, one token text per passage, the same for every machine.

SQLite's own tokenizers take a run of Chinese as one word, find no two-letter Chinese word as trigrams, and know no stems.
So the index holds our tokens, separated by spaces.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from importlib import import_module
from typing import Protocol

from .languages import DEFAULT_LANGUAGE, STOP_WORDS

# Scripts that write without spaces between words, where pairs of letters take the place of words.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_TOKEN = re.compile(
    rf"(?P<unspaced>[{UNSPACED}]+)"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    # A word keeps its combining marks (Hindi, Arabic); an apostrophe inside it belongs to it.
    rf"|(?P<word>(?:(?![{UNSPACED}])[^\W\d_][\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0962\u0963\u0b80-\u0bff\u200d]*)+"
    r"(?:['’](?:(?![" + UNSPACED + r"])[^\W\d_])+)?)"
)
# From the first letter of a word only: else a run of letters without end would be looked through from each of them.
_HYPHENATED = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,})[-\u2010\u00ad\ufffe\u0002][ \t]*\n[ \t]*([a-zà-ÿа-я]{2,})")
_BROKEN = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,})[-\u2010\u00ad\ufffe\u0002]\s*$")
_REST = re.compile(r"\s*([a-zà-ÿа-я]{2,})")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")


LONGEST_STEMMED = 100
"""Letters above which no language has a word: gene sequences and coded data, for which a stemmer takes seconds each."""


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


_stemmers: dict[str, _Stemmer] = {}
_stemming = threading.Lock()


@lru_cache(maxsize=1 << 17)
def _stem(word: str, language: str) -> str:
    if len(word) > LONGEST_STEMMED:
        return fold(word) or word
    # The pure Python stemmers by name: `snowballstemmer.stemmer` takes PyStemmer where it is installed, whose version may
    # stem otherwise, and a library must mean the same on every machine. A stemmer holds the word it works on: one at a time.
    with _stemming:
        if language not in _stemmers:
            module = import_module(f"snowballstemmer.{language}_stemmer")
            _stemmers[language] = getattr(module, f"{language.capitalize()}Stemmer")()
        stem = str(_stemmers[language].stemWord(word))
    return fold(stem) or word


def fold(word: str) -> str:
    """A word without the diacritics of Latin, Greek and Hebrew letters; й stays apart from и."""
    if word.isascii():
        return word
    kept: list[str] = []
    for letter in unicodedata.normalize("NFD", word):
        if unicodedata.combining(letter) and kept and "\u0041" <= kept[-1] < "\u0400":
            continue
        kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept)).replace("ß", "ss")


def squash(name: str) -> str:
    """A name's letters and digits alone: `AMERICAN_EXPRESS 2022` holds `americanexpress`."""
    return re.sub(r"[\W_]+", "", fold(name.lower()))


def _number(digits: str) -> str:
    """A number in one form: `1,234.5` and `1.234,5` are `1234.5`; `14.2` stays."""
    if _THOUSANDS.fullmatch(digits):
        decimal = max(digits.rfind(","), digits.rfind("."))
        is_decimal = len({c for c in digits if not c.isdigit()}) == 2
        whole, rest = (digits[:decimal], digits[decimal + 1 :]) if is_decimal else (digits, "")
        whole = whole.replace(",", "").replace(".", "")
        return f"{whole}.{rest}" if rest else whole
    return digits.replace(",", ".")


def rejoin(line: str, following: str) -> str:
    """A line with the whole of the word that it breaks off at its end, if it does."""
    match = _BROKEN.search(line)
    rest = _REST.match(following) if match else None
    return f"{line} {match[1]}{rest[1]}" if match and rest else line


def tokenize(text: str, language: str) -> list[str]:
    """The tokens of `text` in order, stop words included: what the index holds.

    Words are NFKC, lower case, stemmed by the language's rules and without diacritics; `FY2018` gives `fy 2018` and `FY18`
    gives `fy 2018` too; `1,234` gives `1234`; Chinese, Japanese, Korean and Thai give pairs of letters.
    """
    if language not in STOP_WORDS:
        language = DEFAULT_LANGUAGE
    text = unicodedata.normalize("NFKC", text)
    # A word broken at the end of a line is found by its parts and as a whole: nobody knows which of both it was.
    text = _HYPHENATED.sub(r"\1 \2 \1\2", text).lower()
    tokens: list[str] = []
    before, end = "", -1
    for match in _TOKEN.finditer(text):
        token = match.group()
        match match.lastgroup:
            case "unspaced":
                tokens.extend(token[i : i + 2] for i in range(max(1, len(token) - 1)))
            case "number":
                number = _number(token)
                if before == "fy" and len(number) == 2 and match.start() - end <= 1:
                    number = "20" + number
                tokens.append(number)
            case _:
                word = re.sub(r"['’]s?$", "", token)
                tokens.append(_stem(word.replace("’", "'"), language))
        before, end = token, match.end()
    return tokens


@lru_cache(maxsize=64)
def stop_stems(language: str) -> frozenset[str]:
    """A language's function words as the index has them."""
    words = STOP_WORDS.get(language, STOP_WORDS[DEFAULT_LANGUAGE])
    return frozenset(token for word in words for token in tokenize(word, language))


def content_terms(question: str, language: str) -> list[str]:
    """The question's tokens in order, repeats kept, without function words; all of its tokens if nothing else is left."""
    tokens = tokenize(question, language)
    stop = stop_stems(language)
    return [token for token in tokens if token not in stop] or tokens
