"""What it costs to get from a question to the page that answers it, for a reader who always chooses best.

    uv run --group test python benchmarks/navigation.py --questions FILE --pdfs FOLDER [--cache FOLDER] [--save navigation]

`--questions` holds a JSON object a line: `id`, `doc` (the PDF's name without `.pdf`), `question`, `evidence_pages`.

An oracle stands in for the model. It knows the sections that hold the evidence, and may name only what was printed to it so far:
it picks the narrowest printed section on the way to one of them, opens it if there is more inside, else reads it. The same oracle
takes PageIndex's way over the same trees: the whole structure as JSON, then the pages of the smallest section that holds the
evidence. That way is counted in two forms: as a search prompt and an answer prompt (the structure is sent once), and as its
agent does it, a conversation in which the structure is sent again with the next call.

Counted are all prompts up to the answer, the answer's own included; `uncached` leaves out what a prompt cache serves: whatever
is, token by token, the beginning of an earlier prompt about the same document. Tokens are o200k_base where LlamaIndex's copy
of that table is installed, else our estimate.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from statistics import mean, median

from record import circumstances, save
from thumbindex import AsyncLibrary, Budget, Library, Node, Scope, Select, Tree, Walk
from thumbindex.citations import ReadDocument
from thumbindex.evidence import Retrieval
from thumbindex.models import PROMPTS, JsonSchema, Message, Reply, estimate_usage
from thumbindex.navigation import WalkLimits
from thumbindex.navigation.answer_prompt import answer_messages
from thumbindex.pages import PageRange
from thumbindex.tree.nested import to_nested
from thumbindex.tree.render import location

BAR = 0.4
"""Our prompts may have at most this share of the tokens of PageIndex's."""
ENTRY = re.compile(
    r"^\s*(?P<number>\d+)\. (?P<title>.*), (?P<place>p\. (?P<first>\d+)(?:-(?P<last>\d+))?)(?P<rest>[ |].*)?$"
)
SEARCH = (
    "You are given a question and the tree structure of a document: each node has a node id, a title and its pages. Find all nodes "
    'that are likely to contain the answer. Reply as JSON: {"thinking": "...", "node_list": ["node_id"]}.'
)
AGENT = (
    "You answer questions about a document. Call get_document_structure to see its tree, then get_page_content with the pages that "
    "you need, as few as possible, and answer from them alone."
)


@dataclass(frozen=True)
class Question:
    """One line of the questions."""

    id: str
    doc: str
    text: str
    pages: tuple[int, ...]


@dataclass
class Cost:
    """Of one question: calls, tokens of all prompts, those that no cache serves, tokens of evidence, and whether it got there."""

    turns: int = 0
    prompts: int = 0
    uncached: int = 0
    evidence: int = 0
    arrived: bool = False


@dataclass
class Cache:
    """The prompts about one document so far, as tokens: what begins like one of them costs nothing again."""

    encode: Callable[[str], Sequence[object]]
    seen: list[Sequence[object]] = field(default_factory=list)

    def charge(self, prompt: str, cost: Cost) -> None:
        """Count a prompt."""
        tokens = self.encode(prompt)
        shared = max((_shared(tokens, other) for other in self.seen), default=0)
        self.seen.append(tokens)
        cost.turns += 1
        cost.prompts += len(tokens)
        cost.uncached += len(tokens) - shared


def _shared(one: Sequence[object], other: Sequence[object]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _text(messages: Iterable[Message]) -> str:
    return "".join(f"<|{message.role}|>{message.content}" for message in messages)


class Oracle:
    """A model that knows the way, and names only numbers that were printed.

    Args:
        targets: The sections that hold the evidence, with the page of each.
    """

    name = "oracle"

    def __init__(self, tree: Tree, targets: Sequence[tuple[Node, int]], cache: Cache, cost: Cost) -> None:
        self._tree, self._cache, self._cost = tree, cache, cost
        self._left = list(targets)

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        max_tokens: int | None = None,  # noqa: ARG002  # its replies are short
    ) -> Reply:
        """The best next action, by what is printed."""
        self._cache.charge(_text(messages), self._cost)
        entries = list(_entries(messages))
        if schema is not None and schema.get("title") == "selection":
            chosen = {self._best(entries, node, page).number for node, page in self._left}
            text = json.dumps({"sections": [{"number": number, "reason": ""} for number in sorted(chosen)]})
        else:
            text = self._step(messages, entries)
        return Reply(text, estimate_usage(messages, text))

    def _step(self, messages: Sequence[Message], entries: Sequence[_Entry]) -> str:
        shown = [message.content for message in messages if message.role == "user"]
        self._left = [(node, page) for node, page in self._left if not _is_read(shown, node, page)]
        if not self._left:
            return json.dumps({"reason": "", "action": "answer", "numbers": [], "text": ""})
        best = [self._best(entries, node, page) for node, page in self._left]
        to_read = [one for one in best if not one.hides]
        action, chosen = ("read", to_read) if to_read else ("open", best[:1])
        numbers = list(dict.fromkeys(one.number for one in chosen))
        return json.dumps({"reason": "", "action": action, "numbers": numbers, "text": ""})

    def _best(self, entries: Sequence[_Entry], node: Node, page: int) -> _Entry:
        """The narrowest printed section on the way to a page: by its title, or, for stretches of several, by its pages."""
        way = [*self._tree.ancestors(node), node]
        on_way = [
            (depth, entry)
            for depth, one in enumerate(way)
            for entry in entries
            if entry.is_passages is False and entry.title == _printed(one.title) and entry.place == location(one)
        ]
        within = [entry for entry in entries if entry.is_passages and page in entry.pages]
        if within and any(entry.number > (on_way[-1][1].number if on_way else 0) for entry in within):
            return min(within, key=lambda entry: (len(entry.pages), -entry.number))
        if on_way:
            deepest = max(on_way, key=lambda one: one[0])
            return deepest[1]
        around = [entry for entry in entries if page in entry.pages]
        return min(around or entries, key=lambda entry: (len(entry.pages), entry.number))


