"""Documents are untrusted: what they say reaches the terminal as text and nothing else."""

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
    "marks of direction": "\u200e\u200f\u061c",
    "line separators": "a\u2028b\u2029",
    "half a surrogate pair": "\ud800",
    "tags": "\U000e0041",
}


@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL)
def test_nothing_that_commands_a_terminal_passes(text):
    """Each such character becomes �, so that one sees that something was there."""
    safe = printable(f"before {text} after")
    assert safe.startswith("before ")
    assert safe.endswith(" after")
    assert "�" in safe
    assert all(letter.isprintable() or letter == " " for letter in safe)
    safe.encode("utf-8")


def test_text_of_all_scripts_passes():
    """With joiners, combining marks and emoji."""
    text = "Über 1.234 € – 海港 مرفأ नाव 👩\u200d🚒 می\u200cخواهم\n\tindented"
    assert printable(text) == text


def test_invisible_letters_are_dropped():
    """Soft hyphens and spaces without width show nothing anyway."""
    assert printable("Har\u00adbour\u200b\ufeff") == "Harbour"


def test_one_line_is_one_line():
    """A title with a line end must not look like two sections."""
    assert printable_line("a\n  b\r\nc") == "a b c"


@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL)
def test_json_is_harmless_and_exact(capsys, text):
    """Escaped, so that it means the same."""
    print_json({"title": text})
    written = capsys.readouterr().out
    assert json.loads(written) == {"title": text}
    assert printable(written) == written


def test_titles_are_printed_harmless_and_never_as_markup(run, tmp_path):
    """In every command that prints them."""
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


def test_names_in_messages_are_harmless(run):
    """The name of a file may come from anywhere too."""
    assert "\x1b" not in run("tree", "gone\x1b[31m.pdf").output
