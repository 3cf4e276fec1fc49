"""Ask one library from many threads and tasks while another process adds to it: `python ask_while_adding.py --seconds 600`.

Sixteen threads and two hundred asyncio tasks ask questions whose right answers were taken in a quiet run before; another process runs
`thumbindex add` on folder after folder. Wrong are: an error, evidence that differs from the quiet run for a question within fixed
documents, or another best section for a question to the whole library. With `--through`, an adapter asks the questions. Resident memory
is read after a fifth of the time and at the end.

Asking again at once keeps the library busy without end, so that each asker waits for all others: with as many askers as there are, and
as many answers per second as there were, the mean wait cannot be less than one divided by the other, which is printed too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from thumbindex import AsyncLibrary, Library, Scope

ROOT = Path(__file__).parents[2]
TOPICS = [
    "anchor",
    "beacon",
    "compass",
    "davit",
    "ensign",
    "fender",
    "gangway",
    "halyard",
    "jetty",
    "keel",
    "lantern",
    "mast",
]
DETAILS = [
    "crack",
    "paint",
    "inspect",
    "replace",
    "stow",
    "grease",
    "measure",
    "license",
    "insure",
    "tow",
    "weigh",
    "sell",
]
FILLER = [
    "harbour",
    "quay",
    "tide",
    "crew",
    "log",
    "watch",
    "cargo",
    "berth",
    "pilot",
    "storm",
    "rope",
    "signal",
    "duty",
]
GROWTH_SETTLED = 120.0
"""Seconds before which caches are still filling, so that growth of memory says nothing."""
GROWTH = 1.1

Ask = Callable[[str, Sequence[str] | None], Sequence[str]]
"""From a question, and the documents to search, to the ids of the sections found."""
AskSoon = Callable[[str, Sequence[str] | None], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Case:
    """A question, the documents to ask, and the answer of a quiet library."""

    question: str
    documents: tuple[str, ...] | None
    expected: tuple[str, ...]

    def check(self, found: Sequence[str]) -> str:
        """Returns the difference of an answer from the expected one; empty if there is none."""
        # What others add changes how rare a word is, and with it the order of whatever is not the best section.
        got, wanted = (tuple(found), self.expected) if self.documents else (tuple(found[:1]), self.expected[:1])
        return "" if got == wanted else f"{self.question!r} in {self.documents or 'all'}: {got} instead of {wanted}"


@dataclass(slots=True)
class Tally:
    """The results of all askers."""

    threads: list[float] = field(default_factory=list)
    tasks: list[float] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, seen: list[float], seconds: float, problem: str) -> None:
        with self.lock:
            seen.append(seconds)
            if problem:
                self.wrong[problem] += 1


def fixed_document(number: int) -> str:
    """Returns a document whose sections differ by their question."""
    chance = random.Random(number)
    sections = []
    for topic in TOPICS:
        for detail in DETAILS[number % 3 :: 3]:
            words = " ".join(chance.choices(FILLER, k=60))
            sections.append(f"## {topic.title()} {detail}\n\nTo {detail} the {topic} of vessel v{number}: {words}.\n")
    return f"# Vessel v{number}\n\n" + "\n".join(sections)


def added_document(chance: random.Random, serial: int) -> str:
    """Returns a document that does not answer the questions."""
    sections = (f"## Day {day}\n\n{' '.join(chance.choices(FILLER, k=80))}.\n" for day in range(20))
    return f"# Logbook {serial}\n\n" + "\n".join(sections)


def questions(names: Sequence[str], chance: random.Random) -> list[tuple[str, tuple[str, ...] | None]]:
    """Returns questions, each to fixed documents or to all."""
    asked: list[tuple[str, tuple[str, ...] | None]] = []
    for number, name in enumerate(names):
        topic, detail = chance.choice(TOPICS), chance.choice(DETAILS[number % 3 :: 3])
        question = f"How do you {detail} the {topic} of vessel v{number}?"
        asked += [(question, (name,)), (question, None)]
    return asked


def asker(library: Library, through: str) -> tuple[Ask, AskSoon]:
    """Returns the two ways to ask: from a thread, and from a loop."""
    if through == "langchain":
        from langchain_thumbindex import ThumbIndexRetriever

        chain = ThumbIndexRetriever(library=library, k=3)
        return (
            lambda question, documents: [str(document.id) for document in chain.invoke(question, documents=documents)],
            lambda question, documents: _langchain(chain, question, documents),
        )
    if through == "llamaindex":
        from llama_index.retrievers.thumbindex import ThumbIndexRetriever as Nodes

        def engine(documents: Sequence[str] | None) -> Nodes:
            return Nodes(library, 3, documents=documents)

        return (
            lambda question, documents: [node.node_id for node in engine(documents).retrieve(question)],
            lambda question, documents: _llamaindex(engine(documents), question),
        )
    if through == "agents":
        from agents import FunctionTool
        from agents.tool_context import ToolContext
        from agents.usage import Usage

        from thumbindex_agents import thumbindex_tools

        async def call(question: str, documents: Sequence[str] | None) -> Sequence[str]:
            tools = thumbindex_tools(library, Scope(documents))
            (search,) = (tool for tool in tools if isinstance(tool, FunctionTool) and tool.name == "search_text")
            arguments = json.dumps({"query": question, "document": None, "mode": "best", "cursor": None})
            context: ToolContext[None] = ToolContext(
                context=None, usage=Usage(), tool_name=search.name, tool_call_id="1", tool_arguments=arguments
            )
            text = str(await search.on_invoke_tool(context, arguments))
            return [line for line in text.splitlines() if line.startswith("[")]

        return (lambda question, documents: asyncio.run(call(question, documents))), call
    return (
        lambda question, documents: [
            evidence.id for evidence in library.retrieve(question, k=3, scope=Scope(documents=documents)).evidence
        ],
        lambda question, documents: _core(library, question, documents),
    )


async def _core(library: Library, question: str, documents: Sequence[str] | None) -> Sequence[str]:
    return [
        evidence.id
        for evidence in (await AsyncLibrary(library).retrieve(question, k=3, scope=Scope(documents=documents))).evidence
    ]


async def _langchain(chain: object, question: str, documents: Sequence[str] | None) -> Sequence[str]:
    found = await chain.ainvoke(question, documents=documents)  # type: ignore[attr-defined]
    return [str(document.id) for document in found]


async def _llamaindex(engine: object, question: str) -> Sequence[str]:
    return [node.node_id for node in await engine.aretrieve(question)]  # type: ignore[attr-defined]


def ask_in_thread(ask: Ask, cases: Sequence[Case], tally: Tally, until: float, seed: int) -> None:
    """Asks question after question in one thread until the time is over."""
    chance = random.Random(seed)
    while time.monotonic() < until:
        case = chance.choice(cases)
        start = time.perf_counter()
        try:
            problem = case.check(ask(case.question, case.documents))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        tally.note(tally.threads, time.perf_counter() - start, problem)


async def ask_in_tasks(ask: AskSoon, cases: Sequence[Case], tally: Tally, until: float, tasks: int) -> None:
    """Asks in many tasks on one loop."""

    async def ask_on(seed: int) -> None:
        chance = random.Random(seed)
        while time.monotonic() < until:
            case = chance.choice(cases)
            start = time.perf_counter()
            try:
                problem = case.check(await ask(case.question, case.documents))
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
            tally.note(tally.tasks, time.perf_counter() - start, problem)

    await asyncio.gather(*(ask_on(seed) for seed in range(1000, 1000 + tasks)))


def add_folders(path: Path, folder: Path, until: float, added: list[int]) -> None:
    """Writes folder after folder and adds each on the command line."""
    chance = random.Random(7)
    serial = 0
    while time.monotonic() < until:
        place = folder / f"batch-{serial:05}"
        place.mkdir()
        for number in range(10):
            (place / f"log-{serial:05}-{number}.md").write_text(added_document(chance, serial * 10 + number))
        command = [sys.executable, "-m", "thumbindex", "add", str(place), "--library", str(path), "--workers", "1"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"adding failed: {done.stderr}")
        serial += 1
        added.append(10)


def resident_memory() -> int:
    """Returns the resident memory of this process in bytes; Linux."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def percentile(seconds: Sequence[float], share: int) -> float:
    """Returns a percentile in milliseconds."""
    return 1000 * statistics.quantiles(seconds, n=100)[share - 1] if len(seconds) > 1 else 0.0