@dataclass(frozen=True)
class _Entry:
    """A printed line with a number; `hides` where there is more inside, `is_passages` where it is a stretch of text."""

    number: int
    title: str
    place: str
    pages: PageRange
    hides: bool
    is_passages: bool


def _entries(messages: Sequence[Message]) -> Iterable[_Entry]:
    for message in messages:
        if message.role == "assistant":
            continue
        for line in message.content.splitlines():
            if match := ENTRY.match(line):
                rest = match["rest"] or ""
                first = int(match["first"])
                yield _Entry(
                    int(match["number"]),
                    match["title"],
                    match["place"],
                    PageRange(first, int(match["last"] or first)),
                    hides="(+" in rest or "sections)" in rest,
                    is_passages="passages)" in rest,
                )


def _printed(title: str) -> str:
    from thumbindex.navigation.outlines import TITLE_LENGTH
    from thumbindex.text.untrusted import one_line

    return one_line(title, TITLE_LENGTH)


def _is_read(shown: Sequence[str], node: Node, page: int) -> bool:
    """Whether text of a section on a page was shown: under a line that names document, pages and path, maybe cut short."""
    for text in shown:
        for match in re.finditer(r"^\[.*, p\. (\d+)(?:-(\d+))?\] (.*)\n<document_text>", text, re.MULTILINE):
            first = int(match[1])
            is_it = match[3].endswith("…") or match[3].endswith(_printed(node.title)[-40:])
            if is_it and first <= page <= int(match[2] or first):
                return True
    return False


def main() -> None:
    options = _options()
    encode = _encoder()
    questions = [
        _question(json.loads(line)) for line in options.questions.read_text("utf-8").splitlines() if line.strip()
    ]
    library = Library(options.cache)
    results = library.add_all(sorted(options.pdfs.glob("*.pdf")))
    ids = {result.document.name.removesuffix(".pdf"): result.document.doc_id for result in results if result.document}
    costs = asyncio.run(_measure(library, ids, questions, encode))
    table = _table(costs, len(questions), "o200k_base" if encode is not _estimated else "our estimate")
    print(f"{table}\n\n{circumstances()}")
    if options.save:
        print(f"Saved to {save(options.save, 'benchmarks/navigation.py', table)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--questions", type=Path, required=True, help="JSON lines")
    parser.add_argument("--pdfs", type=Path, required=True, help="folder of the documents")
    parser.add_argument("--cache", type=Path, help="a library's file, kept for the next run")
    parser.add_argument("--save", metavar="NAME", help="put the table on top of benchmarks/results/NAME.md")
    return parser.parse_args()


def _question(row: dict[str, object]) -> Question:
    pages = row["evidence_pages"]
    assert isinstance(pages, list)
    return Question(str(row["id"]), str(row["doc"]), str(row["question"]), tuple(pages))


def _estimated(text: str) -> Sequence[object]:
    return re.findall(r"[A-Za-z]{1,6}|\d{1,3}|[^\sA-Za-z\d]", text)


def _encoder() -> Callable[[str], Sequence[object]]:
    spec = importlib.util.find_spec("llama_index.core")
    folder = Path(spec.origin or "").parent / "_static" / "tiktoken_cache" if spec else Path()
    if not (folder / "fb374d419588a4632f3f557e76b4b70aebbca790").exists():
        return _estimated
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    import tiktoken

    encoding = tiktoken.get_encoding("o200k_base")
    return lambda text: encoding.encode(text, disallowed_special=())


