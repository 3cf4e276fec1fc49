"""Filings in inline XBRL, as common programs write them: no heading tags, pages that end with their number and a rule, and each
figure of a table in three cells. The markup follows three such programs; the company and its text are made up."""

from __future__ import annotations

import pytest

from thumbindex import build_tree
from thumbindex.sources.html import read_html
from thumbindex.tree import Tree

POMP = "We sell pumps and the parts that go with them to water works, and service what we sold for years after. " * 25


def lines(html: str) -> list[str]:
    """Returns the lines of text of a page."""
    return [line.text for line in read_html(html, "filing").lines if line.text]


def outline(tree: Tree) -> list[tuple[str, int]]:
    """Returns titles and levels below the cover."""
    return [(node.title, node.level) for node in tree.nodes if node.rule != "front"]


# Divisions around spans, each with the whole style; empty divisions as places; tabs as padding.


def span(text: str, weight: int = 400, more: str = "") -> str:
    """Returns a run of text."""
    return f"<span style=\"color:#000000;font-family:'Arial',sans-serif;font-size:10pt;font-weight:{weight};line-height:120%{more}\">{text}</span>"


def div(text: str, style: str = "margin-bottom:9pt;text-align:justify") -> str:
    """Returns a paragraph."""
    return f'<div style="{style}">{text}</div>'


def title(text: str) -> str:
    """Returns a centred, bold paragraph."""
    return div(span(text, 700), "margin-top:3pt;text-align:center")


BACK = div(span("<a href='#i_1'>Table of Contents</a>"))


def page_end(number: int) -> str:
    """Returns a page's number, the rule at which the next begins, and the link at its top."""
    return (
        f'<div style="height:42.75pt;position:relative;width:100%"><div style="bottom:0;position:absolute;width:100%">'
        f'{div(span(str(number)), "text-align:center")}</div></div><hr style="page-break-after:always"/>'
        f'<div style="min-height:42.75pt;width:100%">{BACK}</div>'
    )


def entry(item: str, name: str, page: str, place: str) -> str:
    """Returns a row of the contents: three cells with the same link."""
    cell = '<td colspan="3" style="padding:2px 1pt">{}</td>'
    linked = (div(span(f'<a href="#{place}">{text}</a>')) if text else span("&#160;") for text in (item, name, page))
    return f"<tr>{''.join(cell.format(text) for text in linked)}</tr>"


DIVISIONS = f"""<?xml version='1.0' encoding='ASCII'?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><head><title>acme-20231231</title></head>
<body><div style="display:none"><ix:header><ix:hidden><ix:nonNumeric contextRef="c-1" name="dei:AmendmentFlag">false</ix:nonNumeric>
</ix:hidden><ix:resources><xbrli:context id="c-1"><xbrli:entity>0000012345</xbrli:entity></xbrli:context></ix:resources></ix:header></div>
{title("UNITED STATES")}{title("SECURITIES AND EXCHANGE COMMISSION")}{title("FORM <ix:nonNumeric name='dei:DocumentType'>10-K</ix:nonNumeric>")}
{title("ACME PUMPS INC.")}{page_end(1)}<div id="i_1"></div>{title("TABLE OF CONTENTS")}<table>
{entry("", "PART I", "", "i_2")}{entry("Item 1.", "Business", "3", "i_3")}{entry("Item 1A.", "Risk Factors", "4", "i_4")}
{entry("", "PART II", "", "i_5")}{entry("Item 7.", "Management&#8217;s Discussion", "5", "i_6")}
{entry("Item 8.", "Financial Statements", "6", "i_7")}</table>{page_end(2)}
<div id="i_2"></div>{title("PART I")}<div id="i_3"></div>{div(span("ITEM 1.", 700) + span("BUSINESS", 700, ";padding-left:37.04pt"))}
{div(span(POMP))}{div(span("Our Markets", 700))}{div(span(POMP))}{div(span("Competition", 700, ";font-style:italic"))}{div(span(POMP))}<div id="i_4"></div>{page_end(3)}
{div(span("Item 1A.&#160;&#160;&#160;&#160;Risk Factors", 700))}{div(span(POMP))}{page_end(4)}
<div id="i_5"></div>{title("PART II")}<div id="i_6"></div>{div(span("Item 7. Management&#8217;s Discussion", 700))}{div(span(POMP))}
{div(span("&#8226;") + span("water works may buy less; and", 400, ";padding-left:14.5pt"), "padding-left:36pt;text-indent:-18pt")}{page_end(5)}
<div id="i_7"></div>{div(span("Item 8. Financial Statements", 700))}{title("Acme Pumps Inc.")}{title("CONSOLIDATED BALANCE SHEETS")}
{div(span("(in millions)", 700), "text-align:center")}<table><tr><td>Cash</td><td>5</td></tr><tr><td>Debt</td><td>7</td></tr></table>
{title("NOTES TO FINANCIAL STATEMENTS")}<ix:nonNumeric name="us-gaap:DebtDisclosureTextBlock">{div(span("Note 1.&#160;&#160;Debt", 700))}
{div(span(POMP))}</ix:nonNumeric>{page_end(6)}</body></html>"""


