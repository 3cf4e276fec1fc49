"""A scanned report, made from one whose text and sections are known: how well it is read, and how fast.

    uv run python benchmarks/scans.py                  # pages 1-30 of the example report, at 200 dpi
    uv run python benchmarks/scans.py --profile second --pages 1-30 --skew 1.5 --noise 20
    uv run python benchmarks/scans.py --save scans     # add the figures to benchmarks/results/scans.md

Each page is pictured, turned by a little (another angle for each page, up to `--skew` degrees either way), blurred, and
covered with noise; the PDF holds nothing but the pictures. Needs the extra `thumbindex[ocr]`.

- Word accuracy: 1 - (words put in, left out or changed) / words, page by page in reading order, against the text of the
  original; running heads and feet and the leaders of contents pages aside. Words found: all words, in any order.
- Sections: precision, recall and F1 of headings with the right page, matched as the scorer of the structure benchmark does:
  equal after case, white space and the leading number are taken off, or alike by 0.85; `tree` counts a match only if its
  parent is right too. The original's own headings are the truth; beside them stands what the text layer gives.
- A second file has the same pages, and only every third one is scanned: OCR must be spent on those alone.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

import pypdfium2 as pdfium
from PIL import Image, ImageChops, ImageFilter

from record import circumstances, save
from thumbindex.ingest.reading import build_tree
from thumbindex.sources.ocr import Ocr, OcrProgress, RecognitionCache
from thumbindex.tree import Tree

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

import make_report

Heading = tuple[str, int, int]
"""Title, level from 1, physical page from 1."""


@dataclass(frozen=True)
class Spoiling:
    """What the scanner does to a page: resolution, greatest skew in degrees, strength of noise and radius of blur."""

    dpi: int
    skew: float
    noise: float
    blur: float


def main() -> None:
    options = _options()
    first, _, last = options.pages.partition("-")
    pages = range(int(first), int(last or first) + 1)
    original = make_report.made(options.profile).setting.pdf
    truth = [heading for heading in make_report.outline(options.profile) if heading[2] in pages]
    truth = [(title, level, page - pages.start + 1) for title, level, page in truth]
    spoiling = Spoiling(options.dpi, options.skew, options.noise, options.blur)
    excerpt = _excerpt(original, pages)
    if options.scan and options.scan.exists():
        scan = options.scan.read_bytes()
    else:
        scan = scanned(excerpt, spoiling)
        if options.scan:
            options.scan.write_bytes(scan)
    reading, tree = _timed(scan, options.cache)
    layer = build_tree(excerpt, name="text.pdf", bookmarks=False)
    figures = [
        f"{len(pages)} pages of the report of profile {options.profile}, at {spoiling.dpi} dpi, skewed by up to "
        f"{spoiling.skew} degrees, noise {spoiling.noise}, blur {spoiling.blur}.",
        "",
        f"- Word accuracy: {word_accuracy(layer, tree):.4f}; words found: {words_found(layer, tree):.4f}; confidence of the "
        f"engine: {tree.metadata['ocr_confidence']}.",
        f"- {reading}",
        "",
        "| | sections | precision | recall | F1 | tree |",
        "| --- | --- | --- | --- | --- | --- |",
        _score_line("scan, OCR", truth, headings_of(tree)),
        _score_line("the same pages, text layer", truth, headings_of(layer)),
        "",
    ]
    mixed = _mixed(excerpt, scan)
    reading, tree = _timed(mixed, options.cache)
    figures.append(
        f"A file of which every third page is scanned: OCR for {len(reading.pages)} of {tree.page_count} pages; word accuracy {word_accuracy(layer, tree):.4f}; F1 {scores(truth, headings_of(tree))[2]:.3f}."
    )
    table = "\n".join(figures)
    print(f"{table}\n\n{circumstances()}")
    if options.save:
        print(f"Saved to {save(options.save, 'benchmarks/scans.py ' + ' '.join(sys.argv[1:]), table)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", choices=sorted(make_report.COMPANIES), default="default")
    parser.add_argument("--pages", default="1-30", metavar="FIRST-LAST", help="of the report")
    parser.add_argument("--dpi", type=int, default=200)
    parser.add_argument("--skew", type=float, default=0.7, help="degrees at most, either way")
    parser.add_argument("--noise", type=float, default=14.0, help="standard deviation, of 255")
    parser.add_argument("--blur", type=float, default=0.6, help="radius in pixels")
    parser.add_argument("--scan", type=Path, metavar="PDF", help="keep the scan here, and take the one that is there")
    parser.add_argument(
        "--cache", type=Path, metavar="FILE", help="keep what was read here; what is there takes no time"
    )
    parser.add_argument("--save", metavar="NAME", help="add the figures to benchmarks/results/NAME.md")
    return parser.parse_args()


def scanned(pdf: bytes, spoiling: Spoiling, quarters: int = 0) -> bytes:
    """A PDF of pictures of the pages, as a scanner would make it; `quarters` lays them on their side, clockwise."""
    chance = random.Random(7)
    pictures = [
        _spoiled(page.render(scale=spoiling.dpi / 72, grayscale=True).to_pil(), spoiling, chance).rotate(
            -90 * quarters, expand=True
        )
        for page in pdfium.PdfDocument(pdf)
    ]
    buffer = io.BytesIO()
    pictures[0].save(
        buffer, "PDF", save_all=True, append_images=pictures[1:], resolution=float(spoiling.dpi), quality=80
    )
    return buffer.getvalue()


def _spoiled(picture: Image.Image, spoiling: Spoiling, chance: random.Random) -> Image.Image:
    angle = chance.uniform(-spoiling.skew, spoiling.skew)
    turned = picture.rotate(angle, resample=Image.Resampling.BICUBIC, fillcolor=255)
    blurred = turned.filter(ImageFilter.GaussianBlur(spoiling.blur))
    # Paper is not white and ink not black; `effect_noise` lies around 128.
    faded = blurred.point(lambda value: 30 + value * 210 // 255)
    return ImageChops.add(faded, Image.effect_noise(faded.size, spoiling.noise), offset=-128)


def _excerpt(pdf: bytes, pages: range) -> bytes:
    source, part = pdfium.PdfDocument(pdf), pdfium.PdfDocument.new()
    part.import_pages(source, [number - 1 for number in pages])
    buffer = io.BytesIO()
    part.save(buffer)
    return buffer.getvalue()


def _mixed(text: bytes, scan: bytes) -> bytes:
    """Pages 3, 6, 9, … from the scan, the others with their text."""
    part, sources = pdfium.PdfDocument.new(), (pdfium.PdfDocument(text), pdfium.PdfDocument(scan))
    for index in range(len(sources[0])):
        part.import_pages(sources[index % 3 == 2], [index])
    buffer = io.BytesIO()
    part.save(buffer)
    return buffer.getvalue()


@dataclass
class Reading:
    """The pages that were read, and what those took that were not known before, by the clock and of processors."""

    pages: list[int] = field(default_factory=list)
    anew: int = 0
    seconds: float = 0.0
    cpu: float = 0.0

    def __str__(self) -> str:
        if not self.anew:
            return "All pages were known."
        return (
            f"{self.anew / self.seconds * 60:.1f} pages a minute by the clock, {self.anew / self.cpu * 60:.1f} a minute of "
            f"processor time ({self.anew} pages read anew)."
        )


def _timed(pdf: bytes, cache: Path | None) -> tuple[Reading, Tree]:
    """What reading took, and the tree. The engine is warm, as it is from the second page on."""
    if not _warmed:
        _warmed.append(build_tree(_excerpt(pdf, range(3, 4)), name="warm.pdf"))
    reading = Reading()
    last = [time.perf_counter(), time.process_time()]

    def on_page(progress: OcrProgress) -> None:
        now = [time.perf_counter(), time.process_time()]
        reading.pages.append(progress.page)
        if not progress.known:
            reading.anew += 1
            reading.seconds += now[0] - last[0]
            reading.cpu += now[1] - last[1]
        last[:] = now
        print(f"\r{progress.done}/{progress.total} pages", end="", file=sys.stderr)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scan.pdf"
        path.write_bytes(pdf)
        kept = None if cache is None else RecognitionCache(cache)
        last[:] = [time.perf_counter(), time.process_time()]
        tree = build_tree(path, bookmarks=False, ocr=Ocr(cache=kept, on_page=on_page))
    print(file=sys.stderr)
    return reading, tree


_warmed: list[Tree] = []


# Words


def word_accuracy(truth: Tree, found: Tree) -> float:
    """Over all pages: 1 - (words put in, left out or changed) / words of the truth.

    Running heads and feet are left out on both sides: the original's file names them last, and a scan shows them where they
    stand.
    """
    wrong = total = 0
    for number in range(1, truth.page_count + 1):
        right, read = _body(truth, number), _body(found, number)
        wrong += _distance(right, read)
        total += len(right)
    return 1 - wrong / max(total, 1)


def words_found(truth: Tree, found: Tree) -> float:
    """Share of all words of each page, heads and feet too, that were read on it, wherever on the page."""
    held = total = 0
    for number in range(1, truth.page_count + 1):
        right, read = (Counter(_words(tree.page_text(number))) for tree in (truth, found))
        held += (right & read).total()
        total += right.total()
    return held / max(total, 1)


def _body(tree: Tree, number: int) -> list[str]:
    lines = [n for n in tree.page(number).lines or () if n not in tree.headers_footers]
    return _words(" ".join(tree.lines[n - 1] for n in lines))


def _words(text: str) -> list[str]:
    # A row of dots leads to a page number and is no word.
    return re.sub(r"(?:\s?[.·…]){3,}", " ", text).replace("’", "'").split()


def _distance(right: Sequence[str], read: Sequence[str]) -> int:
    """Levenshtein's distance of two sequences of words."""
    row = list(range(len(read) + 1))
    for number, word in enumerate(right, 1):
        before, row[0] = row[0], number
        for place, other in enumerate(read, 1):
            here = min(row[place] + 1, row[place - 1] + 1, before + (word != other))
            before, row[place] = row[place], here
    return row[-1]


