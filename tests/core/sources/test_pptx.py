"""PowerPoint presentations: a slide is a page, its title a heading, and its notes follow it."""

from __future__ import annotations

import io
import zipfile

import pytest

from thumbindex import Library, build_tree
from thumbindex.errors import DamagedSource, EmptySource
from thumbindex.tree import Tree

SPACES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)


def relations(**targets: str) -> str:
    """Returns a part's list of other parts."""
    entries = (f'<Relationship Id="{key}" Target="{to}"/>' for key, to in targets.items())
    return f"<Relationships>{''.join(entries)}</Relationships>"


def shape(*paragraphs: str, kind: str | None = None, level: int = 0) -> str:
    """Returns a shape with paragraphs that fills a placeholder of a type."""
    filled = f'type="{kind}"' if kind else 'idx="1"'
    place = "" if kind is None else f"<p:nvSpPr><p:nvPr><p:ph {filled}/></p:nvPr></p:nvSpPr>"
    settings = f'<a:pPr lvl="{level}"/>' if level else ""
    text = "".join(f"<a:p>{settings}<a:r><a:t>{words}</a:t></a:r></a:p>" for words in paragraphs)
    return f"<p:sp>{place}<p:txBody>{text}</p:txBody></p:sp>"


def deck(*slides: str, order: str = "", sections: str = "", **parts: str) -> bytes:
    """Returns a presentation of slides in an order such as "312"; keys of `parts` name other parts."""
    buffer = io.BytesIO()
    numbers = order or "".join(str(n) for n in range(1, len(slides) + 1))
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        listed = "".join(f'<p:sldId id="{255 + int(n)}" r:id="s{n}"/>' for n in numbers)
        archive.writestr(
            "ppt/presentation.xml",
            f"<p:presentation {SPACES}><p:sldIdLst>{listed}</p:sldIdLst>{sections}</p:presentation>",
        )
        targets = {f"s{n}": f"slides/slide{n}.xml" for n in range(1, len(slides) + 1)}
        archive.writestr("ppt/_rels/presentation.xml.rels", relations(**targets))
        for number, slide in enumerate(slides, 1):
            archive.writestr(
                f"ppt/slides/slide{number}.xml",
                f"<p:sld {SPACES}><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>",
            )
        for name, xml in parts.items():
            archive.writestr(name, xml)
    return buffer.getvalue()


def outline(tree: Tree) -> list[tuple[str, int, str]]:
    """Returns titles, levels and pages."""
    return [(node.title, node.level, str(node.pages)) for node in tree.nodes]


def test_slides_are_pages_and_their_titles_headings():
    """In the order of the presentation; the title is first wherever the file has it, and dates and slide numbers are left
    out."""
    tree = build_tree(
        deck(
            shape("Outlook", kind="title") + shape("More of the same"),
            shape("May 2024", kind="dt") + shape("Sales rose", "Costs fell", kind="") + shape("Sales", kind="ctrTitle"),
            order="21",
        ),
        name="review.pptx",
    )
    assert (tree.kind, tree.origin) == ("pages", "markup")
    assert outline(tree) == [("Sales", 1, "1"), ("Outlook", 1, "2")]
    assert [tree.section_text(node) for node in tree.nodes] == [
        "Sales\n\n- Sales rose\n- Costs fell",
        "Outlook\n\nMore of the same",
    ]


def test_a_slide_without_a_title_has_its_number_and_one_without_text_is_a_page():
    """Pages are counted as the presentation counts its slides."""
    tree = build_tree(deck(shape("Only the words of an image"), "", shape("End", kind="title")), name="review.pptx")
    assert [(node.title, str(node.pages.first)) for node in tree.nodes if node.pages] == [
        ("Slide 1", "1"),
        ("End", "3"),
    ]
    assert tree.pages_without_text == (2,)


