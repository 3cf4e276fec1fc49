"""Changes to files that respect their format, so that most changes get past the first check of a parser.

PDF files are changed object by object and written with valid offsets, archives member by member and packed again, markup tag by tag,
and everything byte by byte. All chance comes from the `random.Random` that is passed: one seed, one file.
"""

from __future__ import annotations

import copy
import io
import random
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable

from lxml import etree

TOKENS = [
    b"", b"\x00", b"\xff\xfe", b"<", b">", b"&#x0;", b"&lol;", b"]]>", b"<!--", b"<![CDATA[", b"# ", b"```", b"- ", b"| ", b"\r",
    b"-1", b"0", b"999999999999", b"1e309", b"/Kids", b"/Parent", b"/First", b"/Next", b"/Dest", b"endobj", b"stream", b"<<", b">>",
    b"(", b")", b"[", b"]", b"<h1>", b"</h1>", b"<table>", b"<w:p>", b"</w:p>", b"%s", b"{}", b"\xe2\x80\xae", b"\xc3\x28", b"\x1b[31m",
]  # fmt: skip
NUMBERS = [
    b"0",
    b"-1",
    b"1",
    b"2147483647",
    b"2147483648",
    b"4294967295",
    b"-2147483648",
    b"1e30",
    b"0.00001",
    b"9" * 30,
    b"1" + b"0" * 60,
]
WORDS = [
    "",
    "0",
    "-1",
    "2147483648",
    "1" * 40,
    "NaN",
    "../../x",
    "\x1b[31m",
    "\u202e",
    "a" * 5000,
    "&#0;",
    "#",
    "http://x.invalid/",
    "Heading1",
]
FILTERS = [b"/FlateDecode", b"/LZWDecode", b"/ASCII85Decode", b"/DCTDecode", b"/JPXDecode", b"/X", b"[]"]
_OBJECT = re.compile(rb"(?<!\d)(\d{1,10})\s+(\d{1,5})\s+obj\b(.*?)\bendobj\b", re.DOTALL)
_REFERENCE = re.compile(rb"\b(\d{1,10})\s+\d{1,5}\s+R\b")
_NUMBER = re.compile(rb"(?<![\w.+-])[+-]?\d+(?:\.\d+)?(?![\w.])")
_FILTER = re.compile(rb"/(?:Flate|LZW|ASCII85|ASCIIHex|RunLength|DCT|CCITTFax|JBIG2|JPX)Decode\b|/Crypt\b")
_KEY = re.compile(rb"/[A-Za-z]{1,20}")
_STREAM = re.compile(rb"\bstream\r?\n(.*?)\r?\n?endstream", re.DOTALL)
_TRAILER = re.compile(rb"\btrailer\s*<<(.*)>>\s*startxref", re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_VALUE = re.compile(r"=\s*(?:\"[^\"<>]*\"|'[^'<>]*')")
_MARKUP = (".xml", ".xhtml", ".html", ".opf", ".ncx", ".rels")


def mutate(data: bytes, chance: random.Random, splice: bytes) -> bytes:
    """Returns a file changed as its format allows, or byte by byte; `splice` is a file to take pieces from."""
    if data[:2] == b"PK" and chance.random() < 0.85:
        return mutate_archive(data, chance, splice)
    if data[:4] == b"%PDF" and chance.random() < 0.8:
        return chance.choice((mutate_objects, mutate_objects, mutate_stream, mutate_cross_references))(
            data, chance, splice
        )
    if data.lstrip()[:1] == b"<" and chance.random() < 0.6:
        return mutate_markup(data, chance, splice)
    return mutate_bytes(data, chance, splice)


def mutate_bytes(data: bytes, chance: random.Random, splice: bytes) -> bytes:
    """Changes, cuts or repeats some bytes, or takes them from another file."""
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 4, 16, 64])):
        place = chance.randrange(len(changed) + 1)
        length = chance.choice([1, 2, 8, 64, 1024])
        kind = chance.randrange(7)
        if kind == 0 and changed:
            changed[place % len(changed)] = chance.randrange(256)
        elif kind == 1:
            del changed[place : place + length]
        elif kind == 2:
            changed[place:place] = changed[place : place + length] * chance.choice([1, 2, 50])
        elif kind == 3:
            changed[place:place] = chance.choice(TOKENS)
        elif kind == 4:
            token = chance.choice(TOKENS)
            changed[place : place + len(token)] = token
        elif kind == 5:
            start = chance.randrange(len(splice) + 1)
            changed[place : place + length] = splice[start : start + length]
        elif chance.random() < 0.2:
            del changed[place:]
    return bytes(changed)


