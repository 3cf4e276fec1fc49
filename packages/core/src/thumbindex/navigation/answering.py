"""From evidence to an answer: one call of a model, and the check of every citation that it makes."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..citations.check import Source, check_answer
from ..evidence import Answer, Retrieval
from ..models import PROMPTS, ChatModel, Prompts
from ..models.chat import stream_or_chat
from ..trail import Step, Trail
from .answer_prompt import answer_messages, hidden_notes

__all__ = ["NOT_FOUND", "Source", "answer", "check_answer"]

NOT_FOUND = "The documents do not say."
_SAYS_NOT_FOUND = re.compile(r"[\W_]*not[\s_]+found\b", re.IGNORECASE)


async def answer(
    found: Retrieval,
    sources: Sequence[Source],
    model: ChatModel,
    *,
    max_reply_tokens: int = 1000,
    prompts: Prompts = PROMPTS,
    on_step: Callable[[Step], None] | None = None,
    on_text: Callable[[str], None] | None = None,
) -> Answer:
    """The answer of a model to a question, from its evidence alone.

    Without evidence no model is called: that nothing was found is the answer.

    Args:
        sources: The documents that the evidence is from, with what of them was read.
        on_text: Called with each piece of the text while the model writes it, if it can stream, else with all of it.

    Raises:
        ModelError: the model gave no reply.
    """
    if not found.evidence:
        if on_text is not None:
            on_text(NOT_FOUND)
        return _with_step(Answer(found.question, NOT_FOUND, False, trail=found.trail), "no model", 0.0, on_step)
    started = time.perf_counter()
    messages = answer_messages(found.question, found.evidence, sources, prompts.answer)
    if on_text is None:
        reply = await model.chat(messages, max_tokens=max_reply_tokens)
    else:
        reply = await stream_or_chat(model, messages, on_text, max_tokens=max_reply_tokens)
    text = reply.text.strip()
    says_not_found = _SAYS_NOT_FOUND.match(text) is not None
    citations, uncited = check_answer(text, sources, question=found.question)
    notes = list(hidden_notes(found.evidence))
    if reply.is_cut:
        notes.append(f"The reply was cut at {max_reply_tokens} tokens.")
    if not text:
        notes.append("The model wrote nothing.")
    made = Answer(
        found.question,
        text or NOT_FOUND,
        found=bool(text) and not says_not_found,
        citations=citations,
        evidence=found.evidence,
        trail=found.trail,
        usage=reply.usage,
        uncited=() if says_not_found else uncited,
        notes=tuple(notes),
    )
    return _with_step(made, model.name, time.perf_counter() - started, on_step)


def _with_step(made: Answer, model: str, seconds: float, on_step: Callable[[Step], None] | None) -> Answer:
    """The answer with the step that made it at the end of its trail."""
    statuses = Counter(citation.status for citation in made.citations)
    cited = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in statuses.items())
    if not made.found:
        outcome = "not found"
    else:
        outcome = f"{len(made.citations)} citation{'' if len(made.citations) == 1 else 's'}" + (
            f": {cited}" if cited else ""
        )
    step = Step(
        "answer", model, "", outcome, made.usage.tokens_in, made.usage.tokens_out, seconds, made.usage.tokens_cached
    )
    if on_step is not None:
        on_step(step)
    return replace(made, trail=Trail((*made.trail.steps, step), made.trail.runners_up))
