"""Trees for other programs, and trees from PageIndex."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from thumbindex import Library, build_tree
from thumbindex.errors import InvalidTree
from thumbindex.tree.nested import to_nested, to_nodes

MILL = b"# Mill\n\nIt grinds.\n\n## Wheel\n\nIt turns.\n\n### Axle\n\nOak.\n\n## Stones\n\nTwo.\n"


def test_nested_json_holds_sections_inside_one_another() -> None:
    """Each with its own text, so that nothing is said twice."""
    tree = build_tree(MILL, name="mill.md")
    nested = to_nested(tree)
    assert (nested["doc_name"], nested["origin"]) == ("mill.md", "markup")
    assert nested["structure"] == [
        {
            "title": "Mill",
            "node_id": tree.nodes[0].id,
            "line_num": 1,
            "line_end": 15,
            "text": "# Mill\n\nIt grinds.",
            "nodes": [
                {
                    "title": "Wheel",
                    "node_id": tree.nodes[1].id,
                    "line_num": 5,
                    "line_end": 12,
                    "text": "## Wheel\n\nIt turns.",
                    "nodes": [
                        {
                            "title": "Axle",
                            "node_id": tree.nodes[2].id,
                            "line_num": 9,
                            "line_end": 12,
                            "text": "### Axle\n\nOak.",
                            "nodes": [],
                        }
                    ],
                },
                {
                    "title": "Stones",
                    "node_id": tree.nodes[3].id,
                    "line_num": 13,
                    "line_end": 15,
                    "text": "## Stones\n\nTwo.",
                    "nodes": [],
                },
            ],
        }
    ]


def test_the_flat_map_names_parents_and_children() -> None:
    """And leaves the text out on request; both are plain JSON."""
    tree = build_tree(["# Mill\n\na", "## Wheel\n\nb"], name="mill")
    flat = json.loads(json.dumps(to_nodes(tree, text=False)))
    mill, wheel = (node.id for node in tree.nodes)
    assert flat["page_count"] == 2
    assert flat["nodes"] == {
        mill: {
            "title": "Mill",
            "node_id": mill,
            "start_index": 1,
            "end_index": 2,
            "path": "Mill",
            "children": [wheel],
            "parent": None,
        },
        wheel: {
            "title": "Wheel",
            "node_id": wheel,
            "start_index": 2,
            "end_index": 2,
            "path": "Mill › Wheel",
            "children": [],
            "parent": mill,
        },
    }


PAGEINDEX = {
    "doc_name": "mill.md",
    "structure": [
        {
            "title": "Mill",
            "node_id": "0000",
            "line_num": 1,
            "summary": "On mills.",
            "nodes": [{"title": "The wheel", "node_id": "0001", "line_num": 5, "summary": "On wheels."}],
        },
        {"title": "Stones", "node_id": "0002", "line_num": 13},
    ],
}


def test_a_tree_of_pageindex_keeps_its_sections_and_summaries(tmp_path: Path) -> None:
    """Over the text that we read from the document."""
    (tmp_path / "mill.md").write_bytes(MILL)
    (tmp_path / "mill.json").write_text(json.dumps(PAGEINDEX))
    library = Library()
    info = library.import_tree(tmp_path / "mill.json", file=tmp_path / "mill.md")
    tree = library.tree(info.doc_id)
    assert [(node.title, node.level, node.span.first, node.summary) for node in tree.nodes] == [
        ("Mill", 1, 1, "On mills."),
        ("The wheel", 2, 5, "On wheels."),
        ("Stones", 1, 13, ""),
    ]
    assert library.retrieve("How many stones?").evidence[0].title == "Stones"
    assert info.origin == "imported"


@pytest.mark.parametrize("first", ["the file", "its tree"])
def test_a_tree_of_pageindex_and_its_file_are_one_document(tmp_path: Path, first: str) -> None:
    """In any order and however often; the sections and summaries of PageIndex stay."""
    file, tree = tmp_path / "mill.md", tmp_path / "mill.json"
    file.write_bytes(MILL)
    tree.write_text(json.dumps(PAGEINDEX))
    library = Library()
    if first == "the file":
        added = library.add(file)
        assert library.import_tree(tree, file=file).doc_id == added.doc_id
    else:
        added = library.import_tree(tree, file=file)
    assert library.add(file).doc_id == library.add(MILL, name="copy.md").doc_id == added.doc_id
    assert library.import_tree(tree, metadata={"kind": "mill"}, file=file).metadata["kind"] == "mill"
    (info,) = library.list()
    assert info.revision == (2 if first == "the file" else 1)
    assert [node.title for node in library.tree(info.doc_id).nodes] == ["Mill", "The wheel", "Stones"]
    file.write_bytes(MILL + b"\nMore text.\n")
    assert library.add(file).doc_id == info.doc_id
    assert "On wheels." in [node.summary for node in library.tree(info.doc_id).nodes]


def test_sections_begin_where_their_titles_stand_on_the_page(make_pdf_pages: Path, tmp_path: Path) -> None:
    """PageIndex knows the page only."""
    tree = {
        "structure": [
            {"title": "1 Wheel", "start_index": 1},
            {"title": "2 Stones", "start_index": 1},
            {"title": "?", "start_index": 2},
        ]
    }
    (tmp_path / "tree.json").write_text(json.dumps(tree))
    library = Library()
    info = library.import_tree(tmp_path / "tree.json", file=make_pdf_pages)
    assert [(node.title, node.span.first, str(node.pages)) for node in library.tree(info.doc_id).nodes] == [
        ("1 Wheel", 1, "1"),
        ("2 Stones", 3, "1"),
        ("?", 5, "2"),
    ]


@pytest.mark.parametrize(
    "value", [{"a": 1}, {"structure": [{"node_id": "1"}]}, [1], {"structure": [{"title": "A", "start_index": 9}]}]
)
def test_what_is_no_tree_of_pageindex_is_refused(make_pdf_pages: Path, tmp_path: Path, value: object) -> None:
    """The library stays as it was."""
    (tmp_path / "tree.json").write_text(json.dumps(value))
    library = Library()
    with pytest.raises(InvalidTree):
        library.import_tree(tmp_path / "tree.json", file=make_pdf_pages)
    assert library.list() == []


@pytest.fixture
def make_pdf_pages(tmp_path: Path) -> Path:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(tmp_path / "mill.pdf"), invariant=1)
    for lines in (("1 Wheel", "It turns round and round.", "2 Stones", "There are two of them."), ("More text here.",)):
        for number, line in enumerate(lines):
            canvas.drawString(72, 700 - 40 * number, line)
        canvas.showPage()
    canvas.save()
    return tmp_path / "mill.pdf"
