"""Checking citations without a model: was the page read, does it exist, and do the quotes and figures stand there?

Pure: it takes an answer and the documents, and compares texts. What it verifies is that words and figures stand where
the answer says, not that the sentence draws the right conclusion from them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import pairwise

from ..errors import InvalidPageSpec, PageOutOfRange
from ..evidence import Citation, Status
from ..pages import LineRange, format_runs
from ..text.languages import detect_language
from ..text.page_spec import parse_pages
from ..text.terms import content_terms, tokenize
from ..text.untrusted import one_line
from ..tree.model import Node, Tree
from ..tree.references import printed_pages
from .derive import Row, derive, rows_of
from .numbers import Figure, derivation, figures, same, stated_scales
from .parse import Cited, Sentence, alias_names, quote_spans, read_sentences
from .wording import closest, holds, may_hold, word_count

QUOTE_WORDS = 4
"""Fewer quoted words are a name or a term, and prove nothing by standing on a page."""
_BEFORE = 2
"""How many sentences without a citation a computed figure may rest on."""
_COUNTED = 4
"""Smaller numbers in words are turns of phrase: "among the three", "the two of them"."""
_FEW_WORDS_SHARED = 0.2
"""A page that holds less of a sentence's words is about something else, even where it holds its figures."""
_MANY_WORDS_SHARED = 0.6
_LIST_TITLES = re.compile(
    r"\W*(?:\d[\d.]*\s+)?(?:table of )?(?:contents|references|bibliography|works cited|literature cited|index|inhalt(?:sverzeichnis)?|"
    r"literatur(?:verzeichnis)?|sommaire|table des matières|bibliographie|índice|contenido|bibliografía|indice|sommario|"
    r"bibliografia|inhoud(?:sopgave)?|содержание|оглавление|литература|список литературы|目录|目錄|目次|参考文献)\W*",
    re.IGNORECASE,
)
_UNIT_LINE = re.compile(
    r"\b(?:in|en|em|i|в)\s+(?:US\s?)?(?:\$|[A-Z€£¥]{0,4})\s*(?:\w+\s+of\s+)?(?:thousand|million|billion|tausend|mio|mrd|mille|тыс|млн|млрд)"
    r"|^.{0,60}$|['’‘]?000s?\b|百万|万元|亿元",
    re.IGNORECASE,
)
"""A line that states the unit of a table: it says so, or it is short."""
_LISTED = re.compile(r"\(\d{1,2}\)")
_ENTRY = re.compile(r"\S.{2,100}?(?:\s*[.·…_]{3,}|\s{1,}|\t)\s*(\d{1,4})\s*")
_LEADERS = re.compile(
    r"(?P<title>\S.*?)\s*(?:(?:\.\s?){4,}|…{2,})\s*(?P<page>\d{1,4}|[ivxlc]{1,6}|[A-Z]-?\d{1,3})\s*\Z"
)
_LONGEST_ENTRY = 300
_FEWEST_ENTRIES = 6
"""So many titles with rising page numbers are a list of contents; fewer only where sections bear these titles."""


