"""Retrieval without a model, on questions whose evidence pages are known.

    uv run python benchmarks/retrieval.py --questions FILE --pdfs FOLDER --out FILE [--documents] [--cache FOLDER]

`--questions` holds a JSON object a line: `id`, `doc` (the PDF's name without `.pdf`), `question`, and for the printed table
`evidence_pages` and `type`. `--out` gets one prediction a line, for a scorer:

    {"id": ..., "pages": [49, 12], "tokens": 3200, "seconds": 0.01}     the document is given
    {"id": ..., "docs": ["...", "..."], "seconds": 0.05}                 with --documents: it is not

Pages are those of the sections that `Library.retrieve` returns within 8,000 tokens (of long sections several parts), best first:
the best page of a section has the section's score, its other pages have half of it. `tokens` is the length of their text, and
`seconds` the time of the second call for the same question.

With `--documents` each file is added as doc-001 and so on, without its title and author, and ranked by `Library.select`:
names of files must not help. `--without FEATURE` switches a feature of the ranking off. `--cache` keeps the libraries for the
next run: empty that folder when reading or indexing has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from statistics import median

from record import circumstances, save
from thumbindex import Budget, Evidence, Lexical, Library, Scope
from thumbindex.errors import SourceError
from thumbindex.ingest.reading import READER_VERSION
from thumbindex.search import weights
from thumbindex.text.tokens import estimate_tokens

BUDGET = 8000
"""Tokens of text that a model with a small window reads at once."""
MOST_SECTIONS = 80
OTHER_PAGE = 0.5
"""Share of a section's score that its other pages have."""
KS = (1, 3, 5, 10)


@dataclass(frozen=True)
class Question:
    """One line of the questions."""

    id: str
    doc: str
    text: str
    kind: str
    pages: frozenset[int]


@dataclass(frozen=True)
class Found:
    """What was found for a question: ranked pages, or ranked documents."""

    question: Question
    ranked: tuple[int, ...] | tuple[str, ...]
    tokens: int
    first_seconds: float
    seconds: float

    @property
    def rank(self) -> int | None:
        """Of the first page (or the document) that was looked for, from 1; None if it was not found."""
        wanted: frozenset[int | str] = frozenset(self.question.pages)
        if self.ranked and isinstance(self.ranked[0], str):
            wanted = frozenset({self.question.doc})
        return next((rank for rank, found in enumerate(self.ranked, 1) if found in wanted), None)

    def prediction(self) -> dict[str, object]:
        """As the scorer reads it."""
        if self.ranked and isinstance(self.ranked[0], str):
            return {"id": self.question.id, "docs": list(self.ranked), "seconds": self.seconds}
        return {"id": self.question.id, "pages": list(self.ranked), "tokens": self.tokens, "seconds": self.seconds}


def main() -> None:
    options = _options()
    questions = list(read_questions(options.questions))
    if options.without:
        weights.PAGE_WEIGHTS = replace(weights.PAGE_WEIGHTS, **dict.fromkeys(options.without, 0.0))
    library, names = open_library(options.pdfs, options.cache, is_hidden=options.documents)
    ids = {name: doc_id for doc_id, name in names.items()}
    missing = sorted({one.doc for one in questions} - ids.keys())
    if missing:
        sys.exit(f"{options.pdfs} lacks {len(missing)} documents of the questions, such as {missing[0]}.pdf.")
    if options.documents:
        found = [_select(library, question, names) for question in questions]
    else:
        found = [ask(library, question, ids[question.doc]) for question in questions]
    options.out.write_text("".join(json.dumps(one.prediction()) + "\n" for one in found), encoding="utf-8")
    table = _table(found, is_within_budget=not options.documents)
    print(f"{table}\n\n{circumstances()}")
    if options.save:
        flags = " --documents" * options.documents + "".join(f" --without {name}" for name in options.without)
        print(f"Saved to {save(options.save, f'benchmarks/retrieval.py{flags}', table)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--questions", type=Path, required=True, help="JSON lines")
    parser.add_argument("--pdfs", type=Path, required=True, help="folder of the documents")
    parser.add_argument("--out", type=Path, required=True, help="file for the predictions")
    parser.add_argument("--documents", action="store_true", help="rank documents, their names hidden")
    parser.add_argument("--cache", type=Path, help="folder that keeps the libraries between runs")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        choices=[feature.name for feature in fields(weights.PageFeatures)],
        help="switch a feature off; may be given several times",
    )
    parser.add_argument("--save", metavar="NAME", help="put the table on top of benchmarks/results/NAME.md")
    return parser.parse_args()


