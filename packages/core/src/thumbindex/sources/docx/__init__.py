"""Word files (DOCX), read from their XML: the text that Word shows with all changes accepted.

No library found computes automatic numbers and places text boxes and notes, so the parts are read directly (ECMA-376 part 1,
WordprocessingML), with the standard library only. Headings are paragraphs with an outline level, from their style or their
own properties. Left out: headers and footers, comments, deleted and hidden text, generated tables of contents.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from ...errors import DamagedSource
from ...pages import Document
from ..archive import Archive
from ..line_writer import LineWriter
from ..office import core_properties
from .body import BodyWriter
from .embedded import write_embedded
from .parts import Parts

__all__ = ["read_docx"]

_MAIN_PART = "word/document.xml"


def read_docx(archive: Archive, name: str) -> Document:
    """Returns the document in a Word file; its metadata are the file's core properties.

    Raises:
        DamagedSource: The main part is missing or broken.
        EmptySource: There is no text.
        SourceLimit: The file is too large.
    """
    writer = LineWriter(name)
    body_writer = write_docx(writer, archive)
    metadata = core_properties(archive)
    if body_writer.titles and "title" not in metadata:
        metadata["title"] = body_writer.titles[0]
    return writer.document("docx", metadata)


def write_docx(writer: LineWriter, archive: Archive, depth: int = 0) -> BodyWriter:
    """Writes the text of a Word file, and returns the writer of its body.

    Args:
        depth: Number of Word files around this one, which embed each other.

    Raises:
        SourceError: As for `read_docx`.
    """
    main = _main_part(archive, writer.name)
    root = archive.xml(main)
    parts = Parts(archive, main, namespace=root.tag[: root.tag.find("}") + 1])

    def embed(element: Element) -> None:
        found = parts.embedded(element)
        if found is None:
            writer.notes.append("A part that the file embeds is missing from it.")
        else:
            write_embedded(writer, *found, depth)

    body_writer = BodyWriter(writer, parts, embed)
    body = parts.child(root, "body")
    if body is not None:
        body_writer.write_blocks(body)
    return body_writer


def _main_part(archive: Archive, name: str) -> str:
    if _MAIN_PART in archive:
        return _MAIN_PART
    if "_rels/.rels" in archive:
        for relation in archive.xml("_rels/.rels"):
            target = relation.get("Target", "").lstrip("/")
            if relation.get("Type", "").endswith("/officeDocument") and target in archive:
                return target
    raise DamagedSource(name, "it is a Word file without its text.", "Open it in Word and save it again.")
