"""The small markup of the files in `text/`: from characters to blocks, with figures filled in.

# key | Title             a chapter, appendix or piece of front matter
## key | Title            a section or a note
### key | Title           a caption or a sub-note
- item                    a bullet
| a | b |                 a table row; the first is the head, `|=` a total, `|~` a row title
:widths 40 20 20          widths of the next table's columns, in per cent
:text                     the next table holds text: align all its columns left
:rows name                rows the profile provides go here, after the head row above
[[anchor| words]]         words whose page is recorded
{name:format}             a figure or a name of the profile; `{@key}` label, `{#key}` printed page of a heading
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Value = int | float | str
ANCHOR = re.compile(r"\[\[([\w-]+)\|\s*(.*?)\]\]", re.DOTALL)
_FIELD = re.compile(r"\{([^{}:@#]+)(?::([\w-]+))?\}")
_REFERENCE = re.compile(r"\{([@#])([\w-]+)\}")


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    key: str
    title: str


@dataclass(frozen=True, slots=True)
class Prose:
    text: str
    bullet: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    cells: tuple[str, ...]
    kind: str = ""
    """"" for a plain row, "=" for a total, "~" for a row title."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; its first row is the head and is repeated on every page it runs over."""

    rows: tuple[Row, ...]
    widths: tuple[int, ...] = ()
    text: bool = False


Block = Heading | Prose | Grid


def parse(source: str, given_rows: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[Block]:
    """The blocks of a text file; a blank line ends a block."""
    widths: tuple[int, ...] = ()
    text = False
    for chunk in re.split(r"\n\s*\n", source.strip()):
        lines = chunk.strip().splitlines()
        while lines and lines[0].startswith((":widths", ":text")):
            directive = lines.pop(0).split()
            if directive[0] == ":text":
                text = True
            else:
                widths = tuple(int(width) for width in directive[1:])
        if not lines:
            continue
        if lines[0].startswith("#"):
            for line in lines:
                marks, _, rest = line.partition(" ")
                key, _, title = rest.partition("|")
                yield Heading(len(marks), key.strip(), title.strip())
        elif lines[0].startswith("|"):
            yield Grid(tuple(_rows(lines, given_rows)), widths, text)
            widths, text = (), False
        elif lines[0].startswith("- "):
            for item in re.split(r"\n- ", "\n" + "\n".join(lines))[1:]:
                yield Prose(" ".join(item.split()), bullet=True)
        else:
            yield Prose(" ".join(" ".join(lines).split()))


def _rows(lines: Sequence[str], given_rows: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[Row]:
    for line in lines:
        if line.startswith(":rows"):
            yield from (Row(tuple(cells)) for cells in given_rows[line.split()[1]])
            continue
        kind = line[1] if line[1:2] in ("=", "~") else ""
        # An anchor has a bar of its own, so bars inside double brackets do not part cells.
        cells = re.split(r"\|(?![^\[\]]*\]\])", line.strip()[1 + len(kind) :].removesuffix("|"))
        yield Row(tuple(cell.strip() for cell in cells), kind)


def fill(text: str, values: Mapping[str, Value]) -> str:
    """The text with its figures and names; references to headings are left for `resolve`."""
    return _FIELD.sub(lambda found: _format(found[1].strip(), found[2] or "", values), text)


def resolve(text: str, labels: Mapping[str, str], pages: Mapping[str, str]) -> str:
    """The text with the labels and the printed pages of the headings it refers to."""

    def one(found: re.Match[str]) -> str:
        return labels[found[2]] if found[1] == "@" else pages.get(found[2], "00")

    return _REFERENCE.sub(one, text)


def page_references(text: str) -> list[str]:
    """Keys of the headings to whose printed page the text refers."""
    return [found[2] for found in _REFERENCE.finditer(text) if found[1] == "#"]


def _format(expression: str, spec: str, values: Mapping[str, Value]) -> str:
    currency = values["cur"]
    if spec in _COMPARISONS:
        now, before = _number(expression + ".0", values), _number(expression + ".1", values)
        match spec:
            case "g":
                return f"{abs(now / before - 1) * 100:.1f} per cent"
            case "d":
                return f"{currency} {abs(now - before) / 1000:,.1f} million"
            case "v":
                return "rose" if now > before else "fell"
            case "s":
                return "increase" if now > before else "decrease"
            case _:
                return "higher" if now > before else "lower"
    if not spec:
        return str(values[expression])
    number = _number(expression, values)
    match spec:
        case "m":
            return f"{currency} {number / 1000:,.1f} million"
        case "absm":
            return f"{currency} {abs(number) / 1000:,.1f} million"
        case "mm":
            return f"{number / 1000:,.1f}"
        case "n":
            return _grouped(number)
        case "neg":
            return _grouped(-number)
        case "i":
            return f"{round(number):,}"
        case "p":
            return f"{number:.1f} per cent"
        case "r":
            return f"{number:.2f} per cent"
        case "f1":
            return f"{number:,.1f}"
        case "f2":
            return f"{number:,.2f}"
        case _:
            raise ValueError(f"Unknown format {spec!r} of {expression!r}.")


_COMPARISONS = {"g", "d", "v", "s", "hl"}


def _grouped(number: float) -> str:
    amount = f"{abs(round(number)):,}"
    return f"({amount})" if round(number) < 0 else amount if round(number) else "-"


def _number(expression: str, values: Mapping[str, Value]) -> float:
    """A figure, a sum or difference of figures, a ratio in per cent (`a/b`) or a multiple (`a//b`)."""
    if "//" in expression:
        above, below = expression.split("//")
        return _number(above, values) / _number(below, values)
    if "/" in expression:
        above, below = expression.split("/")
        return _number(above, values) / _number(below, values) * 100
    total = 0.0
    for sign, name in re.findall(r"([+-]?)\s*([\w.]+)", expression):
        value = values[name] if name in values else float(name)
        if isinstance(value, str):
            raise TypeError(f"{name!r} is a text, not a number: {value!r}.")
        total += -value if sign == "-" else value
    return total
