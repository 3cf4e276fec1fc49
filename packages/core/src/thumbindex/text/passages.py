"""Splitting of long texts into passages: between pages, without cutting tables, after paragraphs or sentences. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .tables import table_over_break
from .tokens import estimate_tokens

MAX_PASSAGE_TOKENS = 700
"""Length up to which a text is one passage. A page of prose has 500 to 900 tokens, so a passage is about one page."""
SCRAP_SHARE = 1 / 3
"""Share of the maximum below which a passage is a scrap, such as the few lines before the next page begins."""
SENTENCE_END_COST, OTHER_CUT_COST = 0.15, 0.3
"""Cost of a cut after a sentence, and of one anywhere else, where a cut after a paragraph costs nothing; in shares of the
wanted length that a cut may be off instead."""

_SENTENCE_ENDS = (".", ":", ";", "?", "!", "。", "！", "？")


def split_lines(
    lines: Sequence[str],
    numbers: Sequence[int],
    page_of: Callable[[int], int | None],
    max_tokens: int = MAX_PASSAGE_TOKENS,
) -> list[list[int]]:
    """Group line numbers into passages of at most `max_tokens` tokens; a single longer line is a passage of its own.

    Pages are kept whole where they fit, and so are tables that run from one page to the next. A longer page is cut evenly,
    after a paragraph or at least after a sentence.

    Args:
        lines: All lines of the document.
        numbers: The lines to group, 1-based and ascending.
        page_of: Returns the page of a line; None without pages.
    """
    sizes = {number: max(1, estimate_tokens(lines[number - 1])) for number in numbers}
    if sum(sizes.values()) <= max_tokens:
        return [list(numbers)]
    return _Splitter(lines, sizes, max_tokens).split(numbers, page_of)


@dataclass(frozen=True, slots=True)
class _Splitter:
    """Splits lines of one document.

    Args:
        lines: All lines of the document.
        sizes: Tokens of the lines to split, by number.
        max_tokens: Of a passage.
    """

    lines: Sequence[str]
    sizes: dict[int, int]
    max_tokens: int

    def split(self, numbers: Sequence[int], page_of: Callable[[int], int | None]) -> list[list[int]]:
        pieces: list[list[int]] = []
        for block in self._blocks(numbers, page_of):
            pieces.extend(self._cut_evenly(block))
        # A scrap joins its neighbour, if both fit together.
        joined: list[list[int]] = []
        for piece in pieces:
            size = self._size(piece)
            previous = self._size(joined[-1]) if joined else self.max_tokens
            if previous + size <= self.max_tokens and min(previous, size) < int(self.max_tokens * SCRAP_SHARE):
                joined[-1].extend(piece)
            else:
                joined.append(piece)
        return joined

    def _size(self, numbers: Sequence[int]) -> int:
        return sum(self.sizes[number] for number in numbers)

    def _blocks(self, numbers: Sequence[int], page_of: Callable[[int], int | None]) -> Iterator[list[int]]:
        """Yields the lines page by page; a table that runs over the end of a page is a block of its own, if it fits."""
        by_page: dict[int | None, list[int]] = {}
        for number in numbers:
            by_page.setdefault(page_of(number), []).append(number)
        blocks = list(by_page.values())
        block = blocks[0]
        for following in blocks[1:]:
            texts = ([self.lines[number - 1] for number in part] for part in (block, following))
            table = table_over_break(*texts)
            if table is not None:
                above, below = table
                rows = block[-above:] + following[:below]
                if self._size(rows) <= self.max_tokens:
                    if block[:-above]:
                        yield block[:-above]
                    # The table may go on over the end of the next page too.
                    block, following = rows, following[below:]
            if following:
                yield block
                block = following
        yield block

    def _cut_evenly(self, numbers: list[int]) -> list[list[int]]:
        pieces: list[list[int]] = []
        remaining = self._size(numbers)
        while remaining > self.max_tokens and len(numbers) > 1:
            piece_count = -(-remaining // self.max_tokens)
            cut = self._best_cut(numbers, wanted=remaining / piece_count)
            pieces.append(numbers[:cut])
            remaining -= self._size(numbers[:cut])
            numbers = numbers[cut:]
        return [*pieces, numbers]

    def _best_cut(self, numbers: list[int], wanted: float) -> int:
        """Number of lines of the first piece, which has about `wanted` tokens."""
        size = 0
        best, best_cost = 1, float("inf")
        for count, number in enumerate(numbers[:-1], 1):
            size += self.sizes[number]
            if size > self.max_tokens:
                break
            cost = abs(size - wanted) / wanted
            if not self._has_blank_line(number + 1, numbers[count]):
                ends_sentence = self.lines[number - 1].rstrip().endswith(_SENTENCE_ENDS)
                cost += SENTENCE_END_COST if ends_sentence else OTHER_CUT_COST
            if cost <= best_cost:
                best, best_cost = count, cost
        return best

    def _has_blank_line(self, first: int, behind: int) -> bool:
        return any(not self.lines[number - 1].strip() for number in range(first, behind))
