"""JSON as models write it: inside prose and fences, with commas too many, other quotes, or cut off before its end."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

_DECODER = json.JSONDecoder()
_TRAILING = re.compile(r",\s*(?=[}\]])")
_BARE_KEY = re.compile(r"(?<=[{,])\s*([A-Za-z_]\w*)\s*:")
_LITERALS = {"True": "true", "False": "false", "None": "null"}
LONGEST = 20_000
"""Letters of a reply that are looked at."""
MENDED = 20
"""Openings of a reply that are mended where they are no JSON. A model that has lost its way writes braces without end, and each
takes time in proportion to all that follows."""


def json_objects(reply: str) -> Iterator[dict[str, object]]:
    """All JSON objects in a text, mended where they are nearly JSON; objects inside of others are not given again."""
    text = reply[:LONGEST]
    at = failed = 0
    while (start := text.find("{", at)) >= 0:
        value, end = _decode(text, start, mend=failed < MENDED)
        if isinstance(value, dict):
            # Python's notation allows other keys than JSON does.
            yield {str(key): one for key, one in value.items()}
            at = end
        else:
            failed += 1
            at = start + 1


def _decode(text: str, start: int, *, mend: bool) -> tuple[object, int]:
    try:
        value, end = _DECODER.raw_decode(text, start)
        return value, end
    except (ValueError, RecursionError):
        if not mend:
            return None, start + 1
    piece, end = _balanced(text, start)
    for mended in (piece, _mended(piece)):
        try:
            return json.loads(mended, strict=False), end
        except (ValueError, RecursionError):
            continue
    try:
        return ast.literal_eval(piece), end
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None, start + 1


def _balanced(text: str, start: int) -> tuple[str, int]:
    """From a brace to the one that closes it; what is cut off gets its closing brackets."""
    closing: list[str] = []
    quote = ""
    escaped = False
    for position in range(start, len(text)):
        letter = text[position]
        if quote:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == quote:
                quote = ""
        elif letter in '"':
            quote = letter
        elif letter in "{[":
            closing.append("}" if letter == "{" else "]")
        elif closing and letter == closing[-1]:
            closing.pop()
            if not closing:
                return text[start : position + 1], position + 1
    rest = re.sub(r"[,:\s]+\Z", "", text[start:]) if not quote else text[start:] + quote
    return rest + "".join(reversed(closing)), len(text)


def _mended(piece: str) -> str:
    piece = piece.replace("“", '"').replace("”", '"').replace("„", '"')
    piece = re.sub(r"//[^\n\"]*$", "", piece, flags=re.MULTILINE)
    piece = _TRAILING.sub("", piece)
    piece = _BARE_KEY.sub(r'"\1":', piece)
    return re.sub(r"\b(True|False|None)\b", lambda match: _LITERALS[match[1]], piece)
