"""ZIP archives that hold a document (Word files, e-books), opened with limits: a small file can unpack to any size."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree

from ..errors import DamagedSource, PasswordNeeded, SourceLimit, UnsupportedSource

MAX_MEMBER = 192 << 20
"""Bytes of one part, unpacked. The text of the longest Word files seen takes some 50 MB."""
MAX_TOTAL = 768 << 20
"""Bytes of all parts that are read."""
MAX_DEPTH = 400
"""Elements around an element. Tables in tables in text boxes come to some 60."""
_PIECE = 1 << 20


class Archive:
    """An open archive; every failure is one of our errors.

    Raises:
        DamagedSource: it is no archive, or cut off.
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
        """Names of all members."""
        return list(self._names)

    def read(self, member: str) -> bytes:
        """The bytes of one member.

        Raises:
            DamagedSource: it is not there, or broken. PasswordNeeded: it is encrypted. SourceLimit: it is too large.
        """
        item = self._names.get(member)
        if item is None:
            raise DamagedSource(
                self.name, f"its part {member!r} is missing.", "Open it in its program and save it anew."
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
                self.name, f"its part {member!r} is broken.", "Open it in its program and save it anew."
            ) from None
        except (NotImplementedError, RuntimeError):
            raise UnsupportedSource(
                self.name,
                f"its part {member!r} is packed in an unknown way.",
                "Open it in its program and save it anew.",
            ) from None
        if len(data) > limit:
            raise SourceLimit(self.name, f"it unpacks to over {limit >> 20:,} MiB.", "Split it into parts.")
        self._read += len(data)
        return data

    def xml(self, member: str) -> ElementTree.Element:
        """The root element of a member that is XML.

        Entities are refused and none is ever loaded from elsewhere.

        Raises:
            DamagedSource: it is no XML, declares entities, or nests too deep.
        """
        data = self.read(member)
        broken = DamagedSource(
            self.name, f"its part {member!r} is no well-formed XML.", "Open it in its program and save it anew."
        )
        # In UTF-16 there is a NUL beside every letter.
        if b"<!ENTITY" in data.replace(b"\x00", b""):
            raise DamagedSource(
                self.name, f"its part {member!r} declares entities, which no such file needs.", "Do not open it."
            )
        try:
            parser = ElementTree.XMLParser()
            # In pieces: in one call the parser would hold the interpreter, and nothing in this process could see it grow.
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
                    "Open it in its program and save it anew.",
                )
            level = [child for element in level for child in element]
        return root


def joined_path(base: str, path: str) -> str:
    """A path inside an archive as seen from a folder of it: `..` goes up."""
    parts = [part for part in base.split("/") if part]
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def local_name(element: ElementTree.Element) -> str:
    """An element's name without its namespace, in which the dialects of a format differ."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def all_named(root: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    """Elements of that local name, the root and those below it, in the order of the file."""
    return (element for element in root.iter() if local_name(element) == name)
