"""Whatever a model replies, a search ends with true evidence, an answer with judged citations, and a summary with words."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Literal

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from odd_texts import JSON_VALUES, ODD_TEXTS
from thumbindex import Lexical, Library
from thumbindex.citations.sentences import alias_names, read_sentences
from thumbindex.models.json_text import MAX_CHARACTERS, json_objects
from thumbindex.navigation import navigator_named
from thumbindex.navigation.parse import ACTIONS, Choice, Misunderstood, Move, read_choices, read_move
from thumbindex.summarize.by_model import summarize
from thumbindex.testing import ScriptedModel, sample_library
from thumbindex.text.untrusted import one_line

LIBRARY = sample_library()
DOCUMENTS = [(info.doc_id, info.name) for info in LIBRARY.list()]

KEYS = st.sampled_from(
    [
        "action",
        "name",
        "arguments",
        "numbers",
        "sections",
        "number",
        "reason",
        "text",
        "query",
        "parts",
        "summaries",
        "summary",
    ]
)
VALUES = st.one_of(
    st.sampled_from([*ACTIONS, "fly"]), st.integers(-2, 20), st.lists(st.integers(-2, 20), max_size=4), JSON_VALUES
)
OBJECTS = st.recursive(
    st.dictionaries(KEYS, VALUES, max_size=5),
    lambda inner: st.dictionaries(KEYS, inner | st.lists(inner, max_size=3), max_size=3),
    max_leaves=4,
)


@st.composite
def replies(draw: st.DrawFn) -> str:
    """JSON as asked for, in prose or a fence, cut off, with a letter too many, several times; or anything else."""
    if draw(st.integers(0, 5)) == 0:
        return draw(ODD_TEXTS)
    text = json.dumps(draw(OBJECTS), ensure_ascii=draw(st.booleans()))
    form = draw(st.integers(0, 5))
    if form == 1:
        text = f"Let me see.\n```json\n{text}\n```\nThat is {draw(ODD_TEXTS)}."
    elif form == 2:
        text = text[: draw(st.integers(0, len(text)))]
    elif form == 3:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from([*list("{}[]\",:\\'\n"), "“", "\x00", "NaN", "True"])) + text[at:]
    elif form == 4:
        text += text
    elif form == 5:
        text = repr(json.loads(text))
    return text


@given(replies())
@example("{" * 30_000)
@example('{"a":' * 3000)
@example('{"action": "read", "numbers": [' + "1," * 30_000)
@example('{"action": "read", "numbers": [1e400, NaN, 1e300]}')
def test_any_reply_is_a_move_and_picks_or_told_why_not(reply: str) -> None:
    """Moves are of those that exist; picks come each once; what is told can be sent."""
    move = read_move(reply)
    assert isinstance(move, Move | Misunderstood)
    if isinstance(move, Move):
        assert move.action in ACTIONS
        assert len(set(move.numbers)) == len(move.numbers)
    else:
        assert len(move.correction) < 500
    picks = read_choices(reply)
    if isinstance(picks, Misunderstood):
        assert len(picks.correction) < 500
    else:
        assert all(isinstance(one, Choice) for one in picks)
        assert len({one.number for one in picks}) == len(picks)
    assert all(isinstance(key, str) for found in json_objects(reply) for key in found)


@given(OBJECTS)
def test_good_json_is_read_as_json_reads_it(value: dict[str, object]) -> None:
    """Before anything is mended."""
    text = json.dumps(value)
    assume(len(text) <= MAX_CHARACTERS)
    assert repr(list(json_objects(text))) == repr([json.loads(text)])


@pytest.mark.parametrize("navigator", ["select", "walk"])
@given(replies=st.lists(replies(), min_size=1, max_size=6))
def test_any_replies_end_in_evidence_that_is_there(navigator: Literal["select", "walk"], replies: list[str]) -> None:
    """Each with the text of its lines; the trail and all messages can be written, and no text leaves its fence."""
    model = ScriptedModel([*replies, *['{"action": "answer", "sections": []}'] * 40])
    found = LIBRARY.retrieve("How long does a wick last?", navigator=navigator_named(navigator, model))
    for one in found.evidence:
        assert LIBRARY.tree(one.doc_id).text(one.lines) == one.text
    assert len({one.id for one in found.evidence}) == len(found.evidence) <= 4
    found.trail.render().encode("utf-8")
    for call in model.calls:
        call.text.encode("utf-8")
        for message in (one for one in call.messages if one.role == "user"):  # what we write
            assert message.content.count("<document_text>") == message.content.count("</document_text>")


BRACKETS = st.one_of(
    st.builds(
        lambda name, comma, place: f"[{name}{comma}{place}]",
        st.sampled_from(["lantern.md", "lantern", "harbour.md", DOCUMENTS[0][0], "annex.pdf", ""]),
        st.sampled_from([", ", " ", ",", "; "]),
        st.sampled_from(
            ["p. 1", "§ 4.2 Wick", "pp. 3-5, iv, F-12", "p. 99999999999999999", "§", "4.2 Wick", "S. 3", "第 3 页"]
        ),
    ),
    ODD_TEXTS.map(lambda text: f"[{text}]"),
)
ANSWERS = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "A wick lasts about ninety hours.",
                'It says "trim the wick to six millimetres".',
                "1,204 ships came.",
                "No.",
                "\n",
            ]
        ),
        BRACKETS,
        ODD_TEXTS,
    ),
    max_size=8,
).map(" ".join)


@given(ANSWERS)
def test_any_answer_is_judged_citation_by_citation(text: str) -> None:
    """The text is what the model wrote; what is verified is in the passages; the whole can be written as JSON."""
    answer = LIBRARY.ask("How long does a wick last?", model=ScriptedModel([text] * 2), navigator=Lexical())
    known = {info.doc_id for info in LIBRARY.list()}
    for citation in answer.citations:
        if citation.status == "verified":
            assert citation.doc_id in known
    str(answer).encode("utf-8")


@given(ANSWERS)
@example("1. " * 20_000)
@example("No. .0")
def test_any_answer_falls_into_sentences_that_hold_its_words(text: str) -> None:
    """In their order, each with a word, and with what it cites as it is written."""
    sentences = read_sentences(text, alias_names(DOCUMENTS))
    at = 0
    for sentence in sentences:
        word = re.search(r"\w+", sentence.text)
        assert word is not None
        at = text.index(word[0], at)
    for sentence in sentences:
        assert all(one.written in text.replace("\x00", " ") for one in sentence.cited)


@given(st.lists(replies(), min_size=1, max_size=4))
def test_any_replies_make_summaries_of_whole_sections(replies: list[str]) -> None:
    """Of every section that has text, within the length, by the model or else by extract."""
    with Library() as library:
        info = library.add(
            ("# A\n\n" + "".join(f"## S{n}\n\n{'Boats moor on the quay. ' * 30}\n\n" for n in range(6))).encode(),
            name="a.md",
        )
        tree = library.tree(info.doc_id)
    fallback = {node.id: "Boats." for node in tree.nodes}
    made = asyncio.run(summarize(tree, ScriptedModel((replies * 20)[:20]), fallback=fallback))
    assert set(made.by_section) == set(fallback)
    assert all(text.strip() and text == one_line(text, 1000) for text in made.by_section.values())
