"""Texts in which people take turns: messages with their headers, transcripts and chats, subtitles. Pure.

A message is a section. Turns of a talk are often one line, so short ones are gathered until they make a paragraph's worth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..outline import Heading

RULE_NAME = "conversation"
ENOUGH_TEXT = 1200
"""Characters from which gathered turns make a section: half a page."""
CLEAR, GATHERED = 0.9, 0.8
"""Confidence of a message's head or a time, and of turns that were gathered."""
HEAD_LINES = 14
"""Lines of a message's head at most."""
TIMED_SHARE = 0.1
"""Share of the lines of text that open a turn, where turns have times."""
SENTENCES = 0.6
"""Share of turns that must end as sentences do: records have keys too."""
NAME_CHARS = 50
"""Characters of a speaker's name."""
NAMES_SHOWN = 4
"""Speakers named in the title of gathered turns."""
MIN_TURNS = 6
LOOKED_AT = 1000
"""Characters of a line in which is looked for who speaks and when."""
TURNS_SHARE = 0.2
"""Share of the lines of text that open a turn, in a transcript without times."""
_TITLE_WORDS = 60

_FROM = "From|Von|De|Da|Van|От|Från|Fra"
_OTHER = (
    "Date|Sent|To|Cc|Bcc|Subject|Reply-To|Message-ID|Importance|Attachments|Datum|Gesendet|An|Betreff|Envoyé|À|A|Objet|"
    "Enviado|Para|Asunto|Data|Oggetto|Verzonden|Aan|Onderwerp|Дата|Кому|Тема|Отправлено|Skickat|Till|Ämne"
)
_FIELD = re.compile(rf"^(?:[>\s*]*)(?P<key>{_FROM}|{_OTHER})\*?\s?:\*?\s*(?P<value>.*)$", re.IGNORECASE)
_IS_FROM = re.compile(rf"^(?:{_FROM})$", re.IGNORECASE)
_IS_DATE = re.compile(
    r"^(?:date|sent|datum|gesendet|envoyé|enviado|data|verzonden|дата|отправлено|skickat)$", re.IGNORECASE
)
_IS_SUBJECT = re.compile(r"^(?:subject|betreff|objet|asunto|oggetto|onderwerp|тема|ämne)$", re.IGNORECASE)
_WROTE = re.compile(
    r"^[>\s]*(?:On|Am|Le|El|Il|Op|Den)\s.{6,160}\b(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|skrev)\b.{0,80}:\s*$"
)

_TIME = r"(?:\d{1,2}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DATE = r"(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})"
_STAMP = rf"(?:{_DATE}(?:,?\s|T))?{_TIME}(?:Z|[+-]\d\d:?\d\d)?"
_NAME = r"[^\W\d_][\w.'’&/-]*(?:[ ][\w.'’&/()#-]+){0,5}"
_TURNS = (
    re.compile(rf"^[\[(]?(?P<time>{_STAMP})[\])]?\s*+[-–—:]?\s*+<(?P<who>[^<>\n]{{1,40}})>\s*(?P<said>.*)$"),
    re.compile(rf"^[\[(]?(?P<time>{_STAMP})[\])]?\s*+[-–—:]?\s*+(?P<who>{_NAME}):(?:\s+(?P<said>.*))?$"),
    re.compile(rf"^(?P<who>{_NAME}),?\s*[\[(]?(?P<time>{_STAMP})[\])]?\s*:?(?:\s+(?P<said>.*))?$"),
    re.compile(rf"^(?P<who>{_NAME}):\s+(?P<said>\S.*)$"),
)
_CAPTION = re.compile(
    r"^(?P<time>(?:\d{1,2}:)?\d{2}:\d{2})[.,]\d{3}\s+-->\s+(?P<until>(?:\d{1,2}:)?\d{2}:\d{2})[.,]\d{3}"
)
_SENTENCE = re.compile(r"[.!?…。！？][\"'”’)]?\s*$")


@dataclass(frozen=True, slots=True)
class _Turn:
    line: int
    time: str
    who: str
    said: str


def conversation_headings(texts: Sequence[str]) -> list[Heading]:
    """The messages, or the gathered turns, of a text; none if it is no conversation."""
    starts = [text[:LOOKED_AT] for text in texts]
    return _captions(texts) or _turns(texts, starts) or message_headings(starts)


def message_headings(texts: Sequence[str], *, least: int = 2) -> list[Heading]:
    """The heads of messages in a text ("From: …", "Sent: …", "Subject: …"), and "On … she wrote:"; none if fewer than `least`."""
    found: list[Heading] = []
    number = 0
    while number < len(texts):
        head = _message_head(texts, number)
        if head is not None:
            title, last = head
            found.append(Heading(title, 1, None, number + 1, RULE_NAME, CLEAR, last + 1))
            number = last + 1
            continue
        if _WROTE.match(texts[number]):
            found.append(
                Heading(texts[number].lstrip("> ").strip()[:200], 1, None, number + 1, RULE_NAME, GATHERED, number + 1)
            )
        number += 1
    return found if len(found) >= least else []


