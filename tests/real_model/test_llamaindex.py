"""LlamaIndex's own client for OpenAI-compatible servers navigates over HTTP, in the environment of openai 2.

The model is tiny: the tests check the protocol, not the quality of answers. `nox -s openai2` installs everything and runs this
file; elsewhere it is skipped.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from thumbindex import Library, Walk
from thumbindex.navigation import WalkLimits

if TYPE_CHECKING:
    from llama_index.llms.openai_like import OpenAILike

if not os.environ.get("THUMBINDEX_REAL_MODEL"):
    pytest.skip("the tiny model runs under `nox -s openai2`", allow_module_level=True)
openai_like = pytest.importorskip("llama_index.llms.openai_like", reason="it wants openai 2: `nox -s openai2`")

from llama_index.core.callbacks import CallbackManager, TokenCountingHandler  # noqa: E402

from llama_index.retrievers.thumbindex import LlamaIndexModel, ThumbIndexRetriever  # noqa: E402
from thumbindex.errors import ModelUnavailable  # noqa: E402
from thumbindex.models import Message  # noqa: E402
from thumbindex.navigation.parse import read_choices  # noqa: E402
from thumbindex.navigation.prompt import SELECT_SCHEMA  # noqa: E402

pytestmark = pytest.mark.timeout(600)

QUESTION = "How long does a wick last?"
GUIDE = b"""# Lantern

## Oil

Unscrew the brass cap and pour in 0.4 litres of lamp oil.

## Wick

Trim the wick to six millimetres before each lighting. A wick lasts about ninety hours.
"""


@pytest.fixture(scope="module")
def library() -> Library:
    library = Library()
    library.add(GUIDE, name="lantern.md")
    return library


@pytest.fixture
def make(base_url: str, key: str) -> Any:
    def llm(**options: Any) -> OpenAILike:
        return openai_like.OpenAILike(
            model="smollm2",
            api_base=base_url,
            is_chat_model=True,
            context_window=4096,
            temperature=0.0,
            max_tokens=60,
            max_retries=0,
            timeout=400,
            **{"api_key": key, **options},
        )

    return llm


@pytest.mark.parametrize("is_sync", [False, True])
async def test_structured_outputs_hold_the_model_to_the_form(make: Any, is_sync: bool) -> None:
    """The schema goes out with the request, and what comes back is of it; tokens are the server's."""
    model = LlamaIndexModel(make(should_use_structured_outputs=True), is_sync=is_sync)
    asked = [Message("user", "Sections: 1. Oil 2. Wick. Which number is about the wick?")]
    reply = await model.chat(asked, schema=SELECT_SCHEMA)
    assert reply.text.startswith("{")
    assert not reply.usage.estimated
    assert reply.usage.tokens_in > 10
    assert 0 < reply.usage.tokens_out <= 60
    read_choices(reply.text)


@pytest.mark.parametrize("structured", [True, False], ids=["by schema", "in words"])
async def test_it_selects(library: Library, make: Any, structured: bool) -> None:
    """Sync and async, one call each; handlers count what the server counted."""
    counter = TokenCountingHandler(tokenizer=str.split)
    llm = make(should_use_structured_outputs=structured, callback_manager=CallbackManager([counter]))
    retriever = ThumbIndexRetriever(library, 2, navigator="select", llm=llm)
    assert 1 <= len(retriever.retrieve(QUESTION)) <= 2
    after_one = counter.prompt_llm_token_count
    assert after_one > 100
    assert 1 <= len(await retriever.aretrieve(QUESTION)) <= 2
    assert counter.prompt_llm_token_count > after_one


def test_it_walks_and_answers_in_an_engine(library: Library, make: Any) -> None:
    """One LLM navigates within its limits, and answers from what was found."""
    limits = WalkLimits(steps=3, context=3500, outline=500, reading=400, evidence=600, reply=60)
    llm = make()
    walk = Walk(LlamaIndexModel(llm), limits=limits, exact_k=True)
    retriever = ThumbIndexRetriever(library, 1, navigator=walk, llm=llm)
    response = retriever.as_query_engine().query(QUESTION)
    print(f"\n{response}")
    assert str(response)
    assert [source.metadata["file_name"] for source in response.source_nodes] == ["lantern.md"]


def test_a_wrong_key_is_an_error(library: Library, make: Any) -> None:
    """With the client's own error behind it."""
    retriever = ThumbIndexRetriever(library, navigator="select", llm=make(api_key="wrong"))
    with pytest.raises(ModelUnavailable, match="AuthenticationError"):
        retriever.retrieve(QUESTION)
