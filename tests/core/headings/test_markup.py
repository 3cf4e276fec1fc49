"""What is a heading in Markdown is what CommonMark says; what belongs to a list or a quote is none of the document's."""

from __future__ import annotations

import pytest

from thumbindex.headings import find_outline, markup
from thumbindex.headings.markup import markup_headings
from thumbindex.outline import Heading
from thumbindex.sources.markdown import read_markdown
from thumbindex.sources.parsed import read_pages


def headings(text):
    return [(h.level, h.line, h.title) for h in markup_headings(read_markdown(text, "a.md"))]


def titles(text):
    return [title for _, _, title in headings(text)]


def test_a_heading_knows_its_lines_and_its_rule():
    """The underline belongs to the heading; the page is unknown in a format without pages."""
    text = "Preamble.\n\nA title over\ntwo lines\n=========\n\n## Next ##\n"
    assert markup_headings(read_markdown(text, "a.md")) == [
        Heading("A title over two lines", 1, None, 3, "markup", last_line=5),
        Heading("Next", 2, None, 7, "markup", last_line=7),
    ]


def test_code_in_every_kind_of_fence_holds_no_headings():
    """Backticks, tildes, a longer fence around a shorter one, a fence in a list, an indented block, an open fence."""
    text = """\
# Pump

```sh
# prime it
```

~~~
# stop it
```
# still in tildes
~~~

`````md
````
# in the inner fence
````
# in the outer fence
`````

1. step

   ```
   # in a list
   ```

## Valve

    # indented

```
# open to the end
"""
    assert headings(text) == [(1, 1, "Pump"), (2, 26, "Valve")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("#NoSpace", id="no space after the hash"),
        pytest.param("####### Seven", id="seven hashes"),
        pytest.param("\\# Escaped", id="an escaped hash"),
        pytest.param("<!--\n# In a comment\n-->", id="an HTML comment"),
        pytest.param("<div>\n# In a block\n</div>", id="an HTML block"),
        pytest.param("Text <h2>HTML</h2>", id="an HTML heading inside a paragraph"),
        pytest.param("<!-- <h2>HTML</h2> -->", id="an HTML heading in a comment"),
        pytest.param("<pre>\n<h2>HTML</h2>\n</pre>", id="an HTML heading in code"),
        pytest.param("<table><tr><td><h2>HTML</h2></td></tr></table>", id="an HTML heading in a cell"),
        pytest.param("<h2>HTML", id="an HTML heading that is not closed"),
        pytest.param("<h2><img src='x.png'></h2>", id="an HTML heading without words"),
        pytest.param("> # Quoted", id="in a block quote"),
        pytest.param("- # Listed", id="in a list item"),
        pytest.param("- item\n---", id="a thematic break after a list"),
        pytest.param("text\n\n---\n", id="a thematic break after a gap"),
        pytest.param("| a | b |\n|---|---|\n| 1 | 2 |", id="a table"),
        pytest.param("#", id="a heading without a title"),
        pytest.param("# ![](logo.png)", id="an image without words"),
    ],
)
def test_what_looks_like_a_heading_and_is_none(text):
    """Each with a real one below, which is found."""
    assert titles(f"{text}\n\n# Real\n") == ["Real"]


def test_front_matter_is_no_heading():
    """Its closing dashes would underline its last entry, and its comments look like headings."""
    text = "---\ntitle: Manual\n# a comment\n---\n\nManual\n======\n"
    assert headings(text) == [(1, 6, "Manual")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_line_ends_change_nothing(end):
    """Nor does a byte-order mark."""
    text = end.join(["\ufeffTides", "---", "", "# Ebb", "text"])
    assert headings(text) == [(2, 1, "Tides"), (1, 4, "Ebb")]


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        pytest.param("Run `make all` **now**", "Run `make all` now", id="code keeps its backticks, emphasis goes"),
        pytest.param("The [tide](http://x.org/a_b) table", "The tide table", id="link"),
        pytest.param("The [tide][t] table\n\n[t]: /x", "The tide table", id="link by reference"),
        pytest.param("![Harbour *map*](m.png) of Kiel", "Harbour map of Kiel", id="image"),
        pytest.param("H<sub>2</sub>O &amp; salt", "H2O & salt", id="HTML and entities"),
        pytest.param("5 \\* 3 \\# 2", "5 * 3 # 2", id="escapes"),
        pytest.param("snake_case_name", "snake_case_name", id="underscores inside a word"),
        pytest.param("Install {#install .wide}", "Install", id="an anchor"),
        pytest.param("Set {a, b}", "Set {a, b}", id="braces that are no anchor"),
        pytest.param("C\\#", "C#", id="a hash at the end"),
        pytest.param("[red]Alert[/red]", "[red]Alert[/red]", id="brackets of no link"),
        pytest.param("Tief   gang", "Tief gang", id="white space"),
    ],
)
def test_titles_are_plain_text(markup, title):
    """What a reader sees."""
    assert titles(f"# {markup}\n") == [title]