@dataclass(frozen=True, eq=False)
class Source:
    """A document of the run and what of it was read: physical pages, and lines where it has no pages."""

    doc_id: str
    name: str
    tree: Tree
    read: tuple[LineRange, ...] = ()
    language: str = "english"

    @cached_property
    def read_pages(self) -> frozenset[int]:
        """Physical pages of which something was read."""
        ranges = (self.tree.pages_of(lines) for lines in self.read)
        return frozenset(page for pages in ranges if pages for page in pages)

    @cached_property
    def places(self) -> tuple[_Place, ...]:
        """All places that can be cited: pages, or sections with their own text where there are no pages."""
        if self.tree.pages:
            return tuple(
                _Place(self, page.number, None, page.lines, page.number in self.read_pages)
                for page in self.tree.pages
                if page.lines is not None
            )
        return tuple(
            _Place(self, None, node, span, self._is_read(span))
            for node in self.tree.nodes
            for span in [self.tree.own_span(node)]
        )

    def _is_read(self, span: LineRange) -> bool:
        return any(lines.first <= span.last and span.first <= lines.last for lines in self.read)

    @cached_property
    def labels(self) -> dict[str, int]:
        """Physical page of each printed or declared label."""
        return printed_pages(self.tree) if self.tree.pages else {}

    @cached_property
    def usual_scale(self) -> frozenset[int]:
        """The power of ten that the document states most often: one, if any."""
        counts = Counter(power for line in range(1, len(self.tree.lines) + 1) for power in _unit_of(self.tree, line))
        return frozenset(power for power, _ in counts.most_common(1))

    @cached_property
    def lists(self) -> frozenset[int]:
        """Lines of contents pages, bibliographies and indexes: they name everything and support nothing."""
        lines = set(_entries(self.tree))
        for node in self.tree.nodes:
            if _LIST_TITLES.fullmatch(node.title):
                lines.update(node.span)
        for page in self.tree.pages or ():
            if page.lines is not None and _is_contents(
                [self.tree.lines[n - 1] for n in page.lines], self.tree.page_count
            ):
                lines.update(page.lines)
        return frozenset(lines)


@dataclass(frozen=True, eq=False)
class _Place:
    """A page, or a section of a document without pages."""

    source: Source
    page: int | None
    node: Node | None
    lines: LineRange
    is_read: bool

    @cached_property
    def text(self) -> str:
        """Its text, without page furniture and without lists that support nothing."""
        tree, lists = self.source.tree, self.source.lists
        return "\n".join(tree.lines[n - 1] for n in self.lines if n not in tree.headers_footers and n not in lists)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(figures(self.text, cited_in=self.source.language))

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The labelled rows of its tables."""
        return tuple(rows_of(self.text, self.source.language))

    @cached_property
    def scales(self) -> frozenset[int]:
        """Powers of ten that hold for its tables: its own, else those stated last before it and the document's usual one."""
        tree = self.source.tree
        own = stated_scales(tree.text(self.lines))
        if own:
            return own
        for line in range(self.lines.first - 1, 0, -1):
            if found := _unit_of(tree, line):
                return found | self.source.usual_scale
        return self.source.usual_scale

    @cached_property
    def terms(self) -> frozenset[str]:
        path = self.source.tree.path(self.node) if self.node else " ".join(self._titles())
        # Whom a document is about often stands in its name only.
        name = re.sub(r"[\W_]+", " ", self.source.name)
        return frozenset(tokenize(f"{name}\n{path}\n{self.text}", self.source.language))

    def _titles(self) -> Iterator[str]:
        """Titles of the sections that the page lies in: they say what its tables are about."""
        for node in self.source.tree.nodes:
            if node.span.first <= self.lines.last and self.lines.first <= node.span.last:
                yield node.title

    @property
    def citation(self) -> str:
        name = one_line(self.source.name)
        return f"[{name}, § {one_line(self.node.title)}]" if self.node else f"[{name}, p. {self.page}]"

    @property
    def order(self) -> int:
        return self.lines.first


@dataclass(frozen=True, slots=True)
class _Item:
    """Something that a sentence says and a text can bear out: a quote, or a figure."""

    shown: str
    quote: str = ""
    figure: Figure | None = None
    readings: tuple[Figure, ...] = ()
    """The figure, and what it means in the unit that the question asks for: "in USD millions"."""


def check_answer(
    text: str, sources: Sequence[Source], *, question: str = ""
) -> tuple[tuple[Citation, ...], tuple[str, ...]]:
    """All citations of an answer, checked, and the sentences that state a figure or a quote and cite nothing."""
    names = alias_names([(source.doc_id, source.name) for source in sources])
    checked: list[Citation] = []
    uncited: list[str] = []
    before: list[str] = []
    for sentence in read_sentences(text, names):
        if sentence.cited:
            checked.extend(check_sentence(sentence, sources, question=question, before=" ".join(before[-_BEFORE:])))
            before = []
            continue
        before.append(sentence.text)
        if any(True for _ in _items(sentence, question)):
            uncited.append(sentence.text)
    return tuple(checked), tuple(uncited)


