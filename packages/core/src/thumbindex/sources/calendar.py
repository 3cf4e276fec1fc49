"""Events of a calendar part (iCalendar, RFC 5545), as lines that a person reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FIELDS = {
    "SUMMARY": "Event",
    "DTSTART": "Start",
    "DTEND": "End",
    "DURATION": "Duration",
    "RRULE": "Repeats",
    "LOCATION": "Place",
    "ORGANIZER": "Organizer",
    "ATTENDEE": "Attendee",
    "STATUS": "Status",
    "DUE": "Due",
    "URL": "URL",
    "DESCRIPTION": "",
}
"""Properties that are shown, in RFC 5545's names, with their captions."""
_COMPONENTS = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z)?)?")
_ESCAPED = re.compile(r"\\([\\;,nN])")


def calendar_lines(text: str) -> Iterator[str]:
    """Yields the events, tasks and entries of a calendar, one property per line and a blank line after each component.

    Times are written as `2024-03-04 09:00 UTC`, or with the name of their time zone.
    """
    inside = ""
    for line in text.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "").split("\n"):
        head, _, value = line.partition(":")
        name, _, parameters = head.partition(";")
        name = name.strip().upper()
        if name == "BEGIN" and value.strip().upper() in _COMPONENTS and not inside:
            inside = value.strip().upper()
        elif name == "END" and value.strip().upper() == inside:
            inside = ""
            yield ""
        elif name == "BEGIN" and inside:  # an alarm inside an event
            inside = f"{inside}/{value.strip().upper()}"
        elif name == "END" and inside.endswith(f"/{value.strip().upper()}"):
            inside = inside.rpartition("/")[0]
        elif inside in _COMPONENTS and name in _FIELDS and value.strip():
            yield from _shown(name, parameters, value)


def _shown(name: str, parameters: str, value: str) -> Iterator[str]:
    if name in ("DTSTART", "DTEND", "DUE"):
        value = _time(value, parameters)
    elif name in ("ORGANIZER", "ATTENDEE"):
        value = _person(value, parameters)
    else:
        value = _ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)
    caption = _FIELDS[name]
    for number, line in enumerate(value.split("\n")):
        yield f"{caption}: {line.strip()}" if caption and not number else line.strip()


def _time(value: str, parameters: str) -> str:
    match = _TIME.match(value.strip())
    if match is None:
        return value.strip()
    year, month, day, hour, minute, utc = match.groups()
    date = f"{year}-{month}-{day}"
    if hour is None:
        return date
    zone = "UTC" if utc else _parameter(parameters, "TZID")
    return f"{date} {hour}:{minute} {zone}".rstrip()


def _person(value: str, parameters: str) -> str:
    address = re.sub(r"^mailto:", "", value.strip(), flags=re.IGNORECASE)
    name = _parameter(parameters, "CN")
    return f"{name} <{address}>" if name and name != address else address


def _parameter(parameters: str, wanted: str) -> str:
    for parameter in parameters.split(";"):
        key, _, value = parameter.partition("=")
        if key.strip().upper() == wanted:
            return value.strip().strip('"')
    return ""
