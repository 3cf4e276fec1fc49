"""Parts of other formats that a Word file embeds, which Word turns into paragraphs when it opens the file."""

from __future__ import annotations

from ...errors import SourceError
from ..archive import Archive
from ..encoding import decode
from ..line_writer import LineWriter

MAX_DEPTH = 3
"""Word files that embed each other, one inside the next, that are read."""


def write_embedded(writer: LineWriter, path: str, data: bytes, depth: int) -> None:
    """Writes an embedded HTML page, saved page (MHT), text or Word file; a note names one that cannot be read.

    Args:
        path: Path of the part in the Word file.
        depth: Number of Word files around the part's own file.

    Raises:
        MissingExtra: lxml is not installed.
    """
    ending = path.rpartition(".")[2].lower()
    try:
        if ending in ("html", "htm", "xhtml"):
            from ..html import parse_html, write_html

            write_html(writer, parse_html(decode(data, writer.name).text, writer.name))
        elif ending in ("mht", "mhtml"):
            from ..mail import write_saved_page

            write_saved_page(writer, data)
        elif ending == "txt":
            writer.write_preformatted(decode(data, writer.name).text)
        elif ending in ("docx", "docm") and depth < MAX_DEPTH:
            from . import write_docx

            write_docx(writer, Archive(data, writer.name), depth + 1)
        else:
            writer.notes.append(f"The embedded part {path} was not read: save the file again in Word.")
    except SourceError as error:
        writer.notes.append(f"The embedded part {path} was not read: {error.what}")
