"""What reaches the terminal: text of documents made harmless, and JSON that is harmless as it stands."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

# Control characters of both sets (all escape sequences begin with one), marks that turn the direction of writing around,
# line separators, halves of surrogate pairs, and tags that no font shows. Tab and line feed stay.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
# Soft hyphens and spaces without width mean no harm and show nothing.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")


def harmless(text: str) -> str:
    """The text with every character replaced by � that could command a terminal or mislead its reader.

    A document's title may hold escape sequences that clear the screen, set the window's title or hide a link.
    """
    return _UNSAFE.sub("�", _INVISIBLE.sub("", text.replace("\r\n", "\n")))


def one_line(text: str) -> str:
    """`harmless`, on a single line."""
    return harmless(" ".join(text.split()))


class Working:
    """Says on a terminal what is being done, until it is stopped; elsewhere nothing."""

    def __init__(self, what: str) -> None:
        err = console(stderr=True)
        self._status = err.status("") if err.is_terminal else None
        self.say(what)

    def __enter__(self) -> Working:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def say(self, what: str) -> None:
        """What is being done now."""
        if self._status is not None:
            self._status.update(styled(f"{one_line(what)[:160]} …"))

    def stop(self) -> None:
        """Leave the terminal to others."""
        if self._status is not None:
            self._status.stop()


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A Rich console on standard output or standard error, as they are now, as wide as the terminal. It obeys NO_COLOR."""
    from rich.console import Console

    return Console(stderr=stderr, width=width, soft_wrap=True, highlight=False, emoji=False, markup=False)


def styled(*pieces: str | tuple[str, str]) -> Text:
    """Text from plain pieces and (piece, style) pairs. Brackets in a title are no markup: nothing is parsed."""
    from rich.text import Text

    return Text.assemble(*pieces)


def print_json(value: object) -> None:
    """Print a value as JSON; dataclasses become objects."""
    print_json_text(json.dumps(value, default=_to_plain, ensure_ascii=False, indent=2))


def print_json_text(text: str) -> None:
    """Print JSON with everything escaped that `harmless` would replace, so that it means the same."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    safe = _UNSAFE.sub(_escape, text)
    if encoding != "utf8":
        safe = "".join(letter if letter.isascii() else _escape_letter(letter) for letter in safe)
    sys.stdout.write(safe + "\n")


def _escape(match: re.Match[str]) -> str:
    return _escape_letter(match[0])


def _escape_letter(letter: str) -> str:
    return json.dumps(letter)[1:-1] if ord(letter) != 0x7F else "\\u007f"


def _to_plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    raise TypeError(f"{type(value)} is not JSON")
