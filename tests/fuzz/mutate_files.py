"""Change files at random and read them: `python mutate_files.py --seconds 600 [FILE ...]`.

Each changed file must end in a tree that keeps its promises or in an error of ours, within its limits; nothing else may be
raised, warned of, or left behind. Whatever breaks that is written to a folder, with the seed that makes it again.
Without files, the report of the examples and small documents of every other format are changed.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import sys
import time
import traceback
import warnings
import zipfile
import zlib
from collections import Counter
from pathlib import Path

from thumbindex import Limits, build_tree
from thumbindex.errors import ThumbIndexError
from thumbindex.sources import read_source
from thumbindex.tree.exchange import from_json, to_json
from thumbindex.tree.model import Tree

ROOT = Path(__file__).parents[2]
LIMITS = Limits(seconds=10.0, seconds_per_megabyte=0.0, memory=500 << 20)
SECONDS = 10.0
"""For texts and archives, which are read in this process."""
TOKENS = [
    b"", b"\x00", b"\xff\xfe", b"<", b">", b"&#x0;", b"&lol;", b"]]>", b"<!--", b"<![CDATA[", b"# ", b"```", b"- ", b"| ", b"\r",
    b"-1", b"0", b"999999999999", b"1e309", b"/Kids", b"/Parent", b"/First", b"/Next", b"/Dest", b"endobj", b"stream", b"<<", b">>",
    b"(", b")", b"[", b"]", b"<h1>", b"</h1>", b"<table>", b"<w:p>", b"</w:p>", b"%s", b"{}", b"\xe2\x80\xae", b"\xc3\x28", b"\x1b[31m",
]  # fmt: skip


def small_documents() -> dict[str, bytes]:
    """One of each format that is read."""
    report = (ROOT / "examples/annual-report.pdf").read_bytes()
    text = "\n\n".join(
        f"{'#' * (1 + number % 3)} {number} Part\n\nSee Section {number + 1}. A | table\n--- | ---\n1 | 2\n\n```\n# no\n```"
        for number in range(1, 12)
    )
    html = "<html><head><title>T</title></head><body><nav>x</nav>" + "".join(
        f"<h{1 + n % 3} id='a{n}'>{n} Part</h{1 + n % 3}><p>See <a href='#a{n - 1}'>there</a>.</p><table><tr><td>1</td></tr></table>"
        for n in range(1, 12)
    )
    made = {"report.pdf": report, "guide.md": text.encode(), "guide.html": (html + "</body></html>").encode()}
    made["mail.txt"] = b"From: a@b\nSubject: Quay\n\nHello.\n\n> On Monday b wrote:\n> 1. Moor\n> 2. Pump\n" * 5
    container = (
        '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Book</dc:title></metadata><manifest>'
        '<item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>'
    )
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
    nav = page.format(
        '<nav xmlns:epub="http://www.idpf.org/2007/ops" epub:type="toc"><ol><li><a href="a.xhtml#x">X</a></li></ol></nav>'
    )
    made["book.epub"] = archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "c.opf": package,
            "n.xhtml": nav,
            "a.xhtml": page.format("<h1 id='x'>X</h1><p>Some words here.</p>"),
        }
    )
    paragraph = '<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
    body = "".join(
        paragraph.format(style=f"Heading{1 + number % 3}", text=f"Part {number}")
        + paragraph.format(style="Normal", text=f"See Part {number + 1}.")
        + "<w:tbl><w:tr><w:tc>"
        + paragraph.format(style="Normal", text="cell")
        + "</w:tc></w:tr></w:tbl>"
        for number in range(1, 8)
    )
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    document = f'<w:document xmlns:w="{word}"><w:body>{body}</w:body></w:document>'
    made["letter.docx"] = archive({"[Content_Types].xml": "<Types/>", "word/document.xml": document})
    return made


def archive(members: dict[str, str]) -> bytes:
    """A ZIP file of these texts."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in members.items():
            packed.writestr(name, text, zipfile.ZIP_STORED if name == "mimetype" else None)
    return made.getvalue()


