"""The sentences of an answer and the citations in them, in the many ways in which models write them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_BRACKETS = re.compile(r"\[([^\[\]]{1,300})\]|【([^【】]{1,300})】|\(((?:[^()]|\([^()]{0,100}\)){1,300})\)")
_PAGE_WORD = r"(?:pages?|pgs?|pp?|physical\s+pages?|seiten?|s|páginas?|pág|págs|pagina's|blz|стр|страниц[аы]?|с|页|頁|第)\b\.?|第"
_LABEL = r"(?:[A-Za-z]{1,3}-?\d{1,5}|\d{1,18}|[ivxlcIVXLC]{1,9})"
_ITEM = rf"(?>{_LABEL}(?:\s*+[-\u2010-\u2015]\s*+{_LABEL})?)"
# Atomic: "v-8" is one label or a range of two, and a list of them would be read in every combination.
_LIST = rf"(?>{_ITEM}(?:\s*+(?:,|&|\band\b|\bund\b)\s*+(?:(?:{_PAGE_WORD})\s*+)?{_ITEM})*)"
_PLACE = re.compile(rf"\s*+(?P<word>{_PAGE_WORD})?\s*+(?P<pages>{_LIST})\s*+[页頁]?\s*+\Z", re.IGNORECASE)
_PRINTED = re.compile(r"(?<!\s)\s*+\(\s*+(?:printed|gedruckt|labell?ed)[^()]*+\)", re.IGNORECASE)
_SECTION = re.compile(r"\s*+(?:§++|section\b|sect?\.)\s*+(?P<title>\S(?:.*\S)?)\s*+\Z", re.IGNORECASE | re.DOTALL)
# A citation of a document that the run does not know: "[annex.pdf, p. 3]".
_UNKNOWN = re.compile(rf"(?P<name>[^,;]{{1,200}}?)\s*+,\s*+(?:{_PAGE_WORD})\s*+(?P<pages>{_LIST})\s*+\Z", re.IGNORECASE)
_PAGE_LIST = re.compile(rf",\s*+(?:{_PAGE_WORD})\s*+({_LIST})", re.IGNORECASE)
_LEADING_MARKS = re.compile(r"[\x00\s.,;]*")
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
_LONGEST_ABBREVIATION = 12
"""More characters than an abbreviation and its full stop have."""
_MARK = "\x00"
"""Stands for each character of a citation while the text around it is cut into sentences."""


@dataclass(frozen=True, slots=True)
class Cited:
    """One page range or section that an answer cites, not yet looked up.

    Args:
        written: The whole bracket.
        document: An id where `is_known`, else as written.
        pages: Labels as written ("3-5", "iv"); empty where a section or the document alone is cited.
        section: A title; empty where pages or the document alone are cited.
    """

    written: str
    document: str
    is_known: bool
    pages: str = ""
    section: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer without its citations, with the quotes in it and what it cites."""

    text: str
    quotes: tuple[str, ...]
    cited: tuple[Cited, ...]


def read_sentences(text: str, names: Mapping[str, str]) -> list[Sentence]:
    """Returns the sentences of an answer, each with what it cites. A citation after a full stop belongs to the sentence before.

    Args:
        names: The id of each document by all that it may be called, as `alias_names` returns them.
    """
    plain, citations = _without_citations(text, names)
    sentences: list[Sentence] = []
    for start, end in _sentence_spans(plain):
        body = plain[start:end].strip(f" \t\n{_MARK}")
        cited = _cited_between(citations, start, end)
        if not re.search(r"\w", body.replace(_MARK, "")):
            # Nothing but citations.
            if sentences and cited:
                sentences[-1] = _also_citing(sentences[-1], cited)
            continue
        leading = _LEADING_MARKS.match(plain[start:end])
        if sentences and leading and _MARK in leading.group():
            # "… a year. [a.pdf, p. 2] The next one …": the split fell before the citation.
            edge = start + leading.end()
            sentences[-1] = _also_citing(sentences[-1], _cited_between(citations, start, edge))
            cited = _cited_between(citations, edge, end)
        body = " ".join(body.replace(_MARK, " ").split())
        body = re.sub(r" ([.,;:!?。])", r"\1", body)
        sentences.append(Sentence(body, tuple(quotes(body)), cited))
    return sentences


def _cited_between(citations: Sequence[tuple[int, list[Cited]]], start: int, end: int) -> tuple[Cited, ...]:
    return tuple(cited for position, group in citations for cited in group if start <= position < end)


