"""Generated documents of every format keep their words in a sound tree; broken ones raise one of our errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from odd_texts import ODD_TEXTS
from soundness import faults
from thumbindex import build_tree
from thumbindex.errors import SourceError
from thumbindex.tree.model import Tree

PLAIN = st.sampled_from(
    ["Moor here.", "See Section 2.", "1,204 ships", "油灯二升。", "| a", "*x*", "1. one", "x" * 300, "Übergröße"]
)
TITLES = st.sampled_from(
    ["Quay", "2 Dues", "2.1 Half", "Part I", "Appendix A", "第三章 水库", "Quay", "Item 7.", "`code` & more"]
)


def markdown_block(draw: st.DrawFn, depth: int = 0) -> str:
    kind = draw(st.integers(0, 11 if depth < 2 else 6))
    text, title = draw(PLAIN), draw(TITLES)
    if kind == 0:
        return f"{'#' * draw(st.integers(1, 7))} {title}{draw(st.sampled_from(['', ' ##', ' {#id}', '  ']))}"
    if kind == 1:
        return f"{title}\n{draw(st.sampled_from(['=', '-'])) * draw(st.integers(1, 9))}"
    if kind == 2:
        return draw(
            st.sampled_from(
                ["---", "***", "<!-- # no -->", "[^1]: note", "[a]: #quay", "\\# no", "    # code", "\t- code"]
            )
        )
    if kind == 3:
        return f"{title} | b\n--- | :-:\n{text} | 2\n"
    if kind == 4:
        return (
            f"<div>\n<h2>{title}</h2>\n</div>"
            if draw(st.booleans())
            else f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"
        )
    if kind in (5, 6):
        return text
    inner = [markdown_block(draw, depth + 1) for _ in range(draw(st.integers(1, 3)))]
    body = "\n\n".join(inner)
    if kind in (7, 8):
        mark = draw(st.sampled_from(["```", "~~~~", "````py"]))
        closed = draw(st.booleans())
        return f"{mark}\n{body}\n{mark.rstrip('py') if closed else ''}"
    prefix = {9: "> ", 10: "- ", 11: "3. "}[kind]
    return prefix + body.replace("\n", "\n" + (prefix if kind == 9 else " " * len(prefix)))


@st.composite
def markdowns(draw: st.DrawFn) -> str:
    front = draw(
        st.sampled_from(
            [
                "",
                "---\ntitle: Quay\n---\n",
                "---\na: [1, {b: c}]\n...\n",
                "---\na: *x\n---\n",
                "---\n",
                '---\na: "\\ud800"\n---\n',
            ]
        )
    )
    blocks = [markdown_block(draw) for _ in range(draw(st.integers(1, 8)))]
    return front + draw(st.sampled_from(["\n\n", "\n", "\r\n\r\n"])).join(blocks)


@given(markdowns())
def test_any_markdown_keeps_its_lines(text: str) -> None:
    """Lines are unchanged, and every line of text is in a section."""
    tree = build_tree(text.encode("utf-8", "replace"), name="a.md")
    assert list(faults(tree)) == []
    assert list(tree.lines) == re.split(r"\r\n|\n|\r", text)[: len(tree.lines)]
    assert not "".join(re.split(r"\r\n|\n|\r", text)[len(tree.lines) :])


WORDS = st.integers(0, 99).map("w{}w".format)
"""Words that can be told apart, and are part of no other."""


def words_of(tree: Tree) -> list[str]:
    return re.findall(r"w\d+w", "\n".join(tree.lines))


@st.composite
def html_nodes(draw: st.DrawFn, depth: int = 0) -> str:
    """Well-formed or not: tags may stay open, overlap, or be unknown."""
    tag = draw(
        st.sampled_from(
            [
                "h1",
                "h2",
                "h3",
                "p",
                "div",
                "span",
                "b",
                "ul",
                "li",
                "table",
                "tr",
                "td",
                "pre",
                "blockquote",
                "section",
                "a",
                "details",
                "x-y",
                "center",
            ]
        )
    )
    attributes = draw(
        st.sampled_from(
            [
                "",
                " id=a",
                ' class="x"',
                ' style="font-weight:bold"',
                " colspan=9",
                ' href="#a"',
                " id=''",
                ' style="}{"',
            ]
        )
    )
    inner = [
        draw(WORDS) if depth > 3 or draw(st.booleans()) else draw(html_nodes(depth + 1))
        for _ in range(draw(st.integers(1, 3)))
    ]
    closing = draw(st.sampled_from([f"</{tag}>", f"</{tag}>", f"</{tag}>", "", "</p>", "<br>"]))
    return f"<{tag}{attributes}>{' '.join(inner)}{closing} "


@given(st.lists(html_nodes(), min_size=1, max_size=5).map("".join))
@example("<table><tr><td>w1w" * 40)
@example("<h1>w1w &#xD800; &#0; &#x110000;</h1>")
@example("<table>w1w<pre>w2w</pre>")
def test_any_html_keeps_its_words(text: str) -> None:
    """Each as often as it is written, however tags are closed."""
    tree = build_tree(f"<!DOCTYPE html><html><body>{text}</body></html>".encode(), name="a.html", isolation="none")
    assert list(faults(tree)) == []
    assert sorted(words_of(tree)) == sorted(re.findall(r"w\d+w", text))


STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2, 3)
)


@st.composite
def word_blocks(draw: st.DrawFn, depth: int = 0) -> str:
    """Paragraphs and tables, with existing and missing styles and numbers, in and around elements that Word writes."""
    kind = draw(st.integers(0, 5 if depth < 3 else 3))
    if kind == 4:
        cells = "".join(f"<w:tc>{draw(word_blocks(depth + 1))}</w:tc>" for _ in range(draw(st.integers(1, 3))))
        return f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    if kind == 5:
        inner = draw(word_blocks(depth + 1))
        wrap = draw(
            st.sampled_from(
                ["<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>", "<w:customXml>{}</w:customXml>", "<w:ins>{}</w:ins>"]
            )
        )
        return wrap.format(inner)
    style = draw(st.sampled_from(["", "Heading1", "Heading2", "Heading9", "nowhere"]))
    level = draw(
        st.sampled_from(["", '<w:outlineLvl w:val="1"/>', '<w:outlineLvl w:val="-7"/>', '<w:outlineLvl w:val="x"/>'])
    )
    number = draw(st.sampled_from(["", '<w:numPr><w:ilvl w:val="99"/><w:numId w:val="7"/></w:numPr>', "<w:numPr/>"]))
    run = draw(
        st.sampled_from(
            [
                "<w:r><w:t>{}</w:t></w:r>",
                "<w:hyperlink w:anchor='b'><w:r><w:t>{}</w:t></w:r></w:hyperlink>",
                "<w:ins><w:r><w:t>{}</w:t></w:r></w:ins>",
                "<w:smartTag><w:r><w:t>{}</w:t></w:r></w:smartTag>",
            ]
        )
    )
    looks = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{looks}{number}{level}</w:pPr>{run.format(draw(WORDS))}<w:bookmarkStart w:name='b'/></w:p>"


@given(blocks=st.lists(word_blocks(), min_size=1, max_size=6))
def test_any_word_file_keeps_its_words(make_docx: Callable[..., bytes], blocks: list[str]) -> None:
    """In order, each as often as it is written."""
    body = "".join(blocks)
    tree = build_tree(make_docx(body, styles=STYLES), name="a.docx", isolation="none")
    assert list(faults(tree)) == []
    assert words_of(tree) == re.findall(r"w\d+w", body)


LISTS = st.recursive(
    st.sampled_from(
        [
            '<a href="text/p.xhtml#x">X</a>',
            '<a href="text/q.xhtml">Y</a>',
            '<a href="nowhere.xhtml">Z</a>',
            "<span>S</span>",
            '<a href="../../etc/passwd">P</a>',
            '<a href="text/p.xhtml#%zz">E</a>',
            "<a>N</a>",
            "",
        ]
    ),
    lambda inner: st.lists(inner, max_size=3).map(
        lambda items: f"<ol>{''.join(f'<li>{item}</li>' for item in items)}</ol>"
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("version", ["nav", "ncx"])
@given(outline=LISTS)
def test_any_outline_of_a_book_keeps_its_words(make_epub: Callable[..., bytes], version: str, outline: str) -> None:
    """Wherever its entries lead: to themselves, deep down, or nowhere."""
    if version == "ncx":
        outline = re.sub(
            r'<a(?: href="([^"]*)")?>(\w)</a>',
            r'<navPoint><navLabel><text>\2</text></navLabel><content src="\1"/></navPoint>',
            outline,
        )
        outline = (
            outline.replace("<ol>", "<navPoint>")
            .replace("</ol>", "</navPoint>")
            .replace("<li>", "")
            .replace("</li>", "")
        )
    pages = {"p": "<h1 id='x'>w1w</h1><p>w2w</p>", "q": "<p>w3w</p><p>w4w</p>"}
    tree = build_tree(make_epub(pages, **{version: outline}), name="a.epub", isolation="none")
    assert list(faults(tree)) == []
    assert words_of(tree) == ["w1w", "w2w", "w3w", "w4w"]


HEADS = st.lists(
    st.tuples(
        st.sampled_from(["Subject", "Date", "Content-Type", "Content-Transfer-Encoding", "MIME-Version", "To", "X"]),
        st.sampled_from(["text/plain", "text/html; charset=nonsense", 'multipart/mixed; boundary="b"', "base64", "quoted-printable", "=?utf-8?q?=ff?=", "1.0", "Mon, 99 Foo", "=?x?b?=?="])
        | ODD_TEXTS.map(lambda text: " ".join(text.split())),
    ),
    max_size=5,
)  # fmt: skip
BODIES = st.lists(st.sampled_from(["w1w\n", "> w2w\n", "--b\n", "--b--\n", "\n", "On Monday b wrote:\n", "From: a\n", "=\n", "<h1>w3w</h1>\n", "Content-Type: text/html\n"]), min_size=1, max_size=10).map("".join)  # fmt: skip


@given(HEADS, BODIES)
def test_any_mail_gives_a_sound_tree_or_an_error(heads: list[tuple[str, str]], body: str) -> None:
    """Whatever its header says."""
    text = "From: a@b.example\n" + "".join(f"{key}: {value}\n" for key, value in heads) + "\n" + body
    try:
        tree = build_tree(text.encode("utf-8", "replace"), name="a.eml", isolation="none")
    except SourceError as error:
        str(error).encode("utf-8")
        return
    assert list(faults(tree)) == []


@given(ODD_TEXTS.map(escape), st.sampled_from(["a.html", "a.txt", "a.md", "a.eml"]))
def test_any_text_under_any_name_gives_a_sound_tree_or_an_error(text: str, name: str) -> None:
    """The contents decide its format."""
    try:
        tree = build_tree(text.encode("utf-8", "surrogatepass"), name=name, isolation="none")
    except SourceError:
        return
    assert list(faults(tree)) == []
