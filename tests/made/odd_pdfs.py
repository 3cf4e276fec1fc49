"""Some hundred kinds of strange PDF files, each in several variants: what viewers' bug trackers hold, made on the spot.

`odd_pdfs()` gives a name and the bytes of each, one after the other, since some are large. A name begins with its family.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from made_pdfs import HELLO, kids, outline, packed, page, pdf, stream

Made = Iterator[tuple[str, bytes]]

HUGE = b"999999999999999999999999"
NUMBERS = {
    "zero": b"0",
    "minus": b"-1",
    "int-max": b"2147483647",
    "int-over": b"2147483648",
    "huge": HUGE,
    "real": b"1.5",
    "word": b"/A",
    "null": b"null",
}
FORM = b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X %d 0 R/Y %d 0 R>>/Font<</F1 4 0 R>>>>"
PATHS = {
    "up": b"../../../../etc/passwd",
    "root": b"/etc/passwd",
    "drive": rb"C:\\..\\x.exe",
    "escape": b"\x1b]0;owned\x07",
    "reversed": b"\xfe\xff\x20\x2e\x00F\x00D\x00P",
    "nul": b"a\x00b.pdf",
}


def odd_pdfs(only: str = "") -> Made:
    """Name and bytes of each file, or of those of a family."""
    for family in FAMILIES:
        label = family.__name__.strip("_").replace("_", "-")
        if only in ("", label):
            for name, data in family():
                yield f"{label}-{name}", data


def hello(**more: bytes) -> bytes:
    """A good file with one page."""
    return pdf(page(stream(HELLO), **more))


def replaced(data: bytes, old: bytes, new: bytes, count: int = -1) -> bytes:
    """The bytes with something else in the place of `old`, which must be there."""
    if old not in data:
        raise ValueError(f"{old!r} is not in the file that was to be changed")
    return data.replace(old, new, count)


def _encrypted() -> Made:
    for strength in (40, 128):
        for secret in ("", "open"):
            guard = StandardEncryption(secret, ownerPassword="owner", strength=strength)
            buffer = io.BytesIO()
            canvas = Canvas(buffer, invariant=1, encrypt=guard)
            canvas.drawString(72, 700, "Hello world text, kept from others")
            canvas.save()
            data = buffer.getvalue()
            yield f"rc4-{strength}-{'user' if secret else 'owner'}", data
            yield f"rc4-{strength}-{'user' if secret else 'owner'}-cut", data[: len(data) // 2]
    wrong = {
        "empty": b"",
        "other-filter": b"/Filter/Other/V 1/R 2",
        "no-keys": b"/Filter/Standard/V 1/R 2/P -4",
        "short-keys": b"/Filter/Standard/V 1/R 2/P -4/O(a)/U(b)",
        "version-99": b"/Filter/Standard/V 99/R 99/P -4/O(a)/U(b)",
        "length-3": b"/Filter/Standard/V 2/R 3/Length 3/P -4/O(%s)/U(%s)" % (b"a" * 32, b"b" * 32),
        "length-huge": b"/Filter/Standard/V 2/R 3/Length 99999999/P -4/O(%s)/U(%s)" % (b"a" * 32, b"b" * 32),
        "filter-missing": b"/Filter/Standard/V 4/R 4/P -4/O(%s)/U(%s)/StmF/None/StrF/None" % (b"a" * 32, b"b" * 32),
        "filter-itself": b"/Filter/Standard/V 4/R 4/P -4/O(%s)/U(%s)/CF 6 0 R/StmF/A/StrF/A" % (b"a" * 32, b"b" * 32),
        "aes-256": b"/Filter/Standard/V 5/R 6/Length 256/P -4/O(%s)/U(%s)/OE(%s)/UE(%s)/Perms(%s)"
        % (b"a" * 48, b"b" * 48, b"c" * 32, b"d" * 32, b"e" * 16),
        "aes-256-short": b"/Filter/Standard/V 5/R 6/Length 256/P -4/O(a)/U(b)/OE()/UE()/Perms()",
        "public-key": b"/Filter/Adobe.PubSec/SubFilter/adbe.pkcs7.s4/V 1/Recipients[(a)]",
    }
    for name, entries in wrong.items():
        objects = page(stream(HELLO), b"<<%s>>" % entries)
        yield name, pdf(objects, b"/Encrypt 6 0 R/ID[(1234567890123456)(1234567890123456)]")
        if name == "length-3":
            yield "without-id", pdf(objects, b"/Encrypt 6 0 R")
    yield "encrypt-itself", pdf(page(stream(HELLO), b"6 0 R"), b"/Encrypt 6 0 R")
    yield "encrypt-missing", pdf(page(stream(HELLO)), b"/Encrypt 66 0 R")


def _cross_references() -> Made:
    good = hello()
    at = good.rindex(b"startxref")
    xref = good.rindex(b"xref\n0 ")
    for name, number in {**NUMBERS, "one-off": b"%d" % (xref + 1), "itself": b"%d" % at, "none": b""}.items():
        yield f"start-{name}", good[:at] + b"startxref\n" + number + b"\n%%EOF"
    yield "no-start", good[:at]
    yield "no-table", good[:xref]
    yield "no-trailer", replaced(good, b"trailer", b"tailer")
    yield "all-zero", good[:xref] + b"xref\n0 6\n" + b"0000000000 00000 n \n" * 6 + good[good.rindex(b"trailer") :]
    yield "all-free", good[:xref] + replaced(good[xref:], b" n \n", b" f \n")
    yield "all-one", good[:xref] + b"xref\n0 6\n" + b"0000000009 00000 n \n" * 6 + good[good.rindex(b"trailer") :]
    yield "shifted", replaced(good, b"%PDF-1.7\n", b"%PDF-1.7\n%\n")
    yield "counts-more", replaced(good, b"xref\n0 6", b"xref\n0 99999999")
    yield "counts-less", replaced(good, b"xref\n0 6", b"xref\n0 2")
    yield "counts-from-one", replaced(good, b"xref\n0 6", b"xref\n1 6")
    yield "counts-minus", replaced(good, b"xref\n0 6", b"xref\n-4 6")
    yield "counts-far", replaced(good, b"xref\n0 6", b"xref\n8388600 6")
    yield "size-minus", replaced(good, b"/Size 6", b"/Size -6")
    yield "size-huge", replaced(good, b"/Size 6", b"/Size 2147483647")
    yield (
        "before-itself",
        pdf(page(stream(HELLO)), b"/Prev %d" % (xref + 20)).replace(b"%d" % (xref + 20), b"%d" % xref),
    )
    yield "before-nowhere", pdf(page(stream(HELLO)), b"/Prev 99999999")
    yield "before-minus", pdf(page(stream(HELLO)), b"/Prev -1")
    yield "stream-beside", pdf(page(stream(HELLO)), b"/XRefStm 9")
    yield "carriage-returns", b"\r".join(good.split(b"\n"))
    yield "junk-before", b"junk\n" * 200 + good
    yield "much-junk-before", b"junk\n" * 200_000 + good
    yield "junk-after", good + b"\njunk" * 200_000
    yield "nulls-after", good + bytes(1 << 20)
    yield "nulls-in-between", good[:xref] + bytes(1 << 20) + good[xref:]
    yield "root-missing", replaced(good, b"/Root 1 0 R", b"")
    yield "root-is-a-page", replaced(good, b"/Root 1 0 R", b"/Root 3 0 R")
    yield "root-is-a-number", replaced(good, b"/Root 1 0 R", b"/Root 1 1 1")
    yield "root-of-another-generation", replaced(good, b"/Root 1 0 R", b"/Root 1 7 R")
    yield "objects-twice", replaced(good, b"trailer", good[9:xref] + b"trailer")
    for tenth in range(1, 10):
        yield f"cut-at-{tenth}0-percent", good[: len(good) * tenth // 10]


def _object_streams() -> Made:
    good = packed(page(stream(HELLO)))
    yield "good", good
    start = good.rindex(b"/Type/XRef")
    for name, table in {
        "no-widths": b"/W[0 0 0]",
        "huge-widths": b"/W[999999999 4 2]",
        "minus-widths": b"/W[-1 4 2]",
        "few-widths": b"/W[1]",
        "wide": b"/W[8 8 8]",
    }.items():
        yield name, good[:start] + replaced(good[start:], b"/W[1 4 2]", table)
    for name, index in {"wrong": b"[3 5]", "huge": b"[0 999999999]", "minus": b"[-5 10]", "odd": b"[0]"}.items():
        yield f"index-{name}", good[:start] + replaced(good[start:], b"/W[", b"/Index%s/W[" % index)
    for key, value in ((b"/N ", b"4"), (b"/First ", b"")):
        for name, number in NUMBERS.items():
            begin = good.index(key) + len(key)
            end = begin + len(value) if value else good.index(b">>", begin)
            yield f"{key.decode()[1:-1].lower()}-{name}", good[:begin] + number + good[end:]
    head = b"1 0 2 99999 3 -5 4 999999999999 "
    body = b"<</Type/Catalog/Pages 2 0 R>>"
    for name, inner in {
        "offsets-outside": head + body,
        "offsets-backwards": b"1 30 2 0 3 60 " + body * 3,
        "numbers-twice": b"1 0 1 0 1 0 " + body,
        "numbers-are-words": b"a b c d " + body,
        "holds-itself": b"6 0 1 5 " + body,
    }.items():
        objects = page(stream(HELLO), stream(inner, more=b"/Type/ObjStm/N 4/First %d/Extends 6 0 R" % len(head)))
        yield name, packed(objects)
    yield (
        "predictor",
        good[:start] + replaced(good[start:], b"/W[", b"/DecodeParms<</Predictor 12/Columns 2147483647>>/W["),
    )
    yield "a-hundred-thousand-objects", packed([*page(stream(HELLO)), *[b"<<>>"] * 100_000])


def _linearized() -> Made:
    good = hello()
    for name, entries in {
        "length-wrong": b"/L 1/O 3/E 100/N 1/T 10/H[10 20]",
        "length-huge": b"/L 999999999999/O 3/E 100/N 1/T 10/H[10 20]",
        "page-missing": b"/L %d/O 99/E 100/N 1/T 10/H[10 20]" % (len(good) + 80),
        "pages-huge": b"/L %d/O 3/E 100/N 2147483647/T 10/H[10 20]" % (len(good) + 80),
        "pages-minus": b"/L %d/O 3/E 100/N -1/T 10/H[10 20]" % (len(good) + 80),
        "hints-outside": b"/L %d/O 3/E 100/N 1/T 10/H[99999999 99999999]" % (len(good) + 80),
        "hints-minus": b"/L %d/O 3/E 100/N 1/T 10/H[-1 -1]" % (len(good) + 80),
        "table-outside": b"/L %d/O 3/E 100/N 1/T 99999999/H[10 20]" % (len(good) + 80),
        "empty": b"",
    }.items():
        yield name, replaced(good, b"%PDF-1.7\n", b"%%PDF-1.7\n9 0 obj\n<</Linearized 1%s>>\nendobj\n" % entries)


def _page_trees() -> Made:
    for name, number in NUMBERS.items():
        objects = kids(b"3 0 R", 1)
        objects[1] = b"<</Type/Pages/Kids[3 0 R]/Count %s>>" % number
        yield f"count-{name}", pdf(objects)
    for name, listed in {
        "none": b"",
        "null": b"null null",
        "missing": b"99 0 R",
        "missing-and-good": b"99 0 R 3 0 R 98 0 R",
        "numbers": b"3 4 5",
        "itself": b"2 0 R",
        "catalogue": b"1 0 R",
        "font": b"4 0 R",
        "content": b"5 0 R",
        "twice": b"3 0 R 3 0 R",
        "direct": b"<</Type/Page/MediaBox[0 0 9 9]/Contents 5 0 R>>",
        "nested-arrays": b"[[[3 0 R]]]",
    }.items():
        yield f"kids-{name}", pdf(kids(listed, 2))
    two = [*kids(b"6 0 R 3 0 R", 2), b"<</Type/Pages/Parent 2 0 R/Kids[2 0 R 3 0 R]/Count 2>>"]
    yield "two-around-each-other", pdf(two)
    for depth in (10, 1000, 20_000):
        tower = [b"<</Type/Pages/Kids[%d 0 R]/Count 1>>" % (7 + level) for level in range(depth)]
        tower[-1] = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
        yield f"{depth}-deep", pdf([*kids(b"6 0 R", 1), *tower])
    for count in (1000, 49_000, 100_000):
        leaf = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>"
        listed = b" ".join(b"%d 0 R" % (6 + number) for number in range(count))
        yield f"{count}-sharing-a-content", packed([*kids(listed, count), *[leaf] * count])
    good = hello()
    yield "no-type", replaced(good, b"/Type/Page/", b"/")
    yield "wrong-type", replaced(good, b"/Type/Page/", b"/Type/Font/")
    yield "no-parent", replaced(good, b"/Parent 2 0 R", b"")
    yield "parent-itself", replaced(good, b"/Parent 2 0 R", b"/Parent 3 0 R")
    yield "no-pages", replaced(good, b"/Pages 2 0 R", b"")
    yield "pages-is-a-page", replaced(good, b"/Pages 2 0 R", b"/Pages 3 0 R")
    yield "no-catalogue-type", replaced(good, b"/Type/Catalog", b"")
    yield (
        "kids-far-away",
        pdf([*kids(b"3 0 R", 1)[:1], b"<</Type/Pages/Kids 6 0 R/Count 1>>", *kids(b"", 1)[2:], b"[3 0 R]"]),
    )


def _boxes() -> Made:
    for name, box in {
        "turned-over": b"612 792 0 0",
        "below-zero": b"-612 -792 0 0",
        "far-away": b"1000000 1000000 1000612 1000792",
        "empty": b"0 0 0 0",
        "a-line": b"0 0 612 0",
        "tiny": b"0 0 0.0001 0.0001",
        "vast": b"0 0 1e9 1e9",
        "over-all-floats": b"0 0 1" + b"0" * 60 + b" 1" + b"0" * 60,
        "reals": b"0.5 0.5 612.25 792.75",
        "words": b"/A (b) null true",
        "few": b"0 0",
        "many": b"0 0 612 792 " * 1000,
        "references": b"6 0 R 6 0 R 6 0 R 6 0 R",
        "minus-minus": b"--1 +-2 6-12 79.2.1",
    }.items():
        yield f"media-{name}", hello(box=box)
        yield f"crop-{name}", hello(leaf=b"/CropBox[%s]" % box)
    for turn in (b"90", b"180", b"270", b"-90", b"45", b"1000000", b"0.5", b"/A", HUGE):
        yield f"rotate-{turn.decode().strip('/')}", hello(leaf=b"/Rotate %s" % turn)
    for name, unit in NUMBERS.items():
        yield f"unit-{name}", hello(leaf=b"/UserUnit %s" % unit)
    yield "no-media", replaced(hello(), b"/MediaBox[0 0 612 792]", b"")


def _labels() -> Made:
    for name, labels in {
        "empty": b"",
        "no-numbers": b"/Nums[]",
        "numbers-only": b"/Nums[0 1 2 3]",
        "roman-billion": b"/Nums[0<</S/r/St 999999999>>]",
        "letters-billion": b"/Nums[0<</S/A/St 999999999>>]",
        "start-zero": b"/Nums[0<</S/D/St 0>>]",
        "start-minus": b"/Nums[0<</S/r/St -7>>]",
        "start-huge": b"/Nums[0<</S/D/St %s>>]" % HUGE,
        "style-unknown": b"/Nums[0<</S/Q/St 7>>]",
        "style-number": b"/Nums[0<</S 7/St 7>>]",
        "prefix-long": b"/Nums[0<</S/D/P(%s)>>]" % (b"x" * 1_000_000),
        "prefix-escape": b"/Nums[0<</P(%s)>>]" % PATHS["escape"],
        "prefix-reversed": b"/Nums[0<</P(%s)>>]" % PATHS["reversed"],
        "prefix-broken-pairs": b"/Nums[0<</P(\xfe\xff\xd8\x00\xd8\x00)>>]",
        "prefix-spaces": b"/Nums[0<</P(   )>>]",
        "backwards": b"/Nums[9<</S/D>>0<</S/r>>]",
        "minus-page": b"/Nums[-1<</S/D>>]",
        "kids-itself": b"/Kids[6 0 R]",
        "kids-missing": b"/Kids[99 0 R]",
        "limits-wrong": b"/Kids[<</Limits[5 1]/Nums[0<</S/D>>]>>]",
        "array": b"/Nums 6 0 R",
    }.items():
        yield name, pdf(page(stream(HELLO), b"<<%s>>" % labels, catalogue=b"/PageLabels 6 0 R"))


def _destinations() -> Made:
    def linked(destination: bytes, *others: bytes, catalogue: bytes = b"") -> bytes:
        link = b"/Annots[<</Type/Annot/Subtype/Link/Rect[72 690 200 712]/Dest %s>>]" % destination
        outlines = b"<</First 7 0 R/Last 7 0 R/Count 1>>", b"<</Title(Here)/Parent 6 0 R/Dest %s>>" % destination
        entries = b"/Outlines 6 0 R" + catalogue
        return pdf(page(stream(HELLO), *outlines, *others, catalogue=entries, leaf=link))

    for name, destination in {
        "page-minus": b"[-1/Fit]",
        "page-far": b"[99999/Fit]",
        "page-number": b"[0/Fit]",
        "page-missing": b"[99 0 R/Fit]",
        "page-itself": b"[7 0 R/XYZ 0 0 0]",
        "page-is-font": b"[4 0 R/XYZ 0 0 0]",
        "empty": b"[]",
        "null": b"null",
        "huge-place": b"[3 0 R/XYZ 1e30 %s 0]" % HUGE,
        "over-all-floats": b"[3 0 R/XYZ 0 1%s 0]" % (b"0" * 60),
        "words": b"[3 0 R/XYZ(a)(b)(c)]",
        "few": b"[3 0 R/XYZ]",
        "unknown-fit": b"[3 0 R/Nonsense 1 2 3]",
        "name-missing": b"(nowhere)",
        "name-word": b"/Nowhere",
    }.items():
        yield name, linked(destination)
    for name, tree in {
        "tree-itself": b"<</Kids[8 0 R]>>",
        "tree-two": b"<</Kids[9 0 R]>>",
        "tree-wrong-limits": b"<</Limits[(z)(a)]/Names[(b)[3 0 R/Fit]]>>",
        "tree-odd": b"<</Names[(b)]>>",
        "name-of-itself": b"<</Names[(b)(b)]>>",
        "name-of-a-dictionary": b"<</Names[(b)8 0 R]>>",
        "name-of-ten-megabytes": b"<</Names[(%s)[3 0 R/Fit]]>>" % (b"b" * 10_000_000),
    }.items():
        yield name, linked(b"(b)", tree, b"<</Kids[8 0 R]>>", catalogue=b"/Names<</Dests 8 0 R>>")
    deep = [b"<</Kids[%d 0 R]>>" % (9 + level) for level in range(5000)]
    yield "tree-5000-deep", linked(b"(b)", *deep, catalogue=b"/Names<</Dests 8 0 R>>")
    many = b"".join(b"(n%06d)[3 0 R/Fit]" % number for number in range(100_000))
    yield (
        "a-hundred-thousand-names",
        linked(b"(n099999)", b"<</Names[%s]>>" % many, catalogue=b"/Names<</Dests 8 0 R>>"),
    )
    rows = b"".join(b"<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest[3 0 R/Fit]>>" for _ in range(50_000))
    yield "fifty-thousand-links", hello(leaf=b"/Annots[%s]" % rows)
    yield "link-without-place", hello(leaf=b"/Annots[<</Subtype/Link/Rect[nan inf /A 1e99]/Dest[3 0 R/Fit]>>]")
    yield "annotations-around", hello(leaf=b"/Annots 3 0 R")


def _outlines() -> Made:
    for items, deep in ((2, True), (5000, True), (60_000, False)):
        yield f"{items}-{'around' if deep else 'wide'}", outline(items, deep=deep)
    chain = [b"<</First 7 0 R/Last 7 0 R/Count 1>>"]
    chain += [b"<</Title(T)/Parent %d 0 R/First %d 0 R/Dest[3 0 R/Fit]>>" % (6 + n, 8 + n) for n in range(20_000)]
    yield "20000-deep", pdf(page(stream(HELLO), *chain, catalogue=b"/Outlines 6 0 R"))
    wide = [b"<</First 7 0 R/Last 1000006 0 R/Count 1000000>>"]
    wide += [b"<</Title(T%d)/Parent 6 0 R/Next %d 0 R/Dest[3 0 R/Fit]>>" % (n, 8 + n) for n in range(1_000_000)]
    yield "a-million", packed(page(stream(HELLO), *wide, catalogue=b"/Outlines 6 0 R"))
    for name, entries in {
        "no-title": b"",
        "title-empty": b"/Title()",
        "title-spaces": b"/Title(    )",
        "title-number": b"/Title 7",
        "title-itself": b"/Title 7 0 R",
        "title-megabyte": b"/Title(%s)" % (b"word " * 200_000),
        "title-broken-pairs": b"/Title(\xfe\xff\xd8\x00\x00a\xdc\x00)",
        "title-half-a-letter": b"/Title(\xfe\xff\x00)",
        "title-language": b"/Title(\xfe\xff\x00\x1b\x00e\x00n\x00\x1b\x00H)",
        "title-utf8": b"/Title(\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe \xe6\x96)",
        "title-escape": b"/Title(%s)" % PATHS["escape"],
        "title-reversed": b"/Title(%s)" % PATHS["reversed"],
        "title-nul": b"/Title(%s)" % PATHS["nul"],
        "next-itself": b"/Title(T)/Next 7 0 R",
        "next-root": b"/Title(T)/Next 6 0 R",
        "next-page": b"/Title(T)/Next 3 0 R",
        "first-itself": b"/Title(T)/First 7 0 R",
        "first-catalogue": b"/Title(T)/First 1 0 R",
        "action-script": b"/Title(T)/A<</S/JavaScript/JS(app.alert\\(1\\))>>",
        "action-launch": b"/Title(T)/A<</S/Launch/F(/bin/sh)>>",
        "action-web": b"/Title(T)/A<</S/URI/URI(http://example.invalid/)>>",
        "action-other-file": b"/Title(T)/A<</S/GoToR/F(%s)/D[0/Fit]>>" % PATHS["up"],
        "action-itself": b"/Title(T)/A<</S/GoTo/D 7 0 R/Next 7 0 R>>",
    }.items():
        found = b"<</First 7 0 R/Last 7 0 R/Count -99>>", b"<</Parent 6 0 R%s>>" % entries
        yield name, pdf(page(stream(HELLO), *found, catalogue=b"/Outlines 6 0 R"))
    yield "is-the-catalogue", hello(catalogue=b"/Outlines 1 0 R")
    yield "is-a-number", hello(catalogue=b"/Outlines 7")


def _fonts() -> Made:
    wide = b"BT /F1 12 Tf 72 700 Td <00480065006C006C006F> Tj ET"
    plain = b"BT /F1 12 Tf 72 700 Td (Hello world text) Tj ET"

    def with_font(font: bytes, *others: bytes, content: bytes = plain) -> bytes:
        objects = page(stream(content), *others)
        objects[3] = font
        return pdf(objects)

    composite = b"<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/%s/DescendantFonts[6 0 R]%s>>"
    cid = (
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(%s)/Supplement 0>>%s>>"
    )
    for code in (b"Identity-H", b"Identity-V", b"90ms-RKSJ-V", b"UniGB-UCS2-V", b"GBK-EUC-H", b"Nonsense"):
        for order in (b"Identity", b"Japan1"):
            yield (
                f"{code.decode()}-{order.decode()}",
                with_font(
                    composite % (code, b""), cid % (order, b"/DW2[880 -1000]/W2[1[-1000 500 880]]"), content=wide
                ),
            )
    for name, table in {
        "empty": b"",
        "words": b"nonsense " * 1000,
        "pairs": b"1 beginbfchar <0048> <D800> endbfchar 1 beginbfchar <0065> <DC00D800> endbfchar",
        "to-nothing": b"1 beginbfrange <0000> <FFFF> <> endbfrange",
        "to-control": b"1 beginbfrange <0000> <FFFF> <0000> endbfrange",
        "to-escape": b"2 beginbfchar <0048> <001B> <0065> <202E> endbfchar",
        "to-a-novel": b"1 beginbfchar <0048> <%s> endbfchar" % (b"0041" * 100_000),
        "whole-range": b"1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange",
        "backwards": b"1 beginbfrange <FFFF> <0000> <0041> endbfrange",
        "many-ranges": b"100 beginbfrange " + b"<0000> <FFFF> <0041> " * 5000 + b"endbfrange",
        "uses-itself": b"/A usecmap",
        "array-short": b"1 beginbfrange <0000> <00FF> [<0041>] endbfrange",
    }.items():
        head = b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange "
        yield (
            f"to-unicode-{name}",
            with_font(
                composite % (b"Identity-H", b"/ToUnicode 7 0 R"),
                cid % (b"Identity", b""),
                stream(head + table + b" endcmap end"),
                content=wide * 20,
            ),
        )
    yield "to-unicode-itself", with_font(composite % (b"Identity-H", b"/ToUnicode 4 0 R"), cid % (b"Identity", b""))
    yield (
        "descendant-itself",
        with_font(b"<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[4 0 R]>>"),
    )
    yield "descendant-missing", with_font(composite % (b"Identity-H", b""))
    glyphs = b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[%s]/FirstChar 0/LastChar 255/Widths 7 0 R"
    widths = b"[" + b"500 " * 256 + b"]"
    names = (
        b"/Encoding<</Differences[0 " + b"/a" * 256 + b"]>>/CharProcs<</a %d 0 R>>/Resources<</Font<</F1 4 0 R>>>>>>"
    )
    for name, matrix in {
        "good": b"0.01 0 0 0.01 0 0",
        "zero": b"0 0 0 0 0 0",
        "minus": b"-0.01 0 0 -0.01 0 0",
        "vast": b"1e30 0 0 1e30 0 0",
        "over-all-floats": b"1%s 0 0 1%s 0 0" % (b"0" * 60, b"0" * 60),
        "words": b"/A /B",
    }.items():
        yield f"type3-{name}", with_font(glyphs % matrix + names % 6, stream(b"500 0 d0 0 0 500 500 re f"), widths)
    yield (
        "type3-draws-itself",
        with_font(glyphs % b"0.01 0 0 0.01 0 0" + names % 6, stream(b"500 0 d0 BT /F1 1 Tf (aa) Tj ET"), widths),
    )
    yield "type3-glyph-missing", with_font(glyphs % b"0.01 0 0 0.01 0 0" + names % 99, b"null", widths)
    simple = b"<</Type/Font/Subtype/TrueType/BaseFont/%s%s>>"
    for name, rest in {
        "widths-short": b"/FirstChar 0/LastChar 255/Widths[1]",
        "widths-huge": b"/FirstChar 0/LastChar 255/Widths[" + HUGE * 1 + b" " + b"1e30 " * 255 + b"]",
        "widths-minus": b"/FirstChar 0/LastChar 255/Widths[" + b"-5000 " * 256 + b"]",
        "chars-backwards": b"/FirstChar 255/LastChar 0/Widths[1]",
        "chars-far": b"/FirstChar -5/LastChar 2147483647/Widths[1]",
        "differences-far": b"/Encoding<</Differences[99999/a -5/b 255/c/d/e/f]>>",
        "differences-itself": b"/Encoding 4 0 R",
        "differences-words": b"/Encoding<</Differences[/a/b(c)null]>>",
        "file-garbage": b"/FontDescriptor<</Type/FontDescriptor/Flags 4/FontFile2 6 0 R>>",
        "file-itself": b"/FontDescriptor<</Type/FontDescriptor/Flags 4/FontFile2 5 0 R>>",
        "descriptor-wild": b"/FontDescriptor<</Flags -1/ItalicAngle 1e30/Ascent %s/MissingWidth -1>>" % HUGE,
    }.items():
        yield name, with_font(simple % (b"Arial", rest), stream(b"\x00\x01\x00\x00" + b"garbage" * 1000))
    for name, given in {
        "long": b"N" * 5000,
        "escape": b"A#1b#5b31m",
        "nul": b"A#00B",
        "path": b"..#2f..#2fetc#2fpasswd",
        "bytes": b"#ff#fe#c3#28",
        "empty": b"",
    }.items():
        yield f"name-{name}", with_font(simple % (given, b""))
    for name, font in {
        "missing": b"null",
        "a-number": b"7",
        "the-page": b"3 0 R",
        "itself": b"4 0 R",
        "empty": b"<<>>",
    }.items():
        yield name, with_font(font)


def _contents() -> Made:
    good = HELLO
    for name, content in {
        "open-texts": b"BT " * 100_000 + good,
        "open-lists": b"[" * 100_000 + good,
        "open-dictionaries": b"<<" * 100_000 + good,
        "open-string": good + b"BT /F1 12 Tf (never closed " * 10,
        "marks-open": b"/A BMC " * 100_000 + good,
        "closed-too-often": b"Q ET EMC " * 100_000 + good,
        "numbers-first": b"1 " * 1_000_000 + good,
        "unknown-words": b"frobnicate " * 200_000 + good,
        "a-word-without-end": b"a" * 5_000_000 + b" " + good,
        "a-number-without-end": b"9" * 5_000_000 + b" " + good,
        "a-comment-without-end": b"%" + b"a" * 5_000_000 + b"\n" + good,
        "text-of-a-megabyte": b"BT /F1 1 Tf 0 700 Td (%s) Tj ET" % (b"word " * 200_000),
        "letters-apart": b"BT /F1 8 Tf "
        + b"".join(b"1 0 0 1 %d %d Tm (a) Tj " % (n % 600, 790 - n // 50) for n in range(30_000))
        + b"ET",
        "letters-on-one-place": b"BT /F1 8 Tf 72 700 Td " + b"0 0 Td (abc) Tj " * 20_000 + b"ET",
        "letters-each-turned": b"BT /F1 8 Tf "
        + b"".join(
            b"%.3f %.3f %.3f %.3f 300 400 Tm (word) Tj " % (c, s, -s, c)
            for c, s in ((0.6, 0.8), (-0.8, 0.6), (0, 1), (1, 0)) * 500
        )
        + b"ET",
        "strips": b"BT /F1 8 Tf 72 700 Td [" + b"(a) -1000000000 " * 5000 + b"] TJ ET",
        "inline-picture-open": b"BI /W 10 /H 10 /BPC 8 /CS /G ID " + b"x" * 100_000 + good,
        "inline-picture-vast": b"BI /W 2147483647 /H 2147483647 /BPC 16 /CS /RGB ID x EI " + good,
        "size-zero": b"BT /F1 0 Tf 72 700 Td (Hello world text) Tj ET",
        "size-minus": b"BT /F1 -12 Tf 72 700 Td (Hello world text) Tj ET",
        "size-vast": b"BT /F1 1e30 Tf 72 700 Td (Hello world text) Tj ET",
        "size-over-all-floats": b"BT /F1 1%s Tf 72 700 Td (Hello world text) Tj ET" % (b"0" * 60),
        "size-word": b"BT /F1 /A Tf 72 700 Td (Hello world text) Tj ET",
        "font-missing": b"BT /F9 12 Tf 72 700 Td (Hello world text) Tj ET",
        "font-never": b"BT 72 700 Td (Hello world text) Tj ET",
        "invisible": b"BT 3 Tr /F1 12 Tf 72 700 Td (Hello world text) Tj ET",
        "clipped": b"BT 7 Tr /F1 12 Tf 72 700 Td (Hello world text) Tj ET",
        "squeezed": b"BT 0 Tz /F1 12 Tf 72 700 Td (Hello world text) Tj ET",
        "mirrored": b"BT -100 Tz /F1 12 Tf 300 700 Td (Hello world text) Tj ET",
        "spread": b"BT 1e30 Tc 1e30 Tw /F1 12 Tf 72 700 Td (Hello world text) Tj ET",
        "far-away": b"BT /F1 12 Tf 1e30 -1e30 Td (Hello world text) Tj ET",
        "farther-than-floats": b"BT /F1 12 Tf 1%s 700 Td (Hello world text) Tj ET" % (b"0" * 60),
        "matrix-zero": b"BT /F1 12 Tf 0 0 0 0 0 0 Tm (Hello world text) Tj ET",
        "matrix-vast": b"BT /F1 12 Tf 1e30 1e30 1e30 1e30 1e30 1e30 Tm (Hello world text) Tj ET",
        "matrices-multiplied": b"1e20 0 0 1e20 0 0 cm " * 50 + good,
        "matrices-to-nothing": b"1e-20 0 0 1e-20 0 0 cm " * 50 + good,
        "good-beside-far": good + b"BT /F1 12 Tf 1%s 700 Td (elsewhere) Tj ET" % (b"0" * 60),
        "slanted": b"BT /F1 12 Tf 1 0 5 1 72 700 Tm (Hello world text) Tj ET",
        "control-letters": b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % bytes(n for n in range(256) if n not in b"()\\"),
        "actual-text": b"/Span<</ActualText(%s)>>BDC %s EMC" % (b"other words " * 50_000, good),
        "hidden-layer": b"/OC/Layer BDC %s EMC" % good,
        "clip-paths": b"0 0 1 1 re W n " * 50_000 + good,
        "curves": b"0 0 m " + b"1 1 2 2 3 3 c " * 100_000 + b"S " + good,
    }.items():
        yield name, pdf(page(stream(content)))
    for name, value in {
        "missing": b"99 0 R",
        "page": b"3 0 R",
        "empty-list": b"[]",
        "list-of-itself": b"[5 0 R 3 0 R 1 0 R 99 0 R null 7]",
        "ten-thousand": b"[" + b"5 0 R " * 10_000 + b"]",
        "list-in-list": b"[" * 50 + b"5 0 R" + b"]" * 50,
    }.items():
        yield f"contents-{name}", replaced(hello(), b"/Contents 5 0 R", b"/Contents %s" % value)
    yield (
        "cut-in-a-word",
        replaced(pdf(page(stream(good[:20]), stream(good[20:]))), b"/Contents 5 0 R", b"/Contents[5 0 R 6 0 R]"),
    )


def _forms() -> Made:
    def drawing(*forms: bytes) -> bytes:
        return pdf(page(stream(b"/X Do " + HELLO), *forms, things=b"/XObject<</X 6 0 R>>"))

    yield "itself", drawing(stream(b"/X Do", more=FORM % (6, 6)))
    yield "two-around", drawing(stream(b"/X Do", more=FORM % (7, 7)), stream(b"/X Do", more=FORM % (6, 6)))
    for depth in (20, 500, 5000):
        forms = [stream(b"/X Do", more=FORM % (7 + level, 7 + level)) for level in range(depth)]
        yield f"{depth}-deep", drawing(*forms, stream(HELLO, more=FORM % (6, 6)))
    for depth in (4, 12, 25):
        forms = [stream(b"/X Do /Y Do " * 2, more=FORM % (7 + level, 7 + level)) for level in range(depth)]
        yield f"doubling-{depth}-times", drawing(*forms, stream(HELLO, more=FORM % (6, 6)))
    yield (
        "mask-of-itself",
        pdf(
            page(
                stream(b"/G gs " + HELLO),
                stream(b"/G gs " + HELLO, more=FORM % (6, 6) + b"/Group<</S/Transparency>>"),
                things=b"/ExtGState<</G<</SMask<</S/Alpha/G 6 0 R>>>>>>",
            )
        ),
    )
    yield (
        "pattern-of-itself",
        pdf(
            page(
                stream(b"/Pattern cs /P scn 0 0 600 700 re f " + HELLO),
                stream(
                    b"/Pattern cs /P scn 0 0 9 9 re f",
                    more=b"/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 0/YStep 0/Resources<</Pattern<</P 6 0 R>>>>",
                ),
                things=b"/Pattern<</P 6 0 R>>",
            )
        ),
    )
    yield (
        "shading-wild",
        pdf(
            page(
                stream(b"/S sh " + HELLO),
                things=b"/Shading<</S<</ShadingType 7/ColorSpace/DeviceRGB/BitsPerCoordinate 99/Function 5 0 R>>>>",
            )
        ),
    )
    picture = b"/Type/XObject/Subtype/Image/Width %s/Height %s/BitsPerComponent 8/ColorSpace/DeviceGray"
    for name, number in NUMBERS.items():
        yield f"picture-{name}", drawing(stream(b"x" * 100, more=picture % (number, number)))
    yield "picture-masks-itself", drawing(stream(b"x" * 100, more=picture % (b"9", b"9") + b"/SMask 6 0 R"))
    yield (
        "colours-of-colours",
        pdf(page(stream(b"/C cs 1 scn " + HELLO), b"[/Indexed 6 0 R 255 (x)]", things=b"/ColorSpace<</C 6 0 R>>")),
    )
    yield "resources-itself", replaced(hello(), b"/Resources<<", b"/Resources 3 0 R/Other<<")
    yield (
        "function-itself",
        pdf(
            page(
                stream(b"/C cs 1 scn " + HELLO),
                b"<</FunctionType 3/Domain[0 1]/Functions[6 0 R 6 0 R]/Bounds[0.5]/Encode[0 1 0 1]>>",
                things=b"/ColorSpace<</C[/Separation/A/DeviceRGB 6 0 R]>>",
            )
        ),
    )


def _streams() -> Made:
    def raw(entries: bytes, data: bytes, end: bytes = b"\nendstream") -> bytes:
        return pdf(page(b"<<%s>>\nstream\n%s%s" % (entries, data, end)))

    packed_hello = zlib.compress(HELLO)
    for name, number in NUMBERS.items():
        yield f"length-{name}", raw(b"/Filter/FlateDecode/Length %s" % number, packed_hello)
    yield "length-missing", raw(b"/Filter/FlateDecode", packed_hello)
    yield "length-itself", raw(b"/Filter/FlateDecode/Length 5 0 R", packed_hello)
    yield "no-end", raw(b"/Length %d" % len(HELLO), HELLO, b"")
    yield "end-inside", raw(b"/Length 99", b"(endstream endobj) " + HELLO)
    yield (
        "flate-cut",
        raw(b"/Filter/FlateDecode/Length %d" % (len(packed_hello) // 2), packed_hello[: len(packed_hello) // 2]),
    )
    yield "flate-without-sum", raw(b"/Filter/FlateDecode/Length %d" % (len(packed_hello) - 4), packed_hello[:-4])
    yield "flate-wrong-sum", raw(b"/Filter/FlateDecode/Length %d" % len(packed_hello), packed_hello[:-4] + b"abcd")
    yield "flate-garbage", raw(b"/Filter/FlateDecode/Length 9", b"\xff" * 9)
    for size in (50, 400):
        for name, letter in (("spaces", b" "), ("zeros", b"\x00"), ("words", b"q Q ")):
            yield f"bomb-{name}-{size}-megabytes", pdf(page(stream(HELLO + letter * ((size << 20) // len(letter)))))
    yield "bomb-packed-thrice", pdf(page(stream(HELLO + b" " * (300 << 20), times=3)))
    for name, filters in {
        "hex": b"/ASCIIHexDecode",
        "eighty-five": b"/ASCII85Decode",
        "lzw": b"/LZWDecode",
        "runs": b"/RunLengthDecode",
        "crypt": b"/Crypt",
        "unknown": b"/NonsenseDecode",
        "jpeg": b"/DCTDecode",
        "jpeg-2000": b"/JPXDecode",
        "jbig2": b"/JBIG2Decode",
        "fax": b"/CCITTFaxDecode",
        "fifty": b"[" + b"/FlateDecode " * 50 + b"]",
        "words": b"[(a) 7 null]",
        "itself": b"5 0 R",
        "short-names": b"[/Fl /A85 /AHx]",
    }.items():
        yield f"filter-{name}", raw(b"/Filter %s/Length %d" % (filters, len(packed_hello)), packed_hello)
    for name, parameters in {
        "columns": b"/Predictor 15/Columns 2147483647",
        "columns-minus": b"/Predictor 15/Columns -1",
        "colours": b"/Predictor 15/Colors 2147483647/BitsPerComponent 16/Columns 99999",
        "tiff": b"/Predictor 2/Colors 99/BitsPerComponent 3",
        "unknown": b"/Predictor 99",
        "rows": b"/K -1/Columns 99999999/Rows 99999999",
    }.items():
        for filter in (b"FlateDecode", b"LZWDecode", b"CCITTFaxDecode"):
            entries = b"/Filter/%s/DecodeParms<<%s>>/Length %d" % (filter, parameters, len(packed_hello))
            yield f"parameters-{name}-{filter.decode()[:3].lower()}", raw(entries, packed_hello)
    yield "in-another-file", raw(b"/F(%s)/FFilter/FlateDecode/Length 0" % PATHS["up"], b"")


def _objects() -> Made:
    def beside(*others: bytes, info: bytes = b"") -> bytes:
        return pdf(page(stream(HELLO), *others, catalogue=b"/Extra 6 0 R"), b"/Info %s" % info if info else b"")

    for name, extra in {
        "reference-to-itself": b"6 0 R",
        "names-of-a-megabyte": b"/" + b"N" * 1_000_000,
        "name-escapes": b"/#00#zz#4 1",
        "string-of-ten-megabytes": b"(" + b"s" * 10_000_000 + b")",
        "string-open": b"(never closed",
        "string-parentheses": b"(" * 500_000 + b")" * 500_000,
        "string-escapes": rb"(\777\8\400\x\\)" * 1000,
        "hex-odd": b"<48656C6C6F2>",
        "hex-words": b"<nonsense>",
        "hex-open": b"<" + b"4" * 1_000_000,
        "dictionary-deep": b"<</A" * 100_000 + b">>" * 100_000,
        "dictionary-wide": b"<<" + b"".join(b"/K%d 1" % n for n in range(200_000)) + b">>",
        "dictionary-odd": b"<</A/B/C>>",
        "dictionary-open": b"<</A 1",
        "array-wide": b"[" + b"1 " * 1_000_000 + b"]",
        "array-open": b"[1 2 3",
        "number-long": b"1" * 1_000_000,
        "comments": b"%c\n" * 200_000 + b"1",
        "references-far": b"[2147483647 0 R 4294967296 0 R -1 0 R 1 65536 R]",
    }.items():
        yield name, beside(extra)
    chain = [b"%d 0 R" % (7 + n) for n in range(5000)]
    yield "references-5000-long", beside(*chain, b"7")
    titles = {"megabyte": b"(%s)" % (b"title " * 170_000), "itself": b"6 0 R", "number": b"7", "open": b"(abc"}
    for name, title in {**titles, **{key: b"(%s)" % path for key, path in PATHS.items()}}.items():
        yield (
            f"title-{name}",
            beside(b"<</Title %s/Author %s/CreationDate(D:99999999999999Z)>>" % (title, title), info=b"6 0 R"),
        )
    yield "info-itself", beside(b"6 0 R", info=b"6 0 R")
    yield "info-catalogue", beside(b"null", info=b"1 0 R")
    lol = b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">' + b"".join(
        b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(12)
    )
    yield "metadata-laughs", pdf(page(stream(HELLO), stream(lol + b"]><x>&m;</x>"), catalogue=b"/Metadata 6 0 R"))
    good = hello()
    yield "numbered-far", replaced(replaced(good, b"5 0 obj", b"4294967295 0 obj"), b"5 0 R", b"4294967295 0 R")
    yield "without-numbers", replaced(good, b" 0 obj", b" obj")
    yield "without-ends", replaced(good, b"endobj", b"")
    yield "generation-far", replaced(good, b"3 0 obj", b"3 99999 obj")


def _updates() -> Made:
    def updated(data: bytes, body: bytes, number: int = 5) -> bytes:
        before = data.rindex(b"xref\n0 ") if data.count(b"startxref") == 1 else int(data.split()[-2])
        at = len(data) + 1
        added = b"\n%d 0 obj\n%s\nendobj\n" % (number, body)
        xref = len(data) + len(added)
        return (
            data
            + added
            + b"xref\n%d 1\n%010d 00000 n \ntrailer\n<</Size 99/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF"
            % (number, at, before, xref)
        )

    for count in (1, 50, 2000):
        data = hello()
        for number in range(count):
            data = updated(data, stream(HELLO.replace(b"world", b"%d" % number)))
        yield f"{count}-contents", data
    yield "page-deleted", updated(hello(), b"null", 3)
    yield "catalogue-deleted", updated(hello(), b"null", 1)
    yield "pages-emptied", updated(hello(), b"<</Type/Pages/Kids[]/Count 0>>", 2)
    yield "pages-around", updated(hello(), b"<</Type/Pages/Kids[2 0 R]/Count 1>>", 2)
    once = updated(hello(), stream(HELLO))
    yield "cut", once[:-30]
    at = once.rindex(b"/Prev ") + 6
    last = once.split()[-2]
    yield "before-itself", once[:at] + last + once[once.index(b">>", at) :]
    yield "two-files-in-one", hello() + hello()
    yield (
        "signature",
        pdf(
            page(
                stream(HELLO),
                b"<</FT/Sig/T(s)/V<</Type/Sig/ByteRange[0 -1 99999999 5]/Contents<%s>>>>>" % (b"0" * 100_000),
                catalogue=b"/AcroForm<</Fields[6 0 R]/SigFlags 3>>",
            )
        ),
    )


def _attachments() -> Made:
    inside = hello()
    for name, path in PATHS.items():
        spec = b"<</Type/Filespec/F(%s)/UF(%s)/EF<</F 7 0 R>>>>" % (path, path)
        names = b"/Names<</EmbeddedFiles<</Names[(%s)6 0 R]>>>>/Collection<</View/T/D(%s)>>" % (path, path)
        yield (
            f"portfolio-{name}",
            pdf(page(stream(HELLO), spec, stream(inside, more=b"/Type/EmbeddedFile"), catalogue=names)),
        )
    yield (
        "portfolio-without-pages",
        pdf(
            [
                b"<</Type/Catalog/Pages 2 0 R/Collection<</View/H>>/Names<</EmbeddedFiles<</Names[(a)4 0 R]>>>>>>",
                b"<</Type/Pages/Kids[]/Count 0>>",
                b"null",
                b"<</Type/Filespec/F(a.pdf)/EF<</F 5 0 R>>>>",
                stream(inside),
            ]
        ),
    )
    yield (
        "file-of-itself",
        pdf(
            page(
                stream(HELLO),
                b"<</F(a)/EF<</F 6 0 R>>>>",
                catalogue=b"/Names<</EmbeddedFiles<</Names[(a)6 0 R]/Kids[6 0 R]>>>>",
            )
        ),
    )
    lol = b'<!DOCTYPE l [<!ENTITY a "' + b"ha" * 1000 + b'">]><xdp>' + b"&a;" * 1000 + b"</xdp>"
    for name, entry in {
        "stream": b"6 0 R",
        "pairs": b"[(template)6 0 R(datasets)6 0 R]",
        "odd": b"[(template)]",
        "itself": b"[(a)1 0 R]",
    }.items():
        yield (
            f"xfa-{name}",
            pdf(
                page(stream(HELLO), stream(lol), catalogue=b"/NeedsRendering true/AcroForm<</XFA %s/Fields[]>>" % entry)
            ),
        )
    for name, fields in {
        "itself": b"<</T(a)/Kids[6 0 R]/Parent 6 0 R/FT/Tx/V(x)>>",
        "megabyte": b"<</T(a)/FT/Tx/V(%s)/Subtype/Widget/Rect[0 0 99 99]>>" % (b"x" * 1_000_000),
        "choices": b"<</T(a)/FT/Ch/Opt[%s]>>" % (b"(x)" * 100_000),
        "names": b"<</T(%s)/FT/Tx>>" % PATHS["escape"],
    }.items():
        objects = page(
            stream(HELLO), fields, catalogue=b"/AcroForm<</Fields[6 0 R 6 0 R]>>", leaf=b"/Annots[6 0 R 6 0 R]"
        )
        yield f"field-{name}", pdf(objects)
    deep = [b"<</T(a)/Kids[%d 0 R]/Parent %d 0 R>>" % (7 + n, 5 + n) for n in range(5000)]
    yield "fields-5000-deep", pdf(page(stream(HELLO), *deep, catalogue=b"/AcroForm<</Fields[6 0 R]>>"))
    for name, action in {
        "script": b"<</S/JavaScript/JS(while\\(1\\);)>>",
        "launch": b"<</S/Launch/F(/bin/sh)>>",
        "itself": b"6 0 R",
        "web": b"<</S/URI/URI(http://example.invalid/)>>",
        "submit": b"<</S/SubmitForm/F(http://example.invalid/)>>",
    }.items():
        yield (
            f"action-{name}",
            pdf(page(stream(HELLO), action, catalogue=b"/OpenAction 6 0 R", leaf=b"/AA<</O 6 0 R>>")),
        )
    yield (
        "structure-around",
        pdf(
            page(
                stream(HELLO),
                b"<</S/P/P 6 0 R/K[6 0 R 6 0 R]/Pg 3 0 R>>",
                catalogue=b"/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R",
            )
        ),
    )
    yield "layers-around", hello(catalogue=b"/OCProperties<</OCGs[1 0 R]/D<</Order[[[[1 0 R]]]]/OFF[1 0 R]>>>>")
    yield (
        "appearance-around",
        hello(leaf=b"/Annots[<</Subtype/Stamp/Rect[0 0 9 9]/AP<</N 3 0 R>>/Popup 3 0 R/Parent 3 0 R>>]"),
    )
    yield (
        "note-of-a-megabyte",
        hello(leaf=b"/Annots[<</Subtype/Text/Rect[0 0 9 9]/Contents(%s)>>]" % (b"x" * 1_000_000)),
    )
    yield "threads-around", hello(catalogue=b"/Threads[<</F 6 0 R/I<<>>>>]")


def _beginnings() -> Made:
    good = hello()
    for name, head in {
        "version-9": b"%PDF-9.9\n",
        "version-none": b"%PDF-\n",
        "version-words": b"%PDF-abcdef\n",
        "version-long": b"%PDF-1." + b"7" * 10_000 + b"\n",
        "form-data": b"%FDF-1.2\n",
        "postscript": b"%!PS-Adobe-3.0 PDF-1.4\n",
        "lower-case": b"%pdf-1.7\n",
        "mark-first": b"\xef\xbb\xbf%PDF-1.7\n",
        "space-first": b"\n\n   %PDF-1.7\n",
    }.items():
        yield name, replaced(good, b"%PDF-1.7\n", head)
    yield "only", b"%PDF-1.7\n"
    yield "only-and-end", b"%PDF-1.7\n%%EOF"
    yield "then-nulls", b"%PDF-1.7\n" + bytes(100_000)
    yield "then-web-page", b"%PDF-1.7\n<html><body><h1>Not found</h1></body></html>"
    yield "then-itself", b"%PDF-1.7\n" * 100_000
    yield "then-objects", b"%PDF-1.7\n" + b"1 0 obj\n<<>>\nendobj\n" * 100_000
    yield "then-open-objects", b"%PDF-1.7\n" + b"1 0 obj <<" * 100_000
    yield "text-encoding", good.decode("latin-1").encode("utf-8")
    yield "wide-letters", good.decode("latin-1").encode("utf-16")
    yield "line-ends-doubled", good.replace(b"\n", b"\r\n")


FAMILIES: tuple[Callable[[], Made], ...] = (
    _encrypted,
    _cross_references,
    _object_streams,
    _linearized,
    _page_trees,
    _boxes,
    _labels,
    _destinations,
    _outlines,
    _fonts,
    _contents,
    _forms,
    _streams,
    _objects,
    _updates,
    _attachments,
    _beginnings,
)
