"""Section trees of a folder of PDF files: one prediction a file for a scorer, and the speed beside plain extraction.

    uv run python benchmarks/structure.py --pdfs FOLDER --out FOLDER
    uv run python benchmarks/structure.py --sets FOLDER FOLDER ... --scorer FILE --out FOLDER

The second form reads several sets (see `benchmarks/sets.py`), and prints their figures, those of each family of documents,
and the five worst documents.

For each NAME.pdf, OUT/NAME.json holds `headings` in reading order (title, level, page from 1), `seconds` by the clock and
`cpu_seconds` of all processes that took part. The node for the text before the first heading is no heading, and a
document without headings has none, though its tree has chunks of pages.

Speed is pages per second of processor time, over all pages of the folder. Plain extraction opens the file, loads each
page, takes its text with pypdfium2's `get_text_bounded`, and closes everything: the least that any reader does. All
programs take turns at each file, so a busy machine slows all of them. Reader processes are warm, as they are from the
second document on. The newest pageindex, where it is installed, builds its tree from layout without a model.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pypdfium2 as pdfium

from record import circumstances, save
from sets import Scored, family_of, family_table, gold_of, scorer_of, set_table, worst_table
from thumbindex.errors import SourceError
from thumbindex.ingest.reading import build_tree
from thumbindex.sources.pool import reader_cpu_seconds
from thumbindex.tree import Tree


@dataclass(frozen=True)
class Spent:
    """Time in seconds: by the clock, and of processors, children included."""

    clock: float
    cpu: float


@dataclass(frozen=True)
class Row:
    """One file: what was found and what it took."""

    name: str
    pages: int
    found: str
    ours: Spent
    plain: Spent
    peer: Spent | None


def main() -> None:
    options = _options()
    if bool(options.sets) == bool(options.pdfs):
        sys.exit("Give either --pdfs or --sets.")
    folders = options.sets or [options.pdfs]
    files = [
        (folder, file)
        for folder in folders
        for file in sorted((folder / "pdfs" if options.sets else folder).glob("*.pdf"))
    ]
    if not files:
        sys.exit(f"{', '.join(map(str, folders))} holds no .pdf file.")
    score = scorer_of(options.scorer) if options.sets else None
    peer = not options.no_peer and importlib.util.find_spec("pageindex") is not None
    _warm(files[0][1], options.isolation)
    rows = []
    scored = []
    print(f"{'document':34}{'pages':>6}{'found':>20}{'seconds':>9}{'pages/cpu s':>13}{'plain':>8}{'ratio':>7}")
    for folder, file in files:
        out = options.out / folder.name if options.sets else options.out
        out.mkdir(parents=True, exist_ok=True)
        row = _measured(file, options, peer, out)
        rows.append(row)
        if score is not None:
            predicted = json.loads((out / f"{file.stem}.json").read_text(encoding="utf-8"))["headings"]
            figures = score(predicted, gold_of(folder, file.stem))
            scored.append(Scored(folder.name, file.stem, family_of(file), figures))
        ratio = row.plain.cpu / row.ours.cpu
        speeds = f"{row.pages / row.ours.cpu:13.0f}{row.pages / row.plain.cpu:8.0f}{ratio:7.2f}"
        print(f"{row.name[:33]:34}{row.pages:6}{row.found:>20}{row.ours.clock:9.2f}{speeds}", flush=True)
    table = _summary(rows)
    if scored:
        table = "\n\n".join(
            [set_table(scored), table, "Families:", family_table(scored), "Worst:", worst_table(scored)]
        )
    print(f"\n{table}\n\n{circumstances()}")
    if options.save:
        flags = (
            " --sets ... --scorer ..." * bool(options.sets)
            + " --bookmarks" * options.bookmarks
            + " --isolation none" * (options.isolation == "none")
        )
        print(f"Saved to {save(options.save, f'benchmarks/structure.py{flags}', table)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, metavar="FOLDER", help="the PDF files")
    parser.add_argument("--sets", type=Path, nargs="+", default=[], metavar="FOLDER", help="sets with pdfs/ and gold/")
    parser.add_argument("--scorer", type=Path, metavar="FILE", help="the Python file that scores a set")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where predictions go")
    parser.add_argument("--bookmarks", action="store_true", help="use the embedded bookmarks (hidden by default)")
    parser.add_argument("--isolation", choices=["process", "none"], default="process", help="as in build_tree")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="measure N times and keep the least")
    parser.add_argument("--no-peer", action="store_true", help="leave pageindex out, which takes minutes")
    parser.add_argument("--save", metavar="NAME", help="add the totals to benchmarks/results/NAME.md")
    options = parser.parse_args()
    if options.sets and options.scorer is None:
        parser.error("--sets needs --scorer")
    return options


def _warm(file: Path, isolation: Literal["process", "none"]) -> None:
    with suppress(SourceError):  # the worker has started all the same
        build_tree(file, isolation=isolation, ocr="off")


def _measured(file: Path, options: argparse.Namespace, peer: bool, out: Path) -> Row:
    trees: list[Tree | SourceError] = []

    def ours() -> None:
        try:
            trees.append(build_tree(file, bookmarks=options.bookmarks, isolation=options.isolation, ocr="off"))
        except SourceError as error:
            trees.append(error)

    plain_spent = _least(options.repeat, lambda: _extract(file))
    ours_spent = _least(options.repeat, ours)
    peer_spent = _least(1, lambda: _flash(file, options.bookmarks)) if peer else None
    tree = trees[-1]
    headings = _headings(tree) if isinstance(tree, Tree) else []
    prediction = {"headings": headings, "seconds": ours_spent.clock, "cpu_seconds": ours_spent.cpu}
    text = json.dumps(prediction, ensure_ascii=False, indent=1)
    (out / f"{file.stem}.json").write_text(text, encoding="utf-8")
    found = f"{len(headings)} {tree.origin}" if isinstance(tree, Tree) else type(tree).__name__
    return Row(file.stem, _page_count(file), found, ours_spent, plain_spent, peer_spent)


def _headings(tree: Tree) -> list[dict[str, str | int]]:
    """The tree's headings in the scorer's form; chunks of pages are none."""
    if tree.origin == "pages":
        return []
    return [
        {"title": node.title, "level": node.level, "page": node.pages.first}
        for node in tree.nodes
        if node.rule != "front" and node.pages is not None
    ]


def _least(times: int, work: Callable[[], None]) -> Spent:
    measured = [_spent(work) for _ in range(times)]
    return Spent(min(one.clock for one in measured), min(one.cpu for one in measured))


def _spent(work: Callable[[], None]) -> Spent:
    clock, cpu = time.perf_counter(), _cpu()
    work()
    return Spent(time.perf_counter() - clock, _cpu() - cpu)


def _cpu() -> float:
    """Of this process, its ended children, and the readers that are still there."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system + reader_cpu_seconds()


