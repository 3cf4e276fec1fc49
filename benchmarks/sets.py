"""Sets of documents with outlines made by hand: folders that hold `pdfs/NAME.pdf` and `gold/NAME.json`, and a scorer for them.

The scorer is a Python file with `score(predicted, gold) -> {"F1": ..., ...}` over headings in reading order, each with `title`,
`level` and `page`. A family is the tool chain that wrote a file, as far as its metadata names one: documents of one family
look alike, and a rule that was chosen on one of them has seen them all.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import pypdfium2 as pdfium

COLUMNS = ("P", "R", "F1", "F1_l", "hier", "tree", "top")


class Scorer(Protocol):
    """Compares predicted headings with those of the gold."""

    def __call__(self, predicted: Sequence[object], gold: Sequence[object]) -> Mapping[str, float]: ...


@dataclass(frozen=True)
class Scored:
    """The figures of one document."""

    set: str
    name: str
    family: str
    figures: Mapping[str, float]


def scorer_of(path: Path) -> Scorer:
    """Returns the function `score` of a Python file."""
    spec = importlib.util.spec_from_file_location("scorer", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast(Scorer, module.score)


def gold_of(folder: Path, name: str) -> list[object]:
    """Returns the headings of a document of a set."""
    return list(json.loads((folder / "gold" / f"{name}.json").read_text(encoding="utf-8"))["headings"])


def family_of(file: Path) -> str:
    """Returns the tool chain that wrote a PDF, in one word: its creator, else its producer, without the version."""
    pdf = pdfium.PdfDocument(file)
    facts = pdf.get_metadata_dict()
    pdf.close()
    text = f"{facts.get('Creator') or ''} {facts.get('Producer') or ''}".casefold()
    words = re.findall(r"[a-z][a-z]{2,}", text)
    known = next((word for word in words if word not in {"adobe", "microsoft", "the", "for", "with", "via", "pdf"}), "")
    return known or "unknown"


def set_table(rows: Iterable[Scored]) -> str:
    """Returns the mean figures of each set as a table."""
    by_set: dict[str, list[Scored]] = defaultdict(list)
    for row in rows:
        by_set[row.set].append(row)
    return _table("set", {f"{name} ({len(found)})": found for name, found in by_set.items()})


def family_table(rows: Iterable[Scored]) -> str:
    """Returns the mean figures of each family as a table, the largest first."""
    by_family: dict[str, list[Scored]] = defaultdict(list)
    for row in rows:
        by_family[f"{row.set}: {row.family}"].append(row)
    ordered = sorted(by_family.items(), key=lambda item: (-len(item[1]), item[0]))
    return _table("family", {f"{name} ({len(found)})": found for name, found in ordered})


def worst_table(rows: Iterable[Scored], count: int = 5) -> str:
    """Returns the documents with the lowest `tree`."""
    worst = sorted(rows, key=lambda row: row.figures["tree"])[:count]
    return _table("document", {f"{row.set}/{row.name}": [row] for row in worst})


def _table(first: str, groups: Mapping[str, Sequence[Scored]]) -> str:
    lines = [f"| {first} | {' | '.join(COLUMNS)} |", f"| --- |{' --- |' * len(COLUMNS)}"]
    for name, rows in groups.items():
        means = (sum(row.figures[column] for row in rows) / len(rows) for column in COLUMNS)
        lines.append(f"| {name} | {' | '.join(f'{mean:.3f}' for mean in means)} |")
    return "\n".join(lines)
