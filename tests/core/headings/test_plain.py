"""Plain text: what typists and programs set as headings, and who speaks in a conversation."""

from __future__ import annotations

import pytest

from thumbindex import build_tree


def sections(text: str) -> list[tuple[int, str]]:
    """Level and title of each section, front matter aside."""
    return [(node.level, node.title) for node in build_tree(text.encode()).nodes if node.rule != "front"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Tides\n*****\n\nText.\n\nLow\n===\n\nText.\n\nWhen\n~~~~\n\nText.\n\nHigh\n====\n\nText.\n",
            [(1, "Tides"), (2, "Low"), (3, "When"), (2, "High")],
            id="underlines rank in the order in which they come",
        ),
        pytest.param(
            "#####\nTides\n#####\n\nLow\n^^^\n\nText.\n\nHigh\n^^^^\n\nText.\n",
            [(1, "Tides"), (2, "Low"), (2, "High")],
            id="lines above and below",
        ),
        pytest.param(
            "REPORT\n\n1. Scope\n\nAll pumps are in scope, and so are\ntheir valves.\n\n1.1 Pumps\n\nText goes here.\n\n2. Results\n\nText.\n",
            [(1, "REPORT"), (1, "1. Scope"), (2, "1.1 Pumps"), (1, "2. Results")],
            id="numbers",
        ),
        pytest.param(
            "Abstract\n\n   This memo\n   is text.\n\n1.  Introduction\n\n   Body text\n   goes on.\n\n1.1.  Terms\n\n   More text\n   here.\n\n"
            "2.  Security\n\n   Last text\n   here.\n",
            [(1, "Abstract"), (1, "1. Introduction"), (2, "1.1. Terms"), (1, "2. Security")],
            id="a memo: text is indented, headings are not",
        ),
        pytest.param(
            "NAME\n       pump - moves water\n\nOPTIONS\n       --fast\n           quickly\n\nSEE ALSO\n       valve(1)\n",
            [(1, "NAME"), (1, "OPTIONS"), (1, "SEE ALSO")],
            id="a manual page",
        ),
        pytest.param(
            "CHAPTER I.\n\nDown the Pier\n\nAnn was tired of sitting by the water.\n\nCHAPTER II.\n\nThe Pool\n\nShe swam.\n",
            [(1, "CHAPTER I. Down the Pier"), (1, "CHAPTER II. The Pool")],
            id="a book: number and title on lines of their own",
        ),
        pytest.param(
            "= Guide\n\n== Start\n\n----\n$ pump\n----\n\n=== Cold\n\nWait.\n\n== Stop\n\nPress.\n",
            [(1, "Guide"), (2, "Start"), (3, "Cold"), (2, "Stop")],
            id="AsciiDoc, where rules frame listings",
        ),
        pytest.param(
            "== Start ==\n\nText.\n\n=== Cold ===\n\nText.\n\n== Stop ==\n\nText.\n",
            [(1, "Start"), (2, "Cold"), (1, "Stop")],
            id="a wiki",
        ),
    ],
)
def test_headings(text, expected):
    """Each manner has its own signs."""
    assert sections(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Dear Ann,\n\nThe water is low.\n\nYours, Bo\n", id="a letter"),
        pytest.param("Do this:\n\n1. Open the valve.\n\n2. Start the pump.\n\n3. Wait.\n", id="a list of steps"),
        pytest.param("Name      Depth\n-----     -----\nHarbour   3\nPier      2\n", id="a table"),
        pytest.param("Package: pump\nVersion: 1\nSize: 20\n\nPackage: valve\nVersion: 2\nSize: 9\n" * 4, id="records"),
        pytest.param("2024-03-05 10:00:01 started\n2024-03-05 10:00:02 stopped\n" * 20, id="a log"),
        pytest.param("In 2021\n\nthe water rose by\n\n3.5\n\nfeet.\n", id="figures"),
    ],
)
def test_no_headings(text):
    """What only looks like some: the text stays whole."""
    assert len(build_tree(text.encode()).nodes) == 1


