"""Questions put to several ways of retrieval: what each finds, answers and costs, kept apart."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from thumbindex import Library, build_tree
from thumbindex.errors import ModelAccessDenied, ModelUnavailable
from thumbindex.evaluate import Budget, Figures, Price, Question, Record, Share, figures, make_retriever, run
from thumbindex.evaluate.baselines import chunks
from thumbindex.evaluate.retrievers import Foreign, RetrieverError
from thumbindex.testing import ScriptedModel, sample_library
from thumbindex.text.tokens import estimate_tokens

WICK = Question(
    id="wick", question="How long does a wick last?", documents=("lantern",), sections=("4.2 Wick",), answer="90 hours"
)
MOON = Question(id="moon", question="Who trims a wick on the moon?", documents=("lantern",), answerable=False)
GOOD = "A wick lasts about ninety hours [lantern.md, § 4.2 Wick]."
NOT_FOUND = "NOT FOUND: nothing of it."


@pytest.fixture
def paged() -> Library:
    library = Library()
    texts = [
        "# Boats\nBoats float.",
        "# Hire\nThe hire of a boat is 36,500 crowns.",
        "# Crew\nThe crew is paid weekly.",
    ]
    library.import_tree(build_tree(texts, name="boats.pdf"))
    return library


HIRE = Question(id="hire", question="What is the hire of a boat?", pages=(2,), answer="36,500")


async def records(library: Library, names: list[str], questions: list[Question], **options) -> list[Record]:
    budget = options.pop("budget", None)
    retrievers = [make_retriever(name, library, model=options.get("model"), budget=budget) for name in names]
    return await run(library, questions, retrievers, **options)


async def test_hits_of_pages_and_sections_are_ranked(paged: Library) -> None:
    """For navigators and baselines alike; a whole document has no order, and costs all its text."""
    found = await records(paged, ["lexical", "bm25", "chunks", "whole"], [HIRE])
    by_name = {one.retriever: one for one in found}
    assert (by_name["lexical"].page_rank, by_name["lexical"].section_rank) == (1, 1)
    assert (by_name["bm25"].page_rank, by_name["bm25"].section_rank) == (1, 1)
    assert by_name["chunks"].page_rank == 2  # one chunk holds all three pages
    assert (by_name["whole"].page_rank, by_name["whole"].has_pages) == (None, False)
    assert by_name["whole"].tokens > by_name["bm25"].tokens > 0


async def test_sections_without_pages_are_found_by_title() -> None:
    """In Markdown there are no pages to hit."""
    (one,) = await records(sample_library(), ["lexical"], [WICK])
    assert (one.has_pages, one.section_rank) == (False, 1)


async def test_answers_are_graded_and_their_citations_counted() -> None:
    """Navigating and answering are metered apart: two calls with `select`, one with a baseline."""
    pick = {"sections": [{"number": 6, "reason": "care"}]}
    question = WICK.model_copy(update={"documents": ()})
    model = ScriptedModel([pick, GOOD, GOOD])
    budget = Budget(4, 200)
    select, bm25 = await records(sample_library(), ["select", "bm25"], [question], model=model, budget=budget)
    assert [usage.calls for usage in select.usage] == [1, 1]
    assert [usage.calls for usage in bm25.usage] == [0, 1]
    assert select.grade.right
    assert select.answer is not None
    assert select.answer.holds
    model.assert_finished()


async def test_not_found_is_right_where_there_is_nothing() -> None:
    """And a miss where there is."""
    model = ScriptedModel([GOOD, NOT_FOUND, NOT_FOUND, GOOD])
    library = sample_library()
    good = await records(library, ["lexical"], [WICK, MOON], model=model)
    bad = await records(library, ["lexical"], [WICK, MOON], model=model)
    (told,), (other,) = figures(good), figures(bad)
    assert (told.abstained, told.missed, told.right) == (Share(1, 1), Share(0, 1), Share(1, 1))
    assert (other.abstained, other.missed, other.right) == (Share(0, 1), Share(1, 1), Share(0, 1))


async def test_without_a_model_weak_retrieval_counts_as_abstaining() -> None:
    """No word of the question occurs."""
    found = await records(sample_library(), ["lexical", "bm25"], [MOON.model_copy(update={"question": "Zzyzx?"})])
    assert [one.abstains for one in found] == [True, True]


async def test_a_failing_model_costs_its_question_and_a_dead_key_ends_the_run(paged: Library) -> None:
    """A question without a result is a miss."""
    again = HIRE.model_copy(update={"id": "again"})
    model = ScriptedModel([ModelUnavailable("m", "gone"), "36,500 crowns [boats.pdf, p. 2]."])
    (told,) = figures(await records(paged, ["bm25"], [HIRE, again], model=model))
    assert (told.errors, told.right, told.pages[0]) == (1, Share(1, 2), Share(1, 2))
    with pytest.raises(ModelAccessDenied):
        await records(paged, ["bm25"], [HIRE], model=ScriptedModel([ModelAccessDenied("m", "no")]))


async def test_figures_come_by_kind_and_for_all(paged: Library) -> None:
    """Means of tokens, percentiles of seconds, money where all prices are known."""
    kinds = [HIRE.model_copy(update={"id": str(n), "kind": kind}) for n, kind in enumerate(["a", "a", "b"])]
    model = ScriptedModel(["36,500 crowns [boats.pdf, p. 2]."] * 3, name="m")
    found = await records(paged, ["bm25"], kinds, model=model)
    price = {"m": Price(input=1.0, output=10.0)}
    rows = figures(found, prices=price, models={"bm25": (None, "m")})
    assert [(one.kind, one.questions) for one in rows] == [("a", 2), ("b", 1), ("", 3)]
    whole: Figures = rows[-1]
    assert whole.money == pytest.approx((whole.tokens_in[1] * 1.0 + whole.tokens_out[1] * 10.0) / 1e6)
    assert whole.seconds[1][0] <= whole.seconds[1][1]
    assert figures(found, prices=price, models={"bm25": (None, "other")})[-1].money is None


async def test_a_budget_drops_whole_pieces_and_never_the_best(paged: Library) -> None:
    """The same for all that are compared."""
    found = await records(paged, ["lexical", "bm25"], [HIRE], budget=Budget(10, 3))
    assert [one.page_rank for one in found] == [1, 1]
    assert all(0 < one.tokens < 25 for one in found)


def test_chunks_cover_every_line_and_overlap() -> None:
    """Each line is in one chunk at least; a chunk keeps to its size, unless a single line is longer."""
    tree = build_tree(
        ["\n".join(f"Line {n} says that boats float on water." for n in range(p, p + 60)) for p in range(4)], name="b"
    )
    info = Library().import_tree(tree)
    cut = [*chunks(info, tree)]
    assert {line for one in cut for line in one.lines} == set(range(1, len(tree.lines) + 1))
    assert all(estimate_tokens(tree.text(one.lines)) < 560 for one in cut)
    assert all(a.lines.first < b.lines.first <= a.lines.last < b.lines.last for a, b in pairwise(cut))


# Retrievers of others


@dataclass
class Node:
    """As LangChain's documents or LlamaIndex's nodes look from outside."""

    metadata: dict[str, object]
    page_content: str | None = None
    text: str = field(default="", repr=False)

    def get_content(self) -> str:
        return self.text


def function(question: str) -> list[dict[str, object]]:
    return [{"document": "boats.pdf", "pages": [1, 2], "text": "The hire"}]


async def awaited(question: str, documents: list[str]) -> list[dict[str, object]]:
    return [{"document": documents[0], "page": 2, "text": "The hire"}]


class LangChainLike:
    async def ainvoke(self, question: str) -> list[Node]:
        return [Node({"source": "/data/boats.pdf", "page": 1}, page_content="The hire")]


class LlamaIndexLike:
    def retrieve(self, question: str) -> list[Node]:
        return [Node({"file_name": "boats.pdf", "page_label": "2"}, text="The hire")]


@pytest.mark.parametrize("target", [function, awaited, LangChainLike(), LlamaIndexLike()])
async def test_any_retriever_takes_part(paged: Library, target: object) -> None:
    """Functions, awaited or not; LangChain counts pages from 0, LlamaIndex has labels."""
    retriever = Foreign(paged, "mine", target, Budget())
    (one,) = await run(paged, [HIRE], [retriever])
    assert (one.page_rank, one.tokens) == (2 if target is function else 1, 2)


async def test_a_foreign_retriever_can_be_answered_from(paged: Library) -> None:
    """With the same prompt and the same check of citations."""
    model = ScriptedModel(["It is 36,500 crowns [boats.pdf, p. 2]."])
    (one,) = await run(paged, [HIRE], [Foreign(paged, "mine", awaited, Budget())], model=model)
    assert one.answer is not None
    assert one.answer.holds


async def test_passages_of_other_documents_hit_nothing(paged: Library) -> None:
    """Whatever their pages."""
    retriever = Foreign(paged, "mine", lambda question: [{"document": "x.pdf", "page": 2, "text": "hire"}], Budget())
    (one,) = await run(paged, [HIRE], [retriever])
    assert one.page_rank is None


def test_a_retriever_is_named_by_module_and_name(
    paged: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the folder where one is, as scripts are; what cannot be used is told at once."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_search_xyz.py").write_text("class A:\n    def find(question): return []\nthing = 3\n")
    before = list(sys.path)
    assert make_retriever("my_search_xyz:A.find", paged).name == "my_search_xyz:A.find"
    assert sys.path == before
    for spec, told in [
        ("my_search_xyz:nothing", "cannot be loaded"),
        ("my_search_xyz:thing", "no function"),
        ("nowhere_xyz:find", "cannot be loaded"),
        ("magic", "There is no retriever 'magic'"),
        ("walk", "needs a model"),
    ]:
        with pytest.raises(RetrieverError, match=told):
            make_retriever(spec, paged)


@pytest.mark.parametrize("given", ["text", 3, [3]])
async def test_what_is_no_list_of_passages_is_told(paged: Library, given: object) -> None:
    """Not counted as nothing found."""
    with pytest.raises(RetrieverError, match="gave"):
        await run(paged, [HIRE], [Foreign(paged, "mine", lambda question: given, Budget())])
