"""References that a text makes to other places of its document: "see Appendix G", "Note 14", "Section 4.2", "page 97".

A reference is a word for a kind of place and a label (`Note` and `14`). It is resolved by the label at the start of
titles ("Note 14 Debt", "14. Debt"), of captions ("Table 5: Rates") and of footnotes, or by the number printed on a page; of
the sections on that page the one whose title stands before the reference is meant. Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import TypeVar

from ..pages import LineRange, Link
from ..text.characters import letters_and_digits, normalize_title
from ..text.numerals import MAX_CHARACTERS, chinese_number
from .sections import Node, Reference, Sections

KINDS: dict[str, str] = {
    "appendix": "appendix appendices app. annex annexes anhang anhänge anlage annexe annexes anexo anexos apéndice "
    "apêndice allegato allegati appendice bijlage bilaga bilag liite załącznik příloha приложение приложении приложению "
    "приложения приложением ek 附录 附錄 付録",
    "note": "note notes footnote footnotes anmerkung anmerkungen erläuterung nota notas note fußnote toelichting примечание примечании "
    "примечания 附注 注記",
    "section": "section sections sec. secs. abschnitt abschnitte abschnitten abs. sección secciones seção seções sezione "
    "sezioni paragraph paragraphs paragraf punkt ziffer sectie paragraaf avsnitt afsnit раздел разделе раздела разделы "
    "пункт пункте bölüm sekcja oddíl § §§",
    "item": "item items",
    "chapter": "chapter chapters chap. ch. kapitel kap. chapitre chapitres capítulo capítulos capitolo capitoli hoofdstuk "
    "глава главе главы главу rozdział kapitola luku",
    "part": "part parts teil partie parte deel del часть части część",
    "table": "table tables tab. tabelle tabellen tableau tabla tablas tabela tabella tabel tabell таблица таблице таблицы таблицу",
    "figure": "figure figures fig. figs. abbildung abbildungen abb. figura figuras figur рисунок рисунке рис.",
    "box": "box boxes kasten encadré recuadro riquadro",
    "exhibit": "exhibit exhibits",
    "schedule": "schedule schedules",
    "article": "article articles art. artikel artículo artículos artigo artigos articolo статья статье статьи статью",
    "page": "page pages p. pp. seite seiten s. página páginas pág. pagina pagine blz. sida side страница странице стр. с.",
}
"""Words for each kind of place, by language families in no order; a word belongs to the first kind that has it."""

_WORD_KIND = {word: kind for kind, words in reversed(KINDS.items()) for word in words.split()}
_WORDS_OF_KIND = {kind: frozenset(words.split()) for kind, words in KINDS.items()}
_CJK_KIND = {
    "章": "chapter",
    "节": "section",
    "節": "section",
    "条": "article",
    "條": "article",
    "页": "page",
    "頁": "page",
    "部分": "part",
}

_LABEL = r"(?:[A-Z]{1,2}[-.–]?\d++|(?<!\d)\d++)(?:[.–-]\d++)*[A-Za-z]?(?![\w])(?:\([a-z0-9]{1,4}\))*|[IVXL]{1,7}(?!\w)|[A-Z](?![\w.]\w|['’]\w)"
_WORDS = "|".join(sorted((re.escape(word) for word in _WORD_KIND if word[0] < "\u3000"), key=len, reverse=True))
_UNSPACED_WORDS = "|".join(word for word in _WORD_KIND if word[0] >= "\u3000")
_REFERENCE = re.compile(
    rf"(?P<word>(?<![\w.])(?i:{_WORDS})|{_UNSPACED_WORDS})(?:(?<=[§录錄注記録])\s{{0,2}}|\s{{1,3}})(?:(?i:no\.|nr\.|n°|№)\s?)?"
    rf"(?P<labels>(?:{_LABEL})(?:(?:\s*+,\s*+|(?:\s*+[,;]\s++|\s++)(?:and|or|und|oder|et|ou|y|o|e|и|to|through|bis|&)\s++|\s?[–-]\s?(?=\d))(?:{_LABEL}))*)"
    rf"|第\s?(?P<cjk_label>[0-9.]+|[一二三四五六七八九十百]{{1,{MAX_CHARACTERS}}})\s?(?P<cjk_kind>部分|[章节節条條页頁])"
)
_ONE_LABEL = re.compile(_LABEL)
# "Section 404 of the Sarbanes-Oxley Act" lies in another document.
_ELSEWHERE = re.compile(
    r"(?:\s*+\([a-z0-9]++\))*+(?:\s*+,\s++|\s++)(?:of|under|to|in)\s++(?:the\s++)?(?:(?-i:[A-Z])[\w.&'’-]*+\s++|of\s++|and\s++|the\s++|U\.S\.\s++){0,8}?"
    r"(?:Act|Code|Law|Statutes?|Regulations?|Rules?|Directive|Treaty|Convention|Constitution|Standards?|ASC|IFRS|GAAP|Exchange|Gesetz(?:es)?|BGB|HGB)\b"
)
_TITLE_NUMBER = re.compile(r"(?P<label>\d+(?:\.\d+)*[A-Za-z]?|[A-Z](?:\.\d+)+)[.):]?(?=\s|$)")
_TITLE_LETTER = re.compile(r"(?P<label>[A-Z]|[IVXL]+)[.):]?\s")
_CAPTION = re.compile(
    rf"\s*(?P<word>(?i:{'|'.join(re.escape(w) for k in ('table', 'figure', 'box', 'exhibit') for w in KINDS[k].split())}))\s+(?P<label>{_LABEL})\s*(?:[.:–—-]|\s[A-Z]|$)"
)
_CALLED = re.compile(r"([^\s()]{1,60}) ?\(")
_OPENING = re.compile(r"([A-Z0-9]{1,4}(?:\.\d{1,4})+)\.?\s")
_POINTS = re.compile(r"\b(?:see|supra|infra|cf\.?|in|siehe|vgl\.)\s*$", re.IGNORECASE)
_NUMBERED = frozenset({"section", "chapter", "note", "appendix", "article"})
_QUOTED = re.compile(r"[\[“\"‘](?P<words>[^][“”\"‘’]{2,60})[\]”\"’],?\s{1,3}(?:(?:on|at|auf|sur|en|op|na|à)\s)?$")
_BETWEEN = re.compile(r"\s(?:on|at|auf|sur|en|op|na|à)$")
_SURE_CAPTION = re.compile(r"(?<!\s)\s*+(?:[.:–—-]\s*+\S|[.:]$)")
_FOOTNOTE = re.compile(r"\s*(?P<open>\[)?(?P<number>\d{1,4})(?(open)\])(?P<dot>[.)])?\s+(?=[\w“\"‘'(])")
_PRINTED = re.compile(r"(?:^|\s)(?P<label>[A-Z]{1,2}-\d{1,4}|\d{1,4})(?:\s|$)")
_ONLY_NUMBER = re.compile(r"^\W*(?:[Pp]age\s)?(?P<label>[A-Z]{1,2}-\d{1,4}|\d{1,4})\W*$")
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50}
_NUMBER_LENGTH = 9
"""Characters of a printed number before a title: "Appendix A", "10.12.3"."""
_BEFORE = 12
"""Characters before a reference that are examined."""
_TITLE_BEFORE = 120
"""Characters before a page reference in which the title of its section may stand: "[Binding variables], page 52"."""
_WORDS_OF_NAME = 5
"""Words of a name in brackets that a line may begin with."""
_LINES_OF_PAGE = 500
"""Lines of a page in which a definition is looked for; printed pages have some 60."""
_PARENTS = 20
"""Sections of one number that are looked at."""
_ON_PAGE = 60
"""Characters between a label and the page that goes with it: "Section 10.9 [Object orientation], page 52"."""
MIN_FOOTNOTES = 10
"""Numbers in a row that open lines, from 1 on, from which they are footnotes."""
MAX_COUNTS = 60
"""Counts that are followed at once: chapters of a book, and lists."""
_SLACK = 2
"""Characters by which the position of a link in its line may be wrong."""


AnySections = TypeVar("AnySections", bound=Sections)


@dataclass(frozen=True, slots=True)
class _Mention:
    """One label of a reference: its kind, the label in one form, where it stands in the searched text, and for a page the
    words before it, and those of them that stand in brackets or quotes right before it."""

    kind: str
    label: str
    text: str
    start: int
    end: int
    before: str = ""
    quoted: str = ""


def with_references(tree: AnySections) -> AnySections:
    """The tree with each section's references, resolved where the document has what they name.

    A section's heading and headers and footers are not searched, a reference to the section itself is left out, and so is
    one that names another document ("Section 404 of the … Act").
    """
    places = _Places(tree)
    nodes = tuple(replace(node, references=tuple(_references(tree, places, node))) for node in tree.nodes)
    return replace(tree, nodes=nodes)


def resolve(tree: Sections, text: str, node: Node | None = None) -> Reference | None:
    """Resolves a reference such as "see Note 14", seen from `node`; None if `text` holds no reference.

    A section's id or its title is taken too, and so is the name of a place in the file ("#term-loan"). `target` and `page`
    of the result are None where nothing fits.
    """
    wanted = " ".join(text.split())
    if wanted in tree:
        return Reference(wanted, tree.node(wanted).span.first, wanted)
    if wanted.startswith("#") and (at := tree.anchors.get(wanted[1:])) is not None:
        owner = tree.deepest_at(at)
        return Reference(wanted, at, None if owner is None else owner.id)
    found = list(_mentions(wanted))
    if not found:
        same = [other for other in tree.nodes if normalize_title(other.title) == normalize_title(wanted)]
        return Reference(wanted, 1, same[0].id) if same else None
    # In "Note 14 in Item 8" the first is meant, and the second is its place.
    places = _Places(tree)
    target, page = places.resolve(found, 0, node)
    return Reference(found[0].text, 1 if node is None else node.span.first, target, page)


def _references(tree: Sections, places: _Places, node: Node) -> Iterator[Reference]:
    lines = [n for n in tree.own_span(node) if n >= node.body and n not in tree.headers_footers]
    starts: list[int] = []
    length = 0
    for n in lines:
        starts.append(length)
        length += len(tree.lines[n - 1]) + 1
    found = list(_mentions("\n".join(tree.lines[n - 1] for n in lines)))
    links = [
        (starts[at] + link.first, starts[at] + link.last, link)
        for at, n in enumerate(lines)
        for link in places.links.get(n, ())
    ]
    named: set[Link] = set()
    seen: set[tuple[int, str, str, str | None]] = set()
    references: list[Reference] = []
    for position, mention in enumerate(found):
        line = lines[bisect_right(starts, mention.start) - 1]
        under = [link for first, last, link in links if first < mention.end + _SLACK and last > mention.start - _SLACK]
        over = _best_link(links, mention)
        named.update(under)
        target, page = places.resolve(found, position, node)
        if over is not None:
            target, page = (
                places.at_link(over, mention, target),
                page or (over.target_page if mention.kind == "page" else None),
            )
        if target == node.id or (line, mention.kind, mention.label, target) in seen:
            continue
        seen.add((line, mention.kind, mention.label, target))
        references.append(Reference(" ".join(mention.text.split()), line, target, page))
    references += _by_links(tree, places, node, [link for _, _, link in links if link not in named])
    yield from sorted(references, key=lambda reference: reference.line)


def _best_link(links: Sequence[tuple[int, int, Link]], mention: _Mention) -> Link | None:
    """The link that covers most of a reference's end, where its label stands."""
    best, most = None, 0
    label = mention.end - len(mention.label)
    for first, last, link in links:
        shared = min(last, mention.end) - max(first, label - 1)
        if shared > most or (best is None and first < mention.end + _SLACK and last > label - _SLACK):
            best, most = link, max(shared, 0)
    return best