def _message_head(texts: Sequence[str], start: int) -> tuple[str, int] | None:
    """Title and last line (from 0) of a message's head that opens at a line, from 0."""
    opening = _FIELD.match(texts[start])
    if not opening or not opening["value"].strip():
        return None
    fields: dict[str, str] = {}
    last = start
    for number in range(start, min(start + HEAD_LINES, len(texts))):
        match = _FIELD.match(texts[number])
        if match:
            key = match["key"].strip().lower()
            if key in fields:
                break
            fields[key], last = match["value"].strip(), number
        elif not (texts[number][:1] in " \t" and texts[number].strip()):
            break
    sender = next((value for key, value in fields.items() if _IS_FROM.match(key)), None)
    date = next((value for key, value in fields.items() if _IS_DATE.match(key)), "")
    subject = next((value for key, value in fields.items() if _IS_SUBJECT.match(key)), "")
    if sender is None or len(fields) < 3 or not (date or subject):
        return None
    return message_title(subject, sender, date), last


def message_title(subject: str, sender: str, date: str) -> str:
    """ "Term loan (Ann Lee, 5 March 2024)": what a message is called; the address goes where there is a name."""
    name = re.sub(r"(?<!\s)\s*+<[^<>]*+>\s*+$", "", sender).strip(" \"'") or sender
    details = ", ".join(part for part in (name, date) if part)
    return f"{subject or 'Message'} ({details})"[:300] if details else (subject or "Message")


def _captions(texts: Sequence[str]) -> list[Heading]:
    """Sections of subtitles (SRT, WebVTT), by time."""
    stamps = [(number, match) for number, text in enumerate(texts) if (match := _CAPTION.match(text[:LOOKED_AT]))]
    if len(stamps) < MIN_TURNS:
        return []
    found: list[Heading] = []
    size, first, until = 0, stamps[0], stamps[0][1]["until"]
    for (number, match), (end, _) in zip(stamps, [*stamps[1:], (len(texts), stamps[-1][1])], strict=True):
        size += sum(len(text) for text in texts[number + 1 : end])
        until = match["until"]
        if size >= ENOUGH_TEXT or end == len(texts):
            # A number of its own may stand above the time.
            line = first[0] + 1 - (first[0] > 0 and texts[first[0] - 1].strip().isdecimal())
            found.append(Heading(f"{first[1]['time']}-{until}", 1, None, line, RULE_NAME, CLEAR, line - 1))
            size = 0
            following = next(((n, m) for n, m in stamps if n >= end), None)
            if following is not None:
                first = following
    return found


def _turns(texts: Sequence[str], starts: Sequence[str]) -> list[Heading]:
    turns = _timed_turns(starts) or _named_turns(starts)
    return list(_gathered(texts, turns))


def _timed_turns(texts: Sequence[str]) -> list[_Turn]:
    found = [
        _Turn(number, match["time"], " ".join(match["who"].split()).rstrip(" ("), match["said"] or "")
        for number, text in enumerate(texts)
        if (match := next(filter(None, (pattern.match(text) for pattern in _TURNS[:3])), None)) is not None
    ]
    names = Counter(turn.who for turn in found)
    filled = sum(bool(text.strip()) for text in texts)
    if len(found) < MIN_TURNS or len(found) < TIMED_SHARE * filled or not any(count > 1 for count in names.values()):
        return []
    return found


def _named_turns(texts: Sequence[str]) -> list[_Turn]:
    found = [
        _Turn(number, "", " ".join(match["who"].split()), match["said"])
        for number, text in enumerate(texts)
        if (match := _TURNS[3].match(text)) is not None and len(match["who"]) <= NAME_CHARS
    ]
    names = Counter(turn.who for turn in found)
    speakers = {name for name, count in names.items() if count > 1}
    found = [turn for turn in found if turn.who in speakers]
    filled = sum(bool(text.strip()) for text in texts)
    if len(found) < max(MIN_TURNS, TURNS_SHARE * filled) or len(speakers) < 2 or 2 * len(speakers) > len(found):
        return []
    # Records ("Package: …", "Version: …") have keys too; speech has sentences.
    ends = [" ".join(texts[turn.line : following.line]).strip() for turn, following in pairwise(found)]
    sentences = sum(bool(_SENTENCE.search(text)) for text in ends)
    return found if sentences >= SENTENCES * len(ends) else []


def _gathered(texts: Sequence[str], turns: Sequence[_Turn]) -> Iterator[Heading]:
    group: list[_Turn] = []
    size = 0
    for turn, end in zip(turns, [*(other.line for other in turns[1:]), len(texts)], strict=False):
        length = sum(len(text) for text in texts[turn.line : end])
        if group and length >= ENOUGH_TEXT:
            yield _section(texts, group)
            group, size = [], 0
        group.append(turn)
        size += length
        if size >= ENOUGH_TEXT:
            yield _section(texts, group)
            group, size = [], 0
    if group:
        yield _section(texts, group)


def _section(texts: Sequence[str], group: Sequence[_Turn]) -> Heading:
    first = group[0]
    names = list(dict.fromkeys(turn.who for turn in group))
    who = ", ".join(names[:NAMES_SHOWN]) + (" and others" if len(names) > NAMES_SHOWN else "")
    said = first.said or next((text for text in texts[first.line + 1 : first.line + 4] if text.strip()), "")
    words = " ".join(said.split())
    if len(words) > _TITLE_WORDS:
        words = words[:_TITLE_WORDS].rsplit(" ", 1)[0] + "…"
    title = f"{first.time} {who}: {words}".strip(" :")
    return Heading(title, 1, None, first.line + 1, RULE_NAME, GATHERED, first.line)