def check_sentence(
    sentence: Sentence, sources: Sequence[Source], *, question: str = "", before: str = ""
) -> list[Citation]:
    """The citations of one sentence. What it says may stand on any of the cited pages, not all of it on each.

    Args:
        before: The sentences since the last citation: "It was 36 and is 34. A drop of 2 [a.pdf, p. 3]."
    """
    items = list(_items(sentence, question))
    targets = [_resolve(cited, sources) for cited in sentence.cited]
    everywhere = [place for target in targets for place in target.places]
    return [_judge(sentence, items, target, everywhere, sources, question, before) for target in targets]


def _items(sentence: Sentence, question: str) -> Iterator[_Item]:
    long_quotes = [quote for quote in sentence.quotes if word_count(quote) >= QUOTE_WORDS]
    for quote in long_quotes:
        yield _Item(f"“{' '.join(quote.split())}”", quote=quote)
    inside = [
        span
        for span in quote_spans(sentence.text)
        if any(quote in sentence.text[slice(*span)] for quote in long_quotes)
    ]
    units = stated_scales(question)
    asked = {figure.value for figure in figures(question) if figure.is_year}
    for figure in figures(sentence.text):
        # A year that the question names is no claim of the answer.
        if any(first <= figure.start < last for first, last in inside) or (figure.is_year and figure.value in asked):
            continue
        # "(1) the ferry, (2) the quay" counts what a sentence lists.
        if _LISTED.fullmatch(figure.text) and re.match(r"\s+[^\W\d_]", sentence.text[figure.end :]):
            continue
        if figure.spelled and figure.value < _COUNTED and not (figure.scaled or figure.percent):
            continue
        others = () if figure.scaled or figure.percent else tuple(figure.times_ten_to(power) for power in sorted(units))
        yield _Item(figure.text.strip(), figure=figure, readings=(figure, *others))


@dataclass(frozen=True, slots=True)
class _Target:
    """What a citation points to: its places, or what is wrong with it."""

    cited: Cited
    source: Source | None
    places: tuple[_Place, ...] = ()
    pages: tuple[int, ...] = ()
    note: str = ""
    is_missing: bool = False


def _resolve(cited: Cited, sources: Sequence[Source]) -> _Target:
    source = next((source for source in sources if source.doc_id == cited.document), None) if cited.is_known else None
    if source is None:
        return _Target(cited, None, note=f"There is no document {cited.document!r} in this run.", is_missing=True)
    if not source.tree.pages:
        return _resolve_section(cited, source)
    if not cited.pages:
        # A title beside a document with pages; or the document alone.
        nodes = _titled(source, cited.section) if cited.section else ()
        if nodes:
            wanted = {page for node in nodes for page in node.pages or ()}
            return _target(cited, source, sorted(wanted), "")
        if cited.section:
            return _Target(cited, source, note=f"It has no section {cited.section!r}.", is_missing=True)
        return _target(cited, source, [page.number for page in source.tree.pages], "The citation names no page.")
    return _resolve_pages(cited, source)


