"""Clauses and articles whose number opens a paragraph are sections below the heading around them."""

from __future__ import annotations

import pytest

from thumbindex import build_tree


def sections(text: str, name: str = "deed") -> list[tuple[str, int]]:
    return [(node.title, node.level) for node in build_tree(text.encode(), name=name).nodes]


CLAUSES = "{0}.1 The fee is due in March.\n\nIt is paid once.\n\n{0}.2 Interest. It accrues daily.\n\n{0}.2.1 In leap years too.\n\n{0}.2.2 Not on Sundays.\n"


@pytest.mark.parametrize(
    ("heading", "number"),
    [("## 3. Fees", "3"), ("## Article 3 Fees", "3"), ("## III. Fees", "3"), ("## 3.4 Fees", "3.4")],
)
def test_clauses_continue_the_number_of_their_article(heading, number):
    """With a caption that runs into the text, else with the first words."""
    found = sections(f"# Deed\n\n{heading}\n\n{CLAUSES.format(number)}\n## Annex\n\nA form.\n")
    assert found == [
        ("Deed", 1),
        (heading[3:], 2),
        (f"{number}.1 The fee is due in March", 3),
        (f"{number}.2 Interest", 3),
        (f"{number}.2.1 In leap years too", 4),
        (f"{number}.2.2 Not on Sundays", 4),
        ("Annex", 2),
    ]


def test_the_text_of_a_clause_is_its_own():
    tree = build_tree(f"# Deed\n\n## 3. Fees\n\n{CLAUSES.format('3')}".encode(), name="deed.md")
    assert tree.section_text(tree.nodes[2]) == "3.1 The fee is due in March.\n\nIt is paid once."


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("3.1 The fee is due.\n\n3.3 It is paid once.\n", id="a gap"),
        pytest.param("4.1 The fee is due.\n\n4.2 It is paid once.\n", id="another article's numbers"),
        pytest.param("3.1 The fee is due.\n", id="one alone"),
        pytest.param("3.1 412 900\n\n3.2 417 903\n", id="figures"),
        pytest.param("The fee of\n3.1 Marks and\n3.2 Crowns is due.\n", id="inside a paragraph"),
        pytest.param("```\n3.1 The fee\n\n3.2 The oil\n```\n", id="code"),
    ],
)
def test_other_numbers_are_no_clauses(text):
    assert sections(f"# Deed\n\n## 3. Fees\n\n{text}\n## 4. Term\n\nOne year.\n") == [
        ("Deed", 1),
        ("3. Fees", 2),
        ("4. Term", 2),
    ]


def test_a_list_of_contents_holds_no_clauses():
    """Whether its numbers are those of headings, or its entries are links."""
    listed = "3.1 Amount\n\n3.2 Interest\n\n"
    titles = ["Deed", "3. Fees", "3.1 Amount", "3.2 Interest"]
    found = sections(f"# Deed\n\n## 3. Fees\n\n{listed}### 3.1 Amount\n\nFour.\n\n### 3.2 Interest\n\nNone.\n")
    assert [title for title, _ in found] == titles
    links = "<p><a href='#a'>3.1 Amount</a></p><p><a href='#a'>3.2 Interest</a></p>"
    assert sections(f"<html><h1>Deed</h1><h2>3. Fees</h2>{links}<h2 id='a'>4. Term</h2><p>One year.</p></html>") == [
        ("Deed", 1),
        ("3. Fees", 2),
        ("4. Term", 2),
    ]


@pytest.mark.parametrize(
    ("chapters", "articles", "titles"),
    [
        ("第{}章 总则", "第{}条 灯塔应当每日检查。", "第{}条"),
        ("제{}장 총칙", "제{}조(목적) 등대를 관리한다.", "제{}조(목적)"),
        ("Chapter {}", "§ {} Lamps. Keepers light them at dusk.", "§ {} Lamps"),
        ("Chapter {}", "Article {}. Keepers light the lamps at dusk.", "Article {}. Keepers light the lamps at dusk"),
    ],
)
def test_articles_count_on_from_chapter_to_chapter(chapters, articles, titles):
    body = "".join(
        f"## {chapters.format(chapter)}\n\n" + "".join(f"{articles.format(number)}\n\n" for number in numbers)
        for chapter, numbers in ((1, (1, 2)), (2, (3, 4)))
    )
    found = sections(f"# Act\n\n{body}", "act.md")
    assert [title for title, level in found if level == 3] == [titles.format(number) for number in (1, 2, 3, 4)]


def test_chinese_articles_of_plain_text():
    text = "灯塔法\n\n第一章 总则\n\n第一条 灯塔应当每日检查。\n\n第二条 不得熄灭。\n\n第二章 罚则\n\n第三条 罚款。\n"
    assert sections(text)[1:] == [("第一章 总则", 1), ("第一条", 2), ("第二条", 2), ("第二章 罚则", 1), ("第三条", 2)]
