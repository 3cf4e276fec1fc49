"""PDF files written object by object, so that any of them can be wrong."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

HELLO = b"BT /F1 12 Tf 72 700 Td (Hello world text) Tj ET\n"


def pdf(objects: Sequence[bytes], trailer: bytes = b"", *, header: bytes = b"%PDF-1.7\n") -> bytes:
    """A PDF of these objects, numbered from 1, of which the first is the catalogue."""
    parts, offsets, size = [header], [], len(header)
    for number, body in enumerate(objects, 1):
        offsets.append(size)
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        size += len(parts[-1])
    entries = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, entries))
    parts.append(b"trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, size))
    return b"".join(parts)


def stream(data: bytes, times: int = 1, more: bytes = b"") -> bytes:
    """A stream, compressed as many times."""
    for _ in range(times):
        data = zlib.compress(data, 9)
    filters = b"/FlateDecode " * times
    return b"<</Length %d/Filter[%s]%s>>\nstream\n%s\nendstream" % (len(data), filters, more, data)


def page(
    content: bytes,
    *others: bytes,
    box: bytes = b"0 0 612 792",
    catalogue: bytes = b"",
    things: bytes = b"",
    leaf: bytes = b"",
) -> list[bytes]:
    """The objects of a file with one page, whose `others` begin at number 6.

    Args:
        content: Object 5, what the page shows.
        catalogue, leaf, things: More entries of the catalogue (object 1), the page (3) and its resources.
    """
    return [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalogue,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Resources<<%s/Font<</F1 4 0 R>>>>/Contents 5 0 R%s>>"
        % (box, things, leaf),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        content,
        *others,
    ]


def kids(listed: bytes, count: int) -> list[bytes]:
    """The objects of a file with one page, and a page tree that lists these and says that it has so many."""
    objects = page(stream(HELLO))
    objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (listed, count)
    return objects


def outline(items: int, *, deep: bool) -> bytes:
    """Bookmarks one beside the other, or each inside the one before and the last around the first."""
    found = [b"<</Type/Outlines/First 7 0 R/Last %d 0 R/Count %d>>" % (7 if deep else 6 + items, items)]
    for number in range(items):
        following = 8 + number if number < items - 1 else 7
        link = b"/First %d 0 R" % following if deep else b"/Next %d 0 R" % following if number < items - 1 else b""
        parent = 6 + number if deep else 6
        found.append(b"<</Title(T%d)/Parent %d 0 R/Dest[3 0 R/Fit]%s>>" % (number, parent, link))
    return pdf(page(stream(HELLO), *found, catalogue=b"/Outlines 6 0 R"))


def packed(objects: Sequence[bytes], *, loose: Sequence[int] = (), at_once: int = 10_000) -> bytes:
    """`pdf` with a cross-reference stream and the objects without streams of their own in object streams (PDF 32000-1:2008,
    7.5.7 and 7.5.8), so many in each; `loose` are the numbers of those that must stand alone."""
    parts, size = [b"%PDF-1.7\n"], 9
    rows: dict[int, tuple[int, int, int]] = {0: (0, 0, 65535)}
    alone = {number for number, body in enumerate(objects, 1) if number in loose or b"stream" in body}
    together = [number for number in range(1, len(objects) + 1) if number not in alone]

    def add(number: int, body: bytes) -> None:
        nonlocal size
        rows[number] = (1, size, 0)
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        size += len(parts[-1])

    for number in sorted(alone):
        add(number, objects[number - 1])
    following = len(objects) + 1
    for start in range(0, len(together), at_once):
        group = together[start : start + at_once]
        head, body, at = [], [], 0
        for place, number in enumerate(group):
            rows[number] = (2, following, place)
            head.append(b"%d %d " % (number, at))
            body.append(objects[number - 1] + b"\n")
            at += len(body[-1])
        first = b"".join(head)
        add(following, stream(first + b"".join(body), more=b"/Type/ObjStm/N %d/First %d" % (len(group), len(first))))
        following += 1
    rows[following] = (1, size, 0)
    table = b"".join(
        kind.to_bytes(1, "big") + place.to_bytes(4, "big") + last.to_bytes(2, "big")
        for _, (kind, place, last) in sorted(rows.items())
    )
    xref = stream(table, more=b"/Type/XRef/W[1 4 2]/Size %d/Root 1 0 R" % (following + 1))
    parts.append(b"%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF" % (following, xref, size))
    return b"".join(parts)
