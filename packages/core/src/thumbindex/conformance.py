"""The contract of a retriever, which the tests of every adapter run; needs no framework and no pytest.

Subclass `RetrieverContract` in a test module, say how your framework's retriever is made and called, and pytest runs
each promise below against a small library of one document with pages and one without:

    class TestThumbIndexRetriever(RetrieverContract):
        def retriever(self, library, k):
            return ThumbIndexRetriever(library=library, k=k)

        def retrieve(self, retriever, question):
            return [Result(d.id, d.page_content, d.metadata, None, d) for d in retriever.invoke(question)]

        async def aretrieve(self, retriever, question):
            return [Result(d.id, d.page_content, d.metadata, None, d) for d in await retriever.ainvoke(question)]
"""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

from .ingest.reading import build_tree
from .library import Library
from .testing import GatedStore

QUESTION = "Which interest rate applies to the term loan?"
OTHER_QUESTION = "term loan covenant and interest"
WHITESPACE = " \n\t "

_PAGES = (
    "# Borrowings\n\nThe group borrows in three ways. All loans are senior and unsecured.",
    "## Term loan\n\nThe term loan bears interest at 4.25 percent. The interest rate is fixed until 2031.",
    "## Revolving facility\n\nThe facility is undrawn; interest would follow the reference rate plus one percent.",
    "## Covenants\n\nThe term loan has one covenant: interest must be covered three times.\n\n"
    "# Leases\n\nLease payments include interest at the rate implicit in the lease.",
)
_GUIDE = """---
title: Treasury guide
tags: [loans, policy]
---
# Treasury guide

## Paying interest

Interest on the term loan is paid twice a year at the rate in the loan agreement.

## Drawing a loan

Ask the treasurer before drawing on any loan.
"""


@dataclass(frozen=True, slots=True)
class Result:
    """One section as a framework returns it; `original` is the framework's own object, `score` None if it has none."""

    id: str
    text: str
    metadata: Mapping[str, object]
    score: float | None
    original: object


T = TypeVar("T")

_PATIENCE = 10.0
"""Seconds after which a search counts as stuck: enough for the slowest machine; only a blocked loop waits that long."""


