"""Navigators are flows of requests: one driver for sync code and one for async code carries them out."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from thumbindex import AsyncLibrary, Budget, Lexical, Retrieval, Scope, Select, Step, Trail, Walk
from thumbindex.errors import ModelLimit, ModelUnavailable
from thumbindex.models import ChatModel, JsonSchema, Message, Reply
from thumbindex.navigation import Navigator, Task, navigator_named
from thumbindex.navigation.lookups import SearchableDocuments, SearchSections
from thumbindex.navigation.protocol import Chat, Flow, Report, chat, look_up, together
from thumbindex.testing import ScriptedModel, sample_library

QUESTION = "How long does a wick last?"


@dataclass(frozen=True)
class Rephrasing:
    """A user's own navigator: a model rephrases the question, which is then searched for by its words."""

    model: ChatModel
    name: str = "rephrasing"

    def navigate(self, task: Task) -> Flow[Retrieval]:
        """One model call and one lookup."""
        reply = yield from chat(Chat(self.model, [Message("user", f"Rephrase: {task.question}")]))
        yield Report(Step("rephrase", task.question, "", reply.text))
        found = yield from look_up(SearchSections(reply.text, task.k))
        return Retrieval(task.question, found.chosen, Trail((Step("rephrase", task.question, "", reply.text),)))


@dataclass(frozen=True)
class WhereItRuns:
    """A lookup that returns the name of the thread that answers it."""

    def look_up(self, documents: SearchableDocuments) -> str:
        return threading.current_thread().name


@dataclass(frozen=True)
class Fails:
    """A lookup that cannot be answered."""

    def look_up(self, documents: SearchableDocuments) -> None:
        raise LookupError("gone")


class Scripted:
    """A navigator that runs a given flow."""

    name = "scripted"

    def __init__(self, flow: Flow[Retrieval]) -> None:
        self.flow = flow

    def navigate(self, task: Task) -> Flow[Retrieval]:
        return self.flow


def nothing(*steps: Step) -> Retrieval:
    return Retrieval(QUESTION, (), Trail(steps))


def test_a_navigator_of_ones_own_works_in_sync_and_async_code() -> None:
    """Retrieval and answer, with the steps that it reports."""
    library = sample_library()
    steps: list[str] = []
    navigator: Navigator = Rephrasing(ScriptedModel(["wick hours"]))
    found = library.retrieve(QUESTION, navigator=navigator, on_step=lambda step: steps.append(step.action))
    assert found.evidence[0].title == "4.2 Wick"
    assert steps == ["rephrase"]
    again = asyncio.run(AsyncLibrary(library).retrieve(QUESTION, navigator=Rephrasing(ScriptedModel(["wick hours"]))))
    assert again == found
    model = ScriptedModel(["wick hours", "Ninety hours [lantern.md, § 4.2 Wick]."])
    assert library.ask(QUESTION, model=model, navigator=Rephrasing(model)).holds


