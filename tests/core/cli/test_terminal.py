"""Documents are untrusted: their text cannot control the terminal."""

from __future__ import annotations

import json

import pytest

from thumbindex.cli.terminal import print_json, printable, printable_line

EVIL = {
    "escape": "\x1b",
    "colour": "\x1b[31m",
    "clear the screen": "\x1b[2J\x1b[H",
    "window title": "\x1b]0;owned\x07",
    "hidden link": "\x1b]8;;http://evil.example\x1b\\bank\x1b]8;;\x1b\\",
    "C1 control sequence": "\x9b31m",
    "C1 operating system command": "\x9d0;owned\x9c",
    "bell, backspace, delete": "a\x07b\x08c\x7f",
    "carriage return": "safe\rEVIL",
    "right-to-left override": "\u202egnp.exe",
    "isolates": "\u2066a\u2069",
    "direction marks": "\u200e\u200f\u061c",
    "line separators": "a\u2028b\u2029",
    "lone surrogate": "\ud800",
    "tags": "\U000e0041",
}


@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL)
def test_characters_that_control_a_terminal_are_replaced(text):
    """By �, so that a reader sees that there was something."""
    safe = printable(f"before {text} after")
    assert safe.startswith("before ")
    assert safe.endswith(" after")
    assert "�" in safe
    assert all(character.isprintable() or character == " " for character in safe)
    safe.encode("utf-8")


def test_text_of_all_scripts_is_unchanged():
    """With joiners, combining marks and emoji."""
    text = "Über 1.234 € – 海港 مرفأ नाव 👩\u200d🚒 می\u200cخواهم\n\tindented"
    assert printable(text) == text


def test_invisible_characters_are_dropped():
    """Soft hyphens and zero-width spaces show nothing anyway."""
    assert printable("Har\u00adbour\u200b\ufeff") == "Harbour"


def test_a_title_is_printed_on_one_line():
    """With a line break it would look like two sections."""
    assert printable_line("a\n  b\r\nc") == "a b c"


@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL)
def test_json_is_safe_and_exact(capsys, text):
    """Characters are escaped, so that the value stays the same."""
    print_json({"title": text})
    written = capsys.readouterr().out
    assert json.loads(written) == {"title": text}
    assert printable(written) == written


def test_titles_are_printed_safely_and_never_as_markup(run, tmp_path):
    """By every command that prints them."""
    path, library = tmp_path / "evil.md", tmp_path / "lib.db"
    path.write_text("# Moor \x1b]0;owned\x07 [red]all[/red] [link=x]b[/link]\n\nBoats \x1b[2J moor \u202e here.\n")
    outputs = [
        run("tree", path).output,
        run("tree", path, "--explain").output,
        run("add", path, "-l", library).output,
        run("list", "-l", library).output,
        run("search", "boats moor", "-l", library).output,
        run("read", path).output,
        run("ask", path, "Where do boats moor?").output,
        run("tree", path, "--json").output,
        run("ask", path, "Where do boats moor?", "--json").output,
    ]
    for output in outputs:
        assert not set("\x1b\x07\u202e") & set(output)
    for output in (outputs[0], outputs[4], outputs[5], outputs[6]):
        assert "[red]all[/red] [link=x]b[/link]" in output


def test_file_names_in_messages_are_printed_safely(run):
    """They may come from anywhere, too."""
    assert "\x1b" not in run("tree", "gone\x1b[31m.pdf").output