def test_the_items_of_a_filing_and_the_captions_inside_them_become_its_tree():
    """By the links of its contents and the style of its paragraphs; Parts contain their Items, the company's name is part of
    a statement's title, and data for machines is not text."""
    tree = build_tree(DIVISIONS.encode(), name="acme-20231231.htm")
    assert outline(tree) == [
        ("PART I", 1),
        ("Item 1. Business", 2),
        ("Our Markets", 3),
        ("Competition", 4),
        ("Item 1A. Risk Factors", 2),
        ("PART II", 1),
        ("Item 7. Management’s Discussion", 2),
        ("Item 8. Financial Statements", 2),
        ("Acme Pumps Inc. CONSOLIDATED BALANCE SHEETS", 3),
        ("NOTES TO FINANCIAL STATEMENTS", 3),
        ("Note 1. Debt", 4),
    ]
    text = "\n".join(tree.lines)
    assert "FORM 10-K" in text
    assert "0000012345" not in text
    assert "false" not in text


def test_each_item_has_the_anchor_that_the_contents_link_to():
    """Also an anchor above the number and the end of the page before."""
    tree = build_tree(DIVISIONS.encode(), name="acme-20231231.htm")
    items = [node for node in tree.nodes if node.title.startswith(("PART", "Item"))]
    assert [tree.anchor_of(node.span) for node in items] == ["i_2", "i_3", "i_4", "i_5", "i_6", "i_7"]


def test_page_numbers_and_links_back_are_left_out():
    """And words that only padding separates have a space between."""
    tree = build_tree(DIVISIONS.encode(), name="acme-20231231.htm")
    after_cover = [line for line in tree.lines[tree.nodes[1].span.first - 1 :] if line]
    assert "Table of Contents" not in after_cover
    assert not any(line.isdigit() for line in after_cover)
    assert "ITEM 1. BUSINESS" in after_cover
    assert "• water works may buy less; and" in after_cover


# Paragraphs, split inside words; a paragraph with a hard space for an empty line; the place is the paragraph's own id.


