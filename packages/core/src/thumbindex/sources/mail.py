"""Mail: a message, or a mailbox of messages; each message is a section, and one attached to it is a section below it."""

from __future__ import annotations

import email
import email.errors
import email.policy
import re
from collections.abc import Iterator
from dataclasses import replace
from email.message import Message

from ..outline import MAX_LEVEL
from ..pages import Document, MetadataValue
from .calendar import calendar_lines
from .line_writer import LineWriter, TextRun

MAX_PARTS = 1000
"""Parts of one message that are read."""
MAX_ATTACHED = 10
"""Messages attached to one another, one inside the next, that are read."""
MISSING_WORDS = 0.5
"""Share of the words of an HTML alternative that the plain one lacks, from which the plain one is only a stand-in for it.

Programs make one from the other, so that nearly all words are in both; "open this message in a browser" has few of them.
"""
_MAX_FILENAME = 200
"""Characters of the name of an attachment."""
_SEPARATOR = re.compile(rb"(?:\A|\n\r?\n)From [^\n]{1,300}\d{4}\r?\n(?=[A-Za-z-]+:)")
_WORD = re.compile(r"\w+")
_READ = frozenset({"text/plain", "text/html"})
_SHOWN_FIELDS = ("From", "To", "Cc", "Date")


def read_mail(data: bytes, name: str) -> Document:
    """Returns the document in a message (EML), a mailbox (mbox) or a saved page (MHTML).

    Its metadata are the first message's subject as title, its sender as author, and its date.

    Raises:
        EmptySource: No message has any text.
    """
    writer = LineWriter(name)
    metadata: dict[str, MetadataValue] = {}
    for message in _messages(data):
        if not metadata:
            metadata = _metadata(message)
        _write_message(writer, message)
    return writer.document("mail", metadata)


def write_saved_page(writer: LineWriter, data: bytes) -> None:
    """Writes the HTML of a page that a browser or a program saved with its images (MHTML, RFC 2557)."""
    for message in _messages(data):
        for part in _parts(writer, message)[0]:
            if _content_type(part) == "text/html":
                _write_html(writer, _text(part), 0)


def _messages(data: bytes) -> Iterator[Message]:
    data = data.lstrip(b"\xef\xbb\xbf\r\n")
    starts = [match.end() for match in _SEPARATOR.finditer(data)] if data.startswith(b"From ") else []
    for start, end in zip(starts or [0], [*starts[1:], len(data)], strict=False):
        yield email.message_from_bytes(data[start:end].lstrip(), policy=email.policy.default)


def _metadata(message: Message) -> dict[str, MetadataValue]:
    values = {
        "title": _header(message, "Subject"),
        "author": _header(message, "From"),
        "date": _header(message, "Date"),
    }
    return {key: value for key, value in values.items() if value}