def _also_citing(sentence: Sentence, cited: tuple[Cited, ...]) -> Sentence:
    return Sentence(sentence.text, sentence.quotes, (*sentence.cited, *cited))


def quotes(text: str) -> Iterator[str]:
    """Yields the texts in quotation marks."""
    for match in _QUOTES.finditer(text):
        yield next(filter(None, match.groups()))


def quote_spans(text: str) -> list[tuple[int, int]]:
    """Returns the spans of the quotations in a text, marks included."""
    return [match.span() for match in _QUOTES.finditer(text)]


def read_citation(content: str, written: str, names: Mapping[str, str], previous: str = "") -> list[Cited]:
    """Returns what the inside of a bracket cites; nothing where it is no citation.

    Args:
        content: The inside of the bracket.
        written: The whole bracket.
        names: As for `read_sentences`.
        previous: The id of the document that was cited last: "[p. 7]" goes on with it.
    """
    places: list[Cited] = []
    for part in content.split(";"):
        # Names may hold brackets, which come out of prompts as parentheses.
        piece = _PRINTED.sub("", " ".join(part.split())).strip().strip("`*_")
        known = _longest_name(piece, names)
        if known is not None:
            places.append(_read_place(written, *known))
            continue
        place = _PLACE.match(piece)
        ids = set(names.values())
        doc_id = places[-1].document if places and places[-1].is_known else previous
        if not doc_id and len(ids) == 1:
            (doc_id,) = ids
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


def _read_place(written: str, doc_id: str, rest: str) -> Cited:
    """Returns the citation of a known document whose name `rest` follows."""
    rest = rest.lstrip(" ,:–-").strip()
    if not rest:
        return Cited(written, doc_id, True)
    if place := _PLACE.match(rest):
        return Cited(written, doc_id, True, pages=place["pages"])
    if section := _SECTION.match(rest):
        return Cited(written, doc_id, True, section=section["title"])
    # "[a.pdf, Note 14, p. 43]": the page at the end is what counts.
    if pages := next((match for match in _PAGE_LIST.finditer(rest) if match.end() == len(rest)), None):
        return Cited(written, doc_id, True, pages=pages[1])
    return Cited(written, doc_id, True, section=rest)


def _without_citations(text: str, names: Mapping[str, str]) -> tuple[str, list[tuple[int, list[Cited]]]]:
    """Returns the text with each character of a citation replaced by a mark, and the citations with their positions."""
    citations: list[tuple[int, list[Cited]]] = []
    pieces: list[str] = []
    end = 0
    previous = ""
    text = text.replace(_MARK, " ")
    for match in _BRACKETS.finditer(text):
        content = next(filter(None, match.groups()), "")
        cited = read_citation(content, match.group(), names, previous)
        if not cited:
            continue
        previous = next((place.document for place in reversed(cited) if place.is_known), previous)
        citations.append((match.start(), cited))
        pieces.append(text[end : match.start()] + _MARK * len(match.group()))
        end = match.end()
    return "".join([*pieces, text[end:]]), citations


def _sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    quoted = quote_spans(text)
    start = 0
    for match in _END.finditer(text):
        if any(first < match.start() < last - 1 for first, last in quoted):
            continue
        before = text[start : match.start()].rstrip(f"{_MARK} ")
        is_new_line = "\n" in match.group()
        # "… a year. [a.pdf, p. 2] The next …" ends at the citation, "… a year [a.pdf, p. 2] and …" does not.
        if text[match.start() - 1 : match.start()] == _MARK and not is_new_line and before[-1:] not in ".!?":
            continue
        # Searched from the sentence's start, an answer of nothing but abbreviations would take minutes.
        first = max(start, match.start() - _LONGEST_ABBREVIATION)
        if _ABBREVIATION.search(text, first, match.start()) and not is_new_line:
            continue
        yield start, match.end()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def _longest_name(piece: str, names: Mapping[str, str]) -> tuple[str, str] | None:
    """Returns the id of the document whose name the piece begins with, and what follows the name."""
    folded = piece.casefold()
    best: tuple[str, str] | None = None
    longest = 0
    for name, doc_id in names.items():
        start = name.casefold()
        if len(start) > longest and folded.startswith(start) and not re.match(r"\w", piece[len(start) :]):
            best, longest = (doc_id, piece[len(start) :]), len(start)
    return best


def alias_names(documents: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Returns the ids of documents, given with their names, by all that they may be called.

    That is the id, the name, and the name without its suffix. A name that several documents share is left out.
    """
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