def _resolve_pages(cited: Cited, source: Source) -> _Target:
    numbers: set[int] = set()
    notes: list[str] = []
    for item in re.split(r"\s*(?:,|&|\band\b|\bund\b)\s*", cited.pages):
        item = re.sub(r"^(?:pages?|pp?|seiten?|s)\b\.?\s*", "", item.strip(), flags=re.IGNORECASE)
        if not item:
            continue
        by_label = _by_label(item, source)
        try:
            backwards = re.fullmatch(r"(\d{1,18})\s*[-\u2010-\u2015]\s*(\d{1,18})", item)
            if backwards and int(backwards[1]) > int(backwards[2]):
                notes.append(f"The pages {item} run backwards.")
                item = f"{backwards[2]}-{backwards[1]}"
            numbers.update(parse_pages(item, source.tree.page_count))
        except (InvalidPageSpec, PageOutOfRange):
            if by_label:
                numbers.update(by_label)
                notes.append(f"{item} is what is printed there.")
            else:
                notes.append(
                    f"{one_line(source.name)} has no page {item}: its pages are 1 to {source.tree.page_count}."
                )
    if not numbers:
        return _Target(cited, source, note=" ".join(notes), is_missing=True)
    return _target(cited, source, sorted(numbers), " ".join(notes))


def _by_label(item: str, source: Source) -> list[int]:
    """Physical pages of a printed label, or of a range of them."""
    labels = {label.upper(): page for label, page in source.labels.items()}
    whole = labels.get(item.upper().replace("–", "-"))
    if whole is not None:
        return [whole]
    ends = re.fullmatch(r"(.+?)\s*[-\u2010-\u2015]\s*(.+)", item)
    if ends is None:
        return []
    first, last = labels.get(ends[1].upper()), labels.get(ends[2].upper())
    return list(range(first, last + 1)) if first is not None and last is not None and first <= last else []


def _target(cited: Cited, source: Source, pages: Sequence[int], note: str) -> _Target:
    wanted = set(pages)
    places = tuple(place for place in source.places if place.page in wanted)
    scanned = {
        page.number: page.ocr for page in source.tree.pages or () if page.number in wanted and page.ocr is not None
    }
    if scanned and cited.pages:
        which = f"Page {format_runs(scanned)} was" if len(scanned) == 1 else f"Pages {format_runs(scanned)} were"
        note = f"{note} {which} read by OCR, sure of its letters to {min(scanned.values()):.0%}.".strip()
    return _Target(cited, source, places, tuple(pages), note)


def _resolve_section(cited: Cited, source: Source) -> _Target:
    if not (cited.section or cited.pages):
        return _Target(cited, source, source.places, note="The citation names no section.")
    nodes = _titled(source, cited.section or cited.pages)
    if not nodes:
        return _Target(cited, source, note=f"It has no section {cited.section or cited.pages!r}.", is_missing=True)
    under = {one.id for node in nodes for one in (node, *source.tree.descendants(node))}
    return _Target(cited, source, tuple(place for place in source.places if place.node and place.node.id in under))


def _titled(source: Source, title: str) -> tuple[Node, ...]:
    """Sections of that title; a path or the number before the title makes no difference."""
    title = re.split(r"[›>]", title)[-1]
    wanted = _plain_title(title)
    exact = tuple(node for node in source.tree.nodes if _plain_title(node.title) == wanted)
    if exact or not wanted:
        return exact
    bare = _bare_title(title)
    return tuple(node for node in source.tree.nodes if _bare_title(node.title) == bare)


def _bare_title(title: str) -> str:
    """A title without number, marks and case."""
    return re.sub(r"^[\d.]+ ", "", _plain_title(title))


def _plain_title(title: str) -> str:
    return " ".join(re.findall(r"[^\W_]+(?:\.\d+)*", title.casefold()))


