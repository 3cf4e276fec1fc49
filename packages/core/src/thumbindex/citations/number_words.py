"""Small numbers in the words of several languages, for texts that are cited: a contract says "sechs Wochen", an answer "6 weeks".

Only cited texts are read so, in their own language: some of these words have other meanings ("neuf", "sei"), which do little
harm where a figure is looked for, and would where one is claimed. English words are in `figures`: answers are read for them too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.numerals import CHINESE_NUMERALS, MAX_CHARACTERS, chinese_number

_WORDS = {
    language: dict(zip(words.split()[1::2], map(int, words.split()[::2]), strict=True))
    for language, words in {
        "german": "2 zwei 3 drei 4 vier 5 fünf 6 sechs 7 sieben 8 acht 9 neun 10 zehn 11 elf "
        "12 zwölf 14 vierzehn 15 fünfzehn 18 achtzehn 20 zwanzig 24 vierundzwanzig 30 dreißig 30 dreissig 60 sechzig 90 neunzig 100 hundert",
        "french": "2 deux 3 trois 4 quatre 5 cinq 6 six 7 sept 8 huit 9 neuf 10 dix 11 onze "
        "12 douze 14 quatorze 15 quinze 18 dix-huit 20 vingt 24 vingt-quatre 30 trente 60 soixante 90 quatre-vingt-dix 100 cent",
        "spanish": "2 dos 3 tres 4 cuatro 5 cinco 6 seis 7 siete 8 ocho 9 nueve 10 diez 11 once "
        "12 doce 14 catorce 15 quince 18 dieciocho 20 veinte 24 veinticuatro 30 treinta 60 sesenta 90 noventa 100 cien",
        "italian": "2 due 3 tre 4 quattro 5 cinque 6 sei 7 sette 8 otto 9 nove 10 dieci 11 undici "
        "12 dodici 14 quattordici 15 quindici 18 diciotto 20 venti 24 ventiquattro 30 trenta 60 sessanta 90 novanta 100 cento",
        "portuguese": "2 dois 2 duas 3 três 4 quatro 5 cinco 6 seis 7 sete 8 oito 9 nove 10 dez "
        "11 onze 12 doze 14 catorze 15 quinze 18 dezoito 20 vinte 30 trinta 60 sessenta 90 noventa 100 cem",
        "dutch": "2 twee 3 drie 4 vier 5 vijf 6 zes 7 zeven 8 acht 9 negen 10 tien 11 elf "
        "12 twaalf 14 veertien 15 vijftien 18 achttien 20 twintig 24 vierentwintig 30 dertig 60 zestig 90 negentig 100 honderd",
        "russian": "2 два 2 две 2 двух 3 три 3 трёх 3 трех 4 четыре 4 четырёх 4 четырех 5 пять 5 пяти 6 шесть 6 шести 7 семь 7 семи 8 восемь "
        "8 восьми 9 девять 9 девяти 10 десять 10 десяти 12 двенадцать 12 двенадцати 14 четырнадцать 15 пятнадцать 20 двадцать 20 двадцати 30 тридцать 30 тридцати 60 шестьдесят 90 девяносто 100 сто",
        "swedish": "2 två 3 tre 4 fyra 5 fem 6 sex 7 sju 8 åtta 9 nio 10 tio "
        "11 elva 12 tolv 14 fjorton 15 femton 20 tjugo 30 trettio 60 sextio 90 nittio 100 hundra",
        "polish": "2 dwa 2 dwie 2 dwóch 3 trzy 3 trzech 4 cztery 4 czterech 5 pięć 5 pięciu 6 sześć 6 sześciu "
        "7 siedem 8 osiem 9 dziewięć 10 dziesięć 12 dwanaście 14 czternaście 15 piętnaście 20 dwadzieścia 30 trzydzieści 60 sześćdziesiąt 90 dziewięćdziesiąt 100 sto",
    }.items()
}
_PATTERNS = {
    language: re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(words, key=len, reverse=True))})(?![\w-])", re.IGNORECASE)
    for language, words in _WORDS.items()
}
_CHARACTERS = re.compile(f"(?<![{CHINESE_NUMERALS}])[{CHINESE_NUMERALS}]{{1,{MAX_CHARACTERS}}}(?![{CHINESE_NUMERALS}])")


def number_words(text: str, language: str) -> Iterator[tuple[int, int, int]]:
    """Yields the numbers from 2 on that are written in the words of a language or in Chinese characters.

    Each as the index of its first character, that behind its last, and its value.
    """
    if language in _PATTERNS:
        for match in _PATTERNS[language].finditer(text):
            yield *match.span(), _WORDS[language][match.group().lower()]
    for match in _CHARACTERS.finditer(text):
        value = chinese_number(match.group())
        # 千 in 2千 is a power of ten, and 一 mostly an article.
        if value > 1 and not text[max(0, match.start() - 1) : match.start()].isdigit():
            yield *match.span(), value
