"""From bytes to lines: which encoding a text file is in, and where its lines end."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from ..errors import UnsupportedSource
from ..text.characters import replace_surrogates

# UTF-32 first: its little-endian mark begins with the one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Line ends as CommonMark has them. `str.splitlines` also breaks at form feeds and U+2028, and would shift line numbers.
_LINE_END = re.compile(r"\r\n|\n|\r")

# Control characters that no text file has a use for; tab, backspace (of manual pages), line feed, form feed, carriage
# return and escape occur.
_CONTROL = re.compile(r"[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE = 65_536
_MOST_CONTROL = 0.05

# ISO-2022-JP switches its letters by these (RFC 1468); without them it is ASCII.
_JAPANESE_ESCAPES = (b"\x1b$B", b"\x1b$@")

_REMEDY = "Save it as UTF-8."

# Declared names are taken as browsers do (https://encoding.spec.whatwg.org): what calls itself Latin-1 is Windows-1252, and a
# subset is read as the whole. Codecs that are no encodings of text (`unicode_escape`, `zlib`) are not among them.
_DECLARED = {
    **dict.fromkeys(
        ("ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin1", "latin-1", "cp1252", "x-cp1252"), "cp1252"
    ),
    **dict.fromkeys(("gb2312", "gbk", "gb_2312-80", "x-gbk", "gb18030"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j", "cp932"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "korean", "cp949", "windows-949"), "cp949"),
    **dict.fromkeys(("big5", "big5-hkscs", "x-x-big5", "cn-big5"), "big5hkscs"),
    **dict.fromkeys(("utf-8", "utf8", "unicode-1-1-utf-8"), "utf-8"),
    **dict.fromkeys(("euc-jp", "x-euc-jp"), "euc_jp"),
    **dict.fromkeys(("iso-8859-9", "latin5", "windows-1254", "cp1254"), "cp1254"),
    **dict.fromkeys(("tis-620", "iso-8859-11", "windows-874", "cp874"), "cp874"),
    "iso-2022-jp": "iso2022_jp",
    "macintosh": "mac_roman",
    "x-mac-roman": "mac_roman",
}
_PLAIN_DECLARED = re.compile(
    r"(?:windows-125\d|cp125\d|iso-?8859-\d{1,2}|koi8-[ru]|(?:cp|ibm)(?:437|850|852|855|862|866))"
)
_DECLARATION = re.compile(
    rb"""(?:<meta\b[^>]{0,300}?charset\s*=\s*["']?\s*|<\?xml\b[^>]{0,100}?encoding\s*=\s*["'])([\w:.-]{2,40})""",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text without its byte-order mark, its encoding, and whether that is known (marked, declared, valid UTF-8) or a guess."""

    text: str
    encoding: str
    known: bool = True


def decode(data: bytes, name: str) -> Decoded:
    """The text of a file.

    A byte-order mark decides; then what an HTML page declares, if its bytes bear it out; then UTF-8 and UTF-16, which can be
    told from the bytes; else the encoding is guessed: see `guess`.

    Raises:
        UnsupportedSource: the bytes are no text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                text = data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                what = f"it starts with a byte-order mark for {encoding.upper()} but breaks that encoding at byte {len(mark) + error.start}."
                raise UnsupportedSource(name, what, _REMEDY) from None
            return Decoded(_checked(text, name), encoding)
    if b"\x00" in data:
        for encoding in _utf16(data):
            return Decoded(_checked(data.decode(encoding), name), encoding, known=False)
        raise UnsupportedSource(name, "it holds binary data and no text.", _REMEDY)
    if any(escape in data[:_SAMPLE] for escape in _JAPANESE_ESCAPES):
        text = data.decode("iso2022_jp", "replace")
        if "\ufffd" not in text:
            return Decoded(_checked(text, name), "iso2022_jp")
    declared = declared_encoding(data[:4096]) if data.lstrip()[:1] == b"<" else None
    for encoding in filter(None, (declared, "utf-8")):
        try:
            return Decoded(_checked(data.decode(encoding), name), encoding)
        except UnicodeDecodeError:
            continue
    # UTF-8 but for a stray byte is UTF-8.
    text = data.decode("utf-8", "replace")
    strays = text.count("\ufffd")
    if sum(char > "\x7f" for char in text) - strays >= 20 * strays:
        return Decoded(_checked(text, name), "utf-8", known=False)
    encoding = guess(data)
    text = data.decode(encoding, "replace")
    if _CONTROL.search(text) or text.count("�") > 1 + len(text) // 1000:
        raise UnsupportedSource(name, "its text encoding is unknown, or it holds binary data.", _REMEDY)
    return Decoded(text, "windows-1252" if encoding == "cp1252" else encoding, known=False)


def declared_encoding(start: bytes) -> str | None:
    """Python's name of the encoding that an HTML or XML file declares near its start; None for none, or an unknown one."""
    match = _DECLARATION.search(start)
    return _codec(match[1].decode("ascii")) if match else None


def decode_declared(data: bytes, label: str) -> str:
    """A text whose encoding is named from outside, as in mail; where the name is unknown or wrong, UTF-8 or a guess."""
    for encoding in filter(None, (_codec(label), "utf-8")):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode(guess(data), "replace")


def _codec(label: str) -> str | None:
    """Python's name of an encoding, None for an unknown one."""
    label = label.strip().lower()
    if _PLAIN_DECLARED.fullmatch(label) and label not in _DECLARED:
        label = re.sub(r"^ibm", "cp", label)
        try:
            return codecs.lookup(label).name
        except LookupError:
            return None
    return _DECLARED.get(label)


def guess(data: bytes) -> str:
    """The likeliest encoding of a text that is neither UTF-8 nor UTF-16.

    First the encodings of scripts that betray themselves by their letters; then what charset-normalizer finds (the extra
    `encodings`), which is unsure of short texts; else Windows-1252, the usual encoding of old Western files.
    """
    sample = data[:_SAMPLE]
    high = sum(byte > 0x7F for byte in sample)
    if high < 0.03 * len(sample) or high < 6:
        # A few accents: texts in other scripts are mostly such bytes.
        return "cp1252"
    found = _by_letters(sample)
    if found is None:
        try:
            from charset_normalizer import from_bytes
        except ImportError:
            return "cp1252"
        best = from_bytes(sample).best()
        found = None if best is None or best.encoding in ("ascii", "utf_8") else best.encoding
    return found or "cp1252"


_FITTING = 0.85
"""Share of the letters beyond ASCII that must be those of the encoding's own script."""
_SMALL_CYRILLIC = (("а", "я"), ("ё", "ё"), ("і", "ї"))
_SMALL_GREEK = (("α", "ω"), ("ά", "ώ"))
_LINES = ("\u2500", "\u257f")
"""Of tables that texts draw."""
_KANA = (("\u3041", "\u30fc"),)
_JAPANESE = (*_KANA, ("\u4e00", "\u9fa5"), ("\u3000", "\u303f"), ("\uff01", "\uff60"), _LINES)
_HANGUL = (("\uac00", "\ud7a3"),)
_CHINESE = (("\u4e00", "\u9fa5"), ("\u3000", "\u3011"), ("\uff01", "\uff1f"), _LINES)


def _by_letters(sample: bytes) -> str | None:
    """The encoding in which the bytes are letters as texts of one script have them; None where none fits.

    Small letters tell Windows-1251 from KOI8-R, where small and capital letters have changed places. Japanese is asked for
    before Chinese, whose encodings take any Japanese text, and known by its syllables; Korean by the spaces between words.
    """
    high_share = sum(byte > 0x7F for byte in sample) / max(
        1, sum(byte > 0x7F or chr(byte).isalpha() for byte in sample)
    )
    for encodings, ranges in ((("cp1251", "koi8-r", "cp866"), _SMALL_CYRILLIC), (("cp1253",), _SMALL_GREEK)):
        shares = {encoding: _share(text, ranges) for encoding in encodings if (text := _decoded(sample, encoding))}
        best = max(shares, key=shares.__getitem__, default=None)
        # Accented capitals stand where KOI8-R has small letters, but never make up a third of a Western text.
        if best is not None and shares[best] >= _FITTING and high_share >= 0.3:
            return best
    for encoding in ("cp932", "euc_jp"):
        text = _decoded(sample, encoding)
        if text and _share(text, _JAPANESE) >= _FITTING and _share(text, _KANA) >= 0.2:
            return encoding
    text = _decoded(sample, "cp949")
    if text and _share(text, _HANGUL) >= _FITTING and text.count(" ") >= 0.05 * len(text):
        return "cp949"
    for encoding, common in (("gb18030", "gb2312"), ("big5", "big5")):
        text = _decoded(sample, encoding)
        if text and _share(text, _CHINESE) >= _FITTING:
            foreign = [char for char in text if char > "\x7f"]
            if len("".join(foreign).encode(common, "ignore")) >= 1.8 * len(foreign):
                return encoding
    return None


def _decoded(sample: bytes, encoding: str) -> str:
    """The sample in an encoding, a letter cut off at its end aside; empty where it does not fit."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return ""


def _share(text: str, ranges: tuple[tuple[str, str], ...]) -> float:
    """Share of the letters beyond ASCII that lie in these ranges."""
    foreign = [char for char in text if char > "\x7f"]
    return sum(any(first <= char <= last for first, last in ranges) for char in foreign) / max(1, len(foreign))


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends, of whole letters; a line end at the very end opens no further line."""
    lines = _LINE_END.split(replace_surrogates(text))
    if not lines[-1]:
        lines.pop()
    return lines


def _checked(text: str, name: str) -> str:
    sample = text[:_SAMPLE]
    if "\x00" in text or len(_CONTROL.findall(sample)) > _MOST_CONTROL * len(sample):
        raise UnsupportedSource(name, "it holds binary data and no text.", _REMEDY)
    return text


def _utf16(data: bytes) -> list[str]:
    """UTF-16 in the byte order that the bytes bear out, if they do: Western text has NUL in every other byte, and any text has
    spaces and line ends, whose NUL always stands on the same side."""
    if len(data) % 2:
        return []
    found = []
    for encoding, low in (("utf-16-le", 0), ("utf-16-be", 1)):
        sample = data[:_SAMPLE]
        letters, zeros = sample[low::2], sample[1 - low :: 2]
        common = sum(
            zero == 0 and (letter in b"\t\n\r" or 0x20 <= letter < 0x7F)
            for letter, zero in zip(letters, zeros, strict=True)
        )
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if common >= 0.02 * len(letters) and not _CONTROL.search(text):
            found.append((common, encoding))
    return [encoding for _, encoding in sorted(found, reverse=True)]