def read_questions(path: Path) -> Iterator[Question]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            row = json.loads(line)
            pages = frozenset(row.get("evidence_pages", ()))
            yield Question(str(row["id"]), row["doc"], row["question"], row.get("type", "all"), pages)


def open_library(pdfs: Path, cache: Path | None, *, is_hidden: bool) -> tuple[Library, dict[str, str]]:
    """A library of all files of a folder, and each file's name without `.pdf` by the id of its document."""
    files = sorted(pdfs.glob("*.pdf"))
    if not files:
        sys.exit(f"{pdfs} holds no .pdf file.")
    path = None
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
        key = hashlib.sha256(repr(([file.name for file in files], READER_VERSION, is_hidden)).encode()).hexdigest()
        path = cache / f"{key[:16]}.db"
    library = Library(path)
    names: dict[str, str] = {}
    for number, file in enumerate(files, 1):
        try:
            if is_hidden:
                hidden = {"title": "", "author": "", "subject": "", "keywords": ""}
                info = library.add(file.read_bytes(), name=f"doc-{number:03}", metadata=hidden)
            else:
                info = library.add(file)
        except SourceError as error:
            print(error, file=sys.stderr)
            continue
        names[info.doc_id] = file.stem
    return library, names


def ask(library: Library, question: Question, doc_id: str) -> Found:
    times = []
    for _ in range(2):
        started = time.perf_counter()
        found = library.retrieve(
            question.text,
            k=MOST_SECTIONS,
            navigator=Lexical(include=["parts"]),
            scope=Scope(documents=[doc_id]),
            budget=Budget(evidence_tokens=BUDGET),
        )
        times.append(time.perf_counter() - started)
    tokens = sum(estimate_tokens(evidence.text) for evidence in found.evidence)
    return Found(question, ranked_pages(found.evidence), tokens, *times)


def ranked_pages(found: Sequence[Evidence]) -> tuple[int, ...]:
    scores: dict[int, float] = {}
    for evidence in found:
        for page in evidence.pages or ():
            score = evidence.score * (1.0 if page == evidence.best_page else OTHER_PAGE)
            scores[page] = max(score, scores.get(page, 0.0))
    return tuple(sorted(scores, key=lambda page: -scores[page]))


def _select(library: Library, question: Question, names: Mapping[str, str]) -> Found:
    times = []
    for _ in range(2):
        started = time.perf_counter()
        chosen = library.list(query=question.text)
        times.append(time.perf_counter() - started)
    return Found(question, tuple(names[info.doc_id] for info in chosen), 0, *times)


def _table(found: Sequence[Found], *, is_within_budget: bool) -> str:
    """Hits by type of question: the share whose evidence is among the first k, and among all within the budget."""
    kinds: dict[str, list[Found]] = defaultdict(list)
    for one in found:
        kinds[one.question.kind].append(one)
    heads = [f"@{k}" for k in KS] + [f"within {BUDGET} tokens"] * is_within_budget
    lines = ["| type | questions | " + " | ".join(heads) + " |", "| --- " * (len(heads) + 2) + "|"]
    for kind, group in [*sorted(kinds.items()), ("all", list(found))]:
        ranks = [one.rank for one in group]
        shares = [sum(rank is not None and rank <= k for rank in ranks) / len(group) for k in KS]
        if is_within_budget:
            shares.append(sum(rank is not None for rank in ranks) / len(group))
        lines.append(f"| {kind} | {len(group)} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")
    first = median(one.first_seconds for one in found) * 1000
    second = median(one.seconds for one in found) * 1000
    slowest = max(one.seconds for one in found) * 1000
    lines.append(f"\nMilliseconds a question: median {first:.0f}, again {second:.0f} (slowest {slowest:.0f}).")
    if is_within_budget:
        lines.append(f"Tokens of text returned: mean {sum(one.tokens for one in found) / len(found):.0f}.")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