def _judge(
    sentence: Sentence,
    items: Sequence[_Item],
    target: _Target,
    everywhere: Sequence[_Place],
    sources: Sequence[Source],
    question: str,
    before: str,
) -> Citation:
    """One citation of a sentence; `everywhere` are the places of all citations of the sentence."""
    source = target.source
    base = Citation(
        written=target.cited.written,
        sentence=sentence.text,
        status="unsupported",
        document=source.name if source else target.cited.document,
        doc_id=source.doc_id if source else None,
        pages=target.pages,
        section=target.cited.section,
        checked=tuple(item.shown for item in items),
        note=target.note,
    )
    if target.is_missing:
        elsewhere = _elsewhere(sentence, items, sources, ())
        status: Status = "wrong_place" if source is None and elsewhere else "no_such_page"
        return replace(base, status=status, found_at=elsewhere.citation if elsewhere else "")
    missing = [item for item in items if not any(_bears_out(place, item) for place in everywhere)]
    missing = [item for item in missing if not (item.figure and item.figure.is_year and _mentions_year(target, item))]
    derived, is_named = _derived(sentence, missing, everywhere, question, before)
    missing = [item for item in missing if item not in derived]
    own = [place for place in target.places if any(_bears_out(place, item) for item in items)]
    if not missing and (is_named or _is_about(sentence, items, own or target.places)):
        held = _narrowest(items, own) or tuple(target.places)
        read = [place for place in held if place.is_read] or ([] if own else [p for p in target.places if p.is_read])
        notes = [base.note] if base.note else []
        notes += [f"{item.shown}: {formula}" for item, formula in derived.items()]
        if not read:
            notes.append("Nobody read it in this run.")
        return replace(
            base,
            status="page_not_read" if not read else "derived" if derived else "verified",
            pages=tuple(place.page for place in held if place.page is not None) if own else target.pages,
            labels=_labels(held if own else ()),
            note=" ".join(notes),
        )
    elsewhere = _elsewhere(sentence, missing or items, sources, target.places)
    if elsewhere is not None:
        note = base.note if elsewhere.is_read else f"{base.note} Nobody read that place in this run.".strip()
        if elsewhere.source is source and elsewhere.page is not None and _is_printed(elsewhere, target.pages):
            note = f"{note} The number cited is the printed one.".strip()
        return replace(base, status="wrong_place", found_at=elsewhere.citation, labels=_labels([elsewhere]), note=note)
    near, note = _nearest(sentence, missing, [*target.places, *(p for s in sources for p in s.places if p.is_read)])
    return replace(base, near=near, note=f"{base.note} {note}".strip())


def _bears_out(place: _Place, item: _Item) -> bool:
    if item.quote:
        return holds(place.text, item.quote)
    return any(_held(place, claim) is not None for claim in item.readings)


def _held(place: _Place, claim: Figure) -> Figure | None:
    percents = bool(re.search(r"%|per\s?cent|prozent|процент|pour cent|por ciento", place.text, re.IGNORECASE))
    for figure in place.figures:
        near = place.text[max(0, figure.start - 80) : figure.end + 80] if claim.negative else ""
        if same(claim, figure, place.scales, percents=percents, near=near):
            return figure
    return None


def _mentions_year(target: _Target, item: _Item) -> bool:
    """Whether the document is about that year: its name, or some page that was read."""
    source = target.source
    if source is None or item.figure is None:
        return False
    year = str(int(item.figure.value))
    about = " ".join([source.name, *(str(value) for value in source.tree.metadata.values())])
    return year in about or any(year in place.text for place in source.places if place.is_read)


def _derived(
    sentence: Sentence, missing: Sequence[_Item], places: Sequence[_Place], question: str, before: str
) -> tuple[dict[_Item, str], bool]:
    """The missing figures that come from figures of the cited places, with the formula of each; and whether the sentence names rows
    of these places, as what is computed from rows does."""
    wanted = [item for item in missing if item.figure is not None]
    if not wanted or not places:
        return {}, False
    words, tables = f"{question} {before} {sentence.text}", [place.rows for place in places]
    scales = {scale for place in places for scale in place.scales}
    stated: dict[tuple[str, Decimal], Figure] = {}
    told = [*figures(before), *figures(sentence.text)]
    for figure in told:
        for held in filter(None, (_held(place, figure) for place in places)):
            stated[held.text, held.value] = held
    formulas: dict[tuple[str, Decimal], tuple[str, bool]] = {}
    for figure in told:
        if any(_held(place, figure) for place in places):
            continue
        is_from_rows = False
        formula = derivation(figure, list(stated.values()), scales)
        if not formula:
            formula = derive(figure, words, tables, scales, places[0].source.language)
            is_from_rows = bool(formula)
        if formula:
            formulas[figure.text, figure.value] = formula, is_from_rows
            # "It fell from 36.8% to 34.6%, by 2.2%": what was computed may be computed with.
            stated[figure.text, figure.value] = figure
    derived = {
        item: formulas[item.figure.text, item.figure.value]
        for item in wanted
        if item.figure and (item.figure.text, item.figure.value) in formulas
    }
    return {item: formula for item, (formula, _) in derived.items()}, any(named for _, named in derived.values())


