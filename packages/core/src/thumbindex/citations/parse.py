"""Reading an answer: its sentences, and the citations in them, in the many ways in which models write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_BRACKETS = re.compile(r"\[([^\[\]]{1,300})\]|【([^【】]{1,300})】|\(((?:[^()]|\([^()]{0,100}\)){1,300})\)")
_PAGE_WORD = r"(?:pages?|pgs?|pp?|physical\s+pages?|seiten?|s|páginas?|pág|págs|pagina's|blz|стр|страниц[аы]?|с|页|頁|第)\b\.?|第"
_LABEL = r"(?:[A-Za-z]{1,3}-?\d{1,5}|\d{1,18}|[ivxlcIVXLC]{1,9})"
_ITEM = rf"{_LABEL}(?:\s*[-\u2010-\u2015]\s*{_LABEL})?"
_LIST = rf"{_ITEM}(?:\s*(?:,|&|\band\b|\bund\b)\s*(?:{_PAGE_WORD}\s*)?{_ITEM})*"
_PLACE = re.compile(rf"\s*(?P<word>{_PAGE_WORD})?\s*(?P<pages>{_LIST})\s*[页頁]?\s*\Z", re.IGNORECASE)
_PRINTED = re.compile(r"\s*\(\s*(?:printed|gedruckt|labell?ed)[^)]*\)", re.IGNORECASE)
_SECTION = re.compile(r"\s*(?:§+|section\b|sect?\.)\s*(?P<title>\S.*?)\s*\Z", re.IGNORECASE | re.DOTALL)
# A document that nobody knows, but plainly cited: "[annex.pdf, p. 3]".
_UNKNOWN = re.compile(rf"(?P<name>[^,;]{{1,200}}?)\s*,\s*(?:{_PAGE_WORD})\s*(?P<pages>{_LIST})\s*\Z", re.IGNORECASE)
_QUOTES = re.compile(
    r"“([^“”]{3,600})”|„([^„“”]{3,600})[“”]|«([^«»]{3,600})»|「([^「」]{2,300})」|『([^『』]{2,300})』|(?<!\w)\"([^\"]{3,600})\""
)
_END = re.compile(
    r"(?<=[.!?])[\"'”»)*_]*\s+(?=[\"“„«(*_\[]*[^\W_])|(?<=[。！？])|\n+|(?<=\x00)\s+(?=[\"“„«(*_]*[^\W_])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:approx|ca|vs|etc|incl|excl|mio|mrd|tsd|abs|ziff|vgl|ggf|inkl|exkl|bspw|max|min|env|núm|тыс|млн|млрд|no|nr|fig|sec|art|inc|corp|ltd|co|mr|mrs|ms|dr|st|u\.s|e\.g|i\.e|z\.b|bzw|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)|\b\w)\.\Z",
    re.IGNORECASE,
)
_LONGEST = 12
"""More letters than an abbreviation and its full stop have."""


@dataclass(frozen=True, slots=True)
class Cited:
    """One place that an answer cites, not yet looked up.

    `document` is an id where `is_known`, else what is written; `pages` are labels as written ("3-5", "iv"), `section` a
    title. Both are empty where only the document is named.
    """

    written: str
    document: str
    is_known: bool
    pages: str = ""
    section: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer without its citations, the quotes in it, and what it cites."""

    text: str
    quotes: tuple[str, ...]
    cited: tuple[Cited, ...]


def read_sentences(text: str, names: Mapping[str, str]) -> list[Sentence]:
    """The sentences of an answer, each with what it cites. A citation after a full stop belongs to the sentence before.

    Args:
        names: The id of each document by all that it may be called: id, name, name without suffix.
    """
    plain, found = _without_citations(text, names)
    sentences: list[Sentence] = []
    for start, end in _sentence_spans(plain):
        body = plain[start:end].strip(" \t\n\x00")
        cited = tuple(one for at, ones in found for one in ones if start <= at < end)
        # Nothing but citations: they belong to the sentence before.
        if not re.search(r"\w", body.replace("\x00", "")):
            if sentences and cited:
                before = sentences[-1]
                sentences[-1] = Sentence(before.text, before.quotes, (*before.cited, *cited))
            continue
        leading = re.match(r"[\x00\s.,;]*", plain[start:end])
        if sentences and leading and "\x00" in leading.group():
            # "… a year. [a.pdf, p. 2] The next one …": the split fell before the citation.
            edge = start + leading.end()
            before = sentences[-1]
            moved = tuple(one for at, ones in found for one in ones if start <= at < edge)
            sentences[-1] = Sentence(before.text, before.quotes, (*before.cited, *moved))
            cited = tuple(one for at, ones in found for one in ones if edge <= at < end)
        body = " ".join(body.replace("\x00", " ").split())
        body = re.sub(r"\s+([.,;:!?。])", r"\1", body)
        sentences.append(Sentence(body, tuple(quotes(body)), cited))
    return sentences