def _extract(file: Path) -> None:
    """Plain text extraction: open, load, text, close."""
    try:
        pdf = pdfium.PdfDocument(file)
    except pdfium.PdfiumError:
        return
    for number in range(len(pdf)):
        page = pdf[number]
        text = page.get_textpage()
        text.get_text_bounded()
        text.close()
        page.close()
    pdf.close()


def _flash(file: Path, bookmarks: bool) -> None:
    from pageindex import page_index_flash  # type: ignore[import-not-found, unused-ignore]

    page_index_flash(str(file), summary=False, optimize=False, use_embedded_toc=bookmarks)


def _page_count(file: Path) -> int:
    try:
        pdf = pdfium.PdfDocument(file)
    except pdfium.PdfiumError:
        return 0
    count = len(pdf)
    pdf.close()
    return count


def _summary(rows: list[Row]) -> str:
    pages = sum(row.pages for row in rows)
    ours, plain = sum(row.ours.cpu for row in rows), sum(row.plain.cpu for row in rows)
    lines = [
        f"{len(rows)} documents, {pages} pages.",
        "",
        "| | pages a CPU second | CPU seconds | seconds |",
        "| --- | --- | --- | --- |",
        _line("thumbindex, whole tree", pages, ours, sum(row.ours.clock for row in rows)),
        _line("plain pypdfium2 text extraction", pages, plain, sum(row.plain.clock for row in rows)),
    ]
    peers = [row.peer for row in rows if row.peer is not None]
    if peers:
        lines.append(_line("pageindex Flash", pages, sum(p.cpu for p in peers), sum(p.clock for p in peers)))
    lines += ["", f"The whole tree runs at {plain / ours:.2f} of the speed of plain extraction."]
    if peers:
        lines.append(f"It is {sum(p.cpu for p in peers) / ours:.0f} times as fast as pageindex Flash.")
    return "\n".join(lines)


def _line(name: str, pages: int, cpu: float, clock: float) -> str:
    return f"| {name} | {pages / cpu:.0f} | {cpu:.1f} | {clock:.1f} |"


if __name__ == "__main__":
    main()
