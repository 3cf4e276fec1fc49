"""JSON that is nearly a tree, ours or PageIndex's, is a sound tree or an error of ours; corrections leave a tree sound."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from odd_texts import JSON_VALUES, ODD_TEXTS
from soundness import faults
from thumbindex import build_tree
from thumbindex.errors import InvalidTree
from thumbindex.sources.parsed import read_pages
from thumbindex.tree import from_json, to_json
from thumbindex.tree.corrections import Correction, Drop, Move, Relevel, Rename, correct
from thumbindex.tree.invariants import violations
from thumbindex.tree.nested import from_pageindex
from thumbindex.tree.references import with_references

TEXTS = [
    "# Quay\n\nMoor here, see Section 2.\n\n## 2 Dues\n\nPay.",
    "# Mill\n\nSee page 1.\n\n### Deep\n\nx",
    "# Mast\n\nHigh.",
]
TREE = with_references(build_tree(TEXTS, name="quay"))
WRITTEN = to_json(TREE)


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The ways to every value inside a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(way for key, one in inner for way in places(one, (*path, key)))]


PLACES = places(json.loads(WRITTEN))[1:]


@given(st.sampled_from(PLACES), st.one_of(st.just("gone"), JSON_VALUES, st.integers(-3, 40)))
@example(("tree", "nodes", 0, "pages", "last"), 99)
@example(("tree", "pages", 1, "number"), 7)
@example(("tree", "nodes", 0, "references", 0, "target"), "nowhere")
def test_a_tree_with_any_value_changed_is_sound_or_refused(place: tuple[str | int, ...], value: object) -> None:
    """What is taken keeps every promise and can be read, printed and written."""
    changed = json.loads(WRITTEN)
    holder = changed
    for key in place[:-1]:
        holder = holder[key]
    if value == "gone":
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    try:
        tree = from_json(json.dumps(changed))
    except InvalidTree as error:
        str(error).encode("utf-8")
        return
    assert list(violations(tree)) == []
    assert from_json(to_json(tree)) == tree
    tree.render()
    for node in tree.nodes:
        tree.section_text(node)
        tree.page_labels(node.pages) if node.pages else None


@given(st.integers(0, len(WRITTEN)), st.text(max_size=3), st.integers(0, 40))
def test_a_tree_with_any_letters_changed_is_equal_or_refused(at: int, put: str, cut: int) -> None:
    """Cut off, spliced or garbled."""
    try:
        tree = from_json(WRITTEN[:at] + put + WRITTEN[at + cut :])
    except InvalidTree:
        return
    assert list(violations(tree)) == []


@given(st.binary(max_size=60) | ODD_TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_no_tree(data: bytes) -> None:
    try:
        from_json(data)
    except InvalidTree:
        return
    raise AssertionError("bytes made by chance were taken for a tree")


SECTIONS = st.recursive(
    st.lists(
        st.fixed_dictionaries({"title": st.sampled_from(["Quay", "2 Dues", "Mill", "Mast", "?", "x" * 300])}),
        max_size=2,
    ),
    lambda inner: st.lists(
        st.fixed_dictionaries(
            {"title": st.sampled_from(["Quay", "2 Dues", "Mill", " ", "§"]) | ODD_TEXTS},
            optional={
                "start_index": st.integers(-1, 5) | JSON_VALUES,
                "physical_index": st.integers(1, 3),
                "line_num": st.integers(-1, 20),
                "summary": ODD_TEXTS | JSON_VALUES,
                "nodes": inner | JSON_VALUES,
            },
        ),
        max_size=3,
    ),
    max_leaves=6,
)


@given(SECTIONS | JSON_VALUES, st.sampled_from([TEXTS, ["Moor here.", "", "High."], ["", "", "x"]]))
@example([{"title": "\ud800", "summary": "\udfff"}], TEXTS)
def test_any_tree_of_pageindex_is_sound_or_refused(structure: object, texts: list[str]) -> None:
    """Wherever it says that sections begin."""
    document = read_pages(texts, "quay.pdf")
    try:
        tree = from_pageindex({"structure": structure}, document)
    except InvalidTree as error:
        str(error).encode("utf-8", "replace")
        return
    assert list(faults(tree)) == []


IDS = st.sampled_from([*(node.id for node in TREE.nodes), "nowhere"])
CORRECTIONS: st.SearchStrategy[Correction] = st.one_of(
    st.builds(Rename, IDS, ODD_TEXTS),
    st.builds(Relevel, IDS, st.integers(1, 32)),
    st.builds(Move, IDS, st.integers(-2, 30), st.sampled_from(["", "Pay.", "# Mill", "gone"])),
    st.builds(Drop, IDS),
)


@given(st.lists(CORRECTIONS, max_size=5))
def test_any_corrections_leave_a_tree_sound(corrections: list[Correction]) -> None:
    """Each is made or reported, and no text is lost."""
    tree, failed = correct(replace(TREE, nodes=tuple(replace(node, references=()) for node in TREE.nodes)), corrections)
    assert list(faults(tree)) == []
    assert set(failed) <= set(corrections)
    assert tree.lines == TREE.lines