def test_levels_are_as_written():
    """Jumps are the tree's business."""
    assert [level for level, _, _ in headings("#### Deep\n# Top\n### Three\n")] == [4, 1, 3]


def test_a_paragraph_over_a_rule_is_a_doubtful_heading():
    """CommonMark takes it for a heading; most often its author forgot a blank line."""
    (heading,) = markup_headings(read_markdown("word " * 200 + "\n---\n", "a.md"))
    assert heading.confidence == 0.5
    assert len(heading.title) <= 500


def page_headings(*texts):
    return [(h.page, h.line, h.title) for h in markup_headings(read_pages(texts, "parsed"))]


def test_headings_of_parsed_pages_know_their_page():
    """Blank pages count."""
    assert page_headings("# One\ntext", "", "more\n\n## Two") == [(1, 1, "One"), (3, 5, "Two")]


def test_a_fence_that_a_parser_left_open_ends_with_its_page():
    """One lost fence must not turn the rest of the book into code."""
    assert page_headings("# One\n```\n# code", "# Two", "```\n# code\n```\n# Three") == [
        (1, 1, "One"),
        (2, 4, "Two"),
        (3, 8, "Three"),
    ]


def test_a_fence_runs_on_over_page_breaks_where_it_is_closed_later():
    """Its end on a later page shows that the pages between are code."""
    pages = ("# One\n```sh\n# code", "# more code", "# last code\n```\n# Two", "# Three")
    assert page_headings(*pages) == [(1, 1, "One"), (3, 7, "Two"), (4, 8, "Three")]


def test_a_page_without_markup_has_no_headings():
    """Then the caller falls back on chunks of pages."""
    assert page_headings("plain", "text") == []


def test_dashes_and_rules_in_plain_pages_make_no_headings() -> None:
    """Loaders that give plain text leave an empty cell as a dash on a line of its own."""
    plain = ["Payments\n -\n (14,853)\nAt 31 December\n 52,680", "Total\n-----\n45,000"]
    assert markup_headings(read_pages(plain, "plain.pdf")) == []
    marked = ["# Leases\n\nPayments fall due each month.", "Inventories\n-----------\n\nBrass and steel."]
    assert [one.title for one in markup_headings(read_pages(marked, "marked.pdf"))] == ["Leases", "Inventories"]


def test_html_headings_in_blocks_of_their_own_count_beside_markdown():
    text = """<h1 align="center"><img alt="Ferry &amp; Co" src="x.png"></h1>

<div>
<h2 id="fares">Fares</h2>
<p>Four crowns.</p></div>

### Children
"""
    assert headings(text) == [(1, 1, "Ferry & Co"), (2, 4, "Fares"), (3, 7, "Children")]


def test_the_summaries_of_neighbouring_details_have_one_level():
    """However they are written; a heading inside one stays below its summary."""
    text = """# Questions

<details>
<summary>

## When?

</summary>

### At night

</details>

<details><summary><h3>Where?</h3></summary>

</details>

### Who?
"""
    assert headings(text) == [
        (1, 1, "Questions"),
        (2, 6, "When?"),
        (3, 10, "At night"),
        (2, 14, "Where?"),
        (3, 18, "Who?"),
    ]


@pytest.mark.parametrize("written", ["{#low}", "{#low .wide}", "{: #low }", "{/*low*/}"])
def test_the_id_of_a_heading_is_its_anchor_and_no_part_of_the_title(written):
    document = read_markdown(f"---\na: b\n---\n## Low water {written}\n", "a.md")
    outline = find_outline(document)
    assert [heading.title for heading in outline.headings] == ["Low water"]
    assert outline.anchors == {"low": 4}
    assert find_outline(read_markdown('<h2 id="low">Low</h2>\n', "a.md")).anchors == {"low": 1}


@pytest.mark.parametrize(
    "block",
    [
        pytest.param("<h1>", id="headings that are not closed"),
        pytest.param("<b>x<h1>y</h1>", id="headings behind text"),
        pytest.param("<details>", id="open details"),
        pytest.param("<h1>a</h1>", id="headings on one line"),
    ],
)
def test_html_blocks_take_time_in_proportion_to_their_length(block, monkeypatch):
    """Counted in characters that searches pass over."""
    passed = 0

    class Counted(str):
        def lower(self):
            return Counted(super().lower())

        def find(self, sub, start=0, end=None):
            nonlocal passed
            found = super().find(sub, start)
            passed += (found if found >= 0 else len(self)) - start
            return found

        def rfind(self, sub, start=0, end=None):
            nonlocal passed
            found = super().rfind(sub, start, end)
            passed += (len(self) if end is None else end) - max(found, start)
            return found

    class Comments:
        def sub(self, _, text):
            return Counted(text)

    monkeypatch.setattr(markup, "_COMMENT", Comments())
    counts = []
    for times in (2000, 16000):
        passed = 0
        markup_headings(read_markdown(f"<div>{block * times}</div>\n", "a.md"))
        counts.append(passed)
    assert counts[0] > 0 or "details" in block
    assert counts[1] <= 9 * counts[0]