class RetrieverContract(ABC):
    """The contract of a retriever in any framework; each `test_` method is one clause."""

    @abstractmethod
    def retriever(self, library: Library, k: int) -> Any:
        """The framework's retriever over `library`, returning `k` sections."""

    @abstractmethod
    def retrieve(self, retriever: Any, question: str) -> Sequence[Result]:
        """Call it as sync code does."""

    @abstractmethod
    async def aretrieve(self, retriever: Any, question: str) -> Sequence[Result]:
        """Call it as async code does."""

    @cached_property
    def _sections(self) -> Any:
        return self.retriever(sample_library(), 5)

    def test_ids_are_stable_and_equal_to_the_section_id(self) -> None:
        """Two libraries made from the same files give the same ids, which are also in the metadata."""
        first = self.retrieve(self._sections, QUESTION)
        second = self.retrieve(self.retriever(sample_library(), 5), QUESTION)
        assert [result.id for result in first] == [result.id for result in second]
        assert [result.metadata["section_id"] for result in first] == [result.id for result in first]

    def test_no_section_comes_twice(self) -> None:
        """Ids are unique within a result."""
        ids = [result.id for result in self.retrieve(self._sections, QUESTION)]
        assert len(ids) == len(set(ids))

    def test_exactly_k_sections_come_if_there_are_that_many(self) -> None:
        """`k` is a number of sections, not an upper bound for luck."""
        library = sample_library()
        counts = {k: len(self.retrieve(self.retriever(library, k), QUESTION)) for k in (1, 2, 3, 4)}
        assert counts == {1: 1, 2: 2, 3: 3, 4: 4}

    def test_a_question_of_whitespace_finds_nothing(self) -> None:
        """Nothing asked, nothing found: an empty list and no error, sync and async."""
        assert list(self.retrieve(self._sections, WHITESPACE)) == []
        assert list(self.retrieve(self._sections, "")) == []
        assert list(_run(self.aretrieve(self._sections, WHITESPACE))) == []

    def test_metadata_is_flat_and_plain_json(self) -> None:
        """Vector stores, caches and traces take it as it is."""
        for result in self.retrieve(self._sections, QUESTION):
            for key, value in result.metadata.items():
                assert isinstance(key, str), f"metadata key {key!r} is no text"
                assert value is None or isinstance(value, str | int | float), f"metadata {key} is {value!r}"
            assert json.loads(json.dumps(dict(result.metadata))) == dict(result.metadata)

    def test_metadata_says_where_the_section_stands(self) -> None:
        """Pages for a document with pages, lines for one without, and the section path for both."""
        results = self.retrieve(self.retriever(sample_library(), 20), QUESTION)
        paged = [result for result in results if "page_start" in result.metadata]
        unpaged = [result for result in results if "page_start" not in result.metadata]
        assert paged, "the sample question finds sections with pages"
        assert unpaged, "the sample question finds sections without pages"
        for result in paged:
            assert {"section_path", "doc_id", "page_start", "page_end", "page_label"} <= result.metadata.keys()
        for result in unpaged:
            assert {"section_path", "doc_id", "line_start", "line_end"} <= result.metadata.keys()
            assert not {"page", "page_end", "page_label"} & result.metadata.keys()

    def test_a_section_is_the_same_for_two_questions(self) -> None:
        """Frameworks drop duplicates by text and metadata: neither may depend on the question."""
        first = {result.id: result for result in self.retrieve(self._sections, QUESTION)}
        second = {result.id: result for result in self.retrieve(self._sections, OTHER_QUESTION)}
        shared = first.keys() & second.keys()
        assert shared, "the two sample questions have a section in common"
        for section in shared:
            assert (first[section].text, first[section].metadata) == (second[section].text, second[section].metadata)

    def test_the_same_question_gives_the_same_answer(self) -> None:
        """Sync or async, now or later: equal ids, texts, metadata and scores."""
        asked = _comparable(self.retrieve(self._sections, QUESTION))
        assert asked == _comparable(self.retrieve(self._sections, QUESTION))
        assert asked == _comparable(_run(self.aretrieve(self._sections, QUESTION)))

    def test_scores_fall_strictly(self) -> None:
        """Rank fusion sorts by score before it looks at ranks: no ties, and never None for some."""
        scores = [result.score for result in self.retrieve(self._sections, QUESTION)]
        numbers = [score for score in scores if score is not None]
        assert len(numbers) in (0, len(scores))
        assert all(earlier > later for earlier, later in pairwise(numbers))

    def test_each_call_returns_new_objects(self) -> None:
        """Rerankers write into what they get; that must not show in the next call."""
        first, second = self.retrieve(self._sections, QUESTION), self.retrieve(self._sections, QUESTION)
        assert not {id(result.original) for result in first} & {id(result.original) for result in second}
        assert not {id(result.metadata) for result in first} & {id(result.metadata) for result in second}

    def test_many_threads_may_ask_at_once(self) -> None:
        """Batches and tools call one retriever from several threads."""
        expected = {
            question: _comparable(self.retrieve(self._sections, question)) for question in (QUESTION, OTHER_QUESTION)
        }
        with ThreadPoolExecutor(8) as pool:
            asked = list(expected) * 16
            answers = list(pool.map(lambda question: _comparable(self.retrieve(self._sections, question)), asked))
        assert answers == [expected[question] for question in asked]

    def test_sync_code_works_inside_a_running_loop(self) -> None:
        """Notebooks and async applications call sync code while their loop runs."""

        async def cell() -> Sequence[Result]:
            return self.retrieve(self._sections, QUESTION)

        assert _comparable(_run(cell())) == _comparable(self.retrieve(self._sections, QUESTION))

    def test_several_loops_may_ask_one_after_the_other(self) -> None:
        """Nothing in a retriever is bound to the loop that used it first."""
        assert _comparable(_run(self.aretrieve(self._sections, QUESTION))) == _comparable(
            _run(self.aretrieve(self._sections, QUESTION))
        )

    def test_the_loop_is_free_while_a_search_runs(self) -> None:
        """The search waits for a task of the same loop: it can only end if that task gets its turn."""
        store = GatedStore(_PATIENCE)
        library = Library(store=store)
        _fill(library)
        retriever = self.retriever(library, 2)

        async def heartbeat() -> None:
            await asyncio.to_thread(store.entered.wait, _PATIENCE)
            store.gate.set()

        async def main() -> Sequence[Result]:
            results, _ = await asyncio.gather(self.aretrieve(retriever, QUESTION), heartbeat())
            return results

        assert len(_run(main())) == 2
        assert store.entered.is_set(), "the library was not asked"
        assert not store.blocked, "the search ran on the event loop: nothing else could run meanwhile"

    def test_searches_run_side_by_side(self) -> None:
        """Two async searches at once both get through, and agree with the sync answer."""

        async def both() -> list[Sequence[Result]]:
            return list(
                await asyncio.gather(
                    *(self.aretrieve(self._sections, question) for question in (QUESTION, OTHER_QUESTION))
                )
            )

        answers = [_comparable(results) for results in _run(both())]
        assert answers == [_comparable(self.retrieve(self._sections, q)) for q in (QUESTION, OTHER_QUESTION)]


def sample_library() -> Library:
    """A small library in memory: `loans`, four pages, and `treasury.md`, a Markdown file without pages."""
    library = Library()
    _fill(library)
    return library


def _fill(library: Library) -> None:
    library.import_tree(build_tree(list(_PAGES), name="loans"), source="loans")
    library.add(_GUIDE.encode(), name="treasury.md")


def _comparable(results: Sequence[Result]) -> list[tuple[str, str, dict[str, object], float | None]]:
    return [(result.id, result.text, dict(result.metadata), result.score) for result in results]


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end in a loop and a thread of its own: the caller's thread may have a loop running already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