def _by_links(tree: Sections, places: _Places, node: Node, links: Sequence[Link]) -> Iterator[Reference]:
    """Links that name no place but lead to a heading: "Critical accounting policies". Those that lead into the middle of a
    text are footnotes, citations and the like."""
    last: Reference | None = None
    for link in links:
        target = places.heading_near(link)
        text = _words_at(tree.lines[link.line - 1], link)
        if target is None or target == node.id or not re.search(r"[^\W\d_]{3}", text):
            continue
        if last is not None and last.target == target and last.line >= link.line - 1:
            continue  # it goes on over the end of the line
        last = Reference(text, link.line, target)
        yield last


def _words_at(text: str, link: Link) -> str:
    """Returns the words under a link: whole words where its position is only measured, else exactly the marked characters."""
    if link.target_page is None:
        return " ".join(text[link.first : link.last].split())
    first, last = min(link.first + 1, len(text)), max(link.last - 1, 0)
    while first > 0 and not text[first - 1].isspace():
        first -= 1
    while last < len(text) and not text[last].isspace():
        last += 1
    return " ".join(text[first:last].strip(" ,;()[]").split())


def _mentions(text: str) -> Iterator[_Mention]:
    for match in _REFERENCE.finditer(text):
        if match["cjk_kind"]:
            yield _Mention(_CJK_KIND[match["cjk_kind"]], _cjk_number(match["cjk_label"]), match.group(), *match.span())
            continue
        word = match["word"]
        kind = _WORD_KIND[word.lower()]
        labels = list(_ONE_LABEL.finditer(match["labels"]))
        # "notes 5,440" in a table is money.
        is_money = re.search(r"\d,\d{3}(?!\d)", match["labels"])
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if is_money or not _is_reference(word, kind, labels[0].group(), before, text[match.end() :]):
            continue
        offset = match.start("labels")
        for number, label in enumerate(labels):
            shown = match.group()[: offset - match.start() + label.end()] if number == 0 else f"{word} {label.group()}"
            start = match.start() if number == 0 else offset + label.start()
            if kind != "page" or number:
                yield _Mention(kind, canonical(kind, label.group()), shown, start, offset + label.end())
                continue
            above = text[max(0, match.start() - _TITLE_BEFORE) : match.start()]
            quoted = _QUOTED.search(above)
            yield _Mention(
                kind,
                canonical(kind, label.group()),
                shown,
                start,
                offset + label.end(),
                _words(above),
                _words(quoted["words"]) if quoted else "",
            )


