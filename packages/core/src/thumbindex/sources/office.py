"""Parts that Word files and presentations share (ECMA-376 part 2: core properties)."""

from __future__ import annotations

import re

from ..errors import SourceError
from ..pages import MetadataValue
from .archive import Archive, local_name

MAX_VALUE = 500
"""Characters of a metadata value."""

_PROPERTIES = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "category": "category",
    "description": "description",
    "language": "language",
    "created": "created",
    "modified": "modified",
    "lastModifiedBy": "last_modified_by",
}


def core_properties(archive: Archive) -> dict[str, MetadataValue]:
    """Returns the core properties of an Office file: title, author, subject, keywords, dates."""
    metadata: dict[str, MetadataValue] = {}
    part = next((member for member in archive.names() if member.lower() == "docprops/core.xml"), None)
    if part is None:
        return metadata
    try:
        root = archive.xml(part)
    except SourceError:
        return metadata  # the text can be read all the same
    for element in root:
        key = _PROPERTIES.get(local_name(element))
        value = " ".join((element.text or "").split())
        if key and value:
            metadata[key] = value[:MAX_VALUE]
    return metadata


def whole_number(text: str | None) -> int | None:
    """Returns the value of an attribute as a number; None where it is missing or not a number of at most nine digits."""
    return int(text) if text is not None and re.fullmatch(r"-?\d{1,9}", text.strip()) else None
