"""A backtracking matcher that counts its steps, and strings that make a backtracking matcher slow.

`re` cannot say how much work a match took, and time depends on the machine. This matcher interprets the parsed expression in the
order in which `re` tries its alternatives, so the growth of its steps is the growth of the time that `re` takes.

Repetitions with an upper bound are counted as if the bound were `BOUND`: with their real bounds they look quadratic until a text is
longer than the bound.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

BOUND = 5
UNBOUNDED = 1000
"""An upper bound from here on counts as none: within it a quadratic expression already takes a second."""

STEPS = 400_000
"""More steps for one string than any linear expression needs."""

SHORT, PIECES, TIMES = 32, 4, 8
"""The short string has this many characters, and at least this many pieces; the long one has `TIMES` as many pieces."""
RATIO = 16.0
"""The long string may take this many times the steps of the short one: 8 where they grow with the length, 64 with its square."""
STEPS_PER_CHARACTER = 6
"""Fewer steps for each character than these are not compared: there the ends of a string decide the ratio."""

GENERIC = (
    *" \t\n.,-–_:;(){}[]<>/\\\"'*#=|&%$§·…0aAiIж第",
    "1.", ". ", " .", "1 ", "a ", "A ", "a.", "a,", "1,", "1-", "1, ", " 1", "- ", "\n ", " \n", "a\n", "1\n", "..1", "(1", "((a",
    "a(", "(a)", "[a", "[1]", "“a", "\"a", "Note 1   ", "see Note 14 ", "p. 1, ", "Item 1. ", "and ", ", and ", "AbC9+/", "<a ",
    "<a>", "<!--", "a: ", "a=", "://", "\r\n",
)  # fmt: skip
"""Pieces that are repeated for every expression."""

Matcher = Callable[[int], int]


class TooManySteps(Exception):
    """A match took more than `STEPS` steps."""


class Steps:
    """Counts the steps of one expression."""

    def __init__(self, expression: re.Pattern[str] | re.Pattern[bytes]) -> None:
        source = expression.pattern
        if isinstance(source, bytes):
            source = source.decode("latin-1")
        self.flags = expression.flags & ~re.UNICODE if isinstance(expression.pattern, bytes) else expression.flags
        self.tree = parser.parse(source, self.flags)
        self.text = ""
        self.groups: dict[int, tuple[int, int]] = {}
        self.steps = 0
        self._match = self._sequence(list(self.tree), lambda end: end, self.flags)

    def count(self, text: str, *, anchored: bool) -> int:
        """Returns the steps of a match at the start, or of all matches one after the other.

        Raises:
            TooManySteps: It takes more than `STEPS`.
        """
        self.text, self.steps = text, 0
        start = 0
        while start <= len(text):
            self.groups = {}
            self._step()
            end = self._match(start)
            if anchored:
                break
            start = end if end > start else start + 1
        return self.steps

    def _step(self, number: int = 1) -> None:
        self.steps += number
        if self.steps > STEPS:
            raise TooManySteps

    def _sequence(self, items: list[Any], following: Matcher, flags: int) -> Matcher:
        for item in reversed(items):
            following = self._item(item, following, flags)
        return following

    def _item(self, item: tuple[Any, Any], following: Matcher, flags: int) -> Matcher:
        op, value = item
        accepts = accepted(op, value, flags)
        if accepts is not None:

            def character(start: int) -> int:
                self.steps += 1
                if start < len(self.text) and accepts(self.text[start]):
                    return following(start + 1)
                return -1

            return character
        if op is ops.SUBPATTERN:
            group, add, remove, inner = value
            changed = (flags | add) & ~remove
            if group is None:
                return self._sequence(list(inner), following, changed)
            starts: list[int] = []

            def close(end: int) -> int:
                before = self.groups.get(group)
                self.groups[group] = (starts[-1], end)
                opened = starts.pop()
                found = following(end)
                starts.append(opened)
                if found < 0:
                    if before is None:
                        del self.groups[group]
                    else:
                        self.groups[group] = before
                return found

            body = self._sequence(list(inner), close, changed)

            def opens(start: int) -> int:
                starts.append(start)
                found = body(start)
                starts.pop()
                return found

            return opens
        if op is ops.BRANCH:
            branches = [self._sequence(list(branch), following, flags) for branch in value[1]]

            def branch_at(start: int) -> int:
                for branch in branches:
                    self._step()
                    if (found := branch(start)) >= 0:
                        return found
                return -1

            return branch_at
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            return self._repeat(op, value, following, flags)
        if op is ops.ATOMIC_GROUP:
            alone = self._sequence(list(value), lambda end: end, flags)

            def atomic(start: int) -> int:
                self._step()
                end = alone(start)
                return following(end) if end >= 0 else -1

            return atomic
        if op in (ops.ASSERT, ops.ASSERT_NOT):
            direction, inner = value
            alone = self._sequence(list(inner), lambda end: end, flags)
            width = inner.getwidth()[0] if direction < 0 else 0
            wanted = op is ops.ASSERT

            def look(start: int) -> int:
                self._step()
                found = start >= width and alone(start - width) >= 0
                return following(start) if found == wanted else -1

            return look
        if op is ops.AT:

            def position(start: int) -> int:
                self.steps += 1
                return following(start) if self._at(value, start, flags) else -1

            return position
        if op is ops.GROUPREF:

            def repeated(start: int) -> int:
                if value not in self.groups:
                    return -1
                first, last = self.groups[value]
                self._step(last - first + 1)
                same = self.text.startswith(self.text[first:last], start)
                return following(start + last - first) if same else -1

            return repeated
        if op is ops.GROUPREF_EXISTS:
            group, then, otherwise = value
            first = self._sequence(list(then), following, flags)
            second = self._sequence(list(otherwise or []), following, flags)
            return lambda start: (first if group in self.groups else second)(start)
        raise NotImplementedError(f"{op} {value}")

    def _repeat(self, op: Any, value: Any, following: Matcher, flags: int) -> Matcher:
        least, most, inner = value
        endless = most is ops.MAXREPEAT or most >= UNBOUNDED
        limit = sys.maxsize if endless else min(int(most), BOUND)
        least = min(int(least), BOUND)
        body = list(inner)
        while len(body) == 1 and body[0][0] is ops.SUBPATTERN and body[0][1][0] is None:
            body = list(body[0][1][3])
        accepts = accepted(body[0][0], body[0][1], flags) if len(body) == 1 else None
        if accepts is not None:

            def run(start: int) -> int:
                text, end = self.text, start
                furthest = min(len(text), start + limit)
                if op is ops.MIN_REPEAT:
                    while True:
                        self._step()
                        if end - start >= least and (found := following(end)) >= 0:
                            return found
                        if end >= furthest or not accepts(text[end]):
                            return -1
                        end += 1
                while end < furthest and accepts(text[end]):
                    end += 1
                self._step(end - start + 1)
                if op is ops.POSSESSIVE_REPEAT:
                    return following(end) if end - start >= least else -1
                for tried in range(end, start + least - 1, -1):
                    self._step()
                    if (found := following(tried)) >= 0:
                        return found
                return -1

            return run
        if op is ops.POSSESSIVE_REPEAT:
            alone = self._sequence(list(inner), lambda end: end, flags)

            def possessive(start: int) -> int:
                times, end = 0, start
                while times < limit:
                    self._step()
                    reached = alone(end)
                    if reached < 0 or reached == end:
                        break
                    times, end = times + 1, reached
                return following(end) if times >= least else -1

            return possessive
        state: list[tuple[int, int]] = []

        def again(end: int) -> int:
            times, start = state.pop()
            try:
                if end == start and times >= least:
                    return -1
                return attempt(end, times + 1)
            finally:
                state.append((times, start))

        inside = self._sequence(list(inner), again, flags)

        def once_more(start: int, times: int) -> int:
            state.append((times, start))
            try:
                return inside(start)
            finally:
                state.pop()

        def attempt(start: int, times: int) -> int:
            self._step()
            if times < least:
                return once_more(start, times)
            if op is ops.MIN_REPEAT:
                found = following(start)
                return once_more(start, times) if found < 0 and times < limit else found
            found = once_more(start, times) if times < limit else -1
            return following(start) if found < 0 else found

        return lambda start: attempt(start, 0)

    def _at(self, where: Any, start: int, flags: int) -> bool:
        text = self.text
        if where is ops.AT_BEGINNING and flags & re.MULTILINE:
            return start == 0 or text[start - 1] == "\n"
        if where in (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING):
            return start == 0
        if where is ops.AT_END and flags & re.MULTILINE:
            return start == len(text) or text[start] == "\n"
        if where is ops.AT_END:
            return start == len(text) or (start == len(text) - 1 and text[start] == "\n")
        if where is ops.AT_END_STRING:
            return start == len(text)
        at_edge = (start > 0 and _is_word(text[start - 1])) != (start < len(text) and _is_word(text[start]))
        return at_edge == (where is ops.AT_BOUNDARY)


@cache
def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    ops.CATEGORY_DIGIT: str.isdecimal,
    ops.CATEGORY_NOT_DIGIT: lambda character: not character.isdecimal(),
    ops.CATEGORY_SPACE: str.isspace,
    ops.CATEGORY_NOT_SPACE: lambda character: not character.isspace(),
    ops.CATEGORY_WORD: _is_word,
    ops.CATEGORY_NOT_WORD: lambda character: not _is_word(character),
}


def accepted(op: Any, value: Any, flags: int) -> Callable[[str], bool] | None:
    """Returns the test of an item that takes one character, and None for all others."""
    if op is ops.ANY:
        return (lambda _: True) if flags & re.DOTALL else (lambda character: character != "\n")
    if op is ops.LITERAL:
        members, negated = [(ops.LITERAL, value)], False
    elif op is ops.NOT_LITERAL:
        members, negated = [(ops.LITERAL, value)], True
    elif op is ops.IN:
        negated = value[0][0] is ops.NEGATE
        members = value[1:] if negated else value
    else:
        return None
    known: dict[str, bool] = {}

    def holds(character: str) -> bool:
        for kind, content in members:
            if kind is ops.LITERAL and ord(character) == content:
                return True
            if kind is ops.RANGE and content[0] <= ord(character) <= content[1]:
                return True
            if kind is ops.CATEGORY and _CATEGORIES[content](character):
                return True
        return False

    def accepts(character: str) -> bool:
        answer = known.get(character)
        if answer is None:
            forms = {character}
            if flags & re.IGNORECASE:
                forms |= {form for form in (character.lower(), character.upper()) if len(form) == 1}
            answer = known[character] = any(map(holds, forms)) != negated
        return answer

    return accepts


_ALPHABET = [
    *map(chr, range(1, 127)),
    *"\xa0äÄß€·…–—“”‘’„«»§№•〈第一百二三零元年月日жЖαé漢かア한\u200d\u0301\ufffe\u00ad１",
]


def _items(tree: Any, flags: int) -> Iterator[Callable[[str], bool]]:
    for op, value in tree:
        accepts = accepted(op, value, flags)
        if accepts is not None:
            yield accepts
            continue
        for inner, changed in _inner(op, value, flags):
            yield from _items(inner, changed)


def _inner(op: Any, value: Any, flags: int) -> Iterator[tuple[Any, int]]:
    if op is ops.SUBPATTERN:
        yield value[3], (flags | value[1]) & ~value[2]
    elif op is ops.BRANCH:
        yield from ((branch, flags) for branch in value[1])
    elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        yield value[2], flags
    elif op is ops.ATOMIC_GROUP:
        yield value, flags
    elif op in (ops.ASSERT, ops.ASSERT_NOT):
        yield value[1], flags
    elif op is ops.GROUPREF_EXISTS:
        yield value[1], flags
        if value[2]:
            yield value[2], flags


def representatives(steps: Steps) -> list[str]:
    """Returns one character for each way in which the items of an expression accept characters."""
    items = [*_items(steps.tree, steps.flags)]
    found: dict[tuple[bool, ...], str] = {}
    for character in sorted(_ALPHABET, key=lambda character: (not character.isprintable(), not character.isalnum())):
        found.setdefault(tuple(accepts(character) for accepts in items), character)
    return [*found.values()]


def example(tree: Any, flags: int, chance: random.Random, stops: list[str] | None = None, before: str = "") -> str:
    """Returns a text that the items of a tree accept one after the other, without regard to assertions.

    `stops` receives the text that leads to each repetition without a bound.
    """
    made = ""
    for op, value in tree:
        accepts = accepted(op, value, flags)
        if accepts is not None:
            choices = [character for character in _ALPHABET if accepts(character)]
            if op is ops.LITERAL:
                made += chr(value)
            elif choices:
                made += chance.choice(choices)
        elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            least, most, inner = value
            if stops is not None and (most is ops.MAXREPEAT or most >= UNBOUNDED):
                stops.append(before + made)
            times = max(int(least), min(chance.choice((0, 1, 1, 2)), int(most)))
            for _ in range(min(times, BOUND)):
                made += example(inner, flags, chance, stops, before + made)
        elif op is ops.BRANCH:
            made += example(chance.choice(value[1]), flags, chance, stops, before + made)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            continue
        else:
            for inner, changed in _inner(op, value, flags):
                made += example(inner, changed, chance, stops, before + made)
                break
    return made


def hostile_strings(steps: Steps, seed: int = 0, more: int = 40) -> Iterator[tuple[str, str, str]]:
    """Returns start, repeated piece and end of strings against one expression.

    Args:
        steps: The expression.
        seed: Of the choices.
        more: Number of pieces made by chance from the expression's own characters and examples, and of ends that are tried for
            each start and piece.
    """
    chance = random.Random(seed)
    single = representatives(steps)
    for piece in dict.fromkeys((*GENERIC, *single)):
        yield "", piece, "\x01"
    stops: list[str] = []
    for _ in range(8):
        example(steps.tree, steps.flags, chance, stops)
    starts = sorted(set(stops))
    chance.shuffle(starts)
    for start in starts[: 4 + more // 5]:
        for piece in chance.sample(single, min(len(single), 6 + more)):
            for end in {"\x01", *chance.sample(single, min(len(single), more // 4))}:
                yield start, piece, end
        if start:
            yield "", start, "\x01"
    for _ in range(more):
        whole = example(steps.tree, steps.flags, chance)[:30]
        yield "", whole or " ", "\x01"
        yield whole, "".join(chance.choices(single, k=chance.choice((1, 2, 2, 3)))), chance.choice(single)
        cut = chance.randrange(len(whole) + 1)
        yield "", whole[:cut] + chance.choice(single), ""


def growth(steps: Steps, start: str, piece: str, end: str, *, anchored: bool) -> float:
    """Returns how many times the steps for a short string those for one of `TIMES` as many pieces are; 1 where they are few."""
    pieces = max(PIECES, SHORT // len(piece))
    text = start + piece * pieces * TIMES + end
    try:
        long = steps.count(text, anchored=anchored)
    except TooManySteps:
        return float("inf")
    if long <= STEPS_PER_CHARACTER * len(text):
        return 1.0
    return long / max(1, steps.count(start + piece * pieces + end, anchored=anchored))


def worst(
    expression: re.Pattern[str] | re.Pattern[bytes], *, anchored: bool, seed: int = 0, more: int = 40
) -> tuple[float, tuple[str, str, str]]:
    """Returns the greatest growth of one expression and the string that shows it."""
    steps = Steps(expression)
    found = (1.0, ("", "", ""))
    for parts in hostile_strings(steps, seed, more):
        found = max(found, (growth(steps, *parts, anchored=anchored), parts))
    return found