def test_a_list_of_contents_is_no_section():
    """Its entries come again as headings."""
    titles = ["1. Scope", "2. Terms", "3. Pumps", "4. Valves", "5. Water", "6. Notes"]
    text = "Contents\n\n" + "".join(f"   {title} {'.' * 20} {n}\n\n" for n, title in enumerate(titles, 1))
    text += "".join(f"{title}\n\nSome text about it, on a line.\n\n" for title in titles)
    assert sections(text) == [(1, title) for title in titles]


def test_heads_and_feet_of_printed_pages_are_no_text():
    """Around form feeds."""
    page = "Lee & Ek                     Standards Track                   [Page {}]\n\f\nRFC 99999                   Pumps                   May 2024\n\n"
    text = (
        "1. Scope\n\n   Pumps move\n   water.\n\n"
        + page.format(1)
        + "2. Terms\n\n   Valves close\n   tightly.\n\n"
        + page.format(2)
    )
    tree = build_tree(text.encode())
    assert [node.title for node in tree.nodes] == ["1. Scope", "2. Terms"]
    assert tree.section_text(tree.nodes[0]).split() == ["1.", "Scope", "Pumps", "move", "water."]


def test_messages_in_a_text():
    """A thread as mail programs quote it."""
    text = (
        "See below.\n\nFrom: Ann Lee <ann@example.com>\nSent: 5 March 2024\nTo: Bo\nSubject: Rent\n\nIt is due.\n\n"
        "Von: Bo Ek\nGesendet: 4. März 2024\nAn: Ann\nBetreff: AW: Rent\n\nWhen?\n"
    )
    assert sections(text) == [(1, "Rent (Ann Lee, 5 March 2024)"), (1, "AW: Rent (Bo Ek, 4. März 2024)")]


@pytest.mark.parametrize(
    "turn",
    ["[00:{:02}:10] {}: {}\n", "{1} (0:{0:02}:10):\n{2}\n\n", "10:{:02} <{}> {}\n", "{1}: {2}\n\n"],
    ids=["time first", "time after", "chat", "no times"],
)
def test_turns_of_a_talk_are_gathered(turn):
    """Short turns make a section together, a long statement is one; its title says when, who and how it begins."""
    text = "".join(
        turn.format(n, ("Ann", "Bo")[n % 2], "The water is low today, and we wait for it. " * 3) for n in range(20)
    )
    text += turn.format(30, "Ann", "Here is the whole plan. " * 80)
    tree = build_tree(text.encode())
    assert 3 <= len(tree.nodes) <= 6
    assert "Ann, Bo: The water is low" in tree.nodes[0].title
    assert "Ann: Here is the whole plan." in tree.nodes[-1].title
    assert sum(tree.section_text(node).count("plan") for node in tree.nodes) == 80


def test_subtitles_are_gathered_by_time():
    """SubRip and WebVTT."""
    text = "".join(
        f"{n}\n00:0{n // 60}:{n % 60:02},000 --> 00:0{n // 60}:{n % 60:02},900\nThe water is low today, and we wait.\n\n"
        for n in range(1, 90)
    )
    tree = build_tree(text.encode())
    assert tree.nodes[0].title.startswith("00:00:01-00:00:")
    assert 2 <= len(tree.nodes) <= 6


def test_markdown_is_not_read_as_plain_text():
    """Numbers and capitals in it are what Markdown says they are."""
    text = "# Guide\n\n1. Scope\n\nALL OF IT\n\n## Start\n\n```\nLow\n~~~\n```\n"
    assert sections(text) == [(1, "Guide"), (2, "Start")]


@pytest.mark.parametrize(
    "line", ["." * 200_000 + "!", "a: " * 70_000, " " * 200_000 + "x", "1." * 100_000, "12:00 " * 40_000]
)
def test_long_lines_take_no_time(line):
    """No pattern runs wild on them."""
    assert build_tree(f"Title\n\n{line}\n\n{line}\n".encode()).nodes
