"""Several documents: those that fit best are navigated at the same time, each on its own, and what they give is merged."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from thumbindex import AsyncLibrary, Library, Select, Walk
from thumbindex.errors import ModelUnavailable
from thumbindex.evidence import Evidence
from thumbindex.models import JsonSchema, Message, Reply
from thumbindex.navigation import WalkLimits
from thumbindex.navigation.merge import merge
from thumbindex.navigation.state import State
from thumbindex.pages import LineRange
from thumbindex.testing import ScriptedModel, sample_library
from thumbindex.text.tokens import estimate_tokens
from thumbindex.trail import RunnerUp, Step

BOTH = "What does a wick cost, and what are the harbour dues?"


def evidence(doc: str, section: str, text: str = "words") -> Evidence:
    return Evidence(doc, section, section, None, None, text, 1.0, LineRange(1, 1), doc, doc, {})


def state(*chosen: Evidence, weak: bool = False, others: Sequence[str] = ()) -> State:
    return State("?", chosen=chosen, weak=weak, runners_up=tuple(RunnerUp(one, one, None, 0.1) for one in others))


def merged(*parts: State, k: int | None = 10, max_tokens: int | None = None):
    return merge(
        parts,
        lambda one: (one.doc_id, one.node_id.partition(".")[0]),
        k=k,
        max_tokens=max_tokens,
        count=estimate_tokens,
    )


def names(found: Sequence[Evidence]) -> list[str]:
    return [f"{one.doc_id}/{one.node_id}" for one in found]


def test_documents_take_turns_the_best_one_first() -> None:
    """Scores fall strictly from 1.0."""
    found = merged(state(evidence("a", "1"), evidence("a", "2")), state(evidence("b", "1"), evidence("b", "2")))
    assert names(found.evidence) == ["a/1", "b/1", "a/2", "b/2"]
    scores = [one.score for one in found.evidence]
    assert scores[0] == 1.0
    assert scores == sorted(set(scores), reverse=True)


def test_parts_of_a_section_stay_together_and_count_once() -> None:
    """`k` counts sections; what is left out heads the runners-up."""
    found = merged(
        state(evidence("a", "1.1"), evidence("a", "1.2"), evidence("a", "2")),
        state(evidence("b", "1"), others=["z"]),
        k=2,
    )
    assert names(found.evidence) == ["a/1.1", "a/1.2", "b/1"]
    assert [one.id for one in found.runners_up] == ["a#2", "z"]
    assert found.runners_up[0].score < found.evidence[-1].score


def test_a_budget_leaves_out_whole_sections_and_never_the_first() -> None:
    """However long that is."""
    long = "word " * 50
    found = merged(
        state(evidence("a", "1", long), evidence("a", "2", "short")), state(evidence("b", "1", long)), max_tokens=55
    )
    assert names(found.evidence) == ["a/1", "a/2"]
    assert names(merged(state(evidence("a", "1", long)), max_tokens=3).evidence) == ["a/1"]


def test_a_document_in_which_nothing_fits_gives_way() -> None:
    """What stands in for it by its words is taken only where no document has more."""
    weak = state(evidence("a", "1"), weak=True)
    assert names(merged(weak, state(evidence("b", "1"))).evidence) == ["b/1"]
    alone = merged(weak, state(weak=True))
    assert (names(alone.evidence), alone.weak) == (["a/1"], True)
    assert merged(state(weak=True), state(weak=True)).evidence == ()


class Meeting:
    """A model whose calls wait for each other: they end only if all are under way at once."""

    name = "meeting"

    def __init__(self, parties: int) -> None:
        self.barrier = asyncio.Barrier(parties)
        self.prompts: list[str] = []

    async def chat(
        self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
    ) -> Reply:
        self.prompts.append(messages[0].content)
        async with asyncio.timeout(10):
            await self.barrier.wait()
        return Reply('{"sections": [{"number": 2, "reason": "second"}]}')


async def test_they_are_navigated_at_the_same_time_one_call_each() -> None:
    """Each prompt holds one outline, so that the next question to any of them finds it in the provider's cache."""
    model = Meeting(2)
    steps: list[Step] = []
    found = await AsyncLibrary(sample_library()).retrieve(BOTH, k=2, on_step=steps.append, navigator=Select(model))
    assert sorted("lantern.md" in prompt for prompt in model.prompts) == [False, True]
    assert {one.document for one in found.evidence} == {"lantern.md", "harbour.md"}
    assert [one.score for one in found.evidence] == [1.0, pytest.approx(1 / 1.1)]
    assert found.trail.steps == tuple(steps)
    picks = [step.target for step in steps if step.action == "pick"]
    assert sorted(target.partition(":")[0] for target in picks) == ["harbour.md", "lantern.md"]
    assert (steps[0].action, steps[-1].action, steps[-1].target) == ("rank documents", "merge", "2 documents")


async def test_how_many_are_navigated_can_be_said() -> None:
    """One document is one call, as without others."""
    model = Meeting(1)
    found = await AsyncLibrary(sample_library()).retrieve(BOTH, k=2, navigator=Select(model, max_documents=1))
    assert len(model.prompts) == 1
    assert len({one.document for one in found.evidence}) == 1
    with pytest.raises(ValueError, match="at least 1"):
        await AsyncLibrary(sample_library()).retrieve(BOTH, navigator=Select(model, max_documents=0))


def test_walks_share_the_limit_of_what_is_read() -> None:
    """Together they read no more than one would."""
    library = Library()
    for name in ("a", "b"):
        text = "".join(f"# {name}{n} boats\n\n" + f"Boats of kind {n} float. " * 40 + "\n\n" for n in range(8))
        library.add(text.encode(), name=f"{name}.md")

    def reads(messages: Sequence[Message]) -> str:
        said = sum(message.role == "assistant" for message in messages)
        return '{"action": "answer"}' if said else '{"action": "read", "numbers": [1, 2, 3, 4, 5, 6]}'

    limits = WalkLimits(evidence=1000, reading=1000)
    found = library.retrieve("Which boats?", navigator=Walk(ScriptedModel([reads] * 4), limits=limits))
    assert {one.document for one in found.evidence} == {"a.md", "b.md"}
    assert sum(estimate_tokens(one.text) for one in found.evidence) <= 1000


async def test_a_failure_in_one_stops_the_others_and_comes_through_as_it_is() -> None:
    """No group of errors, and no call goes on."""
    stopped = asyncio.Event()

    class Failing:
        name = "failing"

        async def chat(
            self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
        ) -> Reply:
            if "lantern.md" in messages[0].content:
                await asyncio.sleep(0.05)
                raise ModelUnavailable("failing", "gone")
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                stopped.set()
                raise
            return Reply("")

    with pytest.raises(ModelUnavailable, match="gone"):
        await AsyncLibrary(sample_library()).retrieve(BOTH, navigator=Select(Failing()))
    assert stopped.is_set()