def mutate_archive(data: bytes, chance: random.Random, splice: bytes) -> bytes:
    """Removes, renames or changes a member; markup in it mostly tag by tag."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            members = [(info.filename, packed.read(info)) for info in packed.infolist()]
    except Exception:  # zipfile lets out many kinds where the archive was broken by an earlier change
        return data
    victim = chance.randrange(len(members))
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        warnings.simplefilter("ignore")  # of names that come twice
        for number, (name, content) in enumerate(members):
            if number == victim:
                kind = chance.randrange(10)
                if kind == 0:
                    continue
                if kind == 1:
                    name = chance.choice(["../" + name, "/" + name, name.upper(), members[victim - 1][0]])
                elif name.endswith(_MARKUP) and kind < 7:
                    content = mutate_elements(content, chance, splice)
                elif name.endswith(_MARKUP) and kind < 9:
                    content = mutate_markup(content, chance, splice)
                else:
                    content = mutate_bytes(content, chance, splice)
            packed.writestr(name, content)
    return made.getvalue()


def mutate_elements(data: bytes, chance: random.Random, splice: bytes) -> bytes:
    """Returns well-formed XML with elements removed, repeated, moved, swapped or nested, and attributes with other names and
    values."""
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, huge_tree=False))
    except etree.XMLSyntaxError:
        return mutate_markup(data, chance, splice)
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        every = [element for element in root.iter() if isinstance(element.tag, str)]
        first, second = chance.choice(every), chance.choice(every)
        parent = first.getparent()
        kind = chance.randrange(9)
        if kind == 0 and parent is not None:
            parent.remove(first)
        elif kind == 1 and parent is not None and len(every) < 5000:
            for _ in range(chance.choice([1, 2, 30])):
                parent.insert(parent.index(first), copy.deepcopy(first))
        elif kind == 2:
            second.append(copy.deepcopy(first))
        elif kind == 3:
            first.tag, second.tag = second.tag, first.tag
        elif kind == 4:
            first.text, second.text = second.text, first.text
        elif kind == 5 and len(every) < 5000:
            inner = first
            for _ in range(chance.choice([3, 40, 200])):
                inner = etree.SubElement(inner, chance.choice((first, second)).tag)
            inner.text = "deep"
        elif kind in (6, 7) and (named := [element for element in every if element.attrib]):
            element = chance.choice(named)
            key = chance.choice(list(element.attrib))
            others = [value for other in named for value in other.attrib.values()]
            value = chance.choice((chance.choice(WORDS).replace("\x1b", ""), chance.choice(others)))
            element.attrib[key if kind == 6 else chance.choice(list(chance.choice(named).attrib))] = value
        else:
            first.text = chance.choice(WORDS).replace("\x1b", "")
    return bytes(etree.tostring(root))


def mutate_markup(data: bytes, chance: random.Random, splice: bytes) -> bytes:
    """Removes, repeats, swaps or nests tags by the thousand, takes them from elsewhere, or changes values of attributes."""
    text = data.decode("utf-8", "surrogateescape")
    other = splice.decode("utf-8", "replace")
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        tags = [match.span() for match in _TAG.finditer(text)]
        if not tags:
            break
        first, second = sorted((chance.choice(tags), chance.choice(tags)))
        tag = text[slice(*first)]
        kind = chance.randrange(9)
        if kind == 0:
            text = text[: first[0]] + text[first[1] :]
        elif kind == 1:
            text = text[: first[0]] + text[second[0] :]
        elif kind == 2:
            piece = text[first[0] : second[1]][:4000]
            text = text[: first[0]] + piece * chance.choice([1, 1, 2, 30]) + text[first[0] :]
        elif kind == 3:
            text = text[: first[0]] + text[slice(*second)] + text[first[1] : second[0]] + tag + text[second[1] :]
        elif kind == 4 and not tag.startswith(("</", "<!", "<?")):
            text = text[: first[0]] + tag * chance.choice([2, 40, 300, 3000]) + text[first[1] :]
        elif kind == 5 and (values := list(_VALUE.finditer(text))):
            value = chance.choice(values)
            word = chance.choice((chance.choice(WORDS), chance.choice(values).group().strip("= \"'")))
            text = f'{text[: value.start()]}="{word}"{text[value.end() :]}'
        elif kind == 6 and (tags_there := _TAG.findall(other[:100_000])):
            text = text[: first[1]] + chance.choice(tags_there) + text[first[1] :]
        elif kind == 7:
            text = text[: first[1]] + chance.choice(WORDS) + text[first[1] :]
        elif kind == 8:
            text = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>' * chance.choice([0, 1]) + text.replace(
                "</", chance.choice(["&b;</", "</", "<!--</", "<![CDATA[</"]), 1
            )
    return text.encode("utf-8", "surrogateescape")


def mutate_objects(data: bytes, chance: random.Random, splice: bytes) -> bytes:
    """Swaps, duplicates, removes or empties objects of a PDF; changes references, numbers, keys and filters.

    The file is written with a table of valid offsets: else PDFium would search for objects itself, always in one way.
    """
    objects = {int(number): body for number, _, body in _OBJECT.findall(data)}
    trailer = _TRAILER.search(data)
    if len(objects) < 2 or trailer is None:
        return mutate_bytes(data, chance, splice)
    entries = re.sub(rb"/(?:Prev|XRefStm|Size)\s+\d+", b"", trailer[1])
    numbers = sorted(objects)
    keys = _KEY.findall(b"".join(objects[number][:2000] for number in numbers[:200])) or [b"/X"]
    lent = [body for _, _, body in _OBJECT.findall(splice)]
    for _ in range(chance.choice([1, 1, 2, 3, 8])):
        first, second = chance.choice(numbers), chance.choice(numbers)
        body = objects[first]
        kind = chance.randrange(10)
        if kind == 0:
            objects[first], objects[second] = objects[second], body
        elif kind == 1:
            objects[first] = objects[second]
        elif kind == 2:
            objects[first] = chance.choice(
                [b" null ", b" 7 ", b"<<>>", b"[]", b" %d 0 R " % first, b"(x)", body + body]
            )
        elif kind == 3:
            objects[first] = _changed(_REFERENCE, body, chance, lambda: b"%d 0 R" % chance.choice(numbers))
        elif kind == 4:
            entries = _changed(_REFERENCE, entries, chance, lambda: b"%d 0 R" % chance.choice(numbers))
        elif kind == 5:
            objects[first] = _changed(_NUMBER, body, chance, lambda: chance.choice(NUMBERS))
        elif kind == 6:
            objects[first] = _changed(_FILTER, body, chance, lambda: chance.choice(FILTERS))
        elif kind == 7:
            objects[first] = _changed(_KEY, body, chance, lambda: chance.choice(keys))
        elif kind == 8 and lent:
            objects[first] = chance.choice(lent)
        else:
            depth = chance.choice([3, 100, 5000])
            objects[first] = b"[" * depth + body + b"]" * depth if b"stream" not in body else body
    made, offsets = bytearray(b"%PDF-1.7\n"), []
    for number in sorted(objects):
        offsets.append((number, len(made)))
        made += b"%d 0 obj%sendobj\n" % (number, objects[number])
    xref = len(made)
    made += b"xref\n0 1\n0000000000 65535 f \n"
    made += b"".join(b"%d 1\n%010d 00000 n \n" % place for place in offsets)
    made += b"trailer\n<</Size %d%s>>\nstartxref\n%d\n%%%%EOF\n" % (max(objects) + 1, entries, xref)
    return bytes(made)


def mutate_cross_references(data: bytes, chance: random.Random, splice: bytes) -> bytes:
    """Returns a PDF with a few wrong digits in its table of offsets, its trailer or its end, or in its stream of offsets."""
    start = max(data.rfind(b"\nxref"), data.rfind(b"/XRef"), 0)
    tail = data[start:]
    for _ in range(chance.choice([1, 2, 10])):
        tail = _changed(
            re.compile(rb"\d+"), tail, chance, lambda: chance.choice([*NUMBERS, b"%010d" % chance.randrange(len(data))])
        )
    if chance.random() < 0.2:
        tail = tail[: chance.randrange(len(tail) + 1)]
    return data[:start] + tail


def mutate_stream(data: bytes, chance: random.Random, splice: bytes) -> bytes:
    """Changes one compressed stream of a PDF and compresses it again: flips in compressed bytes only break the compression."""
    found = list(_STREAM.finditer(data))
    if not found:
        return data
    victim = chance.choice(found)
    try:
        content = zlib.decompressobj().decompress(victim[1], 1 << 20)
    except zlib.error:
        return data
    if chance.random() < 0.5:
        for _ in range(chance.choice([1, 2, 10])):
            content = _changed(_NUMBER, content, chance, lambda: chance.choice(NUMBERS))
    else:
        content = mutate_bytes(content, chance, splice)
    return data[: victim.start(1)] + zlib.compress(content) + data[victim.end(1) :]


def _changed(what: re.Pattern[bytes], data: bytes, chance: random.Random, new: Callable[[], bytes]) -> bytes:
    """Returns the bytes with one match of a pattern replaced; unchanged without a match."""
    found = list(what.finditer(data))
    if not found:
        return data
    victim = chance.choice(found)
    return data[: victim.start()] + new() + data[victim.end() :]