def _is_reference(word: str, kind: str, label: str, before: str, after: str) -> bool:
    has_digit = any(letter.isdigit() for letter in label)
    if kind in {"item", "part", "box"} and not word[0].isupper():
        return False  # "revenue from these items 12"
    if not has_digit:
        # "chapter IV" is one; "in section A" and "note I" in lower case are chance.
        if (word[0].islower() and len(label) == 1 and kind != "appendix") or word.endswith(".") or kind == "page":
            return False
        if kind == "note" and re.match(r"\s+[a-z]", after):
            return False
    if re.match(r"\s*%|\s\d{3}\b", after) or label.startswith("00"):
        return False  # "notes 160 000" is money, and so is "notes 440"; footnotes are named one at a time
    if kind == "note" and word.lower().endswith("s") and re.fullmatch(r"\d{3,}", label) and not _POINTS.search(before):
        return False
    return kind in {"page", "table", "figure", "box"} or not _ELSEWHERE.match(after)


@lru_cache(maxsize=4096)
def canonical(kind: str, label: str) -> str:
    """A label in one form: `7a` is `7A`, chapter `IV` is `4`, `14(b)` is `14`, pages `3-5` begin at `3`."""
    label = re.sub(r"\(.*", "", label).replace("–", "-").strip(".-").upper()
    if kind == "page":
        return re.sub(r"^(\d+)-\d+$", r"\1", label)
    if kind in {"chapter", "part", "article", "item"} and label and set(label) <= _ROMAN.keys():
        return str(_roman(label))
    return label


