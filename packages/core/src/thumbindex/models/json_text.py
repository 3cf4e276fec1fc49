"""JSON as models write it: inside prose and code fences, with extra commas, other quotes, or cut off before its end. Pure."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

_DECODER = json.JSONDecoder()
_TRAILING = re.compile(r",\s*(?=[}\]])")
_BARE_KEY = re.compile(r"(?<=[{,])\s*([A-Za-z_]\w*)\s*:")
_LITERALS = {"True": "true", "False": "false", "None": "null"}
MAX_CHARACTERS = 20_000
"""Characters of a reply that are read."""
MAX_REPAIRS = 20
"""Opening braces of a reply from which invalid JSON is repaired. A degenerate model writes braces without end, and each
repair takes time in proportion to all that follows."""


def json_objects(reply: str) -> Iterator[dict[str, object]]:
    """Yields all JSON objects in a text, repaired where they are nearly JSON; nested objects are not yielded again."""
    text = reply[:MAX_CHARACTERS]
    position = failed = 0
    while (start := text.find("{", position)) >= 0:
        value, end = _decode(text, start, repair=failed < MAX_REPAIRS)
        if isinstance(value, dict):
            # Python's notation allows other keys than JSON does.
            yield {str(key): item for key, item in value.items()}
            position = end
        else:
            failed += 1
            position = start + 1


def _decode(text: str, start: int, *, repair: bool) -> tuple[object, int]:
    try:
        value, end = _DECODER.raw_decode(text, start)
        return value, end
    except (ValueError, RecursionError):
        if not repair:
            return None, start + 1
    piece, end = _balanced(text, start)
    for text_of_object in (piece, _repaired(piece)):
        try:
            return json.loads(text_of_object, strict=False), end
        except (ValueError, RecursionError):
            continue
    try:
        return ast.literal_eval(piece), end
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None, start + 1


def _balanced(text: str, start: int) -> tuple[str, int]:
    """Returns the text from a brace to the one that closes it, and its end; closing brackets that are cut off are added."""
    closing: list[str] = []
    quote = ""
    escaped = False
    for position in range(start, len(text)):
        character = text[position]
        if quote:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == quote:
                quote = ""
        elif character in '"':
            quote = character
        elif character in "{[":
            closing.append("}" if character == "{" else "]")
        elif closing and character == closing[-1]:
            closing.pop()
            if not closing:
                return text[start : position + 1], position + 1
    rest = re.sub(r"(?<![,:\s])[,:\s]++\Z", "", text[start:]) if not quote else text[start:] + quote
    return rest + "".join(reversed(closing)), len(text)


def _without_comment(line: str) -> str:
    """Returns a line without a comment behind its last quotation mark."""
    quoted, mark, rest = line.rpartition('"')
    return quoted + mark + rest.split("//", 1)[0]


def _repaired(piece: str) -> str:
    piece = piece.replace("“", '"').replace("”", '"').replace("„", '"')
    piece = "\n".join(map(_without_comment, piece.split("\n")))
    piece = _TRAILING.sub("", piece)
    piece = _BARE_KEY.sub(r'"\1":', piece)
    return re.sub(r"\b(True|False|None)\b", lambda match: _LITERALS[match[1]], piece)