def _is_about(sentence: Sentence, items: Sequence[_Item], places: Iterable[_Place]) -> bool:
    """Whether some place speaks of what the sentence does; a quote that stands there is proof enough."""
    if any(item.quote for item in items):
        return True
    share = _share(sentence, places)
    return share is None or share >= (_FEW_WORDS_SHARED if items else 2 * _FEW_WORDS_SHARED)


def _share(sentence: Sentence, places: Iterable[_Place]) -> float | None:
    """The greatest share of the sentence's words that one of the places holds; None where words cannot be compared."""
    best: float | None = None
    for place in places:
        language = place.source.language
        if detect_language(sentence.text) not in (language, "english") or (
            language != "english" and detect_language(sentence.text) == "english" and sentence.text.isascii()
        ):
            return None  # an answer in another language than the document
        if _script(sentence.text) != _script(place.text):
            return None
        terms = {term for term in content_terms(sentence.text, language) if not term[0].isdigit()}
        if len(terms) < 3:
            return None
        best = max(best or 0.0, len(terms & place.terms) / len(terms))
    return best


@lru_cache(maxsize=1024)
def _script(text: str) -> str:
    """The script of most of a text's first letters: "LATIN", "CYRILLIC", "CJK" and what is written together with it."""
    letters = [letter for letter in text[:2000] if letter.isalpha()][:200]
    names = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    script = names.most_common(1)[0][0] if names else ""
    return "CJK" if script in ("HIRAGANA", "KATAKANA") else script


def _elsewhere(
    sentence: Sentence, items: Sequence[_Item], sources: Sequence[Source], but: Sequence[_Place]
) -> _Place | None:
    """Where all of the items stand together: what was read first; of the rest only for quotes, which are no coincidence."""
    avoided = set(but)
    every = [place for source in sources for place in source.places if place not in avoided]
    quotes = [item.quote for item in items if item.quote]
    for place in [place for place in every if place.is_read] + [
        place for place in every if not place.is_read and quotes
    ]:
        if not place.is_read and not all(may_hold(place.text, quote) for quote in quotes):
            continue
        if items and all(_bears_out(place, item) for item in items):
            share = 1.0 if quotes else _share(sentence, [place])
            if share is None or share >= 2 * _FEW_WORDS_SHARED:
                return place
        elif not items and (share := _share(sentence, [place])) is not None and share >= _MANY_WORDS_SHARED:
            return place
    return None


def _narrowest(items: Sequence[_Item], places: Sequence[_Place]) -> tuple[_Place, ...]:
    """The fewest places that hold all items that any of them holds; what was read comes first, then reading order."""
    left = [item for item in items if any(_bears_out(place, item) for place in places)]
    chosen: list[_Place] = []
    while left:
        best = max(
            places, key=lambda place: (sum(_bears_out(place, item) for item in left), place.is_read, -place.order)
        )
        chosen.append(best)
        left = [item for item in left if not _bears_out(best, item)]
    return tuple(sorted(chosen, key=lambda place: place.order))