def _header(message: Message, key: str) -> str:
    """Returns the decoded text of a header field; empty where it is missing or broken."""
    try:
        return " ".join(str(message.get(key, "")).split())
    # Header fields are parsed on access, and the parser raises these for hostile ones.
    except (email.errors.MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""


def _write_message(writer: LineWriter, message: Message, depth: int = 0) -> None:
    """Writes a message, and those attached to it one level below; `depth` is the number of messages around it."""
    subject, sender, date = (_header(message, key) for key in ("Subject", "From", "Date"))
    parts, attached = _parts(writer, message)
    if _content_type(message) == "multipart/related" and not _header(message, "To"):
        # A page that a browser saved.
        for part in parts:
            _write_html(writer, _text(part), 0)
        return
    line = writer.write([TextRun(f"Subject: {subject}" if subject else "Message")], level=min(depth + 1, MAX_LEVEL))
    if line is not None:
        name = re.sub(r"(?<!\s)\s*+<[^<>]*+>\s*+$", "", sender).strip(" \"'") or sender
        details = ", ".join(part for part in (name, date) if part)
        title = f"{subject or 'Message'} ({details})" if details else subject or "Message"
        writer.marks[-1] = replace(writer.marks[-1], title=title)
    for key in _SHOWN_FIELDS:
        if value := _header(message, key):
            writer.write([TextRun(f"{key}: {value}")], tight=True)
    inner: list[Message] = []
    for part in parts:
        kind = _content_type(part)
        if kind == "message/rfc822":
            payload = part.get_payload()
            inner += [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []
        elif kind == "text/html":
            _write_html(writer, _text(part), depth + 1)
        elif kind == "text/calendar":
            for text in calendar_lines(_text(part)):
                writer.write([TextRun(text)])
        else:
            writer.write_preformatted(_text(part))
    for filename in attached:
        writer.write([TextRun(f"Attachment: {filename}")])
    # After the message's own text, which would otherwise be part of the last one.
    for child in inner:
        if depth + 1 >= MAX_ATTACHED:
            writer.notes.append(f"Messages attached more than {MAX_ATTACHED} deep were not read.")
            break
        _write_message(writer, child, depth + 1)


def _write_html(writer: LineWriter, text: str, level: int) -> None:
    """Writes a message in HTML; its own headings are below the message's, which has this level."""
    from .html import parse_html, write_html

    count = len(writer.marks)
    write_html(writer, parse_html(text, writer.name))
    writer.marks[count:] = [replace(mark, level=min(mark.level + level, MAX_LEVEL)) for mark in writer.marks[count:]]


def _parts(writer: LineWriter, message: Message) -> tuple[list[Message], list[str]]:
    """Returns the parts to read, of alternatives the one that says most, and the names of attachments."""
    chosen: list[Message] = []
    attached: list[str] = []
    unread: list[str] = []
    pending: list[Message] = [message]
    count = 0
    while pending:
        part = pending.pop(0)
        count += 1
        if count > MAX_PARTS:
            writer.notes.append(f"Parts of a message after the first {MAX_PARTS:,} were not read.")
            break
        kind = _content_type(part)
        payload = part.get_payload() if part.is_multipart() else None
        if kind == "message/rfc822" and part is not message:
            chosen.append(part)
        elif isinstance(payload, list):
            inner = [child for child in payload if isinstance(child, Message)]
            pending[:0] = _best_alternative(writer, inner) if kind == "multipart/alternative" else inner
        elif (kind in _READ and _disposition(part) != "attachment") or kind == "text/calendar":
            chosen.append(part)
        elif name := _filename(part):
            attached.append(name)
        elif not kind.startswith("image/"):
            unread.append(kind)
    for kind in dict.fromkeys(unread):
        writer.notes.append(f"A part of a message was not read: it is {kind}.")
    return chosen, attached


def _best_alternative(writer: LineWriter, alternatives: list[Message]) -> list[Message]:
    """Returns the plain alternative, unless HTML says far more; an invitation beside either counts as part of the text."""
    plain = next((part for part in alternatives if _content_type(part) == "text/plain" and _text(part).strip()), None)
    rich = next(
        (part for part in reversed(alternatives) if _content_type(part) not in ("text/plain", "text/calendar")), None
    )
    events = [part for part in alternatives if _content_type(part) == "text/calendar"]
    if plain is None or rich is None:
        best = plain or rich
        return [*([best] if best is not None else []), *events]
    html = next((part for part in rich.walk() if _content_type(part) == "text/html"), None)
    if html is not None:
        words, plain_words = _words(_html_text(writer.name, _text(html))), _words(_text(plain))
        if len(words - plain_words) >= MISSING_WORDS * len(words) and len(words) > len(plain_words):
            return [rich, *events]
    return [plain, *events]


def _html_text(name: str, text: str) -> str:
    from .html import parse_html, write_html

    scratch = LineWriter(name)
    write_html(scratch, parse_html(text, name))
    return "\n".join(line.text for line in scratch.lines)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _content_type(part: Message) -> str:
    try:
        return part.get_content_type()
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return "application/octet-stream"


def _disposition(part: Message) -> str | None:
    try:
        return part.get_content_disposition()
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _filename(part: Message) -> str:
    try:
        return " ".join((part.get_filename() or "").split())[:_MAX_FILENAME]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""


def _text(part: Message) -> str:
    from .encoding import decode_declared

    try:
        raw = part.get_payload(decode=True)
        charset = part.get_content_charset() or ""
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
    if not isinstance(raw, bytes):
        return ""
    return decode_declared(raw, charset).replace("\r\n", "\n").replace("\x00", "")