def main() -> None:
    """Runs, prints, and fails where something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--through", choices=["core", "langchain", "llamaindex", "agents"], default="core")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        path, folder = Path(place, "library.db"), Path(place)
        library = Library(path)
        names = [f"vessel-{number}.md" for number in range(12)]
        for number, name in enumerate(names):
            library.add(fixed_document(number).encode(), name=name)
        library.add(ROOT / "examples/annual-report.pdf")
        ask, ask_soon = asker(library, options.through)
        quiet: list[float] = []
        cases = []
        for question, documents in questions(names, random.Random(1)):
            start = time.perf_counter()
            found = tuple(ask(question, documents))
            quiet.append(time.perf_counter() - start)
            assert found, f"no answer to {question!r} in a quiet library"
            cases.append(Case(question, documents, found))
        for _ in range(10):
            for case in cases:
                start = time.perf_counter()
                assert not case.check(ask(case.question, case.documents))
                quiet.append(time.perf_counter() - start)

        start_time, used = time.monotonic(), time.process_time()
        until = start_time + options.seconds
        tally = Tally()
        added: list[int] = []
        failed: list[str] = []
        memory: list[int] = []

        def guarded() -> None:
            try:
                add_folders(path, folder, until, added)
            except Exception as error:
                failed.append(str(error))

        def early() -> None:
            time.sleep(options.seconds / 5)
            memory.append(resident_memory())

        threads = [
            threading.Thread(target=ask_in_thread, args=(ask, cases, tally, until, seed))
            for seed in range(options.threads)
        ]
        threads.append(threading.Thread(target=guarded))
        threads.append(threading.Thread(target=early))
        for thread in threads:
            thread.start()
        asyncio.run(ask_in_tasks(ask_soon, cases, tally, until, options.tasks))
        for thread in threads:
            thread.join()
        took, used = time.monotonic() - start_time, time.process_time() - used
        memory.append(resident_memory())
        held = len(library.list())
        library.close()

    growth = memory[1] / memory[0]
    seconds = tally.threads + tally.tasks
    askers = options.threads + options.tasks
    print(
        f"through {options.through}: {len(seconds):,} questions in {took:.0f} s by {options.threads} threads and "
        f"{options.tasks} tasks, {sum(added)} documents added meanwhile ({held} held)\n"
        f"{len(seconds) / took:.1f} a second, {1000 * used / len(seconds):.1f} ms of processor time each: in the order of "
        f"arrival each takes {1000 * askers * took / len(seconds):.0f} ms\n"
        f"p50 {percentile(seconds, 50):.0f} ms, p95 {percentile(seconds, 95):.0f} ms (threads "
        f"{percentile(tally.threads, 95):.0f} ms, tasks {percentile(tally.tasks, 95):.0f} ms); "
        f"quiet p50 {percentile(quiet, 50):.1f} ms, p95 {percentile(quiet, 95):.1f} ms\n"
        f"resident {memory[0] >> 20} MiB at a fifth of the time, {memory[1] >> 20} MiB at the end: {growth:.2f} times; "
        f"load {os.getloadavg()[0]:.1f}"
    )
    for problem, count in tally.wrong.most_common(10):
        print(f"WRONG {count} times: {problem}")
    problems = bool(tally.wrong or failed)
    for problem in failed:
        print(f"WRONG {problem}")
    if not added:
        problems = True
        print("WRONG nothing was added meanwhile")
    if options.seconds / 5 >= GROWTH_SETTLED and growth > GROWTH:
        problems = True
        print(f"WRONG memory grew {growth:.2f} times, more than {GROWTH}")
    sys.exit(problems)


if __name__ == "__main__":
    main()
