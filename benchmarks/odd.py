"""Strange and broken files: does each give a tree or one clear error of ours, quickly and within bounds? Linux only.

    uv run python benchmarks/odd.py FOLDER

All PDF files under FOLDER are read one after the other by a process of its own, each with 10 seconds and 500 MiB for its
reader. Told at the end: trees by origin, errors by class, the slowest files and those that took the most memory, and what
must not be: exceptions that are not ours, files that took more time in all, processes and temporary files left behind,
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

from processes import children, forget_peak, peak
from record import circumstances, save

SECONDS = 10.0
MEMORY = 500 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--save", metavar="NAME", help="add the table to benchmarks/results/NAME.md")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inner:
        _read_all(options.folder)
        return
    with tempfile.TemporaryDirectory() as scratch:
        child = subprocess.Popen(
            [sys.executable, "-W", "always", __file__, str(options.folder), "--inner"],
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
        sys.exit(f"No PDF file under {options.folder} was read:\n{noise}")
    table, wrong = _report(rows, noise.splitlines(), left_processes, left_files, child.returncode)
    print(f"{table}\n\n{circumstances()}")
    if options.save:
        print(f"Saved to {save(options.save, 'benchmarks/odd.py', table)}")
    sys.exit(wrong)


def _read_all(folder: Path) -> None:
    """Read every file, one line of JSON for each."""
    from thumbindex import Limits
    from thumbindex.errors import ThumbIndexError
    from thumbindex.headings import find_outline
    from thumbindex.sources import read_source
    from thumbindex.tree import build

    limits = Limits(seconds=SECONDS, seconds_per_megabyte=0.0, memory=MEMORY)
    for path in sorted(folder.rglob("*.pdf")):
        row: dict[str, Any] = {"name": path.name, "tree": None, "error": None, "foreign": None}
        begin = time.perf_counter()
        for child in children():
            forget_peak(child)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                document = read_source(path, limits=limits, ocr="off")
                row["tree"] = build(document, find_outline(document)).origin
            except ThumbIndexError as error:
                row["error"] = type(error).__name__
            except Exception as error:
                row["foreign"] = f"{type(error).__name__}: {error}"
        row["seconds"] = time.perf_counter() - begin
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
