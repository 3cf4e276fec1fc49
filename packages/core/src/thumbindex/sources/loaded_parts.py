"""Parts of a text as other readers give them: chunks joined again, and page labels turned into page numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def join_chunks(chunks: Iterable[tuple[str, int | None]]) -> str:
    """Joins the chunks that a splitter cut from one text, without repeating what two of them share.

    >>> join_chunks([("The pump turns.", 0), ("turns. It stops.", 9)])
    'The pump turns. It stops.'

    Args:
        chunks: Text and offset of each chunk in characters, in reading order; None where the offset is unknown.
    """
    joined, end = "", None
    for number, (text, start) in enumerate(chunks):
        following = None if start is None else start + len(text)
        if number == 0:
            joined, end = text, following
        elif start is None or following is None or end is None:
            joined += f"\n{text}"
        else:
            gap = start - end
            # A splitter drops the blanks between two chunks; their number tells a new paragraph from a new line.
            joined += "\n" * min(2, gap) + text if gap > 0 else text[-gap:]
            end = max(end, following)
    return joined


def pages_from_labels(labels: Sequence[str | None]) -> list[int | None]:
    """Physical pages, 1-based, of texts whose page labels are known; None for all of them where no text has a label.

    Labels that count up from 1 are the pages. Otherwise pages are counted in the order of the texts: neighbours with the same
    label are on one page, and a text without a label is on the page of the text before it.

    >>> pages_from_labels(["i", "ii", "ii", None, "1"])
    [1, 2, 2, 2, 3]
    """
    if all(label is None for label in labels):
        return [None] * len(labels)
    numbers = [int(label) for label in labels if label is not None and label.isdecimal()]
    if len(numbers) == len(labels) and numbers == sorted(numbers) and numbers[0] == 1:
        return list(numbers)
    pages: list[int | None] = []
    page = 0
    for number, label in enumerate(labels):
        if number == 0 or (label is not None and label != labels[number - 1]):
            page += 1
        pages.append(page)
    return pages