async def test_a_task_that_is_cancelled_while_its_navigator_computes_ends_cancelled() -> None:
    """The navigator runs in a thread then and cannot be closed, which is no error of the caller."""
    computes, may_end = threading.Event(), threading.Event()

    def flow(model: ChatModel) -> Flow[Retrieval]:
        yield from chat(Chat(model, []))
        computes.set()
        may_end.wait(10)
        return nothing()

    library = AsyncLibrary(sample_library())
    task = asyncio.create_task(library.retrieve(QUESTION, navigator=Scripted(flow(ScriptedModel(["yes"])))))
    await asyncio.to_thread(computes.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    may_end.set()


@pytest.mark.parametrize("navigator", ["walk", Walk, object()])
def test_what_is_no_navigator_is_refused(navigator: Navigator) -> None:
    """The message names the navigators there are."""
    with pytest.raises(TypeError, match=r"navigator takes an object such as Lexical\(\), Select\(model\)"):
        sample_library().retrieve(QUESTION, navigator=navigator)
    with pytest.raises(TypeError, match="navigator takes an object"):
        sample_library().ask(QUESTION, model=ScriptedModel([]), navigator=navigator)


def test_what_is_no_budget_is_refused() -> None:
    """A number of tokens says not what it limits."""
    budget: Any = 2000
    with pytest.raises(TypeError, match=r"budget takes a Budget, such as Budget\(evidence_tokens=2000\), not 2000"):
        sample_library().retrieve(QUESTION, budget=budget)
    with pytest.raises(TypeError, match="budget takes a Budget"):
        sample_library().ask(QUESTION, model=ScriptedModel([]), budget=budget)


@pytest.mark.parametrize("include", ["parts", ["part"]])
def test_passages_to_include_are_named(include: Any) -> None:
    """An unknown name would be left out in silence."""
    with pytest.raises(ValueError, match="include takes a list of 'parts', 'subsections', 'references', not"):
        Lexical(include)


async def test_lookups_never_run_on_the_loop() -> None:
    """So the loop stays free for other tasks."""

    def flow() -> Flow[Retrieval]:
        thread = yield from look_up(WhereItRuns())
        return nothing(Step("look up", thread))

    found = await AsyncLibrary(sample_library()).retrieve(QUESTION, navigator=Scripted(flow()))
    assert found.trail.steps[0].target != threading.current_thread().name


def test_errors_of_models_and_lookups_reach_the_flow_which_may_go_on() -> None:
    """What was read before is not lost."""

    def flow(model: ChatModel) -> Flow[Retrieval]:
        caught: list[Step] = []
        try:
            yield from chat(Chat(model, []))
        except ModelUnavailable:
            caught.append(Step("model failed", ""))
        try:
            yield from look_up(Fails())
        except LookupError:
            caught.append(Step("lookup failed", ""))
        return nothing(*caught)

    model = ScriptedModel([ModelUnavailable("m", "down.")])
    found = sample_library().retrieve(QUESTION, navigator=Scripted(flow(model)))
    assert [step.action for step in found.trail.steps] == ["model failed", "lookup failed"]


def test_steps_before_a_failure_are_reported() -> None:
    """Whoever watches sees how far it got."""

    def flow() -> Flow[Retrieval]:
        yield Report(Step("first", ""))
        raise LookupError("gone")

    steps: list[Step] = []
    with pytest.raises(LookupError):
        sample_library().retrieve(QUESTION, navigator=Scripted(flow()), on_step=steps.append)
    assert steps == [Step("first", "")]


def test_flows_side_by_side_give_their_results_in_order_and_the_first_failure_ends_all() -> None:
    """Each flow may ask a model of its own."""

    def part(model: ChatModel) -> Flow[str]:
        return (yield from chat(Chat(model, []))).text

    def flow(models: Sequence[ChatModel]) -> Flow[Retrieval]:
        replies = yield from together([part(model) for model in models])
        return nothing(*(Step("reply", reply) for reply in replies))

    found = sample_library().retrieve(
        QUESTION, navigator=Scripted(flow([ScriptedModel([word]) for word in ("one", "two", "three")]))
    )
    assert [step.target for step in found.trail.steps] == ["one", "two", "three"]
    broken = [ScriptedModel(["one"]), ScriptedModel([ModelUnavailable("m", "down.")])]
    with pytest.raises(ModelUnavailable):
        sample_library().retrieve(QUESTION, navigator=Scripted(flow(broken)))


def test_the_budget_limits_all_models_of_a_question_together() -> None:
    """A navigator's model and the answering one share it."""
    library = sample_library()
    guide, model = ScriptedModel(['{"sections": []}'] * 9), ScriptedModel(["Ninety."])
    budget = Budget(evidence_tokens=200, total_tokens=100)
    with pytest.raises(ModelLimit):
        library.ask(QUESTION, model=model, navigator=Select(guide), budget=budget)
    assert not model.calls


def test_the_seconds_of_a_budget_count_from_the_question_on() -> None:
    """A search before the first model call takes part of them."""

    class Quick(ScriptedModel):
        async def chat(
            self, messages: Sequence[Message], *, schema: JsonSchema | None = None, max_tokens: int | None = None
        ) -> Reply:
            await asyncio.sleep(0)
            return Reply("at once")

    def flow() -> Flow[Retrieval]:
        time.sleep(0.2)
        yield from chat(Chat(Quick([]), []))
        return nothing()

    with pytest.raises(ModelLimit, match=r"the 0\.1 seconds granted are over"):
        sample_library().retrieve(QUESTION, navigator=Scripted(flow()), budget=Budget(seconds=0.1))


@pytest.mark.parametrize(("name", "expected"), [(None, "lexical"), ("lexical", "lexical")])
def test_navigators_have_names_for_the_edges(name: str | None, expected: str) -> None:
    """The command line, adapters and evaluation parse them in one place."""
    assert navigator_named(name).name == expected
    assert navigator_named(None, ScriptedModel([])).name == "select"
    with pytest.raises(ValueError, match="There is no navigator 'fly'; there are lexical, select, walk"):
        navigator_named("fly")
    with pytest.raises(ValueError, match="needs a model"):
        navigator_named("walk")


def test_a_document_that_is_removed_while_a_model_thinks_stops_nothing() -> None:
    """What cannot be read any more is no evidence."""
    library = sample_library()

    def reply(_: Sequence[Message]) -> str:
        library.remove("lantern.md")
        return '{"sections": [{"number": 6, "reason": "care of the wick"}]}'

    found = library.retrieve(QUESTION, navigator=Select(ScriptedModel([reply])), scope=Scope(["lantern.md"]))
    assert found.trail.steps[-1].action == "stop"
    assert {evidence.document for evidence in found.evidence} <= {"lantern.md"}