def test_lines_of_one_centred_title_are_one_heading_unless_a_gap_an_anchor_or_a_number_separates_them():
    """ "Part I" and "Item 1" stay two; a remark in parentheses is not a title."""

    def centered(text: str, place: str = "") -> str:
        halves = text[: len(text) // 2], text[len(text) // 2 :]
        spans = "".join(
            f'<span style="font-weight:bold;font-size:10pt;white-space:pre-wrap">{half}</span>' for half in halves
        )
        return f'<p style="font-size:10pt;margin-top:0;text-align:center;" {place}>{spans}</p>\n  '

    empty = '<p style="font-size:10pt;text-align:center;"><span style="font-size:8pt">&#160;</span></p>\n  '
    body = f'<p style="font-size:10pt;text-align:justify;"><span style="font-size:10pt">{POMP * 3}</span></p>'
    tree = build_tree(
        f"""<html><body>{centered("PART I")}{centered("Item 1. Financial statements")}{body}{centered("ACME CORPORATION")}
        {centered("CONDENSED STATEMENTS OF INCOME")}{centered("For the Years 2023 and 2022")}{centered("(Unaudited)")}{body}
        {centered("ACME CORPORATION")}{centered("CONDENSED STATEMENTS OF CASH FLOWS", 'id="flows"')}{body}
        {centered("LEGAL MATTERS")}{empty}{centered("EXPERTS")}{body}</body></html>""".encode(),
        name="q.htm",
    )
    assert [node.title for node in tree.nodes] == [
        "PART I",
        "Item 1. Financial statements",
        "ACME CORPORATION CONDENSED STATEMENTS OF INCOME For the Years 2023 and 2022",
        "ACME CORPORATION",
        "CONDENSED STATEMENTS OF CASH FLOWS",
        "LEGAL MATTERS",
        "EXPERTS",
    ]


def test_the_three_cells_of_a_figure_are_one():
    """Sign, digits and bracket are joined below the year above all three, whichever of them a row fills."""
    spacer = '<td colspan="3" style="padding:0 1pt"></td>'
    year = '<td colspan="3" style="text-align:center"><span style="font-weight:700">{}</span></td>'
    dollars = "<td>$</td><td><ix:nonFraction scale='6' name='x'>{}</ix:nonFraction>&#160;</td><td></td>"
    plain = '<td colspan="2"><ix:nonFraction>{}</ix:nonFraction>&#160;</td><td></td>'
    minus = '<td colspan="2">(<ix:nonFraction sign="-">{}</ix:nonFraction></td><td>)</td>'
    share = '<td colspan="2">{}</td><td>%</td>'

    def row(label: str, manner: str, *figures: str) -> str:
        return f'<tr><td colspan="3">{label}</td>{spacer.join(manner.format(figure) for figure in figures)}</tr>'

    rows = [
        "<tr><td style='width:1.0%'></td><td style='width:66%'></td><td style='width:0.1%'></td></tr>",
        '<tr><td colspan="3"></td><td colspan="9">Year ended December 31,</td></tr>',
        row("", year, "2023", "2022"),
        row("Cash", dollars, "25,929", "21,879"),
        row("Debt", plain, "1,234", "987"),
        row("Taxes", minus, "55", "60"),
        row("Margin", share, "12.5", "11.0"),
    ]
    assert lines(f"<table>{''.join(rows)}</table>") == [
        "| Year ended December 31,",
        "| 2023 | 2022",
        "Cash | $25,929 | $21,879",
        "Debt | 1,234 | 987",
        "Taxes | (55) | (60)",
        "Margin | 12.5% | 11.0%",
    ]


def test_columns_that_are_filled_side_by_side_stay_apart():
    """A cell over two columns of check marks: one row has a mark in each."""
    rows = (
        "<tr><td>Valve<td colspan=2>Tested</tr><tr><td>A<td>x<td></tr><tr><td>B<td><td>x</tr><tr><td>C<td>x<td>x</tr>"
    )
    assert lines(f"<table>{rows}</table>") == ["Valve | Tested", "A | x", "B | | x", "C | x | x"]


# Pages as divisions, bullets that float, zero-width spaces.


def test_a_page_may_be_a_division_and_its_bullets_may_float():
    """The number before the rule, the link at the top of the next page; the bullet joins the paragraph beside it."""
    page = (
        '<div style="page-break-after:always; width:595.3pt;font-size:10pt;"><div style="font-size:8pt;"><a style="color:#003366;" href="#TOC">'
        'TABLE OF CONTENTS</a><a name="s{0}">&#8203;</a></div><div style="text-align:center; font-weight:bold;"><font>{1}</font>'
        '<font style="font-weight:normal;"> </font></div><div><font>{2}</font></div><div style=" float:left; width:10pt;"><font>&#8226;</font><br ></div>'
        '<div style=" margin-left:30pt;"><font>our report of May&#160;6</font></div><div style="clear:both; font-size:0pt;">&#8203;</div>'
        '<div style="text-align:center;"><font>S-{0}</font><br ></div><hr ></div>'
    )
    html = f"<html><body>{page.format(1, 'ABOUT THIS PROSPECTUS', 'It has two parts.')}{page.format(2, 'EXPERTS', 'None.')}</body></html>"
    assert lines(html) == [
        "TABLE OF CONTENTS",
        "ABOUT THIS PROSPECTUS",
        "It has two parts.",
        "- our report of May 6",
        "EXPERTS",
        "None.",
        "- our report of May 6",
    ]


# Old tags in capitals, tables for bullets, and a heading of the fifth level at the top of each page: a link to the contents.


def test_the_link_at_the_top_of_each_page_is_not_a_heading():
    """Even if nothing else is marked as one; without links in the contents, headings are found by the style of paragraphs."""
    style = 'STYLE="margin-top:6pt; margin-bottom:0pt; font-size:10pt; font-family:Times New Roman"'
    turn = (
        f'<p STYLE="margin-top:0pt ; font-size:8pt">&nbsp;</P> <P {style} ALIGN="center">{{}} </P></DIV></Center>'
        '<p style="margin-top:1em; page-break-before:always"> </p><HR SIZE="3" style="COLOR:#999999" WIDTH="100%">'
        '<h5 align="left" style="font-size:10pt;font-weight:bold"><a href="#toc">Table of Contents</a></h5><Center><DIV STYLE="width:8.5in" align="left">'
    )
    bullet = '<TABLE><TR><TD WIDTH="5%">&nbsp;</TD><TD>&#149;</TD><TD>&nbsp;</TD><TD><P>a contract right only.</P></TD></TR></TABLE>'
    body = f"<P {style}>{POMP} and then</P>{turn}<P {style}>it goes on. {POMP}</P>{bullet}"
    html = f"""<HTML><BODY><Center><DIV STYLE="width:8.5in" align="left"><P {style} ALIGN="center"><B>SCHEDULE 14D-9</B></P>
    <P {style}><A NAME="toc"></A>For Acme Pumps.</P>{turn.format(1)}<P {style}><B>ITEM&#8201;3. PAST CONTACTS, TRANSACTIONS</B></P>{body.format(2)}
    <P {style}><B><I>Merger Agreement </I></B></P>{body.format(3)}<P {style}><B>ITEM&#8201;4. THE SOLICITATION</B></P>{body.format(4)}</DIV></BODY></HTML>"""
    tree = build_tree(html.encode(), name="sc14d9.htm")
    assert outline(tree) == [
        ("ITEM 3. PAST CONTACTS, TRANSACTIONS", 1),
        ("Merger Agreement", 2),
        ("ITEM 4. THE SOLICITATION", 1),
    ]
    text = [line for line in tree.lines if line]
    assert "Table of Contents" not in text
    assert not any(line.strip().isdigit() for line in text)
    assert "• a contract right only." in text


def test_an_item_in_a_box_of_its_own_is_separated_from_its_name():
    """Boxes of a fixed width replace tabs."""
    assert lines("<p><span style='display:inline-block;width:36pt'>Item 4.</span>Mine Safety</p>") == [
        "Item 4. Mine Safety"
    ]


RUNNING = '<h5><a href="#contents">Table of Contents</a></h5><h5><a href="#index">Index to Statements</a></h5>'
ITEMS = [
    ("i1", "Item 1.", "Business"),
    ("i2", "Item 2.", "Properties"),
    ("i3", "Item 3.", "Proceedings"),
    ("i5", "Item 5.", "Market"),
    ("i7", "Item 7.", "Analysis"),
    ("i8", "Item 8.", "Statements"),
]


def old_filing(running: str, cover: str) -> str:
    """A filing whose pages begin with links as headings, and whose contents link to the Items alone."""
    rows = "".join(f'<tr><td>{number}</td><td><a href="#{name}">{item}</a></td></tr>' for name, number, item in ITEMS)
    body = ""
    for name, number, item in ITEMS:
        part = {"i1": "PART I", "i5": "PART II"}.get(name)
        body += f"<hr>{running}" + (f"<p align=center><b>{part}</b></p>" if part else "")
        body += f'<a name="{name}"></a><p><b>{number}&nbsp;{item}</b></p><p>{POMP}</p><hr>{running}<p>{POMP}</p>'
    return f'<html>{cover}<p>{POMP}</p><hr>{running}<a name="contents"></a><p><b>CONTENTS</b></p><table>{rows}</table>{body}<a name="index"></a><p>The end.</p></html>'


@pytest.mark.parametrize("cover", ["", RUNNING], ids=["from the second page", "on the cover too"])
def test_links_that_head_each_page_are_no_sections_wherever_the_first_stands(cover):
    """And the Items are below their Parts, which the contents do not link to."""
    assert outline(build_tree(old_filing(RUNNING, cover).encode())) == [
        ("PART I", 1),
        ("Item 1. Business", 2),
        ("Item 2. Properties", 2),
        ("Item 3. Proceedings", 2),
        ("PART II", 1),
        ("Item 5. Market", 2),
        ("Item 7. Analysis", 2),
        ("Item 8. Statements", 2),
    ]


def test_headings_that_link_to_themselves_are_headings():
    """Of one title, as in a reference: each leads to a place of its own."""
    page = "".join(f'<h2 id="u{n}"><a href="#u{n}">Usage</a></h2><p>Text.</p>' for n in range(4))
    assert outline(build_tree(f"<html>{page}</html>".encode())) == [("Usage", 2)] * 4


def test_captions_that_look_like_parts_are_below_their_item():
    paragraphs = (
        "PART I|ITEM 1. BUSINESS|GENERAL||PUMPS||ITEM 2. PROPERTIES||PART II|ITEM 5. MARKET|PRICES||ITEM 8. STATEMENTS|"
    )
    body = "".join(f"<p><b>{text}</b></p>" if text else f"<p>{POMP}</p>" for text in paragraphs.split("|"))
    assert outline(build_tree(f"<html>{body}</html>".encode())) == [
        ("PART I", 1),
        ("ITEM 1. BUSINESS", 2),
        ("GENERAL", 3),
        ("PUMPS", 3),
        ("ITEM 2. PROPERTIES", 2),
        ("PART II", 1),
        ("ITEM 5. MARKET", 2),
        ("PRICES", 3),
        ("ITEM 8. STATEMENTS", 2),
    ]