def mutate(data: bytes, chance: random.Random, splice: bytes) -> bytes:
    """Some bytes changed, cut, repeated, or taken from another file; inside the members of an archive too."""
    if data[:2] == b"PK" and chance.random() < 0.85:
        return _mutate_archive(data, chance, splice)
    if data[:4] == b"%PDF" and chance.random() < 0.4:
        return _mutate_stream(data, chance, splice)
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


def _mutate_archive(data: bytes, chance: random.Random, splice: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            members = [(info.filename, packed.read(info)) for info in packed.infolist()]
    except (zipfile.BadZipFile, zlib.error, OSError):
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
                content = mutate(content, chance, splice) if kind > 1 and content else content
            packed.writestr(name, content)
    return made.getvalue()


def _mutate_stream(data: bytes, chance: random.Random, splice: bytes) -> bytes:
    """A change inside one compressed stream of a PDF, packed again: flips in packed bytes only break the packing."""
    starts = [
        place
        for place in range(len(data))
        if data.startswith(b"stream", place) and not data.startswith(b"endstream", place - 3)
    ]
    if not starts:
        return data
    start = chance.choice(starts) + len(b"stream")
    start += 2 if data[start : start + 2] == b"\r\n" else 1
    end = data.find(b"endstream", start)
    try:
        content = zlib.decompressobj().decompress(data[start:end])
    except zlib.error:
        return data
    changed = zlib.compress(mutate(content, chance, splice)) if content else b""
    return data[:start] + changed + data[end:]


def promises(tree: Tree) -> None:
    """What every tree keeps; the tree itself has checked order and nesting of its sections when it was made.

    Raises:
        AssertionError: one is broken.
    """
    first_lines = [node.span.first for node in tree.nodes]
    assert first_lines == sorted(first_lines), "sections out of order"
    covered = [False] * (len(tree.lines) + 1)
    for node in tree.nodes:
        covered[node.span.first : node.span.last + 1] = [True] * len(node.span)
        assert node.pages is None or 1 <= node.pages.first <= node.pages.last <= tree.page_count, (
            "pages outside the document"
        )
    bare = [number for number, line in enumerate(tree.lines, 1) if line.strip() and not covered[number]]
    assert not bare, f"lines in no section: {bare[:5]}"
    assert from_json(to_json(tree)) == tree, "JSON gives another tree"
    tree.render(budget=500)


def attempt(data: bytes, name: str) -> str:
    """What came of one file.

    Raises:
        Exception: anything that a user must never see.
    """
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if data.startswith(b"%PDF"):
                read_source(data, name=name, limits=LIMITS)
            promises(build_tree(data, name=name))
            outcome = "tree"
        except ThumbIndexError as error:
            outcome = type(error).__name__
            message = str(error)
            assert message.isprintable() or "\n" in message, f"an error with control characters: {message!r}"
    assert not caught, f"warned: {caught[0].message}"
    seconds = time.perf_counter() - start
    assert seconds < 2 * SECONDS + 2, f"took {seconds:.1f} seconds"
    return outcome


def main() -> None:
    """Change and read until the time is over; fail if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--finds", type=Path, default=Path("fuzz-finds"))
    options = parser.parse_args()
    originals = {path.name: path.read_bytes() for path in options.files} or small_documents()
    names = sorted(originals)
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in names}
    print(f"seed {options.seed}; {', '.join(names)}", flush=True)
    found = 0
    number = options.seed
    until = time.monotonic() + options.seconds
    while time.monotonic() < until:
        number += 1
        chance = random.Random(number)
        name = chance.choice(names)
        data = originals[name]
        for _ in range(chance.choice([1, 1, 2, 4])):
            data = mutate(data, chance, originals[chance.choice(names)]) or data
        try:
            outcomes[name][attempt(data, name)] += 1
        except Exception:
            found += 1
            options.finds.mkdir(exist_ok=True)
            (options.finds / f"{number}-{name}").write_bytes(data)
            print(f"FOUND with seed {number} in {name}:\n{traceback.format_exc(limit=-3)}", flush=True)
            outcomes[name]["FOUND"] += 1
    total = sum(count for counter in outcomes.values() for count in counter.values())
    for name, counter in outcomes.items():
        print(f"{name}: " + ", ".join(f"{what} {count}" for what, count in counter.most_common()))
    print(f"{total:,} files in {options.seconds:.0f} s, {found} finds; load {os.getloadavg()[0]:.1f}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
