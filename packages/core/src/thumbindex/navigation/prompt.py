"""The prompts of navigating models. The order serves prompt caches: rules and outline first, then the question, then one exchange
per step; each call's messages begin with those of the previous call, byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..models import JsonSchema, Message
from .parse import ACTIONS

SELECT_SCHEMA: JsonSchema = {
    "title": "selection",
    "type": "object",
    "properties": {
        "sections": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"number": {"type": "integer"}, "reason": {"type": "string"}},
                "required": ["number", "reason"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sections"],
    "additionalProperties": False,
}

WALK_SCHEMA: JsonSchema = {
    "title": "step",
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "action": {"type": "string", "enum": list(ACTIONS)},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "text": {"type": "string"},
    },
    "required": ["reason", "action", "numbers", "text"],
    "additionalProperties": False,
}

_LONGEST_REPLY = 1500
"""Characters of a model's own reply that stay in the conversation."""


def opening(rules: str, outline: str, question: str, hints: str = "") -> tuple[Message, ...]:
    """The first prompt. Rules and outline are the same for every question to a document, so a cache serves them."""
    asked = f"Question: {' '.join(question.split())}"
    return (Message("system", f"{rules}\n\n{outline}"), Message("user", f"{asked}\n\n{hints}" if hints else asked))


def extended(messages: Sequence[Message], reply: str, observation: str) -> tuple[Message, ...]:
    """The conversation with a reply and its outcome appended; earlier messages stay as they were."""
    # Some servers refuse empty messages.
    kept = reply.strip()[:_LONGEST_REPLY] or "(nothing)"
    return (*messages, Message("assistant", kept), Message("user", observation))
