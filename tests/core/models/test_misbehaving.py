"""Models and servers that break their protocol: each gives one error of ours that says what came, and limits still hold."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from typing import Any

import pytest
from tests.core.conftest import Server, completion, fails, says

from thumbindex import Lexical, Select, Walk
from thumbindex.errors import InvalidNavigator, ModelError, ModelRejected, ModelUnavailable
from thumbindex.models import Message, OpenAIChat, Reply, Usage, UsageLimiter
from thumbindex.testing import sample_library

ASK = [Message("user", "Is it raining? " * 10)]
LIBRARY = sample_library()
TOKEN = "sk-lamp-oil-4711"


class Returning:
    """A model that returns whatever it is given."""

    name = "odd"

    def __init__(self, value: Any) -> None:
        self.value = value

    async def chat(self, messages: Sequence[Message], **options: object) -> Any:
        return self.value() if callable(self.value) else self.value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param(None, "None", id="nothing"),
        pytest.param({"content": "No."}, "dict (content)", id="a dict"),
        pytest.param("No.", "str (No.)", id="a string"),
        pytest.param([Reply("No.")], "list", id="a list"),
        pytest.param(lambda: Reply(None), "None", id="a reply without text"),  # type: ignore[arg-type]
        pytest.param(lambda: Reply({"a": 1}), "dict (a)", id="a reply whose text is a dict"),  # type: ignore[arg-type]
    ],
)
def test_a_reply_that_is_none_gives_one_error_that_says_what_came(value: Any, shown: str) -> None:
    """From a question, from a selection, and from a summary."""
    model = Returning(value)
    with pytest.raises(ModelError) as caught:
        LIBRARY.ask("How long does a wick last?", model=model, navigator=Lexical())
    assert shown in str(caught.value)
    with pytest.raises(ModelError):
        LIBRARY.retrieve("How long does a wick last?", navigator=Select(model))
    with pytest.raises(ModelError):
        sample_library().summarize("lantern.md", model=model)


@pytest.mark.parametrize(
    "usage",
    [
        pytest.param(Usage(-5, -7, 0, 1), id="negative"),
        pytest.param(Usage(10**400, 3, 0, 1), id="absurd"),
        pytest.param(Usage(float("nan"), 2, 0, 1), id="not a number"),  # type: ignore[arg-type]
        pytest.param(Usage(True, True, 0, 1), id="truth values"),
        pytest.param(Usage(5, 2, 900, 1), id="more cached than read"),
        pytest.param(None, id="nothing"),
    ],
)
async def test_impossible_usage_is_replaced_and_marked(usage: Any) -> None:
    """So that a budget in tokens still ends a run."""
    limiter = UsageLimiter(Returning(Reply("No.", usage)))
    await limiter.chat(ASK)
    total = limiter.usage
    assert 0 < total.tokens_in < 1000
    assert 0 < total.tokens_out < 1000
    assert 0 <= total.tokens_cached <= total.tokens_in
    assert (total.calls, total.estimated) == (1, True)


@pytest.mark.parametrize("given", ["gpt", OpenAIChat, object()], ids=["a name", "a class", "an object"])
def test_what_is_no_model_is_refused_where_it_is_passed(given: Any) -> None:
    """With the advice to pass an object."""
    for use in (
        lambda: LIBRARY.ask("Who?", model=given, navigator=Lexical()),
        lambda: Select(given),
        lambda: Walk(given),
        lambda: sample_library().summarize("lantern.md", model=given),
    ):
        with pytest.raises(ModelError, match=r"Pass "):
            use()


def test_a_model_whose_chat_is_not_async_is_refused() -> None:
    """The error names the remedy."""

    class Plain:
        name = "plain"

        def chat(self, messages: Sequence[Message], **options: object) -> Reply:
            return Reply("No.")

    with pytest.raises(ModelError, match="async def"):
        LIBRARY.ask("How long does a wick last?", model=Plain(), navigator=Lexical())  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["returns", "coroutine", "ends with nothing"])
def test_a_navigator_that_does_not_yield_is_refused(kind: str) -> None:
    """With a sentence about generators."""

    class Odd:
        name = "odd"

        def navigate(self, task: object) -> Any:
            if kind == "returns":
                return LIBRARY.retrieve("wick")
            if kind == "coroutine":
                return self._wait()
            return (number for number in range(0))

        async def _wait(self) -> None:
            return None

    with pytest.raises(InvalidNavigator, match="navigate must"):
        LIBRARY.retrieve("How long does a wick last?", navigator=Odd())


def chat(server: Server, **options: Any) -> OpenAIChat:
    return OpenAIChat("m", server.base_url, TOKEN, **{"pause": 0.01, "attempts": 2, **options})


@pytest.mark.parametrize("depth", [5_000, 200_000])
async def test_deeply_nested_json_is_a_reply_like_any_that_cannot_be_read(server: Server, depth: int) -> None:
    """In the body of a reply."""
    server.script = [says('{"choices": ' + "[" * depth + "]" * depth + "}")] * 2
    with pytest.raises(ModelUnavailable, match="no usable reply in 2 attempts"):
        await chat(server).chat(ASK)


async def test_a_server_that_redirects_is_asked_once(server: Server) -> None:
    """Neither in a circle nor to another server, which would get the conversation; the error names the address."""
    away = f"http://user:{TOKEN}@127.0.0.1:9/v1/chat/completions?key={TOKEN}"
    server.script = [fails("307 Temporary Redirect", location=away)] * 3
    with pytest.raises(ModelRejected, match=r"redirects to http://127\.0\.0\.1:9/v1") as caught:
        await chat(server).chat(ASK)
    assert TOKEN not in str(caught.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize("count", [-1, 10**30, True])
async def test_counts_of_a_server_that_are_impossible_are_estimated(server: Server, count: int) -> None:
    """And marked."""
    usage = {"prompt_tokens": count, "completion_tokens": count, "prompt_tokens_details": {"cached_tokens": count}}
    server.script = [says(json.dumps({**json.loads(completion("No.")), "usage": usage}))]
    found = (await chat(server).chat(ASK)).usage
    assert 0 < found.tokens_in < 1000
    assert 0 < found.tokens_out < 1000
    assert (found.tokens_cached, found.estimated) == (0, True)


async def test_no_key_is_in_repr_errors_or_pickles(server: Server) -> None:
    """Nor in an error whose server repeats the key; the model itself cannot be pickled."""
    server.script = [fails("401 Unauthorized", f"wrong key {TOKEN}")]
    model = OpenAIChat("m", server.base_url.replace("//", f"//user:{TOKEN}@") + f"?key={TOKEN}", TOKEN)
    assert TOKEN not in repr(model)
    assert TOKEN not in repr(Select(model))
    with pytest.raises(ModelError) as caught:
        await chat(server).chat(ASK)
    error: BaseException = caught.value
    assert TOKEN not in f"{error} {error!r} {pickle.dumps(error)!r}"
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(model)
