"""What a health check says, and that a sound document has nothing to hear."""

from __future__ import annotations

import pytest

from thumbindex import Library, Tree, build_tree
from thumbindex.outline import Heading, Outline
from thumbindex.pages import Document, Line, LineRange, Page
from thumbindex.text.garbled import garbled_share
from thumbindex.tree import build
from thumbindex.tree.check import check


def kinds(text: str) -> set[str]:
    return {one.kind for one in check(build_tree(text.encode(), name="t.md")).findings}


def test_a_sound_document_has_no_findings() -> None:
    """And its figures say so."""
    health = check(build_tree(b"# Mill\n\n## 1 Wheel\n\nSee Section 2.\n\n## 2 Stones\n\nTwo.\n", name="t.md"))
    assert health.findings == ()
    assert (health.sections, health.coverage, health.references, health.resolved) == (3, 1.0, 1, 1)
    assert health.rules == {"markup": 3}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"# {'long ' * 40}\n\na\n", "long_heading"),
        ("# It turned out that the wheel did not turn at all.\n\na\n", "sentence_heading"),
        ("# A\n\n" + "## Note\n\nx\n\n" * 5, "repeated_heading"),
        ("# A\n\n## B\n\n## C\n\nx\n", "empty_section"),
        ("# 1 A\n\nx\n\n# 3 B\n\nx\n\n# 2 C\n\nx\n", "out_of_order"),
        ("# A\n\nsee Appendix Q\n", "unresolved_reference"),
    ],
)
def test_each_finding_names_what_is_suspect(text: str, kind: str) -> None:
    """One kind for each thing that can be odd."""
    assert kinds(text) == {kind}


def paged(contents: list[str]) -> Tree:
    """A contents page whose lines are page artifacts, a scan, and two chapters."""
    texts = [*contents, "Mill", "corn", "House", "roof"]
    last = len(contents)
    pages = (
        Page(1, LineRange(1, last)),
        Page(2, None),
        Page(3, LineRange(last + 1, last + 2)),
        Page(4, LineRange(last + 3, last + 4)),
    )
    headings = (Heading("Mill", 1, 3, last + 1, "contents"), Heading("House", 1, 4, last + 3, "contents"))
    outline = Outline("contents_page", headings, headers_footers=frozenset(range(1, last + 1)))
    return build(Document("p", "pdf", tuple(map(Line, texts)), pages), outline)


def test_entries_of_the_contents_page_without_a_section_are_named() -> None:
    """Where there is a contents page; a running head is none."""
    health = check(paged(["Mill ..... 1", "House ..... 2", "Garden ..... 3", "Orchard ..... 4"]))
    assert [one.text for one in health.findings if one.kind == "not_found"] == [
        "the contents page lists 'Garden'",
        "the contents page lists 'Orchard'",
    ]
    assert check(paged(["Annual report 1", "Annual report 2"])).count("not_found") == 0


def test_pages_without_text_are_named() -> None:
    """Scans cannot be found."""
    assert [one.text for one in check(paged(["x"])).findings if one.kind == "pages_without_text"] == [
        "pages 2 hold no text"
    ]


def test_text_of_fonts_that_lie_is_told_from_any_script() -> None:
    """Private and replacement signs, not letters that are foreign."""
    assert garbled_share("\ue001\ue002 \ufffd" * 30) > 0.9
    assert garbled_share("(cid:12)(cid:7)" * 10) > 0.9
    for sound in ("Die Mühle mahlt Korn. " * 5, "磨坊磨谷物。" * 20, "Мельница мелет зерно. " * 5, "short \ufffd"):
        assert garbled_share(sound) == 0.0


def test_a_library_checks_its_documents() -> None:
    """By id or name."""
    library = Library()
    library.add(b"# A\n\nsee Appendix Q\n", name="a.md")
    assert library.check("a.md").count("unresolved_reference") == 1


def test_a_guessed_encoding_is_told() -> None:
    """Whoever finds odd letters knows why."""
    found = check(build_tree("Caf\u00e9".encode("cp1252"))).findings
    assert [one.text for one in found if one.kind == "guessed_encoding"] == [
        "The text was taken for windows-1252 by a guess: if characters look wrong, save it as UTF-8."
    ]
    assert not [one for one in check(build_tree("Caf\u00e9".encode())).findings if one.kind == "guessed_encoding"]
