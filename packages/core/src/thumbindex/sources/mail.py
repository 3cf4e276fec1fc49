"""Mail: a message, or a mailbox of messages; each message is a section, and so is each one quoted with its header."""

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
from .line_writer import LineWriter, TextRun

MAX_PARTS = 1000
"""Parts of one message that are read."""
_MAX_FILENAME = 200
"""Characters of the name of an attachment."""
_SEPARATOR = re.compile(rb"(?:\A|\n\r?\n)From [^\n]{1,300}\d{4}\r?\n(?=[A-Za-z-]+:)")
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


def _write_message(writer: LineWriter, message: Message) -> None:
    subject, sender, date = (_header(message, key) for key in ("Subject", "From", "Date"))
    parts, attached = _parts(message)
    kind = _content_type(message)
    if kind == "multipart/related" and not _header(message, "To"):
        # A page that a browser saved.
        for part in parts:
            _write_html(writer, _text(part))
        return
    line = writer.write([TextRun(f"Subject: {subject}" if subject else "Message")], level=1)
    if line is not None:
        name = re.sub(r"\s*<[^<>]*>\s*$", "", sender).strip(" \"'") or sender
        details = ", ".join(part for part in (name, date) if part)
        title = f"{subject or 'Message'} ({details})" if details else subject or "Message"
        writer.marks[-1] = replace(writer.marks[-1], title=title)
    for key in _SHOWN_FIELDS:
        if value := _header(message, key):
            writer.write([TextRun(f"{key}: {value}")], tight=True)
    for part in parts:
        text = _text(part)
        if _content_type(part) == "text/html":
            _write_html(writer, text)
        else:
            writer.write_preformatted(text)
    for filename in attached:
        writer.write([TextRun(f"Attachment: {filename}")])


def _write_html(writer: LineWriter, text: str) -> None:
    """Writes a message in HTML; its own headings are below the message's."""
    from .html import parse_html, write_html

    count = len(writer.marks)
    write_html(writer, parse_html(text, writer.name))
    if count:
        writer.marks[count:] = [replace(mark, level=min(mark.level + 1, MAX_LEVEL)) for mark in writer.marks[count:]]


def _parts(message: Message) -> tuple[list[Message], list[str]]:
    """Returns the parts to read, of alternatives the plain one, and the names of attachments."""
    chosen: list[Message] = []
    attached: list[str] = []
    pending: list[Message] = [message]
    count = 0
    while pending and count < MAX_PARTS:
        part = pending.pop(0)
        count += 1
        kind = _content_type(part)
        payload = part.get_payload() if part.is_multipart() else None
        if isinstance(payload, list):
            inner = [child for child in payload if isinstance(child, Message)]
            if kind == "multipart/alternative":
                plain = [child for child in inner if _content_type(child) == "text/plain" and _text(child).strip()]
                inner = plain[:1] or inner[-1:]
            pending[:0] = inner
        elif kind in ("text/plain", "text/html") and _disposition(part) != "attachment":
            chosen.append(part)
        elif name := _filename(part):
            attached.append(name)
    return chosen, attached


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
