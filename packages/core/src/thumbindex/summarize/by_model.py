"""Summaries of sections by a model: children first, so that a section's summary is made from theirs.

Several small sections share a call. Each summary is cached under its text, the model and the prompt's version, so that a
run that broke off goes on where it was, and unchanged sections cost nothing again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field

from ..errors import ModelError
from ..models import PROMPTS, ChatModel, JsonSchema, Message, Prompts
from ..models.chat import MESSAGE_OVERHEAD, check_model, checked_reply
from ..models.json_text import json_objects
from ..text.tokens import TokenCounter, estimate_tokens
from ..text.untrusted import one_line, wrap_untrusted
from ..trail import Usage
from ..tree.model import Node, Tree

PROMPT_VERSION = 1
"""Raise it when the messages change other than by the rules, which are part of a key themselves."""
TEXT_TOKENS = 1200
"""Of a longer section the beginning and the end are shown, and its children's summaries."""
CALL_TOKENS = 2400
"""Text of the sections that share a call."""
SHORT_TOKENS = 30
"""A shorter text is its own summary."""

LONGEST = 600
"""Characters of a summary at most."""

_SCHEMA: JsonSchema = {
    "title": "summaries",
    "type": "object",
    "properties": {
        "summaries": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"number": {"type": "integer"}, "summary": {"type": "string"}},
                "required": ["number", "summary"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["summaries"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """Upper bound of the cost of summarizing: calls and tokens, by our count."""

    sections: int
    calls: int
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class Summaries:
    """Summaries by section id, and what they cost. `description` is that of the whole document.

    `cached` sections cost nothing; for `failed` ones the model gave no usable summary and an extractive one stands in.
    """

    by_section: Mapping[str, str]
    description: str = ""
    usage: Usage = field(default_factory=Usage)
    cached: int = 0
    failed: int = 0

    @property
    def sections(self) -> int:
        """Number of sections that have a summary."""
        return len(self.by_section)


@dataclass(frozen=True, slots=True)
class _Job:
    """A section to summarize: its text as the model gets it, and the key of its summary."""

    id: str
    title: str
    text: str
    key: str


_ROOT = ""


async def summarize(
    tree: Tree,
    model: ChatModel,
    *,
    fallback: Mapping[str, str],
    cache: MutableMapping[str, str] | None = None,
    max_tokens: int = 40,
    concurrency: int = 4,
    prompts: Prompts = PROMPTS,
    count: TokenCounter = estimate_tokens,
    on_summary: Callable[[str, str], None] | None = None,
) -> Summaries:
    """Summaries of at most `max_tokens` tokens for all sections with text, and of the whole document.

    Args:
        fallback: A summary for each section, where the model gives none.
        on_summary: Called with id and summary of each section as soon as it is there.

    Raises:
        ModelError: the model gave no reply; what was cached until then stays.
    """
    check_model(model)
    summaries_by_key = {} if cache is None else cache
    rules = _rules(prompts, max_tokens)
    done: dict[str, str] = {}
    usage = Usage()
    cached = failed = 0
    failures: tuple[BaseException, ...] = ()
    gate = asyncio.Semaphore(concurrency)

    def finish(job: _Job, text: str) -> None:
        done[job.id] = text
        if on_summary is not None and job.id != _ROOT:
            on_summary(job.id, text)

    async def call(batch: Sequence[_Job]) -> None:
        nonlocal usage, failed
        prompt = _messages(batch, rules)
        async with gate:
            reply = await model.chat(prompt, schema=_SCHEMA, max_tokens=_reply_room(len(batch), max_tokens))
        reply = checked_reply(model.name, reply, prompt)
        usage += reply.usage
        found = _read(json_objects(reply.text), len(batch))
        for number, job in enumerate(batch, 1):
            text = _capped(one_line(found.get(number, ""), LONGEST), max_tokens, count)
            if text:
                summaries_by_key[job.key] = text
            else:
                failed += 1
                text = fallback.get(job.id, "")
            finish(job, text)

    for level in _levels(tree):
        waiting: list[_Job] = []
        for node in level:
            job = _job(tree, node, done, f"{model.name}\x00{rules}", max_tokens, count)
            if job is None:
                continue
            if job.key in summaries_by_key:
                cached += 1
                finish(job, summaries_by_key[job.key])
            elif node is not None and not tree.children(node) and count(job.text) <= SHORT_TOKENS:
                finish(job, _capped(one_line(job.text, LONGEST), max_tokens, count))
            else:
                waiting.append(job)
        try:
            # A group, so that the first failure stops the calls that are under way.
            async with asyncio.TaskGroup() as group:
                for batch in _batches(waiting, count):
                    group.create_task(call(batch))
        except* ModelError as errors:
            failures = errors.exceptions
        if failures:
            raise failures[0]
    description = done.pop(_ROOT, "")
    return Summaries({key: text for key, text in done.items() if text}, description, usage, cached, failed)


def estimate(
    tree: Tree, *, max_tokens: int = 40, prompts: Prompts = PROMPTS, count: TokenCounter = estimate_tokens
) -> Estimate:
    """Returns the cost of `summarize` without a cache, with summaries of children at their full length."""
    filler = "word " * max_tokens
    done = {node.id: filler for node in tree.nodes}
    sections = calls = tokens_in = tokens_out = 0
    for level in _levels(tree):
        jobs = [job for node in level if (job := _job(tree, node, done, "", max_tokens, count))]
        jobs = [job for job in jobs if count(job.text) > SHORT_TOKENS]
        batches = list(_batches(jobs, count))
        sections += len(jobs)
        calls += len(batches)
        tokens_in += len(batches) * (estimate_tokens(_rules(prompts, max_tokens)) + 2 * MESSAGE_OVERHEAD)
        tokens_in += sum(count(job.text) + count(job.title) + 20 for job in jobs)
        tokens_out += sum(_reply_room(len(batch), max_tokens) for batch in batches)
    return Estimate(sections, calls, tokens_in, tokens_out)


def _levels(tree: Tree) -> Iterator[list[Node | None]]:
    """Yields the sections level by level, the deepest first, and the document (None) last."""
    depth = {node.id: len(tree.ancestors(node)) for node in tree.nodes}
    for level in range(max(depth.values(), default=-1), -1, -1):
        yield [node for node in tree.nodes if depth[node.id] == level]
    yield [None]


def _job(
    tree: Tree, node: Node | None, done: Mapping[str, str], model_and_rules: str, max_tokens: int, count: TokenCounter
) -> _Job | None:
    children = tree.children(node)
    own = "" if node is None else tree.text(tree.own_span(node))
    below = "\n".join(f"- {child.title}: {done[child.id]}" for child in children if done.get(child.id))
    text = "\n".join(filter(None, [_cut(own, TEXT_TOKENS, count), _cut(below, TEXT_TOKENS, count)])).strip()
    if not text:
        return None
    title = tree.name if node is None else node.title
    identity = "\x00".join([model_and_rules, str(PROMPT_VERSION), str(max_tokens), title, text])
    return _Job(
        _ROOT if node is None else node.id, title, text, hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()
    )


def _cut(text: str, limit: int, count: TokenCounter) -> str:
    """A text of at most about `limit` tokens: its first two thirds and its end."""
    size = count(text)
    if size <= limit:
        return text
    letters = len(text) * limit // size
    return f"{text[: letters * 2 // 3]}\n…\n{text[-letters // 3 :]}"


def _batches(jobs: Sequence[_Job], count: TokenCounter) -> Iterator[list[_Job]]:
    batch: list[_Job] = []
    used = 0
    for job in jobs:
        size = count(job.text)
        if batch and (used + size > CALL_TOKENS or len(batch) == 12):
            yield batch
            batch, used = [], 0
        batch.append(job)
        used += size
    if batch:
        yield batch


def _rules(prompts: Prompts, max_tokens: int) -> str:
    return prompts.summarize.replace("{words}", str(max(5, max_tokens * 3 // 4)))


def _messages(batch: Sequence[_Job], rules: str) -> list[Message]:
    sections = [f"{number}. {one_line(job.title)}\n{wrap_untrusted(job.text)}" for number, job in enumerate(batch, 1)]
    return [
        Message("system", rules),
        Message("user", "\n\n".join(sections)),
    ]


def _reply_room(sections: int, max_tokens: int) -> int:
    # Around each summary stand about a dozen tokens of JSON.
    return sections * (max_tokens + max_tokens // 2 + 16) + 24


def _read(objects: Iterator[dict[str, object]], expected: int) -> dict[int, str]:
    found: dict[int, str] = {}
    for reply_object in objects:
        listed = reply_object.get("summaries", [reply_object])
        for place, entry in enumerate(listed if isinstance(listed, list) else [], 1):
            if isinstance(entry, str):
                found.setdefault(place, entry)
            elif isinstance(entry, Mapping) and isinstance(entry.get("summary"), str):
                number = entry.get("number")
                found.setdefault(number if isinstance(number, int) else place, str(entry["summary"]))
    return {number: text for number, text in found.items() if 1 <= number <= expected}


def _capped(text: str, limit: int, count: TokenCounter) -> str:
    """The words of a text that fit."""
    if count(text) <= limit:
        return text
    words = text.split()
    while words and count(" ".join(words)) >= limit:
        words.pop()
    return " ".join(words) + " …" if words else text[: limit * 3]
