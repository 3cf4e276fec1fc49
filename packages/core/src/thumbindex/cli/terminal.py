"""Output to a terminal: text of documents made safe to print, errors, and JSON that is safe as it stands."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

# Control characters of both sets (all escape sequences begin with one), bidirectional formatting characters, line
# separators, lone surrogates, and tag characters, which no font shows. Tab and line feed stay.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
# Soft hyphens and zero-width spaces are harmless and show nothing.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")


def printable(text: str) -> str:
    """Replaces every character that could control a terminal or mislead its reader by �.

    A document's title may contain escape sequences that clear the screen, set the window's title or hide a link.
    """
    return _UNSAFE.sub("�", _INVISIBLE.sub("", text.replace("\r\n", "\n")))


def printable_line(text: str) -> str:
    """`printable`, on a single line."""
    return printable(" ".join(text.split()))


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A Rich console on the current standard output or standard error, as wide as the terminal. It obeys NO_COLOR."""
    from rich.console import Console

    class PipeConsole(Console):
        """Leaves a closed pipe to the application: rich would exit with 1."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return PipeConsole(stderr=stderr, width=width, soft_wrap=True, highlight=False, emoji=False, markup=False)


def styled(*pieces: str | tuple[str, str]) -> Text:
    """Text from plain pieces and (piece, style) pairs. Nothing is parsed: brackets in a title are not markup."""
    from rich.text import Text

    return Text.assemble(*pieces)


def print_error(message: str) -> None:
    """Prints an error on standard error."""
    console(stderr=True).print(styled(("error: ", "bold red"), printable(message)))


def print_warning(message: str) -> None:
    """Prints a warning on standard error."""
    console(stderr=True).print(styled(("warning: ", "bold yellow"), printable(message)))


def print_note(message: str) -> None:
    """Prints a remark on standard error, so that standard output holds results alone."""
    console(stderr=True).print(styled(printable(message)))


def print_json(value: object) -> None:
    """Prints a value as JSON."""
    print_json_text(json.dumps(value, ensure_ascii=False, indent=2))


def print_json_text(text: str) -> None:
    """Prints JSON; every character that `printable` would replace is escaped, so that the value stays the same."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    safe = _UNSAFE.sub(lambda match: _escape(match[0]), text)
    if encoding != "utf8":
        safe = "".join(character if character.isascii() else _escape(character) for character in safe)
    sys.stdout.write(safe + "\n")


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) != 0x7F else "\\u007f"