def _nearest(sentence: Sentence, missing: Sequence[_Item], places: Sequence[_Place]) -> tuple[str, str]:
    """The words that come closest to what is missing, and what differs."""
    best, closeness, wanted = "", 0.0, ""
    for item in missing:
        if not item.quote:
            continue
        for place in places:
            near, share = closest(place.text, item.quote)
            if share > closeness:
                best, closeness, wanted = near, share, item.quote
    if best:
        theirs, ours = [one.text for one in figures(best)], [one.text for one in figures(wanted)]
        differing = [(a, b) for a, b in zip(theirs, ours, strict=False) if a != b] if len(theirs) == len(ours) else []
        return best, "; ".join(f"The number differs: {a} against {b}." for a, b in differing)
    terms = set(content_terms(sentence.text, places[0].source.language)) if places else set()
    lines = [
        (place, line) for place in dict.fromkeys(places) for line in place.text.splitlines() if re.search(r"\d", line)
    ]
    scored = [(len(terms & set(tokenize(line, place.source.language))), line) for place, line in lines]
    shown = ", ".join(item.shown for item in missing if item.figure)
    note = f"{shown} stands on no page that was read." if shown else ""
    score, line = max(scored, key=lambda one: one[0], default=(0, ""))
    return (" ".join(line.split()) if score > 1 else ""), note


def _labels(places: Iterable[_Place]) -> tuple[str, ...]:
    """What is printed on these pages, where it differs from their numbers."""
    labels: list[str] = []
    for place in places:
        if place.page is None:
            continue
        declared = place.source.tree.page(place.page).label
        printed = declared or next((label for label, page in place.source.labels.items() if page == place.page), None)
        if printed and printed != str(place.page):
            labels.append(printed)
    return tuple(labels)


def _is_printed(place: _Place, pages: Sequence[int]) -> bool:
    return any(place.source.labels.get(str(page)) == place.page for page in pages)


def _unit_of(tree: Tree, line: int) -> frozenset[int]:
    """Powers of ten that a line states as a unit: "in millions", not a sentence that speaks of billions."""
    text = tree.lines[line - 1]
    if not _UNIT_LINE.search(text):
        return frozenset()
    before = tree.lines[line - 2].split()[-1:] if line > 1 else []
    # "… of 13.2" and "billion in 2021" below it are one figure that a line breaks.
    return stated_scales(" ".join([*before, text]) if before and before[0][-1].isdigit() else text)


def _entries(tree: Tree) -> Iterator[int]:
    """Lines that lead with dots from the title of a section to its page. A tariff looks like that too, and is none."""
    titles = {_bare_title(node.title) for node in tree.nodes}
    run: list[tuple[int, re.Match[str]]] = []
    for number, line in enumerate((*tree.lines, ""), 1):
        match = _LEADERS.fullmatch(line.strip()) if len(line) < _LONGEST_ENTRY else None
        # An entry may take three lines.
        if run and (number - run[-1][0] > 3 or number > len(tree.lines)):
            pages = [int(entry["page"]) for _, entry in run if entry["page"].isdigit()]
            known = sum(_bare_title(entry["title"]) in titles for _, entry in run)
            if 2 * known >= len(run) or (len(run) >= _FEWEST_ENTRIES and _is_rising(pages, tree.page_count)):
                yield from (at for at, _ in run)
            run = []
        if match:
            run.append((number, match))


def _is_rising(pages: Sequence[int], page_count: int) -> bool:
    """Whether numbers run like those of a list of contents of a document of so many pages; no bound where it has none."""
    if page_count and max(pages, default=0) > page_count + 30:
        return False
    return sum(b >= a for a, b in pairwise(pages)) >= 0.9 * (len(pages) - 1)


def _is_contents(lines: Sequence[str], page_count: int) -> bool:
    """Whether a page lists titles with rising page numbers."""
    filled = [line for line in lines if line.strip()]
    ends = [int(match[1]) for line in filled if (match := _ENTRY.fullmatch(line.strip()))]
    return len(ends) >= _FEWEST_ENTRIES and len(ends) >= 0.6 * len(filled) and _is_rising(ends, page_count)
