"""Outlines of documents whose family chose no constant: leave-one-family-out figures beside those of the constants as they are.

    uv run python benchmarks/held_out.py --sets FOLDER ... --scorer FILE

For each family (see `benchmarks/sets.py`; each set counts as one too where it has a single family), every constant in
`CHOICES` is chosen anew on all documents outside of the family, each set weighing the same, by the mean of F1_l and tree. The
family is then scored with the chosen values. Rules themselves are not left out: they were written with the sets at hand.
"""

from __future__ import annotations

import argparse
import importlib
import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

from record import circumstances, save
from sets import Scored, family_of, gold_of, scorer_of, set_table
from thumbindex.headings import find_outline
from thumbindex.pages import Document
from thumbindex.sources import read_source
from thumbindex.tree import build

CHOICES: dict[str, tuple[float, ...]] = {
    "reconcile.LONG": (8.0, 5.0, 12.0),
    "reconcile.TOO_LONG": (15.0, 10.0, 25.0),
    "reconcile.REGULAR": (0.9, 0.8, 0.7),
    "reconcile.COMPLETE": (0.6, 0.7, 0.8),
    "reconcile.SHORT": (2.0, 1.0, 3.0),
    "reconcile.BYLINES": (0.6, 0.8, 0.95),
    "contents_entries.TIGHT": (0.8, 0.7, 0.9),
    "contents_entries.IN_USE": (2, 3, 5),
    "nesting.RESTARTS": (2, 3),
    "headers_footers.FEW_PAGES": (0.2, 0.1, 0.3),
    "headers_footers.SECTION_PAGES": (4, 2, 8),
    "blocks.COLON_SHARE": (0.6, 0.5, 0.8),
}
"""Constants of `thumbindex.headings` that documents of the sets chose, each with its value first and others to choose from."""

Values = Mapping[str, float]


@dataclass(frozen=True)
class Sample:
    """A document that was read, and its gold."""

    set: str
    name: str
    family: str
    document: Document
    gold: list[object]


SAMPLES: list[Sample] = []
"""Read once, before worker processes are forked."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--sets", type=Path, nargs="+", required=True, metavar="FOLDER", help="sets with pdfs/ and gold/"
    )
    parser.add_argument("--scorer", type=Path, required=True, metavar="FILE", help="the Python file that scores a set")
    parser.add_argument("--save", metavar="NAME", help="add the table to benchmarks/results/NAME.md")
    options = parser.parse_args()
    for folder in options.sets:
        for file in sorted((folder / "pdfs").glob("*.pdf")):
            document = replace(read_source(file, ocr="off"), bookmarks=())
            SAMPLES.append(Sample(folder.name, file.stem, family_of(file), document, gold_of(folder, file.stem)))
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("fork")) as pool:
        names = range(len(SAMPLES))

        def scored(values: Values, positions: Sequence[int]) -> dict[int, Scored]:
            count = len(positions)
            rows = pool.map(_scored, [options.scorer] * count, [dict(values)] * count, positions)
            return dict(zip(positions, rows, strict=True))

        usual = scored({}, names)
        tried = {
            (constant, value): scored({constant: value}, names)
            for constant, values in CHOICES.items()
            for value in values[1:]
        }
        held_out: list[Scored] = []
        chosen: Counter[str] = Counter()
        families: dict[tuple[str, str], list[int]] = defaultdict(list)
        for position, sample in enumerate(SAMPLES):
            families[sample.set, sample.family].append(position)
        for members in families.values():
            outside = [position for position in names if position not in members]
            values = {constant: _best(constant, outside, usual, tried) for constant in CHOICES}
            other = {constant: value for constant, value in values.items() if value != CHOICES[constant][0]}
            chosen.update(f"{constant} = {value:g}" for constant, value in other.items())
            held_out += scored(other, members).values() if other else [usual[position] for position in members]
    table = "\n\n".join(
        [
            "With the constants as they are:",
            set_table(usual.values()),
            f"Each of {len(families)} families with the constants that the others choose:",
            set_table(sorted(held_out, key=lambda row: [folder.name for folder in options.sets].index(row.set))),
            "Other values chosen: "
            + ("; ".join(f"{text} ({n} times)" for text, n in chosen.most_common()) or "none")
            + ".",
        ]
    )
    print(f"{table}\n\n{circumstances()}")
    if options.save:
        print(f"Saved to {save(options.save, 'benchmarks/held_out.py --sets ... --scorer ...', table)}")


def _scored(scorer: Path, values: Values, position: int) -> Scored:
    """Scores one document with other values of some constants."""
    before: list[tuple[ModuleType, str, float]] = []
    for constant, value in values.items():
        module, name = constant.split(".")
        home = importlib.import_module(f"thumbindex.headings.{module}")
        before.append((home, name, getattr(home, name)))
        setattr(home, name, value)
    try:
        sample = SAMPLES[position]
        tree = build(sample.document, find_outline(sample.document))
    finally:
        for home, name, value in before:
            setattr(home, name, value)
    headings = [
        {"title": node.title, "level": node.level, "page": node.pages.first}
        for node in tree.nodes
        if tree.origin != "pages" and node.rule != "front" and node.pages is not None
    ]
    return Scored(sample.set, sample.name, sample.family, scorer_of(scorer)(headings, sample.gold))


def _best(
    constant: str,
    positions: Sequence[int],
    usual: Mapping[int, Scored],
    tried: Mapping[tuple[str, float], Mapping[int, Scored]],
) -> float:
    """Returns the value of a constant that serves these documents best; the usual one where others are no better."""
    values = CHOICES[constant]
    return max(values, key=lambda value: _mean(usual if value == values[0] else tried[constant, value], positions))


def _mean(rows: Mapping[int, Scored], positions: Sequence[int]) -> float:
    by_set: dict[str, list[float]] = defaultdict(list)
    for position in positions:
        figures = rows[position].figures
        by_set[rows[position].set].append((figures["F1_l"] + figures["tree"]) / 2)
    return sum(sum(found) / len(found) for found in by_set.values()) / len(by_set)


if __name__ == "__main__":
    main()