async def _measure(
    library: Library,
    ids: dict[str, str],
    questions: Sequence[Question],
    encode: Callable[[str], Sequence[object]],
) -> dict[str, list[Cost]]:
    costs: dict[str, list[Cost]] = defaultdict(list)
    caches: dict[tuple[str, str], Cache] = defaultdict(lambda: Cache(encode))
    for question in questions:
        doc_id = ids[question.doc]
        tree = library.tree(doc_id)
        targets = [_target(tree, page) for page in question.pages]
        for way in ("walk", "select"):
            cost, cache = Cost(), caches[way, doc_id]
            oracle = Oracle(tree, targets, cache, cost)
            if way == "walk":
                found = await AsyncLibrary(library).retrieve(
                    question.text, navigator=Walk(oracle, limits=WalkLimits(steps=20)), scope=Scope(documents=[doc_id])
                )
            else:
                found = await AsyncLibrary(library).retrieve(
                    question.text,
                    k=8,
                    navigator=Select(oracle),
                    scope=Scope(documents=[doc_id]),
                    budget=Budget(evidence_tokens=6000),
                )
            _finish(library, question, found, targets, cache, cost)
            costs[f"thumbindex, {way}"].append(cost)
        for name, structure_again in (("PageIndex, two prompts", False), ("PageIndex, agent", True)):
            costs[name].append(_pageindex(tree, question, targets, caches[name, doc_id], structure_again))
    return costs


def _target(tree: Tree, page: int) -> tuple[Node, int]:
    """The section that has most lines of a page."""
    lines = tree.page(page).lines
    assert lines is not None
    nodes = [node for line in lines if line not in tree.headers_footers and (node := tree.deepest_at(line)) is not None]
    best = max(dict.fromkeys(node.id for node in nodes), key=[node.id for node in nodes].count)
    return tree.node(best), page


def _finish(
    library: Library,
    question: Question,
    found: Retrieval,
    targets: Sequence[tuple[Node, int]],
    cache: Cache,
    cost: Cost,
) -> None:
    """The answer's prompt, and whether the evidence is in it."""
    ids = dict.fromkeys(one.doc_id for one in found.evidence)
    sources = [
        ReadDocument(info.doc_id, info.name, library.tree(info.doc_id), (), info.language)
        for info in map(library.get, ids)
    ]
    messages = answer_messages(question.text, found.evidence, sources, PROMPTS.answer)
    cache.charge(_text(messages), cost)
    cost.evidence = sum(len(cache.encode(one.text)) for one in found.evidence)
    read = {page for one in found.evidence for page in one.pages or ()}
    cost.arrived = all(page in read for _, page in targets)


def _pageindex(
    tree: Tree, question: Question, targets: Sequence[tuple[Node, int]], cache: Cache, is_agent: bool
) -> Cost:
    cost = Cost(arrived=True)
    structure = json.dumps(to_nested(tree, text=False)["structure"], ensure_ascii=False)
    smallest = [
        min((node for node in tree.nodes if node.pages and page in node.pages), key=lambda node: len(node.pages or ()))
        for _, page in targets
    ]
    pages = sorted({page for node in smallest for page in node.pages or ()})
    text = "\n\n".join(f"[page {page}]\n{tree.page_text(page)}" for page in pages)
    asked = Message("user", f"Question: {question.text}")
    if is_agent:
        history = [Message("system", AGENT), asked]
        for call, result in (("get_document_structure()", structure), (f"get_page_content({pages})", text)):
            cache.charge(_text(history), cost)
            history += [Message("assistant", call), Message("user", result)]
        cache.charge(_text(history), cost)
    else:
        cache.charge(_text([Message("system", SEARCH), Message("user", f"{asked.content}\n\n{structure}")]), cost)
        cache.charge(_text([Message("system", PROMPTS.answer), Message("user", f"{text}\n\n{asked.content}")]), cost)
    cost.evidence = len(cache.encode(text))
    return cost


def _table(costs: dict[str, list[Cost]], questions: int, counted_by: str) -> str:
    heads = ("way", "got there", "turns", "prompt tokens", "median", "uncached", "median", "evidence tokens")
    lines = [f"{questions} questions; tokens by {counted_by}; means but where said.", "", f"| {' | '.join(heads)} |"]
    lines.append("| --- " * len(heads) + "|")
    for name, rows in costs.items():
        figures = [
            f"{mean(one.turns for one in rows):.2f}",
            *(
                f"{of(getattr(one, key) for one in rows):.0f}"
                for key in ("prompts", "uncached")
                for of in (mean, median)
            ),
            f"{mean(one.evidence for one in rows):.0f}",
        ]
        lines.append(f"| {name} | {sum(one.arrived for one in rows)} | {' | '.join(figures)} |")
    lines += ["", "Ours as a share of its tokens (sums over all questions; the bar is 40%):", ""]
    lines += ["| | against | all | uncached |", "| --- | --- | --- | --- |"]
    for ours in (name for name in costs if name.startswith("thumbindex")):
        for theirs in (name for name in costs if name.startswith("PageIndex")):
            shares = [
                sum(getattr(one, key) for one in costs[ours]) / sum(getattr(one, key) for one in costs[theirs])
                for key in ("prompts", "uncached")
            ]
            said = " | ".join(f"{share:.0%}{'' if share <= BAR else ' (over)'}" for share in shares)
            lines.append(f"| {ours} | {theirs} | {said} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
