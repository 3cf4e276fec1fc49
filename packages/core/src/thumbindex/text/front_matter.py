"""The YAML block at the start of a Markdown text: where it ends. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_KEY = re.compile(r"""["']?\w[^:]*+:(\s|$)""")


def front_matter_length(lines: Sequence[str]) -> int:
    """Return the number of lines of a text's YAML front matter, both fences included; 0 without one.

    It starts on line 1 with `---`, ends with `---` or `...`, and its first entry reads `key:`. So a text that opens
    with a thematic break keeps its first heading.
    """
    if not lines or lines[0].rstrip() != "---":
        return 0
    entry_seen = False
    for number, line in enumerate(lines[1:], 2):
        stripped = line.rstrip()
        if stripped in ("---", "..."):
            return number
        if not entry_seen and stripped and not stripped.startswith("#"):
            if not _KEY.match(stripped):
                return 0
            entry_seen = True
    return 0
