"""Markdown and plain text: the lines of the file, one to one, and what its front matter says.

Which lines are headings is decided later, by `thumbindex.headings.markup`; here nothing is parsed but the front matter.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence

from ..errors import EmptySource
from ..pages import Document, Line, MetadataValue
from ..text.front_matter import front_matter_length
from .text import split_lines

MAX_FRONT_MATTER = 65_536
"""Characters of front matter that are parsed; a longer one is skipped like the rest but its values are not read."""


def read_markdown(text: str, name: str) -> Document:
    """The document that a Markdown or plain text holds.

    `lines` are the lines of the file, front matter included, so that line numbers are those an editor shows.
    `metadata` is its front matter.

    Raises:
        EmptySource: the text is empty or only white space.
    """
    lines = split_lines(text.removeprefix("\ufeff"))
    if not any(line.strip() for line in lines):
        raise EmptySource(name, "the file holds no text.", "Check that it was saved or downloaded completely.")
    return Document(name, "markdown", tuple(Line(line) for line in lines), metadata=front_matter(lines))


def front_matter(lines: Sequence[str]) -> dict[str, MetadataValue]:
    """The plain values of the front matter: scalars, dates as ISO strings, and lists of scalars as strings.

    Nested values are dropped. Broken YAML gives one entry `front_matter_error` that says why: the text is still good.
    """
    block = "\n".join(lines[1 : max(1, front_matter_length(lines) - 1)])
    if not block.strip():
        return {}
    if len(block) > MAX_FRONT_MATTER:
        return {"front_matter_error": f"not read: longer than {MAX_FRONT_MATTER:,} characters"}
    # Only files with front matter pay for the import.
    import yaml

    class Loader(yaml.SafeLoader):
        """SafeLoader without aliases and deep nesting: both let a few lines grow without bound."""

        depth = 0

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("aliases (*name) are not read")
            if self.depth >= 20:
                raise yaml.YAMLError("nested more than 20 deep")
            self.depth += 1
            try:
                return super().compose_node(parent, index)
            finally:
                self.depth -= 1

    try:
        loaded = yaml.load(block, Loader)
    # Beside YAMLError, PyYAML's constructors let these out on values such as `2024-13-45` or `!!bool maybe`.
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        return {"front_matter_error": " ".join(f"not read: {error}".split())[:300]}
    if not isinstance(loaded, dict):
        return {}
    found: dict[str, MetadataValue] = {}
    for key, value in loaded.items():
        plain = _plain(value)
        if isinstance(key, str | int | float) and (plain is not None or value is None):
            found[str(key)] = plain
    return found


def _plain(value: object) -> MetadataValue:
    """A YAML value as metadata; None also for what metadata cannot hold."""
    if isinstance(value, list):
        items = [_plain(item) for item in value]
        if any(item is None or isinstance(item, list) for item in items):
            return None
        return [item if isinstance(item, str) else str(item) for item in items]
    if isinstance(value, datetime.date):  # and datetime, its subclass
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str | int | float | bool):
        return value
    return None
