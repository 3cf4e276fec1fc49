"""Peak memory of building one tree: of the process that asks, and of the reader process. Linux only.

    uv run --group test python benchmarks/memory.py [FILE.pdf ...] [--pages 1200]

Besides the files named, a report of `--pages` pages is made with ReportLab: chapters and sections, a page of running text
each, with bookmarks. Each file is read by a fresh process with a fresh reader; the figures are the most that each of them
ever held (VmHWM), in MiB. A process that has only imported what it needs holds the "at rest" part already.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from processes import children, peak
from record import circumstances, save

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

BAR = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.pdf")
    parser.add_argument("--pages", type=int, default=1200, help="length of the report that is made")
    parser.add_argument("--save", metavar="NAME", help="add the table to benchmarks/results/NAME.md")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(_read(options.one)))
        return
    lines = [
        "| document | pages | sections | asking process | at rest | reader process | at rest |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    highest = 0
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "generated-report.pdf"
        _make_report(report, options.pages)
        for file in (*options.files, report):
            run = subprocess.run([sys.executable, __file__, "--one", str(file)], capture_output=True, text=True)
            if run.returncode:
                sys.exit(f"{file.name} could not be read:\n{run.stderr}")
            found = json.loads(run.stdout)
            highest = max(highest, found["asking"], found["reader"])
            cells = (
                file.stem,
                *(found[key] for key in ("pages", "sections", "asking", "rest", "reader", "reader_rest")),
            )
            lines.append(f"| {' | '.join(str(cell) for cell in cells)} |")
    table = "\n".join([*lines, "", f"Highest: {highest} MiB; the bar is {BAR} MiB."])
    print(f"{table}\n\n{circumstances()}")
    if options.save:
        print(f"Saved to {save(options.save, 'benchmarks/memory.py', table)}")
    sys.exit(highest >= BAR)


def _read(file: Path) -> dict[str, int]:
    """Figures of one file, read in this process and its reader."""
    from thumbindex.errors import SourceError
    from thumbindex.ingest.reading import build_tree
    from thumbindex.sources import read_source
    from thumbindex.sources.pool import read_apart

    _ = read_apart  # loaded at the first PDF, and part of what is held at rest
    rest = peak("self")
    with suppress(SourceError):
        read_source(b"%PDF-1.7 of no use, but it starts the reader")
    reader_rest = max(peak(child) for child in children())
    tree = build_tree(file, ocr="off")
    return {
        "pages": tree.page_count,
        "sections": len(tree.nodes),
        "asking": peak("self"),
        "rest": rest,
        "reader": max(peak(child) for child in children()),
        "reader_rest": reader_rest,
    }


def _make_report(path: Path, pages: int) -> None:
    """A report of chapters and sections: ten pages a chapter, two sections a page, bookmarks for both."""
    # Imported here, so that it does not count for the process that is measured.
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=A4)
    words = [
        "The",
        "ferry",
        "carried",
        "its",
        "passengers",
        "across",
        "the",
        "bay",
        "at",
        "an",
        "even",
        "price",
        "although",
        "fuel",
        "cost",
        "more",
        "than",
        "before",
    ]
    for page in range(pages):
        chapter, place = divmod(page, 10)
        height = 780
        if place == 0:
            height = _heading(canvas, f"{chapter + 1} Crossings of season {chapter + 1}", 18, height, level=0)
        for half in (1, 2):
            number = f"{chapter + 1}.{2 * place + half}"
            height = _heading(canvas, f"{number} Route {page} in part {half}", 13, height, level=1)
            for line in range(22):
                turn = (page * 7 + line * 5 + half) % len(words)
                canvas.setFont("Helvetica", 10)
                canvas.drawString(72, height, " ".join((*words[turn:], str(page * 50 + line), *words[:turn])))
                height -= 14
        canvas.drawCentredString(300, 40, str(page + 1))
        canvas.showPage()
    canvas.save()


def _heading(canvas: Canvas, title: str, size: int, height: int, level: int) -> int:
    """Set a heading with its bookmark; gives the height at which the text goes on."""
    canvas.setFont("Helvetica-Bold", size)
    canvas.drawString(72, height - 10, title)
    canvas.bookmarkPage(title)
    canvas.addOutlineEntry(title, title, level)
    return height - 20 - size


if __name__ == "__main__":
    main()
