"""Decoding text files, and splitting them into lines."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from ..errors import UnsupportedSource
from ..text.characters import replace_surrogates

# UTF-32 first: its little-endian byte-order mark begins with the one of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Line endings of CommonMark. `str.splitlines` also breaks at form feeds and U+2028, and would shift line numbers.
_LINE_END = re.compile(r"\r\n|\n|\r")

# Control characters that text files have no use for; tab, backspace (in manual pages), line feed, form feed, carriage
# return and escape do occur.
_CONTROL = re.compile(r"[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE = 65_536
"""Bytes from the start of a file that are examined."""
_MAX_CONTROL = 0.05
"""Share of control characters up to which a file is text."""
_DECLARATION_WINDOW = 4096
"""Bytes from the start of a page in which it may declare its encoding; browsers look at 1024 (HTML, 13.2.3.2)."""
_CHARACTERS_PER_STRAY = 20
"""Valid characters beyond ASCII for each invalid byte that make a text UTF-8 in spite of it."""
_CHARACTERS_PER_REPLACED = 1000
"""Characters for each one that a guessed encoding may leave undecoded."""
_UTF16_ASCII = 0.02
"""Share of ASCII characters, such as spaces and line endings, from which bytes are UTF-16."""
_FEW_BYTES, _FEW_SHARE = 6, 0.03
"""Bytes beyond ASCII, and their share, below which a text is Western with a few accents: texts in other scripts consist mostly
of such bytes."""

# ISO-2022-JP switches character sets by these (RFC 1468); without them it is ASCII.
_JAPANESE_ESCAPES = (b"\x1b$B", b"\x1b$@")

_REMEDY = "Save it as UTF-8."

# Declared names mean what they mean to browsers (https://encoding.spec.whatwg.org): Latin-1 is Windows-1252, and a subset is
# read as the whole set. Python's codecs that are not encodings of text (`unicode_escape`, `zlib`) are not among them.
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
    rb"""(?:<meta\b[^>]{0,300}?charset\s*+=\s*+["']?\s*+|<\?xml\b[^>]{0,100}?encoding\s*+=\s*+["'])([\w:.-]{2,40})""",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded text.

    Args:
        text: The text without its byte-order mark.
        encoding: Name of the encoding.
        is_certain: Whether a byte-order mark, a declaration or valid UTF-8 proves the encoding; else it is a guess.
    """

    text: str
    encoding: str
    is_certain: bool = True


def decode(data: bytes, name: str) -> Decoded:
    """Decodes a text file.

    A byte-order mark decides; then the declaration of an HTML page, if the bytes are valid in it; then UTF-8 and UTF-16,
    which are recognised from the bytes; else the encoding is guessed: see `guess_encoding`.

    Raises:
        UnsupportedSource: The bytes are not text.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                text = data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                what = f"it starts with a byte-order mark for {encoding.upper()} but breaks that encoding at byte {len(mark) + error.start}."
                raise UnsupportedSource(name, what, _REMEDY) from None
            return Decoded(_checked(text, name), encoding)
    if b"\x00" in data:
        for encoding in _utf16(data):
            return Decoded(_checked(data.decode(encoding), name), encoding, is_certain=False)
        raise UnsupportedSource(name, "it contains binary data, not text.", _REMEDY)
    if any(escape in data[:_SAMPLE] for escape in _JAPANESE_ESCAPES):
        text = data.decode("iso2022_jp", "replace")
        if "\ufffd" not in text:
            return Decoded(_checked(text, name), "iso2022_jp")
    declared = declared_encoding(data[:_DECLARATION_WINDOW]) if data.lstrip()[:1] == b"<" else None
    for encoding in filter(None, (declared, "utf-8")):
        try:
            return Decoded(_checked(data.decode(encoding), name), encoding)
        except UnicodeDecodeError:
            continue
    # UTF-8 but for a stray byte is UTF-8.
    text = data.decode("utf-8", "replace")
    strays = text.count("\ufffd")
    if sum(char > "\x7f" for char in text) - strays >= _CHARACTERS_PER_STRAY * strays:
        return Decoded(_checked(text, name), "utf-8", is_certain=False)
    encoding = guess_encoding(data)
    text = data.decode(encoding, "replace")
    if _CONTROL.search(text) or text.count("�") > 1 + len(text) // _CHARACTERS_PER_REPLACED:
        raise UnsupportedSource(name, "its text encoding is unknown, or it contains binary data.", _REMEDY)
    return Decoded(text, "windows-1252" if encoding == "cp1252" else encoding, is_certain=False)


def declared_encoding(start: bytes) -> str | None:
    """Returns Python's name of the encoding that an HTML or XML file declares; None without one, or for an unknown one."""
    match = _DECLARATION.search(start)
    return _codec(match[1].decode("ascii")) if match else None


def decode_declared(data: bytes, label: str) -> str:
    """Decodes a text whose encoding is declared elsewhere, as in mail; if that is unknown or wrong, as UTF-8 or by a guess."""
    for encoding in filter(None, (_codec(label), "utf-8")):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode(guess_encoding(data), "replace")


def _codec(label: str) -> str | None:
    """Returns Python's name of an encoding, None for an unknown one."""
    label = label.strip().lower()
    if _PLAIN_DECLARED.fullmatch(label) and label not in _DECLARED:
        label = re.sub(r"^ibm", "cp", label)
        try:
            return codecs.lookup(label).name
        except LookupError:
            return None
    return _DECLARED.get(label)


def guess_encoding(data: bytes) -> str:
    """Returns the likeliest encoding of a text that is neither UTF-8 nor UTF-16.

    Encodings of scripts that are recognised by their characters come first; then the finding of charset-normalizer (the extra
    `encodings`), which is unsure of short texts; else Windows-1252, the usual encoding of old Western files.
    """
    sample = data[:_SAMPLE]
    high = sum(byte > 0x7F for byte in sample)
    if high < _FEW_SHARE * len(sample) or high < _FEW_BYTES:
        return "cp1252"
    encoding = _by_script(sample)
    if encoding is None:
        try:
            from charset_normalizer import from_bytes
        except ImportError:
            return "cp1252"
        best = from_bytes(sample).best()
        encoding = None if best is None or best.encoding in ("ascii", "utf_8") else best.encoding
    return encoding or "cp1252"


_SCRIPT_SHARE = 0.85
"""Share of the characters beyond ASCII that must belong to the encoding's own script."""
_ALPHABET_SHARE = 0.3
"""Share of the letters beyond ASCII in Cyrillic and Greek texts. Accented capitals stand where KOI8-R has small letters, but
never make up a third of a Western text."""
_KANA_SHARE = 0.2
"""Share of kana among the characters of a Japanese text beyond ASCII."""
_SPACE_SHARE = 0.05
"""Share of spaces in a Korean text, which separates words, unlike Chinese and Japanese."""
_COMMON_BYTES = 1.8
"""Bytes per character beyond ASCII in the encoding's basic set, where a character takes two bytes and a rare one is missing: in
a wrong encoding, many are rare."""
_LOWER_CYRILLIC = (("а", "я"), ("ё", "ё"), ("і", "ї"))
_LOWER_GREEK = (("α", "ω"), ("ά", "ώ"))
_BOX_DRAWING = ("\u2500", "\u257f")
_KANA = (("\u3041", "\u30fc"),)
_JAPANESE = (*_KANA, ("\u4e00", "\u9fa5"), ("\u3000", "\u303f"), ("\uff01", "\uff60"), _BOX_DRAWING)
_HANGUL = (("\uac00", "\ud7a3"),)
_CHINESE = (("\u4e00", "\u9fa5"), ("\u3000", "\u3011"), ("\uff01", "\uff1f"), _BOX_DRAWING)


def _by_script(sample: bytes) -> str | None:
    """Returns the encoding in which the bytes are a text of one script; None where none fits.

    Lower-case letters distinguish Windows-1251 from KOI8-R, where cases have changed places. Japanese is tried before
    Chinese, whose encodings decode any Japanese text, and recognised by its kana; Korean by the spaces between words.
    """
    high_share = sum(byte > 0x7F for byte in sample) / max(
        1, sum(byte > 0x7F or chr(byte).isalpha() for byte in sample)
    )
    for encodings, ranges in ((("cp1251", "koi8-r", "cp866"), _LOWER_CYRILLIC), (("cp1253",), _LOWER_GREEK)):
        shares = {encoding: _share(text, ranges) for encoding in encodings if (text := _decoded(sample, encoding))}
        best = max(shares, key=shares.__getitem__, default=None)
        if best is not None and shares[best] >= _SCRIPT_SHARE and high_share >= _ALPHABET_SHARE:
            return best
    for encoding in ("cp932", "euc_jp"):
        text = _decoded(sample, encoding)
        if text and _share(text, _JAPANESE) >= _SCRIPT_SHARE and _share(text, _KANA) >= _KANA_SHARE:
            return encoding
    text = _decoded(sample, "cp949")
    if text and _share(text, _HANGUL) >= _SCRIPT_SHARE and text.count(" ") >= _SPACE_SHARE * len(text):
        return "cp949"
    for encoding, common in (("gb18030", "gb2312"), ("big5", "big5")):
        text = _decoded(sample, encoding)
        if text and _share(text, _CHINESE) >= _SCRIPT_SHARE:
            foreign = [char for char in text if char > "\x7f"]
            if len("".join(foreign).encode(common, "ignore")) >= _COMMON_BYTES * len(foreign):
                return encoding
    return None


def _decoded(sample: bytes, encoding: str) -> str:
    """Returns the decoded sample, without a character cut off at its end; empty where the encoding does not fit."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return ""


def _share(text: str, ranges: tuple[tuple[str, str], ...]) -> float:
    """Returns the share of the characters beyond ASCII that lie in some ranges."""
    foreign = [char for char in text if char > "\x7f"]
    return sum(any(first <= char <= last for first, last in ranges) for char in foreign) / max(1, len(foreign))


def split_lines(text: str) -> list[str]:
    """Returns the lines of a text without line endings and lone surrogates; a final line ending starts no further line."""
    lines = _LINE_END.split(replace_surrogates(text))
    if not lines[-1]:
        lines.pop()
    return lines


def _checked(text: str, name: str) -> str:
    sample = text[:_SAMPLE]
    if "\x00" in text or len(_CONTROL.findall(sample)) > _MAX_CONTROL * len(sample):
        raise UnsupportedSource(name, "it contains binary data, not text.", _REMEDY)
    return text


def _utf16(data: bytes) -> list[str]:
    """Returns the byte orders in which the bytes are UTF-16, the likelier first; empty where they are not.

    Western text has a NUL in every other byte, and any text has spaces and line endings, whose NUL stands on the same side.
    """
    if len(data) % 2:
        return []
    encodings = []
    for encoding, low in (("utf-16-le", 0), ("utf-16-be", 1)):
        sample = data[:_SAMPLE]
        lows, highs = sample[low::2], sample[1 - low :: 2]
        common = sum(
            high == 0 and (byte in b"\t\n\r" or 0x20 <= byte < 0x7F) for byte, high in zip(lows, highs, strict=True)
        )
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if common >= _UTF16_ASCII * len(lows) and not _CONTROL.search(text):
            encodings.append((common, encoding))
    return [encoding for _, encoding in sorted(encodings, reverse=True)]
