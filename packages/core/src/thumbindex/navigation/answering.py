"""From evidence to an answer: one call of a model, and the check of every citation that it makes."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, replace

from ..citations import ReadDocument, check_answer
from ..evidence import Answer, Retrieval
from ..models import PROMPTS, ChatModel, Prompts
from ..trail import Step, Trail
from .answer_prompt import answer_messages, hidden_notes
from .lookups import SearchableDocuments
from .protocol import Chat, Flow, Report, Written, chat, look_up

NOT_FOUND = "The documents do not say."
_SAYS_NOT_FOUND = re.compile(r"[\W_]*not[\s_]+found\b", re.IGNORECASE)


def answer(found: Retrieval, model: ChatModel, *, reply_tokens: int, prompts: Prompts = PROMPTS) -> Flow[Answer]:
    """Lets a model answer the question of a retrieval from its evidence alone, and checks every citation of the answer.

    Without evidence no model is called: that nothing was found is the answer. Evidence of documents that are gone is left out.

    Raises:
        ModelError: the model gave no reply.
    """
    if not found.evidence:
        yield Written(NOT_FOUND)
        return (yield from _with_step(Answer(found.question, NOT_FOUND, False, trail=found.trail), "no model", 0.0))
    sources = yield from look_up(ReadCited(found))
    started = time.perf_counter()
    messages = answer_messages(found.question, found.evidence, sources, prompts.answer)
    reply = yield from chat(Chat(model, messages, max_tokens=reply_tokens, is_answer=True))
    text = reply.text.strip()
    denies = _SAYS_NOT_FOUND.match(text) is not None
    citations, uncited = check_answer(text, sources, question=found.question)
    notes = list(hidden_notes(found.evidence))
    if reply.is_cut:
        notes.append(f"The reply was cut at {reply_tokens} tokens.")
    if not text:
        notes.append("The model wrote nothing.")
    made = Answer(
        found.question,
        text or NOT_FOUND,
        found=bool(text) and not denies,
        citations=citations,
        evidence=found.evidence,
        trail=found.trail,
        usage=reply.usage,
        uncited=() if denies else uncited,
        notes=tuple(notes),
    )
    return (yield from _with_step(made, model.name, time.perf_counter() - started))


@dataclass(frozen=True, slots=True)
class ReadCited:
    """Looks up the documents of some evidence, as the check of citations takes them."""

    found: Retrieval

    def look_up(self, documents: SearchableDocuments) -> tuple[ReadDocument, ...]:
        """Opens the documents that the scope still holds; others are left out."""
        ids = dict.fromkeys(evidence.doc_id for evidence in self.found.evidence)
        infos = {info.doc_id: info for info in documents.documents() if info.doc_id in ids}
        return tuple(
            ReadDocument(
                info.doc_id,
                info.name,
                documents.tree_of(info),
                tuple(evidence.lines for evidence in self.found.evidence if evidence.doc_id == doc_id),
                info.language,
            )
            for doc_id in ids
            if (info := infos.get(doc_id))
        )


def _with_step(made: Answer, model: str, seconds: float) -> Flow[Answer]:
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
    yield Report(step)
    return replace(made, trail=Trail((*made.trail.steps, step), made.trail.runners_up))
