"""The models that the page leaves to the reader."""

import contextlib

from llama_index.core.utils import globals_helper

from scripted_llama import ScriptedLLM

# What the page warns of: NLTK refuses a file that uv has linked, at the first use only.
with contextlib.suppress(PermissionError):
    globals_helper.punkt_tokenizer  # noqa: B018, made at first use


def navigator_and_writer(answer: str) -> ScriptedLLM:
    """A model that picks a section where it is asked for sections, and else gives the answer."""

    def reply(prompt: str) -> str:
        if "Reply with JSON only" in prompt:
            return '{"sections": [{"number": 4, "reason": "it has the notes"}]}'
        return answer

    return ScriptedLLM(lines=[reply], chats=False)


llm = ScriptedLLM(lines=["The note on borrowings states it."])
navigator = navigator_and_writer("It is 4.35 per cent.")
writer = navigator_and_writer("The term loan bears a fixed rate of 4.35 per cent [annual-report.pdf, p. 43].")
agent_llm = ScriptedLLM(
    lines=[("search_text", {"query": "term loan rate"}), "The note on borrowings states it."] * 20, functions=True
)
