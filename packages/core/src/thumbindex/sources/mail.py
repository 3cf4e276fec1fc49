"""Mail: a message, or a box of them; each is a section, and so are those that it quotes with their heads."""

from __future__ import annotations

import email
import email.errors
import email.policy
import re
from collections.abc import Iterator
from dataclasses import replace
from email.message import Message

from ..pages import Document, MetadataValue
from .flow import Flow, Piece

MAX_PARTS = 1000
"""Parts of one message."""
_BORDER = re.compile(rb"(?:\A|\n\r?\n)From [^\n]{1,300}\d{4}\r?\n(?=[A-Za-z-]+:)")
_SHOWN = ("From", "To", "Cc", "Date")


def read_mail(data: bytes, name: str) -> Document:
    """The document that a message (EML), a mail box (mbox) or a saved page (MHTML) holds.

    `metadata` is the first message's subject as title, its sender as author, and its date.

    Raises:
        EmptySource: no message has any text.
    """
    flow = Flow(name)
    metadata: dict[str, MetadataValue] = {}
    for message in _messages(data):
        if not metadata:
            metadata = _metadata(message)
        _write(flow, message)
    return flow.document("mail", metadata)


def _messages(data: bytes) -> Iterator[Message]:
    data = data.lstrip(b"\xef\xbb\xbf\r\n")
    borders = [match.end() for match in _BORDER.finditer(data)] if data.startswith(b"From ") else []
    for start, end in zip(borders or [0], [*borders[1:], len(data)], strict=False):
        yield email.message_from_bytes(data[start:end].lstrip(), policy=email.policy.default)


def _metadata(message: Message) -> dict[str, MetadataValue]:
    found = {"title": _header(message, "Subject"), "author": _header(message, "From"), "date": _header(message, "Date")}
    return {key: value for key, value in found.items() if value}


def _header(message: Message, key: str) -> str:
    """A header's words, decoded; empty where it is missing or broken."""
    try:
        return " ".join(str(message.get(key, "")).split())
    # Headers are parsed when they are asked for, and the parser lets out what it did not foresee in hostile ones.
    except (email.errors.MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""


def _write(flow: Flow, message: Message) -> None:
    subject, sender, date = (_header(message, key) for key in ("Subject", "From", "Date"))
    parts, attached = _parts(message)
    kind = _content_type(message)
    if kind == "multipart/related" and not _header(message, "To"):
        # A page that a browser saved.
        for part in parts:
            _write_html(flow, _text(part))
        return
    line = flow.write([Piece(f"Subject: {subject}" if subject else "Message")], level=1)
    if line is not None:
        name = re.sub(r"\s*<[^<>]*>\s*$", "", sender).strip(" \"'") or sender
        told = ", ".join(part for part in (name, date) if part)
        title = f"{subject or 'Message'} ({told})" if told else subject or "Message"
        flow.marks[-1] = replace(flow.marks[-1], title=title)
    for key in _SHOWN:
        if value := _header(message, key):
            flow.write([Piece(f"{key}: {value}")], tight=True)
    for part in parts:
        text = _text(part)
        if _content_type(part) == "text/html":
            _write_html(flow, text)
        else:
            flow.verbatim(text)
    for one in attached:
        flow.write([Piece(f"Attachment: {one}")])


def _write_html(flow: Flow, text: str) -> None:
    """Write a message in HTML; its own headings lie below the message's."""
    from .html import parse_html, write_html

    count = len(flow.marks)
    write_html(flow, parse_html(text, flow.name))
    if count:
        flow.marks[count:] = [replace(mark, level=min(mark.level + 1, 32)) for mark in flow.marks[count:]]


def _parts(message: Message) -> tuple[list[Message], list[str]]:
    """The parts to read, of alternatives the plain one, and the names of what is attached."""
    chosen: list[Message] = []
    attached: list[str] = []
    waiting: list[Message] = [message]
    count = 0
    while waiting and count < MAX_PARTS:
        part = waiting.pop(0)
        count += 1
        kind = _content_type(part)
        below = part.get_payload() if part.is_multipart() else None
        if isinstance(below, list):
            inner = [one for one in below if isinstance(one, Message)]
            if kind == "multipart/alternative":
                plain = [one for one in inner if _content_type(one) == "text/plain" and _text(one).strip()]
                inner = plain[:1] or inner[-1:]
            waiting[:0] = inner
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
        return " ".join((part.get_filename() or "").split())[:200]
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