# Sections


def headings_of(tree: Tree) -> list[Heading]:
    """The tree's own headings; windows of pages are none."""
    if tree.origin == "pages":
        return []
    return [(node.title, node.level, node.pages.first) for node in tree.nodes if node.rule != "front" and node.pages]


def scores(truth: Sequence[Heading], found: Sequence[Heading]) -> tuple[float, float, float, float]:
    """Precision, recall, F1, and F1 with only the matches whose parents match."""
    matches: dict[int, int] = {}
    for number, heading in enumerate(found):
        for place, right in enumerate(truth):
            if place not in matches.values() and right[2] == heading[2] and _alike(right[0], heading[0]):
                matches[number] = place
                break
    partner = {place: number for number, place in matches.items()}
    nested = 0
    for number, place in matches.items():
        above = _parent(truth, place, partner)
        nested += _parent(found, number, matches) == (None if above is None else partner[above])
    precision, recall = (len(matches) / max(len(side), 1) for side in (found, truth))
    harmonic = 2 / (len(found) + len(truth)) if found or truth else 0.0
    return precision, recall, len(matches) * harmonic, nested * harmonic


def _parent(headings: Sequence[Heading], number: int, matched: dict[int, int]) -> int | None:
    """The nearest heading above that has a match."""
    level = headings[number][1]
    for above in range(number - 1, -1, -1):
        if headings[above][1] < level:
            level = headings[above][1]
            if above in matched:
                return above
    return None


def _alike(right: str, found: str) -> bool:
    one, other = _plain(right), _plain(found)
    return one == other or SequenceMatcher(None, one, other).ratio() >= 0.85


def _plain(title: str) -> str:
    bare = re.sub(
        r"^(?:(?:item|part|note|chapter|appendix|section)\s+)?[\dA-Z]{0,3}(?:\.\d+)*\.?\s+(?=\S)", "", title, flags=re.I
    )
    return re.sub(r"\s+", "", (bare or title).casefold())


def _score_line(name: str, truth: Sequence[Heading], found: Sequence[Heading]) -> str:
    precision, recall, f1, tree = scores(truth, found)
    return f"| {name} | {len(found)} of {len(truth)} | {precision:.3f} | {recall:.3f} | {f1:.3f} | {tree:.3f} |"


if __name__ == "__main__":
    main()