def _roman(label: str) -> int:
    values = [_ROMAN[letter] for letter in label]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def _cjk_number(label: str) -> str:
    return label.strip(".") if label[0].isdigit() else str(chinese_number(label))


class _Places:
    """Index of the places of a tree that references can name."""

    def __init__(self, tree: Sections) -> None:
        self.tree = tree
        self.labelled: dict[tuple[str, str], list[Node]] = defaultdict(list)
        self.paths = {node.id: (*(above.id for above in tree.ancestors(node)), node.id) for node in tree.nodes}
        self.links: dict[int, list[Link]] = defaultdict(list)
        for link in tree.links:
            self.links[link.line].append(link)
        for node in tree.nodes:
            for kind, label in dict.fromkeys((*labels_of_title(node.title), *self._labels_of_line(node))):
                self.labelled[kind, label].append(node)
        self._definitions: dict[int, dict[str, int]] = {}
        self._starts = [node.span.first for node in tree.nodes]

    def _labels_of_line(self, node: Node) -> Iterator[tuple[str, str]]:
        """Labels printed before a title that the outline has without: bookmarks often lack the numbers."""
        title = letters_and_digits(node.title)
        for n in range(node.span.first, min(max(node.body, node.span.first + 1), len(self.tree.lines) + 1)):
            line = self.tree.lines[n - 1]
            # A number may stand in a line of its own above the title, and a long title goes on in the next line.
            letters = letters_and_digits(line)
            before = letters.find(title[: min(len(title), max(12, len(letters) - _NUMBER_LENGTH))])
            if title and (
                0 < before <= _NUMBER_LENGTH or letters.endswith(title[:40]) or (len(line) < 14 and n < node.body)
            ):
                yield from labels_of_title(line)
                return

    def at_link(self, link: Link, mention: _Mention, otherwise: str | None) -> str | None:
        """The section that a named link leads to: of those with that label the one on its page, else the deepest there."""
        # Without pages a link names its line, and needs no help.
        here = [
            node
            for node in self.labelled.get((mention.kind, mention.label), [])
            or self.labelled.get(("", mention.label), [])
            if link.target_page is not None and self.tree.page_of_line(node.span.first) == link.target_page
        ]
        if here:
            return min(here, key=lambda node: abs(node.span.first - (link.target_line or 0))).id
        deepest = None if link.target_line is None else self.tree.deepest_at(link.target_line)
        return otherwise if deepest is None else deepest.id

    def heading_near(self, link: Link) -> str | None:
        """The section whose heading is at a link's destination; without pages, the section that it leads into."""
        if link.target_line is None:
            return None
        deepest = self.tree.deepest_at(link.target_line)
        if link.target_page is None:
            return None if deepest is None else deepest.id
        # Some programs name the height of the heading's foot, which is above the line after it.
        return deepest.id if deepest is not None and link.target_line <= deepest.body else None

    def resolve(self, found: Sequence[_Mention], position: int, source: Node | None) -> tuple[str | None, int | None]:
        """The node that a reference means, and the page where it names one; both None where nothing fits."""
        mention = found[position]
        if mention.kind == "page":
            page = self.printed.get(mention.label)
            return (None, None) if page is None else (self._section_on(found, position, source, page), page)
        nodes = self._candidates(mention)
        if not nodes:
            line = self.captions.get((mention.kind, mention.label))
            if line is None and mention.kind == "note" and mention.label.isdecimal():
                line = self._footnote(int(mention.label), source)
            return (self._inside(mention) if line is None else self._owner(line)), None
        page = self._page_named(found, position)
        on_page = [node for node in nodes if page is not None and self.tree.page_of_line(node.span.first) == page]
        within = self._containers(found, position)
        return max(on_page or nodes, key=lambda node: self._nearness(node, source, within)).id, None

    def _candidates(self, mention: _Mention) -> list[Node]:
        named = self.labelled.get((mention.kind, mention.label), [])
        if named:
            return named
        numbered = self.labelled.get(("", mention.label), [])
        if mention.kind in {"section", "chapter"}:
            # "Section 7A" where the outline says "Item 7A".
            return numbered or self.labelled.get(("item", mention.label), [])
        if mention.kind in {"note", "appendix", "article", "part"}:
            # "14. Debt" is Note 14 where it stands under "Notes to …".
            under = [
                node for node in numbered if any(_speaks_of(mention.kind, above) for above in self.tree.ancestors(node))
            ]
            if under or mention.kind != "note":
                return under or (self._lettered(numbered, mention.label) if mention.kind == "appendix" else [])
            # Some outlines have "Notes to the financial statements" beside the notes and not above them.
            heads = [node.span.first for node in self.tree.nodes if _speaks_of("note", node)]
            return [node for node in numbered if heads and node.span.first > heads[0]]
        return []

    def _lettered(self, nodes: list[Node], label: str) -> list[Node]:
        """Returns the appendices among titles such as "B Datasets" and "B.2 Splits": a title may begin with "A" by chance."""
        letter = label[0]
        if not letter.isalpha() or (len(label) > 1 and label[1].isalpha()):
            return []
        beside = chr(ord(letter) + 1 if letter == "A" else ord(letter) - 1)
        relatives = ("", beside), ("", f"{letter}.1"), ("", f"{beside}.1"), ("appendix", beside)
        return nodes if len(label) > 1 or any(key in self.labelled for key in relatives) else []

    def _page_named(self, found: Sequence[_Mention], position: int) -> int | None:
        """The page of "Section 3 on page 59"."""
        mention, after = found[position], found[position + 1 : position + 2]
        if after and after[0].kind == "page" and 0 < after[0].start - mention.end <= _ON_PAGE:
            return self.printed.get(after[0].label)
        return None

    def _section_on(self, found: Sequence[_Mention], position: int, source: Node | None, page: int) -> str | None:
        """The section that a page reference leads to: of those that begin on the page the one that is named before, by its
        number ("Section 3 on page 59") or by its title ("[Binding variables], page 52")."""
        if position and found[position - 1].kind != "page" and self._page_named(found, position - 1) == page:
            target, _ = self.resolve(found, position - 1, source)
            if target is not None and self.tree.page_of_line(self.tree.node(target).span.first) == page:
                return target
        titles, words = self.titles.get(page, {}), found[position].before.split()
        for first in range(len(words)):
            if (target := titles.get(" ".join(words[first:]))) is not None:
                return target
        line = self._defined(page).get(found[position].quoted) if found[position].quoted else None
        return self._node_on_page(page) if line is None else self._owner(line)

    def _defined(self, page: int) -> Mapping[str, int]:
        """The lines of a page by what may be defined there: the words that a line begins with, and each before a bracket."""
        found = self._definitions.get(page)
        if found is None:
            found = self._definitions[page] = {}
            for n in islice(self.tree.page(page).lines or (), _LINES_OF_PAGE):
                text = self.tree.lines[n - 1][:_TITLE_BEFORE] if n not in self.tree.headers_footers else ""
                words = _words(text).split()
                for last in range(1, min(len(words), _WORDS_OF_NAME) + 1):
                    found.setdefault(" ".join(words[:last]), n)
                for match in _CALLED.finditer(text):
                    found.setdefault(_words(match[1]), n)
        return found

    def _inside(self, mention: _Mention) -> str | None:
        """The section of a number that no heading has: "2.13.1" where a line of 2.13 opens with it, or in 2.13 itself."""
        above, dot, _ = mention.label.rpartition(".")
        parents = self._candidates(replace(mention, label=above)) if dot and mention.kind in _NUMBERED else []
        openings = self.openings.get(mention.label, []) if parents else []
        for node in parents[:_PARENTS]:
            at = bisect_left(openings, node.span.first)
            if at < len(openings) and openings[at] in node.span:
                return self._owner(openings[at])
        return parents[0].id if len(parents) == 1 and "." in above else None

    def _footnote(self, number: int, source: Node | None) -> int | None:
        """The line where a footnote begins; where chapters restart the count, that of the nearest count."""
        # The line of a footnote that was not recognised lies right after that of the footnote before.
        places = [
            count[next(n for n in range(number, 0, -1) if n in count)]
            for count in self.footnotes
            if 1 <= number <= next(reversed(count))
        ]
        at = 0 if source is None else source.span.first
        return min(places, key=lambda line: abs(line - at), default=None)

    def _containers(self, found: Sequence[_Mention], position: int) -> set[str]:
        """Returns the sections named right before or after, in which to look: "Part II, Item 7", "Note 14 in Item 8"."""
        mention = found[position]
        within: set[str] = set()
        for other in found[max(0, position - 1) : position + 2]:
            gap = mention.start - other.end if other.start < mention.start else other.start - mention.end
            if other.kind != mention.kind and other.kind != "page" and 0 < gap <= 12:
                within |= {node.id for node in self._candidates(other)}
        return within

    def _nearness(self, node: Node, source: Node | None, within: set[str]) -> tuple[int, int, int, int]:
        path = self.paths[node.id]
        own = self.paths[source.id] if source is not None else ()
        shared = 0
        while shared < min(len(path), len(own)) and path[shared] == own[shared]:
            shared += 1
        # Of equals the longest is the section itself and not its line in a list of contents.
        return (len(within.intersection(path)), shared, len(node.span), -node.span.first)

    def _owner(self, line: int) -> str | None:
        at = bisect_right(self._starts, line) - 1
        return self.tree.nodes[at].id if at >= 0 else None

    def _node_on_page(self, page: int) -> str | None:
        lines = self.tree.page(page).lines
        if lines is None:
            return None
        at = bisect_right(self._starts, lines.first - 1)
        if at < len(self._starts) and self._starts[at] <= lines.last and self._starts[at] - lines.first < 4:
            return self.tree.nodes[at].id
        return self._owner(lines.first)

    @cached_property
    def captions(self) -> dict[tuple[str, str], int]:
        """Line of each caption; of several the last, since lists of tables come first. A sentence may break before its
        "Table 5", and then its line begins like a caption without a colon."""
        found: dict[tuple[str, str], int] = {}
        sure: set[tuple[str, str]] = set()
        for number, line in enumerate(self.tree.lines, 1):
            match = _CAPTION.match(line)
            if not match or number in self.tree.headers_footers:
                continue
            kind = _WORD_KIND[match["word"].lower()]
            place = kind, canonical(kind, match["label"])
            if _SURE_CAPTION.match(line, match.end("label")):
                sure.add(place)
            elif place in sure:
                continue
            found[place] = number
        return found

    @cached_property
    def titles(self) -> Mapping[int, Mapping[str, str]]:
        """Ids of the sections that begin on each page, by the words of their titles."""
        found: dict[int, dict[str, str]] = defaultdict(dict)
        for node in self.tree.nodes:
            page, words = self.tree.page_of_line(node.span.first), _words(_without_number(node.title))
            if page is not None and len(words) > 2:
                found[page].setdefault(words, node.id)
        return found

    @cached_property
    def openings(self) -> Mapping[str, Sequence[int]]:
        """The lines that open with a number of several parts, by that number."""
        found: dict[str, list[int]] = defaultdict(list)
        for line, text in enumerate(self.tree.lines, 1):
            if (match := _OPENING.match(text)) is not None:
                found[match[1].upper()].append(line)
        return found

    @cached_property
    def footnotes(self) -> list[dict[int, int]]:
        """Line of each footnote by its number, one mapping for each count that begins at 1."""
        return _counts(self.tree)

    @cached_property
    def printed(self) -> dict[str, int]:
        """Physical page of each printed page number."""
        return printed_pages(self.tree)