def quotes(text: str) -> Iterator[str]:
    """What stands in quotation marks."""
    for match in _QUOTES.finditer(text):
        yield next(filter(None, match.groups()))


def quote_spans(text: str) -> list[tuple[int, int]]:
    """Where quotations stand in a text."""
    return [match.span() for match in _QUOTES.finditer(text)]


def read_citation(content: str, written: str, names: Mapping[str, str], before: str = "") -> list[Cited]:
    """The places that the inside of a bracket names; none where it is no citation.

    `before` is the id of the document that was cited last: "[p. 7]" goes on with it.
    """
    places: list[Cited] = []
    for part in content.split(";"):
        # Names may hold brackets, which come out of prompts as parentheses.
        piece = _PRINTED.sub("", " ".join(part.split())).strip().strip("`*_")
        known = _longest_name(piece, names)
        if known is not None:
            doc_id, rest = known
            rest = rest.lstrip(" ,:–-").strip()
            place = _PLACE.match(rest)
            section = _SECTION.match(rest)
            if not rest:
                places.append(Cited(written, doc_id, True))
            elif place:
                places.append(Cited(written, doc_id, True, pages=place["pages"]))
            elif section:
                places.append(Cited(written, doc_id, True, section=section["title"]))
            else:
                # "[a.pdf, Note 14, p. 43]": the page at the end is what counts.
                tail = re.search(rf",\s*(?:{_PAGE_WORD})\s*({_LIST})\Z", rest, re.IGNORECASE)
                places.append(
                    Cited(written, doc_id, True, tail[1]) if tail else Cited(written, doc_id, True, section=rest)
                )
        else:
            place = _PLACE.match(piece)
            only = next(iter(set(names.values()))) if len(set(names.values())) == 1 else ""
            doc_id = places[-1].document if places and places[-1].is_known else before or only
            unknown = _UNKNOWN.match(piece)
            if place and place["word"] and doc_id:
                places.append(Cited(written, doc_id, True, pages=place["pages"]))
            elif piece.startswith("§") and doc_id:
                places.append(Cited(written, doc_id, True, section=piece.lstrip("§ ")))
            elif unknown and not place:
                places.append(Cited(written, unknown["name"].strip(), False, pages=unknown["pages"]))
            else:
                return []
    return places


def _without_citations(text: str, names: Mapping[str, str]) -> tuple[str, list[tuple[int, list[Cited]]]]:
    """The text with each citation made a row of zero bytes of the same length, and the citations with their places."""
    found: list[tuple[int, list[Cited]]] = []
    pieces: list[str] = []
    last = 0
    before = ""
    text = text.replace("\x00", " ")
    for match in _BRACKETS.finditer(text):
        content = next(filter(None, match.groups()), "")
        places = read_citation(content, match.group(), names, before)
        if not places:
            continue
        before = next((place.document for place in reversed(places) if place.is_known), before)
        found.append((match.start(), places))
        pieces.append(text[last : match.start()] + "\x00" * len(match.group()))
        last = match.end()
    return "".join([*pieces, text[last:]]), found


def _sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    inside = quote_spans(text)
    start = 0
    for match in _END.finditer(text):
        if any(first < match.start() < last - 1 for first, last in inside):
            continue
        before = text[start : match.start()].rstrip("\x00 ")
        # "… a year. [a.pdf, p. 2] The next …" ends at the citation, "… a year [a.pdf, p. 2] and …" does not.
        if text[match.start() - 1 : match.start()] == "\x00" and "\n" not in match.group() and before[-1:] not in ".!?":
            continue
        # Looked for from the sentence's start, an answer of nothing but abbreviations would take minutes.
        if (
            _ABBREVIATION.search(text, max(start, match.start() - _LONGEST), match.start())
            and "\n" not in match.group()
        ):
            continue
        yield start, match.end()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def _longest_name(piece: str, names: Mapping[str, str]) -> tuple[str, str] | None:
    """The document whose name the piece begins with, and what follows the name."""
    folded = piece.casefold()
    best: tuple[str, str] | None = None
    longest = 0
    for name, doc_id in names.items():
        short = name.casefold()
        if len(short) > longest and folded.startswith(short) and not re.match(r"\w", piece[len(short) :]):
            best, longest = (doc_id, piece[len(short) :]), len(short)
    return best


def alias_names(documents: Sequence[tuple[str, str]]) -> dict[str, str]:
    """All that documents, given by id and name, may be called; a name that several share is left out."""
    names: dict[str, str] = {}
    shared: set[str] = set()
    for doc_id, name in documents:
        tidy = " ".join(name.replace("[", "(").replace("]", ")").split())
        stem = re.sub(r"\.\w{1,8}$", "", tidy)
        for alias in {tidy, stem, name}:
            if names.get(alias, doc_id) != doc_id:
                shared.add(alias)
            names[alias] = doc_id
    for alias in shared:
        del names[alias]
    return names | {doc_id: doc_id for doc_id, _ in documents}
