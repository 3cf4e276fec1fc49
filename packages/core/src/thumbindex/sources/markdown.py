"""Markdown: the lines of the file, one to one, and its front matter as metadata.

Headings are found later, by `thumbindex.headings.markup`; only the front matter is parsed here.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence

from ..errors import EmptySource
from ..pages import Document, Line, MetadataValue
from ..text.front_matter import front_matter_length
from .encoding import split_lines

MAX_FRONT_MATTER = 65_536
"""Characters of front matter that are parsed; the values of a longer one are not read."""
MAX_NESTING = 20
"""Depth of nested values in front matter."""
_ERROR_CHARACTERS = 300
"""Characters of a YAML error that are reported."""


def read_markdown(text: str, name: str) -> Document:
    """Returns the document in a Markdown text, with its front matter as metadata.

    The document's lines are those of the file, front matter included, so that line numbers are those an editor shows.

    Raises:
        EmptySource: The text is empty or only white space.
    """
    lines = split_lines(text.removeprefix("\ufeff"))
    if not any(line.strip() for line in lines):
        raise EmptySource(name, "the file contains no text.", "Check that it was saved or downloaded completely.")
    return Document(name, "markdown", tuple(Line(line) for line in lines), metadata=front_matter(lines))


def front_matter(lines: Sequence[str]) -> dict[str, MetadataValue]:
    """Returns the plain values of the front matter: scalars, dates as ISO strings, and lists of scalars as strings.

    Nested values are dropped. Invalid YAML gives one entry, `front_matter_error`, with the reason: the text is still valid.
    """
    block = "\n".join(lines[1 : max(1, front_matter_length(lines) - 1)])
    if not block.strip():
        return {}
    if len(block) > MAX_FRONT_MATTER:
        return {"front_matter_error": f"not read: longer than {MAX_FRONT_MATTER:,} characters"}
    # Imported here: only files with front matter need it.
    import yaml

    class Loader(yaml.SafeLoader):
        """SafeLoader without aliases and deep nesting, which let a few lines grow without bound."""

        depth = 0

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("aliases (*name) are not read")
            if self.depth >= MAX_NESTING:
                raise yaml.YAMLError(f"nested more than {MAX_NESTING} deep")
            self.depth += 1
            try:
                return super().compose_node(parent, index)
            finally:
                self.depth -= 1

    try:
        loaded = yaml.load(block, Loader)
    # Besides YAMLError, PyYAML's constructors raise these for values such as `2024-13-45` or `!!bool maybe`.
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        return {"front_matter_error": " ".join(f"not read: {error}".split())[:_ERROR_CHARACTERS]}
    if not isinstance(loaded, dict):
        return {}
    metadata: dict[str, MetadataValue] = {}
    for key, value in loaded.items():
        plain = _plain(value)
        if isinstance(key, str | int | float) and (plain is not None or value is None):
            metadata[str(key)] = plain
    return metadata


def _plain(value: object) -> MetadataValue:
    """Returns a YAML value as metadata; None also for values that metadata cannot represent."""
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