def _counts(tree: Sections) -> list[dict[int, int]]:
    """Lines that open with 1, 2, 3 and so on, each count by itself, those set alike apart ("3", "3.", "[3]").

    Between two footnotes a line of the text may open with the next number by chance: of several the last counts. One or two
    numbers may be missing, their lines read with another.
    """
    running: dict[tuple[bool, bool], list[dict[int, int]]] = defaultdict(list)
    for line, text in enumerate(tree.lines, 1):
        match = _FOOTNOTE.match(text) if line not in tree.headers_footers else None
        if match is None:
            continue
        number = int(match["number"])
        # The count that went on last comes first: that of this chapter. Its last number is its highest.
        counts = running[bool(match["open"]), bool(match["dot"])]
        steps = [number - next(reversed(count)) for count in counts]
        fitting = (
            at
            for wanted in (1, 0, 2, 3)
            for at, step in enumerate(steps)
            if step == wanted and (step < 2 or len(counts[at]) > 4)
        )
        at = next(fitting, None) if number > 1 else None
        if at is not None:
            going = counts.pop(at)
            going[number] = line
            counts.insert(0, going)
        elif number == 1:
            counts.insert(0, {1: line})
            del counts[MAX_COUNTS:]
    return [count for counts in running.values() for count in counts if len(count) >= MIN_FOOTNOTES]


