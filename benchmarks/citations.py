"""The check of citations on answers that people wrote: right ones on their pages, and what must not pass.

    uv run python benchmarks/citations.py --questions FILE --library FILE.db

Each answer that states a figure is cited with the pages of its evidence (first line of the answer only). What should pass: that. What should
not: the same answer with other pages of its document, drawn at random, and with one digit of a checked figure changed. An alteration that
the check does not look at (a figure in a sentence that cites nothing, the name of a quarter) is left out. All pages count as read, so a
misplaced answer fails as `wrong_place` or `unsupported`; both are counted as rejected. Drawing is seeded.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from pathlib import Path

from record import save
from thumbindex import Citation, Library
from thumbindex.citations import ReadDocument, check_answer
from thumbindex.citations.figures import figures
from thumbindex.pages import LineRange

ACCEPTED = ("verified", "derived")


def main() -> None:
    options = _options()
    chance = random.Random(options.seed)
    right: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    with Library(options.library) as library:
        ids = {info.name.rpartition(".")[0]: info.doc_id for info in library.list()}
        sources: dict[str, ReadDocument] = {}
        for line in options.questions.read_text(encoding="utf-8").splitlines():
            question = json.loads(line)
            answer = question["answer"].splitlines()[0].strip().rstrip(".") if question["answer"].strip() else ""
            pages = question["evidence_pages"]
            if question["doc"] not in ids or not pages or all(figure.is_year for figure in figures(answer)):
                continue
            if question["doc"] not in sources:
                info = library.get(ids[question["doc"]])
                tree = library.tree(info.doc_id)
                every = (LineRange(1, len(tree.lines)),)
                sources[question["doc"]] = ReadDocument("d", info.name, tree, every, info.language)
            source = sources[question["doc"]]
            if any(page > source.tree.page_count or source.tree.page(page).lines is None for page in pages):
                continue
            found = _check(answer, pages, source, question["question"])
            if found is None:
                continue
            right[found.status] += 1
            if options.show:
                print(found.status, "|", answer[:100], "|", found.note)
            for _ in range(options.draws):
                others = [chance.randint(1, source.tree.page_count) for _ in pages]
                if set(others) & set(pages) or any(source.tree.page(page).lines is None for page in others):
                    continue
                _count(counts, "other pages", _check(answer, others, source, question["question"]), options.show)
            for _ in range(options.draws):
                altered = _altered(answer, chance)
                changed = _check(altered, pages, source, question["question"])
                if changed is not None and changed.checked != found.checked:
                    _count(counts, "digit changed", changed, options.show)
    table = "\n".join(
        [
            "| answers | accepted | of them derived | of |",
            "| --- | --- | --- | --- |",
            f"| right, on their pages | {sum(right[one] for one in ACCEPTED)} | {right['derived']} | {sum(right.values())} |",
            *(
                f"| {kind} | {counts[kind, 'verified'] + counts[kind, 'derived']} | {counts[kind, 'derived']} | {counts[kind, 'all']} |"
                for kind in ("other pages", "digit changed")
            ),
        ]
    )
    print(table)
    if options.save:
        save(options.save, f"benchmarks/citations.py --draws {options.draws}", table)


def _check(answer: str, pages: list[int], source: ReadDocument, question: str) -> Citation | None:
    cited = ", ".join(map(str, pages))
    citations, _ = check_answer(f"{answer} [d, p. {cited}].", [source], question=question)
    return citations[0] if citations else None


def _count(counts: Counter[tuple[str, str]], kind: str, found: Citation | None, show: bool) -> None:
    counts[kind, "all"] += 1
    if found is not None and found.status in ACCEPTED:
        counts[kind, found.status] += 1
        if show:
            print("  WRONG", kind, found.status, "|", found.sentence[:100], "|", found.note)


def _altered(answer: str, chance: random.Random) -> str:
    """The answer with one digit of one figure changed."""
    figure = chance.choice([one for one in figures(answer) if not one.is_year])
    digits = [match.start() for match in re.finditer(r"\d", answer[figure.start : figure.end])]
    if not digits:
        return answer
    at = figure.start + chance.choice(digits)
    return answer[:at] + str((int(answer[at]) + chance.randint(1, 9)) % 10) + answer[at + 1 :]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--questions", type=Path, required=True, help="JSON lines: doc, question, answer, evidence_pages"
    )
    parser.add_argument("--library", type=Path, required=True, help="a library that holds the documents")
    parser.add_argument("--draws", type=int, default=10, help="other pages, and changed digits, for each answer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print each answer, and what passes and must not")
    parser.add_argument("--save", metavar="NAME", help="put the table on top of benchmarks/results/NAME.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
