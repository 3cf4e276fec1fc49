"""PDF files made to hurt: each ends in a tree or in one of our errors, within limits far below those of honest files."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import pytest

from thumbindex.errors import SourceError, SourceLimit
from thumbindex.reading import tree_of
from thumbindex.sources.pool import read_apart
from thumbindex.sources.settings import Limits, ReaderSettings
from thumbindex.tree.model import Tree

HELLO = b"BT /F1 12 Tf 72 700 Td (Hello world text) Tj ET\n"
READER = ReaderSettings(limits=Limits(seconds=60.0, memory=250 << 20))


def pdf(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """A PDF of these objects, numbered from 1, of which the first is the catalogue."""
    parts, offsets, size = [b"%PDF-1.7\n"], [], 9
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
    content: bytes, *others: bytes, box: bytes = b"0 0 612 792", catalogue: bytes = b"", things: bytes = b""
) -> list[bytes]:
    """The objects of a file with one page, whose `others` begin at number 6."""
    return [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalogue,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Resources<<%s/Font<</F1 4 0 R>>>>/Contents 5 0 R>>" % (box, things),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        content,
        *others,
    ]


def kids(listed: bytes, count: int) -> list[bytes]:
    objects = page(stream(HELLO))
    objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (listed, count)
    return objects


def outline(items: int, deep: bool) -> bytes:
    """Bookmarks one beside the other, or each inside the one before and the last around the first."""
    found = [b"<</Type/Outlines/First 7 0 R/Last %d 0 R/Count %d>>" % (7 if deep else 6 + items, items)]
    for number in range(items):
        following = 8 + number if number < items - 1 else 7
        link = b"/First %d 0 R" % following if deep else b"/Next %d 0 R" % following if number < items - 1 else b""
        parent = 6 + number if deep else 6
        found.append(b"<</Title(T%d)/Parent %d 0 R/Dest[3 0 R/Fit]%s>>" % (number, parent, link))
    return pdf(page(stream(HELLO), *found, catalogue=b"/Outlines 6 0 R"))


def read(data: bytes) -> Tree:
    return tree_of(read_apart(data, "pdf", "evil.pdf", reader=READER))


FORM = b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X 6 0 R>>/Font<</F1 4 0 R>>>>"
READ_ALL_THE_SAME = {
    "spaces without end": lambda: pdf(page(stream(HELLO + b" " * (20 << 20)))),
    "spaces packed twice": lambda: pdf(page(stream(HELLO + b" " * (20 << 20), times=2))),
    "half a million saved states": lambda: pdf(page(stream(b"q " * 500_000 + HELLO))),
    "a page of a billion points": lambda: pdf(page(stream(HELLO), box=b"0 0 1e9 1e9")),
    "a page without a size": lambda: pdf(page(stream(HELLO), box=b"0 0 -5 999999999999999999999999")),
    "a page of words": lambda: pdf(page(stream(HELLO), box=b"nan inf /A (b)")),
    "a page tree around itself": lambda: pdf(kids(b"3 0 R 2 0 R", 2)),
    "a count of pages that is a lie": lambda: pdf(kids(b"3 0 R", 1_000_000_000)),
    "a form that draws itself": lambda: pdf(
        page(stream(b"/X Do " + HELLO), stream(b"/X Do ", more=FORM), things=b"/XObject<</X 6 0 R>>")
    ),
    "an outline around itself": lambda: outline(2_000, deep=True),
}


@pytest.mark.parametrize("make", READ_ALL_THE_SAME.values(), ids=READ_ALL_THE_SAME)
def test_the_page_of_a_hostile_file_is_read(make) -> None:
    """What hurts is stepped over, and the honest text is there."""
    assert "Hello world text" in "\n".join(read(make()).lines)


REFUSED = {
    "a page named a hundred thousand times": (lambda: pdf(kids(b"3 0 R " * 100_000, 100_000)), SourceLimit),
    "arrays in arrays": (lambda: pdf([*page(b"")[:4], b"[" * 200_000 + b"]" * 200_000]), SourceError),
    "text without end": (lambda: pdf(page(stream(HELLO * 1_000_000))), SourceLimit),
}


@pytest.mark.parametrize(("make", "error"), REFUSED.values(), ids=REFUSED)
def test_a_hostile_file_that_cannot_be_read_is_an_error_of_ours(make, error: type[SourceError]) -> None:
    with pytest.raises(error, match=r"evil\.pdf"):
        read(make())


def test_an_outline_of_tens_of_thousands_is_read_to_its_limit() -> None:
    document = read_apart(outline(50_500, deep=False), "pdf", "evil.pdf", reader=READER)
    assert len(document.bookmarks) == 50_000