def _words(text: str) -> str:
    """The words of a text in one form, those divided at a line's end joined, and without the "on" of "on page 3"."""
    return _BETWEEN.sub("", " ".join(re.findall(r"\w+", re.sub(r"-\n", "", text).casefold())))


def _without_number(title: str) -> str:
    """A title without the number before it."""
    number = _TITLE_NUMBER.match(title)
    return title[number.end() :] if number else title


def _speaks_of(kind: str, node: Node) -> bool:
    return any(word in _WORDS_OF_KIND[kind] for word in node.title.lower().split()[:3])


def labels_of_title(title: str) -> Iterator[tuple[str, str]]:
    """Kind of place and label that a title begins with: "Note 14 Debt", or "14. Debt", whose kind is empty."""
    title = title.strip()
    match = _REFERENCE.match(title)
    if match and match["cjk_kind"]:
        yield _CJK_KIND[match["cjk_kind"]], _cjk_number(match["cjk_label"])
    elif match:
        kind = _WORD_KIND[match["word"].lower()]
        first = _ONE_LABEL.match(match["labels"])
        if first:
            yield kind, canonical(kind, first.group())
    elif number := _TITLE_NUMBER.match(title):
        yield "", canonical("", number["label"])
    elif letter := _TITLE_LETTER.match(title):
        yield "", canonical("", letter["label"])


