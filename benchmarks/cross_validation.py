"""Retrieval without a model, with weights that no question about the same document has chosen.

    uv run python benchmarks/cross_validation.py --set NAME=FOLDER ... [--cache FOLDER] [--weights]

Each `FOLDER` holds `questions.jsonl` and `pdfs/`, as `benchmarks/retrieval.py` reads them. Three rankings are compared, in one
table per set and one by type of question:

- `as it is`: with the weights in `thumbindex.search.weights`;
- `fitted`: with weights fitted to all questions, which have seen the answers;
- `left out`: for each document with weights fitted to the questions about all other documents. A document that is in several
  sets is left out of all of them.

Fitting maximises the likelihood of the evidence pages in a conditional logit over the pages of a document, where each set
weighs the same and each document within it weighs the square root of its number of questions. A ridge pulls each weight towards
its value in `PRIOR`, so that a feature which helps only a few questions stays near it.

`--weights` prints the fitted weights beside the prior and the gain of each feature for each set: the log-likelihood that its
set loses, per question, without the feature and with the others fitted anew. A feature belongs into the ranking only where it
helps every set. Needs numpy.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from record import circumstances, save
from retrieval import Found, Question, ask, open_library, read_questions
from thumbindex import Library
from thumbindex.search import weights
from thumbindex.search.ranking import page_features
from thumbindex.search.sections import find_matches

NAMES = tuple(feature.name for feature in fields(weights.PageFeatures))
PRIOR = weights.PageFeatures(
    words=3.0,
    pairs=3.0,
    covered=3.0,
    head=2.0,
    title=2.0,
    title_only=2.0,
    path=1.0,
    table=1.0,
    figures=2.0,
    listing=-2.0,
    position=0.0,
    begins=0.5,
    full=0.0,
)
"""What is expected of each weight before any question: the ridge of the fit pulls towards it."""
KS = (1, 5, 10)
RIDGE_DEVIATION = 1.5
"""Standard deviation of a weight around its prior: two to three of the features together decide between pages."""
STEPS = 30
"""Newton steps of a fit, which converges in about ten."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A question with the features of the pages of its document."""

    set: str
    library: Library
    doc_id: str
    question: Question
    features: Floats
    is_evidence: NDArray[np.bool_]


def main() -> None:
    options = _options()
    cases: list[Case] = []
    for name, folder in (given.split("=", 1) for given in options.set):
        cases += _cases(name, Path(folder), options.cache)
    fitted = fit(cases)
    now = np.array(astuple(weights.PAGE_WEIGHTS))
    documents = {case.question.doc for case in cases}
    left_out = {doc: fit([case for case in cases if case.question.doc != doc]) for doc in documents}
    rankings: dict[str, Mapping[str, Floats]] = {
        "as it is": dict.fromkeys(documents, now),
        "fitted": dict.fromkeys(documents, fitted),
        "left out": left_out,
    }
    found = {name: [_ask(case, of[case.question.doc]) for case in cases] for name, of in rankings.items()}
    table = _table(cases, found)
    print(f"{table}\n\n{circumstances()}")
    if options.weights:
        print(_weights_table(cases, fitted))
    if options.save:
        print(f"Saved to {save(options.save, 'benchmarks/cross_validation.py', table)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--set", action="append", required=True, metavar="NAME=FOLDER", help="questions and documents")
    parser.add_argument("--cache", type=Path, help="folder that keeps the libraries between runs")
    parser.add_argument("--weights", action="store_true", help="print the fitted weights and what each feature gains")
    parser.add_argument("--save", metavar="NAME", help="put the table on top of benchmarks/results/NAME.md")
    return parser.parse_args()


def _cases(name: str, folder: Path, cache: Path | None) -> list[Case]:
    library, names = open_library(folder / "pdfs", cache, is_hidden=False)
    infos = {names[info.doc_id]: info for info in library.list()}
    cases = []
    for question in read_questions(folder / "questions.jsonl"):
        info = infos[question.doc]
        query, candidates = find_matches(
            library._core.store, question.text, info.language, [info.doc_id], name=info.name
        )
        pages = page_features(query, candidates)
        features = np.array([astuple(page) for page in pages.values()], dtype=float).reshape(-1, len(NAMES))
        is_evidence = np.array([page in question.pages for _, page in pages], dtype=bool)
        cases.append(Case(name, library, info.doc_id, question, features, is_evidence))
    return cases


