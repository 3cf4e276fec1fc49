"""Mail: every message is a section."""

from __future__ import annotations

import pytest

from thumbindex import build_tree
from thumbindex.errors import SourceLimit
from thumbindex.sources import read_source

ONE = b"""From: =?utf-8?q?J=C3=B6rg_Ek?= <jorg@example.com>
To: Ann <ann@example.com>
Date: Tue, 5 Mar 2024 10:00:00 +0100
Subject: =?utf-8?b?R2V6ZWl0ZW4gw7xiZXI=?= tides
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: multipart/alternative; boundary=c

--c
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Low water is at 6:00, caf=E9 opens at 7.
--c
Content-Type: text/html

<p>Low water is at <b>6:00</b>.</p>
--c--
--b
Content-Type: application/pdf; name="tides.pdf"
Content-Disposition: attachment; filename="tides.pdf"

JVBERi0=
--b--
"""


def test_a_message_has_its_header_text_and_attachments():
    """Decoded header fields, the plain one of alternative texts, and the names of attachments."""
    tree = build_tree(ONE, name="tides.eml")
    assert tree.kind == "mail"
    assert [node.title for node in tree.nodes] == ["Gezeiten über tides (Jörg Ek, Tue, 05 Mar 2024 10:00:00 +0100)"]
    assert [line for line in tree.lines if line] == [
        "Subject: Gezeiten über tides",
        "From: Jörg Ek <jorg@example.com>",
        "To: Ann <ann@example.com>",
        "Date: Tue, 05 Mar 2024 10:00:00 +0100",
        "Low water is at 6:00, café opens at 7.",
        "Attachment: tides.pdf",
    ]
    assert tree.metadata["author"] == "Jörg Ek <jorg@example.com>"


def test_each_message_of_a_mailbox_is_a_section():
    box = b"".join(
        b"From a@example.com Tue Mar  5 10:00:00 2024\nFrom: Ann <a@example.com>\nTo: Bo\nSubject: %s\n\nText of %s.\n\n"
        % (name, name)
        for name in (b"Low", b"High")
    )
    tree = build_tree(box)
    assert [node.title for node in tree.nodes] == ["Low (Ann)", "High (Ann)"]
    assert "Text of High." in tree.section_text(tree.nodes[1])


def test_headings_of_an_html_message_are_below_it():
    data = b"From: Ann\nTo: Bo\nSubject: Tides\nContent-Type: text/html\n\n<h1>Low</h1><p>At six.</p>"
    assert [(node.title, node.level) for node in build_tree(data).nodes] == [("Tides (Ann)", 1), ("Low", 2)]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(
            b"From: Ann\nTo: Bo\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n", id="cut off"
        ),
        pytest.param(b"From: =?utf-8?q?=\nTo: <<>>\nDate: never\nSubject: =?x?b?!?=\n\nhello\n", id="broken words"),
        pytest.param(
            b"From: a\nTo: b\nSubject: x\nContent-Type: text/plain; charset=no-such\n\nhello\n", id="unknown charset"
        ),
        pytest.param(b"From: a\nTo: b\nSubject: x\nContent-Transfer-Encoding: base64\n\n!!!\n", id="broken base64"),
    ],
)
def test_broken_messages_are_read_as_far_as_possible(data):
    """Real mail is often invalid."""
    assert read_source(data).kind == "mail"


def _alternatives(plain: str, html: str) -> bytes:
    return (
        "From: Ann\nTo: Bo\nSubject: Ferry\nContent-Type: multipart/alternative; boundary=b\n\n"
        f"--b\nContent-Type: text/plain; charset=utf-8\n\n{plain}\n"
        f"--b\nContent-Type: text/html; charset=utf-8\n\n{html}\n--b--\n"
    ).encode()


def test_the_html_alternative_is_read_where_the_plain_one_only_stands_in_for_it():
    html = "<h1>Timetable</h1><p>The ferry leaves at 7, at 9 and at noon.</p><h2>Fares</h2><p>A ticket costs four crowns.</p>"
    tree = build_tree(_alternatives("Please view this in a browser.", html))
    assert [(node.title, node.level) for node in tree.nodes] == [("Ferry (Ann)", 1), ("Timetable", 2), ("Fares", 3)]
    assert "four crowns" in tree.section_text(tree.nodes[2])
    same = build_tree(_alternatives("Timetable: the ferry leaves at 7, at 9 and at noon. Fares: four crowns.", html))
    assert [node.title for node in same.nodes] == ["Ferry (Ann)"]


def test_an_invitation_is_text():
    """The event of a calendar part, with folded lines, escapes and time zones (RFC 5545)."""
    data = b"""From: Ann\nTo: Bo\nSubject: Meeting\nContent-Type: text/calendar; method=REQUEST

BEGIN:VCALENDAR
BEGIN:VEVENT
SUMMARY:Survey of the
  north pier
DTSTART;TZID=Europe/Oslo:20240506T083000
DTEND:20240506T100000Z
LOCATION:Pier 4\\, gate B
ORGANIZER;CN="Ann Ek":mailto:ann@example.com
DESCRIPTION:Bring boots.\\nLunch is served.
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
"""
    assert [line for line in build_tree(data).lines if line][3:] == [
        "Event: Survey of the north pier",
        "Start: 2024-05-06 08:30 Europe/Oslo",
        "End: 2024-05-06 10:00 UTC",
        "Place: Pier 4, gate B",
        "Organizer: Ann Ek <ann@example.com>",
        "Bring boots.",
        "Lunch is served.",
    ]


def test_an_attached_message_keeps_its_sender_subject_and_date_as_a_section_below():
    data = b"""From: Ann\nTo: Bo\nSubject: Fwd\nContent-Type: multipart/mixed; boundary=b

--b
Content-Type: message/rfc822

From: Cy <cy@example.com>
Date: Mon, 4 Mar 2024 08:00:00 +0000
Subject: Ice on the fjord

The fjord is closed.
--b
Content-Type: text/plain

See below.
--b
Content-Type: application/x-unknown

AAAA
--b--
"""
    tree = build_tree(data)
    assert [(node.title, node.level) for node in tree.nodes] == [
        ("Fwd (Ann)", 1),
        ("Ice on the fjord (Cy, Mon, 04 Mar 2024 08:00:00 +0000)", 2),
    ]
    assert "The fjord is closed." in tree.section_text(tree.nodes[1])
    assert "A part of a message was not read: it is application/x-unknown." in tree.notes


def test_messages_nested_too_deeply_are_refused_with_the_limit():
    """Each message contains the next: no reader of mail follows ten thousand of them."""
    head = b"From: a@b.example\nTo: c@d.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n"
    with pytest.raises(SourceLimit, match="nested too deeply"):
        build_tree(head * 10_000 + b"Subject: x\n\nThe end.\n", name="nested.eml")