def printed_pages(tree: Sections) -> dict[str, int]:
    """Physical page of each label: as declared, else as printed in running heads and feet, else the page's own number.

    Printed numbers count where most pages agree on the distance between the printed and the physical number.
    """
    pages = {str(page.number): page.number for page in tree.pages or ()}
    printed: dict[str, int] = {}
    distances: Counter[int] = Counter()
    for page in tree.pages or ():
        if page.lines is None:
            continue
        for line in _edge_lines(tree, page.lines):
            pattern = _PRINTED if line in tree.headers_footers else _ONLY_NUMBER
            for match in pattern.finditer(tree.lines[line - 1]):
                label = match["label"]
                if label.isdigit():
                    distances[page.number - int(label)] += 1
                else:
                    printed.setdefault(label, page.number)
    if distances:
        distance, agreeing = distances.most_common(1)[0]
        if agreeing >= max(2, len(pages) // 3):
            pages = {str(number - distance): number for number in pages.values() if number > distance}
    pages |= printed
    return pages | {page.label.upper(): page.number for page in tree.pages or () if page.label}


def _edge_lines(tree: Sections, lines: LineRange) -> list[int]:
    """Returns the headers and footers of a page and its first and last line: the places of page numbers."""
    return sorted({lines.first, lines.last, *(n for n in lines if n in tree.headers_footers)})