def fit(cases: Sequence[Case], without: int | None = None) -> Floats:
    """Returns the weights of highest posterior likelihood.

    Args:
        without: Number of a feature whose weight is 0.
    """
    prior = np.array(astuple(PRIOR), dtype=float)
    used = np.array([number != without for number in range(len(NAMES))])
    usable = [case for case in cases if case.is_evidence.any()]
    worth = _worth(usable)
    current = np.where(used, prior, 0.0)
    for _ in range(STEPS):
        gradient = (prior - current) / RIDGE_DEVIATION**2
        hessian = np.eye(len(NAMES)) / RIDGE_DEVIATION**2
        for case, share in zip(usable, worth, strict=True):
            every, evidence = _chances(case, current)
            gradient += share * (evidence - every) @ case.features
            mean = every @ case.features
            hessian += share * ((case.features * every[:, None]).T @ case.features - np.outer(mean, mean))
        step = np.zeros(len(NAMES))
        step[used] = np.linalg.solve(hessian[np.ix_(used, used)], gradient[used])
        current = current + step
        if np.abs(step).max() < 1e-6:
            break
    return current


def _worth(cases: Sequence[Case]) -> list[float]:
    """Weight of each case; together as much as there are cases."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for case in cases:
        counts[case.set, case.question.doc] += 1
    shares = [1 / counts[case.set, case.question.doc] ** 0.5 for case in cases]
    totals: dict[str, float] = defaultdict(float)
    for case, share in zip(cases, shares, strict=True):
        totals[case.set] += share
    return [share / totals[case.set] * len(cases) / len(totals) for case, share in zip(cases, shares, strict=True)]


def _chances(case: Case, current: Floats) -> tuple[Floats, Floats]:
    """The chance of each page to be evidence, and the same given that it is among the evidence pages."""
    sums = case.features @ current
    every = np.exp(sums - sums.max())
    evidence = every * case.is_evidence
    return every / every.sum(), evidence / evidence.sum()


def _likelihood(case: Case, current: Floats) -> float:
    every, _ = _chances(case, current)
    return float(np.log(every[case.is_evidence].sum()))


def _ask(case: Case, current: Floats) -> Found:
    kept = weights.PAGE_WEIGHTS
    weights.PAGE_WEIGHTS = weights.PageFeatures(*map(float, current))
    try:
        return ask(case.library, case.question, case.doc_id)
    finally:
        weights.PAGE_WEIGHTS = kept


def _table(cases: Sequence[Case], found: Mapping[str, Sequence[Found]]) -> str:
    groups: dict[str, list[int]] = {}
    for number, case in enumerate(cases):
        for group in (f"{case.set}: {case.question.kind}", f"{case.set}: all", "pooled"):
            groups.setdefault(group, []).append(number)
    order = sorted(groups, key=lambda group: (group == "pooled", group.split(":")[0], group.endswith(": all"), group))
    lines = [
        "| questions | number | " + " | ".join(f"{name} {'/'.join(f'@{k}' for k in KS)}" for name in found) + " |",
        "| --- " * (len(found) + 2) + "|",
    ]
    for group in order:
        numbers = groups[group]
        columns = []
        for results in found.values():
            ranks = [results[number].rank for number in numbers]
            shares = [sum(rank is not None and rank <= k for rank in ranks) / len(ranks) for k in KS]
            columns.append(" / ".join(f"{share:.3f}" for share in shares))
        lines.append(f"| {group} | {len(numbers)} | " + " | ".join(columns) + " |")
    return "\n".join(lines)


def _weights_table(cases: Sequence[Case], fitted: Floats) -> str:
    usable = [case for case in cases if case.is_evidence.any()]
    sets = sorted({case.set for case in usable})
    lines = ["", "| feature | prior | now | fitted | " + " | ".join(f"gain, {name}" for name in sets) + " |"]
    lines.append("| --- " * (len(sets) + 4) + "|")
    now = astuple(weights.PAGE_WEIGHTS)
    for number, name in enumerate(NAMES):
        other = fit(cases, without=number)
        gains = [
            np.mean([_likelihood(case, fitted) - _likelihood(case, other) for case in usable if case.set == name])
            for name in sets
        ]
        figures = " | ".join(f"{gain:+.3f}" for gain in gains)
        prior = astuple(PRIOR)[number]
        lines.append(f"| {name} | {prior:.1f} | {now[number]:.1f} | {fitted[number]:.2f} | {figures} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
