"""Strange and broken files: does each give a tree or one clear error of ours, quickly and within bounds? Linux only.

    uv run python benchmarks/odd.py FOLDER
    uv run --group test python benchmarks/odd.py --made

All PDF files under FOLDER, or with `--made` the hundreds of kinds that tests/made/odd_pdfs.py writes, are read one after the other by a process of its own, each with 10 seconds and 500 MiB for its
reader. Told at the end: trees by origin, errors by class, the slowest files and those that took the most memory, and what
must not be: exceptions that are not ours, trees that break a promise, files that took more time in all, processes and temporary files left behind,
warnings, and noise on standard error. The exit status is 1 if there is any of that.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/made"))

from processes import children, forget_peak, peak
from record import circumstances, save

SECONDS = 10.0
MEMORY = 500 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER")
    parser.add_argument("--made", action="store_true", help="files made on the spot")
    parser.add_argument("--save", metavar="NAME", help="add the table to benchmarks/results/NAME.md")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inner:
        _read_all(options.folder)
        return
    if options.made == (options.folder is not None):
        parser.error("name a FOLDER, or ask for --made files")
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as made:
        folder = options.folder or _make(Path(made))
        child = subprocess.Popen(
            [sys.executable, "-W", "always", __file__, str(folder), "--inner"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": scratch},
            start_new_session=True,
        )
        out, noise = child.communicate()
        left_processes = _session(child.pid)
        left_files = [path.name for path in Path(scratch).rglob("*")]
    rows = [json.loads(line) for line in out.splitlines()]
    if not rows:
        sys.exit(f"No PDF file under {folder} was read:\n{noise}")
    table, wrong = _report(rows, noise.splitlines(), left_processes, left_files, child.returncode)
    print(f"{table}\n\n{circumstances()}")
    if options.save:
        command = "benchmarks/odd.py --made" if options.made else "benchmarks/odd.py"
        print(f"Saved to {save(options.save, command, table)}")
    sys.exit(wrong)


def _make(folder: Path) -> Path:
    """Write files of every strange kind."""
    from odd_pdfs import odd_pdfs

    for name, data in odd_pdfs():
        (folder / f"{name}.pdf").write_bytes(data)
    return folder


def _read_all(folder: Path) -> None:
    """Read every file, one line of JSON for each."""
    from soundness import faults
    from thumbindex import Limits
    from thumbindex.errors import ThumbIndexError
    from thumbindex.ingest.reading import tree_of
    from thumbindex.sources import read_source

    limits = Limits(seconds=SECONDS, seconds_per_megabyte=0.0, memory=MEMORY)
    for path in sorted(folder.rglob("*.pdf")):
        row: dict[str, Any] = {"name": path.name, "tree": None, "error": None, "foreign": None, "faults": []}
        begin = time.perf_counter()
        for child in children():
            forget_peak(child)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                document = read_source(path, limits=limits, ocr="off")
                tree = tree_of(document)
                row["tree"] = tree.origin
            except ThumbIndexError as error:
                row["error"] = type(error).__name__
            except Exception as error:
                row["foreign"] = f"{type(error).__name__}: {error}"
        row["seconds"] = time.perf_counter() - begin
        if row["tree"]:
            row["faults"] = list(faults(tree))
        row["memory"] = max((peak(child) for child in children()), default=0)
        row["warnings"] = [str(warning.message) for warning in caught]
        print(json.dumps(row), flush=True)


def _session(leader: int) -> list[str]:
    """What still runs of the session that a process led."""
    time.sleep(0.5)  # a reader ends by itself when its pipe closes
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                name, _, rest = (folder / "stat").read_text().rpartition(")")
            except OSError:
                continue
            if int(rest.split()[3]) == leader:
                found.append(name)
    return found


def _report(
    rows: list[dict[str, Any]], noise: list[str], processes: list[str], files: list[str], status: int
) -> tuple[str, bool]:
    trees = Counter(row["tree"] for row in rows if row["tree"])
    errors = Counter(row["error"] for row in rows if row["error"])
    slow = sorted(rows, key=lambda row: -row["seconds"])[:5]
    large = sorted(rows, key=lambda row: -row["memory"])[:5]
    wrong = {
        "exceptions that are not ours": [f"{row['name']}: {row['foreign']}" for row in rows if row["foreign"]],
        "trees that break a promise": [f"{row['name']}: {text}" for row in rows for text in row["faults"]],
        f"over {SECONDS:.0f} seconds in all": [row["name"] for row in rows if row["seconds"] > SECONDS + 1],
        "warnings": [f"{row['name']}: {text}" for row in rows for text in row["warnings"]],
        "lines on standard error": noise,
        "processes left": processes,
        "temporary files left": files,
        "exit status": [str(status)] if status else [],
    }
    lines = [
        f"{len(rows)} files: {sum(trees.values())} trees, {sum(errors.values())} errors.",
        "",
        "| trees by origin | | errors by class | |",
        "| --- | --- | --- | --- |",
    ]
    left, right = trees.most_common(), errors.most_common()
    for place in range(max(len(left), len(right))):
        cells = [*(left[place] if place < len(left) else ("", "")), *(right[place] if place < len(right) else ("", ""))]
        lines.append(f"| {' | '.join(str(cell) for cell in cells)} |")
    lines += ["", "Slowest: " + ", ".join(f"{row['name']} {row['seconds']:.1f} s" for row in slow) + "."]
    lines += ["Largest readers: " + ", ".join(f"{row['name']} {row['memory']} MiB" for row in large) + "."]
    lines += ["", "| what must not be | |", "| --- | --- |"]
    for what, cases in wrong.items():
        lines.append(f"| {what} | {len(cases)}{': ' if cases else ''}{'; '.join(cases[:5])} |")
    return "\n".join(lines), any(wrong.values())


if __name__ == "__main__":
    main()
