"""Financial statements that are one whole section: title, column heads and all rows, with the years in it.

    uv run python benchmarks/statements.py FOLDER [FOLDER ...]

Each folder holds `pdfs/NAME.pdf` and `statements/NAME.json`: for each statement its `title`, `pages` (first and last, from 1),
`columns`, `first_row` and `last_row`. A statement is whole if one section has its title, begins on its first page, and holds
its column heads and both rows; and if the section ends no later than a page after it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from record import circumstances, save
from thumbindex.ingest.reading import build_tree
from thumbindex.tree import Node, Tree

PAGES_AFTER = 1
"""Pages by which a section may go on after its statement: footnotes, and a table of the same heads."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="with pdfs/ and statements/")
    parser.add_argument("--save", metavar="NAME", help="add the table to benchmarks/results/NAME.md")
    options = parser.parse_args()
    lines = ["| document | statements | whole | not whole |", "| --- | --- | --- | --- |"]
    whole = total = 0
    for file in sorted(file for folder in options.folders for file in (folder / "statements").glob("*.json")):
        statements = json.loads(file.read_text(encoding="utf-8"))
        tree = build_tree(file.parents[1] / "pdfs" / f"{file.stem}.pdf", bookmarks=False, ocr="off")
        missing = [
            statement["title"] for statement in statements if not any(holds(tree, n, statement) for n in tree.nodes)
        ]
        whole, total = whole + len(statements) - len(missing), total + len(statements)
        lines.append(f"| {file.stem} | {len(statements)} | {len(statements) - len(missing)} | {'; '.join(missing)} |")
    table = "\n".join([*lines, "", f"{whole} of {total} statements are one whole section."])
    print(f"{table}\n\n{circumstances()}")
    if options.save:
        print(f"Saved to {save(options.save, 'benchmarks/statements.py', table)}")


def holds(tree: Tree, node: Node, statement: Mapping[str, Any]) -> bool:
    """Returns whether a section is a statement, whole and not much more."""
    first, last = statement["pages"]
    if node.pages is None or node.pages.first != first or not last <= node.pages.last <= last + PAGES_AFTER:
        return False
    if squeezed(statement["title"]) not in squeezed(node.title):
        return False
    text = squeezed(tree.section_text(node))
    wanted: Sequence[str] = [*statement["columns"], statement["first_row"], statement["last_row"]]
    # Column heads may be broken over several lines, with those of other columns between.
    return all(all(squeezed(word) in text for word in entry.split()) for entry in wanted)


def squeezed(text: str) -> str:
    """Returns the letters and digits of a text in lower case."""
    return re.sub(r"[\W_]+", "", text.casefold())


if __name__ == "__main__":
    main()
