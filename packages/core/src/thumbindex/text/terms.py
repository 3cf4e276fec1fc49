"""Tokens of the index: stems, numbers and bigrams, the same on every machine.

SQLite's own tokenizers take a run of Chinese characters as one word, do not find Chinese words of two characters by trigrams, and
do not stem. So the index stores these tokens, separated by spaces.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from importlib import import_module
from typing import Protocol

from .languages import DEFAULT_LANGUAGE, STOP_WORDS

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
"""Scripts without spaces between words, where pairs of characters take the place of words; for a character class."""
_TOKEN = re.compile(
    rf"(?P<unspaced>[{UNSPACED}]+)"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    # A word includes its combining marks (Hindi, Arabic) and an apostrophe inside it.
    rf"|(?P<word>(?:(?![{UNSPACED}])[^\W\d_][\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0962\u0963\u0b80-\u0bff\u200d]*)+"
    r"(?:['’](?:(?![" + UNSPACED + r"])[^\W\d_])+)?)"
)
# From the first letter of a word only: otherwise an endless run of letters would be searched from each of them.
_HYPHENATED = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,})[-\u2010\u00ad\ufffe\u0002][ \t]*\n[ \t]*([a-zà-ÿа-я]{2,})")
_BROKEN = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,})[-\u2010\u00ad\ufffe\u0002]\s*$")
_REST = re.compile(r"\s*([a-zà-ÿа-я]{2,})")
_POSSESSIVE = re.compile(r"['’]s?$")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")


MAX_STEMMED_LETTERS = 100
"""Letters of a word that is stemmed. No language has longer ones: they are gene sequences and encoded data, for which a stemmer
takes seconds each."""
BIGRAM = 2
"""Characters of a token in scripts without spaces."""
MIN_NAME_LETTERS = 4
"""Letters of a term that is looked for inside a name: shorter ones are parts of other words by chance."""


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


_stemmers: dict[str, _Stemmer] = {}
_stemming = threading.Lock()


@lru_cache(maxsize=1 << 17)
def _stem(word: str, language: str) -> str:
    if len(word) > MAX_STEMMED_LETTERS:
        return fold(word) or word
    # The pure Python stemmers, by name: `snowballstemmer.stemmer` uses PyStemmer where it is installed, whose version may stem
    # differently, and an index must be the same on every machine. A stemmer stores the word it works on, so it needs a lock.
    with _stemming:
        if language not in _stemmers:
            module = import_module(f"snowballstemmer.{language}_stemmer")
            _stemmers[language] = getattr(module, f"{language.capitalize()}Stemmer")()
        stem = str(_stemmers[language].stemWord(word))
    return fold(stem) or word


def fold(word: str) -> str:
    """Returns a word without the diacritics of Latin, Greek and Hebrew letters; й stays different from и."""
    if word.isascii():
        return word
    characters: list[str] = []
    for character in unicodedata.normalize("NFD", word):
        if unicodedata.combining(character) and characters and "\u0041" <= characters[-1] < "\u0400":
            continue
        characters.append(character)
    return unicodedata.normalize("NFC", "".join(characters)).replace("ß", "ss")


def squash(name: str) -> str:
    """Returns a name's letters and digits, run together.

    >>> squash("AMERICAN_EXPRESS 2022")
    'americanexpress2022'
    """
    return re.sub(r"[\W_]+", "", fold(name.lower()))


def _number(digits: str) -> str:
    """A number in one form: `1,234.5` and `1.234,5` are `1234.5`, `14.2` is unchanged."""
    if _THOUSANDS.fullmatch(digits):
        decimal = max(digits.rfind(","), digits.rfind("."))
        is_decimal = len({c for c in digits if not c.isdigit()}) == 2
        whole, rest = (digits[:decimal], digits[decimal + 1 :]) if is_decimal else (digits, "")
        whole = whole.replace(",", "").replace(".", "")
        return f"{whole}.{rest}" if rest else whole
    return digits.replace(",", ".")


def rejoin(line: str, following: str) -> str:
    """Returns a line with the complete word appended, where a hyphen breaks one at its end.

    >>> rejoin("a water-", "course is")
    'a water- watercourse'
    """
    match = _BROKEN.search(line)
    rest = _REST.match(following) if match else None
    return f"{line} {match[1]}{rest[1]}" if match and rest else line


def tokenize(text: str, language: str) -> list[str]:
    """Returns the tokens of `text` in order, stop words included, as the index stores them.

    Words are NFKC, lower case, stemmed by the language's rules and without diacritics; `FY2018` and `FY18` become `fy 2018`,
    `1,234` becomes `1234`; Chinese, Japanese, Korean and Thai become pairs of characters.
    """
    if language not in STOP_WORDS:
        language = DEFAULT_LANGUAGE
    text = unicodedata.normalize("NFKC", text)
    # A word broken at the end of a line is found by its parts and as a whole: the hyphen may be part of it.
    text = _HYPHENATED.sub(r"\1 \2 \1\2", text).lower()
    tokens: list[str] = []
    previous, end = "", -1
    for match in _TOKEN.finditer(text):
        token = match.group()
        match match.lastgroup:
            case "unspaced":
                tokens.extend(token[i : i + BIGRAM] for i in range(max(1, len(token) - BIGRAM + 1)))
            case "number":
                number = _number(token)
                if previous == "fy" and len(number) == 2 and match.start() - end <= 1:
                    number = "20" + number
                tokens.append(number)
            case _:
                # Few words have an apostrophe, and a search in each takes a tenth of the time to index a document.
                has_apostrophe = "'" in token or "’" in token
                word = _POSSESSIVE.sub("", token).replace("’", "'") if has_apostrophe else token
                tokens.append(_stem(word, language))
        previous, end = token, match.end()
    return tokens


@lru_cache(maxsize=64)
def stop_stems(language: str) -> frozenset[str]:
    """Returns a language's function words as tokens of the index."""
    words = STOP_WORDS.get(language, STOP_WORDS[DEFAULT_LANGUAGE])
    return frozenset(token for word in words for token in tokenize(word, language))


def content_terms(question: str, language: str) -> list[str]:
    """Returns the tokens of a question in order, with repetitions, without function words; all of them if none is left."""
    tokens = tokenize(question, language)
    stop = stop_stems(language)
    return [token for token in tokens if token not in stop] or tokens


def may_be_in_name(term: str) -> bool:
    """Returns whether a term is looked for inside the words of a name, as `american` in `AMERICANEXPRESS_2022`."""
    return len(term) >= MIN_NAME_LETTERS and term.isalpha()
