"""Any question, name and condition gives correct results or an error of ours."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from odd_texts import ODD_TEXTS, SCALARS
from thumbindex import Library, Scope
from thumbindex.errors import DocumentNotFound, SourceUnreadable
from thumbindex.evidence import PassageId
from thumbindex.testing import sample_library
from thumbindex.text.characters import replace_surrogates_in

LIBRARY = sample_library()
LIBRARY.add("# 油灯\n\n燃油二升。\n\n## 清洗\n\n每周一次。\n".encode(), name="灯.md")


@given(ODD_TEXTS, st.integers(1, 6))
@example("\ud800", 2)
@example("oil\x00lamp", 2)
def test_any_question_gives_sections_that_are_there(question: str, k: int) -> None:
    """At most `k`, best first, each with exactly the text of its lines, and the same when asked again."""
    found = LIBRARY.retrieve(question, k=k)
    assert len(found.evidence) <= k
    scores = [evidence.score for evidence in found.evidence]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 < score <= 1.0 for score in scores)
    for evidence in found.evidence:
        tree = LIBRARY.tree(evidence.doc_id)
        assert tree.text(evidence.lines) == evidence.text
        assert PassageId.parse(evidence.node_id).section in tree
    again = LIBRARY.retrieve(question, k=k)
    assert [evidence.id for evidence in again.evidence] == [evidence.id for evidence in found.evidence]


@given(ODD_TEXTS, st.booleans())
@example("\ud800", True)
def test_any_mention_is_in_the_line_it_names(text: str, exact: bool) -> None:
    """In reading order."""
    found = LIBRARY.find_all(text, exact=exact)
    for mention in found:
        assert LIBRARY.tree(mention.doc_id).lines[mention.line - 1].strip() == mention.text
    order = [info.doc_id for info in LIBRARY.list()]
    locations = [(order.index(mention.doc_id), mention.line) for mention in found]
    assert locations == sorted(locations)


def test_a_passage_of_hundreds_of_words_is_one_mention() -> None:
    """And with one word more it is none."""
    passage = " ".join(f"{word} {number}" for number, word in enumerate(["wick", "oil", "boats", "lamp"] * 40))
    with Library() as library:
        library.add(
            f"# Quay\n\nHere: {passage.upper()} and so on, {passage[:200]}.\n\nAgain {passage}\n".encode(), name="a.md"
        )
        for exact in (False, True):
            assert [mention.line for mention in library.find_all(passage, exact=exact)] == [3, 5]
            assert library.find_all(f"{passage} anchor", exact=exact) == []


@given(ODD_TEXTS)
@example("\ud800")
def test_any_name_is_a_document_or_not_found(name: str) -> None:
    """In a lookup and in a scope; the message can be printed."""
    for ask in (LIBRARY.get, lambda name: LIBRARY.retrieve("oil", scope=Scope(documents=[name]))):
        try:
            ask(name)
        except DocumentNotFound as error:
            str(error).encode("utf-8")


@given(
    st.dictionaries(
        st.sampled_from(["year", "title", "x"]) | ODD_TEXTS, SCALARS | st.lists(SCALARS, max_size=3), max_size=3
    )
)
@example({"year": "\ud800"})
@example({"\ud800": 1})
@example({"year": 10**400})
@example({"year": float("nan")})
def test_any_filters_choose_documents_that_have_the_values(filters: dict[str, object]) -> None:
    """Any value of a list; a key that no document has leaves none."""

    def passes(metadata: dict[str, object]) -> bool:
        for key, wanted in filters.items():
            if key not in metadata:
                return False
            value = metadata[key]
            options = wanted if isinstance(wanted, list) else [wanted]
            if not any((type(o) is type(value) and o == value) or _same_number(o, value) for o in options):
                return False
        return True

    chosen = {info.doc_id for info in LIBRARY.list(scope=Scope(where=filters))}
    assert chosen == {info.doc_id for info in LIBRARY.list() if passes(dict(info.metadata))}


def _same_number(one: object, other: object) -> bool:
    """1 and 1.0 are the same number, 1 and True are not."""
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other))
    return numbers and one == other


def _is_refused(value: object) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    return isinstance(value, int) and abs(value) > sys.float_info.max


@given(
    ODD_TEXTS.filter(str.strip), st.dictionaries(ODD_TEXTS, SCALARS.filter(lambda value: value is not None), max_size=3)
)
def test_any_metadata_given_to_a_document_is_kept_and_found(name: str, metadata: dict[str, object]) -> None:
    """Unchanged but for lone surrogates; a number without order, or one that no database holds, is refused for that document."""
    with Library() as library:
        if any(_is_refused(value) for value in metadata.values()):
            with pytest.raises(SourceUnreadable, match="cannot be stored"):
                library.add(b"# Quay\n\nBoats moor.\n", name=name, metadata=metadata)
            assert library.list() == []
            return
        info = library.add(b"# Quay\n\nBoats moor.\n", name=name, metadata=metadata)
        for key, value in replace_surrogates_in(metadata).items():
            assert repr(library.get(name).metadata[key]) == repr(value)
            found = library.list(scope=Scope(where={key: value}))
            assert [other.doc_id for other in found] == [info.doc_id]
        assert library.check(info.doc_id).findings == ()
        assert library.retrieve("boats").evidence[0].doc_id == info.doc_id
