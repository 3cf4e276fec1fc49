"""ZIP archives that contain a document, such as Word files and e-books, read with limits: a small file can unpack to any size."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree

from ..errors import DamagedSource, PasswordNeeded, SourceLimit, UnsupportedSource

MAX_MEMBER = 192 << 20
"""Unpacked bytes of one member. The text of the longest Word files seen takes some 50 MB."""
MAX_TOTAL = 768 << 20
"""Unpacked bytes of all members that are read."""
MAX_DEPTH = 400
"""Depth of nested XML elements. Tables in tables in text boxes reach some 60."""
_PIECE = 1 << 20
"""Bytes parsed in one call: during a call nothing else in this process runs, and nothing could see it grow."""


class Archive:
    """An open archive, whose failures are our errors.

    Args:
        data: Bytes of the archive.
        name: Name of the document in errors.

    Raises:
        DamagedSource: It is not an archive, or an incomplete one.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._read = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._names = {item.filename: item for item in self._zip.infolist()}
        except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError, UnicodeDecodeError):
            raise DamagedSource(
                name, "it is a ZIP archive that is broken or cut off.", "Copy or download it again."
            ) from None

    def __contains__(self, member: str) -> bool:
        return member in self._names

    def names(self) -> list[str]:
        """Returns the names of all members."""
        return list(self._names)

    def read(self, member: str) -> bytes:
        """Returns the bytes of one member.

        Raises:
            DamagedSource: It is missing or broken.
            PasswordNeeded: It is encrypted.
            UnsupportedSource: Its compression is unknown.
            SourceLimit: It is too large, or all members that were read are.
        """
        item = self._names.get(member)
        if item is None:
            raise DamagedSource(
                self.name, f"its part {member!r} is missing.", "Open it in its program and save it again."
            )
        if item.flag_bits & 1:
            raise PasswordNeeded(
                self.name, "its parts are encrypted.", "Unpack it with its password and add the file inside."
            )
        limit = min(MAX_MEMBER, MAX_TOTAL - self._read)
        try:
            with self._zip.open(item) as file:
                data = file.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, OverflowError):
            raise DamagedSource(
                self.name, f"its part {member!r} is broken.", "Open it in its program and save it again."
            ) from None
        except (NotImplementedError, RuntimeError):
            raise UnsupportedSource(
                self.name,
                f"its part {member!r} has an unknown compression.",
                "Open it in its program and save it again.",
            ) from None
        if len(data) > limit:
            raise SourceLimit(self.name, f"it unpacks to over {limit >> 20:,} MiB.", "Split it into parts.")
        self._read += len(data)
        return data

    def xml(self, member: str) -> ElementTree.Element:
        """Returns the root element of an XML member. Entities are refused, and nothing is loaded from elsewhere.

        Raises:
            DamagedSource: It is not well-formed XML, declares entities, or nests too deep.
        """
        data = self.read(member)
        broken = DamagedSource(
            self.name, f"its part {member!r} is not well-formed XML.", "Open it in its program and save it again."
        )
        # In UTF-16 there is a NUL beside every ASCII character.
        if b"<!ENTITY" in data.replace(b"\x00", b""):
            raise DamagedSource(
                self.name, f"its part {member!r} declares entities, which no such file needs.", "Do not open it."
            )
        try:
            parser = ElementTree.XMLParser()
            for start in range(0, len(data), _PIECE):
                parser.feed(data[start : start + _PIECE])
            root = parser.close()
        except (ElementTree.ParseError, ValueError, LookupError):
            raise broken from None
        level = [root]
        depth = 0
        while level:
            depth += 1
            if depth > MAX_DEPTH:
                raise DamagedSource(
                    self.name,
                    f"its part {member!r} is nested over {MAX_DEPTH} deep.",
                    "Open it in its program and save it again.",
                )
            level = [child for element in level for child in element]
        return root


def joined_path(base: str, path: str) -> str:
    """Returns a path relative to a folder of an archive as a path from its root."""
    parts = [part for part in base.split("/") if part]
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def local_name(element: ElementTree.Element) -> str:
    """Returns an element's name without its namespace, which differs between variants of a format."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def all_named(root: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    """Yields the elements with a local name, the root and its descendants, in the order of the file."""
    return (element for element in root.iter() if local_name(element) == name)
