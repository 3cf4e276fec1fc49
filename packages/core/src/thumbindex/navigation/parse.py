"""Parsing replies of models that were asked for JSON: inside prose and code fences, with stray commas, cut off, or as words.

A reply that cannot be carried out is a `Misunderstood`, whose correction is sent to the model: it costs a step, never the run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..models.json_text import MAX_CHARACTERS, json_objects

ACTIONS = ("open", "read", "search", "follow", "back", "split", "answer")
MOST_NUMBERS = 100
"""Numbers that are read of a list: no outline on one prompt has more that a model could mean."""
_SYNONYMS = {
    **dict.fromkeys(["expand", "list", "view", "browse", "children", "open_section"], "open"),
    **dict.fromkeys(["get", "fetch", "select", "choose", "pick", "read_section", "load", "show"], "read"),
    **dict.fromkeys(["find", "lookup", "query", "search_text", "grep"], "search"),
    **dict.fromkeys(["follow_reference", "jump", "goto", "go_to"], "follow"),
    **dict.fromkeys(["up", "top", "return", "home"], "back"),
    **dict.fromkeys(["decompose", "divide"], "split"),
    **dict.fromkeys(
        ["finish", "done", "stop", "end", "final", "conclude", "final_answer", "nothing", "none", "give_up"], "answer"
    ),
}
_COMMAND = re.compile(
    rf"^[^\w\n]*+(?:action\W++)?(?P<action>{'|'.join(ACTIONS)})\b\W*(?P<rest>.*)$", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Misunderstood:
    """A reply that cannot be carried out, and the correction to send to the model."""

    correction: str


@dataclass(frozen=True, slots=True)
class Move:
    """The next action of a model: one of `ACTIONS`, with the numbers and the text that it takes."""

    action: str
    numbers: tuple[int, ...] = ()
    text: str = ""
    parts: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A number that was picked from an outline, and why."""

    number: int
    reason: str = ""


def read_move(reply: str) -> Move | Misunderstood:
    """The next action of a walk. Of several objects the first that names an action counts."""
    objects = list(json_objects(reply))
    invented = ""
    for found in objects:
        named = _first(found, "action", "tool", "command", "name", "type")
        arguments = _first(found, "arguments", "args", "input", "parameters")
        if isinstance(arguments, Mapping):
            found = {**found, **{str(key): value for key, value in arguments.items()}}
        if not isinstance(named, str):
            # {"read": [3, 4]}
            named = next((key for key in found if _action(key)), None)
            if named is not None:
                found = {**found, "numbers": found[named], "text": found[named]}
        if isinstance(named, str) and (action := _action(named)):
            return _move(action, found)
        invented = invented or (named if isinstance(named, str) else "")
    if not objects and (command := _COMMAND.search(reply[:MAX_CHARACTERS])):
        action, rest = command["action"].lower(), command["rest"].strip()
        return Move(
            action,
            tuple(dict.fromkeys(_numbers(rest))),
            rest if action in ("search", "follow", "split") else "",
            _parts(rest),
        )
    known = ", ".join(ACTIONS)
    if invented:
        return Misunderstood(f"There is no action {invented[:40]!r}. The actions are: {known}.")
    if objects:
        return Misunderstood(f'The JSON has no "action". It must be one of: {known}.')
    return Misunderstood(
        f'That was no JSON. Reply with one JSON object such as {{"action": "read", "numbers": [3]}}; actions: {known}.'
    )


def read_choices(reply: str) -> list[Choice] | Misunderstood:
    """The numbers picked from an outline, in the model's order, each once; an empty list where it says that none fits."""
    objects = list(json_objects(reply))
    choices: dict[int, Choice] = {}
    listed = False
    for found in objects:
        sections = _first(found, "sections", "choices", "numbers", "picks", "nodes", "node_list", "selected")
        if sections is None and _first(found, "number", "id", "section", "node") is not None:
            sections = [found]
        if sections is None:
            continue
        listed = True
        shared = _text(_first(found, "reason", "thinking", "why"))
        for entry in sections if isinstance(sections, list) else [sections]:
            if isinstance(entry, Mapping):
                numbers = _numbers(_first(entry, "number", "id", "section", "node", "numbers"))
                reason = _text(_first(entry, "reason", "why", "because")) or shared
            else:
                numbers, reason = _numbers(entry), shared
            for number in numbers:
                choices.setdefault(number, Choice(number, reason))
    if listed:
        return list(choices.values())
    if not objects and (
        found_numbers := _numbers(re.sub(r"^\s*(?:sections?|numbers?)\s*", "", reply[:400], flags=re.IGNORECASE))
    ):
        return [Choice(number) for number in dict.fromkeys(found_numbers)]
    return Misunderstood(
        'Reply with one JSON object such as {"sections": [{"number": 3, "reason": "names the rate"}]}.'
    )


def _move(action: str, found: Mapping[str, object]) -> Move:
    numbers = _numbers(
        _first(found, "numbers", "number", "sections", "section", "ids", "id", "node", "nodes", "target")
    )
    text = _text(_first(found, "text", "query", "reference", "question", "target", "answer"))
    given = _first(found, "parts", "questions", "subquestions")
    parts = tuple(part for part in map(_text, given) if part) if isinstance(given, list) else _parts(text)
    return Move(
        action, tuple(dict.fromkeys(numbers)), text, parts, _text(_first(found, "reason", "why", "thinking", "thought"))
    )


def _action(name: str) -> str:
    tidy = re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_")
    return tidy if tidy in ACTIONS else _SYNONYMS.get(tidy, "")


def _first(found: Mapping[str, object], *keys: str) -> object:
    folded = {str(key).lower(): value for key, value in found.items()}
    return next((folded[key] for key in keys if folded.get(key) is not None), None)


def _numbers(value: object) -> list[int]:
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int | float):
        return [int(value)] if abs(value) < 10**9 else []
    if isinstance(value, str):
        return [int(digits) for digits in re.findall(r"(?<![\w.])\d{1,6}(?!\.?\d)(?![^\W\d_])", value)]
    if isinstance(value, list):
        return [number for item in value[:MOST_NUMBERS] for number in _numbers(item)]
    if isinstance(value, Mapping):
        return _numbers(_first({str(k): v for k, v in value.items()}, "number", "id", "section", "node"))
    return []


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in re.split(r"[|;\n]", text) if part.strip())
