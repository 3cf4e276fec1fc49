"""Summaries without a model, in the place of the sections they stand for: do they lead to the evidence?

    uv run python benchmarks/summaries.py --questions FILE --library FILE.db

For each question the sections of its document are ranked by BM25 over their summaries alone, of at most 40 tokens, titles hidden. Counted
is how often one of the first five lies on a page of the evidence: for our phrases, and for the first sentence of each section cut to as many
tokens. Documents with fewer than twelve sections are left out: there most rankings hit.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from record import save
from thumbindex import Library, Tree
from thumbindex.pages import LineRange
from thumbindex.summarize import extractive
from thumbindex.text.languages import STOP_WORDS
from thumbindex.text.terms import content_terms, tokenize
from thumbindex.text.tokens import estimate_tokens
from thumbindex.tree import Node

FEWEST_SECTIONS = 12
FIRST = 5


def main() -> None:
    options = _options()
    by_document: dict[str, list[dict[str, object]]] = defaultdict(list)
    for line in options.questions.read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        if question["evidence_pages"]:
            by_document[question["doc"]].append(question)
    hits: Counter[str] = Counter()
    asked = 0
    with Library(options.library) as library:
        ids = {info.name.rpartition(".")[0]: info for info in library.list()}
        for document, questions in by_document.items():
            info = ids.get(document)
            if info is None or len((tree := library.tree(info.doc_id)).nodes) < FEWEST_SECTIONS:
                continue
            phrases = extractive.summarize(tree, function_words=STOP_WORDS.get(info.language, frozenset()))
            nodes = [node for node in tree.nodes if tree.own_span(node).last >= node.body]
            kinds = {
                "phrases": [phrases.get(node.id, "") for node in nodes],
                "first sentence": [_first_sentence(tree, node) for node in nodes],
            }
            if options.show:
                for node in nodes[:: max(1, len(nodes) // 5)]:
                    print(f"{node.title[:60]} | {phrases.get(node.id, '')}")
            pages = [set(tree.pages_of(tree.own_span(node)) or ()) for node in nodes]
            for question in questions:
                asked += 1
                wanted = content_terms(str(question["question"]), info.language)
                evidence = question["evidence_pages"]
                assert isinstance(evidence, list)
                for kind, texts in kinds.items():
                    best = _ranked(wanted, [tokenize(text, info.language) for text in texts])
                    hits[kind] += any(pages[at] & set(evidence) for at in best[:FIRST])
    table = f"| summaries | evidence in the first {FIRST} | of |\n| --- | --- | --- |\n" + "\n".join(
        f"| {kind} | {hits[kind]} | {asked} |" for kind in ("phrases", "first sentence")
    )
    print(table)
    if options.save:
        save(options.save, f"benchmarks/summaries.py on {options.questions.parent.name}", table)


def _ranked(wanted: Iterable[str], texts: Sequence[Sequence[str]]) -> list[int]:
    """Places of the texts that share words with what is wanted, by BM25 (k1 1.2, b 0.75)."""
    spread = Counter(term for text in texts for term in set(text))
    usual = sum(map(len, texts)) / max(1, len(texts))
    scores: dict[int, float] = {}
    for at, text in enumerate(texts):
        counts = Counter(text)
        scores[at] = sum(
            math.log(1 + (len(texts) - spread[term] + 0.5) / (spread[term] + 0.5))
            * counts[term] * 2.2 / (counts[term] + 1.2 * (0.25 + 0.75 * len(text) / usual))
            for term in set(wanted) if counts[term]
        )  # fmt: skip
    return sorted((at for at, score in scores.items() if score > 0), key=lambda at: -scores[at])


def _first_sentence(tree: Tree, node: Node) -> str:
    own = tree.own_span(node)
    body = LineRange(node.body, own.last) if own.first < node.body <= own.last else own
    text = " ".join(tree.text(body).split())
    sentence = re.search(r"^.{20,}?[.!?](?=\s|$)", text)
    words: list[str] = []
    for word in (sentence.group() if sentence else text).split():
        if estimate_tokens(" ".join([*words, word])) > extractive.MAX_TOKENS:
            break
        words.append(word)
    return " ".join(words)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=Path, required=True, help="JSON lines: doc, question, evidence_pages")
    parser.add_argument("--library", type=Path, required=True, help="a library that holds the documents")
    parser.add_argument("--show", action="store_true", help="print some summaries of each document")
    parser.add_argument("--save", metavar="NAME", help="put the table on top of benchmarks/results/NAME.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