def test_sections_of_the_presentation_are_above_their_slides():
    """Under the names that its author gave them."""
    year = (
        '<p14:section name="Year"><p14:sldIdLst><p14:sldId id="256"/><p14:sldId id="257"/></p14:sldIdLst></p14:section>'
    )
    plans = '<p14:section name="Plans"><p14:sldIdLst><p14:sldId id="258"/></p14:sldIdLst></p14:section>'
    listed = f"<p:extLst><p:ext><p14:sectionLst>{year}{plans}</p14:sectionLst></p:ext></p:extLst>"
    slides = [shape(title, kind="title") for title in ("Sales", "Costs", "Outlook")]
    tree = build_tree(deck(*slides, sections=listed), name="r.pptx")
    assert outline(tree) == [
        ("Year", 1, "1-2"),
        ("Sales", 2, "1"),
        ("Costs", 2, "2"),
        ("Plans", 1, "3"),
        ("Outlook", 2, "3"),
    ]


def test_groups_tables_diagrams_and_notes_are_text():
    """Complete rows, with cells over several columns; the first of alternative drawings; notes after the slide."""
    cell = "<a:tc{0}><a:txBody><a:p><a:r><a:t>{1}</a:t></a:r></a:p></a:txBody></a:tc>"
    rows = [cell.format("", "") + cell.format(' gridSpan="2"', "Year") + cell.format(' hMerge="1"', "")]
    rows += [
        "".join(cell.format("", text) for text in row) for row in (("", "2023", "2022"), ("Sales", "1,200", "1,150"))
    ]
    table = f"<p:graphicFrame><a:graphic><a:tbl>{''.join(f'<a:tr>{row}</a:tr>' for row in rows)}</a:tbl></a:graphic></p:graphicFrame>"
    drawn = '<p:graphicFrame><dgm:relIds r:dm="d1"/></p:graphicFrame>'
    point = "<dgm:pt><dgm:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></dgm:t></dgm:pt>"
    data = deck(
        shape("Year", kind="title")
        + f"<p:grpSp><p:grpSp>{shape('in a group')}</p:grpSp></p:grpSp>{table}"
        + f"<mc:AlternateContent><mc:Choice>{drawn}</mc:Choice><mc:Fallback>{shape('old')}</mc:Fallback></mc:AlternateContent>",
        **{
            "ppt/slides/_rels/slide1.xml.rels": relations(
                d1="../diagrams/data1.xml", n1="/ppt/notesSlides/notesSlide1.xml"
            ),
            "ppt/diagrams/data1.xml": f"<dgm:dataModel {SPACES}>{point.format('Plan')}{point.format('Build')}</dgm:dataModel>",
            "ppt/notesSlides/notesSlide1.xml": f"<p:notes {SPACES}><p:spTree>{shape('Thank Bo', kind='body')}{shape('7', kind='sldNum')}</p:spTree></p:notes>",
        },
    )
    tree = build_tree(data, name="review.pptx")
    assert [line for line in tree.lines if line] == [
        "Year",
        "in a group",
        "| Year",
        "| 2023 | 2022",
        "Sales | 1,200 | 1,150",
        "- Plan",
        "- Build",
        "Notes: Thank Bo",
    ]


def test_a_slide_is_cited_as_a_page():
    """By its number."""
    library = Library()
    library.add(
        deck(shape("Sales", kind="title"), shape("Outlook", kind="title") + shape("Pumps for Norway")),
        name="review.pptx",
    )
    assert library.retrieve("What is planned for Norway?").evidence[0].citation == "[review.pptx, p. 2]"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        pytest.param(deck(shape("")), EmptySource, id="only images"),
        pytest.param(deck("<p:sp>", shape("x")), DamagedSource, id="a slide that is no XML"),
    ],
)
def test_broken_presentations_are_refused(data, error):
    """With a remedy."""
    with pytest.raises(error) as caught:
        build_tree(data, name="review.pptx")
    assert caught.value.remedy


def test_a_slide_that_is_missing_is_an_empty_page():
    """The others are read."""
    data = deck(shape("Sales", kind="title"), order="12")
    assert build_tree(data, name="review.pptx").pages_without_text == (2,)
